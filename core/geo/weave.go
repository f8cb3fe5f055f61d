package geo

import (
	"errors"
	"math"
	"slices"
)

var errBroken = errors.New("the outline of the overlay does not close")

// woven joins pieces of an outline, with the area on their left, into simple rings. Where several
// pieces continue one, it takes the one furthest to the left: that bounds the same area, and rings
// touch but do not cross. A ring that passes a place twice is split there. Rings narrower than a
// unit come from rounding and are dropped. It fails where the pieces do not close.
func woven(pieces []Ring) (out []Ring, err error) {
	from := map[Position][]int32{}
	for i, p := range pieces {
		if p[0] != p[len(p)-1] {
			from[p[0]] = append(from[p[0]], int32(i))
		}
	}
	used := make([]bool, len(pieces))
	for i := range pieces {
		if used[i] {
			continue
		}
		ring, forks := Ring(nil), false
		if pieces[i][0] == pieces[i][len(pieces[i])-1] {
			ring = slices.Clone(pieces[i])
		} else if ring, forks, err = walked(pieces, from, used, int32(i)); err != nil {
			return nil, err
		}
		simple := []Ring{ring}
		if forks {
			simple = PartRing(ring[:len(ring)-1])
			for k := range simple {
				simple[k] = append(simple[k], simple[k][0])
			}
		}
		for _, r := range simple {
			if r = tidyRing(r); r != nil {
				out = append(out, r)
			}
		}
	}
	return out, nil
}

// walked joins pieces from the first until it comes round to that one again.
func walked(pieces []Ring, from map[Position][]int32, used []bool, first int32) (ring Ring, forks bool, err error) {
	for at := first; ; {
		used[at] = true
		p := pieces[at]
		ring = append(ring, p[:len(p)-1]...)
		before, end := p[len(p)-2], p[len(p)-1]
		choices := from[end]
		if len(choices) == 0 {
			return nil, false, errBroken
		}
		forks = forks || len(choices) > 1
		at = choices[0]
		for _, c := range choices[1:] {
			if turned := pieces[at][1] == before; turned || pieces[c][1] != before && furtherLeft(before, end, pieces[c][1], pieces[at][1]) {
				at = c // back along the same way only where there is no other choice
			}
		}
		if at == first {
			return append(ring, ring[0]), forks, nil
		}
		if used[at] {
			return nil, false, errBroken
		}
	}
}

// furtherLeft reports whether the way from a over b turns further left to p than to q.
func furtherLeft(a, b, p, q Position) bool {
	toP, toQ := orientation(a, b, p), orientation(a, b, q)
	if toP > 0 && toQ > 0 || toP < 0 && toQ < 0 {
		return orientation(b, q, p) > 0
	}
	return toP > toQ
}

// nested makes polygons of simple rings that do not cross, outer ones counter-clockwise and holes
// clockwise: a hole belongs to the smallest outer ring around it.
func nested(rings []Ring) (out MultiPolygon) {
	var holes []Ring
	var sides []flank
	for _, r := range rings {
		if planarRingArea(r) < 0 {
			holes = append(holes, r)
			continue
		}
		for k := 1; k < len(r); k++ {
			sides = append(sides, flank{r[k-1], r[k], int32(len(out))})
		}
		out = append(out, Polygon{r})
	}
	if len(out) == 0 || len(holes) == 0 {
		return out
	}
	where := newShelves(sides)
	for _, hole := range holes {
		if best := around(where, sides, out, hole); best >= 0 {
			out[best] = append(out[best], hole)
		}
	}
	return out
}

// around returns the index of the smallest outer ring around a hole; -1 where there is none.
func around(where *shelves, sides []flank, outers MultiPolygon, hole Ring) int {
	if len(outers) == 1 {
		return 0
	}
	var met []int32
	where.west(sides, flank{a: hole[0], b: hole[1]}.middle(), -1, func(e flank) { met = append(met, e.n) })
	slices.Sort(met)
	best, smallest := -1, math.Inf(1)
	for i := 0; i < len(met); {
		j := i
		for j < len(met) && met[j] == met[i] {
			j++
		}
		if area := planarRingArea(outers[met[i]][0]); (j-i)%2 == 1 && area < smallest {
			best, smallest = int(met[i]), area
		}
		i = j
	}
	return best
}
