package contract

import (
	"bytes"
	"encoding/csv"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/access"
	"tilth/tests/rig"
)

const planLinksPath = "soil/stratification/links/"

var printedAddress = regexp.MustCompile(`/URI \(https?://[^/]+/api/v1\.2/(link/[^)]+)\)`)

// printedCodes returns the addresses in the codes of a PDF, below the service root.
func printedCodes(file []byte) (out []string) {
	for _, found := range printedAddress.FindAllSubmatch(file, -1) {
		out = append(out, string(found[1]))
	}
	return out
}

// The codes on labels and field sheets open one sample or one plan for whoever holds the paper, and nothing else; they end
// by revocation, by time, and with what they show.
func TestPrintedCodes(t *testing.T) {
	t.Parallel()
	database := rig.SQLite(t)
	s := rig.Start(t, rig.Options{Database: database})
	c, stranger := s.Company(access.RoleOwner, 1000_00), s.Company(access.RoleOwner, 0)
	s.Subscribe(c)
	uuid := sampled(t, c)
	export := "soil/stratification/sample-plan/" + uuid + "/export/"
	holder := s.Anonymous()
	all := c.Expect(200, http.MethodGet, samplesPath+"?plan_uuid="+uuid, nil).Map(t)["data"].([]any)

	printed := c.Expect(200, http.MethodGet, export+"?format=labels", nil)
	require.Equal(t, "application/pdf", printed.Header.Get("Content-Type"))
	require.Contains(t, printed.Header.Get("Content-Disposition"), ".labels.pdf")
	require.Equal(t, printed.Body, c.Expect(200, http.MethodGet, export+"?format=labels", nil).Body, "the same labels, when they are printed again that day")
	labels := printedCodes(printed.Body)
	require.Len(t, labels, len(all), "one for each point and depth")
	seen := map[string]bool{}
	for _, code := range labels {
		shown := holder.Expect(200, http.MethodGet, code, nil)
		require.Equal(t, "no-referrer", shown.Header.Get("Referrer-Policy"))
		require.Equal(t, "no-store", shown.Header.Get("Cache-Control"))
		data := shown.Data(t)
		require.Equal(t, "label", data["kind"])
		require.Nil(t, data["plan"])
		seen[data["sample"].(map[string]any)["label"].(string)] = true
	}
	for _, r := range all {
		require.True(t, seen[r.(map[string]any)["label"].(string)], "%v", r)
	}
	first := holder.Expect(200, http.MethodGet, labels[0], nil).Data(t)["sample"].(map[string]any)
	lines, err := csv.NewReader(bytes.NewReader(c.Expect(200, http.MethodGet, export+"?format=csv", nil).Body)).ReadAll()
	require.NoError(t, err)
	require.Equal(t, []any{lines[1][0], 0.0, 30.0, "planned"}, []any{first["point"], first["depth_from_cm"], first["depth_to_cm"], first["status"]})
	require.NotEmpty(t, first["field"])

	// The laboratory's results, and who took the sample, are visible only to the company.
	id := itoa(int64(c.Expect(200, http.MethodGet, samplesPath+"?label="+first["label"].(string), nil).Map(t)["data"].([]any)[0].(map[string]any)["id"].(float64)))
	c.Expect(200, http.MethodPatch, samplesPath+id+"/", map[string]any{
		"collected": map[string]any{"at": "2026-03-01T10:00:00Z", "by": "Grażyna Nowak"}, "lab": map[string]any{"soc_pct": 2.4321}, "notes": "<script>by the barn</script>",
	})
	page := send(t, s, holder, "GET", labels[0], "", "Accept", "text/html,application/xhtml+xml,*/*;q=0.8")
	require.Equal(t, 200, page.Status)
	require.Equal(t, "text/html; charset=utf-8", page.Header.Get("Content-Type"))
	require.Contains(t, page.Header.Get("Content-Security-Policy"), "default-src 'none'")
	require.Equal(t, "noindex", page.Header.Get("X-Robots-Tag"))
	require.Contains(t, page.Header.Get("Vary"), "Accept")
	for _, words := range []string{first["label"].(string), "analysed", "geo:", "width=device-width"} {
		require.Contains(t, string(page.Body), words)
	}
	for _, answer := range []rig.Answer{page, holder.Expect(200, http.MethodGet, labels[0], nil)} {
		for _, words := range []string{"2.4321", "Nowak", "barn", "<script"} {
			require.NotContains(t, string(answer.Body), words)
		}
	}

	// The code of the field sheet opens the plan.
	sheet := printedCodes(c.Expect(200, http.MethodGet, export+"?format=pdf", nil).Body)
	require.Len(t, sheet, 1)
	plan := holder.Expect(200, http.MethodGet, sheet[0], nil).Data(t)
	require.Nil(t, plan["sample"])
	points := plan["plan"].(map[string]any)["points"].([]any)
	require.Len(t, points, len(all)/2)
	require.Len(t, points[0].(map[string]any)["samples"], 2)
	page = send(t, s, holder, "GET", sheet[0], "", "Accept", "text/html")
	require.Contains(t, string(page.Body), uuid)

	// Nothing else opens, with any method, and no refusal tells why.
	token := strings.TrimSuffix(strings.TrimPrefix(labels[0], "link/"), "/")
	forged := "link/" + token[:len(token)-1] + string("AB"[strings.Count(token[len(token)-1:], "A")]) + "/"
	unknown := holder.Expect(404, http.MethodGet, "link/AQHwCqDRoXd4yVn3tFh4mDk2sQ/", nil)
	require.Equal(t, unknown.Map(t)["message"], holder.Expect(404, http.MethodGet, forged, nil).Map(t)["message"])
	require.Equal(t, unknown.Map(t)["message"], holder.Expect(404, http.MethodGet, "link/x/", nil).Map(t)["message"])
	page = send(t, s, holder, "GET", forged, "", "Accept", "text/html")
	require.Equal(t, 404, page.Status)
	require.Contains(t, string(page.Body), "This code opens nothing")
	holder.Expect(405, http.MethodPost, labels[0], map[string]any{})
	rig.Remote(t, s.URL, token).Expect(401, http.MethodGet, samplesPath, nil)

	c.Expect(400, http.MethodGet, export+"?format=labels&round=101", nil)
	require.Equal(t, "no_samples", c.Expect(409, http.MethodGet, export+"?format=labels&round=2", nil).Map(t)["code"])
	stranger.Expect(404, http.MethodGet, export+"?format=labels", nil)
	holder.Expect(401, http.MethodGet, export+"?format=labels", nil)

	// Links are listed, and revoked one printing at a time; the next printing has another link.
	listed := c.Expect(200, http.MethodGet, planLinksPath+"?plan_uuid="+uuid, nil).Map(t)["data"].([]any)
	require.Len(t, listed, 2)
	require.NotContains(t, string(c.Expect(200, http.MethodGet, planLinksPath, nil).Body), token)
	require.Empty(t, stranger.Expect(200, http.MethodGet, planLinksPath, nil).Map(t)["data"])
	printing := itoa(int64(listed[0].(map[string]any)["id"].(float64)))
	require.Len(t, listedAt(t, c, planLinksPath+"?id=999999,"+printing), 1)
	require.Empty(t, listedAt(t, c, planLinksPath+"?farm=999999"))
	farms := listedAt(t, c, "farm/")
	require.Len(t, listedAt(t, c, planLinksPath+"?farm="+itoa(int64(farms[0].(map[string]any)["id"].(float64)))), 2)
	one := printing + "/"
	require.Equal(t, "label", listed[0].(map[string]any)["kind"])
	stranger.Expect(404, http.MethodDelete, planLinksPath+one, nil)
	c.Expect(204, http.MethodDelete, planLinksPath+one, nil)
	c.Expect(404, http.MethodDelete, planLinksPath+one, nil)
	holder.Expect(404, http.MethodGet, labels[0], nil)
	holder.Expect(200, http.MethodGet, sheet[0], nil)
	again := printedCodes(c.Expect(200, http.MethodGet, export+"?format=labels", nil).Body)
	require.NotEqual(t, labels[0], again[0])
	holder.Expect(200, http.MethodGet, again[0], nil)
	require.Contains(t, string(c.Expect(200, http.MethodGet, "audit/?resource=sample_plan_map", nil).Body), "revoke_link")

	rig.Exec(t, database, "UPDATE plan_links SET expires_at = created_at WHERE kind = 'field_sheet'")
	holder.Expect(404, http.MethodGet, sheet[0], nil)
	c.Expect(204, http.MethodDelete, aoisPath+itoa(int64(all[0].(map[string]any)["aoi"].(map[string]any)["id"].(float64)))+"/", nil)
	holder.Expect(404, http.MethodGet, again[0], nil)
}
