package geo

import "math"

// The EPSG codes of national grids on datums of their own.
const (
	britishGrid = 27700 // OSGB36, British National Grid
	dutchGrid   = 28992 // Amersfoort, RD New
)

// datum is a spheroid with its place relative to WGS84: seven parameters of Helmert's
// transformation (EPSG methods 9606 and 9607), for points on the surface.
type datum struct {
	*spheroid
	shift [3]float64 // metres, from the datum to WGS84
	turn  [3]float64 // radians, of the position vector
	scale float64    // minus 1
}

const arcSecond = math.Pi / (180 * 3600)

// The published parameters. They are those of a whole country; the deviations of its network from them are in
// correction grids, which Tilth does without: up to 5 m in Great Britain (Ordnance Survey, "A guide to coordinate
// systems in Great Britain", 2020, section 6.6; mostly 2 m: EPSG 1314), 0.25 m in the Netherlands (Lesparre, Huisman
// and Alberts, "RDNAPTRANS2018", 2019; EPSG 15934).
var (
	osgb36 = datum{
		airy, [3]float64{446.448, -125.157, 542.06},
		[3]float64{0.15 * arcSecond, 0.247 * arcSecond, 0.842 * arcSecond}, -20.489e-6,
	}
	amersfoort = datum{
		bessel, [3]float64{565.4171, 50.3319, 465.5524},
		[3]float64{-1.9342e-6, 1.6677e-6, -9.1019e-6}, 4.0725e-6,
	}
)

// toWGS84 returns longitude, latitude (degrees) on WGS84 of those on the datum.
func (d datum) toWGS84(lonlat Position) Position {
	return wgs84.below(d.moved(d.geocentric(lonlat)))
}

// fromWGS84 is the inverse of toWGS84, to a tenth of a millimetre: the height is that of the surface
// on either side.
func (d datum) fromWGS84(lonlat Position) Position {
	target := wgs84.geocentric(lonlat)
	at := target
	for range 4 { // the transformation is nearly a shift
		got := d.moved(at)
		for i := range at {
			at[i] += target[i] - got[i]
		}
	}
	return d.below(at)
}

// moved applies Helmert's transformation with the small angles of the position vector.
func (d datum) moved(p [3]float64) [3]float64 {
	m, r := 1+d.scale, d.turn
	return [3]float64{
		d.shift[0] + m*(p[0]-r[2]*p[1]+r[1]*p[2]),
		d.shift[1] + m*(r[2]*p[0]+p[1]-r[0]*p[2]),
		d.shift[2] + m*(-r[1]*p[0]+r[0]*p[1]+p[2]),
	}
}

// below returns longitude, latitude (degrees) of the foot of a point near the surface.
func (s *spheroid) below(p [3]float64) Position {
	return Position{X: degrees(math.Atan2(p[1], p[0])), Y: degrees(s.footLatitude(math.Hypot(p[0], p[1]), p[2]))}
}

// british is the British National Grid, a transverse Mercator (EPSG 19916).
type british struct{}

const (
	britishScale    = 0.9996012717
	britishEasting  = 400_000.0
	britishNorthing = -100_000.0
	britishMeridian = -2.0 // degrees
	britishParallel = 49.0
)

// britishOrigin is how far north of the equator the grid's origin lies, metres.
var _, britishOrigin = airy.transverse(0, radians(britishParallel))

func (british) Forward(lonlat Position) Position {
	at := osgb36.fromWGS84(lonlat)
	east, north := airy.transverse(radians(at.X-britishMeridian), radians(at.Y))
	return Position{X: britishEasting + britishScale*east, Y: britishNorthing + britishScale*(north-britishOrigin)}
}

func (british) Inverse(en Position) Position {
	lambda, lat := airy.fromTransverse((en.X-britishEasting)/britishScale, (en.Y-britishNorthing)/britishScale+britishOrigin)
	return osgb36.toWGS84(Position{X: britishMeridian + degrees(lambda), Y: degrees(lat)})
}

func (b british) Project(m MultiPolygon) MultiPolygon { return m.mapped(b.Forward) }

// Unproject implements Plane.
func (b british) Unproject(m MultiPolygon) MultiPolygon { return m.mapped(b.Inverse) }

// dutch is RD New, a double (oblique) stereographic projection (EPSG 19914): the ellipsoid is mapped
// conformally to a sphere, and this to the plane. EPSG method 9809: IOGP, "Geomatics Guidance Note
// 7, part 2".
type dutch struct{}

const (
	dutchScale    = 0.9999079
	dutchEasting  = 155_000.0
	dutchNorthing = 463_000.0
	dutchMeridian = 5 + 23/60.0 + 15.5/3600 // degrees, of Amersfoort
	dutchParallel = 52 + 9/60.0 + 22.178/3600
)

// dutchSphere is the conformal sphere at Amersfoort.
var dutchSphere = newConformalSphere(bessel, radians(dutchParallel))

// conformalSphere maps an ellipsoid to a sphere: its longitudes are n times the ellipsoid's, and
// its isometric latitudes ln c / 2 + n times the ellipsoid's.
type conformalSphere struct {
	radius, n, shift float64
	sin, cos         float64 // of the latitude of the origin on the sphere
}

func newConformalSphere(s *spheroid, lat float64) conformalSphere {
	sin, cos := math.Sincos(lat)
	w2 := 1 - s.e2*sin*sin
	out := conformalSphere{
		radius: s.a * math.Sqrt(1-s.e2) / w2, // the mean of the radii of curvature
		n:      math.Sqrt(1 + s.e2*cos*cos*cos*cos/(1-s.e2)),
	}
	out.sin = sin / out.n // which keeps the scale 1 at the origin to the second order
	out.cos = math.Sqrt(1 - out.sin*out.sin)
	out.shift = math.Atanh(out.sin) - out.n*math.Asinh(s.conformalTan(sin/cos))
	return out
}

func (dutch) Forward(lonlat Position) Position {
	at, sphere := amersfoort.fromWGS84(lonlat), dutchSphere
	isometric := sphere.n*math.Asinh(bessel.conformalTan(math.Tan(radians(at.Y)))) + sphere.shift
	sin, cos := math.Tanh(isometric), 1/math.Cosh(isometric)
	sinL, cosL := math.Sincos(sphere.n * radians(at.X-dutchMeridian))
	k := 2 * sphere.radius * dutchScale / (1 + sin*sphere.sin + cos*sphere.cos*cosL)
	return Position{X: dutchEasting + k*cos*sinL, Y: dutchNorthing + k*(sin*sphere.cos-cos*sphere.sin*cosL)}
}

func (dutch) Inverse(en Position) Position {
	sphere := dutchSphere
	x, y := en.X-dutchEasting, en.Y-dutchNorthing
	lat, lambda := math.Asin(sphere.sin), 0.0
	if rho := math.Hypot(x, y); rho > 0 {
		sinC, cosC := math.Sincos(2 * math.Atan(rho/(2*sphere.radius*dutchScale)))
		lat = math.Asin(cosC*sphere.sin + y*sinC*sphere.cos/rho)
		lambda = math.Atan2(x*sinC, rho*sphere.cos*cosC-y*sphere.sin*sinC)
	}
	isometric := (math.Atanh(math.Sin(lat)) - sphere.shift) / sphere.n
	return amersfoort.toWGS84(Position{
		X: dutchMeridian + degrees(lambda/sphere.n), Y: degrees(math.Atan(bessel.geodeticTan(math.Sinh(isometric)))),
	})
}

func (d dutch) Project(m MultiPolygon) MultiPolygon { return m.mapped(d.Forward) }

// Unproject implements Plane.
func (d dutch) Unproject(m MultiPolygon) MultiPolygon { return m.mapped(d.Inverse) }
