package contract

import (
	"math"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/tests/rig"
)

// A hedge of 1,000 ha on a farm of 10 ha is reported while it is entered, and refused by a submission and by the live
// report, each time with its place; a hedge that fits is counted.
func TestRemovalsBeyondTheLandAreRefused(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		c := s.Company("owner", 0)
		id, _ := assess(t, c, wheatBody(t, c))
		at := assessmentAt(id)
		hedge := func(members map[string]any) map[string]any {
			out := map[string]any{"system": "hedgerow", "planting_year": 2015, "growth": 5.0}
			for k, v := range members {
				out[k] = v
			}
			return map[string]any{"perennial_biomass": []any{out}}
		}
		c.Expect(200, "PATCH", at, hedge(map[string]any{"area": map[string]any{"value": 1000, "unit": "ha"}}))
		state := completed(t, c, id)
		require.Equal(t, false, state["is_ready_for_submission"])
		require.Equal(t, "in_progress", state["sections"].(map[string]any)["perennial_biomass"].(map[string]any)["status"])
		require.Equal(t, []any{"stands_exceed_land"}, violationCodes(t, c.Expect(400, "POST", submitPath(id), nil)))
		require.Equal(t, []any{"stands_exceed_land"}, violationCodes(t, c.Expect(400, "GET", reportPath(id), nil)))

		c.Expect(200, "PATCH", at, hedge(map[string]any{"length": map[string]any{"value": 400, "unit": "m"}, "width_m": 2.5}))
		c.Expect(200, "POST", submitPath(id), nil)
		report := c.Expect(200, "GET", reportPath(id)+"?basis=submitted", nil).Data(t)
		require.InDelta(t, 0.1*5*44/12, report["totals"].(map[string]any)["removals"], 1e-6)

		c.Expect(200, "PATCH", at, hedge(map[string]any{"area": map[string]any{"value": 1, "unit": "ha"}, "growth": 9}))
		require.Equal(t, []any{"growth_implausible"}, violationCodes(t, c.Expect(400, "POST", submitPath(id), nil)))
		c.Expect(200, "PATCH", at, hedge(map[string]any{"area": map[string]any{"value": 1, "unit": "ha"}, "growth": 9, "evidence": "Measured in 2023."}))
		c.Expect(200, "POST", submitPath(id), nil)
		report = c.Expect(200, "GET", reportPath(id)+"?basis=submitted", nil).Data(t)
		require.Contains(t, warningCodes(report), "growth_beyond_plausible")
	})
}

func violationCodes(t testing.TB, a rig.Answer) []any {
	var out []any
	for _, v := range a.Map(t)["details"].(map[string]any)["violations"].([]any) {
		out = append(out, v.(map[string]any)["code"])
	}
	return out
}

func warningCodes(report map[string]any) []any {
	var out []any
	for _, w := range report["warnings"].([]any) {
		out = append(out, w.(map[string]any)["code"])
	}
	return out
}

// PATCH of the record merges objects and replaces lists, as PATCH of a section does; PUT replaces both.
func TestPatchOfTheRecordMergesObjects(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{})
	c := s.Company("owner", 0)
	id, _ := assess(t, c, wheatBody(t, c))
	at := assessmentAt(id)
	got := c.Expect(200, "PATCH", at, map[string]any{"soil": map[string]any{"ph": 6.5, "texture": "fine"}}).Data(t)
	require.Equal(t, map[string]any{"soil_class": "high_activity_clay", "ph": 6.5, "texture": "fine"}, got["soil"])
	got = c.Expect(200, "PATCH", at, map[string]any{"soil": map[string]any{"texture": nil}, "crop": map[string]any{"harvested_yield": map[string]any{"value": 9}}}).Data(t)
	require.Equal(t, map[string]any{"soil_class": "high_activity_clay", "ph": 6.5}, got["soil"])
	require.Equal(t, map[string]any{"value": 9.0, "unit": "t/ha"}, got["crop"].(map[string]any)["harvested_yield"])
	got = c.Expect(200, "PATCH", at, map[string]any{"fertilizers": []any{map[string]any{"product": "can"}}}).Data(t)
	require.Len(t, got["fertilizers"], 1)
	require.NotContains(t, got["fertilizers"].([]any)[0], "rate", "a list is replaced")
	c.Expect(400, "PATCH", at, map[string]any{"soil": map[string]any{"ph": 99}})
	got = c.Expect(200, "PATCH", at, map[string]any{"soil": nil}).Data(t)
	require.Empty(t, got["soil"])
	c.Expect(200, "PATCH", at, map[string]any{"soil": map[string]any{"ph": 6.5, "soil_class": "sandy"}})
	got = c.Expect(200, "PUT", at+"sections/soil/", map[string]any{"ph": 6}).Data(t)
	require.Equal(t, map[string]any{"ph": 6.0}, got)
}

// A volume of a solid is converted to a mass with the density of its type, and refused where none is known.
func TestVolumesOfSolidsAreWeighed(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{})
	c := s.Company("owner", 0)
	id, _ := assess(t, c, wheatBody(t, c))
	put := func(kind string) {
		c.Expect(200, "PUT", assessmentAt(id)+"sections/organic_inputs/", []any{map[string]any{
			"type": kind, "rate": map[string]any{"value": 10, "unit": "m3/ha"}, "n_pct": 0.6,
		}})
	}
	put("straw")
	report := c.Expect(200, "GET", reportPath(id), nil).Data(t)
	found := false
	for _, entry := range report["trace"].([]any) {
		if step := entry.(map[string]any); step["step"] == "mass_of_volume" {
			found = true
			require.Equal(t, 770.0, math.Round(step["result"].(float64)))
			require.Equal(t, "organic.density.straw", step["factors"].([]any)[0].(map[string]any)["key"])
		}
	}
	require.True(t, found)
	put("sewage_sludge")
	refused := c.Expect(400, "POST", submitPath(id), nil)
	require.Equal(t, "organic_inputs[0].density_kg_l", refused.Map(t)["details"].(map[string]any)["violations"].([]any)[0].(map[string]any)["path"])
}

// A misspelt member is named with its path and what was probably meant, and nothing is stored; a response can be sent
// back. A client may choose that unknown members are ignored, and is told which they are.
func TestUnknownMembersOfAnAssessmentAreNamed(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{})
	c := s.Company("owner", 0)
	body := wheatBody(t, c)
	body["fertilzers"] = body["fertilizers"]
	refused := c.Expect(400, "POST", assessmentsPath, body).Map(t)
	require.Equal(t, "unknown_name", refused["code"])
	require.Contains(t, refused["details"].(map[string]any)["fertilzers"].([]any)[0], `did you mean "fertilizers"?`)
	delete(body, "fertilzers")
	id, made := assess(t, c, body)
	at := assessmentAt(id)
	c.Expect(200, "PUT", at, made)

	refused = c.Expect(400, "PATCH", at, map[string]any{
		"soil":        map[string]any{"Ph": 6},
		"fertilizers": []any{map[string]any{"product": "urea", "rate": map[string]any{"vaule": 5, "unit": "kg/ha"}}},
		"residues":    map[string]any{"management": []any{map[string]any{"practise": "removed"}}},
	}).Map(t)
	require.Equal(t, "unknown_name", refused["code"])
	details := refused["details"].(map[string]any)
	require.Contains(t, details["soil"].(map[string]any)["Ph"].([]any)[0], `"ph"`)
	require.Contains(t, details["fertilizers"].(map[string]any)["0"].(map[string]any)["rate"].(map[string]any)["vaule"].([]any)[0], `"value"`)
	require.Contains(t, details["residues"].(map[string]any)["management"].(map[string]any)["0"].(map[string]any)["practise"].([]any)[0], `"practice"`)

	// It is reported together with other faults.
	refused = c.Expect(400, "PATCH", at+"sections/soil/", map[string]any{"Ph": 6, "sand_pct": 101}).Map(t)
	require.Equal(t, "unknown_name", refused["code"])
	require.Len(t, refused["details"], 2)
	require.Equal(t, "unknown_name", c.Expect(400, "POST", at+"sections/fertilizers/items/", map[string]any{"prodct": "urea"}).Map(t)["code"])

	req, err := http.NewRequestWithContext(t.Context(), "PATCH", s.URL+"/api/v1.2/"+at, strings.NewReader(`{"colour": "red", "soil": {"Ph": 6, "ph": 7}}`))
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+c.Token)
	req.Header.Set("Prefer", "respond-async, handling=lenient")
	res, err := http.DefaultTransport.RoundTrip(req)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	require.Equal(t, 200, res.StatusCode)
	require.Equal(t, "colour, soil.Ph", res.Header.Get("Tilth-Ignored"))
	require.InDelta(t, 7, c.Expect(200, "GET", at, nil).Data(t)["soil"].(map[string]any)["ph"], 0)
}
