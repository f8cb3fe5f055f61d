package render

import (
	"math"
	"slices"

	"tilth/adapters/render/internal/draw"
	"tilth/core/geo"
)

// Sizes of the line along the samples, in pixels.
const (
	wayWidth  = 2.5
	wayCasing = 5 // of the light line beneath, so that the line shows on every zone
	dash      = 9.0
	dashGap   = 6.0
	arrowSize = 6.0
	arrowRoom = 44.0 // the shortest piece with an arrow: there is room beside its marks
)

// way draws the line along the samples of some fields: walks within fields, dashed the drives between them.
func (s *scene) way(p pen, fields []int, at func(geo.Position) draw.Point, room *placer) {
	for i := 1; i < len(s.plan.Points) && s.plan.Points[i].Role.Visited(); i++ {
		from, to := s.plan.Points[i-1], s.plan.Points[i]
		if !slices.Contains(fields, from.Field) || !slices.Contains(fields, to.Field) {
			continue
		}
		p.step(at(from.At), at(to.At), from.Field != to.Field)
		room.line(at(from.At), at(to.At), coverWay)
	}
}

// step draws a piece of a way, with an arrow in its middle where there is room.
func (p pen) step(from, to draw.Point, dashed bool) {
	long := math.Hypot(to.X-from.X, to.Y-from.Y)
	if long == 0 {
		return
	}
	x, y := (to.X-from.X)/long, (to.Y-from.Y)/long
	piece := func(low, high float64, edge draw.Color, width float64) {
		p.Line(from.X+x*low, from.Y+y*low, from.X+x*high, from.Y+y*high, edge, width)
	}
	piece(0, long, draw.Veil, wayCasing)
	if dashed {
		for low := 0.0; low < long; low += dash + dashGap {
			piece(low, min(low+dash, long), draw.Way, wayWidth)
		}
	} else {
		piece(0, long, draw.Way, wayWidth)
	}
	if long < arrowRoom {
		return
	}
	tip := draw.Point{X: from.X + x*(long/2+arrowSize), Y: from.Y + y*(long/2+arrowSize)}
	back := draw.Point{X: tip.X - 2*arrowSize*x, Y: tip.Y - 2*arrowSize*y}
	p.Path([][]draw.Point{{tip, {X: back.X - arrowSize*y, Y: back.Y + arrowSize*x}, {X: back.X + arrowSize*y, Y: back.Y - arrowSize*x}}}, true,
		draw.Style{Fill: draw.Way, Edge: draw.White, Width: 1})
}
