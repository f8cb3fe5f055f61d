package rest_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/http/rest"
	"tilth/core/access"
	"tilth/core/fault"
)

// spoken is a failure of the dialect of the test.
type spoken struct {
	Door   bool   `json:"door"`
	Status int    `json:"status"`
	Code   string `json:"code"`
}

func newSpeaker(t *testing.T, change ...func(*rest.Config)) http.Handler {
	t.Helper()
	r := newRig(t, change...)
	r.api.Speak(rest.Dialect{
		Word: "other", Door: "other/auth/token",
		Authenticate: func(_ context.Context, token string) (access.Principal, error) {
			if token != "client" {
				return access.Principal{}, fault.New(fault.Unauthenticated, "token_invalid", "No.")
			}
			return access.Principal{ClientID: 5, CompanyID: 10}, nil
		},
		Failure: func(door bool, status int, f *fault.Error) any { return spoken{door, status, f.Code} },
	})
	rest.Handle(r.api, rest.Route{Method: "GET", Path: "other/things/{id}", OperationID: "other", Summary: "x", Tag: "x"},
		func(_ context.Context, c *rest.Call, in struct {
			ID string `path:"id,uuid"`
		}) (rest.Bare[spoken], error) {
			return rest.Bare[spoken]{Data: spoken{Status: int(c.Principal().ClientID)}}, nil
		})
	rest.Handle(r.api, rest.Route{Method: "POST", Path: "other/auth/token", OperationID: "door", Summary: "x", Tag: "x", Public: true},
		func(context.Context, *rest.Call, struct{}) (rest.Nothing, error) {
			return rest.Nothing{}, fault.New(fault.Unauthenticated, "invalid_client", "No.")
		})
	return r.api
}

func speak(api http.Handler, method, path, token string, change ...func(*http.Request)) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, base+path, nil)
	r.RemoteAddr = "127.0.0.1:1"
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	for _, c := range change {
		c(r)
	}
	w := httptest.NewRecorder()
	api.ServeHTTP(w, r)
	return w
}

const thing = "other/things/079e425a-464f-528d-341d-4a944a1dfd70"

func TestADialectSpeaksForAllThatIsBelowItsWord(t *testing.T) {
	t.Parallel()
	api := newSpeaker(t)
	got := speak(api, "GET", thing, "client")
	require.Equal(t, `{"door":false,"status":5,"code":""}`, got.Body.String(), "without the envelope")
	require.NotEmpty(t, got.Header().Get("ETag"))
	for _, c := range []struct {
		method, path, token, want string
	}{
		{"GET", thing, "", `{"door":false,"status":401,"code":"not_authenticated"}`},
		{"GET", thing, "good", `{"door":false,"status":401,"code":"token_invalid"}`},
		{"GET", "other/things/7", "client", `{"door":false,"status":404,"code":"not_found"}`},
		{"GET", "other/nothing", "client", `{"door":false,"status":404,"code":"not_found"}`},
		{"GET", "other", "client", `{"door":false,"status":404,"code":"not_found"}`},
		{"DELETE", thing, "client", `{"door":false,"status":405,"code":"method_not_allowed"}`},
		{"POST", "other/auth/token", "", `{"door":true,"status":401,"code":"invalid_client"}`},
	} {
		got := speak(api, c.method, c.path, c.token)
		require.Equal(t, c.want, got.Body.String(), "%s %s", c.method, c.path)
	}
	require.Equal(t, `Basic realm="tilth"`, speak(api, "POST", "other/auth/token", "").Header().Get("WWW-Authenticate"))
	require.Contains(t, speak(api, "GET", "plot/", "client").Body.String(), `"status":"error"`, "its token opens nothing else")
	require.Equal(t, 200, speak(api, "GET", thing, "client", func(r *http.Request) { r.Header.Set("X-Company", "99") }).Code, "a client has one company")
}

func TestDialectsAreSpokenOverTLSOnly(t *testing.T) {
	t.Parallel()
	proxy := func(c *rest.Config) {
		c.Origins.Trusted = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("127.0.0.0/8")}
	}
	plain := func(c *rest.Config) { c.AllowPlain = true }
	from := func(address string, headers ...string) func(*http.Request) {
		return func(r *http.Request) {
			r.RemoteAddr = address + ":1"
			for i := 0; i < len(headers); i += 2 {
				r.Header.Set(headers[i], headers[i+1])
			}
		}
	}
	const proto, client = "X-Forwarded-Proto", "X-Forwarded-For"
	for name, c := range map[string]struct {
		config func(*rest.Config)
		from   func(*http.Request)
		status int
	}{
		"this machine":                        {proxy, from("127.0.0.1"), 200},
		"another":                             {proxy, from("192.0.2.1"), 400},
		"another that is allowed":             {plain, from("192.0.2.1"), 200},
		"another that says so itself":         {proxy, from("192.0.2.1", proto, "https"), 400},
		"a trusted proxy over TLS":            {proxy, from("10.1.1.1", proto, "https", client, "192.0.2.1"), 200},
		"a trusted proxy in the clear":        {proxy, from("10.1.1.1", proto, "http", client, "192.0.2.1"), 400},
		"a trusted proxy that does not say":   {proxy, from("10.1.1.1", client, "192.0.2.1"), 400},
		"a trusted proxy of this machine":     {proxy, from("127.0.0.1", proto, "http", client, "192.0.2.1"), 400},
		"a trusted proxy here, of a stranger": {proxy, from("127.0.0.1", client, "192.0.2.1"), 400},
	} {
		require.Equal(t, c.status, speak(newSpeaker(t, c.config), "GET", thing, "client", c.from).Code, name)
	}
	require.Equal(t, 400, speak(newSpeaker(t, proxy), "POST", "other/auth/token", "", from("192.0.2.1")).Code, "before any credential is looked at")
	require.Equal(t, 200, speak(newSpeaker(t, proxy), "GET", "plot/", "good", from("192.0.2.1")).Code, "the interface itself leaves it to the operator")
}
