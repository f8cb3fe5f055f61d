package contract

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/access"
	"tilth/tests/rig"
)

// A browser signs in with a cookie, which opens what a token opens, only for pages of this server.
func TestABrowserHasASession(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		owner, nobody := s.Company(access.RoleOwner, 0), s.Anonymous()
		const password = "a long password"
		email := "browser@sessions.example"
		_, errOut, status := run(t, database, password+"\n", "user", "create", "--email", email, "--name", "B",
			"--company", itoa(owner.CompanyID), "--role", access.RoleOwner, "--password-stdin")
		require.Zero(t, status, errOut)
		sign := map[string]any{"email": email, "password": password}

		wrong := nobody.Expect(401, http.MethodPost, "auth/session/", map[string]any{"email": email, "password": "no"})
		require.Empty(t, wrong.Header.Get("Set-Cookie"))
		opened := nobody.Expect(200, http.MethodPost, "auth/session/", sign)
		set := opened.Header.Get("Set-Cookie")
		for _, want := range []string{"Path=/api/v1.2/", "HttpOnly", "SameSite=Strict", "Max-Age=2592000"} {
			require.Contains(t, set, want)
		}
		require.NotContains(t, set, "Secure", "the test has no TLS")
		require.NotContains(t, string(opened.Body), "tilth_session")
		cookie, _, _ := strings.Cut(set, ";")
		secret := strings.TrimPrefix(cookie, "tilth_session=")

		me := send(t, s, nobody, http.MethodGet, "auth/me/", "", "Cookie", cookie)
		require.Equal(t, 200, me.Status)
		require.Equal(t, email, me.Data(t)["email"])
		farm := `{"name":"F"}`
		refused := send(t, s, nobody, http.MethodPost, "farm/", farm, "Cookie", cookie)
		require.Equal(t, []any{403, "cross_origin"}, []any{refused.Status, refused.Map(t)["code"]})
		require.Equal(t, 403, send(t, s, nobody, http.MethodPost, "farm/", farm, "Cookie", cookie, "Origin", "https://evil.example").Status)
		require.Equal(t, 403, send(t, s, nobody, http.MethodPost, "farm/", farm, "Cookie", cookie, "Sec-Fetch-Site", "same-site").Status)
		require.Equal(t, 200, send(t, s, nobody, http.MethodPost, "farm/", farm, "Cookie", cookie, "Origin", s.URL).Status)
		require.Equal(t, 200, send(t, s, nobody, http.MethodPost, "farm/", farm, "Cookie", cookie, "Sec-Fetch-Site", "same-origin").Status)
		require.Equal(t, 200, send(t, s, owner, http.MethodPost, "farm/", farm, "Cookie", cookie+"x").Status, "a token comes first")

		// Neither secret is accepted in place of the other.
		nobody.Expect(401, http.MethodPost, "auth/token/refresh/", map[string]any{"refresh": secret})
		pair := nobody.Expect(200, http.MethodPost, "auth/token/", sign).Data(t)
		for _, other := range []string{pair["refresh"].(string), pair["access"].(string), "nothing", secret + "x"} {
			a := send(t, s, nobody, http.MethodGet, "auth/me/", "", "Cookie", "tilth_session="+other)
			require.Equal(t, []any{401, "session_invalid"}, []any{a.Status, a.Map(t)["code"]})
		}

		ended := send(t, s, nobody, http.MethodDelete, "auth/session/", "", "Cookie", cookie)
		require.Equal(t, 204, ended.Status)
		require.Contains(t, ended.Header.Get("Set-Cookie"), "Max-Age=0")
		require.Equal(t, 401, send(t, s, nobody, http.MethodGet, "auth/me/", "", "Cookie", cookie).Status)
		nobody.Expect(204, http.MethodDelete, "auth/session/", nil)

		again := nobody.Expect(200, http.MethodPost, "auth/session/", sign)
		cookie, _, _ = strings.Cut(again.Header.Get("Set-Cookie"), ";")
		change := `{"current":"` + password + `","new":"sixteen sheep graze"}`
		require.Equal(t, 204, send(t, s, nobody, http.MethodPost, "auth/password/change/", change, "Cookie", cookie, "Origin", s.URL).Status)
		require.Equal(t, 401, send(t, s, nobody, http.MethodGet, "auth/me/", "", "Cookie", cookie).Status, "another password ends it")
	})
}
