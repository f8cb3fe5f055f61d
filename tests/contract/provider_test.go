package contract

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"tilth/adapters/cli"
	"tilth/core/access"
	"tilth/tests/issuer"
	"tilth/tests/rig"
)

// A browser signs in at an identity provider, with the code that it came back with: once, in the browser that began, as
// the user whom the provider vouches for. That user is from then on identified by the provider's subject.
func TestABrowserSignsInAtAProvider(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		i := issuer.Start(t)
		with := func(c *cli.Config) {
			c.OIDCIssuer, c.OIDCAudience, c.OIDCClientID, c.OIDCClientSecret = i.URL, issuer.Audience, issuer.ClientID, issuer.ClientSecret
		}
		s := rig.Start(t, rig.Options{Database: database, Config: with})
		owner, nobody := s.Company(access.RoleOwner, 0), s.Anonymous()
		require.Equal(t, map[string]any{"provider": i.URL, "passwords": true}, nobody.Expect(200, http.MethodGet, "auth/oidc/", nil).Data(t))

		begin := func() (address, ticket string) {
			begun := nobody.Expect(200, http.MethodPost, "auth/oidc/start/", nil)
			set := begun.Header.Get("Set-Cookie")
			for _, want := range []string{"Path=/api/v1.2/", "HttpOnly", "SameSite=Lax", "Max-Age=600"} {
				require.Contains(t, set, want)
			}
			ticket, _, _ = strings.Cut(set, ";")
			return begun.Data(t)["address"].(string), ticket
		}
		finish := func(ticket string, back *url.URL, from ...string) (rig.Answer, string) {
			require.Equal(t, s.URL+"/sign-in", back.Scheme+"://"+back.Host+back.Path)
			browser := *nobody
			browser.Extra = map[string]string{"Origin": append(from, s.URL)[0], "Cookie": ticket}
			a := browser.Do(http.MethodPost, "auth/oidc/session/", map[string]any{"state": back.Query().Get("state"), "code": back.Query().Get("code")})
			if a.Status == 200 {
				return a, ""
			}
			require.Empty(t, a.Header.Get("Set-Cookie"))
			return a, a.Map(t)["code"].(string)
		}
		claims := func() jwt.MapClaims { return i.Claims(owner.Email, time.Now()) }

		address, ticket := begin()
		back := i.SignIn(address, claims())
		opened, _ := finish(ticket, back)
		require.Equal(t, 200, opened.Status)
		set := opened.Header.Values("Set-Cookie")
		require.Len(t, set, 2)
		for _, want := range []string{"tilth_session=", "HttpOnly", "SameSite=Strict", "Max-Age=86400"} {
			require.Contains(t, set[0], want)
		}
		require.Contains(t, set[1], "tilth_sign_in=; Path=/api/v1.2/; Max-Age=0")
		cookie, _, _ := strings.Cut(set[0], ";")
		me := send(t, s, nobody, http.MethodGet, "auth/me/", "", "Cookie", cookie)
		require.Equal(t, owner.Email, me.Data(t)["email"])

		_, code := finish(ticket, back)
		require.Equal(t, "sign_in_refused", code, "a code is good once")
		for name, c := range map[string]struct {
			code   string
			change func(jwt.MapClaims)
		}{
			"another nonce":    {"token_invalid", func(c jwt.MapClaims) { c["nonce"] = "another" }},
			"no nonce":         {"token_invalid", func(c jwt.MapClaims) { delete(c, "nonce") }},
			"another client":   {"token_invalid", func(c jwt.MapClaims) { c["aud"] = issuer.Audience }},
			"expired":          {"token_expired", func(c jwt.MapClaims) { c["exp"] = time.Now().Add(-time.Minute).Unix() }},
			"unverified":       {"email_unverified", func(c jwt.MapClaims) { c["email_verified"] = false }},
			"unknown":          {"user_unknown", func(c jwt.MapClaims) { c["email"], c["sub"] = "nobody@example.org", "nobody" }},
			"another's e-mail": {"user_bound_otherwise", func(c jwt.MapClaims) { c["sub"] = "somebody else" }},
		} {
			address, ticket := begin()
			a, code := finish(ticket, i.SignIn(address, claims(), c.change))
			require.Equal(t, []any{401, c.code}, []any{a.Status, code}, name)
		}

		// Only the browser that began, in time, and from a page of this server.
		address, ticket = begin()
		other, otherTicket := begin()
		back = i.SignIn(address, claims())
		_, code = finish(otherTicket, back)
		require.Equal(t, "sign_in_invalid", code, "the state of another browser")
		_, code = finish("x=y", back)
		require.Equal(t, "sign_in_invalid", code, "no ticket")
		secret, _, _ := strings.Cut(ticket, ".")
		_, code = finish(secret+".4102444800", back)
		require.Equal(t, "sign_in_invalid", code, "a ticket that was made to last")
		query := back.Query()
		query.Set("state", "made up")
		made := *back
		made.RawQuery = query.Encode()
		_, code = finish(ticket, &made)
		require.Equal(t, "sign_in_invalid", code)
		a, _ := finish(ticket, back, "https://evil.example")
		require.Equal(t, 403, a.Status)
		stolen := i.SignIn(other, claims())
		mixed := *back
		query = back.Query()
		query.Set("code", stolen.Query().Get("code"))
		mixed.RawQuery = query.Encode()
		_, code = finish(ticket, &mixed)
		require.Equal(t, "sign_in_refused", code, "the code of another sign-in fails its proof")
		a, _ = finish(ticket, back)
		require.Equal(t, 200, a.Status, "none of these used the code up")

		i.SetDown(true)
		address, ticket = begin() // the provider's metadata are known
		a, code = finish(ticket, i.SignIn(address, claims()))
		require.Equal(t, []any{503, "issuer_unavailable"}, []any{a.Status, code})
		i.SetDown(false)
		s.Stop()

		// With passwords switched off the session of the provider continues; without the provider it ends.
		s = rig.Start(t, rig.Options{Database: database, Config: func(c *cli.Config) { with(c); c.BuiltinIssuer = false }})
		nobody = s.Anonymous()
		require.Equal(t, false, nobody.Expect(200, http.MethodGet, "auth/oidc/", nil).Data(t)["passwords"])
		require.Equal(t, 200, send(t, s, nobody, http.MethodGet, "auth/me/", "", "Cookie", cookie).Status)
		s.Stop()
		s = rig.Start(t, rig.Options{Database: database})
		nobody = s.Anonymous()
		require.Equal(t, 401, send(t, s, nobody, http.MethodGet, "auth/me/", "", "Cookie", cookie).Status)
		require.Equal(t, map[string]any{"provider": nil, "passwords": true}, nobody.Expect(200, http.MethodGet, "auth/oidc/", nil).Data(t))
		require.Equal(t, "no_provider", nobody.Expect(404, http.MethodPost, "auth/oidc/start/", nil).Map(t)["code"])
	})
}
