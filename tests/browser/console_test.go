package browser

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/app/demo"
	"tilth/app/operating"
	"tilth/core/access"
	"tilth/tests/rig"
)

// console opens the console in a browser of its own, at an address, and signs in.
func console(t *testing.T, root, address string, width int, dark bool) *Page {
	t.Helper()
	p := Open(t)
	p.Screen(width, 900, width < 500, dark)
	p.Goto(root + address)
	p.Until(`document.querySelector("form [name=email]")`)
	accessible(p, "sign in")
	signInAs(p, demo.OwnerMail, demo.Password)
	return p
}

// accessible checks what a page shows with axe, where the console's own tools are installed.
func accessible(p *Page, screen string) {
	p.t.Helper()
	axe, err := os.ReadFile(filepath.FromSlash("../../adapters/console/web/node_modules/axe-core/axe.min.js"))
	if err != nil {
		const missing = "LEFT OUT: accessibility of the console, for axe-core is not installed. Fix: make console."
		if os.Getenv("TILTH_REQUIRE_AXE") != "" {
			p.t.Fatal(missing)
		}
		p.t.Log(missing)
		return
	}
	p.Run(string(axe)+";0", nil)
	var found []struct{ ID, Help string }
	p.Run(`axe.run().then((r) => r.violations.map((v) => ({ id: v.id, help: v.help + ": " + v.nodes.map((n) => n.html + " " + n.failureSummary).join(" | ") })))`, &found)
	require.Empty(p.t, found, screen)
}

// fits checks that a screen asks for no sideways step, and that nothing came from elsewhere.
func fits(p *Page, root string, width int) {
	p.t.Helper()
	var is struct {
		Width int
		Hosts []string
	}
	p.Run(`({ width: document.documentElement.scrollWidth, hosts: [...new Set(performance.getEntriesByType("resource").map((r) => new URL(r.name).host))] })`, &is)
	require.LessOrEqual(p.t, is.Width, width)
	own, err := url.Parse(root)
	require.NoError(p.t, err)
	for _, host := range is.Hosts {
		require.Contains(p.t, []string{own.Host, ""}, host)
	}
}

// click presses the button or the link with a text.
func click(p *Page, text string) {
	p.t.Helper()
	quoted, err := json.Marshal(text)
	require.NoError(p.t, err)
	find := fmt.Sprintf(`[...document.querySelectorAll("button, a, summary")].find((e) => e.textContent.trim() === %s && !e.disabled)`, quoted)
	p.Until(find)
	p.Run(find+".click()", nil)
}

const drawn = `document.querySelector(".maplibregl-canvas") && document.querySelector(".panel h1")`

// The first profile, with nothing but the pages: the price, the order, the line, the pictures, date by date.
func TestConsoleFromSignInToPictures(t *testing.T) {
	for _, tt := range []struct {
		name  string
		width int
		dark  bool
	}{{"desk", 1280, false}, {"phone, dark", 375, true}} {
		t.Run(tt.name, func(t *testing.T) {
			server := rig.Start(t, rig.Options{Demo: true})
			p := console(t, server.URL, "/?colour=crop", tt.width, tt.dark)
			p.Until(`location.search === "?colour=crop"`) // where one wanted to go
			p.Until(drawn)
			p.Until(`document.querySelectorAll(".list li").length === 9`)
			accessible(p, "farm map")
			fits(p, server.URL, tt.width)

			click(p, "Latest index")
			click(p, "Price of 9 profiles")
			p.Until(`[...document.querySelectorAll("button.first")].some((b) => /^Order 9 profiles for [\d.]+ credits$/.test(b.textContent.trim()))`)
			p.Run(`document.querySelector("button.first").click()`, nil)
			p.Until(`document.body.textContent.includes("9 ordered, 0 refused")`)
			p.Run(`[...document.querySelectorAll(".list .name")].find((n) => n.textContent === "North pivot").closest("a").click()`, nil)
			p.Until(`/^\/farm\/\d+\/season\/\d+\/field\/\d+$/.test(location.pathname)`)
			p.Until(`document.querySelector(".chart canvas") && document.querySelector(".value")`)
			var first string
			p.Run(`document.querySelector(".value").textContent`, &first)
			require.Regexp(t, `^0\.\d{3}$`, first)

			click(p, "Show the pictures")
			p.Until(`performance.getEntriesByType("resource").some((r) => r.name.includes("/tiles/"))`)
			p.Until(`document.body.textContent.includes("season of that pixel")`)
			p.Press("ArrowLeft")
			p.Until(`/^\?date=2025-\d\d-\d\d$/.test(location.search)`)
			var before string
			p.Run(`document.querySelector(".value").textContent`, &before)
			require.NotEqual(t, first, before)
			accessible(p, "field")
			fits(p, server.URL, tt.width)

			click(p, "11 dates were not usable")
			click(p, "Aug 3, 2025: cloud")
			p.Until(`location.search === "?date=2025-08-03" && document.querySelector(".value").textContent === "–"`)
			p.Goto(server.URL + "/farm/1/season/1/field/1?date=2025-08-18") // a link that someone sent
			p.Until(`document.querySelector(".value")?.textContent === "0.789"`)
			require.Empty(t, p.Complaints())
		})
	}
}

// The table, the settings, what is not there, and the keyboard.
func TestConsoleScreens(t *testing.T) {
	server := rig.Start(t, rig.Options{Demo: true})
	for _, tt := range []struct {
		width int
		dark  bool
	}{{1280, false}, {375, false}, {375, true}} {
		p := console(t, server.URL, "/fields?sort=-area", tt.width, tt.dark)
		p.Until(`document.querySelectorAll("tbody tr").length === 9`)
		var names []string
		p.Run(`[...document.querySelectorAll("tbody tr td:first-child")].slice(0, 2).map((c) => c.textContent)`, &names)
		require.Equal(t, []string{"Border field", "Terrace"}, names)
		accessible(p, "fields")
		fits(p, server.URL, tt.width)
		p.Press("/")
		p.Write("pond")
		p.Until(`document.querySelectorAll("tbody tr").length === 1 && location.search.includes("search=pond")`)
		p.Run(`document.activeElement.blur()`, nil)
		p.Press("?")
		p.Until(`document.querySelector("dialog[open]")`)
		accessible(p, "keyboard")
		click(p, "Close")
		p.Press("g")
		p.Press("s")
		p.Until(`location.pathname.endsWith("/settings/account") && document.body.textContent.includes("` + demo.OwnerMail + `")`)
		accessible(p, "account")
		click(p, "Wallet")
		p.Until(`document.querySelectorAll("tbody tr").length > 0`)
		accessible(p, "wallet")
		fits(p, server.URL, tt.width)
		p.Run(`history.back()`, nil)
		click(p, "Account")
		p.Run(`(() => { const s = document.querySelector(".choices select"); s.value = "es"; s.dispatchEvent(new Event("change", { bubbles: true })) })()`, nil)
		click(p, "Cerrar sesión")
		p.Until(`document.querySelector("form [name=email]") && document.documentElement.lang === "es"`)
		p.Run(`localStorage.removeItem("language")`, nil)
		require.Empty(t, p.Complaints())
	}
}

// What is of another company is as if it were not there, and the page says so.
func TestConsoleOfAnothersField(t *testing.T) {
	server := rig.Start(t, rig.Options{Demo: true})
	p := console(t, server.URL, "/farm/1/season/1/field/999999", 1280, false)
	p.Until(`document.querySelector("[role=alert]")?.textContent.includes("There is nothing here")`)
	accessible(p, "nothing")
	click(p, "Go to the farm map")
	p.Until(drawn)
	p.Goto(server.URL + "/season/999999")
	p.Until(`document.body?.textContent.includes("No season")`)
}

// From a company without anything to the first profile: farm, season, a file of outlines that is looked at first, its
// import, which can be undone, and the order.
func TestConsoleFromNothingToTheFirstProfile(t *testing.T) {
	server := rig.Start(t, rig.Options{})
	ctx := t.Context()
	company, err := server.Operating.CreateCompany(ctx, "New company")
	require.NoError(t, err)
	_, err = server.Operating.CreditWallet(ctx, company.ID, 1000_00, "test")
	require.NoError(t, err)
	_, err = server.Operating.CreateUser(ctx, operating.NewUser{CompanyID: company.ID, Email: "first@new.example", Role: access.RoleOwner, Password: "long enough to sign in"})
	require.NoError(t, err)
	var features []any
	for i, parcel := range rig.Archive(t).Parcels[:3] {
		features = append(features, map[string]any{"type": "Feature", "geometry": rig.GeoJSON(t, parcel.Boundary), "properties": map[string]any{"PARCEL": fmt.Sprintf("Parcel %d", i+1), "name": ""}})
	}
	features = append(features, map[string]any{"type": "Feature", "properties": map[string]any{"PARCEL": "Broken"}, "geometry": map[string]any{
		"type": "Polygon", "coordinates": [][][]float64{{{0, 0}, {0, 1}, {1, 0}, {1, 1}, {0, 0}}}}})
	file, err := json.Marshal(map[string]any{"type": "FeatureCollection", "features": features})
	require.NoError(t, err)
	quoted, err := json.Marshal(string(file))
	require.NoError(t, err)

	p := Open(t)
	p.Screen(375, 812, true, false)
	p.Goto(server.URL)
	signInAs(p, "first@new.example", "long enough to sign in")
	p.Until(`document.body.textContent.includes("No fields yet")`)
	accessible(p, "nothing yet")
	click(p, "Add fields")
	fill(p, "farm", "Hill farm")
	fill(p, "country", "Nowhere land")
	click(p, "Create")
	p.Until(`document.querySelector("[role=alert]")?.textContent.includes("country")`)
	accessible(p, "new farm")
	fill(p, "country", "Spain")
	click(p, "Create")
	p.Until(`document.querySelector("[name=season]")`)
	accessible(p, "new season")
	fill(p, "season", "Summer 2025")
	fill(p, "from", "2025-03-01")
	fill(p, "to", "2025-10-31")
	click(p, "Create")
	p.Until(`document.querySelector("input[type=file]")`)
	p.Run(`(() => { const files = new DataTransfer(); files.items.add(new File([`+string(quoted)+`], "fields.geojson"));
		const input = document.querySelector("input[type=file]"); input.files = files.files; input.dispatchEvent(new Event("change", { bubbles: true })) })()`, nil)
	p.Until(`document.body.textContent.includes("3 new, 0 changed, 0 unchanged, 1 refused")`)
	p.Run(`(() => { const s = [...document.querySelectorAll("select")].find((s) => s.parentElement.textContent.includes("Name from")); s.value = "PARCEL"; s.dispatchEvent(new Event("change", { bubbles: true })) })()`, nil)
	p.Until(`document.querySelector("tbody td").textContent === "Parcel 1"`)
	accessible(p, "preview")
	fits(p, server.URL, 375)
	click(p, "Import 3 fields")
	click(p, "Undo: delete the 3 new fields")
	p.Until(`document.body.textContent.includes("The new fields are deleted.")`)
	click(p, "Another file")
	p.Until(`document.querySelector("input[type=file]")`)
	p.Run(`(() => { const files = new DataTransfer(); files.items.add(new File([`+string(quoted)+`], "fields.geojson"));
		const input = document.querySelector("input[type=file]"); input.files = files.files; input.dispatchEvent(new Event("change", { bubbles: true })) })()`, nil)
	click(p, "Import 3 fields")
	click(p, "Go to the farm map")
	p.Until(`document.querySelectorAll(".list li").length === 3`)
	click(p, "Price of 3 profiles")
	p.Until(`document.querySelector("button.first")?.textContent.includes("credits")`)
	p.Run(`document.querySelector("button.first").click()`, nil)
	p.Until(`[...document.querySelectorAll(".list .figure")].filter((f) => /^0\.\d\d$/.test(f.textContent)).length === 3`)
	require.Len(t, p.Complaints(), 1, "the farm in a country that is not known, which the browser logs: %v", p.Complaints())
}

// fill writes into the input of a name, as its user would.
func fill(p *Page, name, text string) {
	p.t.Helper()
	at := `document.querySelector("[name=` + name + `]")`
	p.Until(at)
	p.Run(`(() => { const e = `+at+`; e.focus(); e.value = `+fmt.Sprintf("%q", text)+`; e.dispatchEvent(new Event("input", { bubbles: true })) })()`, nil)
}

func signInAs(p *Page, email, password string) {
	p.t.Helper()
	fill(p, "email", email)
	fill(p, "password", password)
	p.Press("Enter")
	p.Until(`document.querySelector("#content") && !document.querySelector("form [name=email]")`)
}

// An assessment from its field to its PDF: what the records know is filled in, the forms say what is missing and what is
// wrong, two people lose nothing of each other's, and every figure of the report opens its steps.
func TestConsoleAssessesAField(t *testing.T) {
	server := rig.Start(t, rig.Options{Demo: true})
	for _, tt := range []struct {
		field, year string
		width       int
		dark        bool
	}{{"North pivot", "2024", 1280, false}, {"Border field", "2023", 375, true}} {
		t.Run(tt.field, func(t *testing.T) {
			p := console(t, server.URL, "/assessments", tt.width, tt.dark)
			click(p, "New assessment")
			p.Run(`(() => { const s = document.querySelector("select[name=field]"); s.value = [...s.options].find((o) => o.text === "`+tt.field+`").value; s.dispatchEvent(new Event("change", { bubbles: true })) })()`, nil)
			accessible(p, "new assessment")
			click(p, "Create")
			p.Until(`/\/assessment\/\d+\/general$/.test(location.pathname) && document.querySelector("form fieldset")`)
			accessible(p, "general")
			fits(p, server.URL, tt.width)
			click(p, "Fill in from the records")
			p.Until(`/^\d+ values were filled in/.test(document.querySelector("p[role=status].note")?.textContent)`)
			click(p, "Next gap")

			// What is wrong stands at its input.
			p.Until(`document.querySelector(".parts a[href$='/fuel_energy']")`)
			p.Run(`document.querySelector(".parts a[href$='/fuel_energy']").click()`, nil)
			click(p, "Add an entry")
			enter(p, "Carrier", "diesel")
			enter(p, "Amount", "-3")
			click(p, "Save")
			p.Until(`document.querySelector(".input [role=alert]")`)
			accessible(p, "refused")
			enter(p, "Amount", "900")
			click(p, "Save")
			p.Until(`document.querySelector("form [role=status]")?.textContent === "Saved"`)

			// Somebody else writes between reading and saving.
			enter(p, "Amount", "800")
			p.Run(`(async () => { const at = "/api/v1.2/ghg/assessments/" + location.pathname.match(/assessment\/(\d+)/)[1] + "/"; const json = { "Content-Type": "application/json" };
				const sent = [
					["PATCH", at, { growing_area: { value: 10, unit: "ha" }, average_temperature: { value: 12.5, unit: "celsius" }, climate_region: "warm_temperate_dry", farm_country: "spain", submitted_data_quality: "all_actual_data" }],
					["PUT", at + "sections/crop/", { crop_type: "winter_wheat", harvested_yield: { value: 5.2, unit: "t/ha" } }],
					["PUT", at + "sections/soil/", { soil_class: "high_activity_clay" }],
					["PUT", at + "sections/fertilizers/", [{ product: "urea", rate: { value: 200, unit: "kg/ha" } }]],
					["PUT", at + "sections/residues/", { management: [{ practice: "left_on_field", share_pct: 100 }] }],
					["PUT", at + "sections/crop_protection/", [{ category: "herbicide", applications: 2 }]],
					["PUT", at + "sections/land_management/", { tillage: "full", carbon_inputs: "medium", no_change_20y: true }],
					["PUT", at + "declarations/", Object.fromEntries(["organic_inputs", "seeds", "irrigation", "machinery", "transport", "land_use_change", "perennial_biomass"].map((s) => [s, "none"]))],
				];
				for (const [method, url, body] of sent) { const r = await fetch(url, { method, headers: json, body: JSON.stringify(body) }); if (!r.ok) throw new Error(url + await r.text()) } })()`, nil)
			click(p, "Save")
			click(p, "Save mine")
			p.Until(`document.querySelector("form [role=status]")?.textContent === "Saved"`)

			click(p, "Submit assessment")
			p.Until(`document.body.textContent.includes("Version 1 was submitted.")`)
			p.Run(`document.querySelector(".parts a[href$='/report']").click()`, nil)
			p.Until(`document.querySelector(".sources button")`)
			p.Run(`document.querySelector(".sources button").click()`, nil)
			p.Until(`document.querySelector(".trace li")`)
			accessible(p, "report")
			fits(p, server.URL, tt.width)
			var pdf string
			p.Run(`fetch([...document.querySelectorAll("a")].find((a) => a.textContent === "Report as PDF").href).then((r) => r.headers.get("Content-Type"))`, &pdf)
			require.Equal(t, "application/pdf", pdf)
			click(p, "Assessments")
			p.Until(`document.querySelector("tbody")?.textContent.includes("Submitted")`)
			accessible(p, "assessments")
			fits(p, server.URL, tt.width)

			p.Run(`(async () => { const at = "/api/v1.2/ghg/assessments/";
				const made = await fetch(at, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ resource_type: "field", resource_id: 3, assessment_year: `+tt.year+` }) });
				await fetch(at + (await made.json()).data.id + "/completeness/", { method: "POST" }) })()`, nil)
			p.Press("g")
			p.Press("d")
			p.Until(`document.querySelector(".balance")?.textContent.includes("t CO₂e")`)
			accessible(p, "dashboard")
			fits(p, server.URL, tt.width)
			p.Until(`document.querySelector(".issues button")`)
			p.Run(`document.querySelector(".issues button").click()`, nil)
			p.Until(`/\/assessment\/\d+\/\w+$/.test(location.pathname) && document.querySelector(".note li")`)
			for _, complaint := range p.Complaints() {
				require.Regexp(t, `status of 4(00|12)`, complaint, "refusals, which the browser logs")
			}
		})
	}
}

// enter writes into the input of a label.
func enter(p *Page, label, value string) {
	p.t.Helper()
	at := `document.getElementById([...document.querySelectorAll(".input label")].find((l) => l.firstChild.textContent.trim() === "` + label + `")?.htmlFor)`
	p.Until(at)
	p.Run(`(() => { const e = `+at+`; e.value = "`+value+`"; e.dispatchEvent(new Event(e.tagName === "SELECT" ? "change" : "input", { bubbles: true })) })()`, nil)
}

// Who belongs to the company, what opens it, what it tells others, and what has been done: each with its own tab.
func TestConsoleSettings(t *testing.T) {
	server := rig.Start(t, rig.Options{Demo: true})
	p := console(t, server.URL, "/settings/team", 375, false)
	p.Until(`document.querySelectorAll("tbody tr").length === 3`)
	fill(p, "invited", "new@demo.example")
	click(p, "Invite")
	p.Until(`document.querySelector(".once code")?.textContent.includes("/account/invitation")`)
	accessible(p, "team")
	fits(p, server.URL, 375)
	click(p, "Withdraw")
	click(p, "Withdraw: really")
	p.Until(`document.body.textContent.includes("Withdrawn")`)
	p.Run(`[...document.querySelectorAll("tr")].find((r) => r.textContent.includes("`+demo.ViewerMail+`")).querySelector("button").click()`, nil)
	click(p, "Keep out: really")
	p.Until(`[...document.querySelectorAll("tr")].find((r) => r.textContent.includes("` + demo.ViewerMail + `"))?.textContent.includes("Let in again")`)

	click(p, "API keys")
	p.Until(`document.body.textContent.includes("There are no API keys.")`)
	fill(p, "key", "Weekly table")
	click(p, "Create")
	p.Until(`document.querySelector(".once code")`)
	accessible(p, "keys")
	p.Run(`window.made = document.querySelector(".once code").textContent`, nil)
	const status = `fetch("/api/v1.2/field/", { headers: { "X-API-Key": window.made }, credentials: "omit" }).then((r) => r.status)`
	var before, after int
	p.Run(status, &before)
	click(p, "Revoke")
	click(p, "Revoke: really")
	p.Until(`document.body.textContent.includes("There are no API keys.")`)
	p.Run(status, &after)
	require.Equal(t, []int{200, 401}, []int{before, after})

	click(p, "Webhooks")
	p.Until(`document.body.textContent.includes("There are no webhooks.")`)
	fill(p, "url", "https://hooks.example/tilth")
	click(p, "Create")
	p.Until(`document.querySelector(".once code") && document.querySelector("tbody tr")`)
	click(p, "Deliveries")
	p.Until(`document.body.textContent.includes("Nothing was sent yet.")`)
	accessible(p, "webhooks")
	click(p, "Audit trail")
	p.Until(`document.querySelector("tbody")?.textContent.includes("Create webhook")`)
	accessible(p, "audit")
	fits(p, server.URL, 375)
	for _, complaint := range p.Complaints() {
		require.Contains(t, complaint, "status of 401", "the revoked key, which the browser logs")
	}
}
