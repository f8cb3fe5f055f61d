package rig

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/imagery/synthetic"
	"tilth/core/geo"
)

// Shelf is a folder catalog that changes: some days of the synthetic archive, from the
// tile that contains the walk field.
type Shelf struct {
	t     testing.TB
	of    synthetic.Archive
	Dir   string
	Field geo.MultiPolygon // the walk field
	Truth map[string]synthetic.TruthRow
}

const shelfTile = "30TUM"

// NewShelf makes a shelf that holds some days, as "2025-03-01".
func NewShelf(t testing.TB, days ...string) *Shelf {
	t.Helper()
	return shelfOf(t, Archive(t), days...)
}

// NewPlantedShelf makes an empty shelf that can hold some days of an archive of its own, in which the plants of a patch
// are dead from a day on.
func NewPlantedShelf(t testing.TB, where geo.MultiPolygon, from string, days ...string) *Shelf {
	t.Helper()
	date := func(day string) time.Time {
		d, err := time.Parse(time.DateOnly, day)
		require.NoError(t, err)
		return d
	}
	options := synthetic.Options{Patches: []synthetic.Patch{{Where: where, From: date(from)}}}
	for _, day := range days {
		options.Days = append(options.Days, date(day))
	}
	made, err := synthetic.Make(t.Context(), filepath.Join(t.TempDir(), "archive"), options)
	require.NoError(t, err)
	return shelfOf(t, made)
}

func shelfOf(t testing.TB, of synthetic.Archive, days ...string) *Shelf {
	t.Helper()
	s := &Shelf{t: t, of: of, Dir: t.TempDir(), Truth: map[string]synthetic.TruthRow{}}
	for _, p := range of.Parcels {
		if p.Name == synthetic.WalkField {
			s.Field = p.Boundary
		}
	}
	for _, row := range of.Truth {
		if row.Parcel == synthetic.WalkField {
			s.Truth[row.Date.Format("2006-01-02")] = row
		}
	}
	s.write("catalog.json", map[string]any{"type": "Catalog", "id": "shelf", "links": []any{map[string]string{"rel": "child", "href": "./collection.json"}}})
	s.Hold(days...)
	return s
}

// Scene returns the id of the scene of a day.
func (s *Shelf) Scene(day string) string {
	files, err := filepath.Glob(filepath.Join(s.of.Dir, shelfTile, day, "*.json"))
	require.NoError(s.t, err)
	require.Len(s.t, files, 1, "the archive has no scene of %s", day)
	name := filepath.Base(files[0])
	return name[:len(name)-len(".json")]
}

// Hold makes the shelf hold exactly these days. Days that it already holds stay as they are.
func (s *Shelf) Hold(days ...string) {
	s.t.Helper()
	links := []any{}
	for _, day := range days {
		if _, err := os.Stat(filepath.Join(s.Dir, day)); err != nil {
			require.NoError(s.t, os.CopyFS(filepath.Join(s.Dir, day), os.DirFS(filepath.Join(s.of.Dir, shelfTile, day))))
		}
		links = append(links, map[string]string{"rel": "item", "href": "./" + day + "/" + s.Scene(day) + ".json"})
	}
	s.write("collection.json", map[string]any{"type": "Collection", "id": "shelf", "links": links})
}

// Replace replaces the pixels of the scene of a day by those of another day, as if it had been
// reprocessed: its item states when.
func (s *Shelf) Replace(day, by, updated string) {
	s.t.Helper()
	name := filepath.Join(day, s.Scene(day)+".json")
	raw, err := os.ReadFile(filepath.Join(s.Dir, name))
	require.NoError(s.t, err)
	var item map[string]any
	require.NoError(s.t, json.Unmarshal(raw, &item))
	item["properties"].(map[string]any)["updated"] = updated
	require.NoError(s.t, os.RemoveAll(filepath.Join(s.Dir, day)))
	require.NoError(s.t, os.CopyFS(filepath.Join(s.Dir, day), os.DirFS(filepath.Join(s.of.Dir, shelfTile, by))))
	s.write(name, item)
}

// write replaces a document in one step.
func (s *Shelf) write(name string, document any) {
	s.t.Helper()
	raw, err := json.Marshal(document)
	require.NoError(s.t, err)
	draft := filepath.Join(s.Dir, ".draft")
	require.NoError(s.t, os.WriteFile(draft, raw, 0o600))
	require.NoError(s.t, os.Rename(draft, filepath.Join(s.Dir, name)))
}
