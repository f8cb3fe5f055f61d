package render

import (
	"cmp"
	"io"
	"math"

	"tilth/adapters/render/internal/draw"
	"tilth/ports"
)

// layout is how a picture of a map is set, in pixels.
type layout struct {
	width, edge int
	height      int // of a map with the column beside it; the picture is higher where the column is
	column      int // width of the column beside the map; 0: below it
	density     int
	marks       float64 // size of marks and lines
}

// layouts are the layouts of pictures by their names. That of phones is drawn with two pixels per CSS
// pixel, as most of their screens have two or three.
var layouts = map[string]layout{
	ports.Desktop: {width: 1400, height: 1000, edge: 28, column: 300, marks: 1},
	ports.Phone:   {width: 390, edge: 14, density: 2, marks: 0.65},
}

// mapNote is how notes on a picture of a map are set: 11 pixels, which can be read on a phone.
var mapNote = draw.Letters{Size: 8.25, Color: draw.Soft}

// sheet is where the parts of a picture are.
type sheet struct {
	layout
	atlas, column draw.Box
	foot          float64 // first baseline of the footnote
	height        int
}

// inner returns the box between the edges of a picture, from a height on.
func (l layout) inner(top float64) draw.Box {
	return draw.Box{Left: float64(l.edge), Top: top, Right: float64(l.width - l.edge), Bottom: math.Inf(1)}
}

// arrange lays out a picture by the heights of its texts.
func (s *scene) arrange(l layout) sheet {
	p := pen{draw.Measuring(), l.marks}
	top := s.head(p, l)
	out := sheet{layout: l, atlas: l.inner(top), column: l.inner(top)}
	if l.column > 0 {
		out.column.Left = out.column.Right - float64(l.column)
		out.atlas.Right = out.column.Left - float64(l.edge)
		out.column.Bottom = float64(l.height-l.edge) - 24
		out.column.Bottom = max(out.column.Bottom, s.beside(p, out.column))
		out.atlas.Bottom = out.column.Bottom
		out.foot = out.column.Bottom + 30
	} else {
		out.atlas.Bottom = top + s.atlasHeight(out.atlas.Width())
		out.column.Top = out.atlas.Bottom + draw.Gap
		out.foot = s.beside(p, out.column) + 2*draw.Gap
	}
	last := p.wrapped(s.footnote(), out.atlas.Left, out.foot, l.inner(0).Width(), mapNote) - lineHigh*mapNote.Size
	out.height = max(l.height, int(math.Ceil(last))+l.edge-6)
	return out
}

// atlasHeight returns the height of the map on a picture with the column below: in proportion to its fields, within bounds.
func (s *scene) atlasHeight(width float64) float64 {
	const lowest, highest = 260.0, 560.0
	high := lowest
	groups := s.groups()
	for _, fields := range groups {
		box := s.around(fields)
		high = max(high, (box.MaxY-box.MinY)/max(box.MaxX-box.MinX, 1)*(width-2*insetOf(width))+2*insetOf(width)+strip+draw.Gap)
	}
	return min(high, highest) * float64(len(groups))
}

// draw draws the picture of a map.
func (s *scene) draw(w io.Writer, format string) error {
	s.apart = s.in.Layout == ports.Phone
	of := s.arrange(layouts[cmp.Or(s.in.Layout, ports.Desktop)])
	return draw.Picture(s.budget, w, format, draw.Size{Width: of.width, Height: of.height, Density: of.density}, func(c draw.Canvas) {
		p := pen{c, of.marks}
		s.head(p, of.layout)
		s.panels(p, of.atlas)
		s.beside(p, of.column)
		p.wrapped(s.footnote(), of.atlas.Left, of.foot, of.inner(0).Width(), mapNote)
	})
}

// head writes the title and what the map is made of, and returns where the map begins.
func (s *scene) head(p pen, l layout) float64 {
	on := l.inner(float64(l.edge) + 20)
	y := p.wrapped(clip(s.in.Map.AOI.Name, titleLength), on.Left, on.Top, on.Width(), draw.Title) - 7
	return p.wrapped(s.subtitle(), on.Left, y, on.Width(), draw.Muted) + 2
}
