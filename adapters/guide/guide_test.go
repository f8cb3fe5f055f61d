package guide_test

import (
	"cmp"
	"encoding/json"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"tilth/adapters/guide"
	"tilth/docs"
)

// ask returns what the guides answer.
func ask(t *testing.T, g *guide.Guide, address string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	g.ServeHTTP(w, httptest.NewRequest(http.MethodGet, address, nil))
	require.Equal(t, http.StatusOK, w.Code, address)
	return w
}

func guides(t *testing.T) *guide.Guide {
	t.Helper()
	g, err := guide.New(docs.Files)
	require.NoError(t, err)
	return g
}

func TestRoutes(t *testing.T) {
	t.Parallel()
	g := guides(t)
	for address, route := range map[string]string{
		"/docs": "/docs", "/docs/": "/docs", "/docs/maps": "/docs/page", "/docs/maps/": "/docs/page", "/docs/observability": "/docs/page",
		"/docs/guide.css": "/docs/page", "/docs/search.json": "/docs/page", "/docs/clients/walk.py": "/docs/page",
		"/": "", "/docsmaps": "", "/docs/none": "", "/docs/maps.md": "", "/docs/clients": "/docs/page", "/docs/docs.go": "", "/docs/../go.mod": "",
	} {
		require.Equal(t, route, g.Route(address), address)
	}
}

var reference = regexp.MustCompile(`(?:src|href|data-search)="([^"]+)"`)

// Every guide is a page with a title and a next step. Every link in it leads somewhere: to a page, to a heading of one, to a
// file, or to what the server has in addition to the guides.
func TestEveryLinkLeadsSomewhere(t *testing.T) {
	t.Parallel()
	g := guides(t)
	names, err := fs.Glob(docs.Files, "*.md")
	require.NoError(t, err)
	require.Greater(t, len(names), 30)
	beside := map[string]bool{"/": true, "/docs/api/": true, "/openapi.json": true}
	found := map[string]string{} // pages that were requested already
	for _, name := range append([]string{""}, names...) {
		from, err := url.Parse("/docs/" + strings.TrimSuffix(name, ".md"))
		require.NoError(t, err)
		page := ask(t, g, from.Path).Body.String()
		require.Contains(t, page, `<a rel="next"`, name)
		require.NotContains(t, page, "raw HTML omitted", name)
		for _, m := range reference.FindAllStringSubmatch(page, -1) {
			to, err := from.Parse(m[1])
			require.NoError(t, err)
			if to.Host != "" || beside[to.Path] {
				continue
			}
			if found[to.Path] == "" {
				require.NotEmpty(t, g.Route(to.Path), "%s of %s", m[1], name)
				found[to.Path] = ask(t, g, to.Path).Body.String()
			}
			if to.Fragment != "" && !strings.Contains(found[to.Path], `id="`+to.Fragment+`"`) {
				t.Errorf("%s of %s", m[1], name)
			}
		}
	}
}

func TestPagesAreScriptsAndStylesOfTheirOwn(t *testing.T) {
	t.Parallel()
	g := guides(t)
	w := ask(t, g, "/docs/maps")
	require.Contains(t, w.Header().Get("Content-Security-Policy"), "default-src 'none'")
	require.NotContains(t, w.Header().Get("Content-Security-Policy"), "unsafe")
	require.NotRegexp(t, `<script>|<style|style="|onclick=`, w.Body.String())
	require.Contains(t, w.Body.String(), `<img src="/docs/pictures/map.svg"`)
	require.Equal(t, "image/svg+xml", ask(t, g, "/docs/pictures/map.svg").Header().Get("Content-Type"))
	again := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodGet, "/docs/maps", nil)
	r.Header.Set("If-None-Match", w.Header().Get("ETag"))
	g.ServeHTTP(again, r)
	require.Equal(t, http.StatusNotModified, again.Code)
}

// The search finds sections by their anchors, including the words of tables and code blocks.
func TestWhatTheSearchLooksIn(t *testing.T) {
	t.Parallel()
	g := guides(t)
	var sections []struct{ Link, Page, Heading, Text string }
	require.NoError(t, json.Unmarshal(ask(t, g, "/docs/search.json").Body.Bytes(), &sections))
	var found string
	for _, s := range sections {
		require.NotEmpty(t, s.Page)
		if s.Heading == "What is ordered" && strings.Contains(s.Text, "output_data_type") {
			found = s.Link
		}
	}
	require.Equal(t, "/docs/maps#what-is-ordered", found)
}

func TestAGuideThatIsWrongIsNamed(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{}
	names, err := fs.Glob(docs.Files, "*.md")
	require.NoError(t, err)
	for _, name := range append(names, "observability/README.md") {
		files[name] = &fstest.MapFile{Data: []byte("# " + name)}
	}
	require.NoError(t, guide.Write(files, t.TempDir()))
	files["maps.md"] = &fstest.MapFile{Data: []byte("# Maps\n\nSee [there](nowhere.md).")}
	require.ErrorContains(t, guide.Write(files, t.TempDir()), "maps.md: a link to nowhere.md")
	files["maps.md"] = &fstest.MapFile{Data: []byte("# Maps")}
	files["new.md"] = &fstest.MapFile{Data: []byte("# New")}
	require.ErrorContains(t, guide.Write(files, t.TempDir()), "guides")
}

// The static files are the same pages, which link to each other without a server. TILTH_PICTURES names a folder to keep them in.
func TestStaticFiles(t *testing.T) {
	t.Parallel()
	folder := cmp.Or(os.Getenv("TILTH_PICTURES"), t.TempDir())
	require.NoError(t, guide.Write(docs.Files, folder))
	pages, err := filepath.Glob(filepath.Join(folder, "*.html"))
	require.NoError(t, err)
	require.Greater(t, len(pages), 30)
	for _, name := range pages {
		content, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, m := range reference.FindAllStringSubmatch(string(content), -1) {
			to, err := url.Parse(m[1])
			require.NoError(t, err)
			if to.Host != "" || to.Path == "" || to.Path == "openapi.json" {
				continue
			}
			require.False(t, path.IsAbs(to.Path), "%s of %s", m[1], name)
			there, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(to.Path)))
			require.NoError(t, err, "%s of %s", m[1], name)
			if to.Fragment != "" {
				require.True(t, strings.Contains(string(there), `id="`+to.Fragment+`"`), "%s of %s", m[1], name)
			}
		}
	}
}
