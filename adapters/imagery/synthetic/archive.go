// Package synthetic makes the demo's imagery: a season of Sentinel-2-like scenes over invented
// parcels of known growth, with clouds, two tiles, both processing conventions, and a table of what
// any correct program must find. Everything is marked synthetic; none of it was observed or
// describes real land. The package writes the archive and reads its tables back; the pixels are read
// like those of any catalog.
package synthetic

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"tilth/core/fault"
	"tilth/core/geo"
)

const (
	// Format is the version of the content; it changes with any change, so that an archive made by
	// an older program is not mistaken for a current one.
	Format = 2

	defaultSeed = 1
	markFile    = "archive.json" // marks a finished archive
	parcelFile  = "parcels.geojson"
	truthFile   = "truth.csv"

	collectionFile = "collection.json" // lists the scenes
)

// Options vary the archive. The zero value is the demo's.
type Options struct {
	Seed    uint64      // of noise and weather; 0 counts as 1
	Patches []Patch     // none in the demo
	Days    []time.Time // of the passes that are photographed, for tests; none: all
	Every   int         // only every n-th pass is photographed, for tests; 0: every pass
}

// Patch is a piece of land whose plants are dead from a given day on. The truth counts its pixels as they are; the curve of a
// parcel that it lies in takes no account of it.
type Patch struct {
	Where geo.MultiPolygon `json:"where"`
	From  time.Time        `json:"from"` // midnight, UTC
}

// Parcel is an invented field of the archive.
type Parcel struct {
	Name     string
	Crop     string // slug of the crop catalog
	Boundary geo.MultiPolygon
	Note     string // the purpose of the parcel
	Curve    Curve
}

// Archive describes a finished archive.
type Archive struct {
	Dir      string
	Seed     uint64
	Parcels  []Parcel
	Patches  []Patch
	From, To time.Time // first and last day of the season, UTC
	Truth    []TruthRow
}

// mark is the content of archive.json.
type mark struct {
	Format    int    `json:"format"`
	Synthetic bool   `json:"synthetic"`
	Title     string `json:"title"`
	Seed      uint64 `json:"seed"`
	From      string `json:"season_from"`
	To        string `json:"season_to"`

	Patches []Patch `json:"patches,omitempty"`
}

// Make writes the archive to dir, or writes nothing where dir already holds it complete. It builds
// the archive in a hidden folder beside dir and moves it there as the last step: if the process is
// killed, dir either does not exist or is complete (the hidden folder may remain).
//
// Faults: Conflict when dir holds anything else, another seed's archive included; Unavailable when
// it cannot be written. The error of ctx is returned as it is.
func Make(ctx context.Context, dir string, o Options) (Archive, error) {
	if o.Seed == 0 {
		o.Seed = defaultSeed
	}
	if archive, there, err := existing(dir, o); there || err != nil {
		return archive, err
	}
	parent := filepath.Dir(filepath.Clean(dir))
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return Archive{}, unwritable(dir, err)
	}
	draft, err := os.MkdirTemp(parent, "."+filepath.Base(dir)+"-*")
	if err != nil {
		return Archive{}, unwritable(dir, err)
	}
	defer os.RemoveAll(draft) // gone once moved
	if err := write(ctx, draft, o); err != nil {
		return Archive{}, err
	}
	if err := move(draft, dir); err != nil {
		// Another process may have been faster.
		if archive, there, _ := existing(dir, o); there {
			return archive, nil
		}
		return Archive{}, unwritable(dir, err)
	}
	return Load(dir)
}

// existing finds the archive in dir. there is false for an absent or empty folder.
func existing(dir string, o Options) (archive Archive, there bool, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || (err == nil && len(entries) == 0) {
		return Archive{}, false, nil
	}
	archive, err = Load(dir)
	if err != nil || archive.Seed != o.Seed || !reflect.DeepEqual(archive.Patches, o.Patches) {
		return Archive{}, false, fault.Newf(fault.Conflict, "demo_archive",
			"The folder %s holds something other than the demo's imagery: remove it, or name another folder.", dir).Because(err)
	}
	return archive, true, nil
}

func unwritable(dir string, err error) error {
	return fault.Newf(fault.Unavailable, "demo_archive", "The demo's imagery cannot be written to %s.", dir).Because(err)
}

func move(draft, dir string) error {
	if err := os.Chmod(draft, 0o755); err != nil {
		return err
	}
	// An empty folder in the way is removed; one that is not empty makes the move fail.
	if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Rename(draft, dir)
}

func write(ctx context.Context, dir string, o Options) error {
	land, err := survey(o.Patches)
	if err != nil {
		return err
	}
	rows, items, err := land.record(ctx, dir, o.days(), o.Seed)
	if err != nil {
		return err
	}
	if err := writeElevation(dir); err != nil {
		return unwritable(dir, err)
	}
	return writeTables(dir, o, land.parcels, rows, items)
}

// days returns the passes of the season that are photographed.
func (o Options) days() []passDay {
	days := calendar(max(1, o.Every))
	if o.Days != nil {
		days = slices.DeleteFunc(days, func(d passDay) bool { return !slices.ContainsFunc(o.Days, d.date.Equal) })
	}
	return days
}

// record photographs the land on each of the days, writes the scenes, and returns the truth about the parcels and the paths of
// the items.
func (l *land) record(ctx context.Context, dir string, days []passDay, seed uint64) ([]TruthRow, []string, error) {
	rows, items := make([][]TruthRow, len(days)), make([][]string, len(days))
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, day := range days {
		group.Go(func() error {
			if err := groupCtx.Err(); err != nil {
				return err
			}
			shot := l.photograph(day, seed)
			rows[i] = l.truth(day, shot)
			var err error
			items[i], err = writeScenes(dir, day, shot)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		return nil, nil, unwritable(dir, err)
	}
	return slices.Concat(rows...), slices.Concat(items...), nil
}

func writeTables(dir string, o Options, parcels []Parcel, rows []TruthRow, items []string) error {
	// By parcel, then by date, as they were photographed.
	order := map[string]int{}
	for i, p := range parcels {
		order[p.Name] = i
	}
	slices.SortStableFunc(rows, func(a, b TruthRow) int { return order[a.Parcel] - order[b.Parcel] })
	documents := map[string]any{
		"catalog.json": catalogDocument(),
		collectionFile: scenesDocument(seasonFrom, items),
		parcelFile:     encodeParcels(parcels),
		markFile: mark{
			Format: Format, Synthetic: true, Title: title, Seed: o.Seed,
			From: seasonFrom.Format(time.DateOnly), To: seasonTo.Format(time.DateOnly), Patches: o.Patches,
		},
	}
	for name, document := range documents {
		if err := writeJSON(filepath.Join(dir, name), document); err != nil {
			return unwritable(dir, err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, truthFile), encodeTruth(rows), 0o644); err != nil {
		return unwritable(dir, err)
	}
	return nil
}

func writeJSON(path string, v any) error {
	raw, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(raw, '\n'), 0o644)
}

// Load reads the tables of a finished archive.
//
// Faults: NotFound when dir holds no archive; Invalid when it holds one of another format, or a
// damaged one.
func Load(dir string) (Archive, error) {
	var m mark
	if err := readJSON(filepath.Join(dir, markFile), &m); err != nil {
		return Archive{}, err
	}
	if m.Format != Format || !m.Synthetic {
		return Archive{}, damaged(markFile, fmt.Errorf("format %d, not %d", m.Format, Format))
	}
	a := Archive{Dir: dir, Seed: m.Seed, Patches: m.Patches}
	var err1, err2 error
	a.From, err1 = time.Parse(time.DateOnly, m.From)
	a.To, err2 = time.Parse(time.DateOnly, m.To)
	if err := errors.Join(err1, err2); err != nil {
		return Archive{}, damaged(markFile, err)
	}
	var features parcelCollection
	if err := readJSON(filepath.Join(dir, parcelFile), &features); err != nil {
		return Archive{}, err
	}
	a.Parcels = features.parcels()
	raw, err := os.ReadFile(filepath.Join(dir, truthFile))
	if err != nil {
		return Archive{}, damaged(truthFile, err)
	}
	if a.Truth, err = decodeTruth(raw); err != nil {
		return Archive{}, damaged(truthFile, err)
	}
	return a, nil
}

func readJSON(path string, v any) error {
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fault.New(fault.NotFound, "demo_archive", "There is no demo imagery in this folder.").Because(err)
	}
	if err != nil {
		return damaged(filepath.Base(path), err)
	}
	if err := json.Unmarshal(raw, v); err != nil {
		return damaged(filepath.Base(path), err)
	}
	return nil
}

func damaged(name string, err error) error {
	return fault.Newf(fault.Invalid, "demo_archive", "%s of the demo's imagery cannot be used.", name).Because(err)
}
