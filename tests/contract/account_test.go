package contract

import (
	"encoding/json"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/app/account"
	"tilth/core/access"
	"tilth/tests/rig"
)

// A link leads to a page that sends its token to a route of the interface.
func TestLinksLeadToPages(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{})
	anonymous := s.Anonymous()
	paths := document(t, anonymous)
	for _, link := range []string{account.InvitationPage, account.ResetPage} {
		page := link[:len(link)-1] // what follows the # is not sent
		a := anonymous.Expect(200, "GET", page, nil)
		require.Contains(t, a.Header.Get("Content-Type"), "text/html")
		require.Contains(t, a.Header.Get("Content-Security-Policy"), "script-src 'self'")
		action := regexp.MustCompile(`data-action="([^"]+)"`).FindSubmatch(a.Body)
		require.NotNil(t, action)
		require.Contains(t, paths, string(action[1]))
		script := regexp.MustCompile(`<script src="([^"]+)"`).FindSubmatch(a.Body)
		require.NotNil(t, script)
		require.Contains(t, anonymous.Expect(200, "GET", string(script[1]), nil).Header.Get("Content-Type"), "text/javascript")
	}
}

// operation is what the document states about a method of a path.
type operation struct {
	Permission access.Slug `json:"x-permission"`
	Security   *[]any      `json:"security"`
}

// document returns the paths of the interface document with their methods.
func document(t *testing.T, c *rig.Client) map[string]map[string]json.RawMessage {
	t.Helper()
	var doc struct {
		Paths map[string]map[string]json.RawMessage
	}
	require.NoError(t, json.Unmarshal(c.Expect(200, "GET", "/openapi.json", nil).Body, &doc))
	return doc.Paths
}

// Every permission that a route asks for can be put into a role.
func TestEveryRoutesSlugIsKnown(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{})
	seen := 0
	for path, methods := range document(t, s.Anonymous()) {
		for method, raw := range methods {
			var op operation
			if json.Unmarshal(raw, &op) != nil || op.Permission == "" || op.Permission == access.Operate.Slug() { // which no role has
				continue
			}
			seen++
			require.True(t, access.Known(op.Permission), "%s %s asks for %q, which core/access does not know", method, path, op.Permission)
		}
	}
	require.Greater(t, seen, 30)
}
