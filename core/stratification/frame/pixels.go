package frame

import (
	"math"

	"tilth/core/effort"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/vegetation"
)

// OfPixels makes a frame of the pixels of a raster that belong to a field, however many there are, to outline
// classes of pixels. It masks nothing. field is in WGS84. places are the positions of the frame's cells on the
// raster's grid, which is taken to be unbounded.
//
// Faults: Invalid for a grid that no raster can have, pixels that are not square, or a field that cannot be read on the grid;
// the budget's error when the budget ends.
func OfPixels(budget *effort.Budget, g vegetation.Grid, field geo.MultiPolygon) (f Frame, places []vegetation.Cell, err error) {
	if g.PixelX != g.PixelY {
		return f, nil, fault.Newf(fault.Invalid, "invalid_raster", "The pixels are %g × %g m, not square.", g.PixelX, g.PixelY)
	}
	plane, err := geo.NewPlane(g.EPSG)
	if err != nil {
		return f, nil, err
	}
	f = Frame{CellSize: g.PixelX, Fields: []geo.MultiPolygon{plane.Project(field)}}
	if utm, ok := plane.(geo.UTM); ok {
		f.EPSG = utm.EPSG()
	}
	if err := f.dissolve(budget); err != nil {
		return f, nil, err
	}
	covered, err := vegetation.Cover(f.AOI, g)
	if err != nil || len(covered.Cells) == 0 {
		return f, nil, err
	}
	box := f.AOI.Bounds()
	left, top := g.PixelAt(geo.Position{X: box.MinX, Y: box.MaxY})
	right, bottom := g.PixelAt(geo.Position{X: box.MaxX, Y: box.MinY})
	if math.Abs(float64(left)) > MaxPlace || math.Abs(float64(top)) > MaxPlace {
		return f, nil, fault.New(fault.Invalid, "invalid_raster", "The field lies too far from the raster.")
	}
	f.OriginX, f.OriginY = g.OriginX+float64(float64(left)*g.PixelX), g.OriginY-float64(float64(top)*g.PixelY)
	f.Cols, f.Rows = right-left+1, bottom-top+1
	for _, c := range covered.Cells {
		f.Cells = append(f.Cells, Cell{Row: int32(c.Row - top), Col: int32(c.Col - left)})
	}
	f.index()
	return f, covered.Cells, nil
}
