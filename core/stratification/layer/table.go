package layer

import (
	"fmt"
	"math"
	"slices"

	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/stratification/frame"
)

// Table is a list of cells as given in a file.
type Table struct {
	// Row and Col are whole numbers, row 0 the northernmost; X and Y are the plane's coordinates
	// of the centres, in metres. A table has one of the pairs, or both.
	Row, Col, X, Y []float64
	Layers         []Layer // values in the order of the cells, NaN where missing
}

// TableOptions are the choices of a frame made of a table.
type TableOptions struct {
	CellSize float64          // metres; 0 takes it from the coordinates
	EPSG     int              // of the UTM zone of X and Y; 0: the boundary's, or unknown
	EdgeMask int              // as in frame.Options
	Boundary geo.MultiPolygon // WGS84; nil: the outline of the cells
}

// offLattice is the distance, in cells, by which a centre may be off its place on the grid.
const offLattice = 0.01

// FromTable makes a frame of a table's cells, with the layers in the frame's order. corner is the row
// and column, in the table's own numbering, of the frame's row 0, column 0.
//
// Faults: as frame.OfCells; Invalid for coordinates that do not lie on a grid.
func FromTable(t Table, o TableOptions) (f frame.Frame, layers []Layer, corner [2]int, err error) {
	g := frame.GridCells{EPSG: o.EPSG, CellSize: o.CellSize}
	if g.EPSG == 0 && o.Boundary != nil && t.X != nil {
		g.EPSG = geo.UTMZoneEPSG(o.Boundary.Centroid())
	}
	if g.EPSG != 0 {
		if _, err := geo.NewUTM(g.EPSG); err != nil {
			return f, nil, corner, err
		}
	}
	if t.X == nil {
		g.EPSG = 0 // rows and columns lie nowhere on earth
	}
	if err := t.findGrid(&g); err != nil {
		return f, nil, corner, err
	}
	f, given, err := frame.OfCells(g, o.Boundary, o.EdgeMask)
	if err != nil {
		return f, nil, corner, err
	}
	for _, l := range t.Layers {
		values := make([]float64, len(given))
		for n, i := range given {
			values[n] = math.NaN()
			if i >= 0 {
				values[n] = l.Values[i]
			}
		}
		l.Values = values
		layers = append(layers, l)
	}
	corner = [2]int{int(math.Round((g.OriginY - f.OriginY) / g.CellSize)), int(math.Round((f.OriginX - g.OriginX) / g.CellSize))}
	return f, layers, corner, nil
}

// findGrid finds the grid of the cells, and the place of each on it.
func (t Table) findGrid(g *frame.GridCells) error {
	switch {
	case t.X == nil && t.Row == nil:
		return fault.Field("cells", "The cells need the columns row and col, or x and y.")
	case t.X == nil:
		if g.CellSize == 0 {
			return fault.Field("cell_size", "Cells given by row and column need a cell size.")
		}
		g.OriginY = 0
	case t.Row == nil:
		if g.CellSize == 0 {
			g.CellSize = min(smallestStep(t.X), smallestStep(t.Y))
		}
		if math.IsInf(g.CellSize, 1) {
			return fault.Field("cell_size", "The coordinates do not show the cell size; state it.")
		}
		g.OriginX, g.OriginY = slices.Min(t.X)-g.CellSize/2, slices.Max(t.Y)+g.CellSize/2
	default:
		if g.CellSize == 0 {
			g.CellSize = t.sizeByRows()
		}
		g.OriginX = t.X[0] - (t.Col[0]+0.5)*g.CellSize
		g.OriginY = t.Y[0] + (t.Row[0]+0.5)*g.CellSize
	}
	return t.places(g)
}

func smallestStep(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	lower := math.Inf(1)
	for i := 1; i < len(sorted); i++ {
		if step := sorted[i] - sorted[i-1]; step > 1e-3 { // a millimetre is rounding
			lower = min(lower, step)
		}
	}
	return lower
}

// sizeByRows returns the cell size, derived from the first cell that is not in the same column and row as cell 0.
func (t Table) sizeByRows() float64 {
	for i := range t.X {
		if t.Col[i] != t.Col[0] {
			return (t.X[i] - t.X[0]) / (t.Col[i] - t.Col[0])
		}
		if t.Row[i] != t.Row[0] {
			return (t.Y[0] - t.Y[i]) / (t.Row[i] - t.Row[0])
		}
	}
	return frame.DefaultCellSize
}

func (t Table) places(g *frame.GridCells) error {
	if !(g.CellSize >= frame.MinCellSize && g.CellSize <= frame.MaxCellSize) {
		return fault.Field("cell_size", fmt.Sprintf("A cell must be %g to %g m wide, not %g.", frame.MinCellSize, frame.MaxCellSize, g.CellSize))
	}
	n := max(len(t.X), len(t.Row))
	for i := range n {
		row, col := 0.0, 0.0
		if t.Row != nil {
			row, col = t.Row[i], t.Col[i]
			if row != math.Trunc(row) || col != math.Trunc(col) || math.Abs(row) > frame.MaxPlace || math.Abs(col) > frame.MaxPlace {
				return fault.Field("cells", fmt.Sprintf("Cell %d: row %g, column %g are not whole numbers.", i+1, row, col))
			}
		}
		if t.X != nil {
			atRow, atCol := (g.OriginY-t.Y[i])/g.CellSize-0.5, (t.X[i]-g.OriginX)/g.CellSize-0.5
			if t.Row == nil {
				row, col = math.Round(atRow), math.Round(atCol)
			}
			if !(math.Abs(atRow-row) <= offLattice && math.Abs(atCol-col) <= offLattice) {
				return fault.Field("cells", fmt.Sprintf(
					"Cell %d at x %.2f, y %.2f does not lie on the grid of %g m cells of the others. Is the cell size right, and y northing?", i+1, t.X[i], t.Y[i], g.CellSize))
			}
		}
		if math.Abs(row) > frame.MaxPlace || math.Abs(col) > frame.MaxPlace {
			return fault.Field("cells", fmt.Sprintf("Cell %d lies too far from the others.", i+1))
		}
		g.Places = append(g.Places, [2]int32{int32(row), int32(col)})
	}
	return nil
}
