package surfaces

import (
	"context"
	"errors"
	"io"
	"path"

	"tilth/adapters/imagery/cog"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/stratification"
	"tilth/ports"
)

// Stored reads rasters that lie among the objects; it implements ports.RasterFiles.
type Stored struct{ Objects ports.Objects }

var _ ports.RasterFiles = Stored{}

// Surface implements ports.Surfaces: the name is that of the object.
func (s Stored) Surface(ctx context.Context, name string, around geo.MultiPolygon) (stratification.Surface, error) {
	object, err := s.Objects.Open(ctx, name)
	if err != nil {
		return stratification.Surface{}, err
	}
	defer object.Close()
	return read(ctx, source{object, object.Size(), name}, path.Base(name), around)
}

// Inspect implements ports.RasterFiles. It reads the header and the first pixel's block.
func (Stored) Inspect(ctx context.Context, file io.ReaderAt, size int64, name string) (ports.LayerRaster, error) {
	opened, err := cog.NewReader(0).Open(ctx, source{file, size, name}, name)
	if err != nil {
		return ports.LayerRaster{}, err
	}
	grid := opened.Grid()
	if err := grid.Check(); err != nil {
		return ports.LayerRaster{}, fault.Newf(fault.Invalid, "unsupported_crs",
			"%s is not in a UTM zone on WGS84 (EPSG:%d); warp it to one first.", name, grid.EPSG)
	}
	return ports.LayerRaster{EPSG: grid.EPSG, CellSize: grid.PixelX, Cols: grid.Width, Rows: grid.Height}, nil
}

// source is an open file as package cog reads one.
type source struct {
	file io.ReaderAt
	size int64
	name string
}

// ReadAt implements cog.Source.
func (s source) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	n, err := s.file.ReadAt(p, off)
	if err != nil && !errors.Is(err, io.EOF) {
		err = fault.Newf(fault.Unavailable, "raster_unreadable", "%s cannot be read now; try again.", s.name).Because(err)
	}
	return n, err
}

// Size implements cog.Source.
func (s source) Size() int64 { return s.size }

// Address implements cog.Source. The names of objects hold their checksum, so that one address
// is always the same bytes.
func (s source) Address() string { return "object:" + s.name }
