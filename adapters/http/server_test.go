package http_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	server "tilth/adapters/http"
	"tilth/core/access"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const base = server.DefaultBase

func TestWhatIsServedAroundTheInterface(t *testing.T) {
	r := newRig(t, server.Config{Build: "1.4.0"})
	tests := []struct {
		method, path string
		status       int
		contentType  string
		contains     string
	}{
		{"GET", "/", 404, "application/json", "not_found"},      // without a console
		{"GET", "/docs/", 404, "application/json", "not_found"}, // without guides
		{"GET", "/docs/api/", 200, "text/html; charset=utf-8", "../../openapi.json"},
		{"GET", "/docs/api", 200, "text/html; charset=utf-8", "../openapi.json"},
		{"GET", "/docs/api/main.js", 200, "text/javascript; charset=utf-8", "import"},
		{"GET", "/docs/api/style.css", 200, "text/css; charset=utf-8", ":root"},
		{"GET", "/docs/api/icon.svg", 200, "image/svg+xml", "<svg"},
		{"GET", "/docs/api/reference.html", 404, "application/json", "not_found"},
		{"GET", "/openapi.json", 200, "application/json", `"openapi": "3.1.0"`},
		{"GET", "/openapi.yaml", 200, "application/yaml", "openapi: 3.1.0"},
		{"GET", "/healthz", 200, "application/json", "1.4.0"},
		{"GET", "/readyz", 200, "application/json", "Ready."},
		{"HEAD", "/healthz", 200, "application/json", ""},
		{"GET", "/nothing", 404, "application/json", "not_found"},
		{"GET", "/docs/api/nothing.js", 404, "application/json", "not_found"},
		{"GET", "/docs//", 404, "application/json", "not_found"},
		{"GET", "/api/v1.2", 404, "application/json", "not_found"},
		{"GET", "/api/v1.20/thing/1/", 404, "application/json", "not_found"},
		{"GET", "/api/v9/thing/1/", 404, "application/json", "not_found"},
		{"GET", base + "nothing/", 404, "application/json", "not_found"},
		{"POST", "/openapi.json", 405, "application/json", "method_not_allowed"},
		{"GET", base + "thing/7/", 200, "application/json", "success"},
		{"GET", base + "thing/7", 200, "application/json", "success"},
	}
	for _, tt := range tests {
		t.Run(tt.method+" "+tt.path, func(t *testing.T) {
			w := r.ask(tt.method, tt.path)
			require.Equal(t, tt.status, w.Code, w.Body.String())
			require.Equal(t, tt.contentType, w.Header().Get("Content-Type"))
			require.Contains(t, w.Body.String(), tt.contains)
			require.Equal(t, "nosniff", w.Header().Get("X-Content-Type-Options"))
			require.NotEmpty(t, w.Header().Get("Content-Security-Policy"))
			require.Empty(t, w.Header().Get("Location"))
			if tt.status == 405 {
				require.Equal(t, "GET, HEAD", w.Header().Get("Allow"))
			}
		})
	}
}

func TestPagesFetchNothingFromElsewhere(t *testing.T) {
	r := newRig(t, server.Config{})
	address := regexp.MustCompile(`(?:src|href)="([^"]+)"`)
	for _, path := range []string{"/docs/api/", "/docs/api"} {
		page, err := url.Parse(path)
		require.NoError(t, err)
		found := address.FindAllStringSubmatch(r.ask("GET", path).Body.String(), -1)
		require.NotEmpty(t, found)
		for _, m := range found {
			to, err := page.Parse(m[1])
			require.NoError(t, err)
			require.Empty(t, to.Host, m[1])
			if to.Path == "/" {
				continue // the console's
			}
			require.Less(t, r.ask("GET", to.Path).Code, 400, "%s of %s", m[1], path)
		}
	}
}

// The reference consists of its own files only: no script or style stands in the page, every file that the page or
// one of its files names is served, and the policy allows no other.
func TestReferenceIsItsOwnFiles(t *testing.T) {
	r := newRig(t, server.Config{})
	policy := func(path string) string {
		w := r.ask("GET", path)
		require.Equal(t, 200, w.Code, path)
		return w.Header().Get("Content-Security-Policy")
	}
	for _, path := range []string{"/docs/api/", "/docs/api"} {
		page := r.ask("GET", path).Body.String()
		require.NotRegexp(t, `<style|\sstyle=|\son[a-z]+=|javascript:`, page)
		for _, script := range regexp.MustCompile(`(?s)<script([^>]*)>(.*?)</script>`).FindAllStringSubmatch(page, -1) {
			require.Contains(t, script[1], "src=")
			require.Empty(t, script[2])
		}
	}
	visited := map[string]bool{}
	var visit func(name string)
	visit = func(name string) {
		if visited[name] {
			return
		}
		visited[name] = true
		require.Contains(t, policy("/docs/api/"+name), "script-src 'self';")
		text := r.ask("GET", "/docs/api/"+name).Body.String()
		require.NotRegexp(t, `innerHTML|outerHTML|insertAdjacentHTML|\beval\(|document\.write`, text, name)
		for _, m := range regexp.MustCompile(`from "\./([^"]+)"`).FindAllStringSubmatch(text, -1) {
			visit(m[1])
		}
	}
	visit("main.js")
	require.Len(t, visited, 9)
	for _, path := range []string{"/docs/api/", "/docs/api", "/docs/api/main.js"} {
		require.NotContains(t, policy(path), "unsafe")
		require.Contains(t, policy(path), "default-src 'none'")
		require.Contains(t, policy(path), "frame-ancestors 'none'")
	}
}

func TestDocumentIsNotSentTwice(t *testing.T) {
	r := newRig(t, server.Config{})
	etag := r.ask("GET", "/openapi.json").Header().Get("ETag")
	require.Equal(t, 304, r.ask("GET", "/openapi.json", header("If-None-Match", etag)).Code)
}

func TestReadinessNamesTheMissingPart(t *testing.T) {
	r := newRig(t, server.Config{}, func(d *server.Deps) {
		d.Ready = map[string]func(context.Context) error{
			"database": func(context.Context) error { return nil },
			"broker":   func(context.Context) error { return errors.New("dial tcp 10.0.0.5: refused") },
		}
	})
	w := r.ask("GET", "/readyz")
	require.Equal(t, 503, w.Code)
	out := envelope(t, w)
	require.Equal(t, map[string]any{"broker": "unavailable", "database": "ready"}, out["details"])
	require.Contains(t, out["message"], "broker")
	require.NotContains(t, w.Body.String(), "10.0.0.5")
	require.Contains(t, r.log.String(), "10.0.0.5")
	require.Equal(t, 200, r.ask("GET", "/healthz").Code)
}

func TestRequestIDs(t *testing.T) {
	r := newRig(t, server.Config{})
	for given, want := range map[string]string{
		"": "made-1", "client-42.a:b_C": "client-42.a:b_C", "with space": "made-1", strings.Repeat("x", 129): "made-1", "a\"b": "made-1",
	} {
		for _, path := range []string{base + "thing/1/", base + "nothing/", "/", "/healthz"} {
			require.Equal(t, want, r.ask("GET", path, header("X-Request-ID", given)).Header().Get("X-Request-ID"), given)
		}
	}
}

func TestPanicIsAnInternalError(t *testing.T) {
	r := newRig(t, server.Config{})
	w := r.ask("GET", base+"panic/", header("X-Request-ID", "req-9"))
	require.Equal(t, 500, w.Code)
	require.Equal(t, "internal_error", envelope(t, w)["code"])
	require.NotContains(t, w.Body.String(), "hunter2")
	require.Contains(t, r.log.String(), "hunter2")
	require.Contains(t, r.log.String(), "server_test.go", "the stack is logged")
	require.Contains(t, r.log.String(), "request_id=req-9")
	require.Contains(t, r.log.String(), "status=500")
}

func TestPanicAfterTheHeaderCutsTheConnection(t *testing.T) {
	r := newRig(t, server.Config{})
	s := httptest.NewServer(r.Handler())
	defer s.Close()
	req, err := http.NewRequestWithContext(t.Context(), "GET", s.URL+base+"late/", nil)
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer good")
	req.Header.Set("Accept-Encoding", "identity") // compressed data may still be in the encoder
	res, err := s.Client().Do(req)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	_, err = io.ReadAll(res.Body)
	require.Error(t, err)
}

func TestLogHoldsNoSecrets(t *testing.T) {
	r := newRig(t, server.Config{})
	r.ask("GET", base+"thing/1/?crop=5&api_key=s3cret-a&Token=s3cret-b", header("Authorization", ""), header("Cookie", "s3cret-c"))
	r.ask("GET", base+"thing/1/", header("Authorization", "Bearer s3cret-d"), header("X-API-Key", "s3cret-e"))
	r.ask("POST", base+"auth/invitation/s3cret-f/")
	r.ask("GET", base+"thing/1/?api_key=s3cret-g&%zz")
	r.ask("GET", base+"thing/1/?page=5&X-API-Key=s3cret-h&apikey=s3cret-i&s3cret-j&page=s3cret-k")
	for _, path := range []string{base + "thing/s3cret-l/", base + "thing/7/s3cret-m", base + "s3cret-n/thing", "/s3cret-o", "/docs/s3cret-p", "//s3cret-q", "/account/s3cret-r"} {
		require.NotContains(t, r.ask("GET", path).Body.String(), "s3cret")
		require.NotContains(t, r.ask("POST", path).Body.String(), "s3cret")
	}
	r.ask("S3CRET-S", base+"thing/1/")
	for _, id := range []string{"tk_x." + strings.Repeat("s3cret", 5), "e30.e30s3crets3crets3crets3cret.sig"} {
		require.Equal(t, "made-1", r.ask("GET", base+"thing/1/", header("X-Request-ID", id)).Header().Get("X-Request-ID"))
	}
	log := r.log.String()
	require.NotContains(t, strings.ToLower(log), "s3cret")
	require.Contains(t, log, "page=5")
	require.Contains(t, log, "path=/api/v1.2/thing/7/(hidden)")
	require.Contains(t, log, "route=/api/v1.2/thing/{id}/")
	require.Contains(t, log, "user=2")
	require.Contains(t, log, "status=401")
}

func TestMetricsCountByRouteNotByPath(t *testing.T) {
	r := newRig(t, server.Config{})
	for _, path := range []string{"thing/1/", "thing/2/", "thing/abc/", "nothing/1/", "nothing/2/?api_key=s3cret"} {
		r.ask("GET", base+path)
	}
	r.ask("BREW", base+"thing/1/")
	r.ask("GET", base+"panic/")
	answered := make(chan struct{})
	go func() {
		r.ask("GET", base+"wait/")
		close(answered)
	}()
	<-r.waiting
	w := httptest.NewRecorder()
	r.Admin().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	close(r.wait)
	<-answered
	out := w.Body.String()
	require.Equal(t, 404, r.ask("GET", "/metrics").Code, "the figures are for operators")
	for _, line := range []string{
		`tilth_http_requests_total{method="GET",route="/api/v1.2/thing/{id}/",status="200"} 2`,
		`tilth_http_requests_total{method="GET",route="/api/v1.2/thing/{id}/",status="404"} 1`,
		`tilth_http_requests_total{method="GET",route="unmatched",status="404"} 2`,
		`tilth_http_requests_total{method="other",route="/api/v1.2/thing/{id}/",status="405"} 1`,
		`tilth_http_requests_total{method="GET",route="/api/v1.2/panic/",status="500"} 1`,
		`tilth_http_requests_in_flight 1`,
	} {
		require.Contains(t, out, line)
	}
	require.NotContains(t, out, "s3cret")
}

func TestConfigurationThatCannotWork(t *testing.T) {
	_, err := server.New(server.Config{}, server.Deps{})
	require.Error(t, err)
	for _, address := range []string{"tilth.example.org", "ftp://x/", "://"} {
		r := newRig(t, server.Config{})
		_, err := server.New(server.Config{PublicURL: address}, server.Deps{
			Authenticate: func(context.Context, string) (access.Principal, error) { return access.Principal{}, nil },
			Authorize:    admit,
			Logger:       slog.New(slog.NewTextHandler(r.log, nil)), Now: time.Now, NewRequestID: func() string { return "" },
		})
		require.ErrorContains(t, err, address)
	}
}

func TestShutdownFinishesRequests(t *testing.T) {
	r := newRig(t, server.Config{})
	address, stop, done := r.serve(t)
	answered := make(chan string, 1)
	go func() {
		status, body, err := fetch(address + base + "wait/")
		answered <- fmt.Sprint(status, body, err)
	}()
	<-r.waiting
	stop()
	require.Eventually(t, func() bool { return r.ask("GET", "/readyz").Code == 503 }, time.Minute, time.Millisecond, "a server that stops is not ready")
	close(r.wait)
	require.Contains(t, <-answered, "waited")
	require.NoError(t, <-done)
	_, _, err := fetch(address + "/healthz")
	require.Error(t, err, "nothing is taken any more")
}

func TestShutdownIsBounded(t *testing.T) {
	r := newRig(t, server.Config{ShutdownTimeout: time.Millisecond})
	address, stop, done := r.serve(t)
	const callers = 50
	answered := make(chan error, callers)
	for range callers {
		go func() {
			_, _, err := fetch(address + base + "wait/")
			answered <- err
		}()
		<-r.waiting
	}
	stop()
	require.ErrorContains(t, <-done, "cut off")
	for range callers {
		require.Error(t, <-answered, "what was cut off is no answer")
	}
}

func TestEveryMethodOverTheWire(t *testing.T) {
	r := newRig(t, server.Config{})
	address, stop, done := r.serve(t)
	client := &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return errors.New("redirected") },
	}
	for _, tt := range []struct {
		method, path, body string
		status             int
	}{
		{"POST", "thing", `{"name":"x"}`, 200}, {"POST", "thing/", `{"name":"x"}`, 200}, {"POST", "thing/", `{"name":""}`, 400},
		{"HEAD", "thing/1", "", 200}, {"DELETE", "thing/1", "", 405}, {"POST", "thing/", `{"name":"` + strings.Repeat("x", 8<<20) + `"}`, 413},
	} {
		req, err := http.NewRequestWithContext(t.Context(), tt.method, address+base+tt.path, strings.NewReader(tt.body))
		require.NoError(t, err)
		req.Header.Set("Authorization", "Bearer good")
		req.Header.Set("Content-Type", "application/json")
		res, err := client.Do(req)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		require.Equal(t, tt.status, res.StatusCode, "%s %s", tt.method, tt.path)
	}
	stop()
	require.NoError(t, <-done)
}
