package render

import (
	"math"

	"tilth/adapters/render/internal/draw"
)

// placer finds room for labels beside their points.
type placer struct{ taken []draw.Box }

// mark keeps the place of a point free of labels.
func (l *placer) mark(at draw.Point, radius float64) {
	l.taken = append(l.taken, draw.Box{Left: at.X - radius, Top: at.Y - radius, Right: at.X + radius, Bottom: at.Y + radius})
}

// sides are the places of a label around its point, the best first.
var sides = [][2]float64{{1, 0}, {-1, 0}, {0, -1}, {0, 1}, {1, -1}, {1, 1}, {-1, -1}, {-1, 1}}

// place returns the box of a label at a point: the first place beside it that is free and within
// the frame, or farther off, or the one that covers least. A label that is away needs a line to
// its point.
func (l *placer) place(frame draw.Box, at draw.Point, width, height float64) (best draw.Box, away bool) {
	lower := math.Inf(1)
	for ring, off := range []float64{reserveRadius + 2, 3 * reserveRadius, 6 * reserveRadius} {
		for _, side := range sides {
			left, top := at.X-width/2+side[0]*(width/2+off), at.Y-height/2+side[1]*(height/2+off)
			b := draw.Box{Left: left, Top: top, Right: left + width, Bottom: top + height}
			covers := width*height - b.Shared(frame)
			for _, other := range l.taken {
				covers += b.Shared(other)
			}
			if covers < lower-0.5 { // pixels
				best, lower, away = b, covers, ring > 0
			}
		}
		if lower < 0.5 {
			break
		}
	}
	l.taken = append(l.taken, best)
	return best, away
}
