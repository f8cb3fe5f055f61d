package render

import (
	"fmt"
	"math"

	chart "github.com/wcharczuk/go-chart/v2"
)

// placer finds room for labels beside their points.
type placer struct{ taken []chart.Box }

// mark keeps the place of a point free of labels.
func (l *placer) mark(x, y, radius int) {
	l.taken = append(l.taken, chart.Box{Left: x - radius, Top: y - radius, Right: x + radius, Bottom: y + radius})
}

// sides are the places of a label around its point, the best first.
var sides = [][2]int{{1, 0}, {-1, 0}, {0, -1}, {0, 1}, {1, -1}, {1, 1}, {-1, -1}, {-1, 1}}

// place gives the box of a label of a size at a point: the first place beside it that is free
// and within the frame, or farther off, or the one that covers least. away tells that a line
// is needed to show whose label it is.
func (l *placer) place(frame chart.Box, x, y, width, height int) (best chart.Box, away bool) {
	least := math.MaxInt
	for ring, off := range []int{reserveRadius + 2, 3 * reserveRadius, 6 * reserveRadius} {
		for _, side := range sides {
			left, top := x-width/2+side[0]*(width/2+off), y-height/2+side[1]*(height/2+off)
			b := chart.Box{Left: left, Top: top, Right: left + width, Bottom: top + height}
			covers := width*height - shared(b, frame)
			for _, other := range l.taken {
				covers += shared(b, other)
			}
			if covers < least {
				best, least, away = b, covers, ring > 0
			}
			if covers == 0 {
				l.taken = append(l.taken, best)
				return best, away
			}
		}
	}
	l.taken = append(l.taken, best)
	return best, away
}

// shared gives the pixels that two boxes have in common.
func shared(a, b chart.Box) int {
	width, height := min(a.Right, b.Right)-max(a.Left, b.Left), min(a.Bottom, b.Bottom)-max(a.Top, b.Top)
	return max(0, width) * max(0, height)
}

// roundLength gives the longest length of 1, 2 or 5 times a power of ten up to a number of
// metres, and how it is written.
func roundLength(most float64) (metres float64, label string) {
	power := math.Pow(10, math.Floor(math.Log10(most)))
	metres = power
	for _, times := range []float64{2, 5} {
		if times*power <= most {
			metres = times * power
		}
	}
	if metres >= 1000 {
		return metres, fmt.Sprintf("%g km", metres/1000)
	}
	return metres, fmt.Sprintf("%g m", metres)
}
