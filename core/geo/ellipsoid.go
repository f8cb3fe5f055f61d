package geo

import "math"

// The WGS84 ellipsoid (NIMA TR8350.2, table 3.1) and what follows from it.
const (
	wgs84A  = 6_378_137.0           // semi-major axis, metres
	wgs84F  = 1 / 298.257223563     // flattening
	wgs84E2 = wgs84F * (2 - wgs84F) // first eccentricity squared
)

var (
	wgs84E = math.Sqrt(wgs84E2)
	// polarQ is q of the pole in Snyder, "Map Projections: A Working Manual", USGS Professional
	// Paper 1395 (1987), equation 3-12.
	polarQ = 1 + (1-wgs84E2)/wgs84E*math.Atanh(wgs84E)
	// authalicR2 is the squared radius, m², of the sphere of the same area (Snyder, equation 3-13).
	authalicR2 = wgs84A * wgs84A * polarQ / 2
)

// longestPiece is the longest piece, in metres, that is measured at once; longer edges are halved
// along the geodesic. At 20 km the great circle of the authalic sphere deviates from the geodesic
// by at most about 350 m² an edge, and the chord series of chordArc is exact to a few nanometres.
const longestPiece = 20_000.0

// maxHalvings bounds the halvings of one edge: 2^11 pieces of 20 km go round the globe.
const maxHalvings = 11

// Distance returns the length in metres of the geodesic between two positions (degrees) on the
// WGS84 ellipsoid, to better than a millimetre up to a few hundred kilometres. For nearly antipodal
// positions, which have no unique shortest line, it is the length of a nearly shortest one.
func Distance(a, b Position) float64 {
	total := 0.0
	eachPiece(toSurface(a), toSurface(b), maxHalvings, func(p, q surfacePoint) {
		total += chordArc(p, q)
	})
	return total
}

// surfacePoint is a position on the ellipsoid in the two forms that measuring needs.
type surfacePoint struct {
	lon, lat float64    // radians
	xyz      [3]float64 // geocentric, metres
}

func toSurface(p Position) surfacePoint {
	return surfacePoint{lon: radians(p.X), lat: radians(p.Y), xyz: wgs84.geocentric(p)}
}

// eachPiece visits pieces of a geodesic in order, up to longestPiece long while halvings are left.
func eachPiece(a, b surfacePoint, halvings int, visit func(p, q surfacePoint)) {
	if halvings == 0 || chord(a, b) <= longestPiece {
		visit(a, b)
		return
	}
	mid := midpoint(a, b)
	eachPiece(a, mid, halvings-1, visit)
	eachPiece(mid, b, halvings-1, visit)
}

// midpoint projects the middle of the chord onto the ellipsoid along the normal. The normal
// section, on which it lies, deviates from the geodesic by some centimetres at 200 km.
func midpoint(a, b surfacePoint) surfacePoint {
	var m [3]float64
	for i := range m {
		m[i] = (a.xyz[i] + b.xyz[i]) / 2
	}
	lat := wgs84.footLatitude(math.Hypot(m[0], m[1]), m[2])
	// The longitude is relative to that of a, so that a piece never jumps by 360°.
	sin, cos := math.Sincos(a.lon)
	turn := math.Atan2(m[1]*cos-m[0]*sin, m[0]*cos+m[1]*sin)
	return toSurface(Position{X: degrees(a.lon + turn), Y: degrees(lat)})
}

func chord(a, b surfacePoint) float64 {
	dx, dy, dz := b.xyz[0]-a.xyz[0], b.xyz[1]-a.xyz[1], b.xyz[2]-a.xyz[2]
	return math.Sqrt(dx*dx + dy*dy + dz*dz)
}

// chordArc returns the geodesic length of a short piece from its chord c: for a circle of radius R,
// s = 2R·asin(c/2R). R is the radius of the normal section in the direction of the piece at its
// middle (Euler's formula; Rapp, "Geometric Geodesy, part I", Ohio State University 1991, section
// 3.6).
func chordArc(a, b surfacePoint) float64 {
	c := chord(a, b)
	if c == 0 {
		return 0
	}
	lat := (a.lat + b.lat) / 2
	sin, cos := math.Sincos(lat)
	w2 := 1 - wgs84E2*sin*sin
	prime := wgs84A / math.Sqrt(w2)        // radius in the prime vertical
	meridian := prime * (1 - wgs84E2) / w2 // radius in the meridian
	north := meridian * (b.lat - a.lat)
	east := prime * cos * math.Remainder(b.lon-a.lon, 2*math.Pi)
	cos2 := north * north / (north*north + east*east)
	radius := 1 / (cos2/meridian + (1-cos2)/prime)
	return 2 * radius * math.Asin(min(1, c/(2*radius)))
}

// ringArea returns the signed area in m² that a closed ring of geodesics encloses on the ellipsoid,
// counter-clockwise positive. The ring must not go round a pole.
//
// Every latitude is mapped to the authalic sphere, which preserves areas, and the strips between
// the edges (great circles there) and the equator are summed with exact differences of longitude.
// Cancellation costs about 1e-9 m² for a ring of a metre and 1e-5 m² for one of 10 km.
func ringArea(ring Ring) float64 {
	total := 0.0
	for i := 1; i < len(ring); i++ {
		eachPiece(toSurface(ring[i-1]), toSurface(ring[i]), maxHalvings, func(p, q surfacePoint) {
			total -= stripExcess(p, q)
		})
	}
	return total * authalicR2
}

// stripExcess returns the spherical excess of the quadrangle between a great circle arc
// of the authalic sphere and the equator, signed by the direction of travel:
// tan(E/2) = tan(Δλ/2)·(t₁+t₂)/(1+t₁t₂) with t = tan(β/2); Bessel (1825) in Karney,
// "Algorithms for geodesics", Journal of Geodesy 87 (2013), equation 69.
func stripExcess(p, q surfacePoint) float64 {
	t1, t2 := authalicHalfTan(p.lat), authalicHalfTan(q.lat)
	return 2 * math.Atan(math.Tan((q.lon-p.lon)/2)*(t1+t2)/(1+t1*t2))
}

// authalicHalfTan returns tan(β/2) of the authalic latitude β of a geodetic latitude: sin β =
// q(φ)/q(90°) (Snyder, equations 3-11 and 3-12). The difference of sin β to 1 is computed
// separately, because near the poles cos β would otherwise be lost.
func authalicHalfTan(lat float64) float64 {
	x := math.Sin(math.Abs(lat))
	half := math.Sin((math.Pi/2 - math.Abs(lat)) / 2)
	u := 2 * half * half // 1 − sin φ
	w := 1 - wgs84E2*x*x
	gap := (u*(1+wgs84E2*x)/w + (1-wgs84E2)/wgs84E*math.Atanh(wgs84E*u/(1-wgs84E2*x))) / polarQ
	sinBeta := 1 - gap
	t := sinBeta / (1 + math.Sqrt(gap*(2-gap)))
	return math.Copysign(t, lat)
}

func radians(degrees float64) float64 { return degrees * (math.Pi / 180) }

func degrees(radians float64) float64 { return radians * (180 / math.Pi) }
