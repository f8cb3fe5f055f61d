package geo

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"math"
	"slices"
	"strconv"
)

// digestGrain is the number of steps per degree to which a digest rounds positions: a step is about a centimetre.
const digestGrain = 1e7

// Digest returns a digest of the land that a geometry of a Boundary covers, whatever the order of its parts and holes,
// and whichever position a ring begins with. Positions are rounded to about a centimetre.
func (m MultiPolygon) Digest() string {
	parts := make([][][][2]int64, len(m))
	for i, polygon := range m {
		for _, ring := range polygon {
			parts[i] = append(parts[i], digestRing(ring))
		}
		if len(parts[i]) > 1 {
			slices.SortFunc(parts[i][1:], compareRings)
		}
	}
	slices.SortFunc(parts, func(a, b [][][2]int64) int { return slices.CompareFunc(a, b, compareRings) })
	var text []byte
	for _, polygon := range parts {
		text = append(text, '(')
		for _, ring := range polygon {
			text = append(text, '(')
			for _, p := range ring {
				text = strconv.AppendInt(append(text, ' '), p[0], 10)
				text = strconv.AppendInt(append(text, ' '), p[1], 10)
			}
			text = append(text, ')')
		}
		text = append(text, ')')
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// digestRing returns the rounded positions of a ring without repeated ones, beginning with the smallest.
func digestRing(r Ring) [][2]int64 {
	var out [][2]int64
	for _, p := range r {
		at := [2]int64{int64(math.Round(p.X * digestGrain)), int64(math.Round(p.Y * digestGrain))}
		if len(out) == 0 || out[len(out)-1] != at {
			out = append(out, at)
		}
	}
	if len(out) > 1 && out[0] == out[len(out)-1] {
		out = out[:len(out)-1]
	}
	first := 0
	for i := range out {
		if comparePositions(out[i], out[first]) < 0 {
			first = i
		}
	}
	return append(slices.Clone(out[first:]), out[:first]...)
}

func comparePositions(a, b [2]int64) int {
	return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]))
}

func compareRings(a, b [][2]int64) int { return slices.CompareFunc(a, b, comparePositions) }
