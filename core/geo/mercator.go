package geo

import "math"

// FromWebMercator turns easting, northing (metres) of Web Mercator (EPSG:3857) into longitude,
// latitude (degrees). The projection treats the ellipsoid's coordinates as those of a sphere of its
// semi-major axis (EPSG method 1024).
func FromWebMercator(en Position) Position {
	return Position{X: degrees(en.X / wgs84A), Y: degrees(math.Atan(math.Sinh(en.Y / wgs84A)))}
}

// ToWebMercator is the inverse of FromWebMercator.
func ToWebMercator(lonlat Position) Position {
	return Position{X: wgs84A * radians(lonlat.X), Y: wgs84A * math.Asinh(math.Tan(radians(lonlat.Y)))}
}
