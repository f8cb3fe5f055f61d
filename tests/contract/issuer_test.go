package contract

import (
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"tilth/adapters/cli"
	"tilth/tests/issuer"
	"tilth/tests/rig"
)

func TestTokensOfAnotherIssuer(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		i := issuer.Start(t)
		i.SetDown(true)
		s := rig.Start(t, rig.Options{Database: database, Config: func(c *cli.Config) {
			c.OIDCIssuer, c.OIDCAudience = i.URL, issuer.Audience
		}})
		owner := s.Company("owner", 0)
		get := func(claims jwt.MapClaims, path string) (int, string) {
			return with(t, s, "GET", path, "", "Authorization", "Bearer "+i.Sign(claims))
		}
		claims := i.Claims(owner.Email, time.Now())

		// While the issuer is unavailable its tokens wait, and the built-in ones keep working.
		status, body := get(claims, "farm/")
		require.Equal(t, 503, status)
		require.Contains(t, body, "issuer_unavailable")
		owner.Expect(200, "GET", "farm/", nil)
	})
}

// The doctor requests the issuer's keys, and names the setting to check if there are none.
func TestDoctorReachesTheIssuer(t *testing.T) {
	t.Parallel()
	i := issuer.Start(t)
	settings := []string{"--oidc-issuer", i.URL, "--oidc-audience", issuer.Audience}
	out, errOut, status := run(t, rig.SQLite(t), "", append([]string{"doctor"}, settings...)...)
	require.Zero(t, status, errOut)
	require.Contains(t, out, "with tokens of "+i.URL+", and with passwords of Tilth")
	i.SetDown(true)
	out, _, status = run(t, rig.SQLite(t), "", append([]string{"doctor"}, settings...)...)
	require.Equal(t, 1, status)
	require.Contains(t, out, "TILTH_OIDC_ISSUER")
}

func TestBuiltInIssuerSwitchedOff(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		i := issuer.Start(t)
		s := rig.Start(t, rig.Options{Database: database, Config: func(c *cli.Config) {
			c.OIDCIssuer, c.OIDCAudience, c.BuiltinIssuer = i.URL, issuer.Audience, false
		}})
		owner, other := s.Company("owner", 0), s.Company("owner", 0)
		get := func(claims jwt.MapClaims, path string) (int, string) {
			return with(t, s, "GET", path, "", "Authorization", "Bearer "+i.Sign(claims))
		}
		claims := i.Claims(owner.Email, time.Now())

		status, body := get(claims, "farm/")
		require.Equal(t, 200, status, body)
		status, _ = with(t, s, "POST", "farm/", `{"name":"f"}`, "Authorization", "Bearer "+i.Sign(claims), "Content-Type", "application/json")
		require.Equal(t, 200, status)
		_, body = get(i.Claims(other.Email, time.Now()), "farm/")
		require.Contains(t, body, `"count":0`, "each in the company of its own user")

		// From the first sign-in on, the subject identifies the user, whatever happens to the address.
		again := i.Claims("renamed@test.example", time.Now())
		again["sub"] = claims["sub"]
		status, body = get(again, "farm/")
		require.Equal(t, 200, status, body)
		require.Contains(t, body, `"count":1`)
		taken := i.Claims(owner.Email, time.Now())
		taken["sub"] = "somebody who was given the address later"
		status, body = get(taken, "farm/")
		require.Equal(t, 401, status)
		require.Contains(t, body, "user_bound_otherwise")
		_, errOut, exit := run(t, database, "", "user", "unbind", "--email", owner.Email)
		require.Zero(t, exit, errOut)
		status, body = get(taken, "farm/")
		require.Equal(t, 200, status, body)
		status, body = get(claims, "farm/")
		require.Equal(t, 401, status, body)
		_, errOut, exit = run(t, database, "", "user", "unbind", "--email", owner.Email)
		require.Zero(t, exit, errOut)
		status, body = get(claims, "farm/")
		require.Equal(t, 200, status, body)

		for code, claims := range map[string]jwt.MapClaims{
			"user_unknown":     i.Claims("nobody@test.example", time.Now()),
			"token_expired":    i.Claims(owner.Email, time.Now().Add(-2*time.Hour)),
			"token_invalid":    func() jwt.MapClaims { c := i.Claims(owner.Email, time.Now()); c["aud"] = "x"; return c }(),
			"email_unverified": func() jwt.MapClaims { c := i.Claims(owner.Email, time.Now()); c["email_verified"] = false; return c }(),
		} {
			status, body = get(claims, "farm/")
			require.Equal(t, 401, status, code)
			require.Contains(t, body, code)
		}
		require.Equal(t, "token_invalid", owner.Expect(401, "GET", "farm/", nil).Map(t)["code"], "a token of the built-in issuer")
		for _, c := range []struct{ path, body string }{
			{"auth/token/", `{"email":"a@b.example","password":"0123456789"}`}, {"auth/token/refresh/", `{"refresh":"x"}`},
		} {
			require.Equal(t, "builtin_issuer_off", s.Anonymous().Expect(401, "POST", c.path, c.body).Map(t)["code"])
		}
		s.Disable(owner.Email)
		status, body = get(claims, "farm/")
		require.Equal(t, 401, status)
		require.Contains(t, body, "user_disabled")
	})
}

func TestIssuerSettingsAreChecked(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		environ map[string]string
		want    string
	}{
		"no audience":    {map[string]string{"TILTH_OIDC_ISSUER": "https://id.example.org"}, "TILTH_OIDC_AUDIENCE"},
		"not over https": {map[string]string{"TILTH_OIDC_ISSUER": "http://id.example.org", "TILTH_OIDC_AUDIENCE": "a"}, "TILTH_OIDC_ISSUER"},
		"no address":     {map[string]string{"TILTH_OIDC_ISSUER": "id", "TILTH_OIDC_AUDIENCE": "a"}, "TILTH_OIDC_ISSUER"},
		"no issuer left": {map[string]string{"TILTH_BUILTIN_ISSUER": "false"}, "TILTH_BUILTIN_ISSUER"},
		"audience alone": {map[string]string{"TILTH_OIDC_AUDIENCE": "a"}, "TILTH_OIDC_ISSUER"},
		"good":           {map[string]string{"TILTH_OIDC_ISSUER": "https://id.example.org", "TILTH_OIDC_AUDIENCE": "a", "TILTH_BUILTIN_ISSUER": "false"}, ""},
		"this machine":   {map[string]string{"TILTH_OIDC_ISSUER": "http://127.0.0.1:9000", "TILTH_OIDC_AUDIENCE": "a"}, ""},
	} {
		cfg, err := cli.ReadConfig(c.environ)
		require.NoError(t, err, name)
		err = cfg.Check()
		if c.want == "" {
			require.NoError(t, err, name)
			continue
		}
		require.ErrorContains(t, err, c.want, name)
	}
}
