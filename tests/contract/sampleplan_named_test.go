package contract

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/access"
	"tilth/tests/rig"
)

// TestNamingASamplePlanNeedsTheSamples checks that a user who may not view samples cannot get at their figures with an assessment
// that names their plan, in any way of writing one. What another person named stays, and the rest of that assessment can be written.
func TestNamingASamplePlanNeedsTheSamples(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database, Batches: rig.SmallBatches})
		owner := s.Company(access.RoleOwner, 0)
		owner.Expect(200, http.MethodPost, "role/", map[string]any{"name": "clerk", "slugs": []string{"assessment.*", "farm.*", "field.*"}})
		clerk := s.User(owner.CompanyID, "clerk")
		body := wheatBody(t, owner)
		named := func(round int) map[string]any {
			return map[string]any{"soil_class": "sandy", "sample_plan": "11111111-2222-4333-8444-555555555555", "sample_round": round}
		}
		plain, _ := assess(t, clerk, body)
		body["soil"] = named(2)
		theirs, _ := assess(t, owner, body)

		refused := func(method, path string, sent any) {
			t.Helper()
			answer := clerk.Expect(403, method, path, sent)
			require.Contains(t, string(answer.Body), `"sample.view"`)
		}
		refused(http.MethodPost, assessmentsPath, body)
		for _, id := range []int64{plain, theirs} {
			refused(http.MethodPatch, assessmentAt(id), map[string]any{"soil": named(3)})
			refused(http.MethodPut, assessmentAt(id), withSoil(body, named(3)))
			refused(http.MethodPatch, assessmentAt(id)+"sections/soil/", named(3))
			refused(http.MethodPut, assessmentAt(id)+"sections/soil/", named(3))
		}
		refused(http.MethodPatch, assessmentAt(theirs)+"sections/soil/", map[string]any{"since_plan": "another"})
		clerk.Expect(404, http.MethodPatch, assessmentAt(theirs+1000), map[string]any{"soil": named(3)})

		farm := "farm," + strconv.FormatInt(body["resource_id"].(int64), 10) + ","
		lines := []string{"resource_type,resource_id,assessment_year,soil.sample_plan", farm + "2030,some plan", farm + "2031,"}
		rows := batchOf(t, clerk.Upload(assessmentsPath+"import/", "text/csv", csvOf(lines...)), 200)
		require.Equal(t, map[string]int64{"fail": 1, "create": 1}, rows.Counts)
		require.Equal(t, "soil.sample_plan", rows.Items[0].Problems[0].Path)
		require.Contains(t, rows.Items[0].Problems[0].Message, "sample.view")
		for year := 3000; year < 3051; year++ {
			lines = append(lines, farm+strconv.Itoa(year)+",some plan")
		}
		many := batchOf(t, clerk.Upload(assessmentsPath+"import/", "text/csv", csvOf(lines...)), 202)
		require.Equal(t, map[string]int64{"fail": 52, "skip": 1}, ended(t, clerk, "import/", *many.JobID).Counts)
		copied := batchOf(t, clerk.Do(http.MethodPost, assessmentsPath+"copy-forward/", map[string]any{"from_year": body["assessment_year"], "to_year": 2050, "filter": map[string]any{"ids": []int64{theirs}}}), 200)
		require.Equal(t, map[string]int64{"fail": 1}, copied.Counts)
		require.Equal(t, "soil.sample_plan", copied.Items[0].Problems[0].Path)

		clerk.Expect(200, http.MethodPatch, assessmentAt(theirs)+"sections/soil/", map[string]any{"ph": 6.5})
		stays := clerk.Expect(200, http.MethodGet, assessmentAt(theirs), nil).Data(t)["soil"].(map[string]any)
		require.True(t, strings.HasPrefix(stays["sample_plan"].(string), "1111"))
		clerk.Expect(200, http.MethodPatch, assessmentAt(theirs)+"sections/soil/", map[string]any{"sample_plan": nil, "sample_round": nil})
		refused(http.MethodPatch, assessmentAt(theirs)+"sections/soil/", named(2))
		owner.Expect(200, http.MethodPatch, assessmentAt(plain)+"sections/soil/", named(2))
	})
}

// withSoil is a body with another soil section.
func withSoil(body, soil map[string]any) map[string]any {
	out := map[string]any{"soil": soil}
	for key, value := range body {
		if key != "soil" {
			out[key] = value
		}
	}
	return out
}
