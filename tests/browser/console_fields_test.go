package browser

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/tests/rig"
)

// The first profile, using only the pages: the price, the order, the line, the pictures, date by date.
func TestConsoleFromSignInToPictures(t *testing.T) {
	for _, tt := range []struct {
		name  string
		width int
		dark  bool
	}{{"desk", 1280, false}, {"phone, dark", 375, true}} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.dark {
				further(t)
			}
			server := serve(t, rig.Options{Demo: true})
			p := console(t, server.URL, "/?colour=crop", tt.width, tt.dark)
			p.Until(`location.search === "?colour=crop"`) // the page that the user wanted
			p.Until(drawn)
			p.Until(`document.querySelectorAll(".list li").length === 9`)
			accessible(p, "farm map")
			fits(p, server.URL, tt.width)

			p.Run(`(() => { const s = document.querySelector("select[aria-label=Crop]"); s.value = s.options[1].value; s.dispatchEvent(new Event("change", { bubbles: true })) })()`, nil)
			p.Until(`location.search.includes("crop=") && document.querySelectorAll(".list li").length < 9 && document.querySelectorAll(".list li").length > 0`)
			p.Run(`(() => { const s = document.querySelector("select[aria-label=Crop]"); s.value = ""; s.dispatchEvent(new Event("change", { bubbles: true })) })()`, nil)
			p.Until(`document.querySelectorAll(".list li").length === 9`)
			click(p, "Assessment")
			p.Until(`document.querySelector(".legend")?.textContent.includes("Half or more is entered")`)
			accessible(p, "farm map by assessments")

			click(p, "Latest index")
			click(p, "Price of 9 profiles")
			p.Until(`[...document.querySelectorAll("button.first")].some((b) => /^Order 9 profiles for [\d.]+ credits$/.test(b.textContent.trim()))`)
			p.Run(`document.querySelector("button.first").click()`, nil)
			p.Until(`document.body.textContent.includes("9 ordered, 0 refused")`)
			click(p, "Unusual")
			p.Until(`document.querySelector(".note")?.textContent.includes("a field here has 0 at most") && document.querySelector(".legend").textContent.includes("As usual: −1 to +1")`)
			accessible(p, "farm map by how unusual")
			fits(p, server.URL, tt.width)
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

			click(p, "Other seasons")
			p.Until(`document.body.textContent.includes("too little to compare with")`)
			click(p, "Crops, fertilizations, outlines")
			p.Until(`document.body.textContent.includes("Outlines since")`)
			accessible(p, "field compared")
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

// From an empty installation to the first profile: company and owner, farm, season, a file of outlines that is
// previewed, its import, which can be undone, and the order.
func TestConsoleFromNothingToTheFirstProfile(t *testing.T) {
	server := serve(t, rig.Options{})
	token, err := server.Setup.Token(t.Context())
	require.NoError(t, err)
	var features []any
	for i, parcel := range rig.Archive(t).Parcels[:3] {
		features = append(features, map[string]any{"type": "Feature", "geometry": rig.GeoJSON(t, parcel.Boundary), "properties": map[string]any{"PARCEL+NO": fmt.Sprintf("Parcel %d", i+1), "name": ""}})
	}
	features = append(features, map[string]any{"type": "Feature", "properties": map[string]any{"PARCEL+NO": "Broken"}, "geometry": map[string]any{
		"type": "Polygon", "coordinates": [][][]float64{{{0, 0}, {0, 1}, {1, 0}, {1, 1}, {0, 0}}}}})
	file, err := json.Marshal(map[string]any{"type": "FeatureCollection", "features": features})
	require.NoError(t, err)
	quoted, err := json.Marshal(string(file))
	require.NoError(t, err)

	p := Open(t)
	p.Screen(375, 812, true, false)
	p.Goto(server.URL)
	p.Until(`location.pathname === "/setup" && document.querySelector("[name=token]")`) // an empty installation asks for its token
	accessible(p, "setup without its token")
	p.Goto("about:blank")
	p.Goto(server.URL + "/setup#" + token)
	p.Until(`document.querySelector("[name=company]") && !document.querySelector("[name=token]")`)
	fits(p, server.URL, 375)
	fill(p, "company", "New company")
	fill(p, "email", "first@new.example")
	fill(p, "password", "long enough to sign in")
	click(p, "Create company and owner")
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
	p.Run(`(() => { const s = [...document.querySelectorAll("select")].find((s) => s.parentElement.textContent.includes("Name from")); s.value = "PARCEL+NO"; s.dispatchEvent(new Event("change", { bubbles: true })) })()`, nil)
	p.Until(`document.querySelector("tbody td").textContent.trim() === "Parcel 1"`)
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
	fill(p, "crop", "Winter wheat")
	accessible(p, "first steps")
	fits(p, server.URL, 375)
	click(p, "Set on 3 fields")
	p.Until(`document.querySelector(".list").textContent.includes("Winter wheat")`)
	click(p, "Price of 3 profiles")
	p.Until(`document.querySelector("button.first")?.textContent.includes("credits")`)
	p.Run(`document.querySelector("button.first").click()`, nil)
	p.Until(`[...document.querySelectorAll(".list .figure")].filter((f) => /^0\.\d\d$/.test(f.textContent)).length === 3`)
	drawn375(p, server.URL)
	require.Len(t, p.Complaints(), 1, "the farm in a country that is not known, which the browser logs: %v", p.Complaints())
}

// drawn375 draws a field on the map, types another, and splits one; it undoes each of these.
func drawn375(p *Page, root string) {
	p.t.Helper()
	p.Goto(root + "/farm/1/season/1/draw")
	p.Until(`document.querySelector(".maplibregl-canvas") && performance.getEntriesByType("resource").some((r) => r.name.includes("terra-draw"))`)
	corners := [][2]int{{90, 70}, {150, 70}, {150, 110}, {90, 110}, {90, 70}}
	p.Until(`document.querySelector("[name=coordinates]")`)
	p.Until(`(document.querySelector("[name=coordinates]").closest("details").open = true)`)
	closed := `/"type":"Polygon"/.test(document.querySelector("[name=coordinates]").value)`
	rig.Eventually(p.t, func() bool { // until the drawing has begun, clicks go to the map
		for _, at := range corners {
			p.Drag(at[0], at[1], at[0], at[1])
		}
		var is bool
		p.Run(closed, &is)
		return is
	}, patience, 50*time.Millisecond)
	accessible(p, "draw")
	fits(p, root, 375)
	fill(p, "field", "Drawn by hand")
	click(p, "Create the field")
	p.Until(`document.body.textContent.includes("Drawn by hand is a field now.")`)
	click(p, "Undo")
	p.Until(`document.querySelector("[name=coordinates]")`)

	p.Run(`document.querySelector("[name=coordinates]").closest("details").open = true`, nil)
	fill(p, "coordinates", "POLYGON ((-4.3 41.7, -4.29 41.71, -4.29 41.7, -4.3 41.71, -4.3 41.7))")
	click(p, "Show on the map")
	p.Until(`document.querySelector("form [role=alert]")`) // it crosses itself
	fill(p, "coordinates", "POLYGON ((-4.3 41.7, -4.29 41.7, -4.29 41.71, -4.3 41.71, -4.3 41.7))")
	click(p, "Show on the map")
	p.Until(`document.querySelector(".size")?.textContent.startsWith("92.")`)
	click(p, "Start over")
	p.Until(`!document.querySelector(".size")`)
	click(p, "Undo") // undoes "Start over", too
	p.Until(`document.querySelector(".size")?.textContent.startsWith("92.")`)
	click(p, "Redo")
	p.Until(`!document.querySelector(".size")`)
	click(p, "Undo")
	p.Until(`document.querySelector(".size")?.textContent.startsWith("92.")`)
	fill(p, "field", "Typed")
	click(p, "Create the field")
	p.Until(`document.body.textContent.includes("Typed is a field now.")`)
	click(p, "Open the field")
	click(p, "Split the field")
	p.Until(`location.search.endsWith("as=split") && document.querySelector("[name=coordinates]")`)
	p.Run(`document.querySelector("[name=coordinates]").closest("details").open = true`, nil)
	fill(p, "coordinates", "LINESTRING (-4.295 41.69, -4.295 41.72)")
	click(p, "Show on the map")
	p.Until(`document.querySelector("[name=piece1]") && document.body.textContent.includes("It would become 2 fields")`) // before the click
	accessible(p, "preview of a split")
	fits(p, root, 375)
	fill(p, "piece0", "Typed west")
	click(p, "Split")
	p.Until(`document.body.textContent.includes("The field is split: Typed west, Typed 2.")`)
	click(p, "Undo")
	p.Until(`document.querySelector("h1")?.textContent === "Split the field: Typed"`)
	accessible(p, "split")
	outline(p, root)
}

// fieldNamed returns the id of the field with that name.
func fieldNamed(p *Page, name string) (id int64) {
	p.t.Helper()
	p.Run(fmt.Sprintf(`fetch("/api/v1.2/field/?page=all").then((r) => r.json()).then((a) => a.data.results.find((f) => f.name === %q).id)`, name), &id)
	return id
}

// outline drags a corner of a field, saves its outline, finds both outlines in the history of the field, and returns to the first.
func outline(p *Page, root string) {
	p.t.Helper()
	p.Goto(fmt.Sprintf("%s/farm/1/season/1/draw?field=%d", root, fieldNamed(p, "Typed")))
	p.Until(`document.querySelector(".size")?.textContent.startsWith("92.")`)
	// The position of its north-west corner on the screen: the map shows it as large as fits beside the panel.
	var at struct{ X, Y float64 }
	p.Run(`(() => {
		const r = document.querySelector(".view").getBoundingClientRect(), [low, pad] = [r.height * 0.46 + 32, 32];
		const y = (lat) => (180 / Math.PI) * Math.asinh(Math.tan((lat * Math.PI) / 180)), tall = y(41.71) - y(41.7);
		const scale = Math.min((r.width - 2 * pad) / 0.01, (r.height - low - 72) / tall);
		return { x: r.left + r.width / 2 - 0.005 * scale, y: r.top + 72 + (r.height - low - 72) / 2 - (tall / 2) * scale };
	})()`, &at)
	x, y := int(at.X+0.5), int(at.Y+0.5)
	rig.Eventually(p.t, func() bool {
		p.Drag(x, y, x-25, y)
		var is bool
		p.Run(`!document.querySelector(".size").textContent.startsWith("92.")`, &is)
		return is
	}, patience, 50*time.Millisecond)
	p.Until(`[...document.querySelectorAll("button")].some((b) => b.textContent === "Save the outline" && !b.disabled)`)
	accessible(p, "changed outline")
	click(p, "Save the outline")
	p.Until(`document.body.textContent.includes("The outline has been changed.")`)
	click(p, "Undo")
	p.Until(`document.querySelector(".size")?.textContent.startsWith("92.")`)
	p.Drag(x, y, x-25, y)
	p.Until(`!document.querySelector(".size").textContent.startsWith("92.")`)
	click(p, "Save the outline")
	click(p, "Open the field")
	click(p, "Crops, fertilizations, outlines")
	p.Until(`[...document.querySelectorAll("button")].filter((b) => b.textContent === "Restore this outline").length === 4`) // the split and its undoing made one, too
	var areas []string
	p.Run(`[...document.querySelectorAll("details dd")].map((d) => d.firstChild.textContent.trim()).filter((a) => / ha/.test(a))`, &areas)
	require.Len(p.t, areas, 5)
	require.NotContains(p.t, areas[0], "92.")
	require.Contains(p.t, areas[1], "92.")
	accessible(p, "history")
	click(p, "Restore this outline")
	p.Until(`[...document.querySelectorAll(".panel p")].some((e) => e.textContent.includes("92."))`)
}

// Two fields become one: chosen by name, previewed, merged, and the merge is undone.
func TestConsoleMergesFields(t *testing.T) {
	further(t)
	server := serve(t, rig.Options{Demo: true})
	p := console(t, server.URL, "/", 1280, true)
	p.Until(drawn)
	id := fieldNamed(p, "North pivot")
	p.Goto(fmt.Sprintf("%s/farm/1/season/1/field/%d", server.URL, id))
	click(p, "Merge fields")
	p.Until(`location.search.includes("as=merge") && document.querySelectorAll("fieldset input").length === 8`)
	accessible(p, "nothing to merge with yet")
	p.Run(`document.querySelectorAll("fieldset input")[0].click()`, nil)
	p.Until(`document.querySelector("[name=mixed]")`) // they grew different crops
	p.Run(`document.querySelector("[name=mixed]").click()`, nil)
	p.Until(`/ ha$/.test(document.querySelector(".size")?.textContent)`)
	accessible(p, "preview of a merge")
	fits(p, server.URL, 1280)
	fill(p, "field", "Both")
	click(p, "Merge 2 fields")
	p.Until(`document.body.textContent.includes("The fields are now one: Both.")`)
	click(p, "Undo")
	p.Until(`document.querySelectorAll("fieldset input").length === 8`)
	require.Equal(t, id, fieldNamed(p, "North pivot"))
	for _, complaint := range p.Complaints() {
		require.Contains(t, complaint, "status of 409", "the crops that differ, which the browser logs")
	}
}
