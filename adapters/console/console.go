// Package console is the web console: its files, built from web/ and embedded, and the addresses of its screens. It is a
// client of the interface like any other: it knows no use case and reads no database.
package console

import (
	"bytes"
	"embed"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzip"
)

//go:embed all:dist
var dist embed.FS

// policy allows content from this server only: scripts, styles, fonts, answers and pictures. It also allows pictures that a page makes.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data: blob:; connect-src 'self'; " +
	"worker-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// screens has the first path segment of each screen's address.
var screens = map[string]bool{"": true, "sign-in": true, "farm": true, "season": true, "field": true, "fields": true, "add": true, "draw": true, "setup": true, "assessments": true, "assessment": true, "dashboard": true, "sampling": true, "crew": true, "settings": true}

// files is the path below which the files of the console are served. Their names change with their content.
const files = "/console/"

// worker is the service worker of crews, which answers when the server is unreachable. Its path determines its scope.
const worker = "/sw.js"

// packed is the extension of files that `make console` compressed (tests/packed).
const packed = ".gz"

var media = map[string]string{
	".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml", ".woff2": "font/woff2",
}

// Console answers the addresses of the console with its page, and those of its files.
type Console struct {
	page    []byte
	files   fs.FS
	baseMap *BaseMap // nil: maps have a plain background
}

// New reads the embedded page, and adds the address of the base map to it if there is one.
func New(baseMap *BaseMap) (*Console, error) {
	inside, err := fs.Sub(dist, "dist")
	if err != nil {
		return nil, fmt.Errorf("open the files of the console: %w", err)
	}
	page, err := fs.ReadFile(inside, "index.html")
	if err != nil {
		return nil, fmt.Errorf("read the page of the console: %w", err)
	}
	if baseMap != nil {
		page = bytes.Replace(page, []byte("</head>"), []byte(`<meta name="basemap" content="`+baseMapFile+`" /></head>`), 1)
	}
	return &Console{page, inside, baseMap}, nil
}

// Route returns the name of what answers a path: a screen of the console, or its files; empty if the console has nothing there.
func (c *Console) Route(address string) string {
	if address == worker {
		return worker
	}
	if address == baseMapFile && c.baseMap != nil {
		return baseMapFile
	}
	if name, below := strings.CutPrefix(address, files); below {
		if !c.has("console/"+name) && !c.has("console/"+name+packed) || media[path.Ext(name)] == "" {
			return ""
		}
		return files
	}
	first, _, _ := strings.Cut(strings.TrimPrefix(address, "/"), "/")
	if !screens[first] {
		return ""
	}
	return "/" + first
}

// ServeHTTP implements http.Handler for the paths that have a route.
func (c *Console) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	route := c.Route(r.URL.Path)
	if route == baseMapFile {
		c.baseMap.ServeHTTP(w, r)
		return
	}
	if route != files && route != worker {
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Cache-Control", "no-cache")
		_, _ = w.Write(c.page) // the reader may be gone
		return
	}
	name := strings.TrimPrefix(r.URL.Path, "/")
	h.Set("Content-Type", media[path.Ext(name)])
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	if route == worker {
		h.Set("Cache-Control", "no-cache")
	}
	if c.has(name + packed) {
		c.writePacked(w, r, name+packed)
		return
	}
	text, err := fs.ReadFile(c.files, name)
	if err != nil {
		http.NotFound(w, r) // a path without a route
		return
	}
	_, _ = w.Write(text)
}

func (c *Console) has(name string) bool {
	info, err := fs.Stat(c.files, name)
	return err == nil && !info.IsDir()
}

// writePacked writes a file that is stored compressed: as it is to callers that accept gzip, as all browsers do, otherwise decompressed.
func (c *Console) writePacked(w http.ResponseWriter, r *http.Request, name string) {
	h := w.Header()
	if !slices.Contains(h.Values("Vary"), "Accept-Encoding") {
		h.Add("Vary", "Accept-Encoding")
	}
	content, err := fs.ReadFile(c.files, name)
	if err != nil {
		http.Error(w, "The console cannot be shown.", http.StatusInternalServerError) // it is embedded, and a test requests every file
		return
	}
	if takesGzip(r) {
		h.Set("Content-Encoding", "gzip")
		_, _ = w.Write(content) // the reader may be gone
		return
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		http.Error(w, "The console cannot be shown.", http.StatusInternalServerError)
		return
	}
	_, _ = io.Copy(w, unpacked)
}

// takesGzip reports whether a request accepts gzip.
func takesGzip(r *http.Request) bool {
	for _, field := range r.Header.Values("Accept-Encoding") {
		for coding := range strings.SplitSeq(field, ",") {
			name, params, _ := strings.Cut(coding, ";")
			if !strings.EqualFold(strings.TrimSpace(name), "gzip") {
				continue
			}
			weight, weighed := strings.CutPrefix(strings.ReplaceAll(params, " ", ""), "q=")
			q, err := strconv.ParseFloat(weight, 64)
			return !weighed || err == nil && q > 0
		}
	}
	return false
}
