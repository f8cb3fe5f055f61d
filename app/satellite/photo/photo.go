// Package photo reads what scenes show of land as reflectances on the pixels of an image, whatever grid the scenes have. It keeps nothing.
package photo

import (
	"context"
	"math"

	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/stratification/backdrop"
	"tilth/core/vegetation"
	"tilth/ports"
)

// Reader reads scenes in a plane.
type Reader struct {
	Imagery ports.Imagery
	Plane   geo.Plane
	EPSG    int // of the plane
}

// Band is a band around a box of the plane.
type Band struct {
	raster vegetation.Raster
	at     func(p geo.Position) geo.Position // from the reader's plane to the raster's
}

// Value returns the stored number at a place of the plane; false where there is none.
func (b Band) Value(p geo.Position) (float64, bool) {
	return b.raster.At(b.raster.Grid.PixelAt(b.at(p)))
}

// Band reads a band of a scene around a box of the plane; false if it has nothing there, or its file is gone. Faults: those of
// ports.Imagery, except NotFound.
func (r Reader) Band(ctx context.Context, s vegetation.Scene, band vegetation.Band, box geo.Box) (Band, bool, error) {
	grid, err := r.Imagery.Grid(ctx, s, band)
	if err != nil {
		return Band{}, false, unlessGone(err)
	}
	own, err := geo.NewPlane(grid.EPSG)
	if err != nil {
		return Band{}, false, err
	}
	at := func(p geo.Position) geo.Position {
		if grid.EPSG == r.EPSG {
			return p
		}
		return own.Forward(r.Plane.Inverse(p))
	}
	around := geo.Ring{
		at(geo.Position{X: box.MinX, Y: box.MinY}), at(geo.Position{X: box.MaxX, Y: box.MinY}),
		at(geo.Position{X: box.MaxX, Y: box.MaxY}), at(geo.Position{X: box.MinX, Y: box.MaxY}),
	}
	window := grid.Window(geo.MultiPolygon{{around}}.Bounds(), 1)
	if window.Empty() {
		return Band{}, false, nil
	}
	raster, err := r.Imagery.Read(ctx, s, band, window)
	if err != nil {
		return Band{}, false, unlessGone(err)
	}
	return Band{raster, at}, true, nil
}

// unlessGone returns an error, or nil if a file is gone for good: another scene may do.
func unlessGone(err error) error {
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	return err
}

// Fill sets the pixels of an image that have no value yet, from the bands of a scene; if it lacks one of them, it sets none. Faults: those of Band.
func (r Reader) Fill(ctx context.Context, image backdrop.Image, s vegetation.Scene, bands []vegetation.Band) error {
	var views []Band
	for _, band := range bands {
		if !s.Bands[band] {
			return nil
		}
		view, ok, err := r.Band(ctx, s, band, image.Box)
		if err != nil || !ok {
			return err
		}
		views = append(views, view)
	}
	values := make([]float64, len(bands))
	for i := range image.Width * image.Height {
		if !math.IsNaN(image.Bands[0][i]) {
			continue
		}
		whole := true
		for n, view := range views {
			number, ok := view.Value(image.Centre(i))
			whole = whole && ok
			values[n] = view.raster.Reflectance(number)
		}
		if !whole {
			continue
		}
		for n, value := range values {
			image.Bands[n][i] = value
		}
	}
	return nil
}
