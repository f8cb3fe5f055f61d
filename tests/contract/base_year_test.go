package contract

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/ghg"
	"tilth/ports"
	"tilth/tests/rig"
)

// TestBaseYear checks that a farm states its base year, that a report is compared with the version of that year, of the same
// land and crop, and that it reports whether the base year's own content results in other emissions today than it did then.
func TestBaseYear(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		c, stranger := s.Company("owner", 0), s.Company("owner", 0)
		body := wheatBody(t, c)
		farm := path("farm", body["resource_id"].(int64))
		wheat2024, _ := assess(t, c, body)
		at := assessmentAt(wheat2024) + "impact-report/base-year/"
		ask := func() map[string]any { return c.Expect(200, http.MethodGet, at, nil).Data(t) }

		stated := ask()
		require.Equal(t, "not_stated", stated["state"])
		require.Nil(t, stated["comparison"])
		stranger.Expect(404, http.MethodGet, at, nil)

		for _, wrong := range []map[string]any{{"year": 1900, "threshold_pct": 5}, {"year": 2021, "threshold_pct": 0}, {"threshold_pct": 5}} {
			require.Contains(t, string(c.Expect(400, http.MethodPatch, farm, map[string]any{"base_year": wrong}).Body), "base_year")
		}
		rule := map[string]any{"year": 2021.0, "threshold_pct": 3.0, "policy": "Recalculated at 3 % and at bought or sold land. Ł"}
		c.Expect(200, http.MethodPatch, farm, map[string]any{"base_year": rule})
		require.Equal(t, rule, c.Expect(200, http.MethodGet, farm, nil).Data(t)["base_year"])
		require.Equal(t, "no_version", ask()["state"])

		body["assessment_year"] = 2021
		body["fuel_energy"] = []any{map[string]any{"carrier": "diesel", "amount": map[string]any{"value": 1900, "unit": "l"}}}
		wheat2021, _ := assess(t, c, body)
		require.Equal(t, "no_version", ask()["state"], "nothing of that year is submitted")
		c.Expect(200, http.MethodPost, submitPath(wheat2021), nil)
		compared := ask()
		require.Equal(t, "compared", compared["state"])
		require.Equal(t, rule, compared["base_year"])
		require.InDelta(t, wheat2021, compared["assessment_id"], 0)
		comparison := compared["comparison"].(map[string]any)
		require.Equal(t, "live", comparison["to"].(map[string]any)["basis"], "nothing of 2024 is submitted")
		require.Negative(t, comparison["totals"].([]any)[0].(map[string]any)["difference"], "1,000 l less of diesel")
		again := compared["recalculation"].(map[string]any)
		require.Equal(t, []any{false, []any{}}, []any{again["due"], again["reasons"]})
		require.InDelta(t, 0, again["change_pct"], 1e-9)

		// Another factor set: the base year's content results in other emissions.
		require.NoError(t, s.Operating.ChooseEngine(t.Context(), c.CompanyID, ports.EngineChoice{FactorSet: ghg.IPCC2006}))
		c.Expect(200, http.MethodPost, submitPath(wheat2024), nil)
		later := ask()
		require.Equal(t, "submitted", later["comparison"].(map[string]any)["to"].(map[string]any)["basis"])
		again = later["recalculation"].(map[string]any)
		require.Equal(t, []any{"factors_changed", "warming_potentials_changed"}, again["reasons"])
		require.Equal(t, true, again["due"], "%v", again)
		require.NotEqual(t, again["submitted"], again["recalculated"])
		rule["threshold_pct"] = 100.0
		c.Expect(200, http.MethodPatch, farm, map[string]any{"base_year": rule})
		require.Equal(t, false, ask()["recalculation"].(map[string]any)["due"])

		c.Expect(200, http.MethodPatch, farm, map[string]any{"base_year": nil})
		require.Equal(t, "not_stated", ask()["state"])
	})
}
