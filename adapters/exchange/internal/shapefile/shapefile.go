// Package shapefile has the constants of the ESRI Shapefile Technical Description (1998) that its reader and its writer share.
package shapefile

// Code begins the files of shapes.
const Code = 9994

// The types of shapes.
const (
	Null     = 0
	Point    = 1
	Polygon  = 5
	PolygonZ = 15
	PolygonM = 25
)
