package frame

import (
	"math"

	"tilth/core/geo"
)

// DegreeDecimals are the decimals of a longitude or latitude: a centimetre.
const DegreeDecimals = 7

// RoundedOutline returns an outline in rounded degrees; nil where the frame has no EPSG.
func (f *Frame) RoundedOutline(outline geo.MultiPolygon) geo.MultiPolygon {
	if f.EPSG == 0 {
		return nil
	}
	return f.utm().Unproject(outline).Rounded(DegreeDecimals)
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
	return f.utm().Inverse(p), true
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
