package contract

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/cli"
	"tilth/tests/moved"
	"tilth/tests/rig"
)

// stayed are the lists that do not move, or differ afterwards: the trail has entries about the move, and keys have lost
// the part that admits anyone.
var stayed = map[string]bool{
	"audit/": true, "events/": true, "webhook/": true, "pact-client/": true, "share-grant/": true, "api-key/": true,
}

// movedAnswers are the answers of a company that must be the same wherever it is.
func movedAnswers(t *testing.T, url string, c *rig.Client) map[string]any {
	t.Helper()
	out := answersOf(t, url, c)
	for at := range out {
		if stayed[at] || strings.HasPrefix(at, "operator/") {
			delete(out, at)
		}
	}
	return out
}

// A company moves from one database to the other and back, among the companies already there: every response is as it
// was, and so is every row of its file except for the ids. Its trail names the head of the chain that it had.
func TestACompanyMoves(t *testing.T) {
	t.Parallel()
	for name, way := range map[string][2]func(testing.TB) string{"from SQLite": {rig.SQLite, rig.PostgreSQL}, "from PostgreSQL": {rig.PostgreSQL, rig.SQLite}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home, away, back := way[0](t), way[1](t), way[0](t)
			used(t, home, map[string]int64{"companies": 40, "users": 3, "farms": 5, "fields": 7, "profile_orders": 11, "assessments": 13})
			s := rig.Start(t, rig.Options{Database: home})
			c := s.Company("owner", 1000_00)
			furnish(t, s, c)
			land := c.Land(rig.Archive(t).Parcels[1].Boundary, "2025-03-01", "2025-10-31")
			order := int64(c.Expect(200, http.MethodPost, rig.OrdersPath, land.OrderBody()).Data(t)["order_id"].(float64))
			c.Until(order, "active")
			assessed, _ := assess(t, c, riceBody(t, "field", land.Field))
			file := c.Upload(assessmentAt(assessed)+"evidence/?name=invoice.pdf", "application/pdf", strings.NewReader("%PDF-1.4\nan invoice\n%%EOF\n"))
			require.Equal(t, 201, file.Status, "%s", file.Body)
			c.Expect(200, http.MethodPost, assessmentAt(assessed)+"submit/", nil)
			s.User(c.CompanyID, "owner").Expect(200, http.MethodPost, assessmentAt(assessed)+"submissions/1/sign/", map[string]any{"statement": "Read."})
			c.Expect(200, http.MethodPost, publishPath(assessed, 1), publishTerms("urn:gtin:4712345060507"))
			c.Expect(200, http.MethodPost, path("profiles/vegetation-index-profile/orders", order)+"monitor/", map[string]any{})
			mapOf(t, c, land.OrderBody())
			whole := c.Make("field/", map[string]any{"name": "Long", "farm_id": land.Farm, "boundary": plot(0, 0, 4, 2)})
			c.Expect(200, http.MethodPost, path("field", whole)+"split/", map[string]any{"line": cutLine([2]float64{2, -1}, [2]float64{2, 3})})
			c.Expect(200, http.MethodPatch, path("field", land.Field), map[string]any{"notes": "näher <b> & \"x\""})
			gone := c.Make("farm/", map[string]any{"name": "Gone"})
			c.Expect(204, http.MethodDelete, path("farm", gone), nil)
			email := c.Expect(200, http.MethodGet, "user/", nil).Map(t)["data"].([]any)[0].(map[string]any)["email"].(string)
			s.Stop()
			before := atRest(t, home, c.Token)

			folder := t.TempDir()
			first, second := filepath.Join(folder, "1.zip"), filepath.Join(folder, "2.zip")
			made := runJSON(t, home, "company", "export", "--company", itoa(c.CompanyID), first)
			require.NotEmpty(t, made["manifest_sha256"])
			require.Contains(t, mustJSON(t, made["manifest"].(map[string]any)["left_out"]), "webhooks")

			other := rig.Start(t, rig.Options{Database: away})
			neighbour := other.Company("owner", 100_00)
			furnish(t, other, neighbour)
			other.Stop()
			arrived := runJSON(t, away, "company", "import", first)
			require.Equal(t, made["manifest"].(map[string]any)["company"].(map[string]any)["uuid"], arrived["uuid"])
			require.NotEqual(t, c.CompanyID, arrived["id"])
			_, errOut, status := run(t, away, "", "company", "import", first)
			require.Equal(t, 1, status)
			require.Contains(t, errOut, "already exists here")
			for _, chain := range []string{"audit", "ledger"} {
				for _, one := range objects(t, away, "verify", chain) {
					require.Equal(t, true, one["whole"], "%v", one)
					require.Zero(t, one["waiting"])
				}
			}
			opening := objects(t, away, "verify", "export", "audit", "--company", itoa(int64(arrived["id"].(float64))))[0]
			require.EqualValues(t, 1, opening["position"])
			head := objects(t, home, "verify", "export", "audit", "--company", itoa(c.CompanyID))
			require.Contains(t, mustJSON(t, opening["values"]), linesOf(t, head)[0])

			runJSON(t, away, "company", "export", "--company", itoa(int64(arrived["id"].(float64))), second)
			moved.Same(t, first, second)
			used(t, back, earlier(t, made))
			runJSON(t, back, "company", "import", second)
			after := atRest(t, back, runJSON(t, back, "token", "create", "--user", email)["access"].(string))
			require.Greater(t, len(before), 20)
			for at, want := range before {
				require.Equal(t, want, after[at], at)
			}
		})
	}
}

// used makes a database without records count ids of tables as taken, up to the last one given, as transactions do that are run again.
func used(t *testing.T, database string, last map[string]int64) {
	t.Helper()
	for table, id := range last {
		if strings.HasPrefix(database, "sqlite:") {
			rig.Exec(t, database, fmt.Sprintf("INSERT INTO sqlite_sequence (name, seq) VALUES ('%s', %d)", table, id))
		} else {
			rig.Exec(t, database, fmt.Sprintf("SELECT setval(pg_get_serial_sequence('%s', 'id'), %d)", table, id))
		}
	}
}

// earlier returns the last ids that had been taken before the first ones of an exported company.
func earlier(t *testing.T, made map[string]any) map[string]int64 {
	t.Helper()
	out := map[string]int64{}
	for table, span := range made["manifest"].(map[string]any)["ids"].(map[string]any) {
		if first := int64(span.(map[string]any)["first"].(float64)); first > 1 {
			out[table] = first - 1
		}
	}
	require.NotEmpty(t, out)
	return out
}

// atRest returns the responses of a server that does no background work.
func atRest(t *testing.T, database, token string) map[string]any {
	t.Helper()
	s := rig.Start(t, rig.Options{Database: database, Config: func(cfg *cli.Config) { cfg.Roles = "api" }})
	defer s.Stop()
	return movedAnswers(t, s.URL, rig.Remote(t, s.URL, token))
}

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	require.NoError(t, err)
	return string(raw)
}

// linesOf returns the signed statements of an exported chain, the last one first.
func linesOf(t *testing.T, lines []map[string]any) (out []string) {
	t.Helper()
	for i := len(lines) - 1; i >= 0; i-- {
		if text, is := lines[i]["checkpoint"].(string); is {
			out = append(out, text)
		}
	}
	require.NotEmpty(t, out)
	return out
}

// A file that differs from what was exported stores nothing, and the error names the file inside it, the row and what to do.
func TestBadCompanyFilesAreRefused(t *testing.T) {
	t.Parallel()
	home := rig.SQLite(t)
	s := rig.Start(t, rig.Options{Database: home})
	c := s.Company("owner", 100_00)
	land := c.Land(rig.Square(300, 0), "2099-01-01", "2099-12-31")
	assessed, _ := assess(t, c, map[string]any{"resource_type": "field", "resource_id": land.Field})
	require.Equal(t, 201, c.Upload(assessmentAt(assessed)+"evidence/?name=a.pdf", "application/pdf", strings.NewReader("%PDF-1.4\n%%EOF\n")).Status)
	s.Stop()
	good := filepath.Join(t.TempDir(), "good.zip")
	runJSON(t, home, "company", "export", "--company", itoa(c.CompanyID), good)
	replace := func(old, fresh string) func([]byte) []byte {
		return func(text []byte) []byte {
			require.Contains(t, string(text), old)
			require.Len(t, fresh, len(old), "the manifest counts bytes")
			return bytes.Replace(text, []byte(old), []byte(fresh), 1)
		}
	}
	gone := func([]byte) []byte { return nil }
	const farms, trail = "tables/farms.jsonl", "tables/audit_entries.jsonl"
	for _, each := range []func(testing.TB) string{rig.SQLite, rig.PostgreSQL} {
		target := each(t)
		objectsAt := strings.TrimPrefix(rig.ObjectsOf(t, target), "file:")
		require.NoError(t, os.MkdirAll(objectsAt, 0o700))
		for name, bad := range map[string]struct {
			honest bool
			change map[string]func([]byte) []byte
			says   []string
		}{
			"a byte":              {false, map[string]func([]byte) []byte{farms: replace(`"Farm"`, `"Form"`)}, []string{farms, "SHA-256"}},
			"a file is gone":      {false, map[string]func([]byte) []byte{farms: gone}, []string{farms, "is not in it"}},
			"no manifest":         {false, map[string]func([]byte) []byte{"manifest.json": gone}, []string{"manifest.json", "Fix:"}},
			"a file more":         {false, map[string]func([]byte) []byte{"+": func([]byte) []byte { return []byte("x") }}, []string{`"extra"`, "does not list"}},
			"a later format":      {false, map[string]func([]byte) []byte{"manifest.json": replace(`"format": 1`, `"format": 2`)}, []string{"format 2", "upgrade"}},
			"no JSON":             {true, map[string]func([]byte) []byte{farms: replace(`{"id":`, `("id":`)}, []string{farms + ", line 1", "not a JSON"}},
			"a column":            {true, map[string]func([]byte) []byte{farms: replace(`"phone":`, `"phono":`)}, []string{farms + ", line 1", `"phono" is not a column`}},
			"a time":              {true, map[string]func([]byte) []byte{farms: replace(`"created_at":"20`, `"created_at":"xx`)}, []string{farms + ", line 1", "created_at"}},
			"an id of others":     {true, map[string]func([]byte) []byte{"tables/fields.jsonl": replace(`"farm_id":1,`, `"farm_id":9,`)}, []string{"tables/fields.jsonl, line 1", "no id 9 of farms"}},
			"a company of others": {true, map[string]func([]byte) []byte{farms: replace(`"company_id":1,`, `"company_id":2,`)}, []string{farms + ", line 1", "no id 2 of companies"}},
			"the trail":           {true, map[string]func([]byte) []byte{trail: replace(`"action":"create"`, `"action":"delete"`)}, []string{"audit_entries is broken", "position 1"}},
			"the wallet":          {true, map[string]func([]byte) []byte{"tables/wallets.jsonl": replace(`"balance":10000`, `"balance":90000`)}, []string{"the wallet states 900.00"}},
			"a role":              {true, map[string]func([]byte) []byte{"tables/role_slugs.jsonl": replace(`"farm.*"`, `"form.*"`)}, []string{"not a permission here"}},
		} {
			_, errOut, status := run(t, target, "", "company", "import", rewritten(t, good, bad.honest, bad.change))
			require.Equal(t, 1, status, name)
			for _, says := range bad.says {
				require.Contains(t, errOut, says, name)
			}
			require.Empty(t, objects(t, target, "company", "list"), name)
			require.Empty(t, filesBelow(t, objectsAt), name)
		}
		other := base64.StdEncoding.EncodeToString(make([]byte, 32))
		_, errOut, status := run(t, target, "", "company", "import", good, "--key", other)
		require.Equal(t, 1, status)
		require.Contains(t, errOut, "not signed by a known key")
		key := objects(t, home, "verify", "keys")[0]["key"].(string)
		renamed := runJSON(t, target, "company", "import", good, "--key", key, "--name", "Moved & renamed")
		require.Equal(t, "Moved & renamed", renamed["name"])
	}
}

// filesBelow returns the stored files of companies that moved.
func filesBelow(t *testing.T, folder string) (out []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(filepath.Join(folder, "moved"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			out = append(out, path)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}))
	return out
}

// An owner exports the company's data over HTTP: nobody else may, no key opens it, one export is made at a time, and
// the download goes into another installation unchanged, without anyone's password.
func TestOwnersExportTheirCompany(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		c := s.Company("owner", 100_00)
		c.Land(rig.Square(300, 0), "2099-01-01", "2099-12-31")
		stranger := s.Company("owner", 0)
		require.Equal(t, "company.export", s.User(c.CompanyID, "editor").Expect(403, http.MethodPost, "company/export/", nil).Map(t)["details"].(map[string]any)["required_permission"])
		made := c.Expect(202, http.MethodPost, "company/export/", nil).Data(t)
		at := path("company/export", int64(made["id"].(float64)))
		stranger.Expect(404, http.MethodGet, at, nil)
		stranger.Expect(404, http.MethodGet, at+"file/", nil)
		var done map[string]any
		rig.Eventually(t, func() bool {
			done = c.Expect(200, http.MethodGet, at, nil).Data(t)
			return done["status"] != "queued" && done["status"] != "running"
		}, time.Minute, 20*time.Millisecond)
		require.Equal(t, "completed", done["status"], "%v", done["reason"])
		file := c.Expect(200, http.MethodGet, at+"file/", nil)
		require.EqualValues(t, done["bytes"], len(file.Body))
		require.Contains(t, file.Header.Get("Content-Disposition"), "company-")
		entries := c.Expect(200, http.MethodGet, "audit/?action=export", nil).Map(t)["data"].([]any)
		require.Len(t, entries, 1)
		require.Contains(t, mustJSON(t, entries[0]), done["manifest_sha256"])

		name := filepath.Join(t.TempDir(), "mine.zip")
		require.NoError(t, os.WriteFile(name, file.Body, 0o600))
		for _, user := range rowsOfFile(t, name)["users"] {
			require.Empty(t, user["password_hash"])
		}
		target := rig.SQLite(t)
		require.EqualValues(t, done["records"], runJSON(t, target, "company", "import", name)["rows"].(float64)+float64(proofRows(t, name)))
		key := c.Expect(200, http.MethodPost, "api-key/", map[string]any{"name": "all"}).Data(t)["key"].(string)
		require.Equal(t, 401, rig.Remote(t, s.URL, "").Upload("company/export/", "application/json", strings.NewReader(""), "X-API-Key", key).Status)
	})
}

// proofRows counts the rows of a file that prove something and are not stored.
func proofRows(t *testing.T, name string) int {
	rows := rowsOfFile(t, name)
	return len(rows["chain_links"]) + len(rows["chain_checkpoints"])
}

// Two concurrent requests get one export.
func TestOneExportAtATime(t *testing.T) {
	t.Parallel()
	database := rig.SQLite(t)
	s := rig.Start(t, rig.Options{Database: database, Config: func(cfg *cli.Config) { cfg.Roles = "api" }})
	c := s.Company("owner", 0)
	at := path("company/export", int64(c.Expect(202, http.MethodPost, "company/export/", nil).Data(t)["id"].(float64)))
	require.Equal(t, "export_running", c.Expect(409, http.MethodPost, "company/export/", nil).Map(t)["code"])
	require.Equal(t, "export_not_ready", c.Expect(409, http.MethodGet, at+"file/", nil).Map(t)["code"])
}
