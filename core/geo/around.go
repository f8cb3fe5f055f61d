package geo

import "math"

// metresPerDegree is the shortest degree of a meridian, at the equator, and of the equator, both rounded down.
const metresPerDegree = 110_500

// rounding is more than the distance between two places is wrong by, in metres: what is very near comes out as no distance.
const rounding = 0.001

// Around returns boxes that hold all places within a distance of one, in metres: one, or two where it lies near the 180th
// meridian. They hold others too.
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
