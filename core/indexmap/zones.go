package indexmap

import (
	"math"

	"tilth/core/effort"
	"tilth/core/geo"
	"tilth/core/stratification/frame"
)

// Zone is the area of a field that one class occupies.
type Zone struct {
	Class *Class           // nil: the part of the field where no pixel counts, such as below a cloud
	Area  geo.MultiPolygon // in degrees, rounded to a centimetre
	Ha    float64          // on the ellipsoid
}

// Zones returns the area of each class that has one, from the lowest, and last the area without a value. Together they
// make up the field (WGS84), without gaps and overlaps: they follow the edges of the pixels within it, and its outline
// where they meet it. Land along the outline whose pixel has its centre outside the field goes to the nearest pixel.
//
// Faults: Invalid for a grid or a field that cannot be outlined; the budget's error where it ends.
func (l *Layer) Zones(budget *effort.Budget, field geo.MultiPolygon, c Classes) ([]Zone, error) {
	areas, err := l.areas(budget, field, len(c.Each), c.Of)
	out := make([]Zone, len(areas))
	for i, a := range areas {
		out[i] = Zone{Area: a.Outline, Ha: a.Ha}
		if a.Number <= len(c.Each) {
			out[i].Class = &c.Each[a.Number-1]
		}
	}
	return out, err
}

// Area is the part of a field whose pixels have a number.
type Area struct {
	Number  int // one more than the highest: where no pixel counts
	Outline geo.MultiPolygon
	Ha      float64
}

// Areas returns the areas of the numbers 1 to k of a layer of numbers, as Zones does those of classes.
func (l *Layer) Areas(budget *effort.Budget, field geo.MultiPolygon, k int) ([]Area, error) {
	return l.areas(budget, field, k, func(v float64) int { return int(v) })
}

func (l *Layer) areas(budget *effort.Budget, field geo.MultiPolygon, k int, of func(v float64) int) ([]Area, error) {
	f, places, err := frame.OfPixels(budget, l.Grid, field)
	if err != nil || len(places) == 0 {
		return nil, err
	}
	unseen := k + 1
	labels := make([]int32, len(places))
	for n, p := range places {
		if err := budget.Spend(1); err != nil {
			return nil, err
		}
		labels[n] = int32(unseen)
		if i, ok := l.index(p.Col, p.Row); ok && l.Inside[i] && !math.IsNaN(l.Values[i]) {
			labels[n] = int32(of(l.Values[i]))
		}
	}
	plane, err := geo.NewPlane(l.Grid.EPSG)
	if err != nil {
		return nil, err
	}
	outlines := frame.NewOutliner(&f).Outlines(budget, labels, unseen)
	if err := budget.Err(); err != nil {
		return nil, err
	}
	var out []Area
	for n, outline := range outlines {
		if len(outline) == 0 {
			continue
		}
		whole, err := plane.Unproject(outline).OnGlobe(budget)
		if err != nil {
			return nil, err
		}
		a := Area{Number: n + 1, Outline: whole.Rounded(frame.DegreeDecimals)}
		a.Ha = geo.AreaM2(a.Outline) / frame.M2PerHectare
		out = append(out, a)
	}
	return out, nil
}
