// Package render draws: the chart of a profile. It computes nothing of what it shows.
package render

import (
	"fmt"
	"image/color"
	"io"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"tilth/core/vegetation"
)

// Size of a chart: a column of text wide, and about half as high.
const (
	chartWidth  = 22 * vg.Centimeter
	chartHeight = 10 * vg.Centimeter
)

var (
	leaf   = color.RGBA{R: 0x3d, G: 0x6b, B: 0x35, A: 0xff}
	soft   = color.RGBA{R: 0x8a, G: 0x84, B: 0x78, A: 0xff}
	grid   = color.RGBA{R: 0xe4, G: 0xdf, B: 0xd3, A: 0xff}
	season = color.RGBA{R: 0xf3, G: 0xf6, B: 0xee, A: 0xff}
)

// SeriesSVG draws a series as SVG: the accepted dates as points joined by a line, the
// rejected ones as ticks on the axis, the season shaded.
func SeriesSVG(w io.Writer, s vegetation.Series, from, to time.Time) error {
	p := plot.New()
	p.Title.Text = title(s)
	p.Title.TextStyle.Font.Size = 12
	p.Y.Label.Text = string(s.Index)
	p.X.Tick.Marker = plot.TimeTicks{Format: "2 Jan\n2006", Ticker: months{from, to}}
	p.X.Min, p.X.Max = seconds(from.AddDate(0, 0, -5)), seconds(to.AddDate(0, 0, 6))
	p.Y.Min, p.Y.Max = bounds(s)
	p.Add(shade{seconds(from), seconds(to.AddDate(0, 0, 1))})
	lines := plotter.NewGrid()
	lines.Vertical.Color, lines.Horizontal.Color = grid, grid
	p.Add(lines)
	if err := addPoints(p, s); err != nil {
		return err
	}
	p.Add(ticks{s.Rejected})
	canvas := vgsvg.New(chartWidth, chartHeight)
	p.Draw(draw.New(canvas))
	_, err := canvas.WriteTo(w)
	return err
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

func addPoints(p *plot.Plot, s vegetation.Series) error {
	if len(s.Observations) == 0 {
		return nil
	}
	points := make(plotter.XYs, len(s.Observations))
	for i, o := range s.Observations {
		points[i] = plotter.XY{X: seconds(o.Date), Y: o.Value}
	}
	line, scatter, err := plotter.NewLinePoints(points)
	if err != nil {
		return fmt.Errorf("draw the series: %w", err)
	}
	line.Color, line.Width = leaf, vg.Points(1)
	scatter.GlyphStyle = draw.GlyphStyle{Color: leaf, Radius: vg.Points(2.5), Shape: draw.CircleGlyph{}}
	p.Add(line, scatter)
	return nil
}

// shade is the background of the season.
type shade struct{ from, to float64 }

func (b shade) Plot(c draw.Canvas, p *plot.Plot) {
	x, _ := p.Transforms(&c)
	left, right := x(b.from), x(b.to)
	c.FillPolygon(season, []vg.Point{{X: left, Y: c.Min.Y}, {X: right, Y: c.Min.Y}, {X: right, Y: c.Max.Y}, {X: left, Y: c.Max.Y}})
}

// ticks are the rejected dates, above the axis.
type ticks struct{ rejected []vegetation.Rejection }

func (t ticks) Plot(c draw.Canvas, p *plot.Plot) {
	x, _ := p.Transforms(&c)
	style := draw.LineStyle{Color: soft, Width: vg.Points(1)}
	for _, r := range t.rejected {
		at := x(seconds(r.Date))
		c.StrokeLine2(style, at, c.Min.Y, at, c.Min.Y+vg.Points(7))
	}
}

// months puts a tick on the first of a month, so many that their labels do not touch.
type months struct{ from, to time.Time }

func (m months) Ticks(_, _ float64) []plot.Tick {
	span := int(m.to.Sub(m.from).Hours()/24/30) + 1
	step := max(1, (span+11)/12)
	var out []plot.Tick
	first := time.Date(m.from.Year(), m.from.Month(), 1, 0, 0, 0, 0, time.UTC)
	for t := first; !t.After(m.to); t = t.AddDate(0, step, 0) {
		out = append(out, plot.Tick{Value: seconds(t), Label: "x"})
	}
	return out
}
