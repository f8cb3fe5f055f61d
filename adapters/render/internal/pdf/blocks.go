package pdf

import (
	"slices"

	"tilth/adapters/render/internal/draw"
)

// Fact is a name and its value.
type Fact [2]string

// Facts writes names with their values, a number of them side by side.
func (d *Document) Facts(facts []Fact, across int) {
	const names = 31.0
	width := d.text / float64(across)
	for row := range slices.Chunk(facts, across) {
		values, upper := make([][]string, len(row)), 1
		for i, fact := range row {
			values[i] = d.lines(fact[1], draw.Strong, width-names-2)
			upper = max(upper, len(values[i]))
		}
		height := float64(upper) * lineHeight(draw.Text)
		d.Need(height)
		y := d.At()
		for i, fact := range row {
			x := Margin + float64(i)*width
			d.put(d.lines(fact[0], draw.Muted, names), x, y, draw.Muted)
			d.put(values[i], x+names, y, draw.Strong)
		}
		d.MoveTo(y + height + 0.5)
	}
}

// Figure is a name, a number and its unit.
type Figure [3]string

// Figures writes numbers that are to be seen first, three side by side.
func (d *Document) Figures(figures []Figure) {
	const across, gap, height, inset = 3, 3.0, 18.0, 2.5
	value := draw.Letters{Size: 15, Bold: true, Color: draw.Leaf}
	width := (d.width - gap*(across-1)) / across
	for row := range slices.Chunk(figures, across) {
		d.Need(height)
		y := d.At()
		for i, f := range row {
			x := Margin + float64(i)*(width+gap)
			d.shape(draw.Style{Fill: draw.Tint})
			d.f.Rect(x, y, width, height, "F")
			d.put(d.lines(f[0], draw.Note, width-inset)[:1], x+inset, y+1.8, draw.Note)
			d.put([]string{f[1]}, x+inset, y+5.6, value)
			d.put(d.lines(f[2], draw.Note, width-inset)[:1], x+inset, y+13, draw.Note)
		}
		d.MoveTo(y + height + gap)
	}
}

// Blanks draws boxes to be written in by hand, side by side, each with its name.
func (d *Document) Blanks(names []string) {
	const height, inset = 13.0, 1.2
	d.Need(height)
	y, width := d.At(), d.width/float64(len(names))
	for i, name := range names {
		x := Margin + float64(i)*width
		d.shape(draw.Style{Edge: draw.Soft, Width: 0.7})
		d.f.Rect(x, y, width, height, "D")
		d.put([]string{name}, x+inset, y+inset, draw.Note)
	}
	d.MoveTo(y + height + Gap)
}
