// Package guide serves the guides in docs/ as pages, with a table of contents, a search and links from each to the next. It
// does not serve the reference of the interface, which makes its own page from the OpenAPI document.
package guide

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// policy allows content from this server only, and pictures from data: URLs.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"

// root is the path of the contents; the guides are below it.
const root = "/docs"

// Guide serves the guides. They are rendered on the first request, because most processes never receive one.
type Guide struct {
	names  map[string]string // from a path below root to the file that it serves
	render func() (map[string]file, error)
}

// file is the answer at one address.
type file struct {
	media   string
	content []byte
}

// New returns a Guide for the Markdown files of a folder, and for the other files beside them.
func New(files fs.FS) (*Guide, error) {
	found, err := sources(files)
	if err != nil {
		return nil, err
	}
	return &Guide{names: found, render: sync.OnceValues(func() (map[string]file, error) { return rendered(files, found, addresses{served: true}) })}, nil
}

// Write writes the guides as static files into a folder, which any file server can serve.
func Write(files fs.FS, folder string) error {
	found, err := sources(files)
	if err != nil {
		return err
	}
	all, err := rendered(files, found, addresses{})
	if err != nil {
		return err
	}
	for name, f := range all {
		where := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(where), 0o755); err != nil {
			return fmt.Errorf("make the folder of %s: %w", name, err)
		}
		if err := os.WriteFile(where, f.content, 0o644); err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
	}
	return nil
}

// sources returns the files of a folder by the names under which they are shown. A guide has the name of its file without
// the extension, or that of its folder if the file is a README.
func sources(files fs.FS) (map[string]string, error) {
	out := map[string]string{}
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			out[shown(name)] = name
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list the guides: %w", err)
	}
	return out, nil
}

// shown returns the name under which a file is shown.
func shown(name string) string {
	guide, is := strings.CutSuffix(name, ".md")
	if !is {
		return name
	}
	if folder, readme := strings.CutSuffix(guide, "/README"); readme {
		return folder
	}
	return guide
}

// Route returns the name of what answers a path; empty where no guide does.
func (g *Guide) Route(address string) string {
	name, below := asked(address)
	switch {
	case !below:
		return ""
	case name == "":
		return root
	case g.names[name] != "", assets[name] != "", name == searchFile:
		return root + "/page"
	}
	return ""
}

// asked returns the part of a path below root, and whether the path is root or below it.
func asked(address string) (name string, below bool) {
	address = strings.TrimSuffix(address, "/")
	if address == root {
		return "", true
	}
	return strings.CutPrefix(address, root+"/")
}

// ServeHTTP implements http.Handler for the paths that have a route.
func (g *Guide) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	all, err := g.render()
	if err != nil {
		http.Error(w, "The guides cannot be shown.", http.StatusInternalServerError) // they are embedded, and a test renders all of them
		return
	}
	name, _ := asked(r.URL.Path)
	f, ok := all[name]
	if !ok {
		http.NotFound(w, r) // a path without a route
		return
	}
	sum := sha256.Sum256(f.content)
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("Content-Type", f.media)
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", `"`+hex.EncodeToString(sum[:16])+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(f.content))
}

// document is the OpenAPI document, which lies beside the guides.
const document = "openapi.json"

// addresses determines how pages link to each other: by paths below root of a server, or as files in one folder.
type addresses struct{ served bool }

// key returns the location of the page or file with a name: a path below root, or a file name. The name "" is the contents.
func (a addresses) key(name string) string {
	if a.served {
		return name
	}
	name = cmp.Or(name, "index")
	if path.Ext(name) == "" {
		name += ".html"
	}
	return name
}

// link returns the link from a page to the page or file with a name.
func (a addresses) link(name string) string {
	switch {
	case !a.served:
		return a.key(name)
	case name == document:
		return "/" + document
	}
	return strings.TrimSuffix(root+"/"+name, "/")
}
