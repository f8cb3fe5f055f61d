// Package render draws: the chart of a profile. It computes nothing of what it shows.
package render

import (
	"fmt"
	"io"
	"time"

	chart "github.com/wcharczuk/go-chart/v2"
	"github.com/wcharczuk/go-chart/v2/drawing"

	"tilth/core/vegetation"
)

// Size of a chart in pixels: a column of text wide, and about half as high.
const (
	chartWidth  = 880
	chartHeight = 420
	// tickHeight is how high the tick of a rejected date stands, as a share of the axis.
	tickHeight = 0.03
)

var (
	leaf   = drawing.ColorFromHex("3d6b35")
	soft   = drawing.ColorFromHex("8a8478")
	grid   = drawing.ColorFromHex("e4dfd3")
	season = drawing.ColorFromHex("f3f6ee")
	ink    = drawing.ColorFromHex("2c2a26")
)

// SeriesSVG draws a series as SVG: the accepted dates as points joined by a line, the
// rejected ones as ticks on the axis, the season shaded.
func SeriesSVG(w io.Writer, s vegetation.Series, from, to time.Time) error {
	low, high := bounds(s)
	first, last := seconds(from), seconds(to.AddDate(0, 0, 1))
	c := chart.Chart{
		Title: title(s), TitleStyle: chart.Style{FontSize: 12, FontColor: ink},
		Width: chartWidth, Height: chartHeight,
		Background: chart.Style{Padding: chart.Box{Top: 40, Left: 16, Right: 16, Bottom: 16}},
		XAxis: chart.XAxis{
			Range: &chart.ContinuousRange{Min: first, Max: last}, Ticks: months(from, to),
			Style: chart.Style{FontColor: ink, StrokeColor: soft},
		},
		YAxis: chart.YAxis{
			Name: string(s.Index), NameStyle: chart.Style{FontColor: ink},
			Range: &chart.ContinuousRange{Min: low, Max: high}, AxisType: chart.YAxisSecondary,
			Ticks: fifths(low, high), Style: chart.Style{FontColor: ink, StrokeColor: soft},
			GridMajorStyle: chart.Style{StrokeColor: grid, StrokeWidth: 1},
		},
		Series: []chart.Series{shade(first, last, high)},
	}
	for _, r := range s.Rejected {
		c.Series = append(c.Series, tick(seconds(r.Date), low, high))
	}
	if len(s.Observations) > 0 {
		c.Series = append(c.Series, points(s))
	}
	if err := c.Render(chart.SVG, w); err != nil {
		return fmt.Errorf("draw the series: %w", err)
	}
	return nil
}

func title(s vegetation.Series) string {
	text := fmt.Sprintf("%s: %d dates, %d rejected", s.Index, len(s.Observations), len(s.Rejected))
	if s.Synthetic {
		text += " (synthetic)"
	}
	return text
}

// bounds gives the range of the value axis: 0 to 1, or as far as the values go.
func bounds(s vegetation.Series) (low, high float64) {
	low, high = 0, 1
	for _, o := range s.Observations {
		low, high = min(low, o.Value), max(high, o.Value)
	}
	return low, high
}

func seconds(t time.Time) float64 { return float64(t.Unix()) }

// shade is the background of the season.
func shade(from, to, high float64) chart.Series {
	return chart.ContinuousSeries{
		XValues: []float64{from, to}, YValues: []float64{high, high},
		Style: chart.Style{StrokeColor: season, StrokeWidth: 1, FillColor: season},
	}
}

// tick is a rejected date, above the axis.
func tick(at, low, high float64) chart.Series {
	return chart.ContinuousSeries{
		XValues: []float64{at, at}, YValues: []float64{low, low + tickHeight*(high-low)},
		Style: chart.Style{StrokeColor: soft, StrokeWidth: 1.5},
	}
}

func points(s vegetation.Series) chart.Series {
	out := chart.ContinuousSeries{Style: chart.Style{StrokeColor: leaf, StrokeWidth: 1.5, DotColor: leaf, DotWidth: 3}}
	for _, o := range s.Observations {
		out.XValues, out.YValues = append(out.XValues, seconds(o.Date)), append(out.YValues, o.Value)
	}
	return out
}

// fifths gives the ticks of the value axis.
func fifths(low, high float64) []chart.Tick {
	out := make([]chart.Tick, 6)
	for i := range out {
		v := low + (high-low)*float64(i)/5
		out[i] = chart.Tick{Value: v, Label: fmt.Sprintf("%.1f", v)}
	}
	return out
}

// months puts a tick on the first of a month, so many that their labels do not touch. The
// axis reaches from its first tick to its last, so the ends of the season have ticks too,
// without a label.
func months(from, to time.Time) []chart.Tick {
	span := int(to.Sub(from).Hours()/24/30) + 1
	step := max(1, (span+11)/12)
	var out []chart.Tick
	if from.Day() != 1 {
		out = append(out, chart.Tick{Value: seconds(from)})
	}
	for t := time.Date(from.Year(), from.Month(), 1, 0, 0, 0, 0, time.UTC); !t.After(to); t = t.AddDate(0, step, 0) {
		if !t.Before(from) {
			out = append(out, chart.Tick{Value: seconds(t), Label: t.Format("Jan 2006")})
		}
	}
	return append(out, chart.Tick{Value: seconds(to.AddDate(0, 0, 1))})
}
