package catalog

import (
	"encoding/json"
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

// index is what a folder held when it was read. It does not change.
type index struct {
	items     []*entry // in the order of item.Compare
	elevation []dem.Item
	troubles  []string // for people: the documents that cannot be used, and why
	// watched is what the index rests on, by path in the folder: every document as it was
	// read, and nil for every document and asset that was not there.
	watched map[string]fs.FileInfo
}

// newIndex reads the folder. The faults of Open.
func newIndex(root *os.Root) (*index, error) {
	w := walker{root: root, index: &index{watched: map[string]fs.FileInfo{}}, read: map[string]bool{}}
	if err := w.document(entrance, "", 0); err != nil {
		return nil, err
	}
	if len(w.index.items) == 0 && w.first != nil {
		return nil, w.first
	}
	slices.SortFunc(w.index.items, func(a, b *entry) int { return item.Compare(a.Item, b.Item) })
	return w.index, nil
}

// changed reports whether a folder does not hold any more what the index was made from. It
// costs one look a document, and reads none.
func (x *index) changed(root *os.Root) bool {
	for name, before := range x.watched {
		now, err := look(root, name)
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

// look returns the size and age of a file in a folder. A regular file tells them in one call;
// the root, which asks folder by folder and follows no link out, is asked where there is a link.
func look(root *os.Root, name string) (fs.FileInfo, error) {
	info, err := os.Lstat(filepath.Join(root.Name(), filepath.FromSlash(name)))
	if err != nil || info.Mode().IsRegular() {
		return info, err
	}
	return root.Stat(name)
}

// walker follows the links of a catalog.
type walker struct {
	root  *os.Root
	index *index
	read  map[string]bool // documents, by path in the folder
	first error           // the first trouble
}

// links is what catalogs, collections and item collections have in common.
type links struct {
	Type     string            `json:"type"`
	Features []json.RawMessage `json:"features"`
	Links    []struct {
		Rel  string `json:"rel"`
		Href string `json:"href"`
	} `json:"links"`
}

// document reads a document that was linked to by a relation, and what it links to. What
// is wrong with an item is noted; what is wrong with anything else is an error, for
// nobody knows what it would have led to.
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

// open reads a document. Its age is taken before its content: what is written meanwhile is
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
	// A link of the wrong kind in an item is no matter: an item is read for what it is.
	if err := json.Unmarshal(data, &d); err != nil && d.Type != "Feature" {
		return nil, d, unusable(name, "it is not JSON of a STAC document")
	}
	return data, d, nil
}

// item takes an item in, as a broken one where it cannot be used but says what, when and
// where it is.
func (w *walker) item(name string, data []byte) {
	if w.elevation(name, data) {
		return
	}
	it, err := item.Parse(data, name)
	if err != nil {
		w.trouble(err)
		if broken, ok := item.SalvagePlaced(data, err); ok {
			w.index.items = append(w.index.items, &entry{Item: broken})
		}
		return
	}
	for band, asset := range it.Assets {
		target, ok := inside(name, asset.Href)
		if ok {
			if _, err := w.root.Stat(target); err != nil {
				ok = false
				w.index.watched[target] = nil
			}
		}
		if !ok {
			delete(it.Assets, band)
			continue
		}
		asset.Href = target
		it.Assets[band] = asset
	}
	if it.JPEG2000() {
		w.trouble(unusable(name, "its bands are JPEG 2000, and only GeoTIFF is read"))
	}
	if len(it.Assets) > 0 {
		w.index.items = append(w.index.items, &entry{Item: it})
	}
}

func (w *walker) trouble(err error) {
	if w.first == nil {
		w.first = err
	}
	reason := err.Error()
	if f, ok := fault.As(err); ok {
		reason = f.Message // without the words of a library
	}
	w.index.troubles = append(w.index.troubles, reason)
}
