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

// Forward projects longitude, latitude (degrees) to easting, northing (metres) by Krüger's series
// in the third flattening to sixth order, in the form of Karney, "Transverse Mercator with an
// accuracy of a few nanometers", Journal of Geodesy 85 (2011), equations 7 to 11, coefficients of
// equation 35. Within 40 degrees of the central meridian it errs by less than 0.01 µm.
func (u UTM) Forward(lonlat Position) Position {
	lambda := radians(math.Remainder(lonlat.X-u.centralMeridian, 360))
	tau := conformalTan(math.Tan(radians(lonlat.Y)))
	sinL, cosL := math.Sincos(lambda)
	xi := math.Atan2(tau, cosL)
	eta := math.Asinh(sinL / math.Hypot(tau, cosL))
	dXi, dEta := sineSeries(&kruegerAlpha, xi, eta)
	return Position{
		X: utmFalseEasting + utmScale*rectifyingRadius*(eta+dEta),
		Y: u.falseNorthing + utmScale*rectifyingRadius*(xi+dXi),
	}
}

// Inverse turns easting, northing (metres) into longitude, latitude (degrees); Karney (2011),
// equations 12 to 21, coefficients of equation 36. The longitude may leave [-180, 180] a little.
func (u UTM) Inverse(en Position) Position {
	xi := (en.Y - u.falseNorthing) / (utmScale * rectifyingRadius)
	eta := (en.X - utmFalseEasting) / (utmScale * rectifyingRadius)
	dXi, dEta := sineSeries(&kruegerBeta, xi, eta)
	xi, eta = xi-dXi, eta-dEta
	sinXi, cosXi := math.Sincos(xi)
	sinhEta := math.Sinh(eta)
	tau := geodeticTan(sinXi / math.Hypot(sinhEta, cosXi))
	return Position{
		X: u.centralMeridian + degrees(math.Atan2(sinhEta, cosXi)),
		Y: degrees(math.Atan(tau)),
	}
}

// Project projects every vertex; edges become straight lines of the projection, as in raster tools.
func (u UTM) Project(m MultiPolygon) MultiPolygon { return m.mapped(u.Forward) }

// Unproject is the inverse of Project.
func (u UTM) Unproject(m MultiPolygon) MultiPolygon { return m.mapped(u.Inverse) }

// conformalTan turns the tangent of a geodetic latitude into a conformal one's; Karney, equations 7, 9.
func conformalTan(tau float64) float64 {
	sigma := math.Sinh(wgs84E * math.Atanh(wgs84E*tau/math.Hypot(1, tau)))
	return tau*math.Hypot(1, sigma) - sigma*math.Hypot(1, tau)
}

// geodeticTan inverts conformalTan by Newton's method; Karney (2011), equations 19 to 21.
func geodeticTan(target float64) float64 {
	tau := target / (1 - wgs84E2)
	for range 5 {
		got := conformalTan(tau)
		step := (target - got) / math.Hypot(1, got) *
			(1 + (1-wgs84E2)*tau*tau) / ((1 - wgs84E2) * math.Hypot(1, tau))
		tau += step
		if math.Abs(step) <= 1e-16*math.Max(1, math.Abs(tau)) {
			break
		}
	}
	return tau
}

// sineSeries sums c[j]·sin(2jξ)cosh(2jη) and c[j]·cos(2jξ)sinh(2jη) over j = 1…6.
func sineSeries(c *[6]float64, xi, eta float64) (dXi, dEta float64) {
	for i := len(c) - 1; i >= 0; i-- { // the smallest terms first
		k := 2 * float64(i+1)
		sin, cos := math.Sincos(k * xi)
		dXi += c[i] * sin * math.Cosh(k*eta)
		dEta += c[i] * cos * math.Sinh(k*eta)
	}
	return dXi, dEta
}

// The series' constants for WGS84; n is the third flattening.
var (
	rectifyingRadius = wgs84A / (1 + wgs84N) * polynomial(wgs84N, 1, 0, 1./4, 0, 1./64, 0, 1./256)

	kruegerAlpha = [6]float64{
		polynomial(wgs84N, 0, 1./2, -2./3, 5./16, 41./180, -127./288, 7891./37800),
		polynomial(wgs84N, 0, 0, 13./48, -3./5, 557./1440, 281./630, -1983433./1935360),
		polynomial(wgs84N, 0, 0, 0, 61./240, -103./140, 15061./26880, 167603./181440),
		polynomial(wgs84N, 0, 0, 0, 0, 49561./161280, -179./168, 6601661./7257600),
		polynomial(wgs84N, 0, 0, 0, 0, 0, 34729./80640, -3418889./1995840),
		polynomial(wgs84N, 0, 0, 0, 0, 0, 0, 212378941./319334400),
	}

	kruegerBeta = [6]float64{
		polynomial(wgs84N, 0, 1./2, -2./3, 37./96, -1./360, -81./512, 96199./604800),
		polynomial(wgs84N, 0, 0, 1./48, 1./15, -437./1440, 46./105, -1118711./3870720),
		polynomial(wgs84N, 0, 0, 0, 17./480, -37./840, -209./4480, 5569./90720),
		polynomial(wgs84N, 0, 0, 0, 0, 4397./161280, -11./504, -830251./7257600),
		polynomial(wgs84N, 0, 0, 0, 0, 0, 4583./161280, -108847./3991680),
		polynomial(wgs84N, 0, 0, 0, 0, 0, 0, 20648693./638668800),
	}
)

// polynomial evaluates c[0] + c[1]x + c[2]x² + … by Horner's rule.
func polynomial(x float64, c ...float64) float64 {
	sum := 0.0
	for i := len(c) - 1; i >= 0; i-- {
		sum = sum*x + c[i]
	}
	return sum
}
