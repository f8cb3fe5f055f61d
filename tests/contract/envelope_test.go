// Package contract tests the interface as clients use it: the whole program on both
// databases, over HTTP.
package contract

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/identity"
	"tilth/tests/rig"
)

// Every answer below the base is an envelope, whatever goes wrong.
func TestEveryAnswerIsAnEnvelope(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		owner, foreign, anonymous := s.Company("owner", 0), s.Company("owner", 0), s.Anonymous()
		theirs := foreign.Land(rig.Square(300, 0), "2025-01-01", "2025-12-31")
		mine := owner.Land(rig.Square(300, 0), "2025-01-01", "2025-12-31")
		good := map[string]any{"field_id": mine.Field, "season_id": mine.Season, "crop_id": mine.Crop}
		bad := map[string]any{"field_id": theirs.Field, "season_id": mine.Season, "crop_id": mine.Crop}
		expired := &rig.Client{}
		*expired = *owner
		expired.Token = expiredToken(t, s)

		for _, c := range []struct {
			name         string
			as           *rig.Client
			method, path string
			body         any
			status       int
			code         string
			contains     []string
		}{
			{"unknown path", owner, "GET", "nothing/here/", nil, 404, "not_found", nil},
			{"wrong method", owner, "PUT", "cultivation/", "{}", 405, "method_not_allowed", nil},
			{"catalog is read-only", owner, "POST", "crop/", "{}", 405, "method_not_allowed", nil},
			{"no token", anonymous, "GET", "cultivation/", nil, 401, "", nil},
			{"expired token", expired, "GET", "cultivation/", nil, 401, "token_expired", nil},
			{"foreign id", owner, "GET", path("field", theirs.Field), nil, 404, "not_found", nil},
			{"foreign id, write", owner, "PATCH", path("field", theirs.Field), `{"name":"mine"}`, 404, "not_found", nil},
			{"foreign id before a bad body", owner, "PUT", path("field", theirs.Field), `{`, 404, "not_found", nil},
			{"foreign id, delete", owner, "DELETE", path("season", theirs.Season), nil, 404, "not_found", nil},
			{"id in letters", owner, "GET", "field/abc/", nil, 404, "not_found", nil},
			{"id too large", owner, "GET", "field/99999999999999999999/", nil, 404, "not_found", nil},
			{"malformed JSON", owner, "POST", "cultivation/", `{"field_id": 1,`, 400, "", nil},
			{"empty body", owner, "POST", "cultivation/", ``, 400, "", nil},
			{"wrong type", owner, "POST", "cultivation/", `{"field_id":"x","season_id":1,"crop_id":1}`, 400, "validation_failed", []string{"field_id"}},
			{"missing members", owner, "POST", "cultivation/", `{}`, 400, "validation_failed", []string{"field_id", "season_id", "crop_id"}},
			{"foreign key of another company", owner, "POST", "cultivation/", bad, 400, "validation_failed", []string{"field_id"}},
			{"another company", owner, "POST", "farm/", map[string]any{"name": "x", "company_id": foreign.CompanyID}, 400, "validation_failed", []string{"company_id"}},
			{"empty bulk", owner, "POST", "cultivation/", `[]`, 400, "", nil},
			{"empty bulk of fields", owner, "POST", "field/", `[]`, 400, "", nil},
			{"bulk with one bad item", owner, "POST", "cultivation/", []any{good, good, good, bad}, 400, "bulk_validation_failed", []string{`"3":{"field_id"`}},
			{"bulk of fields with one bad item", owner, "POST", "field/", `[{"name":"a","farm_id":1},{"farm_id":1}]`, 402, "bulk_validation_failed", []string{`"1":{`, `"name"`}},
			{"bulk of seasons with one bad item", owner, "POST", "season/", `[{"name":"a","start_date":"2025-02-30","end_date":"2025-03-01"}]`, 402, "bulk_validation_failed", []string{"start_date"}},
			{"one bad field", owner, "POST", "field/", `{"farm_id":1}`, 400, "validation_failed", []string{"name"}},
			{"page=0", owner, "GET", "cultivation/?page=0", nil, 400, "validation_failed", []string{"page"}},
			{"page=x", owner, "GET", "cultivation/?page=x", nil, 400, "validation_failed", []string{"page"}},
			{"page=999", owner, "GET", "cultivation/?page=999", nil, 404, "not_found", nil},
			{"crop=abc", owner, "GET", "cultivation/?crop=abc", nil, 400, "validation_failed", []string{"crop"}},
			{"order without a season", owner, "POST", rig.OrdersPath, map[string]any{"field_uuid": mine.FieldUUID}, 400, "validation_failed", []string{"season_id"}},
			{"order on an unknown field", owner, "POST", rig.OrdersPath, map[string]any{"field_uuid": theirs.FieldUUID, "season_id": mine.Season}, 400, "validation_failed", []string{"field_uuid"}},
			{"order with an unknown index", owner, "POST", rig.OrdersPath, map[string]any{"field_uuid": mine.FieldUUID, "season_id": mine.Season, "index_code": "XYZ"}, 400, "validation_failed", []string{"index_code"}},
			{"order in a foreign season", owner, "POST", rig.OrdersPath, map[string]any{"field_uuid": mine.FieldUUID, "season_id": theirs.Season}, 500, "season_unresolved", nil},
			{"order without credit", owner, "POST", rig.OrdersPath, mine.OrderBody(), 402, "insufficient_credit", []string{`"required":`, `"available":0`}},
			{"wrong password", anonymous, "POST", "auth/token/", `{"email":"a@b.example","password":"nope"}`, 401, "invalid_credentials", nil},
			{"unknown refresh token", anonymous, "POST", "auth/token/refresh/", `{"refresh":"nope"}`, 401, "refresh_invalid", nil},
		} {
			t.Run(c.name, func(t *testing.T) {
				a := c.as.Do(c.method, c.path, c.body)
				require.Equal(t, c.status, a.Status, "%s", a.Body)
				m := a.Map(t)
				require.Equal(t, "error", m["status"])
				require.NotEmpty(t, m["message"])
				require.IsType(t, map[string]any{}, m["details"])
				require.NotEmpty(t, m["code"])
				if c.code != "" {
					require.Equal(t, c.code, m["code"])
				}
				details, err := json.Marshal(m["details"])
				require.NoError(t, err)
				for _, want := range c.contains {
					require.Contains(t, string(details), want)
				}
				require.NotEmpty(t, a.Header.Get("X-Request-ID"))
				if c.status == 405 {
					require.NotEmpty(t, a.Header.Get("Allow"))
				}
			})
		}
		// Nothing of the above was stored.
		require.EqualValues(t, 1, owner.Expect(200, "GET", "cultivation/", nil).Data(t)["count"])
		require.EqualValues(t, 1, owner.Expect(200, "GET", "field/", nil).Data(t)["count"])
	})
}

func path(resource string, id int64) string { return resource + "/" + itoa(id) + "/" }

func itoa(id int64) string { return rig.Itoa(id) }

// expiredToken is a token that was valid for a second, an hour ago, signed with the server's own keys.
func expiredToken(t *testing.T, s *rig.Server) string {
	t.Helper()
	token, err := s.Tokens().Issue(context.Background(), 1, identity.Clock{}.Now().Add(-time.Hour), time.Second)
	require.NoError(t, err)
	return token
}

func TestSlashIsOptionalForEveryMethod(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{})
	owner := s.Company("owner", 0)
	id := int64(owner.Expect(200, "POST", "farm", map[string]any{"name": "a"}).Data(t)["id"].(float64))
	owner.Expect(200, "GET", "farm", nil)
	owner.Expect(200, "PATCH", "farm/"+itoa(id), map[string]any{"name": "b"})
	owner.Expect(204, "DELETE", "farm/"+itoa(id), nil)
}

func TestPermissionErrorsNameTheSlug(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		owner := s.Company("owner", 0)
		land := owner.Land(rig.Square(300, 0), "2025-01-01", "2025-12-31")
		viewer := s.User(owner.CompanyID, "viewer")
		editor := s.User(owner.CompanyID, "editor")
		for _, c := range []struct {
			method, path, slug, action, view string
			body                             any
		}{
			{"POST", "cultivation/", "cultivation.create", "create", "CultivationView", `{`},
			{"PUT", "cultivation/abc/", "cultivation.edit", "update", "CultivationView", `{`},
			{"PATCH", path("cultivation", 1), "cultivation.edit", "partial_update", "CultivationView", `{}`},
			{"DELETE", path("cultivation", 1), "cultivation.delete", "destroy", "CultivationView", nil},
			{"POST", "farm/", "farm.create", "create", "FarmView", `[]`},
			{"POST", "field/", "field.create", "create", "FieldView", `{}`},
			{"DELETE", path("season", land.Season), "season.delete", "destroy", "SeasonView", nil},
			{"POST", rig.OrdersPath, "vi-profile.create", "create", "VegetationIndexProfileOrderView", `{}`},
		} {
			a := viewer.Expect(403, c.method, c.path, c.body).Map(t)
			require.Equal(t, "permission_denied", a["code"])
			require.Equal(t, map[string]any{"required_permission": c.slug, "action": c.action, "resource": c.view}, a["details"])
		}
		for _, list := range []string{"farm/", "field/", "season/", "cultivation/", "crop/", "wallet/", rig.OrdersPath} {
			viewer.Expect(200, "GET", list, nil)
		}
		editor.Expect(200, "PATCH", path("field", land.Field), `{"name":"edited"}`)

		// A disabled user is refused from the next request on.
		s.Disable(editor.Email)
		editor.Expect(401, "GET", "field/", nil)
	})
}

func TestOutsideTheBase(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{})
	c := s.Anonymous()
	for path, want := range map[string]string{
		"/": "Tilth", "/docs/": "API", "/docs/api/": "<html", "/openapi.json": `"3.1`, "/openapi.yaml": "openapi: 3.1",
		"/healthz": "", "/readyz": "",
	} {
		a := c.Expect(http.StatusOK, "GET", path, nil)
		require.Contains(t, strings.ToLower(string(a.Body)), strings.ToLower(want), path)
	}
	for _, path := range []string{"/metrics", "/debug/pprof/", "/debug/pprof/heap"} {
		c.Expect(http.StatusNotFound, "GET", path, nil)
		res, err := http.Get(s.AdminURL + path)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		require.Equal(t, http.StatusOK, res.StatusCode, path)
	}
	require.Contains(t, s.Metrics(), "go_goroutines")
}

// A taken address ends the server if the operator chose the address, and only causes a warning if it is the default.
func TestATakenAddressOfTheOperators(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = taken.Close() }()
	_, errOut, status := run(t, rig.SQLite(t), "", "serve", "--admin-addr", taken.Addr().String())
	require.Equal(t, 1, status)
	require.Contains(t, errOut, "TILTH_ADMIN_ADDR")
	// Whether this test or another program holds the default address, two servers cannot both have it.
	for range 2 {
		p := rig.StartProcess(t, rig.SQLite(t), rig.Archive(t).Dir, "TILTH_ADMIN_ADDR=")
		rig.Remote(t, p.URL, "").Expect(http.StatusOK, "GET", "/readyz", nil)
	}
}

// A worker without a server exposes its metrics too.
func TestFiguresOfAWorker(t *testing.T) {
	t.Parallel()
	database, admin := rig.SQLite(t), rig.FreeAddr(t)
	rig.StartWorker(t, database, rig.Archive(t).Dir, "TILTH_ADMIN_ADDR="+admin)
	for _, path := range []string{"/metrics", "/debug/pprof/"} {
		rig.Eventually(t, func() bool {
			res, err := http.Get("http://" + admin + path)
			return err == nil && res.Body.Close() == nil && res.StatusCode == http.StatusOK
		}, 2*time.Minute, 50*time.Millisecond, path)
	}
	_, errOut, status := run(t, database, "", "worker", "--admin-addr", admin)
	require.Equal(t, 1, status)
	require.Contains(t, errOut, "TILTH_ADMIN_ADDR")
}
