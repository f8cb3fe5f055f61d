package console_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/console"
)

func ask(t *testing.T, path string) (string, *httptest.ResponseRecorder) {
	t.Helper()
	c, err := console.New(nil)
	require.NoError(t, err)
	w := httptest.NewRecorder()
	route := c.Route(path)
	if route != "" {
		c.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
	}
	return route, w
}

// Every address of a screen shows the page. The number of route names does not grow with the records.
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

// Files are stored compressed, and are sent so to callers that accept it. Others get the same file decompressed.
func TestPackedFilesAreWhatTheyWere(t *testing.T) {
	names, err := filepath.Glob("dist/console/*")
	require.NoError(t, err)
	c, err := console.New(nil)
	require.NoError(t, err)
	get := func(path, coding string) *httptest.ResponseRecorder {
		require.Equal(t, "/console/", c.Route(path))
		w, r := httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
		if coding != "" {
			r.Header.Set("Accept-Encoding", coding)
		}
		c.ServeHTTP(w, r)
		require.Equal(t, http.StatusOK, w.Code)
		return w
	}
	many := 0
	for _, name := range names {
		stored, err := os.ReadFile(name)
		require.NoError(t, err)
		file, packed := strings.CutSuffix(filepath.Base(name), ".gz")
		if !packed {
			require.Contains(t, []string{".woff2", ".js"}, filepath.Ext(file))
			require.Equal(t, stored, get("/console/"+file, "gzip").Body.Bytes())
			continue
		}
		many++
		require.Empty(t, c.Route("/console/"+filepath.Base(name)), "a packed file has the address of its content alone")
		as := get("/console/"+file, "deflate, GZIP;q=0.5, br")
		require.Equal(t, []string{"gzip", "Accept-Encoding"}, []string{as.Header().Get("Content-Encoding"), as.Header().Get("Vary")})
		require.Equal(t, stored, as.Body.Bytes())
		unpacked, err := gzip.NewReader(bytes.NewReader(stored))
		require.NoError(t, err)
		content, err := io.ReadAll(unpacked)
		require.NoError(t, err)
		for _, coding := range []string{"", "identity", "zstd, br", "gzip;q=0", "gzip; q=0.000, *"} {
			plain := get("/console/"+file, coding)
			require.Empty(t, plain.Header().Get("Content-Encoding"), coding)
			require.Equal(t, "Accept-Encoding", plain.Header().Get("Vary"))
			require.Equal(t, as.Header().Get("Content-Type"), plain.Header().Get("Content-Type"))
			require.Equal(t, content, plain.Body.Bytes(), file)
		}
	}
	require.Greater(t, many, 10)
}

// archive writes a file that begins like an archive of tiles.
func archive(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "land.pmtiles")
	require.NoError(t, os.WriteFile(name, []byte("PMTiles\x03"+strings.Repeat("tiles", 100)), 0o600))
	return name
}

// This server serves a base map in pieces, from a file as from an address, so that the policy of the page stays as strict.
// The page states that there is one.
func TestBaseMapIsServedInPieces(t *testing.T) {
	name := archive(t)
	other := httptest.NewServer(http.FileServer(http.Dir(filepath.Dir(name))))
	t.Cleanup(other.Close)
	for _, at := range []string{name, "file:" + name, other.URL + "/land.pmtiles"} {
		base, err := console.OpenBaseMap(at)
		require.NoError(t, err)
		c, err := console.New(base)
		require.NoError(t, err)
		get := func(path, piece string) *httptest.ResponseRecorder {
			require.NotEmpty(t, c.Route(path))
			w, r := httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
			if piece != "" {
				r.Header.Set("Range", piece)
			}
			c.ServeHTTP(w, r)
			return w
		}
		page := get("/", "")
		require.Contains(t, page.Body.String(), `<meta name="basemap" content="/console/basemap.pmtiles"`)
		require.Contains(t, page.Header().Get("Content-Security-Policy"), "connect-src 'self';")
		w := get("/console/basemap.pmtiles", "bytes=0-6")
		require.Equal(t, []any{http.StatusPartialContent, "PMTiles", "bytes 0-6/508"}, []any{w.Code, w.Body.String(), w.Header().Get("Content-Range")})
		require.Equal(t, "", w.Header().Get("Content-Encoding"))
		w = get("/console/basemap.pmtiles", "bytes=500-16383")
		require.Equal(t, []any{http.StatusPartialContent, "lestiles", "bytes 500-507/508"}, []any{w.Code, w.Body.String(), w.Header().Get("Content-Range")})
		for _, piece := range []string{"", "bytes=0-", "bytes=-7", "bytes=0-6,8-9", "bytes=6-0", "bytes=0-99999999999", "tiles=0-6"} {
			w = get("/console/basemap.pmtiles", piece)
			require.Contains(t, []int{http.StatusBadRequest, http.StatusRequestedRangeNotSatisfiable}, w.Code, piece)
		}
	}
	other.Close()
	base, err := console.OpenBaseMap(other.URL + "/land.pmtiles")
	require.NoError(t, err)
	w, r := httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	r.Header.Set("Range", "bytes=0-6")
	base.ServeHTTP(w, r)
	require.Equal(t, http.StatusBadGateway, w.Code)
}

// A base map that is not an archive of tiles is reported when the server starts.
func TestBaseMapsThatAreNone(t *testing.T) {
	text := filepath.Join(t.TempDir(), "text.pmtiles")
	require.NoError(t, os.WriteFile(text, []byte("no tiles"), 0o600))
	for at, says := range map[string]string{
		filepath.Join(t.TempDir(), "nothing.pmtiles"): "open the base map", text: "not an archive of tiles. Fix: give a PMTiles file", "https://": "not an address. Fix",
	} {
		_, err := console.OpenBaseMap(at)
		require.ErrorContains(t, err, says)
	}
	none, err := console.OpenBaseMap("")
	require.NoError(t, err)
	require.Nil(t, none)
	route, _ := ask(t, "/console/basemap.pmtiles")
	require.Empty(t, route)
}

func TestTheServiceWorkerIsAskedForAnew(t *testing.T) {
	route, w := ask(t, "/sw.js")
	require.Equal(t, "/sw.js", route)
	require.Equal(t, "text/javascript; charset=utf-8", w.Header().Get("Content-Type"))
	require.Equal(t, "no-cache", w.Header().Get("Cache-Control"))
	require.Contains(t, w.Body.String(), "addEventListener('fetch'")
}

// The page names only its own files. Each of them exists, and may be kept for good.
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
