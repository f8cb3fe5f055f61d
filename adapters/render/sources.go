package render

import (
	"bytes"
	"fmt"

	"github.com/golang/freetype/truetype"
	chart "github.com/wcharczuk/go-chart/v2"
	"github.com/wcharczuk/go-chart/v2/drawing"

	"tilth/core/ghg"
)

// Measures of the chart of sources, pixels: 300 to the inch where it is 180 mm wide.
const (
	sourcesWidth  = 2126
	sourcesBar    = 44
	sourcesStep   = 66
	sourcesLabels = 520
	sourcesFigure = 300
	sourcesEdge   = 20
	sourcesDPI    = 300
	sourcesLetter = 8 // points
	sourcesMost   = 14
)

var whisker = drawing.ColorFromHex("8a8478")

// bar is one source of the chart: t CO2e with its range.
type bar struct {
	name           string
	co2e, low, top float64
}

// barsOf sums the lines up by label, the largest first; the smallest are put together
// where there are more than the chart holds. Ranges of lines with one label are added,
// as if they moved together.
func barsOf(lines []ghg.SourceLine) []bar {
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
	for i := 1; i < len(out); i++ { // sums may overtake single lines
		for j := i; j > 0 && out[j].co2e > out[j-1].co2e; j-- {
			out[j], out[j-1] = out[j-1], out[j]
		}
	}
	if len(out) <= sourcesMost {
		return out
	}
	rest := bar{name: fmt.Sprintf("%d others", len(out)-sourcesMost+1)}
	for _, b := range out[sourcesMost-1:] {
		rest.co2e, rest.low, rest.top = rest.co2e+b.co2e, rest.low+b.low, rest.top+b.top
	}
	return append(out[:sourcesMost-1:sourcesMost-1], rest)
}

// drawSources draws emissions by source as PNG: a bar each, with its 95 % range as a whisker.
func drawSources(lines []ghg.SourceLine) ([]byte, error) {
	letters, err := goTypeface()
	if err != nil {
		return nil, fmt.Errorf("read the typeface: %w", err)
	}
	bars := barsOf(lines)
	most := 0.0
	for _, b := range bars {
		most = max(most, b.co2e, b.top)
	}
	if most == 0 {
		return nil, nil
	}
	height := 2*sourcesEdge + len(bars)*sourcesStep
	r, err := chart.PNG(sourcesWidth, height)
	if err != nil {
		return nil, fmt.Errorf("begin the chart: %w", err)
	}
	r.SetDPI(sourcesDPI)
	chart.Draw.Box(r, chart.Box{Right: sourcesWidth, Bottom: height}, chart.Style{FillColor: drawing.ColorWhite, StrokeColor: drawing.ColorWhite})
	for i, b := range bars {
		drawBar(r, letters, b, sourcesEdge+i*sourcesStep, most)
	}
	stroke(r, chart.Style{StrokeColor: soft, StrokeWidth: 2}, sourcesLabels, 0, sourcesLabels, height)
	var out bytes.Buffer
	if err := r.Save(&out); err != nil {
		return nil, fmt.Errorf("draw the chart: %w", err)
	}
	return out.Bytes(), nil
}

func drawBar(r chart.Renderer, letters *truetype.Font, b bar, top int, most float64) {
	const span = sourcesWidth - sourcesLabels - sourcesFigure
	at := func(v float64) int { return sourcesLabels + int(v/most*span) }
	chart.Draw.Box(r, chart.Box{Left: sourcesLabels, Top: top, Right: at(b.co2e), Bottom: top + sourcesBar},
		chart.Style{FillColor: line, StrokeColor: line, StrokeWidth: 1})
	middle := top + sourcesBar/2
	whiskers := chart.Style{StrokeColor: whisker, StrokeWidth: 3}
	stroke(r, whiskers, at(b.low), middle, at(b.top), middle)
	for _, end := range []float64{b.low, b.top} {
		stroke(r, whiskers, at(end), middle-8, at(end), middle+8)
	}
	r.SetFont(letters) // a stroke forgets it
	r.SetFontSize(sourcesLetter)
	r.SetFontColor(ink)
	name := legible(b.name)
	base := middle + r.MeasureText("N").Height()/2
	r.Text(name, sourcesLabels-24-r.MeasureText(name).Width(), base)
	r.Text(fixed(b.co2e, 3), at(max(b.co2e, b.top))+20, base)
}
