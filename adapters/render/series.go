// Package render draws and prints: the chart of a profile, maps of indices and their tiles, maps of zones and sample plans, field
// sheets and impact reports, on the kit of internal/draw and internal/pdf. It computes none of what it shows.
package render

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"tilth/adapters/render/internal/draw"
	"tilth/core/effort"
	"tilth/core/phenology"
	"tilth/core/vegetation"
	"tilth/ports"
)

// Layout of a chart in pixels: a column of text wide, and about half as high.
const (
	chartWidth  = 960
	chartHeight = 460
	titleLine   = 28
	legendLine  = 55
	dotRadius   = 3
	curveWidth  = 2
	tickWidth   = 1.5
	// tickHeight is the height of the tick of a rejected date, as a share of the axis.
	tickHeight = 0.03
	// besides is how much is shown before and after the season, as a share of it: its shade has an edge.
	besides = 0.03
	// titleLength is the maximum number of characters of a given title that are shown.
	titleLength = 60
)

var chartFrame = draw.Box{Left: 66, Top: 70, Right: chartWidth - 24, Bottom: chartHeight - 60}

// Charts draws in every format. It implements ports.Charts, ports.LayerPictures and ports.StratificationPictures.
type Charts struct{}

// DrawSeries implements ports.Charts: the accepted dates as points, the smoothed line, the
// rejected dates as ticks on the axis, the season shaded.
func (Charts) DrawSeries(ctx context.Context, w io.Writer, format string, in ports.SeriesChart) error {
	line, season := phenology.FitSeries(in.Series, phenology.Whittaker), phenology.Of(in.Series, phenology.DefaultSettings())
	return draw.Picture(effort.Of(ctx, 0), w, format, draw.Size{Width: chartWidth, Height: chartHeight}, func(on draw.Canvas) {
		c := seriesChart{Canvas: on, SeriesChart: in, values: valueTicks(in.Series), line: line, season: season}
		title := draw.Heading
		title.Size *= min(1, chartFrame.Width()/draw.Measure(c.title(), title))
		c.Write(c.title(), chartFrame.Left, titleLine, title)
		c.axes()
		c.marks()
		c.legend()
	})
}

type seriesChart struct {
	draw.Canvas
	ports.SeriesChart
	values []tick
	line   phenology.Line
	season phenology.Phenology
}

type tick struct {
	value float64
	label string
}

func (c seriesChart) x(t time.Time) float64 {
	season := c.To.AddDate(0, 0, 1).Sub(c.From).Seconds()
	share := (t.Sub(c.From).Seconds()/season + besides) / (1 + 2*besides)
	return chartFrame.Left + share*chartFrame.Width()
}

func (c seriesChart) y(value float64) float64 {
	low, high := c.values[0].value, c.values[len(c.values)-1].value
	return chartFrame.Bottom - (value-low)/(high-low)*chartFrame.Height()
}

func (c seriesChart) axes() {
	f := chartFrame
	c.Box(draw.Box{Left: c.x(c.From), Top: f.Top, Right: c.x(c.To.AddDate(0, 0, 1)), Bottom: f.Bottom}, draw.Style{Fill: draw.Tint})
	for _, t := range c.values {
		y := crisp(c.y(t.value))
		c.Line(f.Left, y, f.Right, y, draw.Rule, 1)
		c.Aligned(draw.Right, t.label, f.Left-8, y+4, draw.Text)
	}
	for _, t := range months(c.From, c.To) {
		x := crisp(c.x(t))
		c.Line(x, f.Bottom, x, f.Bottom+5, draw.Soft, 1)
		form := "2006-01"
		if t.Day() > 1 {
			form = time.DateOnly
		}
		c.Aligned(draw.Centre, t.Format(form), x, f.Bottom+20, draw.Text)
	}
	left, bottom := crisp(f.Left), crisp(f.Bottom)
	c.Path([][]draw.Point{{{X: left, Y: f.Top}, {X: left, Y: bottom}, {X: f.Right, Y: bottom}}}, false, draw.Style{Edge: draw.Soft, Width: 1})
	c.Aligned(draw.Centre, "Date (solar day)", (f.Left+f.Right)/2, f.Bottom+44, draw.Text)
	name := string(c.Series.Index) + " (no unit), mean of the field"
	c.Text(name, draw.Point{X: 22, Y: (f.Top + f.Bottom + draw.Measure(name, draw.Text)) / 2}, draw.Text, true)
}

// crisp moves a line of one pixel to the middle of a pixel.
func crisp(v float64) float64 { return math.Floor(v) + 0.5 }

// marks draws what was observed, or why nothing was.
func (c seriesChart) marks() {
	for _, r := range c.Series.Rejected {
		c.Line(c.x(r.Date), chartFrame.Bottom, c.x(r.Date), chartFrame.Bottom-tickHeight*chartFrame.Height(), draw.Soft, tickWidth)
	}
	for _, run := range c.line.Runs {
		if len(run) > 1 {
			c.band(run)
		}
	}
	for _, run := range c.line.Runs {
		if len(run) > 1 {
			c.curve(run)
		}
	}
	c.cycles()
	for _, o := range c.Series.Observations {
		c.Circle(draw.Point{X: c.x(o.Date), Y: c.y(o.Value)}, dotRadius, draw.Style{Fill: draw.Leaf})
	}
	if len(c.Series.Observations) == 0 {
		note := draw.Muted
		note.Size *= min(1, (chartFrame.Width()-2*draw.Gap)/draw.Measure(c.Note, note))
		c.Aligned(draw.Centre, c.Note, (chartFrame.Left+chartFrame.Right)/2, (chartFrame.Top+chartFrame.Bottom)/2, note)
	}
}

// band shades where the index of the field lies with a probability of 95 %, as far as the axes go.
func (c seriesChart) band(run []phenology.Day) {
	var upper, lower []draw.Point
	for _, d := range run {
		if math.IsNaN(d.Low) {
			return
		}
		at := func(v float64) draw.Point {
			return draw.Point{X: c.x(d.Date), Y: min(chartFrame.Bottom, max(chartFrame.Top, c.y(v)))}
		}
		upper, lower = append(upper, at(d.High)), append(lower, at(d.Low))
	}
	slices.Reverse(lower)
	c.Path([][]draw.Point{append(upper, lower...)}, true, draw.Style{Fill: draw.Mist})
}

// unseen is the number of days of an unseen line that are drawn, and then left out, in turn.
const unseen = 3

// curve draws the line, dashed where nothing was seen.
func (c seriesChart) curve(run []phenology.Day) {
	var pieces [][]draw.Point
	var piece []draw.Point
	for i, d := range run {
		if !d.Seen && i/unseen%2 == 1 {
			pieces, piece = append(pieces, piece), nil
			continue
		}
		piece = append(piece, draw.Point{X: c.x(d.Date), Y: c.y(d.Value)})
	}
	pieces = slices.DeleteFunc(append(pieces, piece), func(p []draw.Point) bool { return len(p) < 2 })
	c.Path(pieces, false, draw.Style{Edge: draw.Spray, Width: curveWidth})
}

// cycles marks start, peak and end of each growing cycle on the axis.
func (c seriesChart) cycles() {
	for _, cycle := range c.season.Cycles {
		for _, m := range []phenology.Moment{cycle.Start, cycle.Peak, cycle.End} {
			if m.Date != nil {
				c.wedge(c.x(*m.Date), chartFrame.Bottom)
			}
		}
	}
}

// wedge draws a wedge that points up from a place of the axis.
func (c seriesChart) wedge(x, y float64) {
	const half, height = 5, 9
	c.Path([][]draw.Point{{{X: x - half, Y: y}, {X: x, Y: y - height}, {X: x + half, Y: y}}}, true, draw.Style{Fill: draw.Leaf})
}

func (c seriesChart) legend() {
	const mark, gap, next = 22, 6, 24
	x, y := chartFrame.Left, float64(legendLine)
	item := func(text string, paint func(middle float64)) {
		paint(y - 4)
		c.Write(text, x+mark+gap, y, draw.Text)
		x += mark + gap + draw.Measure(text, draw.Text) + next
	}
	if len(c.Series.Observations) > 0 {
		item("accepted date", func(y float64) { c.Circle(draw.Point{X: x + mark/2, Y: y}, dotRadius, draw.Style{Fill: draw.Leaf}) })
	}
	if slices.ContainsFunc(c.line.Runs, func(run []phenology.Day) bool { return len(run) > 1 }) {
		item("smoothed, 95 % band; dashed: not seen", func(y float64) {
			c.Box(draw.Box{Left: x, Top: y - 5, Right: x + mark, Bottom: y + 5}, draw.Style{Fill: draw.Mist})
			c.Line(x, y, x+mark, y, draw.Spray, curveWidth)
		})
	}
	if len(c.season.Cycles) > 0 {
		item("start, peak, end", func(y float64) { c.wedge(x+mark/2, y+4) })
	}
	if len(c.Series.Rejected) > 0 {
		item("rejected date", func(y float64) { c.Line(x+mark/2, y-5, x+mark/2, y+5, draw.Soft, tickWidth) })
	}
	item("season", func(y float64) {
		c.Box(draw.Box{Left: x, Top: crisp(y - 5), Right: x + mark, Bottom: crisp(y + 5)}, draw.Style{Fill: draw.Tint, Edge: draw.Rule, Width: 1})
	})
}

// title returns the field's name, the index and the season, and how many dates there are.
func (c seriesChart) title() string {
	dates := len(c.Series.Observations)
	text := fmt.Sprintf("%s, %s to %s: %s, %d rejected", c.Series.Index, c.From.Format(time.DateOnly), c.To.Format(time.DateOnly),
		counted(dates, "date"), len(c.Series.Rejected))
	if c.Series.Synthetic {
		text += " (synthetic)"
	}
	if c.Title != "" {
		text = clip(c.Title, titleLength) + " – " + text
	}
	return text
}

// valueTicks returns the ticks of the value axis, three to twelve of a round step: 0 to 1,
// -1 to 0 where no value is above 0, or as far as the values go.
func valueTicks(s vegetation.Series) []tick {
	low, high := 0.0, 1.0
	for i, o := range s.Observations {
		if i == 0 && o.Value < 0 {
			low, high = -1, 0
		}
		low, high = min(low, o.Value), max(high, o.Value)
	}
	if high > 0 {
		high = max(high, 1)
	}
	step := math.Pow(10, math.Floor(math.Log10(high-low)))
	for _, finer := range []float64{5, 2} {
		if (high-low)/step*finer <= 11 {
			step /= finer
			break
		}
	}
	var out []tick
	for i := math.Floor(low / step); ; i++ {
		out = append(out, tick{i * step, fmt.Sprintf("%.*f", decimals(step), i*step)})
		if i*step >= high-step/1e6 {
			return out
		}
	}
}

// decimals returns how many decimals a step of the axis needs.
func decimals(step float64) int { return max(0, int(math.Ceil(-math.Log10(step)-1e-9))) }

// months returns the first days of months with a label on the date axis, so few that the labels do
// not touch; for a season within one month, its first day.
func months(from, to time.Time) []time.Time {
	span := int(to.Sub(from).Hours()/24/30) + 1
	step := max(1, (span+11)/12)
	var out []time.Time
	for t := time.Date(from.Year(), from.Month(), 1, 0, 0, 0, 0, time.UTC); !t.After(to); t = t.AddDate(0, step, 0) {
		if !t.Before(from) {
			out = append(out, t)
		}
	}
	if len(out) == 0 {
		return []time.Time{from}
	}
	return out
}
