package assessment_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/assessment"
	"tilth/core/fault"
)

func TestCheckNamesThePath(t *testing.T) {
	t.Parallel()
	tab := table(t)
	many := "[" + strings.Repeat("{},", 500) + "{}]"
	for name, c := range map[string]struct{ section, body, at, says string }{
		"unknown section":         {"waste_water", `{}`, "non_field_errors", `no section "waste_water"`},
		"a list for an object":    {"crop", `[]`, "non_field_errors", "An object"},
		"an object for a list":    {"fertilizers", `{}`, "non_field_errors", "A list"},
		"an item that is none":    {"fertilizers", `[{}, 5]`, "1.non_field_errors", "An object"},
		"too many items":          {"fertilizers", many, "non_field_errors", "At most 500 items; this has 501"},
		"an unknown word":         {"crop", `{"crop_type": "wheat"}`, "crop_type", "is not one of generic"},
		"a number for a word":     {"crop", `{"crop_type": 5}`, "crop_type", "Text is expected"},
		"text for a number":       {"soil", `{"ph": "7"}`, "ph", "A number is expected"},
		"a boolean for a number":  {"soil", `{"ph": true}`, "ph", "A number is expected"},
		"a bound":                 {"soil", `{"ph": 14.1}`, "ph", "from 0 to 14"},
		"a fraction of a cycle":   {"crop", `{"growing_cycles": 1.5}`, "growing_cycles", "whole number"},
		"a bare amount":           {"crop", `{"harvested_yield": 8}`, "harvested_yield", "value and unit"},
		"a unit of an amount":     {"fertilizers", `[{}, {}, {}, {"rate": {"value": 1, "unit": "kg"}}, {"rate": {"value": 1, "unit": "lbs"}}]`, "4.rate.unit", `"lbs" is not one of kg/ha`},
		"a value of an amount":    {"fertilizers", `[{"rate": {"value": "200", "unit": "kg/ha"}}]`, "0.rate.value", "A number"},
		"a negative amount":       {"fertilizers", `[{"rate": {"value": -1, "unit": "kg/ha"}}]`, "0.rate.value", "from 0"},
		"nothing treated":         {"fertilizers", `[{"applied_area_pct": 0}]`, "0.applied_area_pct", "above 0"},
		"a unit of no liquid":     {"fuel_energy", `[{"carrier": "electricity_grid", "amount": {"value": 5, "unit": "l"}}]`, "0.amount.unit", "does not measure electricity_grid; give one of kwh, mj"},
		"a nested list":           {"residues", `{"management": {}}`, "management", "A list"},
		"a nested item":           {"residues", `{"management": [{"practice": "removed"}, {"practice": "sold"}]}`, "management.1.practice", "is not one of"},
		"too many nested items":   {"land_management", `{"changes": [{}, {}, {}, {}, {}]}`, "changes", "At most 4"},
		"a date that is none":     {"crop", `{"planting_date": "2024-02-30"}`, "planting_date", "YYYY-MM-DD"},
		"a flag":                  {"irrigation", `[{"energy_counted_elsewhere": "yes"}]`, "0.energy_counted_elsewhere", "true or false"},
		"a long note":             {"soil", `{"notes": "` + strings.Repeat("é", 4001) + `"}`, "notes", "At most 4000 characters; this has 4001"},
		"a NUL":                   {"soil", `{"notes": "a\u0000b"}`, "notes", "U+0000"},
		"an id that is no number": {"transport", `[{"id": "7"}]`, "0.id", "whole number"},
		"an id below 1":           {"transport", `[{"id": 0}]`, "0.id", "above 0"},
		"an id twice":             {"transport", `[{"id": 7}, {"id": 8}, {"id": 7}]`, "2.id", "twice"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rows, wrong := tab.Check(c.section, tree(t, c.body))
			require.Nil(t, rows)
			var at any = wrong
			for _, step := range strings.Split(c.at, ".") {
				fields, ok := at.(fault.Fields)
				require.True(t, ok, "%v", wrong)
				require.Len(t, fields, 1, "nothing else is wrong")
				at = fields[step]
			}
			require.IsType(t, []string{}, at, "%v", wrong)
			require.Contains(t, at.([]string)[0], c.says)
		})
	}
}

func TestCheckKeepsWhatTheTableKnows(t *testing.T) {
	t.Parallel()
	tab := table(t)
	rows, wrong := tab.Check("fertilizers", tree(t, `[
		{"id": 12, "product": "urea", "rate": {"value": 0, "unit": "kg/ha", "per": "year"}, "created_at": "x", "unknown": {"a": [1]}, "method": null, "notes": ""},
		{"rate": {}}, {"rate": {"value": null, "unit": "kg"}}]`))
	require.Empty(t, wrong)
	require.Equal(t, []assessment.Row{
		{ID: 12, Values: assessment.Values{"product": "urea", "rate": map[string]any{"value": 0.0, "unit": "kg/ha"}}},
		{Values: assessment.Values{}},
		{Values: assessment.Values{"rate": map[string]any{"unit": "kg"}}},
	}, rows)

	rows, wrong = tab.Check("crop", tree(t, `{"id": 3, "crop_type": "maize", "is_perennial": true}`))
	require.Empty(t, wrong)
	require.Equal(t, []assessment.Row{{Values: assessment.Values{"crop_type": "maize"}}}, rows, "an object has no id, and what is derived is not written")
	require.Equal(t, assessment.Values{"is_perennial": false}, tab.Derived("crop", rows[0].Values))
	require.Equal(t, assessment.Values{"is_perennial": true}, tab.Derived("crop", assessment.Values{"crop_type": "orchard_fruit"}))
	require.Empty(t, tab.Derived("crop", nil))

	for _, nothing := range []string{`null`, `[]`} {
		rows, wrong = tab.Check("transport", tree(t, nothing))
		require.Empty(t, wrong)
		require.Empty(t, rows)
	}
}

func TestCheckTakesNumbersAsReadersKeepThem(t *testing.T) {
	t.Parallel()
	tab := table(t)
	for _, n := range []any{7.0, 7, int64(7), json.Number("7"), json.Number("7.0")} {
		rows, wrong := tab.Check("soil", map[string]any{"ph": n})
		require.Empty(t, wrong)
		require.Equal(t, assessment.Values{"ph": 7.0}, rows[0].Values)
	}
	for _, n := range []any{math.NaN(), math.Inf(1), math.Inf(-1), json.Number("1e999"), json.Number("x"), "7", true} {
		_, wrong := tab.Check("soil", map[string]any{"ph": n})
		require.Contains(t, wrong, "ph", n)
	}
}

func TestPatchMerges(t *testing.T) {
	t.Parallel()
	tab := table(t)
	rows, wrong := tab.Check("fertilizers", tree(t, `[{"id": 9, "product": "urea", "rate": {"value": 100, "unit": "kg/ha"}, "method": "broadcast"}]`))
	require.Empty(t, wrong)
	old := rows[0].Values
	row, wrong := tab.Patch("fertilizers", old, tree(t, `{"rate": {"value": 120}, "method": null, "date": "2024-04-01"}`))
	require.Empty(t, wrong)
	require.Equal(t, assessment.Values{"product": "urea", "rate": map[string]any{"value": 120.0, "unit": "kg/ha"}, "date": "2024-04-01"}, row.Values)
	require.Equal(t, map[string]any{"value": 100.0, "unit": "kg/ha"}, old["rate"], "what was there is not touched")

	_, wrong = tab.Patch("fertilizers", old, tree(t, `{"rate": {"unit": "lbs"}}`))
	require.Contains(t, wrong, "rate")
	_, wrong = tab.Patch("fertilizers", old, tree(t, `[]`))
	require.Contains(t, wrong, fault.NonField)
	row, wrong = tab.Patch("crop", nil, tree(t, `{"crop_type": "maize"}`))
	require.Empty(t, wrong)
	require.Equal(t, assessment.Values{"crop_type": "maize"}, row.Values)
}

func TestCheckGeneral(t *testing.T) {
	t.Parallel()
	year := 2024
	a := assessment.Assessment{
		ResourceType: assessment.OfFarm, ResourceID: 4, Year: &year, ClimateRegion: "Cool Temperate-Moist", FarmCountry: "Turkey",
		DataQuality: "all_actual_data", GrowingArea: map[string]any{"value": "ten", "unit": 5.0, "more": true},
	}
	require.Empty(t, a.CheckGeneral(), "what an area holds is not looked at before a submission")
	require.Equal(t, "cool_temperate_moist", a.ClimateRegion)
	require.Equal(t, "turkiye", a.FarmCountry)
	require.Empty(t, (&assessment.Assessment{ResourceType: assessment.OfField, ResourceID: 1}).CheckGeneral(), "a draft may be empty")

	year = 12024
	wrong := (&assessment.Assessment{ResourceType: "barn", Year: &year, ClimateRegion: "warm", FarmCountry: "atlantis", DataQuality: "good"}).CheckGeneral()
	for _, key := range []string{"resource_type", "resource_id", "assessment_year", "climate_region", "farm_country", "submitted_data_quality"} {
		require.Contains(t, wrong, key)
	}
}

func TestDeclarations(t *testing.T) {
	t.Parallel()
	tab := table(t)
	got, wrong := tab.CheckDeclarations(tree(t, `{"irrigation": "none", "transport": null}`), nil)
	require.Empty(t, wrong)
	require.Equal(t, assessment.Declarations{"irrigation": "none"}, got)

	sheet := assessment.Sheet{"transport": {{Values: assessment.Values{}}}}
	for body, at := range map[string]string{
		`{"transport": "none"}`: "transport", `{"crop": "none"}`: "crop", `{"rice": "none"}`: "rice", `{"irrigations": "none"}`: "irrigations",
		`{"irrigation": "some"}`: "irrigation", `{"irrigation": true}`: "irrigation", `["irrigation"]`: fault.NonField,
	} {
		_, wrong = tab.CheckDeclarations(tree(t, body), sheet)
		require.Len(t, wrong, 1, body)
		require.Contains(t, wrong, at, body)
	}
}

// FuzzCheck passes any JSON at all: it is accepted or refused, and what is accepted is accepted again in exactly that
// form.
func FuzzCheck(f *testing.F) {
	tab := table(f)
	f.Add("fertilizers", `[{"product": "urea", "rate": {"value": 1, "unit": "kg"}}]`)
	f.Add("residues", `{"management": [{"practice": "removed", "share_pct": 100}]}`)
	f.Fuzz(func(t *testing.T, section, body string) {
		var raw any
		if json.Unmarshal([]byte(body), &raw) != nil {
			return
		}
		rows, wrong := tab.Check(section, raw)
		if len(wrong) > 0 {
			require.Nil(t, rows)
			return
		}
		s, _ := tab.Section(section)
		again, wrong := tab.Check(section, back(s, rows))
		require.Empty(t, wrong)
		require.Len(t, again, len(rows))
		for i := range rows {
			require.Equal(t, rows[i].Values, again[i].Values)
		}
		tab.Complete(&assessment.Assessment{}, assessment.Sheet{section: rows}, today)
		tab.Normalise(&assessment.Assessment{}, assessment.Sheet{section: rows}, today)
	})
}
