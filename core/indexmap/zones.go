package indexmap

import (
	"math"

	"tilth/core/effort"
	"tilth/core/geo"
	"tilth/core/stratification/frame"
)

// Zone is the area of a field that one class takes.
type Zone struct {
	Class *Class           // nil: the part of the field where no pixel counts, such as below a cloud
	Area  geo.MultiPolygon // in degrees, rounded to a centimetre
	Ha    float64          // on the ellipsoid
}

// Zones returns the area of each class that has any, from the lowest, and that without a value last. Together they are the field
// (WGS84), without gaps and overlaps: they follow the edges of the pixels within it, and its outline where they meet it. What of the
// field no pixel's centre holds, along the outline, goes to the nearest pixel.
//
// Faults: Invalid for a grid or a field that cannot be outlined; the budget's error where it ends.
func (l *Layer) Zones(budget *effort.Budget, field geo.MultiPolygon, c Classes) ([]Zone, error) {
	f, places, err := frame.OfPixels(budget, l.Grid, field)
	if err != nil || len(places) == 0 {
		return nil, err
	}
	unseen := len(c.Each) + 1
	labels := make([]int32, len(places))
	for n, p := range places {
		if err := budget.Spend(1); err != nil {
			return nil, err
		}
		labels[n] = int32(unseen)
		if i, ok := l.index(p.Col, p.Row); ok && l.Inside[i] && !math.IsNaN(l.Values[i]) {
			labels[n] = int32(c.Of(l.Values[i]))
		}
	}
	plane, err := geo.NewPlane(l.Grid.EPSG)
	if err != nil {
		return nil, err
	}
	areas := frame.NewOutliner(&f).Outlines(budget, labels, unseen)
	if err := budget.Err(); err != nil {
		return nil, err
	}
	var out []Zone
	for k, area := range areas {
		if len(area) == 0 {
			continue
		}
		z := Zone{}
		if k < len(c.Each) {
			z.Class = &c.Each[k]
		}
		whole, err := plane.Unproject(area).OnGlobe(budget)
		if err != nil {
			return nil, err
		}
		z.Area = whole.Rounded(frame.DegreeDecimals)
		z.Ha = geo.AreaM2(z.Area) / frame.M2PerHectare
		out = append(out, z)
	}
	return out, nil
}
