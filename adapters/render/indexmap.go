package render

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"tilth/adapters/render/internal/draw"
	"tilth/core/effort"
	"tilth/core/geo"
	"tilth/core/indexmap"
	"tilth/core/stratification/frame"
	"tilth/ports"
)

// Layout of the picture of a date of a map, in pixels.
const (
	layerWidth  = 1000
	layerEdge   = 28
	layerColumn = 250   // beside the map
	lowestMap   = 430.0 // so that the legend has room beside it
	highestMap  = 760.0
	bareWidth   = 700
	smallWidth  = 320
	layerShown  = 2 // pixels of a PNG for one of the canvas: 2,000 across, for print
	hatch       = 10
	fewest      = 3 // pixels of the layer that are shown around the field
)

// layerPicture is a date of a map on a canvas.
type layerPicture struct {
	pen
	in      ports.ShownLayer
	figures indexmap.Statistics
	outline geo.MultiPolygon // in the layer's plane
	box     geo.Box
	areaHa  float64
}

// DrawLayer implements ports.LayerPictures: the pixels in the colours of the style, the field's outline over them, and what people
// need to read the map on paper.
func (Charts) DrawLayer(ctx context.Context, w io.Writer, format string, in ports.ShownLayer) error {
	plane, err := geo.NewPlane(in.Layer.Grid.EPSG)
	if err != nil {
		return err
	}
	p := layerPicture{in: in, figures: in.Layer.Figures(), outline: plane.Project(in.Field.Outline), areaHa: geo.AreaM2(in.Field.Outline) / frame.M2PerHectare}
	p.box = p.outline.Bounds().Grown(fewest * max(in.Layer.Grid.PixelX, in.Layer.Grid.PixelY))
	p.pen = pen{draw.Measuring(), 1}
	size, atlas := p.arrange()
	density := layerShown
	if in.Small {
		density = 1
	}
	return draw.Picture(effort.Of(ctx, 0), w, format, draw.Size{Width: size.X, Height: size.Y, Density: density}, func(c draw.Canvas) {
		p.Canvas = c
		p.atlas(atlas)
		if !in.Bare {
			p.head()
			p.column(p.columnBox(atlas.Top))
			p.foot(atlas.Bottom)
		}
	})
}

// arrange returns the size of the picture, and where the map is on it.
func (p *layerPicture) arrange() (size image.Point, atlas draw.Box) {
	aspect := (p.box.MaxY - p.box.MinY) / (p.box.MaxX - p.box.MinX)
	if p.in.Bare {
		wide := float64(bareWidth)
		if p.in.Small {
			wide = smallWidth
		}
		high := min(2*wide, max(wide/4, math.Ceil(wide*aspect)))
		return image.Pt(int(wide), int(high)), draw.Box{Right: wide, Bottom: high}
	}
	top := p.head()
	column := p.columnBox(top)
	atlas = draw.Box{Left: layerEdge, Top: top, Right: column.Left - layerEdge}
	high := min(highestMap, max(lowestMap, atlas.Width()*aspect))
	atlas.Bottom = max(top+high+strip, p.column(column))
	return image.Pt(layerWidth, int(math.Ceil(p.foot(atlas.Bottom)))), atlas
}

func (p *layerPicture) columnBox(top float64) draw.Box {
	return draw.Box{Left: layerWidth - layerEdge - layerColumn, Top: top, Right: layerWidth - layerEdge, Bottom: math.Inf(1)}
}

const layerInner = layerWidth - 2*layerEdge

// head writes what the map shows, and returns where the map begins.
func (p *layerPicture) head() float64 {
	l := p.in.Layer
	y := p.wrapped(clip(p.in.Field.Name, titleLength), layerEdge, layerEdge+20, layerInner, draw.Title) - 7
	text := fmt.Sprintf("%s; %.2f ha", l.Title(), p.areaHa)
	if photo := p.in.Photo; photo != nil {
		text = fmt.Sprintf("%s on %s; %.2f ha", photo.Name, l.Day.Format(time.DateOnly), p.areaHa)
	} else if !math.IsNaN(p.figures.Mean) {
		text += fmt.Sprintf("; mean %s", p.number(p.figures.Mean))
	}
	if l.Synthetic {
		text += "; SYNTHETIC, not measured"
	}
	return p.wrapped(text, layerEdge, y, layerInner, draw.Muted) + 2
}

// number writes a value of the index as exactly as its legend can be read.
func (p *layerPicture) number(v float64) string {
	decimals, width := 2, p.in.Style.High-p.in.Style.Low
	if width > 3 {
		decimals = 1
	}
	if width > 50 || p.in.Layer.Subject.Kind == indexmap.Numbers {
		decimals = 0
	}
	if width < 0.2 {
		decimals = 3
	}
	return fixed(v, decimals)
}

// foot writes what the map was made from, and returns where the picture ends.
func (p *layerPicture) foot(below float64) float64 {
	l, system := p.in.Layer, fmt.Sprintf("EPSG:%d", p.in.Layer.Grid.EPSG)
	text := fmt.Sprintf("Pixels of %g m, %s; grid north is up.", l.Grid.PixelX, system)
	if a := p.in.About; a != nil {
		text += " " + sentence(a.Source)
	}
	if p.in.Photo == nil && l.Method != "" {
		text += " " + sentence(l.Method)
	}
	if len(l.Scenes) > 0 {
		text += " " + map[bool]string{true: "Scene", false: "Scenes"}[len(l.Scenes) == 1] + ": "
		const shown = 4
		for i, scene := range l.Scenes[:min(shown, len(l.Scenes))] {
			if i > 0 {
				text += ", "
			}
			text += scene
		}
		if n := len(l.Scenes) - shown; n > 0 {
			text += fmt.Sprintf(" and %d more", n)
		}
		text += "."
	}
	if l.Synthetic {
		text += " The scenes are synthetic: they were made up for demonstration."
	}
	return p.wrapped(text, layerEdge, below+2*draw.Gap, layerInner, mapNote) - lineHigh*mapNote.Size + layerEdge
}

// sentence ends a text with a full stop; an empty one is left alone.
func sentence(text string) string {
	if text == "" || strings.HasSuffix(text, ".") {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

// atlas draws the map in a box, with its scale and north below unless it is bare.
func (p *layerPicture) atlas(around draw.Box) {
	box, inset := around, 0.0
	if !p.in.Bare {
		box.Bottom -= strip
	}
	v := viewOf(box, p.box, inset)
	p.Box(box, draw.Style{Fill: draw.Land})
	p.Image(p.pixels(v), box)
	p.veil(v)
	edge := draw.Ink
	if p.in.Photo != nil {
		edge = draw.White // land is dark
	}
	for _, polygon := range p.outline {
		p.area(polygon, v.at, draw.Style{Edge: edge, Width: edgeWidth * 0.7})
	}
	if p.in.Layer.Synthetic {
		text := "SYNTHETIC"
		p.label(text, draw.Strong, draw.Point{X: box.Left + draw.Measure(text, draw.Strong)/2 + 12, Y: box.Top + 18})
	}
	if p.in.Bare {
		return
	}
	p.Box(box, draw.Style{Edge: draw.Rule, Width: 1})
	p.scaleBar(box.Left+6, box.Bottom+28, box.Width()/4, 1/v.scale)
	p.northArrow(box.Right-28, box.Bottom+5)
}

// veil lightens what lies beside the field: its pixels are shown, but do not count.
func (p *layerPicture) veil(v view) {
	f := v.frame
	rings := [][]draw.Point{wound([]draw.Point{{X: f.Left, Y: f.Top}, {X: f.Right, Y: f.Top}, {X: f.Right, Y: f.Bottom}, {X: f.Left, Y: f.Bottom}}, true)}
	for _, polygon := range p.outline {
		for i, ring := range polygon {
			line := make([]draw.Point, 0, len(ring))
			for _, q := range ring[:len(ring)-1] {
				line = append(line, v.at(q))
			}
			rings = append(rings, wound(line, i > 0))
		}
	}
	p.Path(rings, true, draw.Style{Fill: color.NRGBA{R: 0xff, G: 0xff, B: 0xff, A: 165}})
}

// wound returns a ring in the requested direction, reversed where needed.
func wound(ring []draw.Point, clockwise bool) []draw.Point {
	area := 0.0
	for i, q := range ring {
		before := ring[(i+len(ring)-1)%len(ring)]
		area += before.X*q.Y - q.X*before.Y
	}
	if (area > 0) != clockwise { // with rows downwards
		slices.Reverse(ring)
	}
	return ring
}

// pixels returns the layer as it is seen through a view. Pixels of the field without a value are grey and hatched.
func (p *layerPicture) pixels(v view) *image.NRGBA {
	l, f := p.in.Layer, v.frame
	out := image.NewNRGBA(image.Rect(0, 0, int(f.Width()*layerShown), int(f.Height()*layerShown)))
	step := 1 / (v.scale * layerShown) // metres of a pixel
	left, top := (v.box.MinX+v.box.MaxX)/2-f.Width()/2/v.scale, (v.box.MinY+v.box.MaxY)/2+f.Height()/2/v.scale
	cols := make([]int, out.Rect.Dx())
	for x := range cols {
		cols[x], _ = l.Grid.PixelAt(geo.Position{X: left + (float64(x)+0.5)*step, Y: top})
	}
	for y := range out.Rect.Dy() {
		_, row := l.Grid.PixelAt(geo.Position{X: left, Y: top - (float64(y)+0.5)*step})
		if row < 0 || row >= l.Rows {
			continue
		}
		last := -1
		var c indexmap.Color
		var seen bool
		for x, col := range cols {
			if col < 0 || col >= l.Cols {
				continue
			}
			i := row*l.Cols + col
			if i != last { // a pixel of the layer is many of the picture
				last = i
				c, seen = p.colorOf(i)
			}
			switch {
			case seen:
				out.SetNRGBA(x, y, solid(c))
			case l.Inside[i]:
				out.SetNRGBA(x, y, hatched(x, y))
			}
		}
	}
	return out
}

// colorOf returns what the scenes show at a pixel of the layer, or the colour of its value; false where nothing was seen.
func (p *layerPicture) colorOf(i int) (indexmap.Color, bool) {
	if p.in.Photo != nil {
		return p.in.Photo.Color(i)
	}
	value := p.in.Layer.Values[i]
	if math.IsNaN(value) {
		return indexmap.Color{}, false
	}
	return p.color(value), true
}

// hatched returns the colour of a place where nothing was seen: grey with stripes, which no colour of an index has.
func hatched(x, y int) color.NRGBA {
	if (x+y)%hatch < hatch/4 {
		return draw.Soft
	}
	return solid(indexmap.Unseen)
}

func solid(c indexmap.Color) color.NRGBA { return color.NRGBA{R: c.R, G: c.G, B: c.B, A: 0xff} }

// color returns the colour of a value.
func (p *layerPicture) color(v float64) indexmap.Color {
	if c := p.in.Classes; c != nil {
		return p.in.Style.OfClass(max(1, c.Of(v)), len(c.Each))
	}
	shade, _ := p.in.Style.Shade(v)
	return p.in.Style.Colors[shade]
}
