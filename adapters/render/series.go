// Package render draws and prints: the chart of a profile, the document of an impact
// report. It computes nothing of what it shows.
package render

import (
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	chart "github.com/wcharczuk/go-chart/v2"
	"github.com/wcharczuk/go-chart/v2/drawing"

	"tilth/core/fault"
	"tilth/core/vegetation"
	"tilth/ports"
)

// Size of a chart in pixels: a column of text wide, and about half as high.
const (
	chartWidth  = 960
	chartHeight = 460
	// tickHeight is how high the tick of a rejected date stands, as a share of the axis.
	tickHeight = 0.03
	// besides is how much of the season is shown before and after it, so that its shade has
	// an edge.
	besides = 0.03
	// titleLength is how many characters of a given title are shown.
	titleLength = 60
)

var (
	leaf   = drawing.ColorFromHex("3d6b35")
	line   = drawing.ColorFromHex("9cbf7f")
	soft   = drawing.ColorFromHex("8a8478")
	grid   = drawing.ColorFromHex("e4dfd3")
	season = drawing.ColorFromHex("f0f4e8")
	ink    = drawing.ColorFromHex("2c2a26")
)

// Charts draws with one library in every format. It implements ports.Charts.
type Charts struct{}

// renderers are the formats.
var renderers = map[string]chart.RendererProvider{ports.SVG: escapedSVG, ports.PNG: chart.PNG}

// DrawSeries implements ports.Charts: the accepted dates as points, the smoothed line, the
// rejected dates as ticks on the axis, the season shaded.
func (Charts) DrawSeries(w io.Writer, format string, in ports.SeriesChart) error {
	renderer, ok := renderers[format]
	if !ok {
		return fault.Newf(fault.Internal, "unknown_format", "no drawing in the format %q", format)
	}
	letters, err := typeface()
	if err != nil {
		return fmt.Errorf("read the typeface: %w", err)
	}
	s := in.Series
	begin, end := seconds(in.From), seconds(in.To.AddDate(0, 0, 1))
	margin := besides * (end - begin)
	values := valueTicks(s)
	low, high := values[0].Value, values[len(values)-1].Value
	c := chart.Chart{
		Title: title(in), TitleStyle: chart.Style{FontSize: 12, FontColor: ink},
		Width: chartWidth, Height: chartHeight, Font: letters,
		Background: chart.Style{Padding: chart.Box{Top: 64, Left: 36, Right: 24, Bottom: 16}},
		XAxis: chart.XAxis{
			Name: "Date (solar day)", NameStyle: chart.Style{FontColor: ink},
			Range: &chart.ContinuousRange{Min: begin - margin, Max: end + margin}, Ticks: months(in.From, in.To, margin),
			Style: chart.Style{FontColor: ink, StrokeColor: soft},
		},
		YAxis: chart.YAxis{
			Range: &chart.ContinuousRange{Min: low, Max: high}, AxisType: chart.YAxisSecondary,
			Ticks: values, Style: chart.Style{FontColor: ink, StrokeColor: soft},
		},
		Series: []chart.Series{band{begin, end}, lines(values)},
	}
	for _, r := range s.Rejected {
		c.Series = append(c.Series, tick(seconds(r.Date), low, high))
	}
	smooth := false
	for _, run := range s.Smoothed() {
		if len(run) > 1 {
			smooth, c.Series = true, append(c.Series, smoothed(run))
		}
	}
	c.Elements = []chart.Renderable{legend(s, smooth), valueName(string(s.Index) + " (no unit), mean of the field")}
	if len(s.Observations) > 0 {
		c.Series = append(c.Series, points(s))
	} else if in.Note != "" {
		c.Elements = append(c.Elements, note(in.Note))
	}
	if err := c.Render(renderer, w); err != nil {
		return fmt.Errorf("draw the series: %w", err)
	}
	return nil
}

// typeface is the library's own, read once: the library reads it without a lock.
var typeface = sync.OnceValues(chart.GetDefaultFont)

// title names the field, the index and the season, and counts the dates.
func title(in ports.SeriesChart) string {
	text := fmt.Sprintf("%s, %s to %s: %d dates, %d rejected", in.Series.Index, in.From.Format(time.DateOnly), in.To.Format(time.DateOnly),
		len(in.Series.Observations), len(in.Series.Rejected))
	text = strings.Replace(text, ": 1 dates", ": 1 date", 1)
	if in.Series.Synthetic {
		text += " (synthetic)"
	}
	if in.Title == "" {
		return text
	}
	name := strings.Join(strings.Fields(in.Title), " ")
	if utf8.RuneCountInString(name) > titleLength {
		name = string([]rune(name)[:titleLength-1]) + "…"
	}
	return name + " – " + text
}

// escapedSVG is the library's SVG, in which a text is what it says and no markup: the library
// writes texts as they come, and names of fields come from people.
func escapedSVG(width, height int) (chart.Renderer, error) {
	r, err := chart.SVG(width, height)
	return escaping{r}, err
}

type escaping struct{ chart.Renderer }

func (e escaping) Text(body string, x, y int) {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(body)) // a strings.Builder takes everything
	e.Renderer.Text(b.String(), x, y)
}

func seconds(t time.Time) float64 { return float64(t.Unix()) }

// valueTicks gives the ticks of the value axis, three to twelve of a round step: 0 to 1,
// -1 to 0 where no value is above 0, or as far as the values go.
func valueTicks(s vegetation.Series) []chart.Tick {
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
	var out []chart.Tick
	for i := math.Floor(low / step); ; i++ {
		out = append(out, chart.Tick{Value: i * step, Label: fmt.Sprintf("%.*f", decimals(step), i*step)})
		if i*step >= high-step/1e6 {
			return out
		}
	}
}

// decimals gives how many decimals a step of the axis needs.
func decimals(step float64) int { return max(0, int(math.Ceil(-math.Log10(step)-1e-9))) }

// months puts a tick on the first of a month, so many that their labels do not touch. The
// axis reaches from its first tick to its last, so its ends have ticks too, without a label.
func months(from, to time.Time, margin float64) []chart.Tick {
	span := int(to.Sub(from).Hours()/24/30) + 1
	step := max(1, (span+11)/12)
	out := []chart.Tick{{Value: seconds(from) - margin}}
	for t := time.Date(from.Year(), from.Month(), 1, 0, 0, 0, 0, time.UTC); !t.After(to); t = t.AddDate(0, step, 0) {
		if !t.Before(from) {
			out = append(out, chart.Tick{Value: seconds(t), Label: t.Format("2006-01")})
		}
	}
	if len(out) == 1 { // a season within a month names its first day
		out = append(out, chart.Tick{Value: seconds(from), Label: from.Format(time.DateOnly)})
	}
	return append(out, chart.Tick{Value: seconds(to.AddDate(0, 0, 1)) + margin})
}
