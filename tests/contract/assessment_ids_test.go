package contract

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/access"
	"tilth/tests/rig"
)

// TestManyByID checks that prefills, submissions and reports take ids, and answer in the order sent.
func TestManyByID(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		c := s.Company(access.RoleOwner, 0)
		farm := newFarm(c)
		north := c.Make("field/", map[string]any{"name": "North", "farm_id": farm})
		south := c.Make("field/", map[string]any{"name": "South", "farm_id": farm})
		good, _ := assess(t, c, riceBody(t, "field", north))
		bare, _ := assess(t, c, map[string]any{"resource_type": "field", "resource_id": south, "assessment_year": 2024})
		other := s.Company(access.RoleOwner, 0)
		foreign, _ := assess(t, other, riceBody(t, "field", other.Make("field/", map[string]any{"name": "Theirs", "farm_id": newFarm(other)})))

		sent := []int64{foreign, good, bare, good}
		done := batchOf(t, c.Do(http.MethodPost, assessmentsPath+"submit/", map[string]any{"ids": sent}), 200)
		require.Equal(t, []string{"refused", "submitted", "refused", "unchanged"}, verdicts(done))
		require.EqualValues(t, 4, done.Total)
		for i, item := range done.Items {
			require.EqualValues(t, i, item.Index)
			require.Equal(t, sent[i], *item.AssessmentID, "one name for ids")
			require.Nil(t, item.SourceID)
		}
		require.Equal(t, "not_found", done.Items[0].Problems[0].Code)

		var filled struct {
			Items []struct {
				Index        int
				AssessmentID int64 `json:"assessment_id"`
				Proposals    []struct {
					Path    string
					Applied bool
				}
				Problems []struct{ Code, Path, Message string }
			}
		}
		c.Expect(200, http.MethodPost, assessmentsPath+"prefill/", map[string]any{"ids": []int64{foreign, bare}, "apply": true}).Into(t, &filled)
		require.Len(t, filled.Items, 2)
		require.Equal(t, "not_found", filled.Items[0].Problems[0].Code)
		require.Empty(t, filled.Items[0].Proposals)
		require.Equal(t, bare, filled.Items[1].AssessmentID)
		require.Empty(t, filled.Items[1].Problems)
		for path, body := range map[string]any{
			"prefill/": map[string]any{}, "prefill/?": map[string]any{"ids": []int64{}}, "prefill/?a": map[string]any{"ids": []int64{bare}, "sections": []string{"rice"}},
			"reports/": map[string]any{"ids": []int64{0}}, "reports/?": map[string]any{"ids": make([]int64, 501)}, "reports/?a": map[string]any{"ids": []int64{good}, "basis": "old"},
		} {
			c.Expect(400, http.MethodPost, assessmentsPath+path, body)
		}

		c.Expect(404, http.MethodPost, assessmentsPath+"reports/", map[string]any{"ids": []int64{good, foreign}})
		answer := c.Expect(200, http.MethodPost, assessmentsPath+"reports/", map[string]any{"ids": []int64{bare, good}, "basis": "submitted"})
		require.Equal(t, "application/zip", answer.Header.Get("Content-Type"))
		files := unzipped(t, answer.Body)
		require.Len(t, files, 2)
		lines, err := csv.NewReader(strings.NewReader(files["manifest.csv"])).ReadAll()
		require.NoError(t, err)
		name := "002-impact-report-" + strconv.FormatInt(good, 10) + "-v1.pdf"
		require.Equal(t, [][]string{
			{"index", "assessment_id", "file", "basis", "version", "problem"},
			{"0", itoa(bare), "", "submitted", "", "The assessment has no submitted version."}, {"1", itoa(good), name, "submitted", "1", ""},
		}, lines)
		single := c.Expect(200, http.MethodGet, assessmentAt(good)+"impact-report/?basis=submitted&format=pdf", nil)
		require.Equal(t, string(single.Body), files[name], "the same report, the same bytes")
		live := unzipped(t, c.Expect(200, http.MethodPost, assessmentsPath+"reports/", map[string]any{"ids": []int64{good}}).Body)
		require.Contains(t, live, "001-impact-report-"+itoa(good)+"-live.pdf")
	})
}

func unzipped(t *testing.T, body []byte) map[string]string {
	t.Helper()
	archive, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	require.NoError(t, err)
	out := map[string]string{}
	for _, f := range archive.File {
		in, err := f.Open()
		require.NoError(t, err)
		var text bytes.Buffer
		_, err = text.ReadFrom(in)
		require.NoError(t, err)
		out[f.Name] = text.String()
	}
	return out
}

// TestUnchangedFilesAreSkipped checks that an import recognises what an export wrote as unchanged, even for assessments
// with content that a file cannot express.
func TestUnchangedFilesAreSkipped(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{})
	c := s.Company(access.RoleOwner, 0)
	field := c.Make("field/", map[string]any{"name": "North", "farm_id": newFarm(c)})
	for i, odd := range []map[string]any{
		{"crop": map[string]any{"crop_type": "maize", "notes": "two\r\nlines", "co_products": []any{}}},
		{"crop": map[string]any{"notes": "  "}}, {"growing_area": map[string]any{"value": "10", "unit": "ha"}}, {"growing_area": map[string]any{}},
		{"growing_area": map[string]any{"value": "ten"}, "average_temperature": map[string]any{"value": 5, "unit": 7, "note": "x"}},
		{"fertilizers": []any{map[string]any{}, map[string]any{"product": "urea"}}}, {"land_management": map[string]any{"changes": []any{map[string]any{}}}}, {},
	} {
		body := map[string]any{"resource_type": "field", "resource_id": field, "assessment_year": 2010 + i}
		for k, v := range odd {
			body[k] = v
		}
		assess(t, c, body)
	}
	exported := string(c.Expect(200, http.MethodGet, assessmentsPath+"export/", nil).Body)
	same := batchOf(t, c.Upload(assessmentsPath+"import/", "text/csv", strings.NewReader(exported)), 200)
	require.Equal(t, map[string]int64{"skip": 8}, same.Counts, "%+v", same.Items)
	changed := strings.Replace(exported, "urea", "dap", 1)
	require.Equal(t, 1, int(batchOf(t, c.Upload(assessmentsPath+"import/", "text/csv", strings.NewReader(changed)), 200).Counts["update"]))
}

// A client's own table has no ids of items: sent again it changes nothing, and where it changes an item the others stay as they are.
func TestTablesWithoutIDsAreRecognised(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{})
	c := s.Company(access.RoleOwner, 0)
	c.Make("field/", map[string]any{"name": "North", "farm_id": newFarm(c)})
	table := "resource_type,resource_name,assessment_year,growing_area.value,growing_area.unit,crop.crop_type,fertilizers[0].product,fertilizers[0].rate.value,fertilizers[0].rate.unit,fertilizers[1].product,fertilizers[1].rate.value,fertilizers[1].rate.unit,section_declarations.irrigation\n" +
		"field,North,2023,9.50,ha,winter_wheat,urea,200,kg/ha,urea,200,kg/ha,none\nfield,North,2024,9.5,ha,winter_wheat,urea,200,kg/ha,dap,100,kg/ha,none\n"
	load := func(table string) map[string]int64 {
		return batchOf(t, c.Upload(assessmentsPath+"import/", "text/csv", strings.NewReader(table)), 200).Counts
	}
	ids := func() (out []any) {
		for _, one := range c.Expect(200, "GET", assessmentsPath+"?ordering=id", nil).Map(t)["data"].([]any) {
			sections := c.Expect(200, "GET", assessmentsPath+itoa(int64(one.(map[string]any)["id"].(float64)))+"/", nil).Data(t)
			for _, item := range sections["fertilizers"].([]any) {
				out = append(out, item.(map[string]any)["id"])
			}
		}
		return out
	}
	require.Equal(t, map[string]int64{"create": 2}, load(table))
	before := ids()
	require.Len(t, before, 4)
	require.Equal(t, map[string]int64{"skip": 2}, load(table), "items that are equal to each other, too")
	require.Equal(t, map[string]int64{"skip": 1, "update": 1}, load(strings.Replace(table, "dap,100", "dap,120", 1)))
	after := ids()
	require.Equal(t, before[:3], after[:3])
	require.NotEqual(t, before[3], after[3])

	body := map[string]any{"external_id": "A-1", "resource_type": "field", "resource_id": 1, "assessment_year": 2025, "fertilizers": []any{map[string]any{"product": "urea"}}}
	upsert := func(status int) map[string]any {
		return c.Expect(status, "POST", assessmentsPath+"?on_conflict=external_id", body).Map(t)
	}
	made, again := upsert(201), upsert(200)
	require.Equal(t, [][]any{{"created"}, {"unchanged"}}, [][]any{made["outcomes"].([]any), again["outcomes"].([]any)})
	require.Equal(t, made["data"].(map[string]any)["company"], again["data"].(map[string]any)["company"])
}
