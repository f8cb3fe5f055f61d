package synthetic

// Classes of Sentinel-2's scene classification (ESA, Level-2A Algorithm Theoretical Basis
// Document, table of SCL codes).
const (
	sclShadow     = 3
	sclVegetation = 4
	sclBare       = 5
	sclWater      = 6
	sclMedium     = 8
	sclHigh       = 9
)

const (
	overcastEvery = 7 // passes, of which the fourth is overcast
	overcastOn    = 3
	cloudyShare   = 45 // per cent of the other days have clouds
	fewestClouds  = 2
	cloudsRange   = 4   // two to five
	smallest      = 150 // m, half an axis
	sizeRange     = 550
	fringe        = 5 // a cloud's fringe is 5/4 of its core
	fringeOf      = 4
	// At eleven the sun stands south-east: shadows fall to the north-west.
	shadowEast  = -260
	shadowNorth = 340
)

// cloud is an ellipse, in whole metres so that every machine draws the same one.
type cloud struct{ x, y, a, b int64 }

// covers reports whether a point lies in the ellipse enlarged by num/den.
func (c cloud) covers(x, y, num, den int64) bool {
	a, b := c.a*num/den, c.b*num/den
	dx, dy := x-c.x, y-c.y
	return dx*dx*b*b+dy*dy*a*a <= a*a*b*b
}

type weather struct {
	overcast bool
	clouds   []cloud
}

// forecast draws the sky of a day: overcast, clear, or clouds at places that differ each day.
func forecast(index int, seed uint64) weather {
	if index%overcastEvery == overcastOn {
		return weather{overcast: true}
	}
	draw := func(k, n int64) int64 {
		return int64(mix(seed, uint64(index)<<32|uint64(k)) % uint64(n))
	}
	var w weather
	if draw(0, 100) >= cloudyShare {
		return w
	}
	for i := range fewestClouds + draw(1, cloudsRange) {
		k := 16 + 4*i
		w.clouds = append(w.clouds, cloud{
			x: landWest + draw(k, landWidth*fine),
			y: landNorth - draw(k+1, landHeight*fine),
			a: smallest + draw(k+2, sizeRange),
			b: smallest + draw(k+3, sizeRange),
		})
	}
	return w
}

// at returns the class of the sky over a point in metres; 0 where it is clear.
func (w weather) at(x, y int64) uint16 {
	if w.overcast {
		return sclHigh
	}
	class := uint16(0)
	for _, c := range w.clouds {
		switch {
		case c.covers(x, y, 1, 1):
			return sclHigh
		case c.covers(x, y, fringe, fringeOf):
			class = sclMedium
		case class == 0 && c.covers(x-shadowEast, y-shadowNorth, 1, 1):
			class = sclShadow
		}
	}
	return class
}

// mix is a hash of two numbers (the finaliser of SplitMix64 by Steele, Lea and Flood
// 2014, applied twice).
func mix(a, b uint64) uint64 { return scramble(scramble(a) + b) }

func scramble(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
