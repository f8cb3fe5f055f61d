// Package catalog is the imagery source that needs no network: a folder with a static
// STAC catalog beside the files it speaks of. It is the default of Tilth, and what the
// demo and the real test data are read through. It never writes, and never leaves its
// folder, neither by ".." nor by symbolic links.
package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"tilth/adapters/imagery/cog"
	"tilth/adapters/imagery/internal/item"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/vegetation"
	"tilth/ports"
)

const (
	entrance     = "catalog.json"
	maxDepth     = 8       // of catalogs within catalogs
	maxDocuments = 200_000 // in a folder
	maxDocument  = 4 << 20 // bytes of one of them
)

// Catalog is an open folder. Its index is made once, by Open. Safe for concurrent use.
type Catalog struct {
	reader item.Reader
	root   *os.Root
	items  []*item.Item // in the order of item.Compare
}

var _ ports.Imagery = (*Catalog)(nil)

// Open reads catalog.json of a folder and everything it links to. Assets that are not in
// the folder are left out of their scenes, so that a part of a larger catalog can be used
// as it is.
//
// Faults: NotFound when there is no such catalog; Invalid, naming the document, when one
// cannot be used; Unavailable when one cannot be read.
func Open(dir string) (*Catalog, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, missing("folder "+dir, err)
	}
	c := &Catalog{root: root}
	c.reader.Source = func(_ *item.Item, href string) (cog.Source, error) { return cog.FromRoot(root, href) }
	walk := walker{catalog: c, seen: map[string]bool{}}
	if err := walk.document(entrance, 0); err != nil {
		_ = root.Close() // nothing was written
		return nil, err
	}
	slices.SortFunc(c.items, item.Compare)
	return c, nil
}

// Close gives the folder back. No method may be called after it.
func (c *Catalog) Close() error { return c.root.Close() }

// Describe names the folder and what it holds.
func (c *Catalog) Describe() string {
	synthetic := 0
	for _, it := range c.items {
		if it.Scene().Synthetic {
			synthetic++
		}
	}
	return fmt.Sprintf("folder %s: static STAC catalog of %d scenes, %d of them synthetic", c.root.Name(), len(c.items), synthetic)
}

// Search looks through the index; it reads no file.
func (c *Catalog) Search(ctx context.Context, boundary geo.MultiPolygon, from, to time.Time) ([]vegetation.Scene, error) {
	area, err := item.NewArea(boundary)
	if err != nil {
		return nil, err
	}
	var scenes []vegetation.Scene
	for _, it := range c.items {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if at := it.SensedAt(); at.Before(from) || !at.Before(to) || !it.Meets(area) {
			continue
		}
		scenes = append(scenes, it.Scene())
	}
	return scenes, nil
}

// Grid reads the header of a band's file.
func (c *Catalog) Grid(ctx context.Context, scene vegetation.Scene, band vegetation.Band) (vegetation.Grid, error) {
	return c.reader.Grid(ctx, scene, band)
}

// Read reads a window of a band, with what turns it into reflectance.
func (c *Catalog) Read(ctx context.Context, scene vegetation.Scene, band vegetation.Band, window vegetation.Window) (vegetation.Raster, error) {
	return c.reader.Read(ctx, scene, band, window)
}

// walker follows the links of a catalog.
type walker struct {
	catalog *Catalog
	seen    map[string]bool // documents, by path in the folder
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

func (w *walker) document(name string, depth int) error {
	if w.seen[name] {
		return nil
	}
	if depth > maxDepth {
		return unusable(name, "catalogs are nested more than %d deep", maxDepth)
	}
	if len(w.seen) >= maxDocuments {
		return unusable(name, "the catalog has more than %d documents", maxDocuments)
	}
	w.seen[name] = true
	data, err := w.read(name)
	if err != nil {
		return err
	}
	var d links
	if err := json.Unmarshal(data, &d); err != nil {
		return unusable(name, "it is not JSON of a STAC document")
	}
	if d.Type == "Feature" {
		return w.item(name, data)
	}
	for _, feature := range d.Features {
		if err := w.item(name, feature); err != nil {
			return err
		}
	}
	for _, link := range d.Links {
		if link.Rel != "child" && link.Rel != "item" && link.Rel != "items" {
			continue
		}
		target, ok := inside(name, link.Href)
		if !ok {
			return unusable(name, "its link %q does not stay in the folder", link.Href)
		}
		if err := w.document(target, depth+1); err != nil {
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

func (w *walker) read(name string) ([]byte, error) {
	f, err := w.catalog.root.Open(name)
	if err != nil {
		return nil, missing(name, err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxDocument+1))
	if err != nil {
		return nil, missing(name, err)
	}
	if len(data) > maxDocument {
		return nil, unusable(name, "it is larger than %d MiB", maxDocument>>20)
	}
	return data, nil
}

func (w *walker) item(name string, data []byte) error {
	it, err := item.Parse(data, name)
	if err != nil {
		return err
	}
	for band, asset := range it.Assets {
		target, ok := inside(name, asset.Href)
		if ok {
			_, err := w.catalog.root.Stat(target)
			ok = err == nil
		}
		if !ok {
			delete(it.Assets, band)
			continue
		}
		asset.Href = target
		it.Assets[band] = asset
	}
	if it.JPEG2000() {
		return unusable(name, "its bands are JPEG 2000, and only GeoTIFF is read")
	}
	if len(it.Assets) > 0 {
		w.catalog.items = append(w.catalog.items, it)
	}
	return nil
}

func unusable(name, format string, args ...any) error {
	return fault.Newf(fault.Invalid, "imagery_catalog", "The catalog document %s cannot be used: %s.", name, fmt.Sprintf(format, args...))
}

func missing(name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fault.Newf(fault.NotFound, "imagery_catalog", "The imagery catalog cannot be opened: there is no %s.", name).Because(err)
	}
	return fault.Newf(fault.Unavailable, "imagery_unavailable", "The imagery catalog cannot be opened: %s cannot be read.", name).Because(err)
}
