package contract

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/tests/rig"
)

func TestFertilizationLife(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		c := s.Company("owner", 0)
		land := c.Land(rig.Square(500, 0), "2025-01-01", "2025-12-31") // about 25 ha
		cultivation := c.Make("cultivation/", map[string]any{"field_id": land.Field, "season_id": land.Season, "crop_id": land.Crop})
		full := map[string]any{
			"cultivation_id": cultivation, "applied_on": "2025-04-01", "product_name": "Liquid N 28", "product": "uan",
			"amount": map[string]any{"value": 20.0, "unit": "gal/acre"}, "density_kg_per_l": 1.28, "treated_area_ha": 25.0,
			"n_pct": 28.0, "p2o5_pct": 1.0, "k2o_pct": 2.0, "s_pct": 3.0, "cao_pct": 0.5, "mgo_pct": 0.25,
			"n_nitrate_share_pct": 25.0, "n_ammonium_share_pct": 25.0, "n_urea_share_pct": 50.0, "n_organic_share_pct": 0.0,
			"dry_matter_pct": 60.0, "nutrient_basis": "elemental", "inhibitor": "urease", "application_method": "broadcast",
			"incorporation_hours": 4.0, "notes": "before rain",
		}
		id := c.Make("fertilization/", full)
		got := c.Expect(200, "GET", path("fertilization", id), nil).Data(t)
		for name, value := range full {
			if name != "cultivation_id" {
				require.Equal(t, value, got[name], name)
			}
		}
		require.EqualValues(t, cultivation, got["cultivation_id"])
		require.EqualValues(t, cultivation, got["cultivation"].(map[string]any)["id"])
		require.Contains(t, got["cultivation"].(map[string]any)["name"], "Field, Season")
		mass := 20 * 3.785411784 / 0.40468564224 * 1.28
		require.InDelta(t, mass, got["mass_kg_per_ha"], 1e-3)
		require.InDelta(t, mass*.28, got["n_kg_per_ha"], 1e-3)
		require.InDelta(t, mass*.01*2.29134, got["p2o5_kg_per_ha"], 1e-3)
		require.InDelta(t, mass*.02*1.20461, got["k2o_kg_per_ha"], 1e-3)
		c.Expect(200, "PUT", path("fertilization", id), got)

		bare := c.Expect(200, "POST", "fertilization/", map[string]any{"cultivation_id": cultivation}).Data(t)
		for _, name := range []string{"amount", "mass_kg_per_ha", "n_kg_per_ha", "p2o5_kg_per_ha", "k2o_kg_per_ha", "applied_on", "product"} {
			require.Nil(t, bare[name], name)
		}
		require.Equal(t, "oxide", bare["nutrient_basis"])
		total := c.Expect(200, "POST", "fertilization/", `{"cultivation_id":`+itoa(cultivation)+`,"product":"urea","amount":{"value":5,"unit":"t"}}`).Data(t)
		require.InDelta(t, 200, total["mass_kg_per_ha"], 2, "over the field")
		require.InDelta(t, 92, total["n_kg_per_ha"], 1)

		for filter, want := range map[string]int{
			"cultivation=" + itoa(cultivation): 3, "cultivation=999999": 0, "field=" + itoa(land.Field): 3, "season=" + itoa(land.Season): 3,
			"crop=" + itoa(land.Crop): 3, "product=urea": 1, "search=LIQUID": 1, "search=solid": 0, "company=" + itoa(c.CompanyID): 3,
		} {
			require.EqualValues(t, want, c.Expect(200, "GET", "fertilization/?"+filter, nil).Data(t)["count"], filter)
		}
		require.EqualValues(t, 1, c.Expect(200, "GET", "fertilization/?ordering=-applied_on&page_size=1", nil).Data(t)["results"].([]any)[0].(map[string]any)["id"], "nulls last when descending")

		stranger := s.Company("owner", 0)
		stranger.Expect(404, "GET", path("fertilization", id), nil)
		stranger.Expect(404, "PATCH", path("fertilization", id), `{`)
		stranger.Expect(404, "DELETE", path("fertilization", id), nil)
		require.Contains(t, stranger.Expect(400, "POST", "fertilization/", full).Map(t)["details"], "cultivation_id")

		// Bulk is all or nothing; its status is 400.
		bulk := c.Expect(400, "POST", "fertilization/", []any{full, map[string]any{"cultivation_id": 999999}}).Map(t)
		require.Equal(t, "bulk_validation_failed", bulk["code"])
		require.Contains(t, bulk["details"].(map[string]any)["1"], "cultivation_id")
		require.EqualValues(t, 3, c.Expect(200, "GET", "fertilization/", nil).Data(t)["count"])

		// It is deleted with its cultivation, and does not count as one.
		c.Expect(204, "DELETE", path("cultivation", cultivation), nil)
		c.Expect(404, "GET", path("fertilization", id), nil)
		require.EqualValues(t, 0, c.Expect(200, "GET", "fertilization/", nil).Data(t)["count"])
	})
}

func TestBadFertilizationsAreRefused(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{})
	c := s.Company("owner", 0)
	land := c.Land(rig.Square(300, 0), "2025-01-01", "2025-12-31") // about 9 ha
	cultivation := itoa(int64(c.Expect(200, "GET", "cultivation/?field="+itoa(land.Field), nil).Data(t)["results"].([]any)[0].(map[string]any)["id"].(float64)))
	for name, bad := range map[string]struct{ members, field string }{
		"amount without unit":       {`"amount":{"value":100}`, "amount"},
		"amount without value":      {`"amount":{"unit":"kg/ha"}`, "amount"},
		"unknown unit":              {`"amount":{"value":1,"unit":"bushel"}`, "amount"},
		"amount of nothing":         {`"amount":{"value":0,"unit":"kg/ha"}`, "amount"},
		"volume without density":    {`"amount":{"value":30,"unit":"m3/ha"}`, "density_kg_per_l"},
		"nutrients over 100":        {`"n_pct":60,"p2o5_pct":50`, "n_pct"},
		"forms over 100":            {`"n_urea_share_pct":60,"n_organic_share_pct":50`, "n_urea_share_pct"},
		"unknown product":           {`"product":"gold"`, "product"},
		"area beyond the field":     {`"treated_area_ha":9.9`, "treated_area_ha"},
		"date that is no day":       {`"applied_on":"2025-02-30"`, "applied_on"},
		"amount beyond all numbers": {`"amount":{"value":1e400,"unit":"kg/ha"}`, "amount"},
		"percentage over 100":       {`"dry_matter_pct":100.5`, "dry_matter_pct"},
	} {
		a := c.Expect(400, "POST", "fertilization/", `{"cultivation_id":`+cultivation+`,`+bad.members+`}`).Map(t)
		require.Contains(t, a["details"], bad.field, name)
	}
	require.EqualValues(t, 0, c.Expect(200, "GET", "fertilization/", nil).Data(t)["count"])
	c.Expect(200, "POST", "fertilization/", `{"cultivation_id":`+cultivation+`,"treated_area_ha":9.3}`)
}
