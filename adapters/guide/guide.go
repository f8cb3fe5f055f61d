// Package guide shows the guides of docs/ as pages, with their contents, a search and links from each to the next. It is no
// reference of the interface, which makes its own page from the document.
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

// policy takes everything from this server.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"

// root is the address of the contents, below which the guides are.
const root = "/docs"

// Guide answers the addresses of the guides. They are rendered when the first is asked for: most processes are never asked.
type Guide struct {
	names  map[string]string // the path of what is served, below root, to its file
	render func() (map[string]file, error)
}

// file is what one address answers.
type file struct {
	media   string
	content []byte
}

// New serves the Markdown files of a folder, with what lies beside them.
func New(files fs.FS) (*Guide, error) {
	found, err := sources(files)
	if err != nil {
		return nil, err
	}
	return &Guide{names: found, render: sync.OnceValues(func() (map[string]file, error) { return rendered(files, found, addresses{served: true}) })}, nil
}

// Write writes the guides as static files into a folder, which any server of files can show.
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

// sources returns the files of a folder by the name of what shows them: that of a guide is its file's without its ending, or
// its folder's where the file is a README.
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

// asked returns what a path asks for below root.
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
		http.Error(w, "The guides cannot be shown.", http.StatusInternalServerError) // they are embedded: a test shows all
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

// addresses are where pages find each other: below root of a server, or as files of one folder.
type addresses struct{ served bool }

// key returns where what has a name is found: what follows root, or a file. "" is the contents.
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

// link returns how a page refers to what has a name.
func (a addresses) link(name string) string {
	switch {
	case !a.served:
		return a.key(name)
	case name == document:
		return "/" + document
	}
	return strings.TrimSuffix(root+"/"+name, "/")
}
