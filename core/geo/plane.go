package geo

import (
	"math"

	"tilth/core/fault"
)

// Plane is a projection that rasters may be in.
type Plane interface {
	// Forward projects longitude, latitude (degrees) to easting, northing (metres).
	Forward(lonlat Position) Position
	// Inverse is the inverse of Forward.
	Inverse(en Position) Position
	// Project projects every vertex; edges become straight lines of the projection.
	Project(m MultiPolygon) MultiPolygon
	// Unproject is the inverse of Project.
	Unproject(m MultiPolygon) MultiPolygon
}

// grids are the families of UTM zones on other datums than WGS84: codes base + first to base + last.
// Their ellipsoid, GRS80, differs by a tenth of a millimetre; the datums count as equal, as in PROJ's
// default transformations: they lie within 2 m of WGS84 (GDA94 1.8 m, ETRS89 0.8 m in 2020).
var grids = []struct {
	base, first, last int
	south             bool
}{
	{25800, 28, 38, false}, // ETRS89
	{26900, 1, 23, false},  // NAD83
	{28300, 48, 58, true},  // GDA94, MGA
	{7800, 46, 59, true},   // GDA2020, MGA
}

// laeaEurope is EPSG:3035.
const laeaEurope = 3035

// NewPlane returns the projection of an EPSG code: UTM zones of WGS84, ETRS89, NAD83, GDA94 and
// GDA2020, LAEA Europe (3035), the British National Grid (27700) and the Dutch RD New (28992). Any other code is an Invalid fault that names it.
func NewPlane(epsg int) (Plane, error) {
	switch epsg {
	case laeaEurope:
		return laea{}, nil
	case britishGrid:
		return british{}, nil
	case dutchGrid:
		return dutch{}, nil
	}
	for _, g := range grids {
		zone := epsg - g.base
		if zone < g.first || zone > g.last {
			continue
		}
		base := utmNorthBase
		if g.south {
			base = utmSouthBase
		}
		return NewUTM(base + zone)
	}
	u, err := NewUTM(epsg)
	if err != nil {
		return nil, fault.Newf(fault.Invalid, "unsupported_crs",
			"The coordinate system is EPSG:%d; rasters are read in UTM zones of WGS84, ETRS89, NAD83, GDA94 and GDA2020, and in EPSG:3035, 27700 and 28992.", epsg)
	}
	return u, nil
}

// laea is Lambert's azimuthal equal-area projection as LAEA Europe defines it: Snyder (1987),
// equations 24-2 to 24-29, ellipsoid.
type laea struct{}

const (
	laeaLon, laeaLat = 10.0, 52.0 // degrees, of the origin
	laeaEasting      = 4_321_000.0
	laeaNorthing     = 3_210_000.0
)

// The constants of the origin.
var (
	laeaRadius = math.Sqrt(authalicR2)
	laeaBeta   = authalicLatitude(radians(laeaLat))
	laeaD      = wgs84A * math.Cos(radians(laeaLat)) / math.Sqrt(1-wgs84E2*math.Pow(math.Sin(radians(laeaLat)), 2)) /
		(laeaRadius * math.Cos(laeaBeta))
)

// authalicLatitude returns β of a geodetic latitude, radians (Snyder, equations 3-11 and 3-12).
func authalicLatitude(lat float64) float64 { return 2 * math.Atan(authalicHalfTan(lat)) }

func (laea) Forward(lonlat Position) Position {
	sinB, cosB := math.Sincos(authalicLatitude(radians(lonlat.Y)))
	sin0, cos0 := math.Sincos(laeaBeta)
	sinL, cosL := math.Sincos(radians(math.Remainder(lonlat.X-laeaLon, 360)))
	b := laeaRadius * math.Sqrt(2/(1+sin0*sinB+cos0*cosB*cosL))
	return Position{X: laeaEasting + b*laeaD*cosB*sinL, Y: laeaNorthing + b/laeaD*(cos0*sinB-sin0*cosB*cosL)}
}

func (laea) Inverse(en Position) Position {
	x, y := (en.X-laeaEasting)/laeaD, (en.Y-laeaNorthing)*laeaD
	rho := math.Hypot(x, y)
	if rho == 0 {
		return Position{X: laeaLon, Y: laeaLat}
	}
	sin0, cos0 := math.Sincos(laeaBeta)
	sinC, cosC := math.Sincos(2 * math.Asin(min(1, rho/(2*laeaRadius))))
	beta := math.Asin(cosC*sin0 + y*sinC*cos0/rho)
	lat := beta
	for range 8 { // Newton's method on β(φ) = β, whose slope is about 1
		lat -= authalicLatitude(lat) - beta
	}
	return Position{X: laeaLon + degrees(math.Atan2(x*sinC, rho*cos0*cosC-y*sin0*sinC)), Y: degrees(lat)}
}

func (l laea) Project(m MultiPolygon) MultiPolygon { return m.mapped(l.Forward) }

// Unproject implements Plane.
func (l laea) Unproject(m MultiPolygon) MultiPolygon { return m.mapped(l.Inverse) }
