package contract

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/core/access"
	"tilth/tests/rig"
)

// batch is the response to a request for many assessments.
type batch struct {
	JobID  *int64 `json:"job_id"`
	Status string
	Reason *string
	Total  int64
	Done   int64
	Counts map[string]int64
	Items  []struct {
		Index          int64
		Verdict        string
		SourceID       *int64 `json:"source_id"`
		AssessmentID   *int64 `json:"assessment_id"`
		AssessmentYear *int   `json:"assessment_year"`
		Version        *int
		Problems       []struct{ Code, Path, Message string }
	}
}

func batchOf(t testing.TB, a rig.Answer, status int) batch {
	t.Helper()
	require.Equal(t, status, a.Status, string(a.Body))
	var out batch
	a.Into(t, &out)
	return out
}

// ended waits for a batch in the background.
func ended(t testing.TB, c *rig.Client, path string, id int64) batch {
	t.Helper()
	var out batch
	rig.Eventually(t, func() bool {
		out = batchOf(t, c.Do(http.MethodGet, fmt.Sprintf("%s%s%d/", assessmentsPath, path, id), nil), 200)
		return out.Status == "completed" || out.Status == "failed"
	}, 10*time.Minute, 50*time.Millisecond, "the batch never ended")
	return out
}

func csvOf(lines ...string) *strings.Reader {
	return strings.NewReader(strings.Join(lines, "\n") + "\n")
}

func TestManyAssessments(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database, Batches: rig.SmallBatches})
		c := s.Company(access.RoleOwner, 0)
		farm := newFarm(c)
		north := c.Make("field/", map[string]any{"name": "North", "farm_id": farm, "external_id": "=N1"})
		south := c.Make("field/", map[string]any{"name": "South", "farm_id": farm})
		wet, _ := assess(t, c, riceBody(t, "field", north, map[string]any{"crop": map[string]any{
			"crop_type": "rice_paddy", "harvested_yield": map[string]any{"value": 5.5, "unit": "t/ha"}, "planting_date": "2024-05-01", "notes": "=1+1\nsecond line",
		}}))
		dry, _ := assess(t, c, map[string]any{"resource_type": "field", "resource_id": south, "assessment_year": 2024})

		copies := func(query string, changes map[string]any) batch {
			body := map[string]any{"from_year": 2024, "to_year": 2025}
			for k, v := range changes {
				body[k] = v
			}
			return batchOf(t, c.Do(http.MethodPost, assessmentsPath+"copy-forward/"+query, body), 200)
		}
		preview := copies("?preview=true", nil)
		require.Equal(t, map[string]int64{"create": 2}, preview.Counts)
		require.Nil(t, preview.Items[0].AssessmentID)
		first := copies("", map[string]any{"filter": map[string]any{"climate_region": "tropical_moist"}})
		require.Equal(t, map[string]int64{"create": 1}, first.Counts)
		require.Equal(t, wet, *first.Items[0].SourceID)
		copied := c.Expect(200, http.MethodGet, assessmentAt(*first.Items[0].AssessmentID), nil).Data(t)
		require.Equal(t, "draft", copied["status"])
		require.NotContains(t, copied["crop"], "planting_date")
		require.Equal(t, "rice_paddy", copied["crop"].(map[string]any)["crop_type"])
		require.Equal(t, true, copied["land_management"].(map[string]any)["no_change_20y"])
		require.Equal(t, "none", copied["section_declarations"].(map[string]any)["machinery"])
		again := copies("", map[string]any{"filter": map[string]any{"ids": []int64{wet, dry, 999_999}}})
		require.Equal(t, map[string]int64{"skip": 1, "create": 1, "fail": 1}, again.Counts)
		require.Equal(t, "exists", again.Items[0].Problems[0].Code)
		require.Equal(t, "not_found", again.Items[2].Problems[0].Code)
		require.Equal(t, map[string]int64{"skip": 2}, copies("", map[string]any{"overwrite": true}).Counts, "what is the same is not written again")
		c.Expect(400, http.MethodPost, assessmentsPath+"copy-forward/", map[string]any{"from_year": 2024, "to_year": 2024})

		submit := batchOf(t, c.Do(http.MethodPost, assessmentsPath+"submit/", map[string]any{"ids": []int64{dry, wet, 999_999}}), 200)
		require.Equal(t, map[string]int64{"submitted": 1, "refused": 2}, submit.Counts)
		require.Equal(t, 1, *submit.Items[1].Version, "in the order sent")
		require.NotEmpty(t, submit.Items[0].Problems[0].Path)
		submit = batchOf(t, c.Do(http.MethodPost, assessmentsPath+"submit/", map[string]any{"filter": map[string]any{"assessment_year": 2024, "resource_id": north}}), 200)
		require.Equal(t, map[string]int64{"unchanged": 1}, submit.Counts)
		c.Expect(400, http.MethodPost, assessmentsPath+"submit/", map[string]any{})

		exported := string(c.Expect(200, http.MethodGet, assessmentsPath+"export/", nil).Body)
		require.Contains(t, exported, "'=N1")
		same := batchOf(t, c.Upload(assessmentsPath+"import/", "text/csv", strings.NewReader(exported)), 200)
		require.Equal(t, map[string]int64{"skip": 4}, same.Counts, "%+v", same.Items)
		require.Equal(t, exported, string(c.Expect(200, http.MethodGet, assessmentsPath+"export/", nil).Body))
		lines := string(c.Expect(200, http.MethodGet, assessmentsPath+"export/?kind=lines&assessment_year=2024", nil).Body)
		require.Contains(t, lines, "rice_methane")
		require.Equal(t, 1, strings.Count(string(c.Expect(200, http.MethodGet, assessmentsPath+"export/?kind=lines&assessment_year=2025", nil).Body), "\n"), "drafts have no lines")

		// Into another company, by external id and name: a row that names no record of that company is refused.
		other := s.Company(access.RoleOwner, 0)
		other.Make("field/", map[string]any{"name": "North", "farm_id": newFarm(other), "external_id": "=N1"})
		require.Equal(t, 400, other.Upload(assessmentsPath+"import/?atomic=true", "text/csv", strings.NewReader(exported)).Status)
		moved := strings.Replace(exported, "resource_id,", "status_,", 1)
		require.Equal(t, 400, other.Upload(assessmentsPath+"import/", "text/csv", strings.NewReader(moved)).Status, "a column that does not exist")
		taken := batchOf(t, other.Upload(assessmentsPath+"import/", "text/csv", csvOf(
			"\uFEFFresource_type;resource_external_id;resource_name;assessment_year;crop.crop_type;fertilizers[0].product;fertilizers[0].rate.value;crop.notes",
			"field;'=N1;;2030;maize;urea;5;\"two\nlines\"",
			"field;;North;2030;maize;;;",
			"field;;Nowhere;2030;maize;;;",
			"field;;North;2031;maize;;urea;",
		)), 200)
		require.Equal(t, []string{"create", "fail", "fail", "fail"}, verdicts(taken))
		require.Equal(t, "resource_name", taken.Items[2].Problems[0].Path)
		require.Equal(t, "fertilizers[0].rate.value", taken.Items[3].Problems[0].Path)
		change := batchOf(t, other.Upload(assessmentsPath+"import/", "text/csv", csvOf(
			"id,crop.harvested_yield.value,crop.harvested_yield.unit", fmt.Sprintf("%d,8,t/ha", *taken.Items[0].AssessmentID))), 200)
		require.Equal(t, []string{"update"}, verdicts(change), "%+v", change.Items)
		crop := other.Expect(200, http.MethodGet, assessmentAt(*taken.Items[0].AssessmentID), nil).Data(t)["crop"].(map[string]any)
		require.Equal(t, "maize", crop["crop_type"], "what has no column stays")
		require.Equal(t, "two\nlines", crop["notes"])
		require.Equal(t, []string{"fail"}, verdicts(batchOf(t, other.Upload(assessmentsPath+"import/", "text/csv", csvOf("id,soil.ph", fmt.Sprintf("%d,7", wet))), 200)), "another company's")

		background(t, other)
	})
}

func verdicts(b batch) []string {
	var out []string
	for _, i := range b.Items {
		out = append(out, i.Verdict)
	}
	return out
}

// background imports, submits and copies more than one request does itself.
func background(t *testing.T, c *rig.Client) {
	t.Helper()
	lines := []string{"resource_type,resource_name,assessment_year,soil.ph"}
	for year := range 101 {
		ph := "65"
		if year%2 == 0 {
			ph = "6.5"
		}
		lines = append(lines, fmt.Sprintf("field,North,%d,%s", 3000+year, ph))
	}
	atomic := batchOf(t, c.Upload(assessmentsPath+"import/?atomic=true", "text/csv", csvOf(lines...)), 202)
	done := ended(t, c, "import/", *atomic.JobID)
	require.Equal(t, "failed", done.Status)
	require.Len(t, done.Items, 50)
	for n, index := range map[int]int64{0: 1, 4: 9, 49: 99} {
		require.Equal(t, "soil.ph", done.Items[n].Problems[0].Path)
		require.Equal(t, index, done.Items[n].Index)
	}
	loose := batchOf(t, c.Upload(assessmentsPath+"import/", "text/csv", csvOf(lines...)), 202)
	done = ended(t, c, "import/", *loose.JobID)
	require.Equal(t, map[string]int64{"create": 51, "fail": 50}, done.Counts)
	require.EqualValues(t, 101, done.Done)
	var drafts []struct{ ID int64 }
	c.Expect(200, http.MethodGet, assessmentsPath+"?page_size=51", nil).Into(t, &drafts)
	some := make([]int64, len(drafts))
	for i, d := range drafts {
		some[i] = d.ID
	}
	all := batchOf(t, c.Do(http.MethodPost, assessmentsPath+"submit/", map[string]any{"ids": some}), 202)
	done = ended(t, c, "submit/", *all.JobID)
	require.Equal(t, map[string]int64{"refused": 51}, done.Counts)
	require.Len(t, done.Items, 51)
	ids := make([]int64, 51)
	for i := range ids {
		ids[i] = int64(900_000 + i)
	}
	none := batchOf(t, c.Do(http.MethodPost, assessmentsPath+"copy-forward/", map[string]any{"from_year": 2024, "to_year": 2025, "filter": map[string]any{"ids": ids}}), 202)
	require.Equal(t, map[string]int64{"fail": 51}, ended(t, c, "copy-forward/", *none.JobID).Counts)
	c.Expect(404, http.MethodGet, fmt.Sprintf("%simport/%d/", assessmentsPath, *none.JobID), nil)
}

func TestPrefill(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{})
	c := s.Company(access.RoleOwner, 0)
	land := c.Land(rig.Square(300, 0), "2023-10-01", "2024-08-31")
	c.Make("fertilization/", map[string]any{"cultivation_id": land.Cultivation, "product": "urea", "amount": map[string]any{"value": 200, "unit": "kg/ha"}, "applied_on": "2024-03-01"})
	c.Make("fertilization/", map[string]any{"cultivation_id": land.Cultivation, "product": "cattle_slurry", "amount": map[string]any{"value": 20, "unit": "m3/ha"}, "density_kg_per_l": 1.02})
	c.Make("fertilization/", map[string]any{"cultivation_id": land.Cultivation, "product_name": "a bag without a label"})
	id, _ := assess(t, c, map[string]any{"resource_type": "field", "resource_id": land.Field, "assessment_year": 2024, "farm_country": "france"})
	type answer struct {
		Proposals []struct {
			Path                  string
			Current, Proposed     json.RawMessage
			Filled, Same, Applied bool
			Sources               []struct {
				Resource string
				ID       int64
			}
		}
		Questions []struct {
			Path    string
			Choices []struct {
				CropID int64 `json:"crop_id"`
			}
		}
		Notes []struct{ Code, Path string }
	}
	prefill := func(body any) (out answer) {
		t.Helper()
		c.Expect(200, http.MethodPost, assessmentAt(id)+"prefill/", body).Into(t, &out)
		return out
	}
	paths := func(a answer) (all, applied []string) {
		for _, p := range a.Proposals {
			all = append(all, p.Path)
			if p.Applied {
				applied = append(applied, p.Path)
			}
		}
		return all, applied
	}
	all, applied := paths(prefill(nil))
	require.Equal(t, []string{"crop.crop_type", "growing_area", "fertilizers", "organic_inputs"}, all)
	require.Empty(t, applied)
	require.Empty(t, c.Expect(200, http.MethodGet, assessmentAt(id), nil).Data(t)["fertilizers"], "nothing is written")
	_, applied = paths(prefill(map[string]any{"apply": true}))
	require.Equal(t, all, applied)
	whole := c.Expect(200, http.MethodGet, assessmentAt(id), nil).Data(t)
	item := whole["fertilizers"].([]any)[0].(map[string]any)
	require.Equal(t, "urea", item["product"])
	require.Equal(t, map[string]any{"value": 200.0, "unit": "kg/ha"}, item["rate"])
	require.Equal(t, "2024-03-01", item["date"])
	require.Equal(t, map[string]any{"value": 20.0, "unit": "m3/ha"}, whole["organic_inputs"].([]any)[0].(map[string]any)["rate"])
	require.Equal(t, "france", whole["farm_country"])
	second := prefill(map[string]any{"apply": true})
	_, applied = paths(second)
	require.Empty(t, applied, "what is filled in stays")
	require.Equal(t, "not_taken", second.Notes[0].Code)

	rice := c.Crop("rice")
	c.Make("cultivation/", map[string]any{"field_id": land.Field, "season_id": land.Season, "crop_id": rice})
	c.Expect(200, http.MethodPatch, assessmentAt(id)+"sections/crop/", map[string]any{"crop_type": nil})
	asked := prefill(map[string]any{"apply": true})
	require.Len(t, asked.Questions, 1)
	require.Len(t, asked.Questions[0].Choices, 2)
	require.Empty(t, asked.Proposals, "nothing is guessed")
	_, applied = paths(prefill(map[string]any{"apply": true, "crop_id": land.Crop}))
	require.Equal(t, []string{"crop.crop_type"}, applied)
	c.Expect(400, http.MethodPost, assessmentAt(id)+"prefill/", map[string]any{"sections": []string{"rice"}})
	c.Expect(400, http.MethodPost, assessmentAt(id)+"prefill/", map[string]any{"crop_id": 999_999})
}

// backgroundBatch begins a batch that is large enough for the background, with ids that do
// not exist. ok is false if the path takes no batches.
func backgroundBatch(t *testing.T, c *rig.Client, list string) (id int64, ok bool) {
	t.Helper()
	ids := make([]int64, 1001)
	for i := range ids {
		ids[i] = int64(900_000_000 + i)
	}
	var a rig.Answer
	switch kind, below := strings.CutPrefix(list, assessmentsPath); {
	case below && kind == "import/":
		a = c.Upload(list, "text/csv", csvOf("id,soil.ph", strings.TrimSuffix(strings.Repeat("900000000,7\n", 1001), "\n")))
	case below && kind == "submit/":
		a = c.Do(http.MethodPost, list, map[string]any{"ids": ids[:101]})
	case below && kind == "copy-forward/":
		a = c.Do(http.MethodPost, list, map[string]any{"from_year": 2024, "to_year": 2025, "filter": map[string]any{"ids": ids}})
	default:
		return 0, false
	}
	return *batchOf(t, a, 202).JobID, true
}
