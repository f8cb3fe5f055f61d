package geo

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"tilth/core/effort"
	"tilth/core/list"
)

// latticeBits is the number of binary digits of coordinates in an overlay: a lattice of 2^-44 of
// the largest coordinate, some micrometres in degrees as in metres of a UTM zone. Whole numbers of
// that size are compared exactly; an area is off by less than the outline's length times that.
const latticeBits = 44

// While snapping does not settle, the lattice gets coarser, at most to a tenth of a millimetre.
const (
	latticeTries   = 4
	latticeCoarser = 4
)

// Union returns the area that any of the geometries covers, as disjoint valid parts, outer rings
// counter-clockwise. The geometries lie in one plane (or are all in degrees), and are valid or nearly
// so: a projection may cross the sides of a narrow tongue. A single valid one keeps its vertices. Neighbours are merged first, two at a time, so that many on top of
// one another stay cheap. It fails where outlines cross more often than fields do.
func Union(budget *effort.Budget, all ...MultiPolygon) (MultiPolygon, error) {
	all = slices.DeleteFunc(slices.Clone(all), func(m MultiPolygon) bool { return len(m) == 0 })
	if len(all) == 1 && all[0].IsValid() {
		out := all[0].mapped(func(p Position) Position { return p })
		wind(out)
		return out, nil
	}
	return onLattices(all, func(on []MultiPolygon) (MultiPolygon, error) { return merged(budget, on) })
}

// Intersection returns the area that both geometries cover; see Union.
func Intersection(budget *effort.Budget, a, b MultiPolygon) (MultiPolygon, error) {
	return onLattices([]MultiPolygon{a, b}, func(on []MultiPolygon) (MultiPolygon, error) { return overlaid(budget, on[0], on[1], 2) })
}

// onLattices computes an overlay on the finest lattice on which it settles: edges that nearly
// coincide may move each other again and again where the lattice is too fine to make them one.
func onLattices(all []MultiPolygon, overlay func(on []MultiPolygon) (MultiPolygon, error)) (out MultiPolygon, err error) {
	unit := latticeOf(all)
	for range latticeTries {
		on := list.Map(all, func(m MultiPolygon) MultiPolygon { return m.onLattice(unit) })
		if out, err = overlay(on); !errors.Is(err, errUnsettled) {
			return out.offLattice(unit), err
		}
		unit *= latticeCoarser
	}
	return nil, err
}

// latticeOf returns the unit of the finest lattice for an overlay, a power of two.
func latticeOf(all []MultiPolygon) float64 {
	largest := 0.0
	for _, m := range all {
		b := m.Bounds()
		largest = max(largest, math.Abs(b.MinX), math.Abs(b.MaxX), math.Abs(b.MinY), math.Abs(b.MaxY))
	}
	_, digits := math.Frexp(largest)
	return math.Ldexp(1, digits-latticeBits)
}

// onLattice returns a geometry in whole units, without anything narrower than one.
func (m MultiPolygon) onLattice(unit float64) MultiPolygon {
	out := m.mapped(func(p Position) Position {
		return Position{X: math.RoundToEven(p.X / unit), Y: math.RoundToEven(p.Y / unit)}
	}).withoutSlivers()
	wind(out)
	return out
}

// offLattice is the inverse of onLattice; scaling by a power of two is exact.
func (m MultiPolygon) offLattice(unit float64) MultiPolygon {
	if len(m) == 0 {
		return nil
	}
	return m.mapped(func(p Position) Position { return Position{X: p.X * unit, Y: p.Y * unit} })
}

// merged returns the union of geometries on whole coordinates by halves along the longer axis.
func merged(budget *effort.Budget, all []MultiPolygon) (MultiPolygon, error) {
	switch len(all) {
	case 0:
		return nil, nil
	case 1:
		return overlaid(budget, all[0], nil, 1)
	}
	type placed struct {
		m      MultiPolygon
		middle Position // times two
	}
	var list []placed
	var middles Ring
	for _, m := range all {
		b := m.Bounds()
		middles = append(middles, Position{b.MinX + b.MaxX, b.MinY + b.MaxY})
		list = append(list, placed{m, middles[len(list)]})
	}
	along := func(p Position) float64 { return p.X }
	if b := middles.bounds(); b.MaxY-b.MinY > b.MaxX-b.MinX {
		along = func(p Position) float64 { return p.Y }
	}
	slices.SortStableFunc(list, func(a, b placed) int { return cmp.Compare(along(a.middle), along(b.middle)) })
	for i := range list {
		all[i] = list[i].m
	}
	half := len(all) / 2
	a, err := merged(budget, all[:half])
	if err != nil {
		return nil, err
	}
	b, err := merged(budget, all[half:])
	if err != nil {
		return nil, err
	}
	return overlaid(budget, a, b, 1)
}
