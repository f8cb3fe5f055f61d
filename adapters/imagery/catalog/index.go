package catalog

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"

	"tilth/adapters/imagery/internal/dem"
	"tilth/adapters/imagery/internal/item"
	"tilth/core/fault"
)

const (
	entrance     = "catalog.json"
	maxDepth     = 8       // of catalogs within catalogs
	maxDocuments = 200_000 // in a folder
	maxDocument  = 4 << 20 // bytes of one of them
)

// index is the contents of a folder when it was read. It does not change.
type index struct {
	items     []*entry // in the order of item.Compare
	elevation []dem.Item
	troubles  []string // for people: the documents that cannot be used, and why
	// watched holds the sources of the index by path in the folder: every document as it was read,
	// and nil for every document and asset that was missing.
	watched map[string]fs.FileInfo
}

// newIndex reads the folder. Faults: as Open.
func newIndex(root *os.Root) (*index, error) {
	w := walker{root: root, index: &index{watched: map[string]fs.FileInfo{}}, read: map[string]bool{}}
	if err := w.document(entrance, "", 0); err != nil {
		return nil, err
	}
	sound := func(e *entry) bool { return e.Scene().Broken == "" }
	if w.first != nil && !slices.ContainsFunc(w.index.items, sound) {
		return nil, w.first
	}
	if len(w.index.items) == 0 {
		w.index.items = w.bandless
	}
	slices.SortFunc(w.index.items, func(a, b *entry) int { return item.Compare(a.Item, b.Item) })
	return w.index, nil
}

// changed reports whether the sources of the index have changed. It costs one stat per document.
func (x *index) changed(root *os.Root) bool {
	for name, before := range x.watched {
		now, err := stat(root, name)
		if err != nil || before == nil {
			if (err == nil) != (before != nil) {
				return true
			}
			continue
		}
		if !os.SameFile(before, now) || before.Size() != now.Size() || !before.ModTime().Equal(now.ModTime()) {
			return true
		}
	}
	return false
}

// stat returns the size and age of a file in a folder. A regular file takes one call; a link goes
// through the root, which checks every folder and follows no link out.
func stat(root *os.Root, name string) (fs.FileInfo, error) {
	info, err := os.Lstat(filepath.Join(root.Name(), filepath.FromSlash(name)))
	if err != nil || info.Mode().IsRegular() {
		return info, err
	}
	return root.Stat(name)
}

type walker struct {
	root  *os.Root
	index *index
	read  map[string]bool // documents, by path in the folder
	first error           // the first trouble
	// bandless holds the items without a known band.
	bandless []*entry
}

// links is the common part of catalogs, collections and item collections.
type links struct {
	Type     string            `json:"type"`
	Features []json.RawMessage `json:"features"`
	Links    []struct {
		Rel  string `json:"rel"`
		Href string `json:"href"`
	} `json:"links"`
}

// document reads a document that a relation links to, and what it links to in turn. An unusable
// item is recorded; an unusable document of another kind is an error, because its links are
// unknown.
func (w *walker) document(name, relation string, depth int) error {
	if w.read[name] {
		return nil
	}
	if depth > maxDepth {
		return unusable(name, "catalogs are nested more than %d deep", maxDepth)
	}
	if len(w.read) >= maxDocuments {
		return unusable(name, "the catalog has more than %d documents", maxDocuments)
	}
	w.read[name] = true
	data, d, err := w.open(name)
	if err != nil {
		if relation == "item" && (fault.Is(err, fault.Invalid) || fault.Is(err, fault.NotFound)) {
			w.trouble(err)
			return nil
		}
		return err
	}
	if d.Type == "Feature" {
		w.item(name, data)
		return nil
	}
	for _, feature := range d.Features {
		w.item(name, feature)
	}
	for _, link := range d.Links {
		if link.Rel != "child" && link.Rel != "item" && link.Rel != "items" {
			continue
		}
		target, ok := inside(name, link.Href)
		if !ok {
			return unusable(name, "its link %q does not stay in the folder", link.Href)
		}
		if err := w.document(target, link.Rel, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// inside resolves a relative link of a document to a path in the folder.
func inside(document, href string) (string, bool) {
	u, err := url.Parse(href)
	if err != nil || u.IsAbs() || u.Host != "" || u.Path == "" || path.IsAbs(u.Path) {
		return "", false
	}
	target := path.Join(path.Dir(document), u.Path)
	return target, filepath.IsLocal(filepath.FromSlash(target))
}

// open reads a document. Its age is taken before its content, so that a write in between counts as
// a change.
func (w *walker) open(name string) (data []byte, d links, err error) {
	w.index.watched[name] = nil
	f, err := w.root.Open(name)
	if err != nil {
		return nil, d, missing(name, err)
	}
	defer f.Close()
	if w.index.watched[name], err = f.Stat(); err != nil {
		return nil, d, missing(name, err)
	}
	if data, err = io.ReadAll(io.LimitReader(f, maxDocument+1)); err != nil {
		return nil, d, missing(name, err)
	}
	if len(data) > maxDocument {
		return nil, d, unusable(name, "it is larger than %d MiB", maxDocument>>20)
	}
	// Wrong links in an item do not matter.
	if err := json.Unmarshal(data, &d); err != nil && d.Type != "Feature" {
		return nil, d, unusable(name, "it is not JSON of a STAC document")
	}
	return data, d, nil
}

// item indexes an item. An unusable one that states its id, time and place is indexed as broken.
func (w *walker) item(name string, data []byte) {
	it, err := item.Parse(data, name)
	if (err != nil || dem.Models(it.Collection)) && w.elevation(name, data) {
		return
	}
	if err != nil {
		w.trouble(err)
		if broken, ok := item.SalvagePlaced(data, err); ok {
			w.index.items = append(w.index.items, &entry{Item: broken})
		}
		return
	}
	reason := ""
	for band, asset := range it.Assets {
		reason = fmt.Sprintf("None of the item's files is in the folder, such as %q.", asset.Href)
		var ok bool
		if asset.Href, ok = w.file(name, asset.Href); ok {
			it.Assets[band] = asset
		} else {
			delete(it.Assets, band)
		}
	}
	if it.JPEG2000() {
		w.trouble(unusable(name, "its bands are JPEG 2000, and only GeoTIFF is read"))
		reason = item.JPEG2000
	}
	switch {
	case it.ShowsGround():
	case reason == "": // of another sensor, unless there is nothing else
		w.bandless = append(w.bandless, &entry{Item: it.Unusable(item.NoBand)})
		return
	default:
		it = it.Unusable(reason)
	}
	w.index.items = append(w.index.items, &entry{Item: it})
}

// file resolves the link of an item to a file in the folder. A missing one is watched.
func (w *walker) file(item, href string) (target string, ok bool) {
	if target, ok = inside(item, href); !ok {
		return "", false
	}
	if _, err := w.root.Stat(target); err != nil {
		w.index.watched[target] = nil
		return "", false
	}
	return target, true
}

func (w *walker) trouble(err error) {
	if w.first == nil {
		w.first = err
	}
	reason := err.Error()
	if f, ok := fault.As(err); ok {
		reason = f.Message // without the wording of a library
	}
	w.index.troubles = append(w.index.troubles, reason)
}
