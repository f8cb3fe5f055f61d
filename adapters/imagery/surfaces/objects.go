package surfaces

import (
	"context"
	"io"
	"math"

	"tilth/adapters/imagery/cog"
	"tilth/adapters/imagery/internal/raster"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/stratification/layer"
	"tilth/core/vegetation"
	"tilth/ports"
)

// Stored reads rasters in the object store; it implements ports.RasterFiles.
type Stored struct{ Objects ports.Objects }

var _ ports.RasterFiles = Stored{}

// Surface implements ports.RasterFiles.
func (s Stored) Surface(ctx context.Context, of ports.LayerRaster, around geo.MultiPolygon) (layer.Surface, error) {
	object, err := s.Objects.Open(ctx, of.Object)
	if err != nil {
		return layer.Surface{}, err
	}
	defer object.Close()
	return raster.Surface(ctx, cog.FromStored(object, object.Size(), of.Object, of.File), of.File, around)
}

// Reaches implements ports.RasterFiles. It reads the header only.
func (s Stored) Reaches(ctx context.Context, of ports.LayerRaster, around geo.MultiPolygon) (bool, error) {
	object, err := s.Objects.Open(ctx, of.Object)
	if err != nil {
		return false, err
	}
	defer object.Close()
	return raster.Reaches(ctx, cog.FromStored(object, object.Size(), of.Object, of.File), of.File, around)
}

// Inspect implements ports.RasterFiles. It reads the header, and the block of the first pixel.
func (Stored) Inspect(ctx context.Context, file io.ReaderAt, size int64, name string) (ports.LayerRaster, error) {
	n, err := raster.Open(ctx, cog.FromStored(file, size, name, name), name)
	if err != nil {
		return ports.LayerRaster{}, err
	}
	g := n.Grid()
	if err := plausible(g.EPSG, g.OriginX, g.OriginY, name); err != nil {
		return ports.LayerRaster{}, err
	}
	if _, err := n.Read(ctx, vegetation.Window{Width: 1, Height: 1}); err != nil {
		return ports.LayerRaster{}, err
	}
	metres := layer.Surface{EPSG: g.EPSG, OriginX: g.OriginX, OriginY: g.OriginY, CellX: g.PixelX, CellY: g.PixelY, Rows: g.Height}.Metres()
	return ports.LayerRaster{EPSG: g.EPSG, CellSize: metres, Cols: g.Width, Rows: g.Height}, nil
}

// farthest exceeds every coordinate in metres, including false northings of UTM and the edge of Web
// Mercator (20 037 508 m).
const farthest = 2.1e7

// plausible refuses a georeference that is not in the units of its coordinate system, the result of
// a wrong EPSG code.
func plausible(epsg int, x, y float64, name string) error {
	far := math.Abs(x) > farthest || math.Abs(y) > farthest
	if epsg == layer.Degrees {
		far = math.Abs(x) > 360.01 || math.Abs(y) > 90.01
	}
	if far {
		return fault.Newf(fault.Invalid, "raster_georeference",
			"%s states that its coordinates are EPSG:%d, but its corner lies at %g, %g: state its coordinate system, for instance with gdal_translate -a_srs.", name, epsg, x, y)
	}
	return nil
}
