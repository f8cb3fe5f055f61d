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

// Layout of a panel, in pixels.
const (
	panelInset = 40.0 // around the fields, where the panel is wide enough: room for their names
	strip      = 34.0 // below the map: scale and north
)

// insetOf returns the space around the fields in a panel of a width.
func insetOf(width float64) float64 { return min(panelInset, width/12) }

// panels draws each group of fields in a panel of its own, in reading order.
func (s *scene) panels(p pen, canvas draw.Box) {
	groups := s.groups()
	n := len(groups)
	cols := min(n, max(1, int(math.Round(math.Sqrt(float64(n)*canvas.Width()/canvas.Height())))))
	rows := (n + cols - 1) / cols
	width, height := (canvas.Width()+draw.Gap)/float64(cols), (canvas.Height()+draw.Gap)/float64(rows)
	for i, fields := range groups {
		left, top := canvas.Left+float64(i%cols)*width, canvas.Top+float64(i/cols)*height
		s.panel(p, draw.Box{Left: left, Top: top, Right: left + width - draw.Gap, Bottom: top + height - draw.Gap}, fields)
	}
}

// view is the part of the plane that a panel shows.
type view struct {
	frame draw.Box // of the map
	box   geo.Box
	scale float64 // pixels per metre
}

// viewOf returns the view of a box of the plane, as large as there is room for in a frame.
func viewOf(frame draw.Box, box geo.Box, inset float64) view {
	wide, high := max(box.MaxX-box.MinX, 1), max(box.MaxY-box.MinY, 1)
	return view{frame, box, min((frame.Width()-2*inset)/wide, (frame.Height()-2*inset)/high)}
}

func (v view) at(q geo.Position) draw.Point {
	return draw.Point{
		X: (v.frame.Left+v.frame.Right)/2 + (q.X-(v.box.MinX+v.box.MaxX)/2)*v.scale,
		Y: (v.frame.Top+v.frame.Bottom)/2 - (q.Y-(v.box.MinY+v.box.MaxY)/2)*v.scale,
	}
}

// boxAt returns a box of the plane on the canvas.
func (v view) boxAt(b geo.Box) draw.Box {
	low, high := v.at(geo.Position{X: b.MinX, Y: b.MinY}), v.at(geo.Position{X: b.MaxX, Y: b.MaxY})
	return draw.Box{Left: low.X, Top: high.Y, Right: high.X, Bottom: low.Y}
}

// panel draws some fields with all that meets their box, and below the map its scale and north.
func (s *scene) panel(p pen, around draw.Box, fields []int) {
	frame := around
	frame.Bottom -= strip
	v := viewOf(frame, s.framed(fields), insetOf(frame.Width()))
	room := placer.New(frame, reserveRadius*p.size)
	p.Box(frame, draw.Style{Fill: draw.Land, Edge: draw.Rule, Width: 1})
	s.images(p, v)
	for _, z := range s.zones {
		s.zone(p, z, v.box, v.at)
	}
	for i, field := range s.fields {
		if !s.boxes[i].Intersects(v.box) {
			continue
		}
		for _, polygon := range field {
			p.area(polygon, v.at, draw.Style{Edge: draw.Ink, Width: edgeWidth * p.size})
		}
		for a, b := range field.Edges() {
			_ = s.budget.Spend(1) // the next shape finds that it is spent
			room.Line(v.at(a), v.at(b), placer.CoverEdge)
		}
	}
	if s.plan != nil {
		s.way(p, fields, v.at, room)
		s.ends(p, fields, v, room)
		s.marks(fields, v.at, room)
		s.names(p, fields, v, room)
		s.points(p, fields, v.at, room)
	} else {
		s.numbers(p, v, room)
		s.names(p, fields, v, room)
	}
	p.Box(draw.Box{Left: frame.Left, Top: frame.Bottom + 1, Right: frame.Right, Bottom: around.Bottom}, draw.Style{Fill: draw.White})
	p.scaleBar(frame.Left+6, frame.Bottom+28, frame.Width()/4, 1/v.scale)
	p.northArrow(frame.Right-28, frame.Bottom+5)
}

// The bounds of texts on a map; more would cover it.
const (
	maxLabels = 400 // of points
	maxNames  = 30  // of fields
)

// names writes the names of the fields beside them, with their place on the way where there are several.
func (s *scene) names(p pen, fields []int, v view, room *placer.Placer) {
	if len(fields) > maxNames {
		return
	}
	var order map[int]int
	if s.plan != nil && len(s.in.Fields) > 1 {
		order = s.plan.FieldOrder()
	}
	for _, i := range fields {
		text := clip(s.in.Fields[i].Name, 28)
		if order[i] > 0 {
			text = fmt.Sprintf("%d. %s", order[i], text)
		}
		half := draw.Measure(text, draw.Strong)/2 + 2
		b := room.Around(v.boxAt(s.boxes[i]), 2*half, labelHeight)
		p.label(text, draw.Strong, draw.Point{X: (b.Left + b.Right) / 2, Y: (b.Top + b.Bottom) / 2})
	}
}

// numbers writes each zone's number into its parts in a view that have room for it.
func (s *scene) numbers(p pen, v view, room *placer.Placer) {
	for _, z := range s.zones {
		for _, polygon := range z.Outline {
			part := geo.MultiPolygon{polygon}
			b := part.Bounds()
			if on := v.boxAt(b); !b.Intersects(v.box) || min(on.Width(), on.Height()) < labelHeight {
				continue
			}
			if place, clear := s.middle(part); clear*v.scale >= labelHeight/2 {
				middle := v.at(place)
				room.Mark(middle, labelHeight/2)
				p.label(fmt.Sprint(z.Number), draw.Text, middle)
			}
		}
	}
}

// marks keeps the places of the points of some fields free.
func (s *scene) marks(fields []int, at func(geo.Position) draw.Point, room *placer.Placer) {
	for i := range s.plan.Points {
		if point := &s.plan.Points[i]; slices.Contains(fields, point.Field) {
			room.Mark(at(point.At), room.Radius)
		}
	}
}

// points draws the points of some fields, with their names.
func (s *scene) points(p pen, fields []int, at func(geo.Position) draw.Point, room *placer.Placer) {
	var shown []*plan.Point
	for i := range s.plan.Points {
		if point := &s.plan.Points[i]; slices.Contains(fields, point.Field) {
			shown = append(shown, point)
		}
	}
	if len(shown) <= maxLabels {
		for _, point := range shown {
			p.caption(point.ID, draw.Text, at(point.At), room)
		}
	}
	for _, point := range shown {
		p.point(point.Role, at(point.At))
	}
}
