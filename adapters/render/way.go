package render

import (
	"fmt"
	"math"
	"slices"

	"tilth/adapters/render/internal/draw"
	"tilth/adapters/render/internal/placer"
	"tilth/core/geo"
	"tilth/core/stratification/plan"
)

// Sizes of the line along the samples, in pixels, for a pen of size 1.
const (
	wayWidth  = 2.5
	wayCasing = 5 // of the light line beneath, so that the line shows on every zone
	dash      = 9.0
	dashGap   = 6.0
	arrowSize = 6.0
	arrowRoom = 44.0 // the shortest piece with an arrow: there is room beside its marks
)

// way draws the line along the samples of some fields: solid for walks within fields, dashed for the drives between them.
func (s *scene) way(p pen, fields []int, at func(geo.Position) draw.Point, room *placer.Placer) {
	for i := 1; i < len(s.plan.Points) && s.plan.Points[i].Role.Visited(); i++ {
		from, to := s.plan.Points[i-1], s.plan.Points[i]
		if !slices.Contains(fields, from.Field) || !slices.Contains(fields, to.Field) {
			continue
		}
		p.step(at(from.At), at(to.At), from.Field != to.Field)
		room.Line(at(from.At), at(to.At), placer.CoverWay)
	}
}

// framed returns the box that a panel of fields shows: that of the fields, grown to hold an end of the journey near them.
func (s *scene) framed(fields []int) geo.Box {
	box := s.around(fields)
	if s.plan == nil {
		return box
	}
	const near = 1.5 // times the size without it: the fields stay legible
	for _, e := range s.plan.Ends() {
		grown := box.Union(geo.Box{MinX: e.At.X, MinY: e.At.Y, MaxX: e.At.X, MaxY: e.At.Y})
		if slices.Contains(fields, e.Beside.Field) && max(grown.MaxX-grown.MinX, grown.MaxY-grown.MinY) <= near*max(box.MaxX-box.MinX, box.MaxY-box.MinY) {
			box = grown
		}
	}
	return box
}

// ends draws the drives from the start of the journey to the first point, and from the last to its end, as far as
// the frame of a view goes, and writes the distance to an end beyond it.
func (s *scene) ends(p pen, fields []int, v view, room *placer.Placer) {
	for _, e := range s.plan.Ends() {
		if !slices.Contains(fields, e.Beside.Field) {
			continue
		}
		place := p.drive(e, v)
		room.Line(v.at(e.Beside.At), place, placer.CoverWay)
		text := map[bool]string{true: "Start", false: "End"}[e.Start]
		if place == v.at(e.At) {
			p.terminus(place)
			room.Mark(place, sampleRadius*p.size)
		} else {
			text = fmt.Sprintf("%s, %.1f km", text, math.Hypot(e.At.X-e.Beside.At.X, e.At.Y-e.Beside.At.Y)/1000)
		}
		p.caption(text, draw.Strong, place, room)
	}
}

// drive draws the drive of an end of a journey as far as the frame of a view goes, and returns where it ends there.
func (p pen) drive(e plan.End, v view) draw.Point {
	inner := v.at(e.Beside.At)
	place := within(v.frame, inner, v.at(e.At))
	if e.Start {
		p.step(place, inner, true)
	} else {
		p.step(inner, place, true)
	}
	return place
}

// within returns the last place inside a frame on the line from a place inside it to another place.
func within(frame draw.Box, from, to draw.Point) draw.Point {
	share := 1.0
	for _, side := range [][3]float64{{from.X, to.X, frame.Left}, {from.X, to.X, frame.Right}, {from.Y, to.Y, frame.Top}, {from.Y, to.Y, frame.Bottom}} {
		if t := (side[2] - side[0]) / (side[1] - side[0]); t > 0 { // not for a line along the side
			share = min(share, t)
		}
	}
	if share == 1 {
		return to
	}
	return draw.Point{X: from.X + share*(to.X-from.X), Y: from.Y + share*(to.Y-from.Y)}
}

// terminus draws the mark of an end of a journey.
func (p pen) terminus(at draw.Point) {
	r := sampleRadius * p.size
	p.Box(draw.Box{Left: at.X - r, Top: at.Y - r, Right: at.X + r, Bottom: at.Y + r}, draw.Style{Fill: draw.Way, Edge: draw.White, Width: 2 * p.size})
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
	piece(0, long, draw.Veil, wayCasing*p.size)
	if dashed {
		for low := 0.0; low < long; low += dash + dashGap {
			piece(low, min(low+dash, long), draw.Way, wayWidth*p.size)
		}
	} else {
		piece(0, long, draw.Way, wayWidth*p.size)
	}
	if long < arrowRoom*p.size {
		return
	}
	r := arrowSize * p.size
	tip := draw.Point{X: from.X + x*(long/2+r), Y: from.Y + y*(long/2+r)}
	back := draw.Point{X: tip.X - 2*r*x, Y: tip.Y - 2*r*y}
	p.Path([][]draw.Point{{tip, {X: back.X - r*y, Y: back.Y + r*x}, {X: back.X + r*y, Y: back.Y - r*x}}}, true,
		draw.Style{Fill: draw.Way, Edge: draw.White, Width: 1})
}
