package contract

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/exchange"
	"tilth/core/access"
	"tilth/ports"
	"tilth/tests/rig"
)

const mediaXLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

// workbookOf makes a workbook whose one sheet is named Assessments, whatever is in it.
func workbookOf(t testing.TB, heading []string, rows ...[]string) *bytes.Reader {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, exchange.AssessmentTables{}.Write(&out, ports.XLSX, heading, func(yield func([]string, error) bool) {
		for _, row := range rows {
			if !yield(row, nil) {
				return
			}
		}
	}))
	return bytes.NewReader(out.Bytes())
}

func TestWorkbooks(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database, Batches: rig.SmallBatches})
		c := s.Company(access.RoleOwner, 0)
		farm := newFarm(c)
		heading := []string{"NR", "Name", "wkt"}
		square := "POLYGON ((10 50, 10.01 50, 10.01 50.01, 10 50))"
		upload := func(file io.Reader, more, media string) rig.Answer {
			return c.Upload(importPath(farm, "&name_property=Name&external_id_property=NR"+more), media, file)
		}

		// Fields: the sheet is named in the request or is the first, within the request and in the background.
		made := importOf(t, upload(workbookOf(t, heading, []string{"1", "North", square}, []string{"2", "South", "POLYGON ((10 50))"}), "&sheet=Assessments", mediaXLSX), 200)
		require.Equal(t, []int64{1, 1}, []int64{made.Created, made.Failed}, "%+v", made)
		require.Equal(t, "1", c.Expect(200, "GET", "field/"+itoa(*made.Features[0].FieldID)+"/", nil).Data(t)["external_id"])
		refused := upload(workbookOf(t, heading, []string{"1", "North", square}), "&sheet=Fields", "")
		require.Equal(t, 400, refused.Status)
		require.Contains(t, string(refused.Body), `no sheet \"Fields\". Its sheets are Assessments.`)
		require.Contains(t, string(upload(bytes.NewReader([]byte("NR,Name,wkt\n")), "&sheet=Fields", "").Body), "not a workbook")
		many := make([][]string, 1_001)
		for i := range many {
			many[i] = []string{fmt.Sprint(i), "West", ""}
		}
		many[1_000][2] = square
		queued := importOf(t, upload(workbookOf(t, heading, many...), "&sheet=Assessments", ""), 202)
		done := untilImported(t, c, *queued.JobID)
		require.Equal(t, []int64{1, 1_000}, []int64{done.Created, done.Skipped}, "%+v", done)

		// An export is imported unchanged; the header Accept selects the kind of file.
		field := *made.Features[0].FieldID
		assess(t, c, riceBody(t, "field", field, map[string]any{"crop": map[string]any{"crop_type": "rice_paddy", "notes": "'=1+1\r\n007"}}))
		table := c.Expect(200, "GET", assessmentsPath+"export/?format=xlsx", nil)
		require.Equal(t, mediaXLSX, table.Header.Get("Content-Type"))
		require.Contains(t, table.Header.Get("Content-Disposition"), "assessments.xlsx")
		same := batchOf(t, c.Upload(assessmentsPath+"import/?sheet=assessments", mediaXLSX, bytes.NewReader(table.Body)), 200)
		require.Equal(t, map[string]int64{"skip": 1}, same.Counts, "%+v", same.Items)
		wrong := c.Upload(assessmentsPath+"import/", mediaXLSX, workbookOf(t, []string{"id", "fertilzers"}, []string{"1", "x"}))
		require.Contains(t, string(wrong.Body), "no such column")
		for path, accept := range map[string]string{
			assessmentsPath + "export/?kind=lines": mediaXLSX, "field/export/": mediaXLSX, "wallet/statement/": "text/html, " + mediaXLSX + ";q=0.5, text/csv;q=0.1",
			"profiles/vegetation-index-profile/series/": mediaXLSX, "field/export/?farm=" + itoa(farm): "application/geo+json", samplesPath + "export/": mediaXLSX,
			assessmentsPath + "import/template.xlsx/": "*/*", assessmentAt(*same.Items[0].AssessmentID) + "impact-report/": mediaXLSX,
		} {
			res := send(t, s, c, http.MethodGet, path, nil, "Accept", accept)
			require.Equal(t, 200, res.Status, "%s: %s", path, res.Body)
			if accept == "application/geo+json" {
				require.Equal(t, "application/geo+json", res.Header.Get("Content-Type"))
				continue
			}
			require.Equal(t, mediaXLSX, res.Header.Get("Content-Type"), path)
			require.True(t, bytes.HasPrefix(res.Body, []byte("PK")), path)
		}
	})
}

// Errors in a row are reported with the number that people see in their spreadsheet, whatever rows are blank; a preview
// states that it is one.
func TestRowsOfTablesAreNumberedAsPeopleSeeThem(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database, Batches: rig.SmallBatches})
		c := s.Company(access.RoleOwner, 0)
		farm := newFarm(c)
		heading, blank := []string{"NR", "Name", "wkt"}, []string{"", "", ""}
		good, bad := []string{"1", "North", "POLYGON ((10 50, 10.01 50, 10.01 50.01, 10 50))"}, []string{"2", "South", "POLYGON ((10 50))"}
		failed := func(a rig.Answer, list string) map[string]any {
			for _, one := range a.Data(t)[list].([]any) {
				if item := one.(map[string]any); item["verdict"] == "fail" {
					return item
				}
			}
			t.Fatalf("nothing failed: %s", a.Body)
			return nil
		}
		preview := c.Upload(importPath(farm, "&preview=true"), mediaXLSX, workbookOf(t, heading, good, blank, bad))
		require.Equal(t, []any{1.0, 4.0}, []any{failed(preview, "features")["index"], failed(preview, "features")["row"]})
		require.Contains(t, preview.Map(t)["message"], "preview")
		lines := c.Upload(importPath(farm, ""), "text/csv", strings.NewReader("NR,Name,wkt\n1,\"North\nfield\",\"POLYGON ((10 50, 10.01 50, 10.01 50.01, 10 50))\"\n\n2,South,\"POLYGON ((10 50))\"\n"))
		require.Equal(t, 5.0, failed(lines, "features")["row"], "a line of CSV, as an editor numbers it")
		require.Equal(t, "Fields imported.", lines.Map(t)["message"])

		many := [][]string{blank, blank}
		for range 1_001 {
			many = append(many, good)
		}
		queued := importOf(t, c.Upload(importPath(farm, ""), mediaXLSX, workbookOf(t, heading, append(many, bad)...)), 202)
		untilImported(t, c, *queued.JobID)
		report := c.Expect(200, http.MethodGet, "field/import/"+itoa(*queued.JobID)+"/", nil)
		require.Equal(t, 1_005.0, failed(report, "features")["row"])

		for _, query := range []string{"?preview=true", ""} {
			wrong := c.Upload(assessmentsPath+"import/"+query, mediaXLSX, workbookOf(t, []string{"resource_type", "resource_id", "assessment_year"}, []string{"farm", itoa(farm), "2024"}, blank, []string{"farm", itoa(farm), "soon"}))
			require.Equal(t, 4.0, failed(wrong, "items")["row"])
			require.Equal(t, query != "", strings.Contains(wrong.Map(t)["message"].(string), "preview"))
		}

		c = s.Company(access.RoleOwner, 1000_00)
		s.Subscribe(c)
		sampled(t, c)
		label := recordsOf(t, c.Expect(200, http.MethodGet, samplesPath, nil))[0]["label"].(string)
		results := workbookOf(t, []string{"label", "collected_at", "soc_pct"}, []string{label, "2024-03-01", "2.1"}, blank, []string{"nobody", "2024-03-01", "2.1"})
		require.Equal(t, 4.0, failed(c.Upload(samplesPath+"import/?preview=true", mediaXLSX, results), "rows")["row"])
	})
}
