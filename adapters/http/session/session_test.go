package session_test

import (
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/http/session"
)

func TestCookieIsForThisServerAlone(t *testing.T) {
	t.Parallel()
	require.Equal(t, "tilth_session=s; Path=/api/; Max-Age=60; HttpOnly; Secure; SameSite=Strict", session.Cookie("s", "/api/", true, time.Minute))
	require.Equal(t, "tilth_session=; Path=/api/; Max-Age=0; HttpOnly; SameSite=Strict", session.Gone("/api/", false))
}

func TestChangesComeFromPagesOfThisServer(t *testing.T) {
	t.Parallel()
	const own = "https://tilth.example"
	for _, c := range []struct {
		method, fetch, origin string
		refused               bool
	}{
		{"GET", "", "", false},
		{"GET", "cross-site", "https://other.example", false},
		{"HEAD", "", "", false},
		{"POST", "same-origin", "", false},
		{"POST", "same-origin", own, false},
		{"POST", "", own, false},
		{"POST", "", "", true},
		{"POST", "none", "", true},
		{"POST", "same-site", own, true},
		{"POST", "cross-site", own, true},
		{"POST", "", "http://tilth.example", true},
		{"POST", "", "https://tilth.example:8443", true},
		{"POST", "", "https://tilth.example.evil", true},
		{"POST", "", "null", true},
		{"DELETE", "", "https://other.example", true},
	} {
		r := httptest.NewRequest(c.method, "/", nil)
		if c.fetch != "" {
			r.Header.Set("Sec-Fetch-Site", c.fetch)
		}
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		require.Equal(t, c.refused, session.CheckOrigin(r, own) != nil, "%+v", c)
	}
}
