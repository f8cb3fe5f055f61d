package mapview

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"tilth/app/satellite/photo"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/indexmap"
	"tilth/core/list"
	"tilth/core/stratification/backdrop"
	"tilth/core/vegetation"
)

// combination returns the bands that a picture is asked for in; nil: the index. Fault: Invalid.
func (l Look) combination() (*indexmap.Combination, error) {
	if l.Style == "" {
		return nil, nil
	}
	c, err := indexmap.ParseCombination(l.Style)
	if err != nil {
		return nil, err
	}
	const alone = "A picture in the colours of the scenes has the same stretch on every date, and no classes. Fix: leave out this parameter, or style."
	fields := fault.Fields{}
	fields.AddIf(l.Low != nil, "low", alone)
	fields.AddIf(l.High != nil, "high", alone)
	fields.AddIf(l.Classes != 0, "classes", alone)
	return &c, fields.Err()
}

// photo reads what the scenes of a date show on the pixels of its map, including clouds: at each pixel it takes the first of them, in
// the order in which they were merged. It reads the archive afresh, and keeps nothing.
//
// Faults: Conflict (map_colours) if the scenes lack a band, or are gone from the archive; those of ports.Imagery.
func (v *Views) photo(ctx context.Context, s Sheet, l *indexmap.Layer, of indexmap.Combination) (*indexmap.Photo, error) {
	plane, err := geo.NewPlane(l.Grid.EPSG)
	if err != nil {
		return nil, err
	}
	const around = 48 * time.Hour // the day of a map is the solar day at the field
	found, err := v.Imagery.Search(ctx, s.Order.Boundary, l.Day.Add(-around), l.Day.Add(around))
	if err != nil {
		return nil, err
	}
	image := backdrop.Image{
		Box:   geo.Box{MinX: l.Grid.OriginX, MinY: l.Grid.OriginY - float64(l.Rows)*l.Grid.PixelY, MaxX: l.Grid.OriginX + float64(l.Cols)*l.Grid.PixelX, MaxY: l.Grid.OriginY},
		Width: l.Cols, Height: l.Rows,
	}
	out := indexmap.Photo{Combination: of}
	for n := range out.Reflectances {
		out.Reflectances[n] = slices.Repeat([]float64{math.NaN()}, l.Cols*l.Rows)
	}
	image.Bands = out.Reflectances[:]
	reader, lacking := photo.Reader{Imagery: v.Imagery, Plane: plane, EPSG: l.Grid.EPSG}, []vegetation.Band(nil)
	for _, id := range l.Scenes {
		i := slices.IndexFunc(found, func(sc vegetation.Scene) bool { return sc.ID == id && sc.Broken == "" })
		if i < 0 {
			continue
		}
		if missing := of.Missing(found[i]); len(missing) > 0 {
			lacking = missing
			continue
		}
		if err := reader.Fill(ctx, image, found[i], of.Bands[:]); err != nil {
			return nil, err
		}
	}
	if slices.ContainsFunc(image.Bands[0], func(v float64) bool { return !math.IsNaN(v) }) {
		return &out, nil
	}
	day := l.Day.Format(time.DateOnly)
	if len(lacking) > 0 {
		names := list.Map(lacking, func(b vegetation.Band) string { return string(b) })
		text := fmt.Sprintf("There is no picture of %s in %s: the scenes do not have %s.", day, strings.ToLower(of.Name[:1])+of.Name[1:], strings.Join(names, ", "))
		return nil, fault.New(fault.Conflict, "map_colours", text).With("reason", "bands").With("missing", names)
	}
	return nil, fault.Newf(fault.Conflict, "map_colours", "The archive no longer has what the scenes of %s show of the field.", day).With("reason", "gone").With("missing", []string{})
}
