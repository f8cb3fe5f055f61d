package contract

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/core/event"
	"tilth/tests/rig"
)

// wheatBody is the body for a farm of the company.
func wheatBody(t testing.TB, c *rig.Client) map[string]any {
	t.Helper()
	body := map[string]any{}
	require.NoError(t, json.Unmarshal([]byte(rig.Wheat), &body))
	body["resource_type"], body["resource_id"] = "farm", c.Make("farm/", map[string]any{"name": "Ферма Αγρός Étang"})
	return body
}

func submitPath(id int64) string { return assessmentAt(id) + "submit/" }
func reportPath(id int64) string { return assessmentAt(id) + "impact-report/" }

// kilograms returns the lines of a report in whole kg CO2e, by source and section.
func kilograms(report map[string]any) map[string][]int {
	out := map[string][]int{}
	for _, l := range report["by_source"].([]any) {
		line := l.(map[string]any)
		key := line["section"].(string) + " " + line["label"].(string)
		out[key] = append(out[key], int(math.Round(line["co2e"].(float64)*1000)))
	}
	return out
}

// viewsOf returns the sums of the parts of each view of a report.
func viewsOf(report map[string]any) map[string]float64 {
	out := map[string]float64{}
	for _, view := range []string{"land_sector", "flag", "iso_14067"} {
		for _, part := range report["views"].(map[string]any)[view].(map[string]any)["parts"].([]any) {
			out[view] += part.(map[string]any)["co2e"].(float64)
		}
	}
	return out
}

// The two worked examples, posted as printed: each line, the total, its range and its
// values per hectare and per tonne, to the kilogram.
func TestWorkedExamples(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{})
	c := s.Company("owner", 0)
	for name, example := range map[string]struct {
		body                              map[string]any
		lines                             map[string][]int
		total, low, high, perHa, perTonne int
	}{
		"wheat": {wheatBody(t, c), map[string][]int{
			"fertilizers soil_n2o_direct": {6315}, "fertilizers soil_n2o_volatilisation": {829}, "fertilizers soil_n2o_leaching": {1042},
			"residues crop_residues": {2302, 1013}, "fertilizers urea_co2": {1467}, "fertilizers fertilizer_production": {1762},
			"fuel_energy fuel_combustion": {2673}, "fuel_energy fuel_upstream": {562}, "crop_protection crop_protection": {615},
		}, 18579, 14497, 25183, 1858, 232},
		"rice": {riceBody(t, "farm", c.Make("farm/", map[string]any{"name": "Paddy"})), map[string][]int{
			"rice rice_methane": {15030}, "fertilizers soil_n2o_direct": {260}, "fertilizers soil_n2o_volatilisation": {182}, "fertilizers soil_n2o_leaching": {229},
			"organic_inputs soil_n2o_direct": {77}, "organic_inputs soil_n2o_volatilisation": {76}, "organic_inputs soil_n2o_leaching": {68},
			"residues crop_residues": {74, 65}, "fertilizers urea_co2": {323}, "fertilizers fertilizer_production": {608},
			"crop_protection crop_protection": {82}, "seeds seed_production": {43}, "irrigation irrigation_energy": {1082},
			"fuel_energy fuel_combustion": {267}, "fuel_energy fuel_upstream": {56},
		}, 18523, 11684, 29866, 9261, 1684},
	} {
		id, _ := assess(t, c, example.body)
		c.Expect(200, http.MethodPost, submitPath(id), nil)
		live := c.Expect(200, http.MethodGet, reportPath(id), nil).Data(t)
		submitted := c.Expect(200, http.MethodGet, reportPath(id)+"?basis=submitted", nil).Data(t)
		for basis, report := range map[string]map[string]any{"live": live, "submitted": submitted} {
			require.Equal(t, example.lines, kilograms(report), "%s, %s", name, basis)
			kg := func(of, member string) int {
				return int(math.Round(report[of].(map[string]any)[member].(float64) * 1000))
			}
			require.Equal(t, []int{example.total, example.low, example.high, example.perHa, example.perTonne, 0}, []int{
				kg("totals", "emissions"), kg("uncertainty", "low"), kg("uncertainty", "high"),
				kg("totals", "emissions_per_ha"), kg("totals", "emissions_per_t"), kg("totals", "removals"),
			}, "%s, %s", name, basis)
			for view, parts := range viewsOf(report) {
				require.InDelta(t, report["totals"].(map[string]any)["emissions"].(float64), parts, 1e-5, "%s, %s: the parts of %s add up", name, basis, view)
			}
		}
		require.Equal(t, live["input_digest"], submitted["input_digest"])
	}
}

// A submission is refused with codes and paths, stored once, and never changes.
func TestSubmissionLife(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{})
	c, stranger := s.Company("owner", 0), s.Company("owner", 0)
	body := wheatBody(t, c)
	body["growing_area"] = map[string]any{"value": "10", "unit": "ha"}
	delete(body, "land_management")
	id, _ := assess(t, c, body)

	refused := c.Expect(400, http.MethodPost, submitPath(id), nil).Map(t)
	require.Equal(t, "not_submittable", refused["code"])
	var found []string
	for _, v := range refused["details"].(map[string]any)["violations"].([]any) {
		violation := v.(map[string]any)
		require.NotEmpty(t, violation["message"])
		found = append(found, fmt.Sprint(violation["code"], " ", violation["path"]))
	}
	require.Equal(t, []string{"not_a_number growing_area.value", "section_empty land_management"}, found)
	require.Equal(t, "draft", c.Expect(200, http.MethodGet, assessmentAt(id), nil).Data(t)["status"])
	c.Expect(404, http.MethodGet, reportPath(id)+"?basis=submitted", nil)
	c.Expect(404, http.MethodGet, reportPath(id)+"compare/", nil)

	// The live report is computed all the same, and states what is missing.
	live := c.Expect(200, http.MethodGet, reportPath(id), nil).Data(t)
	require.Contains(t, fmt.Sprint(live["warnings"]), "land_management")
	require.Nil(t, live["totals"].(map[string]any)["emissions_per_ha"])
	c.Expect(200, http.MethodPatch, assessmentAt(id), map[string]any{"climate_region": nil})
	impossible := c.Expect(400, http.MethodGet, reportPath(id), nil).Map(t)
	require.Equal(t, "not_calculable", impossible["code"])
	require.Contains(t, fmt.Sprint(impossible["details"]), "climate_region")

	whole := wheatBody(t, c)
	c.Expect(200, http.MethodPatch, assessmentAt(id), map[string]any{
		"climate_region": whole["climate_region"], "growing_area": whole["growing_area"], "land_management": whole["land_management"],
	})
	first := c.Expect(200, http.MethodPost, submitPath(id), nil).Data(t)
	require.EqualValues(t, 1, first["version"])
	record := first["assessment"].(map[string]any)
	require.Equal(t, []any{"submitted", "done", 1.0, 100.0, false}, []any{
		record["status"], record["calculation_status"], record["submitted_version"], record["completeness_percentage"], record["has_unsubmitted_changes"],
	})
	again := c.Expect(200, http.MethodPost, submitPath(id), nil).Data(t)
	require.Equal(t, []any{true, 1.0, record["updated_at"]}, []any{again["unchanged"], again["version"], again["assessment"].(map[string]any)["updated_at"]})

	// What was submitted stays; the live report changes; content that is changed back is not a change.
	frozen := c.Expect(200, http.MethodGet, reportPath(id)+"?basis=submitted", nil).Data(t)
	soil := func(class string) bool {
		c.Expect(200, http.MethodPut, assessmentAt(id)+"sections/soil/", map[string]any{"soil_class": class})
		return c.Expect(200, http.MethodGet, assessmentAt(id), nil).Data(t)["has_unsubmitted_changes"].(bool)
	}
	require.True(t, soil("sandy"))
	require.False(t, soil("high_activity_clay"), "back to what was submitted")
	noted := func(body map[string]any) bool {
		return c.Expect(200, http.MethodPatch, assessmentAt(id), body).Data(t)["has_unsubmitted_changes"].(bool)
	}
	require.True(t, noted(map[string]any{"soil": map[string]any{"soil_class": "high_activity_clay", "notes": "spade test of 3 May"}}), "a note is content")
	require.False(t, noted(map[string]any{"soil": map[string]any{"soil_class": "high_activity_clay", "notes": nil}}))
	require.True(t, noted(map[string]any{"growing_area": map[string]any{"value": 100000, "unit": "m2"}}), "so is the unit")
	require.False(t, noted(map[string]any{"growing_area": whole["growing_area"]}))
	fertilizers := whole["fertilizers"].([]any)
	fertilizers[0].(map[string]any)["rate"] = map[string]any{"value": 100, "unit": "kg/ha"}
	c.Expect(200, http.MethodPatch, assessmentAt(id), map[string]any{"fertilizers": fertilizers})
	stale := c.Expect(200, http.MethodGet, reportPath(id)+"?basis=submitted", nil).Data(t)
	require.Equal(t, true, stale["stale"])
	stale["stale"] = false
	require.Equal(t, frozen, stale)

	half := -(6.315 + .829 + 1.042 + 1.467 + 1.762) / 2
	compared := c.Expect(200, http.MethodGet, reportPath(id)+"compare/", nil).Data(t)
	require.InDelta(t, half, compared["totals"].([]any)[0].(map[string]any)["difference"], 2e-3)
	require.EqualValues(t, 2, c.Expect(200, http.MethodPost, submitPath(id), nil).Data(t)["version"])
	compared = c.Expect(200, http.MethodGet, reportPath(id)+"compare/?from=2&to=1", nil).Data(t)
	require.InDelta(t, -half, compared["totals"].([]any)[0].(map[string]any)["difference"], 2e-3)
	for _, wrong := range []string{"compare/?from=x", "compare/?to=0", "?version=1", "?basis=submitted&version=0", "?format=xml", "?basis=all"} {
		c.Expect(400, http.MethodGet, reportPath(id)+wrong, nil)
	}
	c.Expect(404, http.MethodGet, reportPath(id)+"?basis=submitted&version=3", nil)

	list := c.Expect(200, http.MethodGet, assessmentAt(id)+"submissions/", nil).Map(t)["data"].([]any)
	require.Len(t, list, 2)
	require.EqualValues(t, 2, list[0].(map[string]any)["version"])
	one := c.Expect(200, http.MethodGet, assessmentAt(id)+"submissions/1/", nil).Data(t)
	require.Equal(t, "Ферма Αγρός Étang", one["subject"].(map[string]any)["resource"])
	require.Equal(t, []any{}, frozen["evidence"], "the list stands beside the report that was stored")
	delete(frozen, "evidence")
	frozen["stale"] = false
	require.Equal(t, frozen, one["report"])
	requireEntered(t, c, id, whole)
	c.Expect(404, http.MethodGet, assessmentAt(id)+"submissions/x/", nil)
	for _, below := range []string{"submissions/", "submissions/1/", "impact-report/", "impact-report/compare/"} {
		stranger.Expect(404, http.MethodGet, assessmentAt(id)+below, nil)
		stranger.Expect(404, http.MethodGet, assessmentAt(id)+below+"?share=true", nil)
	}

	// A grant shows reports, but cannot submit.
	grant := c.Make("share-grant/", map[string]any{"grantee_uuid": stranger.UUID(), "target": "all", "slugs": []string{"assessment.view", "farm.view"}})
	stranger.Expect(200, http.MethodPost, path("share-grant", grant)+"accept/", nil)
	for _, below := range []string{"submissions/", "submissions/1/", "impact-report/", "impact-report/compare/"} {
		stranger.Expect(200, http.MethodGet, assessmentAt(id)+below+"?share=true", nil)
	}
	stranger.Expect(404, http.MethodPost, submitPath(id)+"?share=true", nil)
	s.User(c.CompanyID, "viewer").Expect(403, http.MethodPost, submitPath(id), nil)

	// The event and the audit trail record it.
	feed := c.Expect(200, http.MethodGet, "audit/?resource=assessment&record="+itoa(id), nil)
	require.Contains(t, string(feed.Body), `"submit"`)
}

// A version is signed by people other than its submitter, once each, for good.
func TestSubmissionsAreSigned(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		c, stranger := s.Company("owner", 0), s.Company("owner", 0)
		second, viewer := s.User(c.CompanyID, "editor"), s.User(c.CompanyID, "viewer")
		id, _ := assess(t, c, wheatBody(t, c))
		sign, statement := assessmentAt(id)+"submissions/1/sign/", map[string]any{"statement": "Compared with the invoices. Ł"}
		second.Expect(404, http.MethodPost, sign, statement)
		c.Expect(200, http.MethodPost, submitPath(id), nil)
		require.Equal(t, "own_submission", c.Expect(409, http.MethodPost, sign, statement).Map(t)["code"])
		require.Contains(t, string(viewer.Expect(403, http.MethodPost, sign, statement).Body), "assessment.sign")
		stranger.Expect(404, http.MethodPost, sign, statement)
		second.Expect(404, http.MethodPost, assessmentAt(id)+"submissions/2/sign/", statement)
		second.Expect(404, http.MethodPost, assessmentAt(id)+"submissions/x/sign/", statement)
		for _, wrong := range []any{map[string]any{}, map[string]any{"statement": " "}, map[string]any{"statement": strings.Repeat("x", 1001)}} {
			require.Contains(t, string(second.Expect(400, http.MethodPost, sign, wrong).Body), "statement")
		}
		answers := make(chan rig.Answer, 4)
		for range cap(answers) {
			go func() { answers <- second.Do(http.MethodPost, sign, statement) }()
		}
		signed := 0
		for range cap(answers) {
			if a := <-answers; a.Status == 200 {
				signed++
			} else {
				require.Equal(t, "already_signed", a.Map(t)["code"])
			}
		}
		require.Equal(t, 1, signed)
		one := c.Expect(200, http.MethodGet, assessmentAt(id)+"submissions/1/", nil).Data(t)
		signature := one["signatures"].([]any)[0].(map[string]any)
		require.Equal(t, statement["statement"], signature["statement"])
		engine, factors := one["engine"].(map[string]any), one["factor_set"].(map[string]any)
		parts := fmt.Sprint(one["input_digest"], "\n", one["entered_digest"], "\n", engine["id"], "\n", engine["version"], "\n",
			factors["id"], "\n", factors["version"], "\n", factors["digest"], "\n", one["gwp_set"], "\n", one["report_digest"], "\n", one["evidence_digest"])
		require.Equal(t, fmt.Sprintf("%x", sha256.Sum256([]byte(parts))), signature["digest"])
		require.Equal(t, []any{
			"input_digest", "entered_digest", "engine.id", "engine.version", "factor_set.id", "factor_set.version", "factor_set.digest", "gwp_set", "report_digest", "evidence_digest",
		}, signature["covers"])
		var stored struct{ Report json.RawMessage }
		c.Expect(200, http.MethodGet, assessmentAt(id)+"submissions/1/", nil).Into(t, &stored)
		require.Equal(t, fmt.Sprintf("%x", sha256.Sum256(stored.Report)), one["report_digest"], "the report is there to the byte")
		list := c.Expect(200, http.MethodGet, assessmentAt(id)+"submissions/", nil).Map(t)["data"].([]any)
		require.Equal(t, one["signatures"], list[0].(map[string]any)["signatures"])
		report := c.Expect(200, http.MethodGet, reportPath(id)+"?basis=submitted&format=csv", nil)
		require.Contains(t, string(report.Body), "Compared with the invoices. Ł")
		trail := c.Expect(200, http.MethodGet, "audit/?resource=assessment&record="+itoa(id), nil)
		require.Contains(t, string(trail.Body), `"sign"`)
		told, ok := listen(t, s.URL, c.Token, "", "?last_event_id=0&type="+event.TypeAssessmentSigned).next()
		require.True(t, ok)
		require.Contains(t, told.data, signature["digest"])
	})
}

// requireEntered requires that the first version shows what was entered, unchanged, under its digest.
func requireEntered(t *testing.T, c *rig.Client, id int64, body map[string]any) {
	t.Helper()
	answer := struct {
		EnteredDigest string `json:"entered_digest"`
		Entered       json.RawMessage
		Completeness  struct {
			Percentage float64 `json:"completeness_percentage"`
			Sections   map[string]struct{ Status string }
		}
	}{}
	c.Expect(200, http.MethodGet, assessmentAt(id)+"submissions/1/", nil).Into(t, &answer)
	require.Equal(t, fmt.Sprintf("%x", sha256.Sum256(answer.Entered)), answer.EnteredDigest)
	require.InDelta(t, 100, answer.Completeness.Percentage, 0)
	require.Equal(t, "complete", answer.Completeness.Sections["soil"].Status)
	var entered map[string]map[string]any
	require.NoError(t, json.Unmarshal(answer.Entered, &entered))
	require.Equal(t, body["growing_area"], entered["general"]["growing_area"])
	require.Equal(t, body["crop_protection"], entered["sections"]["crop_protection"])
	require.Equal(t, body["section_declarations"], any(entered["section_declarations"]))
}

// Many concurrent submissions leave one version, on both databases.
func TestConcurrentSubmissions(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		c := s.Company("owner", 0)
		id, _ := assess(t, c, wheatBody(t, c))
		var group sync.WaitGroup
		var stored sync.Map
		for i := range 8 {
			group.Go(func() {
				a := c.Do(http.MethodPost, submitPath(id), nil)
				if a.Status == 200 {
					stored.Store(i, a.Map(t)["data"].(map[string]any)["unchanged"])
				}
			})
		}
		group.Wait()
		fresh := 0
		for i := range 8 {
			unchanged, ok := stored.Load(i)
			require.True(t, ok, "each is answered")
			if unchanged == false {
				fresh++
			}
		}
		require.Equal(t, 1, fresh)
		require.Len(t, c.Expect(200, http.MethodGet, assessmentAt(id)+"submissions/", nil).Map(t)["data"], 1)
	})
}

// TestSubmissionIsVerified checks that a submission triggers the check of the declared crop.
func TestSubmissionIsVerified(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		c := rig.Start(t, rig.Options{Database: database}).Company("owner", 0)
		id, _ := assess(t, c, wheatBody(t, c))
		c.Expect(200, http.MethodPost, submitPath(id), nil)
		rig.Eventually(t, func() bool {
			return c.Expect(200, http.MethodGet, assessmentAt(id)+"verification/", nil).Data(t)["reason"] == "no_field"
		}, 10*time.Minute, 20*time.Millisecond, "the check ends: the farm has no field")
	})
}
