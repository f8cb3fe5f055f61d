package contract

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/cli"
	"tilth/tests/pgtest"
	"tilth/tests/rig"
)

// One command copies a SQLite database to PostgreSQL: every response stays the same, ids continue, and people stay signed in.
func TestCopyToPostgreSQL(t *testing.T) {
	t.Parallel()
	database, target := rig.SQLite(t), pgtest.Open(t)
	s := rig.Start(t, rig.Options{Database: database})
	c := s.Company("owner", 100_00)
	furnish(t, s, c)
	land := c.Land(rig.Archive(t).Parcels[0].Boundary, "2025-03-01", "2025-10-31")
	order := int64(c.Expect(200, http.MethodPost, rig.OrdersPath, land.OrderBody()).Data(t)["order_id"].(float64))
	c.Until(order, "active")
	assessed, _ := assess(t, c, riceBody(t, "field", land.Field))
	c.Expect(200, http.MethodPost, assessmentAt(assessed)+"submit/", nil)
	var gone int64 // the largest id, which must not be used again
	for range 3 {
		gone = c.Make("farm/", map[string]any{"name": "Gone"})
	}
	c.Expect(204, http.MethodDelete, path("farm", gone), nil)

	_, errOut, status := run(t, database, "", "copy", "--to", target)
	require.Equal(t, 1, status)
	require.Contains(t, errOut, "A server uses this database")
	before := answersOf(t, s.URL, c)
	s.Stop()
	copied := runJSON(t, database, "copy", "--to", target)
	require.Greater(t, copied["rows"], 300.0)
	_, errOut, status = run(t, database, "", "copy", "--to", target)
	require.Equal(t, 1, status)
	require.Contains(t, errOut, "Fix: give an empty database.")
	_, errOut, status = run(t, target, "", "copy", "--to", database)
	require.Equal(t, 1, status)
	require.Contains(t, errOut, "only to PostgreSQL")

	for _, name := range []string{"audit", "ledger"} {
		here, there := objects(t, database, "verify", name), objects(t, target, "verify", name)
		require.Equal(t, here, there, "the chains go with their rows")
		require.Equal(t, true, there[0]["whole"])
		require.Zero(t, there[0]["waiting"])
	}

	moved := rig.Start(t, rig.Options{Database: target, Config: func(cfg *cli.Config) { cfg.ObjectsURL = rig.ObjectsOf(t, database) }})
	there := rig.Remote(t, moved.URL, c.Token)
	after := answersOf(t, moved.URL, there)
	require.Greater(t, len(before), 25)
	for at, want := range before {
		require.Equal(t, want, after[at], at)
	}
	require.Equal(t, gone+1, there.Make("farm/", map[string]any{"name": "Next"}))
}

// signedFor are the signed links of a response, and their expiry: they are made anew for every response.
var signedFor = regexp.MustCompile(`(?:\?|&|\\u0026)link=[\w.-]+|"tilth:links_expire_at":"[^"]*",?`)

// answersOf returns the responses of the routes without parameters, without the server's address.
func answersOf(t *testing.T, url string, c *rig.Client) map[string]any {
	t.Helper()
	out := map[string]any{}
	for _, r := range documentedRoutes(t) {
		if r.method != http.MethodGet || r.stream || r.public || strings.Contains(r.path, "{") {
			continue
		}
		a := c.Do(r.method, r.path, nil)
		text := signedFor.ReplaceAllString(strings.ReplaceAll(string(a.Body), url, ""), "")
		var body any = text
		if json.Valid([]byte(text)) {
			require.NoError(t, json.Unmarshal([]byte(text), &body))
		}
		out[r.path] = []any{a.Status, body}
	}
	return out
}
