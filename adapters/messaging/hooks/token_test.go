package hooks

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/core/webhook"
	"tilth/ports"
)

// A parcel that names a credential is posted with the token obtained for it; where there is none it is not posted.
func TestSendWithAToken(t *testing.T) {
	t.Parallel()
	var posted []string
	mux := http.NewServeMux()
	mux.HandleFunc("/events", func(_ http.ResponseWriter, r *http.Request) {
		posted = append(posted, r.Header.Get("Authorization"))
		if len(r.Header.Values(HeaderSignature)) > 0 {
			posted = append(posted, "signed")
		}
	})
	answer := func(path string, status int, body string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			id, secret, _ := r.BasicAuth()
			if id != "our%3Aid" || secret != "our+secret" || r.FormValue("grant_type") != "client_credentials" {
				w.WriteHeader(http.StatusTeapot)
				return
			}
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		})
	}
	answer("/token", 200, `{"access_token": "abc", "token_type": "bearer"}`)
	answer("/refused", 401, `{"error": "invalid_client our secret"}`)
	answer("/busy", 503, ``)
	answer("/none", 200, `{"token": "abc"}`)
	answer("/mac", 200, `{"access_token": "abc", "token_type": "mac"}`)
	answer("/page", 200, `<html>`)
	answer("/endless", 200, `{"access_token": "`+strings.Repeat("a", 2*maxRead)+`"}`)
	answer("/broken", 200, `{"access_token": "a\r\nX-Other: b"}`)
	mux.HandleFunc("/redirect", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/token", http.StatusTemporaryRedirect)
	})
	target := httptest.NewServer(mux)
	defer target.Close()
	try := func(rules Rules, token string) webhook.Outcome {
		s := New(rules, "t")
		defer s.Close()
		return s.Send(t.Context(), ports.Parcel{
			URL: target.URL + "/events", ID: "id", At: time.Unix(1, 0), Body: []byte(`{}`), Token: &ports.TokenRequest{URL: token, ID: "our:id", Secret: "our secret"},
		})
	}
	open := Rules{AllowHTTP: true, AllowPrivate: true}
	require.True(t, try(open, target.URL+"/token").Delivered())
	require.Equal(t, []string{"Bearer abc"}, posted, "unsigned: there is no secret")
	for path, reason := range map[string]string{
		"/refused": "401", "/busy": "503", "/none": "without a token", "/mac": "not a bearer", "/page": "without a token", "/endless": "without a token", "/redirect": "307", "/broken": "could not",
	} {
		o := try(open, target.URL+path)
		require.False(t, o.Delivered(), path)
		require.Contains(t, o.Error, reason, path)
		require.NotContains(t, fmt.Sprint(o), "our secret", path)
	}
	require.Equal(t, 7*time.Second, try(open, target.URL+"/busy").RetryAfter)
	require.Len(t, posted, 1, "nothing more was posted")

	// The address of a token is under the same rules as any other.
	s := New(Rules{}, "t")
	defer s.Close()
	for _, address := range []string{target.URL + "/token", "https://169.254.169.254/token", "https://u:p@example.org/"} {
		o := s.Send(t.Context(), ports.Parcel{URL: "https://example.org/events", ID: "id", At: time.Unix(1, 0), Token: &ports.TokenRequest{URL: address}})
		require.Contains(t, o.Error, "No access token: The address", address)
	}
}
