package geo

import "math"

// spheroid is an ellipsoid of revolution with what projections on it need.
type spheroid struct {
	a, f, e2, e float64
	// rectifying is the radius of the sphere whose meridians are as long.
	rectifying  float64
	alpha, beta [6]float64 // Krüger's coefficients: Karney (2011), equations 35 and 36
}

func newSpheroid(a, f float64) *spheroid {
	n := f / (2 - f) // third flattening
	s := &spheroid{a: a, f: f, e2: f * (2 - f)}
	s.e = math.Sqrt(s.e2)
	s.rectifying = a / (1 + n) * polynomial(n, 1, 0, 1./4, 0, 1./64, 0, 1./256)
	s.alpha = [6]float64{
		polynomial(n, 0, 1./2, -2./3, 5./16, 41./180, -127./288, 7891./37800),
		polynomial(n, 0, 0, 13./48, -3./5, 557./1440, 281./630, -1983433./1935360),
		polynomial(n, 0, 0, 0, 61./240, -103./140, 15061./26880, 167603./181440),
		polynomial(n, 0, 0, 0, 0, 49561./161280, -179./168, 6601661./7257600),
		polynomial(n, 0, 0, 0, 0, 0, 34729./80640, -3418889./1995840),
		polynomial(n, 0, 0, 0, 0, 0, 0, 212378941./319334400),
	}
	s.beta = [6]float64{
		polynomial(n, 0, 1./2, -2./3, 37./96, -1./360, -81./512, 96199./604800),
		polynomial(n, 0, 0, 1./48, 1./15, -437./1440, 46./105, -1118711./3870720),
		polynomial(n, 0, 0, 0, 17./480, -37./840, -209./4480, 5569./90720),
		polynomial(n, 0, 0, 0, 0, 4397./161280, -11./504, -830251./7257600),
		polynomial(n, 0, 0, 0, 0, 0, 4583./161280, -108847./3991680),
		polynomial(n, 0, 0, 0, 0, 0, 0, 20648693./638668800),
	}
	return s
}

// The spheroids of the projections: that of WGS84, Airy's of 1830 and Bessel's of 1841 (EPSG 7030,
// 7001, 7004).
var (
	wgs84  = newSpheroid(wgs84A, wgs84F)
	airy   = newSpheroid(6_377_563.396, 1/299.3249646)
	bessel = newSpheroid(6_377_397.155, 1/299.1528128)
)

// transverse projects a longitude from the central meridian and a latitude (radians) to east and
// north (metres, scale 1, north from the equator) by Krüger's series in the third flattening to
// sixth order, in the form of Karney, "Transverse Mercator with an accuracy of a few nanometers",
// Journal of Geodesy 85 (2011), equations 7 to 11. Within 40 degrees of the central meridian it
// errs by less than 0.01 µm.
func (s *spheroid) transverse(lambda, lat float64) (east, north float64) {
	tau := s.conformalTan(math.Tan(lat))
	sinL, cosL := math.Sincos(lambda)
	xi := math.Atan2(tau, cosL)
	eta := math.Asinh(sinL / math.Hypot(tau, cosL))
	dXi, dEta := sineSeries(&s.alpha, xi, eta)
	return s.rectifying * (eta + dEta), s.rectifying * (xi + dXi)
}

// fromTransverse is the inverse of transverse; Karney (2011), equations 12 to 21.
func (s *spheroid) fromTransverse(east, north float64) (lambda, lat float64) {
	xi, eta := north/s.rectifying, east/s.rectifying
	dXi, dEta := sineSeries(&s.beta, xi, eta)
	xi, eta = xi-dXi, eta-dEta
	sinXi, cosXi := math.Sincos(xi)
	sinhEta := math.Sinh(eta)
	tau := s.geodeticTan(sinXi / math.Hypot(sinhEta, cosXi))
	return math.Atan2(sinhEta, cosXi), math.Atan(tau)
}

// conformalTan turns the tangent of a geodetic latitude into a conformal one's; Karney, equations 7, 9.
func (s *spheroid) conformalTan(tau float64) float64 {
	sigma := math.Sinh(s.e * math.Atanh(s.e*tau/math.Hypot(1, tau)))
	return tau*math.Hypot(1, sigma) - sigma*math.Hypot(1, tau)
}

// geodeticTan inverts conformalTan by Newton's method; Karney (2011), equations 19 to 21.
func (s *spheroid) geodeticTan(target float64) float64 {
	tau := target / (1 - s.e2)
	for range 5 {
		got := s.conformalTan(tau)
		step := (target - got) / math.Hypot(1, got) *
			(1 + (1-s.e2)*tau*tau) / ((1 - s.e2) * math.Hypot(1, tau))
		tau += step
		if math.Abs(step) <= 1e-16*math.Max(1, math.Abs(tau)) {
			break
		}
	}
	return tau
}

// sineSeries sums c[j]·sin(2jξ)cosh(2jη) and c[j]·cos(2jξ)sinh(2jη) over j = 1…6: the parts of c[j]·sin(2jζ) with ζ = ξ + iη, by
// Clenshaw's recurrence, as Karney's GeographicLib does. The conversions forbid a fused multiply-add.
func sineSeries(c *[6]float64, xi, eta float64) (dXi, dEta float64) {
	sin, cos := math.Sincos(2 * xi)
	sinh, cosh := math.Sinh(2*eta), math.Cosh(2*eta)
	re, im := 2*float64(cos*cosh), -2*float64(sin*sinh) // of 2 cos(2ζ)
	var y, before complex128
	for i := len(c) - 1; i >= 0; i-- {
		next := complex(
			c[i]+float64(re*real(y))-float64(im*imag(y))-real(before),
			float64(re*imag(y))+float64(im*real(y))-imag(before),
		)
		y, before = next, y
	}
	re, im = float64(sin*cosh), float64(cos*sinh) // of sin(2ζ)
	return float64(re*real(y)) - float64(im*imag(y)), float64(re*imag(y)) + float64(im*real(y))
}

// polynomial evaluates c[0] + c[1]x + c[2]x² + … by Horner's rule.
func polynomial(x float64, c ...float64) float64 {
	sum := 0.0
	for i := len(c) - 1; i >= 0; i-- {
		sum = sum*x + c[i]
	}
	return sum
}

// geocentric returns the point of the surface (metres) at longitude, latitude (degrees).
func (s *spheroid) geocentric(lonlat Position) [3]float64 {
	sinLat, cosLat := math.Sincos(radians(lonlat.Y))
	sinLon, cosLon := math.Sincos(radians(lonlat.X))
	n := s.a / math.Sqrt(1-s.e2*sinLat*sinLat)
	return [3]float64{n * cosLat * cosLon, n * cosLat * sinLon, n * (1 - s.e2) * sinLat}
}

// footLatitude returns the geodetic latitude of the foot of a point at the distances r from the
// axis and z from the plane of the equator: Bowring, "Transformation from spatial to geographical
// coordinates", Survey Review 23 (1976); exact to float64 after two rounds near the surface.
func (s *spheroid) footLatitude(r, z float64) float64 {
	b := s.a * (1 - s.f)
	beta := math.Atan2(z, r*(1-s.f))
	lat := 0.0
	for range 3 {
		sin, cos := math.Sincos(beta)
		lat = math.Atan2(z+s.e2/(1-s.e2)*b*sin*sin*sin, r-s.e2*s.a*cos*cos*cos)
		beta = math.Atan2((1-s.f)*math.Sin(lat), math.Cos(lat))
	}
	return lat
}
