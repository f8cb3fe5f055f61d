package frame

import (
	"fmt"
	"math"
	"slices"

	"tilth/core/fault"
	"tilth/core/geo"
)

// GridCells are cells of an existing grid, such as that of a table or a raster.
type GridCells struct {
	EPSG             int // of the UTM zone; 0 where it is not known
	CellSize         float64
	OriginX, OriginY float64    // outer corner of row 0, column 0
	Places           [][2]int32 // row, column
}

// OfCells makes a frame of given cells and returns, for each of its cells in row order, the index
// of the given one. The area of interest is the outline of the cells or, where one is given, boundary
// (WGS84). With a boundary, the frame has every cell of the grid whose centre lies in it, with the
// index -1 (values are missing) for those not given.
//
// Faults: Invalid for cells given twice, for a boundary without an EPSG, more than MaxCells or
// fewer than MinCells cells.
func OfCells(g GridCells, boundary geo.MultiPolygon, edgeMask int) (f Frame, given []int, err error) {
	if err := (Options{CellSize: g.CellSize, EdgeMask: edgeMask}).check(); err != nil {
		return Frame{}, nil, err
	}
	if len(g.Places) == 0 {
		return Frame{}, nil, fault.New(fault.Invalid, "frame_too_small", "There are no cells.")
	}
	low, high, err := g.extent()
	if err != nil {
		return Frame{}, nil, err
	}
	f = Frame{EPSG: g.EPSG, CellSize: g.CellSize, EdgeMask: edgeMask}
	if boundary != nil {
		given, err = f.cellsWithin(boundary, g)
	} else {
		given = f.cellsAsGiven(g, low, high)
	}
	if err != nil {
		return Frame{}, nil, err
	}
	if len(f.Cells) > MaxCells {
		return Frame{}, nil, fault.Newf(fault.Invalid, "frame_too_large",
			"There are %d cells; at most %d can be zoned. Aggregate them to larger cells.", len(f.Cells), MaxCells)
	}
	return f, given, f.finish()
}

// The bounds of rows and columns, and of their span.
const (
	MaxPlace = 1 << 30
	maxSpan  = 1 << 22
)

// extent returns the lowest and highest places; it refuses cells too far apart or given twice.
func (g GridCells) extent() (low, high [2]int32, err error) {
	seen := make(map[[2]int32]int, len(g.Places))
	low, high = g.Places[0], g.Places[0]
	for i, p := range g.Places {
		for axis, v := range p {
			if v > MaxPlace || v < -MaxPlace {
				return low, high, fault.Field("cells", fmt.Sprintf("Cell %d: a row or column of %d is out of range.", i+1, v))
			}
			low[axis], high[axis] = min(low[axis], v), max(high[axis], v)
		}
		if first, twice := seen[p]; twice {
			return low, high, fault.Field("cells", fmt.Sprintf(
				"Cell %d and cell %d are both in row %d, column %d.", first+1, i+1, p[0], p[1]))
		}
		seen[p] = i
	}
	if high[0]-low[0] >= maxSpan || high[1]-low[1] >= maxSpan {
		return low, high, fault.Field("cells", fmt.Sprintf("The cells lie more than %d rows or columns apart.", maxSpan))
	}
	return low, high, nil
}

// cellsAsGiven takes the cells in row order; the area of interest is their outline.
func (f *Frame) cellsAsGiven(g GridCells, low, high [2]int32) (given []int) {
	for i := range g.Places {
		given = append(given, i)
	}
	top, left := low[0], low[1]
	slices.SortFunc(given, func(a, b int) int { return slices.Compare(g.Places[a][:], g.Places[b][:]) })
	f.Rows, f.Cols = int(high[0]-top)+1, int(high[1]-left)+1
	f.OriginX = g.OriginX + float64(left)*g.CellSize
	f.OriginY = g.OriginY - float64(top)*g.CellSize
	f.exact = true
	labels := make([]int32, len(given))
	for n, i := range given {
		f.Cells = append(f.Cells, Cell{Row: g.Places[i][0] - top, Col: g.Places[i][1] - left})
		labels[n] = 1
	}
	f.AOI = NewOutliner(f).Outlines(nil, labels, 1)[0]
	f.Fields = []geo.MultiPolygon{f.AOI}
	f.AreaHa = f.Hectares(f.AOI)
	return given
}

// cellsWithin extends the given cells' grid over a boundary.
func (f *Frame) cellsWithin(boundary geo.MultiPolygon, g GridCells) (given []int, err error) {
	if f.EPSG == 0 {
		return nil, fault.Field("epsg", "A boundary needs the EPSG code of the cells' UTM zone.")
	}
	f.Fields = []geo.MultiPolygon{f.utm().Project(boundary)}
	if err := f.dissolve(nil); err != nil {
		return nil, err
	}
	if f.AreaHa*M2PerHectare/(f.CellSize*f.CellSize) > 2*MaxCells {
		return nil, fault.Field("boundary", fmt.Sprintf("The boundary holds more than %d cells of %g m.", MaxCells, f.CellSize))
	}
	box := f.AOI.Bounds()
	left, top := math.Floor((box.MinX-g.OriginX)/g.CellSize), math.Floor((g.OriginY-box.MaxY)/g.CellSize)
	f.OriginX, f.OriginY = g.OriginX+left*g.CellSize, g.OriginY-top*g.CellSize
	if err := f.cellsOfFields(); err != nil {
		return nil, err
	}
	at := make(map[[2]int32]int, len(g.Places))
	for i, p := range g.Places {
		at[p] = i
	}
	for _, c := range f.Cells {
		i, ok := at[[2]int32{c.Row + int32(top), c.Col + int32(left)}]
		if !ok {
			i = -1
		}
		given = append(given, i)
	}
	return given, nil
}
