package contract

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/tests/rig"
)

// Any number of concurrent writers: every item is kept, and what was computed in between
// is computed again.
func TestAssessmentsUnderConcurrentWrites(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		c := s.Company("owner", 0)
		land := c.Land(rig.Square(300, 0), "2024-01-01", "2024-12-31")
		id, _ := assess(t, c, riceBody(t, "field", land.Field, map[string]any{"fertilizers": []any{}}))
		var wg sync.WaitGroup
		for range 16 {
			wg.Go(func() {
				c.Insist("POST", assessmentAt(id)+"sections/fertilizers/items/", `{"product":"urea","rate":{"value":100,"unit":"kg/ha"}}`)
				c.Insist("PATCH", assessmentAt(id)+"sections/soil/", `{"ph":6}`)
				c.Do("POST", assessmentAt(id)+"completeness/", nil)
			})
		}
		wg.Wait()
		require.Len(t, c.Expect(200, "GET", assessmentAt(id), nil).Data(t)["fertilizers"], 16)
		state := settled(t, c, id)
		require.EqualValues(t, 100, state["completeness_percentage"])
		require.EqualValues(t, 32, state["sections"].(map[string]any)["fertilizers"].(map[string]any)["filled"])
	})
}

// kill -9 with unfinished jobs, some of them lost for good: the next server computes all.
func TestCompletenessOutlivesTheServer(t *testing.T) {
	t.Parallel()
	database := rig.SQLite(t)
	first := rig.StartProcess(t, database, rig.Archive(t).Dir)
	c := rig.Remote(t, first.URL, tokenOf(t, database))
	land := c.Land(rig.Square(300, 0), "2024-01-01", "2024-12-31")
	var ids []int64
	for range 25 {
		id, _ := assess(t, c, riceBody(t, "field", land.Field))
		ids = append(ids, id)
	}
	first.Kill()
	rig.Exec(t, database,
		`UPDATE assessments SET completeness_computed_at = NULL, completeness_percentage = 0, is_ready = FALSE`,
		`DELETE FROM jobs WHERE kind = 'assessment_completeness'`, // lost, although no crash can lose them
		`INSERT INTO jobs (kind, key, company_id, subject, run_at, attempt, lease, lease_until)
		 SELECT 'assessment_completeness', id, company_id, id, created_at, 1, 'dead', created_at FROM assessments LIMIT 5`,
	)
	second := rig.StartProcess(t, database, rig.Archive(t).Dir)
	c = rig.Remote(t, second.URL, c.Token)
	for _, id := range ids {
		require.EqualValues(t, 100, settled(t, c, id)["completeness_percentage"])
	}
}

func TestAssessmentsAreShared(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{})
	c, reader := s.Company("owner", 0), s.Company("owner", 0)
	land := c.Land(rig.Square(300, 0), "2024-01-01", "2024-12-31")
	field, whole := assess(t, c, riceBody(t, "field", land.Field))
	farm, _ := assess(t, c, riceBody(t, "farm", land.Farm))
	item := int64(whole["fertilizers"].([]any)[0].(map[string]any)["id"].(float64))
	settled(t, c, field)
	grant := c.Make("share-grant/", map[string]any{"grantee_uuid": reader.UUID(), "target": "field", "field_id": land.Field, "slugs": []string{"assessment.view"}})
	reader.Expect(200, "POST", path("share-grant", grant)+"accept/", nil)
	require.Equal(t, []int64{field}, list(t, reader.Expect(200, "GET", assessmentsPath+"?share=true", nil)))
	require.Empty(t, list(t, reader.Expect(200, "GET", assessmentsPath, nil)))
	at := assessmentAt(field)
	for _, below := range []string{"", "details/", "completeness/", "sections/crop/", "sections/fertilizers/", "sections/fertilizers/items/" + itoa(item) + "/"} {
		own, shared := c.Expect(200, "GET", at+below, nil), reader.Expect(200, "GET", at+below+"?share=true", nil)
		require.Equal(t, own.Body, shared.Body, below)
		reader.Expect(404, "GET", at+below, nil)
		reader.Expect(404, "GET", assessmentAt(farm)+below+"?share=true", nil)
	}
	reader.Expect(200, "GET", at+"details/?share=true&enforce_required=true", nil)
	for _, write := range []struct{ method, path string }{
		{"PUT", ""}, {"PATCH", ""}, {"DELETE", ""}, {"POST", "restore/"}, {"PUT", "sections/crop/"}, {"PATCH", "sections/crop/"}, {"PUT", "declarations/"},
		{"POST", "completeness/"}, {"POST", "sections/fertilizers/items/"}, {"PATCH", "sections/fertilizers/items/" + itoa(item) + "/"},
	} {
		reader.Expect(404, write.method, at+write.path+"?share=true", `{}`)
	}
	// What others share does not become one's own.
	require.Contains(t, reader.Expect(400, "POST", assessmentsPath, riceBody(t, "field", land.Field)).Map(t)["details"], "resource_id")
}

// The identifiers of an external engine appear in no response.
func TestEngineReferencesAreShownNowhere(t *testing.T) {
	t.Parallel()
	database := rig.SQLite(t)
	s := rig.Start(t, rig.Options{Database: database})
	c := s.Company("owner", 0)
	land := c.Land(rig.Square(300, 0), "2024-01-01", "2024-12-31")
	id, _ := assess(t, c, riceBody(t, "field", land.Field))
	rig.Exec(t, database,
		`INSERT INTO assessment_versions (company_id, assessment_id, number, digest, snapshot, engine, engine_version, factor_set, factor_set_version,
		 factor_set_digest, gwp_set, report, submitted_at) SELECT company_id, id, 1, 'd', '{}', 'external', '1', 'f', '1', 'd', 'ar6', '{}', created_at FROM assessments`,
		`INSERT INTO assessment_engine_references (company_id, assessment_id, number, engine, account_reference, assessment_reference, run_reference)
		 SELECT company_id, id, 1, 'external', 'hidden-one', 'hidden-two', 'hidden-three' FROM assessments`,
		`UPDATE assessments SET status = 'submitted', submitted_version = 1, submitted_at = created_at, calculation_status = 'done'`,
	)
	seen := 0
	for _, r := range documentedRoutes(t) {
		if r.public || r.method != http.MethodGet || !strings.HasPrefix(r.path, assessmentsPath) && r.path != "audit/" {
			continue
		}
		a := c.Do(r.method, strings.NewReplacer("{id}", itoa(id), "{section}", "fertilizers", "{item_id}", "4").Replace(r.path), nil)
		require.NotContains(t, string(a.Body), "hidden-", r.path)
		seen++
	}
	require.Greater(t, seen, 8)

	// An edit after the submission leaves it submitted, and marks it as changed since.
	c.Expect(200, "PATCH", assessmentAt(id)+"sections/soil/", `{"ph":6.5}`)
	changed := c.Expect(200, "GET", assessmentAt(id), nil).Data(t)
	require.Equal(t, true, changed["has_unsubmitted_changes"])
	require.Equal(t, "submitted", changed["status"])
	require.EqualValues(t, 1, changed["submitted_version"])
}
