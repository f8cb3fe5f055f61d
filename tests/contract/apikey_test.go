package contract

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/tests/rig"
)

// with sends a request with headers but without a token, and returns the status and the body.
func with(t *testing.T, s *rig.Server, method, path string, body string, headers ...string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.URL+"/api/v1.2/"+path, strings.NewReader(body))
	require.NoError(t, err)
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return res.StatusCode, string(text)
}

// newKey makes a key and returns its text and its id.
func newKey(t *testing.T, c *rig.Client, more map[string]any) (text string, id int64) {
	t.Helper()
	body := map[string]any{"name": "sensor bridge"}
	for k, v := range more {
		body[k] = v
	}
	got := c.Expect(200, "POST", "api-key/", body)
	require.Equal(t, "no-store", got.Header.Get("Cache-Control"))
	text = got.Data(t)["key"].(string)
	require.True(t, strings.HasPrefix(text, got.Data(t)["prefix"].(string)+"."))
	return text, int64(got.Data(t)["id"].(float64))
}

// locked is a buffer that many goroutines write to.
type locked struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *locked) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

func TestAPIKeys(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		var log locked
		s := rig.Start(t, rig.Options{Database: database, Log: &log})
		owner := s.Company("owner", 0)
		for range 3 {
			owner.Make("farm/", map[string]any{"name": "f"})
		}
		key, id := newKey(t, owner, nil)

		// It opens farm management, by header and by query, and acts as its user.
		status, body := with(t, s, "POST", "farm/", `{"name":"by key"}`, "X-API-Key", key, "Content-Type", "application/json")
		require.Equal(t, 200, status, body)
		status, body = with(t, s, "GET", "farm/?page_size=1&page=2&api_key="+key, "")
		require.Equal(t, 200, status)
		require.Contains(t, body, `"count":4`)
		require.NotContains(t, body, key, "links do not hold it")
		for _, p := range []string{"field/", "season/", "crop/", "cultivation/"} {
			status, _ = with(t, s, "GET", p, "", "X-API-Key", key)
			require.Equal(t, 200, status, p)
		}
		// And everything else by header, where the audit trail names the key.
		for _, p := range []string{"wallet/", "share-grant/", "audit/", orders + "/"} {
			status, body = with(t, s, "GET", p, "", "X-API-Key", key)
			require.Equal(t, 200, status, body)
		}
		status, body = with(t, s, "POST", "webhook/", `{"url":"https://hooks.example.org/","is_active":false}`, "X-API-Key", key, "Content-Type", "application/json")
		require.Equal(t, 200, status, body)
		require.Equal(t, &id, trailOf(t, owner, "?page_size=1")[0].APIKey)
		// A token takes precedence, whether good or bad.
		status, body = with(t, s, "GET", "farm/", "", "X-API-Key", key, "Authorization", "Bearer nonsense")
		require.Equal(t, 401, status)
		require.Contains(t, body, "token_invalid")
		status, _ = with(t, s, "GET", "farm/", "", "X-API-Key", "nonsense", "Authorization", "Bearer "+owner.Token)
		require.Equal(t, 200, status)
		for _, wrong := range []string{"x", key + "x", key[:len(key)-1], strings.ToUpper(key), "' OR 1=1 --", "\u00ff"} {
			status, body = with(t, s, "GET", "farm/", "", "X-API-Key", wrong)
			require.Equal(t, 401, status, wrong)
			require.Contains(t, body, "api_key_invalid")
			require.NotContains(t, body, key[:20])
		}
		// The key is never shown again, and its hash is never shown at all.
		for _, p := range []string{"api-key/", path("api-key", id), "audit/"} {
			text := string(owner.Expect(200, "GET", p, nil).Body)
			require.NotContains(t, text, key)
			require.NotContains(t, text, "hash")
		}
		status, body = with(t, s, "GET", "farm/?page=0&api_key="+key, "")
		require.Equal(t, 400, status)
		require.NotContains(t, body, key)
		require.NotContains(t, s.Metrics(), key)
		require.NotContains(t, log.String(), key)
		require.NotContains(t, log.String(), strings.SplitN(key, ".", 2)[1])

		// Once revoked, it stops working at once, and is no longer listed.
		owner.Expect(204, "DELETE", path("api-key", id), nil)
		status, body = with(t, s, "GET", "farm/", "", "X-API-Key", key)
		require.Equal(t, 401, status)
		require.Contains(t, body, "api_key_invalid")
		owner.Expect(404, "GET", path("api-key", id), nil)
		owner.Expect(404, "DELETE", path("api-key", id), nil)
	})
}

func TestAKeyHasNoMoreThanItsUser(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		owner, other := s.Company("owner", 0), s.Company("owner", 0)
		farm := owner.Make("farm/", map[string]any{"name": "f"})

		narrow, id := newKey(t, owner, map[string]any{"slugs": []string{"farm.view", "season.*"}})
		status, _ := with(t, s, "GET", path("farm", farm), "", "X-API-Key", narrow)
		require.Equal(t, 200, status)
		status, body := with(t, s, "DELETE", path("farm", farm), "", "X-API-Key", narrow)
		require.Equal(t, 403, status)
		require.Contains(t, body, `"required_permission":"farm.delete"`)
		status, _ = with(t, s, "GET", "field/", "", "X-API-Key", narrow)
		require.Equal(t, 403, status)
		status, _ = with(t, s, "POST", "season/", `{"name":"s","start_date":"2025-01-01","end_date":"2025-12-31"}`,
			"X-API-Key", narrow, "Content-Type", "application/json")
		require.Equal(t, 200, status)

		// A key for everything has the permissions of its user.
		viewer := s.User(owner.CompanyID, "viewer")
		viewer.Expect(403, "POST", "api-key/", map[string]any{"name": "x"})
		wide := operatorKey(t, database, viewer.Email, "--slug", "*")
		status, _ = with(t, s, "GET", path("farm", farm), "", "X-API-Key", wide)
		require.Equal(t, 200, status)
		status, _ = with(t, s, "DELETE", path("farm", farm), "", "X-API-Key", wide)
		require.Equal(t, 403, status)

		// Another company does not see it, with any method.
		other.Expect(404, "GET", path("api-key", id), nil)
		other.Expect(404, "DELETE", path("api-key", id), nil)
		var none []any
		other.Expect(200, "GET", "api-key/", nil).Into(t, &none)
		require.Empty(t, none)
		theirs, _ := newKey(t, other, nil)
		status, _ = with(t, s, "GET", path("farm", farm), "", "X-API-Key", theirs)
		require.Equal(t, 404, status)

		// It ends with its user.
		s.Disable(viewer.Email)
		status, body = with(t, s, "GET", "farm/", "", "X-API-Key", wide)
		require.Equal(t, 401, status)
		require.Contains(t, body, "user_disabled")

		for name, body := range map[string]map[string]any{
			"name":       {"name": ""},
			"slugs":      {"name": "x", "slugs": []string{"everything"}},
			"expires_at": {"name": "x", "expires_at": time.Now().Add(-time.Minute).Format(time.RFC3339)},
		} {
			require.Contains(t, owner.Expect(400, "POST", "api-key/", body).Map(t)["details"], name)
		}
	})
}

// keyless are the first words of the paths that accept no key: those that govern credentials, those of operators,
// public ones, those that follow a standard of others, and those that export everything.
var keyless = []string{"auth", "setup", "operator", "api-key", "company", "user", "role", "invitation", "link", "pact"}

// signposts are what every key opens: they lead to what its slugs allow, or search it, and show nothing else.
var signposts = []string{"ogc/", "ogc/conformance/", "ogc/collections/", "stac/", "stac/conformance/", "stac/collections/", "stac/search/"}

// Every operation of the document states which credentials it accepts, and accepts exactly these: a key whose slugs allow
// almost nothing is recognised wherever keys are accepted, and opens nothing. A key sent in the query appears nowhere.
func TestEveryOperationTakesTheCredentialsThatItNames(t *testing.T) {
	t.Parallel()
	var log locked
	s := rig.Start(t, rig.Options{Log: &log})
	owner := s.Company("owner", 0)
	narrow, _ := newKey(t, owner, map[string]any{"slugs": []string{"crop.view"}})
	taken := map[string]int{}
	for path, item := range rig.Document(t).Paths.Map() {
		path = strings.TrimPrefix(path, "/api/v1.2/")
		word, _, _ := strings.Cut(path, "/")
		for method, op := range item.Operations() {
			named := map[string]bool{}
			for _, alternative := range *op.Security {
				for scheme := range alternative {
					named[scheme] = true
				}
			}
			header, query := !slices.Contains(keyless, word), slices.Contains(op.Tags, "Farm management") || word == "ogc" || word == "stac"
			require.Equal(t, header, named["apiKeyHeader"], "%s %s", method, path)
			require.Equal(t, query, named["apiKeyQuery"], "%s %s", method, path)
			if len(named) == 0 {
				continue
			}
			slug, _ := op.Extensions["x-permission"].(string)
			require.True(t, slug != "" || !header || slices.Contains(signposts, path), "%s %s asks for no permission, so no key may open it", method, path)
			to := parameter.ReplaceAllString(path, someID)
			expect := func(takes bool, way string, status int, body string) {
				switch {
				case !takes:
					require.Equal(t, 401, status, "%s %s by %s: %s", method, path, way, body)
				case slug == "crop.view", slug == "":
					require.NotContains(t, []int{401, 403}, status, "%s %s by %s: %s", method, path, way, body)
				default:
					require.Equal(t, 403, status, "%s %s by %s: %s", method, path, way, body)
					require.Contains(t, body, slug)
				}
				if takes {
					taken[way]++
				}
			}
			status, body := with(t, s, method, to, "{}", "X-API-Key", narrow, "Content-Type", "application/json")
			expect(header, "header", status, body)
			status, body = with(t, s, method, to+"?api_key="+narrow, "{}", "Content-Type", "application/json")
			expect(query, "query", status, body)
			require.NotContains(t, body, narrow)
		}
	}
	require.Greater(t, taken["header"], 120)
	require.Greater(t, taken["query"], 40)
	require.NotContains(t, log.String(), narrow)
	require.NotContains(t, log.String(), strings.SplitN(narrow, ".", 2)[1])
	require.NotContains(t, s.Metrics(), narrow)
}

// operatorKey makes a key with the command line.
func operatorKey(t *testing.T, database, email string, more ...string) string {
	t.Helper()
	got := runJSON(t, database, append([]string{"api-key", "create", "--user", email, "--name", "cli"}, more...)...)
	require.Equal(t, "cli", got["name"])
	return got["key"].(string)
}
