package render

import (
	"fmt"
	"image"
	"image/color"
	"math"

	"tilth/adapters/render/internal/draw"
	"tilth/core/indexmap"
	"tilth/core/vegetation"
)

// Layout of the legend of a date of a map, in pixels.
const (
	barHigh  = 230.0
	barWide  = 26.0
	swatch   = 34.0
	atFigure = 92.0 // where the mean and the percentiles are, beside the bar
)

// column explains the map, from the top of a box on, and returns where it ends.
func (p *layerPicture) column(b draw.Box) float64 {
	if p.in.Photo != nil {
		return p.combination(b)
	}
	y := p.wrapped(p.name(), b.Left, b.Top+14, b.Width(), draw.Heading) + 2
	switch {
	case p.in.Classes != nil:
		y = p.classes(b, y)
	case p.in.Layer.Subject.Kind == indexmap.Numbers:
		y = p.numbers(b, y)
	default:
		y = p.bar(b, y)
	}
	item := func(text string, fill func(box draw.Box)) {
		fill(draw.Box{Left: b.Left, Top: y, Right: b.Left + swatch, Bottom: y + 22})
		y = p.wrapped(text, b.Left+swatch+12, y+15, b.Width()-swatch-12, draw.Text) + 3
	}
	f := p.figures
	if f.Coverage < 1 {
		why := "Not seen, mostly clouds"
		if p.in.Layer.Subject.Name != "" {
			why = "Without a value"
		}
		item(fmt.Sprintf("%s: %s %% of the field", why, share(1-f.Coverage)), func(box draw.Box) {
			p.Image(hatchedImage(box), box)
			p.Box(box, draw.Style{Edge: draw.Soft, Width: 1})
		})
	}
	item("Outline of the field; what is outside does not count", func(box draw.Box) {
		middle := (box.Top + box.Bottom) / 2
		p.Line(box.Left, middle, box.Right, middle, draw.Ink, edgeWidth*0.7)
	})
	if f.Valid == 0 {
		return p.wrapped("No pixel of the field has a value.", b.Left, y+8, b.Width(), draw.Text)
	}
	lines := []string{fmt.Sprintf("%s of %s pixels of the field have a value.", fixed(float64(f.Valid), 0), fixed(float64(f.Pixels), 0))}
	if !math.IsNaN(f.Std) {
		lines = append(lines, fmt.Sprintf("Mean %s, standard deviation %s, from %s to %s.", p.number(f.Mean), p.number(f.Std), p.number(f.Min), p.number(f.Max)))
	}
	if p.in.Classes == nil && (f.Min < p.in.Style.Low || f.Max > p.in.Style.High) {
		lines = append(lines, "Values beyond the ends of the scale have the colours of its ends.")
	}
	if p.in.Layer.Weights != nil {
		lines = append(lines, "The field is small: each pixel counts with the share of its area in it.")
	}
	if c := p.in.Classes; c != nil {
		lines = append(lines, c.Notes...)
	}
	if a := p.in.About; a != nil {
		lines = append(lines, a.Notes...)
	}
	y += 8
	for _, line := range lines {
		y = p.wrapped(line, b.Left, y, b.Width(), draw.Muted) + 3
	}
	return y
}

// combination explains a picture in the colours of the scenes, as column does for a map.
func (p *layerPicture) combination(b draw.Box) float64 {
	photo := p.in.Photo
	y := p.wrapped(photo.Name, b.Left, b.Top+14, b.Width(), draw.Heading) + 2
	for n, of := range []string{"Red", "Green", "Blue"} {
		fill := color.NRGBA{A: 0xff}
		*[]*uint8{&fill.R, &fill.G, &fill.B}[n] = 0xd0
		p.Box(draw.Box{Left: b.Left, Top: y, Right: b.Left + swatch, Bottom: y + 22}, draw.Style{Fill: fill, Edge: draw.Soft, Width: 1})
		text := fmt.Sprintf("%s: %s, reflectances from 0 to %g", of, photo.Bands[n], photo.White[n])
		y = p.wrapped(text, b.Left+swatch+12, y+15, b.Width()-swatch-12, draw.Text) + 3
	}
	for _, line := range []string{
		fmt.Sprintf("Dark land is brightened (gamma %g), alike on all dates and of all fields: pictures can be compared.", indexmap.Gamma),
		"Clouds and their shadows are shown as they were seen, also where the map of the index has no value.",
	} {
		y = p.wrapped(line, b.Left, y+8, b.Width(), draw.Muted)
	}
	return y
}

// name returns the index in words, or the title of the layer.
func (p *layerPicture) name() string {
	if p.in.Layer.Subject.Name != "" {
		return p.in.Layer.Title()
	}
	index, err := vegetation.ParseIndex(string(p.in.Layer.Index))
	if err != nil {
		return string(p.in.Layer.Index)
	}
	return fmt.Sprintf("%s: %s", index.Code, lowerFirst(index.Name))
}

func lowerFirst(text string) string {
	if text == "" {
		return text
	}
	return string(text[0]|0x20) + text[1:]
}

// share writes a share in percent: a share that is not 0 never reads as 0.
func share(v float64) string {
	if percent := 100 * v; percent >= 1 || percent == 0 {
		return fmt.Sprintf("%.0f", percent)
	}
	return "less than 1"
}

func hatchedImage(b draw.Box) *image.NRGBA {
	out := image.NewNRGBA(image.Rect(0, 0, int(b.Width())*layerShown, int(b.Height())*layerShown))
	for y := range out.Rect.Dy() {
		for x := range out.Rect.Dx() {
			out.SetNRGBA(x, y, hatched(x, y))
		}
	}
	return out
}

// bar draws the scale of the style, the highest value at the top, and where the field's values lie on it.
func (p *layerPicture) bar(b draw.Box, y float64) float64 {
	s := p.in.Style
	box := draw.Box{Left: b.Left, Top: y, Right: b.Left + barWide, Bottom: y + barHigh}
	colors := image.NewNRGBA(image.Rect(0, 0, 1, indexmap.Shades))
	for i, c := range s.Colors {
		colors.SetNRGBA(0, indexmap.Shades-1-i, solid(c))
	}
	p.Image(colors, box)
	p.Box(box, draw.Style{Edge: draw.Soft, Width: 1})
	at := func(v float64) float64 {
		return box.Bottom - min(1, max(0, (v-s.Low)/(s.High-s.Low)))*barHigh
	}
	if p.in.Layer.Subject.Kind == indexmap.Direction {
		for k, name := range []string{"N", "E", "S", "W", "N"} {
			tick := at(float64(k) * 90)
			p.Line(box.Right, tick, box.Right+6, tick, draw.Soft, 1)
			p.Write(name, box.Right+10, tick+4, draw.Text)
		}
		return box.Bottom + draw.Gap
	}
	step := stepOf(s.High - s.Low)
	for k := math.Ceil(s.Low/step - 1e-9); k*step <= s.High+1e-9; k++ {
		tick := at(k * step)
		p.Line(box.Right, tick, box.Right+6, tick, draw.Soft, 1)
		p.Write(p.number(k*step), box.Right+10, tick+4, draw.Text)
	}
	if f := p.figures; len(f.Percentiles) > 0 {
		p.spread(b.Left+atFigure, at, f)
	}
	return box.Bottom + draw.Gap
}

// spread draws the mean of the field beside the scale, and the percentiles between which most of it lies.
func (p *layerPicture) spread(x float64, at func(float64) float64, f indexmap.Statistics) {
	percentile := map[int]float64{}
	for _, q := range f.Percentiles {
		percentile[q.Percent] = q.Value
	}
	low, mean, high := at(percentile[10]), at(f.Mean), at(percentile[90])
	p.Line(x, high, x, low, draw.Ink, 2)
	p.Line(x-4, high, x+4, high, draw.Ink, 2)
	p.Line(x-4, low, x+4, low, draw.Ink, 2)
	p.Circle(draw.Point{X: x, Y: mean}, 4, draw.Style{Fill: draw.Ink})
	const room = 16
	top, bottom := at(p.in.Style.High), at(p.in.Style.Low)
	middle := min(bottom-room, max(top+room, mean)) // the texts stay beside the scale
	p.Write(fmt.Sprintf("mean %s", p.number(f.Mean)), x+11, middle+4, draw.Strong)
	p.Write(fmt.Sprintf("10 %% above %s", p.number(percentile[90])), x+11, min(high, middle-room)+4, draw.Text)
	p.Write(fmt.Sprintf("10 %% below %s", p.number(percentile[10])), x+11, max(low, middle+room)+4, draw.Text)
}

// stepOf returns the distance between some six round values within a width.
func stepOf(width float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(width/6)))
	for _, times := range []float64{1, 2, 5} {
		if times*power*7 >= width {
			return times * power
		}
	}
	return 10 * power
}

// classes draws the classes, the highest at the top.
func (p *layerPicture) classes(b draw.Box, y float64) float64 {
	c := p.in.Classes
	for k := len(c.Each) - 1; k >= 0; k-- {
		class := c.Each[k]
		p.Box(draw.Box{Left: b.Left, Top: y, Right: b.Left + swatch, Bottom: y + 22},
			draw.Style{Fill: solid(p.in.Style.OfClass(class.Number, len(c.Each))), Edge: draw.Soft, Width: 1})
		text := fmt.Sprintf("%d: %s to %s, %s %%", class.Number, p.number(class.Low), p.number(class.High), share(class.Share))
		y = p.wrapped(text, b.Left+swatch+12, y+15, b.Width()-swatch-12, draw.Text) + 3
	}
	return y + draw.Gap/2
}

// maxNumbers is how many numbers are explained one by one.
const maxNumbers = 12

// numbers draws the zones, the highest at the top, or else the numbers of a layer of numbers.
func (p *layerPicture) numbers(b draw.Box, y float64) float64 {
	entry := func(v float64, text string) {
		shade, _ := p.in.Style.Shade(v)
		p.Box(draw.Box{Left: b.Left, Top: y, Right: b.Left + swatch, Bottom: y + 22},
			draw.Style{Fill: solid(p.in.Style.Colors[shade]), Edge: draw.Soft, Width: 1})
		y = p.wrapped(text, b.Left+swatch+12, y+15, b.Width()-swatch-12, draw.Text) + 3
	}
	if a := p.in.About; a != nil && len(a.Zones) > 0 {
		for i := len(a.Zones) - 1; i >= 0; i-- {
			z := a.Zones[i]
			side := "above"
			if z.Mean < 0 {
				side = "below"
			}
			entry(float64(z.Number), fmt.Sprintf("Zone %d: %.2f ha, %s %%, peak %.3f %s the field's", z.Number, z.AreaHa, share(z.Share), math.Abs(z.Mean), side))
		}
		return y + draw.Gap/2
	}
	for i, class := range p.in.Layer.Numbered().Each {
		if i == maxNumbers {
			y = p.wrapped("and more", b.Left+swatch+12, y+15, b.Width()-swatch-12, draw.Text) + 3
			break
		}
		entry(class.Low, fmt.Sprintf("%d: %s %%", class.Number, share(class.Share)))
	}
	return y + draw.Gap/2
}
