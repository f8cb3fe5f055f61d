package frame

import (
	"math"

	"tilth/core/effort"
	"tilth/core/geo"
)

// DegreeDecimals are the decimals of a longitude or latitude: a centimetre.
const DegreeDecimals = 7

// RoundedOutline returns an outline in rounded degrees, cut in two at the antimeridian; nil where the frame has no
// EPSG. The error is the budget's, or that of an outline that cannot be cut.
func (f *Frame) RoundedOutline(budget *effort.Budget, outline geo.MultiPolygon) (geo.MultiPolygon, error) {
	if f.EPSG == 0 {
		return nil, nil
	}
	whole, err := f.utm().Unproject(outline).OnGlobe(budget)
	return whole.Rounded(DegreeDecimals), err
}

// Hectares returns the area on the ellipsoid, or in the plane where the frame has no EPSG.
func (f *Frame) Hectares(m geo.MultiPolygon) float64 {
	if f.EPSG == 0 {
		return m.PlanarArea() / M2PerHectare
	}
	return geo.AreaM2(f.utm().Unproject(m)) / M2PerHectare
}

// utm returns the projection of a frame that has one.
func (f *Frame) utm() geo.UTM {
	u, err := geo.NewUTM(f.EPSG)
	if err != nil {
		panic(err) // the frame was made with it
	}
	return u
}

// LonLat returns longitude and latitude of a place; false where the frame has no EPSG.
func (f *Frame) LonLat(p geo.Position) (geo.Position, bool) {
	if f.EPSG == 0 {
		return geo.Position{}, false
	}
	at := f.utm().Inverse(p)
	return geo.Position{X: geo.Turned(at.X, 0), Y: at.Y}, true
}

// FromLonLat is the inverse of LonLat.
func (f *Frame) FromLonLat(lonlat geo.Position) (geo.Position, bool) {
	if f.EPSG == 0 {
		return geo.Position{}, false
	}
	return f.utm().Forward(lonlat), true
}

// RoundedLonLat is LonLat with DegreeDecimals; nil where the frame has no EPSG.
func (f *Frame) RoundedLonLat(p geo.Position) *geo.Position {
	at, ok := f.LonLat(p)
	if !ok {
		return nil
	}
	scale := math.Pow10(DegreeDecimals)
	return &geo.Position{X: math.Round(at.X*scale) / scale, Y: math.Round(at.Y*scale) / scale}
}
