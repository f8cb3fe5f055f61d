package geo

import "math"

// FromWebMercator turns easting, northing (metres) of Web Mercator (EPSG:3857) back to
// longitude, latitude (degrees). The projection treats the ellipsoid's coordinates as
// those of a sphere of its semi-major axis (EPSG method 1024).
func FromWebMercator(en Position) Position {
	return Position{X: degrees(en.X / wgs84A), Y: degrees(math.Atan(math.Sinh(en.Y / wgs84A)))}
}
