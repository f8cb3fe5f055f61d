// Package surfaces reads rasters of covariates from GeoTIFF files, for zones: what package cog
// reads (one band of unsigned integers in a UTM zone), as numbers with nodata taken out.
package surfaces

import (
	"context"
	"math"
	"path/filepath"
	"strings"

	"tilth/adapters/imagery/cog"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/stratification"
	"tilth/core/vegetation"
)

// mostPixels bounds the pixels of one raster: 4,096 × 4,096, or 40 km × 40 km at 10 m.
const mostPixels = 1 << 24

// margin is how many pixels are read beyond the geometry, for slopes and interpolation.
const margin = 3

// Files reads rasters by the paths of their files.
type Files struct{}

// Surface gives the part of a raster around a geometry; see ports.Surfaces.
func (Files) Surface(ctx context.Context, path string, around geo.MultiPolygon) (stratification.Surface, error) {
	source, err := cog.FromFile(path)
	if err != nil {
		return stratification.Surface{}, err
	}
	return read(ctx, source, filepath.Base(path), around)
}

// read gives the part of an open raster around a geometry.
func read(ctx context.Context, source cog.Source, name string, around geo.MultiPolygon) (stratification.Surface, error) {
	file, err := cog.Open(ctx, source, name)
	if err != nil {
		return stratification.Surface{}, err
	}
	window, err := windowOf(file.Grid(), around, name)
	if err != nil {
		return stratification.Surface{}, err
	}
	pixels, err := file.Read(ctx, window)
	if err != nil {
		return stratification.Surface{}, err
	}
	return surfaceOf(pixels, strings.TrimSuffix(name, filepath.Ext(name))), nil
}

// windowOf chooses the pixels to read.
func windowOf(grid vegetation.Grid, around geo.MultiPolygon, name string) (vegetation.Window, error) {
	window := vegetation.Window{Width: grid.Width, Height: grid.Height}
	if around != nil {
		utm, err := geo.NewUTM(grid.EPSG)
		if err != nil {
			return window, err
		}
		if window = grid.Window(utm.Project(around).Bounds(), margin); window.Empty() {
			return window, fault.Newf(fault.Invalid, "raster_elsewhere", "%s does not reach the boundary.", name)
		}
	}
	if int64(window.Width)*int64(window.Height) > mostPixels {
		return window, fault.Newf(fault.Invalid, "raster_too_large",
			"%s has %d × %d pixels where it is needed; at most %d are read. Give a boundary, or a coarser raster.", name, window.Width, window.Height, mostPixels)
	}
	return window, nil
}

// surfaceOf turns digital numbers to values.
func surfaceOf(r vegetation.Raster, source string) stratification.Surface {
	s := stratification.Surface{
		EPSG: r.Grid.EPSG, OriginX: r.Grid.OriginX, OriginY: r.Grid.OriginY, CellX: r.Grid.PixelX, CellY: r.Grid.PixelY,
		Cols: r.Grid.Width, Rows: r.Grid.Height, Values: make([]float64, len(r.DN)), Source: source,
	}
	for i, dn := range r.DN {
		s.Values[i] = float64(dn)
		if r.HasNoData && dn == r.NoData {
			s.Values[i] = math.NaN()
		}
	}
	return s
}
