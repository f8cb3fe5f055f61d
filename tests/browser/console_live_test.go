package browser

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/app/demo"
	"tilth/tests/rig"
)

// Another client's changes appear without a reload, and one stream serves all screens of a tab until its user signs out.
func TestConsoleFollowsEvents(t *testing.T) {
	further(t)
	server := serve(t, rig.Options{Demo: true})
	other := server.Anonymous()
	pair := other.Expect(200, "POST", "auth/token/", map[string]any{"email": demo.OwnerMail, "password": demo.Password}).Data(t)
	other.Token = pair["access"].(string)
	field := func(id int) map[string]any {
		one := other.Expect(200, "GET", fmt.Sprintf("field/%d/", id), nil).Data(t)
		return map[string]any{"field_uuid": one["uuid"], "season_id": 1}
	}

	p := console(t, server.URL, "/farm/1/season/1/field/1", 1280, false)
	p.Until(`document.body.textContent.includes("Order profile")`) // no order is under way, so the page does not poll
	p.Run(`window.made = 0, window.ended = 0,
		(() => { const close = EventSource.prototype.close; EventSource.prototype.close = function () { window.ended++; close.call(this) } })(),
		window.EventSource = class extends EventSource { constructor(at) { super(at); window.made++ } }, 0`, nil)
	other.Expect(200, "POST", rig.OrdersPath, field(1))
	p.Until(`document.querySelector(".chart canvas") && document.querySelector(".value")`)
	other.Expect(200, "POST", "maps/vegetation-index-map/orders/", field(1))
	p.Until(`performance.getEntriesByType("resource").some((r) => r.name.includes("/tiles/"))`)

	click(p, "Farm map")
	p.Until(`document.querySelectorAll(".list li").length === 9`)
	other.Expect(200, "POST", rig.OrdersPath, field(2))
	p.Until(`/\d\.\d\d/.test([...document.querySelectorAll(".list li")].find((l) => l.textContent.includes("Border field")).textContent.replace("39.98", ""))`)

	click(p, "Dashboard")
	p.Until(`document.querySelector("h1")?.textContent === "Dashboard"`)
	made := other.Expect(201, "POST", "ghg/assessments/", map[string]any{
		"resource_type": "field", "resource_id": 1, "assessment_year": 2025,
		"growing_area": map[string]any{"value": 26, "unit": "ha"}, "average_temperature": map[string]any{"value": 12, "unit": "celsius"},
		"climate_region": "warm_temperate_dry", "farm_country": "spain", "submitted_data_quality": "all_actual_data",
		"crop": map[string]any{"crop_type": "maize", "harvested_yield": map[string]any{"value": 11, "unit": "t/ha"}},
		"soil": map[string]any{"soil_class": "high_activity_clay"}, "land_management": map[string]any{"tillage": "reduced", "carbon_inputs": "medium"},
		"residues":             map[string]any{"management": []any{map[string]any{"practice": "incorporated", "share_pct": 100}}},
		"fertilizers":          []any{map[string]any{"product": "urea", "rate": map[string]any{"value": 200, "unit": "kg/ha"}}},
		"fuel_energy":          []any{map[string]any{"carrier": "diesel", "amount": map[string]any{"value": 900, "unit": "l"}}},
		"section_declarations": map[string]any{"crop_protection": "none", "organic_inputs": "none", "irrigation": "none"},
	}).Data(t)
	other.Expect(200, "POST", fmt.Sprintf("ghg/assessments/%v/submit/", made["id"]), nil)
	p.Until(`document.body.textContent.includes("1 of 1 assessments submitted")`)

	var streams struct{ Made, Ended int }
	p.Run(`({ made: window.made, ended: window.ended })`, &streams)
	require.Zero(t, streams, "the first stream is the only one")
	click(p, "Settings")
	click(p, "Sign out")
	p.Until(`document.querySelector("form [name=email]") && window.ended === 1`)
	require.Empty(t, p.Complaints())
}
