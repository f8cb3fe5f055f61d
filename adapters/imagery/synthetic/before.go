package synthetic

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"time"

	"tilth/core/fault"
)

// Season is a season of an archive.
type Season struct {
	From, To time.Time         // first and last day, UTC
	Crops    map[string]string // by the name of the parcel: slug of the crop catalog
}

// firstBefore is the number of the first pass of the season before, so that its weather and noise differ.
const firstBefore = 1001

// before maps a parcel that had another crop in the season before to the parcel that has this crop now. The other parcels had
// the same crop. All crops grew less, and a week later.
var before = map[string]string{
	WalkField: "Terrace", "North pivot": WalkField, "Border field": "North pivot", "Long acre": "Terrace",
	"Mill fallow": "Long acre", "Terrace": "Twin fields", "Twin fields": WalkField,
}

const (
	lessBefore  = 0.05 // of NDVI at the peak
	laterBefore = 7    // days
)

// parcelsBefore returns the parcels with the crops that grew on them in the season before.
func parcelsBefore() []Parcel {
	now := parcels()
	byName := map[string]Parcel{}
	for _, p := range now {
		byName[p.Name] = p
	}
	for i, p := range now {
		of, other := byName[before[p.Name]]
		if !other {
			of = p
		}
		now[i].Crop, now[i].Curve = of.Crop, of.Curve
		now[i].Curve.Peak -= lessBefore
		now[i].Curve.Green += laterBefore
		now[i].Curve.Ripe += laterBefore
	}
	return now
}

// AddBefore adds the scenes of the season before to an archive, where they are missing, and returns that season. The collection that
// lists them is written last: if the process is killed before that, the archive reads as it did. An open catalog sees them in its next search.
//
// Faults: those of [Make]; NotFound when dir holds no archive.
func AddBefore(ctx context.Context, dir string, o Options) (Season, error) {
	if o.Seed == 0 {
		o.Seed = defaultSeed
	}
	if _, there, err := existing(dir, o); err != nil {
		return Season{}, err
	} else if !there {
		return Season{}, fault.New(fault.NotFound, "demo_archive", "There is no demo imagery in this folder.")
	}
	s := Season{From: seasonFrom.AddDate(-1, 0, 0), To: seasonTo.AddDate(-1, 0, 0), Crops: map[string]string{}}
	for _, p := range parcelsBefore() {
		s.Crops[p.Name] = p.Crop
	}
	days := passes(s.From, s.To, firstBefore, max(1, o.Every))
	collection := filepath.Join(dir, collectionFile)
	listed, err := os.ReadFile(collection)
	if err != nil {
		return s, unwritable(dir, err)
	}
	if bytes.Contains(listed, []byte(scenePath(tiles[0], days[0]))) {
		return s, nil
	}
	ground, err := survey(nil)
	if err != nil {
		return s, err
	}
	ground.parcels = parcelsBefore()
	_, items, err := ground.record(ctx, dir, days, o.Seed)
	if err != nil {
		return s, err
	}
	for _, day := range o.days() {
		for _, t := range tiles {
			items = append(items, scenePath(t, day))
		}
	}
	draft := collection + ".new"
	if err := writeJSON(draft, scenesDocument(s.From, items)); err != nil {
		return s, unwritable(dir, err)
	}
	if err := os.Rename(draft, collection); err != nil {
		return s, unwritable(dir, err)
	}
	return s, nil
}
