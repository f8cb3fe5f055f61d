package geo

import (
	"fmt"
	"math"

	"tilth/core/fault"
)

// UTM is one zone of the Universal Transverse Mercator projection on WGS84, created by NewUTM. It
// is a small value, safe to copy and for concurrent use.
type UTM struct {
	epsg            int
	centralMeridian float64 // degrees
	falseNorthing   float64 // metres
}

// The defining constants of UTM (EPSG method 9807, zones 326zz and 327zz).
const (
	utmScale         = 0.9996
	utmFalseEasting  = 500_000.0
	utmFalseNorthing = 10_000_000.0 // southern hemisphere only
	utmNorthBase     = 32600
	utmSouthBase     = 32700
)

// NewUTM returns the projection of an EPSG code: 32601 to 32660 (north) and 32701 to
// 32760 (south). Any other code is an Invalid fault.
func NewUTM(epsg int) (UTM, error) {
	base, northing := utmNorthBase, 0.0
	if epsg > utmSouthBase {
		base, northing = utmSouthBase, utmFalseNorthing
	}
	zone := epsg - base
	if zone < 1 || zone > 60 {
		return UTM{}, fault.Newf(fault.Invalid, "unsupported_crs",
			"EPSG:%d is not a WGS84 UTM zone (EPSG:32601 to 32660 or 32701 to 32760).", epsg)
	}
	return UTM{epsg: epsg, centralMeridian: float64(6*zone - 183), falseNorthing: northing}, nil
}

// UTMZoneEPSG returns the EPSG code of the zone of a position (degrees) by the plain six degree
// rule, without the Norwegian and Svalbard exceptions of the military grid. 0 is north.
func UTMZoneEPSG(lonlat Position) int {
	lon := math.Mod(lonlat.X+180, 360)
	if lon < 0 {
		lon += 360
	}
	zone := min(int(lon/6)+1, 60)
	if lonlat.Y < 0 {
		return utmSouthBase + zone
	}
	return utmNorthBase + zone
}

// EPSG returns the code of the projection.
func (u UTM) EPSG() int { return u.epsg }

// String names the projection in messages.
func (u UTM) String() string { return fmt.Sprintf("EPSG:%d", u.epsg) }

// Forward projects longitude, latitude (degrees) to easting, northing (metres), as transverse.
func (u UTM) Forward(lonlat Position) Position {
	east, north := wgs84.transverse(radians(math.Remainder(lonlat.X-u.centralMeridian, 360)), radians(lonlat.Y))
	return Position{X: utmFalseEasting + utmScale*east, Y: u.falseNorthing + utmScale*north}
}

// Inverse turns easting, northing (metres) into longitude, latitude (degrees). The longitude may
// leave [-180, 180] a little.
func (u UTM) Inverse(en Position) Position {
	lambda, lat := wgs84.fromTransverse((en.X-utmFalseEasting)/utmScale, (en.Y-u.falseNorthing)/utmScale)
	return Position{X: u.centralMeridian + degrees(lambda), Y: degrees(lat)}
}

// Project projects every vertex; edges become straight lines of the projection, as in raster tools.
func (u UTM) Project(m MultiPolygon) MultiPolygon { return m.mapped(u.Forward) }

// Unproject is the inverse of Project.
func (u UTM) Unproject(m MultiPolygon) MultiPolygon { return m.mapped(u.Inverse) }
