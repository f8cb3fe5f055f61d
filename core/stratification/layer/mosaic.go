package layer

import (
	"cmp"
	"math"
	"slices"

	"tilth/core/geo"
	"tilth/core/list"
)

// latticeTolerance is the distance, in pixels, by which the corners of two rasters of one lattice may lie off it.
const latticeTolerance = 1e-3

// joinSurfaces merges rasters that are pieces of one lattice, such as the tiles of an elevation
// model, so that values can be interpolated across their seams. Pieces of other lattices stay
// apart: tiles of GLO-30 have wider pixels from 50° of latitude on. Where pieces overlap, the first by
// source counts.
func joinSurfaces(parts []Surface) []Surface {
	parts = slices.Clone(parts)
	slices.SortStableFunc(parts, func(a, b Surface) int { return cmp.Compare(a.Source, b.Source) })
	var groups [][]Surface
	for _, p := range parts {
		if turn := p.turn(); turn > 0 { // a piece beyond the antimeridian lies beside it, not around the globe
			p.OriginX -= turn * math.Round((p.OriginX-parts[0].OriginX)/turn)
		}
		at := slices.IndexFunc(groups, func(g []Surface) bool { return g[0].sameLattice(p) })
		if at < 0 {
			groups = append(groups, []Surface{p})
			continue
		}
		groups[at] = append(groups[at], p)
	}
	return list.Map(groups, joined)
}

// offset returns the pixels, right and down, from the corner of s to that of t.
func (s Surface) offset(t Surface) (col, row float64) {
	return (t.OriginX - s.OriginX) / s.CellX, (s.OriginY - t.OriginY) / s.CellY
}

// sameLattice reports whether two rasters belong to one lattice and lie so near each other that
// merging them takes little more room than both.
func (s Surface) sameLattice(t Surface) bool {
	same := func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*a }
	whole := func(v float64) bool { return math.Abs(v-math.Round(v)) <= latticeTolerance }
	col, row := s.offset(t)
	if s.EPSG != t.EPSG || !same(s.CellX, t.CellX) || !same(s.CellY, t.CellY) || !whole(col) || !whole(row) {
		return false
	}
	cols := max(float64(s.Cols), col+float64(t.Cols)) - min(0, col)
	rows := max(float64(s.Rows), row+float64(t.Rows)) - min(0, row)
	return cols*rows <= 4*float64(len(s.Values)+len(t.Values))+1024
}

func joined(parts []Surface) Surface {
	if len(parts) == 1 {
		return parts[0]
	}
	first := parts[0]
	left, top, right, bottom := 0, 0, first.Cols, first.Rows
	for _, p := range parts {
		col, row := first.offset(p)
		c, r := int(math.Round(col)), int(math.Round(row))
		left, top, right, bottom = min(left, c), min(top, r), max(right, c+p.Cols), max(bottom, r+p.Rows)
	}
	out := first
	out.OriginX += float64(left) * first.CellX
	out.OriginY -= float64(top) * first.CellY
	out.Cols, out.Rows = right-left, bottom-top
	out.Values = slices.Repeat([]float64{math.NaN()}, out.Cols*out.Rows)
	for _, p := range parts {
		col, row := out.offset(p)
		c, r := int(math.Round(col)), int(math.Round(row))
		for i, v := range p.Values {
			at := (r+i/p.Cols)*out.Cols + c + i%p.Cols
			if math.IsNaN(out.Values[at]) {
				out.Values[at] = v
			}
		}
	}
	return out
}

// heightsAt returns a function from the centre of a cell of a plane to its height. The first model that has one decides: the mean of
// its pixels under the cell where they are finer, otherwise the interpolation between the four pixels around the centre. Failing
// that, it is the height of the pixel that holds the centre; NaN where there is none.
func heightsAt(models []Surface, epsg int, width float64) (func(geo.Position) float64, error) {
	ways := make([]func(geo.Position) geo.Position, len(models))
	heights := make([]func(geo.Position) float64, len(models))
	for i, m := range models {
		to, err := m.from(epsg)
		if err != nil {
			return nil, err
		}
		ways[i] = to
		heights[i] = func(p geo.Position) float64 { return m.bilinear(to(p)) }
		if wider*m.Metres() < width {
			heights[i] = m.valueOf(to, width, false)
		}
	}
	return func(p geo.Position) float64 {
		for _, height := range heights {
			if v := height(p); !math.IsNaN(v) {
				return v
			}
		}
		for i, m := range models {
			if v := m.At(ways[i](p)); !math.IsNaN(v) {
				return v
			}
		}
		return math.NaN()
	}, nil
}
