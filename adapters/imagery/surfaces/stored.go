package surfaces

import (
	"context"
	"io"
	"math"

	"tilth/adapters/imagery/internal/raster"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/stratification"
	"tilth/ports"
)

// Stored reads rasters that lie among the objects.
type Stored struct{ Objects ports.Objects }

var _ ports.RasterFiles = Stored{}

// Surface gives the part of a raster around a geometry, by the name of its object; see
// ports.Surfaces.
func (s Stored) Surface(ctx context.Context, object string, around geo.MultiPolygon) (stratification.Surface, error) {
	file, err := s.Objects.Open(ctx, object)
	if err != nil {
		return stratification.Surface{}, err
	}
	defer file.Close()
	return raster.Surface(ctx, stored{file, file.Size(), object}, object, around)
}

// Inspect implements ports.RasterFiles.
func (Stored) Inspect(ctx context.Context, file io.ReaderAt, size int64, name string) (ports.LayerRaster, error) {
	n, err := raster.Open(ctx, stored{file, size, name}, name)
	if err != nil {
		return ports.LayerRaster{}, err
	}
	g := n.Grid()
	if err := plausible(g.EPSG, g.OriginX, g.OriginY, name); err != nil {
		return ports.LayerRaster{}, err
	}
	metres := stratification.Surface{EPSG: g.EPSG, OriginX: g.OriginX, OriginY: g.OriginY, CellX: g.PixelX, CellY: g.PixelY, Rows: g.Height}.Metres()
	scale, offset := n.Scaling()
	return ports.LayerRaster{EPSG: g.EPSG, CellSize: metres, Cols: g.Width, Rows: g.Height, Scale: scale, Offset: offset}, nil
}

// farthest is beyond any coordinate in metres, false northings of UTM and Web Mercator's edge
// (20 037 508 m) among them.
const farthest = 2.1e7

// plausible refuses a georeference that is not in the units of its coordinate system: what
// comes of a wrong EPSG code.
func plausible(epsg int, x, y float64, name string) error {
	far := math.Abs(x) > farthest || math.Abs(y) > farthest
	if epsg == stratification.Degrees {
		far = math.Abs(x) > 360.01 || math.Abs(y) > 90.01
	}
	if far {
		return fault.Newf(fault.Invalid, "raster_georeference",
			"%s says that its coordinates are EPSG:%d, but its corner lies at %g, %g: state its coordinate system, for instance with gdal_translate -a_srs.", name, epsg, x, y)
	}
	return nil
}

// stored is an open object as cog reads it.
type stored struct {
	io.ReaderAt
	size    int64
	address string
}

func (s stored) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	return s.ReaderAt.ReadAt(p, off)
}

func (s stored) Size() int64     { return s.size }
func (s stored) Address() string { return s.address }
