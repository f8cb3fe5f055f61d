package console_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/console"
)

func ask(t *testing.T, path string) (string, *httptest.ResponseRecorder) {
	t.Helper()
	c, err := console.New()
	require.NoError(t, err)
	w := httptest.NewRecorder()
	route := c.Route(path)
	if route != "" {
		c.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
	}
	return route, w
}

// Every address of a screen is the page; its name in figures does not grow with the records.
func TestScreensAreThePage(t *testing.T) {
	for path, route := range map[string]string{
		"/": "/", "/sign-in": "/sign-in", "/farm/12/season/3/field/87": "/farm", "/farm/12": "/farm", "/season/3/fields": "/season",
		"/settings/wallet": "/settings", "/sampling/7": "/sampling", "/crew/4": "/crew",
	} {
		got, w := ask(t, path)
		require.Equal(t, route, got, path)
		require.Contains(t, w.Body.String(), `id="console"`)
		require.Equal(t, "no-cache", w.Header().Get("Cache-Control"))
		require.NotContains(t, w.Header().Get("Content-Security-Policy"), "unsafe")
	}
	for _, path := range []string{"/nothing", "/console/", "/console/nothing.js", "/console", "/console/../index.html", "/farms"} {
		route, _ := ask(t, path)
		require.Empty(t, route, path)
	}
}

// The page names its own files alone, each is there, and may be kept for good.
func TestTheServiceWorkerIsAskedForAnew(t *testing.T) {
	route, w := ask(t, "/sw.js")
	require.Equal(t, "/sw.js", route)
	require.Equal(t, "text/javascript; charset=utf-8", w.Header().Get("Content-Type"))
	require.Equal(t, "no-cache", w.Header().Get("Cache-Control"))
	require.Contains(t, w.Body.String(), "addEventListener('fetch'")
}

func TestFilesAreTheServersOwn(t *testing.T) {
	_, page := ask(t, "/")
	named := regexp.MustCompile(`(?:src|href)="([^"]+)"`).FindAllStringSubmatch(page.Body.String(), -1)
	require.GreaterOrEqual(t, len(named), 3)
	for _, m := range named {
		require.True(t, strings.HasPrefix(m[1], "/console/"), m[1])
		route, w := ask(t, m[1])
		require.Equal(t, "/console/", route)
		require.Equal(t, http.StatusOK, w.Code)
		require.NotEmpty(t, w.Header().Get("Content-Type"))
		require.Contains(t, w.Header().Get("Cache-Control"), "immutable")
	}
}
