package layer

import (
	"cmp"
	"math"
	"slices"

	"tilth/core/geo"
)

// enough is the share of a cell that pixels with a value must cover for the cell to have a value.
const enough = 0.5

// footprint is a cell in the plane of a raster: its corners in order, a convex quadrangle.
type footprint [4]geo.Position

// footprintOf returns the square of a width around a centre, as a projection shows it.
func footprintOf(centre geo.Position, width float64, to func(geo.Position) geo.Position) (q footprint) {
	half := width / 2
	for i, at := range [4][2]float64{{-half, -half}, {half, -half}, {half, half}, {-half, half}} {
		q[i] = to(geo.Position{X: centre.X + at[0], Y: centre.Y + at[1]})
	}
	return q
}

// mean returns the mean of the pixels under a cell, weighted by the areas that they share with it;
// NaN where pixels with a value cover less than half of the cell.
func (s Surface) mean(q footprint) float64 {
	sum, known := 0.0, 0.0
	whole := s.eachUnder(q, func(v, area float64) {
		sum += float64(v * area)
		known += area
	})
	if known == 0 || known < enough*whole {
		return math.NaN()
	}
	return sum / known
}

// mode returns the value that covers the largest area of a cell (of several, the smallest); NaN as for
// mean.
func (s Surface) mode(q footprint) float64 {
	type class struct{ value, area float64 }
	var classes []class
	known := 0.0
	whole := s.eachUnder(q, func(v, area float64) {
		known += area
		if at := slices.IndexFunc(classes, func(c class) bool { return c.value == v }); at >= 0 {
			classes[at].area += area
			return
		}
		classes = append(classes, class{v, area})
	})
	if known == 0 || known < enough*whole {
		return math.NaN()
	}
	return slices.MinFunc(classes, func(a, b class) int {
		return cmp.Or(cmp.Compare(b.area, a.area), cmp.Compare(a.value, b.value))
	}).value
}

// eachUnder visits the pixels with a value that a cell meets, with the common area, and returns the
// area of the cell, both in pixels.
func (s Surface) eachUnder(q footprint, visit func(value, area float64)) float64 {
	var cell [4]geo.Position // in pixels, right and down from the corner
	left, top, right, bottom := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for i, p := range q {
		cell[i] = geo.Position{X: (p.X - s.OriginX) / s.CellX, Y: (s.OriginY - p.Y) / s.CellY}
		left, right = min(left, cell[i].X), max(right, cell[i].X)
		top, bottom = min(top, cell[i].Y), max(bottom, cell[i].Y)
	}
	if !(right > 0 && bottom > 0 && left < float64(s.Cols) && top < float64(s.Rows)) {
		return polygonArea(cell[:])
	}
	var a, b, strip, piece [12]geo.Position // a half-plane adds at most one vertex
	for row := max(0, int(top)); row < min(s.Rows, int(math.Ceil(bottom))); row++ {
		low, high := float64(row), float64(row+1)
		part := clipped(clipped(cell[:], a[:0], 1, low, 1), strip[:0], 1, high, -1)
		from, to := between(cell[:], low, high)
		for col := max(0, int(left)); col < min(s.Cols, int(math.Ceil(right))); col++ {
			v := s.Values[row*s.Cols+col]
			if math.IsNaN(v) {
				continue
			}
			l, r := float64(col), float64(col+1)
			if l >= from && r <= to {
				visit(v, 1)
				continue
			}
			if area := polygonArea(clipped(clipped(part, b[:0], 0, l, 1), piece[:0], 0, r, -1)); area > 0 {
				visit(v, area)
			}
		}
	}
	return polygonArea(cell[:])
}

// clipped returns the part of a convex polygon on one side of a line (Sutherland and Hodgman, "Reentrant
// Polygon Clipping", Communications of the ACM 17 (1974)): where the coordinate (0: X, 1: Y) is at least
// the bound or, with side -1, at most the bound.
func clipped(in, out []geo.Position, coordinate int, bound, side float64) []geo.Position {
	beyond := func(p geo.Position) float64 {
		v := p.X
		if coordinate == 1 {
			v = p.Y
		}
		return (v - bound) * side
	}
	for i, p := range in {
		next := in[(i+1)%len(in)]
		d, e := beyond(p), beyond(next)
		if d >= 0 {
			out = append(out, p)
		}
		if d > 0 && e < 0 || d < 0 && e > 0 {
			t := d / (d - e)
			out = append(out, geo.Position{X: p.X + float64(t*(next.X-p.X)), Y: p.Y + float64(t*(next.Y-p.Y))})
		}
	}
	return out
}

// between returns the columns that a convex polygon holds all the way from one row to another; none
// (from > to) where it does not reach both.
func between(in []geo.Position, low, high float64) (from, to float64) {
	from, to = math.Inf(-1), math.Inf(1)
	for _, y := range [2]float64{low, high} {
		left, right := math.Inf(1), math.Inf(-1)
		for i, p := range in {
			next := in[(i+1)%len(in)]
			if (p.Y-y)*(next.Y-y) > 0 {
				continue
			}
			for _, end := range [2]geo.Position{p, next} {
				if end.Y == y {
					left, right = min(left, end.X), max(right, end.X)
				}
			}
			if p.Y != next.Y {
				x := p.X + float64((y-p.Y)/(next.Y-p.Y)*(next.X-p.X))
				left, right = min(left, x), max(right, x)
			}
		}
		from, to = max(from, left), min(to, right)
	}
	return from, to
}

func polygonArea(p []geo.Position) float64 {
	twice := 0.0
	for i := 1; i+1 < len(p); i++ { // relative to the first vertex, since products of large numbers would cancel
		twice += float64((p[i].X-p[0].X)*(p[i+1].Y-p[0].Y)) - float64((p[i+1].X-p[0].X)*(p[i].Y-p[0].Y))
	}
	return math.Abs(twice) / 2
}
