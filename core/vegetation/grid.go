package vegetation

import (
	"math"

	"tilth/core/fault"
	"tilth/core/geo"
)

// Check refuses a georeference that no satellite raster has, such as that of a broken file: pixels
// without a size or in a system that geo.NewPlane does not know. The fault is Invalid.
func (g Grid) Check() error {
	finite := !math.IsNaN(g.OriginX+g.OriginY) && !math.IsInf(g.OriginX+g.OriginY, 0)
	if !finite || !(g.PixelX >= 0.1 && g.PixelY >= 0.1 && g.PixelX <= 1e5 && g.PixelY <= 1e5) || g.Width < 0 || g.Height < 0 {
		return fault.Newf(fault.Invalid, "invalid_raster", "A raster has an impossible georeference: %+v.", g)
	}
	_, err := geo.NewPlane(g.EPSG)
	return err
}

// Centre returns the centre of a pixel, also beyond the grid, in the grid's own CRS.
func (g Grid) Centre(col, row int) geo.Position {
	return geo.Position{
		X: g.OriginX + (float64(col)+0.5)*g.PixelX,
		Y: g.OriginY - (float64(row)+0.5)*g.PixelY,
	}
}

// PixelAt returns the pixel that holds a point in the grid's own CRS, also beyond the grid; a point
// on an edge belongs to the pixel right of or below it.
func (g Grid) PixelAt(p geo.Position) (col, row int) {
	return int(math.Floor((p.X - g.OriginX) / g.PixelX)), int(math.Floor((g.OriginY - p.Y) / g.PixelY))
}

// Window returns the pixels that a box (in the grid's own CRS) meets, with a margin of pixels all
// round, clipped to the raster. It is empty (Width or Height 0) where they do not meet.
func (g Grid) Window(box geo.Box, margin int) Window {
	clamp := func(v float64, upper int) int { return int(max(0, min(float64(upper), v))) }
	m := float64(margin)
	col0 := clamp(math.Floor((box.MinX-g.OriginX)/g.PixelX)-m, g.Width)
	col1 := clamp(math.Floor((box.MaxX-g.OriginX)/g.PixelX)+1+m, g.Width)
	row0 := clamp(math.Floor((g.OriginY-box.MaxY)/g.PixelY)-m, g.Height)
	row1 := clamp(math.Floor((g.OriginY-box.MinY)/g.PixelY)+1+m, g.Height)
	return Window{Col: col0, Row: row0, Width: col1 - col0, Height: row1 - row0}
}

// Of returns the georeference of a window of the grid.
func (w Window) Of(g Grid) Grid {
	g.OriginX += float64(w.Col) * g.PixelX
	g.OriginY -= float64(w.Row) * g.PixelY
	g.Width, g.Height = w.Width, w.Height
	return g
}

// Empty reports whether the window holds no pixel.
func (w Window) Empty() bool { return w.Width <= 0 || w.Height <= 0 }

// At returns the stored number of a pixel of the raster; false outside it and for nodata.
func (r Raster) At(col, row int) (number float64, ok bool) {
	if col < 0 || row < 0 || col >= r.Grid.Width || row >= r.Grid.Height {
		return 0, false
	}
	at := row*r.Grid.Width + col
	if r.Values != nil {
		v := r.Values[at]
		return v, !math.IsNaN(v)
	}
	dn := r.DN[at]
	if r.Signed {
		number = float64(int16(dn))
	} else {
		number = float64(dn)
	}
	return number, !r.HasNoData || dn != r.NoData
}

// Reflectance returns number × Scale + Offset; negative results count as 0.
func (r Raster) Reflectance(number float64) float64 {
	return max(0, number*r.Scale+r.Offset)
}

// Check refuses a raster whose georeference is impossible or whose numbers do not match its pixels.
func (r Raster) Check() error {
	if err := r.Grid.Check(); err != nil {
		return err
	}
	if n := max(len(r.DN), len(r.Values)); n != r.Grid.Width*r.Grid.Height {
		return fault.Newf(fault.Invalid, "invalid_raster", "A raster of %d × %d pixels has %d numbers.", r.Grid.Width, r.Grid.Height, n)
	}
	return nil
}
