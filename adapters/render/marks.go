package render

import (
	chart "github.com/wcharczuk/go-chart/v2"

	"tilth/core/vegetation"
)

// The marks of a chart. Widths are pixels.
const (
	dotRadius = 3
	lineWidth = 2
	tickWidth = 1.5
)

// band shades a span of the date axis, over the whole height.
type band struct{ from, to float64 }

// GetName implements chart.Series.
func (band) GetName() string { return "" }

// GetYAxis implements chart.Series.
func (band) GetYAxis() chart.YAxisType { return chart.YAxisPrimary }

// GetStyle implements chart.Series.
func (band) GetStyle() chart.Style { return chart.Style{} }

// Validate implements chart.Series.
func (band) Validate() error { return nil }

// Render implements chart.Series.
func (b band) Render(r chart.Renderer, canvas chart.Box, x, _ chart.Range, _ chart.Style) {
	box := canvas
	box.Bottom-- // the axis stays to be seen
	box.Left, box.Right = canvas.Left+x.Translate(b.from), canvas.Left+x.Translate(b.to)
	chart.Draw.Box(r, box, chart.Style{FillColor: season, StrokeColor: season, StrokeWidth: 1})
}

// lines are the horizontal lines of the values, upon the season's shade.
type lines []chart.Tick

// GetName implements chart.Series.
func (lines) GetName() string { return "" }

// GetYAxis implements chart.Series.
func (lines) GetYAxis() chart.YAxisType { return chart.YAxisPrimary }

// GetStyle implements chart.Series.
func (lines) GetStyle() chart.Style { return chart.Style{} }

// Validate implements chart.Series.
func (lines) Validate() error { return nil }

// Render implements chart.Series.
func (l lines) Render(r chart.Renderer, canvas chart.Box, _, y chart.Range, _ chart.Style) {
	for _, t := range l[1:] { // the first is the axis
		at := canvas.Bottom - y.Translate(t.Value)
		stroke(r, chart.Style{StrokeColor: grid, StrokeWidth: 1}, canvas.Left+1, at, canvas.Right, at)
	}
}

func stroke(r chart.Renderer, style chart.Style, x0, y0, x1, y1 int) {
	style.GetStrokeOptions().WriteToRenderer(r)
	defer r.ResetStyle()
	r.MoveTo(x0, y0)
	r.LineTo(x1, y1)
	r.Stroke()
}

// tick is a rejected date, above the axis.
func tick(at, low, high float64) chart.Series {
	return chart.ContinuousSeries{
		XValues: []float64{at, at}, YValues: []float64{low, low + tickHeight*(high-low)},
		Style: chart.Style{StrokeColor: soft, StrokeWidth: tickWidth},
	}
}

// smoothed is one run of the smoothed line.
func smoothed(run vegetation.Profile) chart.Series {
	out := chart.ContinuousSeries{Style: chart.Style{StrokeColor: line, StrokeWidth: lineWidth}}
	for _, p := range run {
		out.XValues, out.YValues = append(out.XValues, seconds(p.Date)), append(out.YValues, p.Value)
	}
	return out
}

// points are the accepted dates.
func points(s vegetation.Series) chart.Series {
	out := chart.ContinuousSeries{Style: chart.Style{StrokeWidth: chart.Disabled, DotColor: leaf, DotWidth: dotRadius}}
	for _, o := range s.Observations {
		out.XValues, out.YValues = append(out.XValues, seconds(o.Date)), append(out.YValues, o.Value)
	}
	return out
}

// Layout of the legend, a line between the title and the canvas.
const (
	legendFont = 9
	legendMark = 22 // width of a mark
	legendGap  = 6  // between a mark and its text
	legendNext = 24 // between two of them
	legendRise = 14 // baseline above the canvas
	// valueNameAt is where the name of the value axis stands.
	valueNameAt = 24
)

// legend explains the marks that the chart has, above the canvas.
func legend(s vegetation.Series, smooth bool) chart.Renderable {
	return func(r chart.Renderer, canvas chart.Box, defaults chart.Style) {
		x, y := canvas.Left, canvas.Top-legendRise
		item := func(mark func(left, middle int), text string) {
			mark(x, y-4)
			style := chart.Style{FontSize: legendFont, FontColor: ink}.InheritFrom(defaults)
			chart.Draw.Text(r, text, x+legendMark+legendGap, y, style)
			x += legendMark + legendGap + chart.Draw.MeasureText(r, text, style).Width() + legendNext
		}
		if len(s.Observations) > 0 {
			item(func(left, middle int) {
				chart.Style{FillColor: leaf, StrokeColor: leaf, StrokeWidth: 1}.GetFillAndStrokeOptions().WriteToRenderer(r)
				defer r.ResetStyle()
				r.Circle(dotRadius, left+legendMark/2, middle)
				r.FillStroke()
			}, "accepted date")
		}
		if smooth {
			item(func(left, middle int) {
				stroke(r, chart.Style{StrokeColor: line, StrokeWidth: lineWidth}, left, middle, left+legendMark, middle)
			}, "smoothed")
		}
		if len(s.Rejected) > 0 {
			item(func(left, middle int) {
				stroke(r, chart.Style{StrokeColor: soft, StrokeWidth: tickWidth}, left+legendMark/2, middle-5, left+legendMark/2, middle+5)
			}, "rejected date")
		}
		item(func(left, middle int) {
			chart.Draw.Box(r, chart.Box{Left: left, Right: left + legendMark, Top: middle - 5, Bottom: middle + 5},
				chart.Style{FillColor: season, StrokeColor: grid, StrokeWidth: 1})
		}, "season")
	}
}

// valueName names the value axis, at the edge of the picture. The library would write it over
// the labels of the axis.
func valueName(text string) chart.Renderable {
	return func(r chart.Renderer, canvas chart.Box, defaults chart.Style) {
		style := chart.Style{FontSize: chart.DefaultAxisFontSize, FontColor: ink}.InheritFrom(defaults)
		width := chart.Draw.MeasureText(r, text, style).Width()
		style.TextRotationDegrees = 270
		chart.Draw.Text(r, text, valueNameAt, canvas.Top+canvas.Height()/2+width/2, style)
	}
}

// note says in the middle of an empty canvas why it is empty.
func note(text string) chart.Renderable {
	return func(r chart.Renderer, canvas chart.Box, defaults chart.Style) {
		style := chart.Style{
			FontSize: 12, FontColor: soft, TextHorizontalAlign: chart.TextHorizontalAlignCenter, TextVerticalAlign: chart.TextVerticalAlignMiddle,
		}.InheritFrom(defaults)
		chart.Draw.TextWithin(r, text, canvas, style)
	}
}
