// Package catalog is the imagery source that needs no network: a folder with a static STAC catalog
// beside its files. It is the default of Tilth and reads the demo and the real test data. It never
// writes, and never leaves its folder, neither by ".." nor by symbolic links. The next search sees
// changes in the folder.
package catalog

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"

	"tilth/adapters/imagery/cog"
	"tilth/adapters/imagery/internal/item"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/vegetation"
	"tilth/ports"
)

// Catalog is an open folder. Safe for concurrent use.
type Catalog struct {
	item.Reader // of the files
	root        *os.Root
	log         *slog.Logger
	now         func() time.Time

	mu      sync.Mutex
	index   *index
	refused string // why the present folder cannot be indexed; "" where it can
}

var _ ports.Imagery = (*Catalog)(nil)

// Option varies how a folder is opened.
type Option func(*Catalog)

// WithLog logs warnings about unusable documents; without it they are discarded.
func WithLog(log *slog.Logger) Option { return func(c *Catalog) { c.log = log } }

// WithFiles reads files through a Reader; without it, they are read through cog.Shared.
func WithFiles(files *cog.Reader) Option { return func(c *Catalog) { c.Files = files } }

// WithClock takes the time from a clock; without it, from the machine's.
func WithClock(now func() time.Time) Option { return func(c *Catalog) { c.now = now } }

// Open reads catalog.json of a folder and everything it links to. Assets missing from the folder
// are left out of their scenes, so that a part of a larger catalog can be used as it is. An
// unusable item costs its date and not the folder: it becomes a broken scene where it states its
// id, time and place, and is left out otherwise; see Troubles.
//
// Faults: NotFound when there is no such catalog; Invalid, naming the document, when a catalog or
// collection cannot be used, or none of the items can; Unavailable when a document cannot be read.
func Open(dir string, options ...Option) (*Catalog, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, missing("folder "+dir, err)
	}
	c := &Catalog{root: root, log: slog.New(slog.DiscardHandler), now: time.Now, index: &index{}}
	for _, o := range options {
		o(c)
	}
	c.Source = func(_ *item.Item, href string) (cog.Source, error) { return cog.FromRoot(root, href) }
	made, err := newIndex(root)
	if err != nil {
		_ = root.Close() // nothing was written
		return nil, err
	}
	c.take(context.Background(), made)
	return c, nil
}

// Close closes the folder. No method may be called after it.
func (c *Catalog) Close() error { return c.root.Close() }

// Describe names the folder and its contents.
func (c *Catalog) Describe() string {
	index := c.current(context.Background())
	synthetic := 0
	for _, it := range index.items {
		if it.Scene().Synthetic {
			synthetic++
		}
	}
	return fmt.Sprintf("folder %s: static STAC catalog of %d scenes, %d of them synthetic", c.root.Name(), len(index.items), synthetic)
}

// Troubles returns messages for people about the documents of the folder that cannot be used, and why.
func (c *Catalog) Troubles() []string {
	out := slices.Clone(c.current(context.Background()).troubles)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refused != "" {
		out = append(out, c.refused)
	}
	return out
}

// Search searches the index, which is rebuilt if a document has changed. It reads no file, but
// checks from time to time the size and age of the files of the scenes it finds, which are part of
// their revision.
func (c *Catalog) Search(ctx context.Context, boundary geo.MultiPolygon, from, to time.Time) ([]vegetation.Scene, error) {
	area, err := item.NewArea(boundary)
	if err != nil {
		return nil, err
	}
	var scenes []vegetation.Scene
	now := c.now()
	for _, it := range c.current(ctx).items {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if at := it.SensedAt(); at.Before(from) || !at.Before(to) || !it.Meets(area) {
			continue
		}
		scene := it.Scene()
		it.revise(c.root, &scene, now)
		scenes = append(scenes, scene)
	}
	return scenes, nil
}

// current returns the index of the folder or, where the folder has become unusable, the last one.
func (c *Catalog) current(ctx context.Context) *index {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.index.changed(c.root) {
		c.refused = ""
		return c.index
	}
	made, err := newIndex(c.root)
	if err == nil {
		c.take(ctx, made)
		c.refused = ""
		return c.index
	}
	if c.refused != err.Error() {
		c.refused = err.Error()
		c.log.WarnContext(ctx, "the imagery catalog has changed and cannot be used; its last usable state is kept", "folder", c.root.Name(), "error", err)
	}
	return c.index
}

// take makes an index the current one, and warns about new troubles.
func (c *Catalog) take(ctx context.Context, made *index) {
	for _, trouble := range made.troubles {
		if !slices.Contains(c.index.troubles, trouble) {
			c.log.WarnContext(ctx, "an item of the imagery catalog cannot be used", "folder", c.root.Name(), "reason", trouble)
		}
	}
	c.index = made
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
