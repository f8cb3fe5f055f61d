package geo

import "math"

// metresPerDegree is the shortest degree of a meridian, which is at the equator, and a degree of the equator, both rounded down.
const metresPerDegree = 110_500

// rounding is greater than the error of a distance between two places, in metres: very near places come out at no distance.
const rounding = 0.001

// Around returns boxes that contain all places within a distance, in metres, of a centre: one box, or two where it lies
// near the 180th meridian. They contain other places too.
func Around(centre Position, metres float64) []Box {
	up := (metres + rounding) / metresPerDegree
	south, north := max(-90, centre.Y-up), min(90, centre.Y+up)
	narrowest := math.Cos(max(math.Abs(south), math.Abs(north)) * math.Pi / 180)
	across := up / max(narrowest, 1e-9)
	if across >= 180 {
		return []Box{{-180, south, 180, north}}
	}
	west, east := centre.X-across, centre.X+across
	switch {
	case west < -180:
		return []Box{{-180, south, east, north}, {west + 360, south, 180, north}}
	case east > 180:
		return []Box{{west, south, 180, north}, {-180, south, east - 360, north}}
	}
	return []Box{{west, south, east, north}}
}
