package contract

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/cli"
	"tilth/tests/rig"
)

const (
	onePDF = "%PDF-1.7\n1 0 obj<<>>endobj\ntrailer<<>>\n%%EOF\n"
	onePNG = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
)

func evidenceAt(id int64) string { return assessmentAt(id) + "evidence/" }

// attach sends a file as the body and returns the resulting record.
func attach(t testing.TB, c *rig.Client, id int64, query, content string, status int) map[string]any {
	t.Helper()
	a := c.Upload(evidenceAt(id)+"?"+query, "application/octet-stream", strings.NewReader(content))
	require.Equal(t, status, a.Status, "%s", a.Body)
	if status >= 400 {
		return a.Map(t)
	}
	return a.Data(t)
}

func fileID(record map[string]any) int64 { return int64(record["id"].(float64)) }

// TestEvidenceIsAttached checks that files are stored and returned byte for byte, each content once, for users with the permission and nobody else.
func TestEvidenceIsAttached(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database, Config: func(c *cli.Config) { c.MaxEvidenceFiles, c.MaxEvidenceBytes = 3, 4096 }})
		c, stranger := s.Company("owner", 0), s.Company("owner", 0)
		viewer := s.User(c.CompanyID, "viewer")
		id, _ := assess(t, c, wheatBody(t, c))
		item := fileID(c.Expect(200, http.MethodGet, assessmentAt(id), nil).Data(t)["fertilizers"].([]any)[0].(map[string]any))
		about := fmt.Sprintf("section=fertilizers&item_id=%d&field=rate&note=%s", item, url.QueryEscape("Lieferschein Nr. 7 für März"))
		pdf := attach(t, c, id, "name="+url.QueryEscape(`C:\Scans\Rechnung März.pdf`)+"&"+about, onePDF, 201)
		require.Equal(t, []any{"Rechnung März.pdf", "application/pdf", float64(len(onePDF)), fmt.Sprintf("%x", sha256.Sum256([]byte(onePDF))), false},
			[]any{pdf["name"], pdf["media_type"], pdf["size"], pdf["sha256"], pdf["again"]})

		// The same bytes are attached once, even by concurrent callers.
		answers := make(chan rig.Answer, 4)
		for i := range cap(answers) {
			go func() {
				answers <- c.Upload(evidenceAt(id)+fmt.Sprintf("?name=%d.png", i), "image/png", strings.NewReader(onePNG))
			}()
		}
		statuses, ids := map[int]int{}, map[any]bool{}
		for range cap(answers) {
			a := <-answers
			statuses[a.Status]++
			ids[a.Data(t)["id"]] = true
		}
		require.Equal(t, map[int]int{201: 1, 200: 3}, statuses)
		require.Len(t, ids, 1)

		// The file in a form has its own name.
		var form bytes.Buffer
		w := multipart.NewWriter(&form)
		part, err := w.CreateFormFile("file", "hours.csv")
		require.NoError(t, err)
		_, err = part.Write([]byte("day;hours\n1;2\n"))
		require.NoError(t, err)
		require.NoError(t, w.Close())
		sent := c.Upload(evidenceAt(id), w.FormDataContentType(), &form)
		require.Equal(t, 201, sent.Status, "%s", sent.Body)
		require.Equal(t, "text/csv", sent.Data(t)["media_type"])
		hours := c.Expect(200, http.MethodGet, evidenceAt(id)+itoa(int64(sent.Data(t)["id"].(float64)))+"/", nil)
		require.Equal(t, "day;hours\n1;2\n", string(hours.Body))

		full := attach(t, c, id, "name=more.txt", "more", 409)
		require.Equal(t, "limit_reached", full["code"])
		require.Equal(t, "TILTH_MAX_EVIDENCE_FILES", full["details"].(map[string]any)["setting"])
		attach(t, c, id, "name=again.pdf", onePDF, 200)
		require.Equal(t, "body_too_large", attach(t, c, id, "name=large.txt", strings.Repeat("x", 4097), 413)["code"])
		require.Equal(t, "body_too_large", attach(t, c, id, "name=huge.txt", strings.Repeat("x", 1<<20), 413)["code"])
		for query, body := range map[string]string{
			"name=page.pdf": "<html><script>1</script>", "name=a.exe": onePDF, "name=a.pdf": "", "": onePDF, "name=a.pdf&section=nothing": onePDF,
			"name=a.pdf&section=fertilizers&item_id=99999": onePDF, "name=a.pdf&note=" + strings.Repeat("x", 1001): onePDF,
		} {
			attach(t, c, id, query, body, 400)
		}

		list := c.Expect(200, http.MethodGet, evidenceAt(id), nil).Data(t)
		require.Len(t, list["files"], 3)
		require.Equal(t, []any{float64(3), float64(4096)}, []any{list["max_files"], list["max_bytes"]})
		first := list["files"].([]any)[0].(map[string]any)
		require.Equal(t, []any{"fertilizers", float64(item), "rate", "Lieferschein Nr. 7 für März"}, []any{first["section"], first["item_id"], first["field"], first["note"]})
		one := evidenceAt(id) + itoa(fileID(pdf)) + "/"
		got := viewer.Expect(200, http.MethodGet, one, nil)
		require.Equal(t, onePDF, string(got.Body))
		require.Equal(t, "application/pdf", got.Header.Get("Content-Type"))
		require.Equal(t, "nosniff", got.Header.Get("X-Content-Type-Options"))
		require.Contains(t, got.Header.Get("Content-Security-Policy"), "sandbox")
		require.Contains(t, got.Header.Get("Content-Disposition"), "attachment; filename*=utf-8''Rechnung%20M%C3%A4rz.pdf")

		// A user without the permission is refused; another company finds nothing here.
		require.Equal(t, 403, viewer.Upload(evidenceAt(id)+"?name=a.txt", "text/plain", strings.NewReader("a")).Status)
		viewer.Expect(403, http.MethodDelete, one, nil)
		require.Equal(t, 404, stranger.Upload(evidenceAt(id), "text/plain", strings.NewReader("a")).Status)
		stranger.Expect(404, http.MethodGet, evidenceAt(id), nil)
		stranger.Expect(404, http.MethodGet, one, nil)
		stranger.Expect(404, http.MethodDelete, one, nil)
		other, _ := assess(t, c, wheatBody(t, c))
		c.Expect(404, http.MethodGet, evidenceAt(other)+itoa(fileID(pdf))+"/", nil)
		require.Empty(t, c.Expect(200, http.MethodGet, evidenceAt(other), nil).Data(t)["files"])

		// A text cites an attached file, which then cannot be removed.
		cite := func(text string) map[string]any { return map[string]any{"notes": text} }
		section := assessmentAt(id) + "sections/soil/"
		wrong := c.Expect(400, http.MethodPatch, section, cite("Seen in file:999999.")).Map(t)
		require.Contains(t, fmt.Sprint(wrong["details"]), "notes")
		c.Expect(400, http.MethodPost, "ghg/assessments/", map[string]any{"resource_type": "farm", "resource_id": 1, "soil": cite("file:1")})
		cited := fmt.Sprintf("Seen in file:%d.", fileID(pdf))
		c.Expect(400, http.MethodPatch, assessmentAt(other), map[string]any{"soil": cite(cited)})
		c.Expect(200, http.MethodPatch, section, cite(cited))
		refused := c.Expect(409, http.MethodDelete, one, nil).Map(t)
		require.Equal(t, "evidence_cited", refused["code"])
		require.Equal(t, []any{"soil.notes"}, refused["details"].(map[string]any)["paths"])
		c.Expect(200, http.MethodPatch, section, cite("nothing"))
		c.Expect(204, http.MethodDelete, one, nil)
		c.Expect(404, http.MethodDelete, one, nil)
		c.Expect(404, http.MethodGet, one, nil)
		trail := string(c.Expect(200, http.MethodGet, "audit/?resource=assessment&record="+itoa(id), nil).Body)
		require.Contains(t, trail, fmt.Sprintf("evidence[%d]", fileID(pdf)))
		attach(t, c, id, "name=back.pdf", onePDF, 201)
	})
}

// TestEvidenceIsFrozen checks that a version lists what was attached, its signature covers the list, and nothing changes either.
func TestEvidenceIsFrozen(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		c := s.Company("owner", 0)
		second := s.User(c.CompanyID, "editor")
		id, _ := assess(t, c, wheatBody(t, c))
		c.Expect(200, http.MethodPost, submitPath(id), nil)
		bare := c.Expect(200, http.MethodGet, assessmentAt(id)+"submissions/1/", nil).Data(t)
		require.Equal(t, []any{"", []any{}}, []any{bare["evidence_digest"], bare["evidence"]})
		changed := func() any {
			return c.Expect(200, http.MethodGet, assessmentAt(id), nil).Data(t)["has_unsubmitted_changes"]
		}
		require.Equal(t, false, changed())

		pdf := fileID(attach(t, c, id, "name=a%3Cb%3E.pdf&section=soil&field=ph&note=%26", onePDF, 201))
		require.Equal(t, true, changed(), "a file is a change")
		again := c.Expect(200, http.MethodPost, submitPath(id), nil).Data(t)
		require.Equal(t, []any{float64(2), false}, []any{again["version"], again["unchanged"]})
		require.Equal(t, true, c.Expect(200, http.MethodPost, submitPath(id), nil).Data(t)["unchanged"])
		c.Expect(204, http.MethodDelete, evidenceAt(id)+itoa(pdf)+"/", nil)
		require.Equal(t, true, changed())
		require.Equal(t, onePDF, string(c.Expect(200, http.MethodGet, evidenceAt(id)+itoa(pdf)+"/", nil).Body), "the version holds it")
		require.Empty(t, c.Expect(200, http.MethodGet, evidenceAt(id), nil).Data(t)["files"])

		signed := second.Expect(200, http.MethodPost, assessmentAt(id)+"submissions/2/sign/", map[string]any{"statement": "Read."}).Data(t)
		covers := signed["signatures"].([]any)[0].(map[string]any)["covers"].([]any)
		require.Equal(t, "evidence_digest", covers[len(covers)-1])
		var frozen struct {
			Evidence       json.RawMessage
			EvidenceDigest string `json:"evidence_digest"`
		}
		c.Expect(200, http.MethodGet, assessmentAt(id)+"submissions/2/", nil).Into(t, &frozen)
		require.Equal(t, fmt.Sprintf("%x", sha256.Sum256(frozen.Evidence)), frozen.EvidenceDigest, "the list is there to the byte")
		require.Contains(t, string(frozen.Evidence), fmt.Sprintf("%x", sha256.Sum256([]byte(onePDF))))

		// Reports list the files of the version they are based on.
		report := c.Expect(200, http.MethodGet, reportPath(id)+"?basis=submitted&version=2", nil).Data(t)
		file := report["evidence"].([]any)[0].(map[string]any)
		require.Equal(t, []any{float64(pdf), "soil.ph", "a<b>.pdf", "&"}, []any{file["id"], file["for"], file["name"], file["note"]})
		require.NotEmpty(t, file["uploaded_by"].(map[string]any)["name"])
		require.Empty(t, c.Expect(200, http.MethodGet, reportPath(id), nil).Data(t)["evidence"])
		csv := string(c.Expect(200, http.MethodGet, reportPath(id)+"?basis=submitted&version=2&format=csv", nil).Body)
		require.Contains(t, csv, "evidence,a<b>.pdf,soil.ph")
		c.Expect(200, http.MethodGet, reportPath(id)+"?basis=submitted&version=2&format=pdf", nil)
	})
}

// TestEvidenceOutlivesKills kills a server while it receives files; the files that it lists afterwards are complete to the byte.
func TestEvidenceOutlivesKills(t *testing.T) {
	t.Parallel()
	database, source, folder := rig.SQLite(t), newGate(t), "TILTH_OBJECTS_URL=file:"+t.TempDir()
	token := tokenOf(t, database)
	p := rig.StartProcess(t, database, source.URL, folder)
	c := rig.Remote(t, p.URL, token)
	id, _ := assess(t, c, wheatBody(t, c))
	content := func(i int) string { return fmt.Sprint("line ", i, strings.Repeat("\nmore", 20_000)) }
	for round := range 3 {
		done := make(chan struct{})
		began := make(chan struct{}, 100)
		go func() {
			defer close(done)
			for i := range 100 {
				a, err := http.NewRequest(http.MethodPost, p.URL+"/api/v1.2/"+evidenceAt(id)+fmt.Sprintf("?name=%d-%d.txt", round, i), strings.NewReader(content(round*100+i)))
				if err != nil {
					return
				}
				a.Header.Set("Authorization", "Bearer "+token)
				res, err := http.DefaultClient.Do(a)
				if err != nil {
					return
				}
				_ = res.Body.Close()
				began <- struct{}{}
			}
		}()
		for range 5 {
			select {
			case <-began:
			case <-time.After(time.Minute):
				t.Fatal("no file was taken within a minute")
			}
		}
		p.Kill()
		<-done
		p = rig.StartProcess(t, database, source.URL, folder)
		c = rig.Remote(t, p.URL, token)
		files := c.Expect(200, http.MethodGet, evidenceAt(id), nil).Data(t)["files"].([]any)
		require.GreaterOrEqual(t, len(files), 5*(round+1))
		for _, f := range files {
			file := f.(map[string]any)
			body := c.Expect(200, http.MethodGet, evidenceAt(id)+itoa(fileID(file))+"/", nil).Body
			require.Equal(t, file["sha256"], fmt.Sprintf("%x", sha256.Sum256(body)))
		}
	}
	require.NoError(t, p.Terminate())
}
