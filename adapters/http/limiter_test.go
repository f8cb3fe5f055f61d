package http_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	server "tilth/adapters/http"
	"tilth/adapters/http/limit"
	"tilth/core/access"
	"tilth/core/fault"
)

// people accepts tokens of the form user-N-of-M, and keys of the same form.
func people(d *server.Deps) {
	whose := func(_ context.Context, text string) (who access.Principal, err error) {
		if n, _ := fmt.Sscanf(text, "user-%d-of-%d", &who.UserID, &who.CompanyID); n != 2 {
			return who, fault.New(fault.Unauthenticated, "token_invalid", "Made up.")
		}
		return who, nil
	}
	d.Authenticate, d.AuthenticateKey = whose, whose
}

// limited returns a server whose callers come from addresses that the test chooses.
func limited(t *testing.T, rates limit.Rates) (r *rig, ask func(path, from string, headers ...func(*http.Request)) *httptest.ResponseRecorder) {
	t.Helper()
	r = newRig(t, server.Config{Rates: rates, TrustedProxies: []netip.Prefix{netip.MustParsePrefix("192.0.2.1/32")}}, people)
	return r, func(path, from string, headers ...func(*http.Request)) *httptest.ResponseRecorder {
		method := http.MethodGet
		if path == "auth/invitation/x/" {
			method = http.MethodPost
		}
		all := append([]func(*http.Request){header("Authorization", ""), header("X-Forwarded-For", from)}, headers...)
		return r.ask(method, base+path, all...)
	}
}

func bearer(token string) func(*http.Request) { return header("Authorization", "Bearer "+token) }

func TestRateLimitOfAUser(t *testing.T) {
	r, ask := limited(t, limit.Rates{Caller: 1})
	spellings := []func(*http.Request){
		bearer("user-1-of-1"), header("Authorization", "bearer   user-1-of-1 "), header("X-API-Key", "user-1-of-1"), header("X-API-Key", "user-1-of-1-other"),
	}
	for i, credential := range spellings {
		require.Equal(t, 200, ask("thing/1/", fmt.Sprintf("10.0.0.%d", i), credential).Code)
	}
	for i, credential := range spellings {
		w := ask("thing/1/", fmt.Sprintf("10.0.1.%d", i), credential)
		require.Equal(t, 429, w.Code, "whatever the spelling, the credential and the address")
		require.Equal(t, "1", w.Header().Get("Retry-After"))
		require.Equal(t, "rate_limited", envelope(t, w)["code"])
	}
	require.Equal(t, 200, ask("thing/1/", "10.0.0.1", bearer("user-2-of-1")).Code, "another user, from the same address")
	require.Equal(t, 200, r.ask("GET", "/healthz").Code, "probes are not limited")
	r.clock = r.clock.Add(time.Second)
	require.Equal(t, 404, ask("nothing/", "10.0.0.1", bearer("user-1-of-1")).Code, "a second later there is one more, for any path")
	require.Equal(t, 429, ask("thing/1/", "10.0.0.1", bearer("user-1-of-1")).Code)
}

func TestRateLimitOfAnAddress(t *testing.T) {
	_, ask := limited(t, limit.Rates{Caller: 1})
	require.Equal(t, 200, ask("thing/1/", "2001:db8::1", bearer("user-1-of-1")).Code)
	refused := 0
	for i := range 20 {
		w := ask("thing/1/", fmt.Sprintf("2001:db8::%x", i+2), bearer(fmt.Sprint("made-up-", i)))
		require.Contains(t, []int{401, 429}, w.Code)
		if w.Code == 429 {
			refused++
		}
	}
	require.Equal(t, 16, refused, "made-up tokens of one network of IPv6 count for it")
	require.Equal(t, 429, ask("thing/1/", "2001:db8::9").Code, "so does none")
	require.Equal(t, 429, ask("thing/1/", "2001:db8::9", bearer("user-2-of-1")).Code, "a token that was not seen yet waits")
	require.Equal(t, 200, ask("thing/1/", "2001:db8::9", bearer("user-1-of-1")).Code, "one that was verified lately does not")
	require.Equal(t, 401, ask("thing/1/", "2001:db8:0:1::1").Code, "another network is another caller")
}

func TestUsersOfOneAddressAreNotHeldToItsLimit(t *testing.T) {
	_, ask := limited(t, limit.Rates{Caller: 1})
	for i := range 50 {
		require.Equal(t, 200, ask("thing/1/", "10.0.0.1", bearer(fmt.Sprintf("user-%d-of-%d", i+1, i+1))).Code)
	}
}

func TestRateLimitOfACompany(t *testing.T) {
	_, ask := limited(t, limit.Rates{Caller: 1, Company: 2})
	answered := map[int]int{}
	for i := range 20 {
		answered[ask("thing/1/", "10.0.0.1", bearer(fmt.Sprintf("user-%d-of-1", i+1))).Code]++
	}
	require.Equal(t, map[int]int{200: 8, 429: 12}, answered, "many users are one company")
	require.Equal(t, 200, ask("thing/1/", "10.0.0.1", bearer("user-100-of-2")).Code, "another company has its own")
}

func TestRateLimitOfSigningIn(t *testing.T) {
	_, ask := limited(t, limit.Rates{Caller: 1, SignIn: 0.5})
	for range 4 {
		require.Equal(t, 401, ask("thing/1/", "10.0.0.1").Code)
	}
	require.Equal(t, 429, ask("thing/1/", "10.0.0.1").Code)
	for range 2 {
		require.NotEqual(t, 429, ask("auth/invitation/x/", "10.0.0.1").Code, "signing in has a limit of its own")
	}
	require.Equal(t, 429, ask("auth/invitation/x/", "10.0.0.1").Code)
	require.NotEqual(t, 429, ask("auth/invitation/x/", "10.0.0.2").Code)
}

// Every answer states which limits its request counted for, and what is left of them.
func TestWhatIsLeftOfTheLimits(t *testing.T) {
	r, ask := limited(t, limit.Rates{Caller: 1, Company: 1.5, SignIn: 0.1})
	says := func(w *httptest.ResponseRecorder, status int, policy, left string) {
		t.Helper()
		require.Equal(t, []string{strconv.Itoa(status), policy, left},
			[]string{strconv.Itoa(w.Code), w.Header().Get("RateLimit-Policy"), w.Header().Get("RateLimit")})
	}
	const address, both = `"address";q=4;w=4`, `"user";q=4;w=4, "company";q=6;w=4`
	says(ask("thing/1/", "10.0.0.1"), 401, address, `"address";r=3;t=1`)
	says(ask("thing/1/", "10.0.0.1", bearer("made up")), 401, address, `"address";r=2;t=1`)
	says(ask("thing/1/", "10.0.0.1", bearer("user-1-of-1")), 200, both, `"user";r=3;t=1, "company";r=5;t=1`)
	says(ask("thing/1/", "10.0.0.2", header("X-API-Key", "user-1-of-1")), 200, both, `"user";r=2;t=1, "company";r=4;t=1`)
	for range 2 {
		ask("nothing/", "10.0.0.1", bearer("user-1-of-1"))
	}
	refused := ask("thing/1/", "10.0.0.1", bearer("user-1-of-1"))
	says(refused, 429, both, `"user";r=0;t=1, "company";r=2;t=1`)
	require.Equal(t, "1", refused.Header().Get("Retry-After"))
	says(ask("auth/invitation/x/", "10.0.0.1"), 200, `"sign-in";q=1;w=10`, `"sign-in";r=0;t=10`)
	says(ask("auth/invitation/x/", "10.0.0.1"), 429, `"sign-in";q=1;w=10`, `"sign-in";r=0;t=10`)
	r.clock = r.clock.Add(2500 * time.Millisecond)
	says(ask("thing/1/", "10.0.0.1", bearer("user-1-of-1")), 200, both, `"user";r=1;t=1, "company";r=4;t=1`)
	says(r.ask("GET", "/healthz"), 200, "", "")

	_, ask = limited(t, limit.Rates{})
	says(ask("thing/1/", "10.0.0.1", bearer("user-1-of-1")), 200, "", "")
}

func TestARevokedCredentialCountsForItsAddress(t *testing.T) {
	good := true
	r := newRig(t, server.Config{Rates: limit.Rates{Caller: 1}}, func(d *server.Deps) {
		d.Authenticate = func(context.Context, string) (access.Principal, error) {
			if !good {
				return access.Principal{}, fault.New(fault.Unauthenticated, "token_invalid", "Revoked.")
			}
			return access.Principal{UserID: 1, CompanyID: 1}, nil
		}
	})
	require.Equal(t, 200, r.ask("GET", base+"thing/1/", bearer("stolen")).Code)
	good = false
	for range 10 {
		w := r.ask("GET", base+"thing/1/", bearer("stolen"))
		require.NotContains(t, w.Header().Get("RateLimit"), "user", "what is left of a user is not for who holds a revoked one")
	}
	good = true
	r.clock = r.clock.Add(time.Second)
	require.Equal(t, 200, r.ask("GET", base+"thing/1/", bearer("new")).Code, "who holds a revoked one does not use up its user's")
}

func TestNoLimit(t *testing.T) {
	_, ask := limited(t, limit.Rates{Company: 1, SignIn: 1})
	for range 100 {
		require.Equal(t, 200, ask("thing/1/", "10.0.0.1", bearer("user-1-of-1")).Code)
		require.NotEqual(t, 429, ask("auth/invitation/x/", "10.0.0.1").Code)
	}
}

func TestAFloodOfMadeUpTokensWaitsForItsRefusals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, ask := limited(t, limit.Rates{Caller: 1})
		began := time.Now()
		for i := range 12 {
			ask("thing/1/", "10.0.0.1", bearer(fmt.Sprint("made-up-", i)))
		}
		require.Equal(t, 4*time.Second, time.Since(began), "eight are answered at once")
		require.Equal(t, 200, ask("thing/1/", "10.0.0.2", bearer("user-1-of-1")).Code)
		require.Equal(t, 4*time.Second, time.Since(began), "who is known does not wait")
	})
}
