package geo

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"tilth/core/effort"
	"tilth/core/fault"
)

// Limits are the operator's bounds on field boundaries.
type Limits struct {
	MinAreaM2   float64 // smallest area, square metres
	MaxAreaHa   float64 // largest area, hectares
	MaxVertices int     // over all rings, closing positions not counted
	SliverHa    float64 // below this area the boundary carries the warning "sliver"

	// OverlapSteps is the maximum number of pairs of edges that a request compares to find overlaps.
	OverlapSteps int64
}

// DefaultLimits returns the bounds of the interface.
func DefaultLimits() Limits {
	return Limits{MinAreaM2: 1, MaxAreaHa: 10_000, MaxVertices: 10_000, SliverHa: 0.05, OverlapSteps: 5_000_000}
}

// Warning is a doubt about a boundary that is accepted.
type Warning struct {
	Code    string // WarnSliver, WarnAxisSwap
	Message string
}

// The warnings' codes.
const (
	WarnSliver   = "sliver"
	WarnAxisSwap = "likely_axis_swap"
)

// Measures are the figures of a boundary, which storage keeps beside the geometry.
type Measures struct {
	AreaHa     float64  // on the ellipsoid, full precision
	PerimeterM float64  // geodesic, over all rings, holes included
	Centroid   Position // degrees; may lie outside a bent field
	Warnings   []Warning
}

// Boundary is the valid outline of a field. It is immutable. NewBoundary and ParseGeoJSON create it
// and refuse what is invalid; RestoreBoundary reads it back from storage.
type Boundary struct {
	geometry MultiPolygon
	measures Measures
	bounds   Box
	vertices int
}

// BoundaryField is the request field that every refusal names.
const BoundaryField = "boundary"

const squareMetresPerHectare = 10_000

// NewBoundary normalises a geometry in degrees and checks it: rings are closed, repeated positions
// and spikes dropped, outer rings wound counter-clockwise and holes clockwise (RFC 7946, section
// 3.1.6). The argument is not changed. Every refusal is an Invalid fault of the field "boundary".
func NewBoundary(budget *effort.Budget, m MultiPolygon, limits Limits) (Boundary, error) {
	out, err := soundBoundary(budget, m, limits)
	if err != nil {
		return Boundary{}, unsound{err, m}
	}
	return out, nil
}

// unsound is the refusal of a geometry together with the geometry, which can thus still be shown.
type unsound struct {
	error
	geometry MultiPolygon
}

func (u unsound) Unwrap() error { return u.error }

// Unsound returns the geometry that NewBoundary refused with an error; nil for any other error.
func Unsound(err error) MultiPolygon {
	var u unsound
	errors.As(err, &u)
	return u.geometry
}

func soundBoundary(budget *effort.Budget, m MultiPolygon, limits Limits) (Boundary, error) {
	geometry, err := normalise(m, limits)
	if err != nil {
		return Boundary{}, err
	}
	if err := checkExtent(geometry); err != nil {
		return Boundary{}, err
	}
	if err := checkTopology(budget, geometry); err != nil {
		return Boundary{}, err
	}
	wind(geometry)
	b := RestoreBoundary(geometry, Measures{})
	b.measures = measure(geometry)
	if err := limits.checkArea(b.measures.AreaHa); err != nil {
		return Boundary{}, err
	}
	b.measures.Warnings = warningsOf(b.measures, limits)
	return b, nil
}

// RestoreBoundary rebuilds a boundary from trusted storage: the results of Geometry and Measures.
// Nothing is checked or recomputed, so that a record keeps its area when the rules change.
func RestoreBoundary(geometry MultiPolygon, measures Measures) Boundary {
	b := Boundary{geometry: geometry, measures: measures, bounds: geometry.Bounds()}
	for _, ring := range geometry.Rings() {
		b.vertices += max(0, len(ring)-1)
	}
	return b
}

// Geometry returns the normalised geometry. Callers must not change it.
func (b Boundary) Geometry() MultiPolygon { return b.geometry }

// AreaHa returns the area on the ellipsoid in hectares, not rounded.
func (b Boundary) AreaHa() float64 { return b.measures.AreaHa }

// PerimeterM returns the geodesic length of all rings in metres.
func (b Boundary) PerimeterM() float64 { return b.measures.PerimeterM }

// Centroid returns the area's centre in degrees. It may lie outside a bent field.
func (b Boundary) Centroid() Position { return b.measures.Centroid }

// Bounds returns the bounding box in degrees.
func (b Boundary) Bounds() Box { return b.bounds }

// Vertices returns the number of vertices over all rings, closing positions not counted.
func (b Boundary) Vertices() int { return b.vertices }

// Warnings returns the doubts, in a fixed order.
func (b Boundary) Warnings() []Warning { return slices.Clone(b.measures.Warnings) }

// Measures returns the figures for storage.
func (b Boundary) Measures() Measures {
	m := b.measures
	m.Warnings = slices.Clone(m.Warnings)
	return m
}

// IsZero reports whether this is the zero Boundary, which holds no geometry.
func (b Boundary) IsZero() bool { return len(b.geometry) == 0 }

// RoundHa rounds hectares to the four decimals (a square metre) that are displayed.
func RoundHa(ha float64) float64 { return math.Round(ha*1e4) / 1e4 }

// AreaM2 returns the area on the WGS84 ellipsoid in m². Edges are geodesics, parts disjoint.
func AreaM2(m MultiPolygon) float64 { return m.area(ringArea) }

// area sums the areas of the rings; holes are subtracted whatever their winding.
func (m MultiPolygon) area(of func(Ring) float64) (total float64) {
	for i, ring := range m.Rings() {
		if area := math.Abs(of(ring)); i == 0 {
			total += area
		} else {
			total -= area
		}
	}
	return total
}

func measure(m MultiPolygon) Measures {
	out := Measures{AreaHa: AreaM2(m) / squareMetresPerHectare, Centroid: m.Centroid()}
	for a, b := range m.Edges() {
		out.PerimeterM += Distance(a, b)
	}
	return out
}

// Centroid returns the centre of gravity in the plane of the coordinates; it may lie outside a bent
// field. In degrees, the shrinking of a degree of longitude moves it by less than a thousandth of
// the field's size. Coordinates are taken relative to the first vertex: the moments of a small
// field far from the origin would cancel. The geometry is not empty.
func (m MultiPolygon) Centroid() Position {
	origin := m[0][0][0]
	var area, mx, my float64
	for a, b := range m.Edges() {
		ax, ay := a.X-origin.X, a.Y-origin.Y
		bx, by := b.X-origin.X, b.Y-origin.Y
		cross := differenceOfProducts(ax, by, bx, ay)
		area += cross
		mx += (ax + bx) * cross
		my += (ay + by) * cross
	}
	if area == 0 {
		return origin
	}
	return Position{X: origin.X + mx/(3*area), Y: origin.Y + my/(3*area)}
}

func (l Limits) checkArea(ha float64) error {
	if m2 := ha * squareMetresPerHectare; m2 < l.MinAreaM2 {
		return refuse("The area is %.3g m²; a field must have at least %g m².", m2, l.MinAreaM2)
	}
	if ha > l.MaxAreaHa {
		return refuse("The area is %.1f ha; a field may have at most %g ha.", ha, l.MaxAreaHa)
	}
	return nil
}

func warningsOf(m Measures, limits Limits) []Warning {
	var out []Warning
	if m.AreaHa < limits.SliverHa {
		out = append(out, Warning{WarnSliver, fmt.Sprintf(
			"The boundary encloses only %.4f ha; it may be a sliver left over from drawing.", m.AreaHa)})
	}
	if c := m.Centroid; neverFarmed(c) && !neverFarmed(Position{X: c.Y, Y: c.X}) {
		out = append(out, Warning{WarnAxisSwap, fmt.Sprintf(
			"The boundary lies at longitude %.4f, latitude %.4f, where nothing is grown; "+
				"longitude comes first, and the two may have been swapped.", c.X, c.Y)})
	}
	return out
}

// neverFarmed reports whether a position certainly has no farmland: poleward of 72° north (the
// northernmost fields are near 70° in Norway) or of 56° south (the tip of South America), or south
// of 40° south outside the longitudes of South America, Tasmania and New Zealand (with the
// Chathams). The other oceans do not count: a false warning costs more trust than a missed one.
func neverFarmed(p Position) bool {
	switch {
	case p.Y > 72 || p.Y < -56:
		return true
	case p.Y >= -40:
		return false
	}
	america := p.X >= -77 && p.X <= -57
	australasia := p.X >= 143 || p.X <= -175
	return !america && !australasia
}

// AuditValue returns the figures for the audit trail; the boundary history keeps the outline.
func (b Boundary) AuditValue() any {
	box := b.Bounds()
	return map[string]any{
		"area_ha": RoundHa(b.AreaHa()), "vertices": int64(b.Vertices()),
		"bbox": []any{box.MinX, box.MinY, box.MaxX, box.MaxY},
	}
}

// refuse returns the Invalid fault of this package: one message for the field "boundary".
func refuse(format string, args ...any) error {
	return fault.Field(BoundaryField, fmt.Sprintf(format, args...))
}
