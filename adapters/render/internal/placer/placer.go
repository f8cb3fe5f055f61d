// Package placer finds room for texts on a map.
package placer

import (
	"math"

	"tilth/adapters/render/internal/draw"
)

// Placer finds room for texts on one map. A grid of small cells holds what is there already, as the cost
// of covering each cell.
type Placer struct {
	Radius float64 // of the largest mark, in pixels

	frame      draw.Box
	cols, rows int
	costs      []float64
}

// cellWidth is the width of a cell, in pixels.
const cellWidth = 3.0

// The costs of covering a cell of a mark or a text, of the edge of a field, or of the way, and of lying outside the frame.
const (
	coverMark  = 10.0
	CoverEdge  = 4.0
	CoverWay   = 1.5
	coverFrame = 40.0
)

// New returns a placer for an empty map, with the radius of its largest mark in pixels.
func New(frame draw.Box, radius float64) *Placer {
	l := &Placer{Radius: radius, frame: frame, cols: int(frame.Width()/cellWidth) + 1, rows: int(frame.Height()/cellWidth) + 1}
	l.costs = make([]float64, l.cols*l.rows)
	return l
}

func (l *Placer) cell(x, y float64) (col, row int) {
	return int(math.Floor((x - l.frame.Left) / cellWidth)), int(math.Floor((y - l.frame.Top) / cellWidth))
}

func (l *Placer) raise(col, row int, cost float64) {
	if col >= 0 && col < l.cols && row >= 0 && row < l.rows {
		l.costs[row*l.cols+col] = max(l.costs[row*l.cols+col], cost)
	}
}

// taken marks a box as covered.
func (l *Placer) taken(b draw.Box) {
	left, top := l.cell(b.Left, b.Top)
	right, bottom := l.cell(b.Right, b.Bottom)
	for row := max(top, 0); row <= min(bottom, l.rows-1); row++ {
		for col := max(left, 0); col <= min(right, l.cols-1); col++ {
			l.raise(col, row, coverMark)
		}
	}
}

// Mark keeps the place of a point free of texts.
func (l *Placer) Mark(at draw.Point, radius float64) {
	l.taken(draw.Box{Left: at.X - radius, Top: at.Y - radius, Right: at.X + radius, Bottom: at.Y + radius})
}

// Line marks the cells that a line passes within the frame.
func (l *Placer) Line(from, to draw.Point, cost float64) {
	f := l.frame
	if max(from.X, to.X) < f.Left || min(from.X, to.X) > f.Right || max(from.Y, to.Y) < f.Top || min(from.Y, to.Y) > f.Bottom {
		return
	}
	steps := int(math.Hypot(to.X-from.X, to.Y-from.Y)/cellWidth*2) + 1
	for i := range steps + 1 {
		t := float64(i) / float64(steps)
		col, row := l.cell(from.X+t*(to.X-from.X), from.Y+t*(to.Y-from.Y))
		l.raise(col, row, cost)
	}
}

// covers returns the cost of covering a box.
func (l *Placer) covers(b draw.Box) (cost float64) {
	left, top := l.cell(b.Left, b.Top)
	right, bottom := l.cell(b.Right, b.Bottom)
	for row := top; row <= bottom; row++ {
		for col := left; col <= right; col++ {
			if col < 0 || col >= l.cols || row < 0 || row >= l.rows {
				cost += coverFrame
			} else {
				cost += l.costs[row*l.cols+col]
			}
		}
	}
	return cost
}

// sides are the places of a text around its point, the best first.
var sides = [][2]float64{{1, 0}, {-1, 0}, {0, -1}, {0, 1}, {1, -1}, {1, 1}, {-1, -1}, {-1, 1}}

// Beside returns the box of a label at a point: the first place beside the point that covers nothing, or
// else one farther off, or else the one that covers least. A label that is away needs a line to its point.
func (l *Placer) Beside(at draw.Point, width, height float64) (best draw.Box, away bool) {
	lower := math.Inf(1)
	const farther = 12.0 // the cost of being a ring farther off
	for ring, off := range []float64{l.Radius + 2, 2 * l.Radius, 3.5 * l.Radius, 6 * l.Radius} {
		for _, side := range sides {
			left, top := at.X-width/2+side[0]*(width/2+off), at.Y-height/2+side[1]*(height/2+off)
			b := draw.Box{Left: left, Top: top, Right: left + width, Bottom: top + height}
			if cost := l.covers(b) + farther*float64(ring); cost < lower {
				best, lower, away = b, cost, ring > 0
			}
		}
		if lower <= farther*float64(ring) {
			break
		}
	}
	l.taken(best)
	return best, away
}

// Around returns the box of the name of an area within a box: above it, below, beside, or within, where it
// covers least.
func (l *Placer) Around(area draw.Box, width, height float64) (best draw.Box) {
	const off = 7.0
	midX, midY := (area.Left+area.Right)/2, (area.Top+area.Bottom)/2
	inner := min(area.Width(), area.Height()) / 4
	lower := math.Inf(1)
	for _, middle := range []draw.Point{
		{X: midX, Y: area.Top - off - height/2}, {X: midX, Y: area.Bottom + off + height/2},
		{X: area.Left + width/2, Y: area.Top - off - height/2}, {X: area.Right - width/2, Y: area.Top - off - height/2},
		{X: area.Left + width/2, Y: area.Bottom + off + height/2}, {X: area.Right - width/2, Y: area.Bottom + off + height/2},
		{X: area.Right + off + width/2, Y: midY}, {X: area.Left - off - width/2, Y: midY},
		{X: midX, Y: midY}, {X: midX, Y: midY - inner}, {X: midX, Y: midY + inner},
	} {
		b := draw.Box{Left: middle.X - width/2, Top: middle.Y - height/2, Right: middle.X + width/2, Bottom: middle.Y + height/2}
		if cost := l.covers(b); cost < lower {
			best, lower = b, cost
		}
	}
	l.taken(best)
	return best
}
