package browser

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/tests/rig"
)

// An assessment from its field to its PDF: what the records know is filled in, the forms show what is missing and what is
// wrong, two people who edit at once lose none of each other's changes, and every figure of the report opens its steps.
func TestConsoleAssessesAField(t *testing.T) {
	further(t)
	server := serve(t, rig.Options{Demo: true})
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

			// An error is shown at its input.
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
