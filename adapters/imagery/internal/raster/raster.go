// Package raster reads the part of a raster of numbers that lies around a geometry.
package raster

import (
	"context"
	"math"

	"tilth/adapters/imagery/cog"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/stratification/layer"
	"tilth/core/vegetation"
)

const (
	// maxPixels bounds the pixels of one raster: 4,096 × 4,096, or 40 km × 40 km at 10 m.
	maxPixels = 1 << 24
	// margin is the number of pixels read beyond the geometry, for slopes and interpolation.
	margin = 3
)

// Surface reads a raster around a geometry (WGS84), or the whole raster where the geometry is nil.
// The raster must have one band. name identifies it in messages and is the Source of the surface.
//
// Faults: Invalid (raster_elsewhere, raster_too_large), and those of cog.
func Surface(ctx context.Context, source cog.Source, name string, around geo.MultiPolygon) (layer.Surface, error) {
	file, err := Open(ctx, source, name)
	if err != nil {
		return layer.Surface{}, err
	}
	window, err := windowOf(file.Grid(), around, name)
	if err != nil {
		return layer.Surface{}, err
	}
	got, err := file.Read(ctx, window)
	if err != nil {
		return layer.Surface{}, err
	}
	g := got.Grid
	return layer.Surface{
		EPSG: g.EPSG, OriginX: g.OriginX, OriginY: g.OriginY, CellX: g.PixelX, CellY: g.PixelY,
		Cols: g.Width, Rows: g.Height, Values: got.Values, Source: name,
	}, nil
}

// Reaches reports whether a raster has pixels around a geometry (WGS84).
func Reaches(ctx context.Context, source cog.Source, name string, around geo.MultiPolygon) (bool, error) {
	file, err := Open(ctx, source, name)
	if err != nil {
		return false, err
	}
	window, err := windowAround(file.Grid(), around)
	return !window.Empty(), err
}

// Open opens a raster of one band.
func Open(ctx context.Context, source cog.Source, name string) (*cog.Numbers, error) {
	file, err := cog.OpenNumbers(ctx, source, name, 1)
	if err == nil && file.Bands() != 1 {
		return nil, fault.Newf(fault.Invalid, "raster_bands",
			"%s has %d bands, and a layer is one band: extract it, for instance with gdal_translate -b 1.", name, file.Bands())
	}
	return file, err
}

func windowOf(grid vegetation.Grid, around geo.MultiPolygon, name string) (vegetation.Window, error) {
	window := vegetation.Window{Width: grid.Width, Height: grid.Height}
	if around != nil {
		var err error
		if window, err = windowAround(grid, around); err != nil {
			return window, err
		}
		if window.Empty() {
			return window, fault.Newf(fault.Invalid, "raster_elsewhere", "%s does not reach the boundary.", name)
		}
	}
	if int64(window.Width)*int64(window.Height) > maxPixels {
		return window, fault.Newf(fault.Invalid, "raster_too_large",
			"%s has %d × %d pixels where it is needed; at most %d are read. Give a boundary, or a coarser raster.", name, window.Width, window.Height, maxPixels)
	}
	return window, nil
}

// windowAround returns the pixels around a geometry; none where they do not meet. Each polygon is
// examined on its own, because they may lie on both sides of the antimeridian.
func windowAround(grid vegetation.Grid, around geo.MultiPolygon) (window vegetation.Window, err error) {
	project, turn, err := projection(grid.EPSG)
	if err != nil {
		return window, err
	}
	shifts := []float64{0}
	if turn > 0 {
		shifts = []float64{0, turn, -turn}
	}
	for _, part := range around {
		box := bounds(part, project)
		for _, shift := range shifts {
			there := box
			there.MinX, there.MaxX = box.MinX+shift, box.MaxX+shift
			if w := grid.Window(there, margin); !w.Empty() {
				window = union(window, w)
			}
		}
	}
	return window, nil
}

// projection returns the conversion from WGS84 to a raster's coordinates, and the width of the
// globe in them; 0 in a plane.
func projection(epsg int) (project func(geo.Position) geo.Position, turn float64, err error) {
	switch epsg {
	case layer.Degrees:
		return func(p geo.Position) geo.Position { return p }, 360, nil
	case layer.WebMercator:
		return geo.ToWebMercator, geo.ToWebMercator(geo.Position{X: 360}).X, nil
	default:
		plane, err := geo.NewPlane(epsg)
		if err != nil {
			return nil, 0, err
		}
		return plane.Forward, 0, nil
	}
}

func bounds(p geo.Polygon, project func(geo.Position) geo.Position) geo.Box {
	out := geo.Box{MinX: math.Inf(1), MinY: math.Inf(1), MaxX: math.Inf(-1), MaxY: math.Inf(-1)}
	for _, ring := range p {
		for _, lonlat := range ring {
			at := project(lonlat)
			out = geo.Box{MinX: min(out.MinX, at.X), MinY: min(out.MinY, at.Y), MaxX: max(out.MaxX, at.X), MaxY: max(out.MaxY, at.Y)}
		}
	}
	return out
}

// union returns the smallest window that holds two, of which the first may be empty.
func union(a, b vegetation.Window) vegetation.Window {
	if a.Empty() {
		return b
	}
	out := vegetation.Window{Col: min(a.Col, b.Col), Row: min(a.Row, b.Row)}
	out.Width = max(a.Col+a.Width, b.Col+b.Width) - out.Col
	out.Height = max(a.Row+a.Height, b.Row+b.Height) - out.Row
	return out
}
