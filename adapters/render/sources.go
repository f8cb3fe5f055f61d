package render

import (
	"cmp"
	"fmt"
	"slices"

	"tilth/adapters/render/internal/draw"
	"tilth/adapters/render/internal/pdf"
	"tilth/core/ghg/report"
)

// Layout of the chart of sources, in pixels.
const (
	sourcesWidth  = 680
	sourcesBar    = 14
	sourcesStep   = 21
	sourcesLabels = 166 // to the left of the bars
	sourcesFigure = 90  // to the right of them
	sourcesEdge   = 6
	maxSources    = 14
)

// bar is one source of the chart: t CO2e with its range.
type bar struct {
	name           string
	co2e, low, top float64
}

// barsOf sums the lines up by label, the largest first; the smallest are put together
// where there are more than the chart holds. Ranges of lines with one label are added,
// as if they moved together.
func barsOf(lines []report.SourceLine) []bar {
	var out []bar
	at := map[string]int{}
	for _, l := range lines { // the largest line first
		i, ok := at[l.Label]
		if !ok {
			i = len(out)
			at[l.Label] = i
			out = append(out, bar{name: words(l.Label)})
		}
		out[i].co2e, out[i].low, out[i].top = out[i].co2e+l.CO2e, out[i].low+l.Low, out[i].top+l.High
	}
	slices.SortStableFunc(out, func(a, b bar) int { return cmp.Compare(b.co2e, a.co2e) }) // sums may overtake single lines
	if len(out) <= maxSources {
		return out
	}
	rest := bar{name: fmt.Sprintf("%d others", len(out)-maxSources+1)}
	for _, b := range out[maxSources-1:] {
		rest.co2e, rest.low, rest.top = rest.co2e+b.co2e, rest.low+b.low, rest.top+b.top
	}
	return append(out[:maxSources-1:maxSources-1], rest)
}

// printSources draws emissions by source: a bar each, with its 95 % range as a whisker.
func printSources(d *pdf.Document, lines []report.SourceLine) {
	bars := barsOf(lines)
	top := 0.0
	for _, b := range bars {
		top = max(top, b.co2e, b.top)
	}
	if top == 0 {
		return
	}
	height := (2*sourcesEdge + float64(len(bars))*sourcesStep) * d.Width() / sourcesWidth
	d.Heading("Emissions by source, t CO2e, with the 95 % range of each", height)
	d.Draw(height, sourcesWidth, func(c draw.Canvas) {
		const span = sourcesWidth - sourcesLabels - sourcesFigure
		at := func(v float64) float64 { return sourcesLabels + v/top*span }
		for i, b := range bars {
			y := sourcesEdge + float64(i)*sourcesStep
			middle := y + sourcesBar/2
			c.Box(draw.Box{Left: sourcesLabels, Top: y, Right: at(b.co2e), Bottom: y + sourcesBar}, draw.Style{Fill: draw.Spray})
			c.Line(at(b.low), middle, at(b.top), middle, draw.Soft, 1)
			for _, end := range []float64{b.low, b.top} {
				c.Line(at(end), middle-3, at(end), middle+3, draw.Soft, 1)
			}
			c.Aligned(draw.Right, b.name, sourcesLabels-8, middle+4, draw.Text)
			c.Write(fixed(b.co2e, 3), at(max(b.co2e, b.top))+7, middle+4, draw.Text)
		}
		c.Line(sourcesLabels, 0, sourcesLabels, c.Height, draw.Soft, 1)
	})
}
