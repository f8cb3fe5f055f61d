package vegetation

import (
	"cmp"
	"math"
	"slices"

	"tilth/core/fault"
	"tilth/core/geo"
)

// SmallFieldPixels is the number of pixels below which a field is small: its pixels are then
// weighted by the share of their area that lies in it instead of being counted by their centres.
const SmallFieldPixels = 10

// maxExtent bounds the pixels of a field's bounding box, and so the memory of a computation: 50 km × 50 km at 10 m. The
// largest field of the interface (10,000 ha) is 10 km × 10 km, or consists of several parts.
const maxExtent = 25_000_000

// Cell is a pixel of a field. Weight is 1 or, in a small field, the share of the pixel's area that lies in the field.
type Cell struct {
	Col, Row int
	Weight   float64
}

// Footprint is the set of pixels of a grid that belong to a field. The grid is taken as unbounded,
// so that a field half outside a tile keeps its full number of pixels.
type Footprint struct {
	Grid  Grid
	Cells []Cell // by row, then column
	Small bool   // fewer than SmallFieldPixels centres: exact area weights
}

// Cover returns the pixels of a field. The geometry is in the grid's own CRS (geo.UTM.Project of
// the boundary). A pixel counts when its centre lies inside by the even-odd rule; a centre on an
// edge counts when the inside is to its right (the usual rule of rasters), so that neighbouring
// fields share no pixel. Several parts count as their union. With fewer than SmallFieldPixels such
// pixels, every pixel that meets the field counts with its share of area. Faults: Invalid for an
// impossible grid or a field that extends over more than 25 million pixels.
func Cover(projected geo.MultiPolygon, grid Grid) (Footprint, error) {
	cells, err := Centres(projected, grid)
	if err != nil {
		return Footprint{}, err
	}
	if len(cells) < SmallFieldPixels {
		return Footprint{Grid: grid, Cells: sharesIn(projected, grid), Small: true}, nil
	}
	return Footprint{Grid: grid, Cells: cells}, nil
}

// CoverWithin returns the pixels whose centre lies in a field and at least buffer metres from its outline. They all
// count in full, and there may be none. Without a buffer it is Cover.
func CoverWithin(projected geo.MultiPolygon, grid Grid, buffer float64) (Footprint, error) {
	if buffer == 0 {
		return Cover(projected, grid)
	}
	cells, err := Centres(projected, grid)
	if err != nil {
		return Footprint{}, err
	}
	cells = awayFrom(projected, grid, cells, buffer)
	return Footprint{Grid: grid, Cells: cells, Small: len(cells) < SmallFieldPixels}, nil
}

// Centres is Cover without its weights for small fields: pixels whose centre lies in a geometry.
func Centres(projected geo.MultiPolygon, grid Grid) ([]Cell, error) {
	if err := grid.Check(); err != nil {
		return nil, err
	}
	box := projected.Bounds()
	if pixels := (box.MaxX - box.MinX) / grid.PixelX * ((box.MaxY - box.MinY) / grid.PixelY); !(pixels <= maxExtent) {
		return nil, fault.Newf(fault.Invalid, "field_too_large",
			"The field extends over %.0f pixels of the imagery; at most %d can be read.", pixels, maxExtent)
	}
	return centresIn(projected, grid), nil
}

// Weight returns the sum of the weights: the number of pixels, or of shares of pixels.
func (f Footprint) Weight() float64 {
	sum := 0.0
	for _, c := range f.Cells {
		sum += c.Weight
	}
	return sum
}

// Widened returns the pixels within n columns and rows of the footprint, each with full weight, by row, then column,
// and the window of the grid that contains them, which may reach beyond the raster. The footprint must have a pixel.
func (f Footprint) Widened(n int) ([]Cell, Window) {
	first, last := f.Cells[0], f.Cells[0]
	for _, c := range f.Cells {
		first.Col, first.Row, last.Col, last.Row = min(first.Col, c.Col), min(first.Row, c.Row), max(last.Col, c.Col), max(last.Row, c.Row)
	}
	w := Window{Col: first.Col - n, Row: first.Row - n, Width: last.Col - first.Col + 1 + 2*n, Height: last.Row - first.Row + 1 + 2*n}
	mark := Raster{Grid: Grid{Width: w.Width, Height: w.Height}, DN: make([]uint16, w.Width*w.Height)}
	for i := range mark.DN {
		mark.DN[i] = viewClear
	}
	for _, c := range f.Cells {
		mark.DN[(c.Row-w.Row)*w.Width+c.Col-w.Col] = viewMasked
	}
	mark.dilate(n)
	var cells []Cell
	for i, v := range mark.DN {
		if v == viewMasked {
			cells = append(cells, Cell{Col: w.Col + i%w.Width, Row: w.Row + i/w.Width, Weight: 1})
		}
	}
	return cells, w
}

// span is a run of pixels of one row: from ≤ column < to.
type span struct{ row, from, to int }

// centresIn returns the pixels whose centres are inside, a row at a time.
func centresIn(m geo.MultiPolygon, g Grid) []Cell {
	var spans []span
	for _, polygon := range m {
		spans = appendSpans(spans, polygon, g)
	}
	slices.SortFunc(spans, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.from, b.from))
	})
	upper := 0 // parts that overlap count twice here
	for _, s := range spans {
		upper += s.to - s.from
	}
	cells := make([]Cell, 0, upper)
	row, next := math.MinInt, 0 // next: the first column not yet taken in this row
	for _, s := range spans {
		if s.row != row {
			row, next = s.row, s.from
		}
		for col := max(s.from, next); col < s.to; col++ {
			cells = append(cells, Cell{Col: col, Row: s.row, Weight: 1})
		}
		next = max(next, s.to)
	}
	return cells
}

// crossing is the point where an edge of a polygon crosses the line through a row's centres.
type crossing struct {
	row int
	x   float64
}

// appendSpans adds the spans of one polygon with its holes. An edge crosses a row's line when one
// end is above and the other on or below it, so that a vertex on the line counts once.
func appendSpans(spans []span, polygon geo.Polygon, g Grid) []span {
	var crossings []crossing
	for upper, lower := range (geo.MultiPolygon{polygon}).Edges() {
		if upper.Y < lower.Y {
			upper, lower = lower, upper
		}
		first := int(math.Floor((g.OriginY-upper.Y)/g.PixelY-0.5)) - 1
		last := int(math.Ceil((g.OriginY-lower.Y)/g.PixelY-0.5)) + 1
		for row := first; row <= last; row++ {
			if y := g.Centre(0, row).Y; lower.Y <= y && y < upper.Y {
				x := lower.X + (upper.X-lower.X)*((y-lower.Y)/(upper.Y-lower.Y))
				crossings = append(crossings, crossing{row, x})
			}
		}
	}
	slices.SortFunc(crossings, func(a, b crossing) int {
		return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.x, b.x))
	})
	column := func(x float64) int { return int(math.Ceil((x-g.OriginX)/g.PixelX - 0.5)) }
	for i := 0; i+1 < len(crossings); i += 2 { // a line crosses closed rings an even number of times
		if from, to := column(crossings[i].x), column(crossings[i+1].x); from < to {
			spans = append(spans, span{crossings[i].row, from, to})
		}
	}
	return spans
}
