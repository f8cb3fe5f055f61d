package render_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/render"
	"tilth/core/geo"
	"tilth/core/stratification/backdrop"
	"tilth/core/stratification/carbon"
	"tilth/ports"
	"tilth/tests/shown"
)

// look stores a file where a folder for it is named, for a person to look at.
func look(t *testing.T, name string, file []byte) {
	t.Helper()
	if dir := os.Getenv("TILTH_PICTURES"); dir != "" {
		require.NoError(t, os.WriteFile(filepath.Join(dir, strings.ReplaceAll(t.Name()+"-"+name, "/", "_")), file, 0o600))
	}
}

// drawn returns a picture as well-formed SVG, after drawing it as PNG as well.
func drawn(t *testing.T, name string, draw func(w io.Writer, format string) error) string {
	t.Helper()
	var svg, picture bytes.Buffer
	require.NoError(t, draw(&svg, ports.SVG))
	require.NoError(t, draw(&picture, ports.PNG))
	look(t, name+".svg", svg.Bytes())
	look(t, name+".png", picture.Bytes())
	_, err := png.Decode(&picture)
	require.NoError(t, err)
	for d := xml.NewDecoder(bytes.NewReader(svg.Bytes())); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return svg.String()
		} else if err != nil {
			t.Fatalf("not well-formed: %v", err)
		}
	}
}

func TestSamePlanSamePicture(t *testing.T) {
	t.Parallel()
	plan := shown.Plan(t, shown.One)
	for _, format := range []string{ports.SVG, ports.PNG} {
		var picture, again bytes.Buffer
		require.NoError(t, render.Charts{}.DrawPlan(t.Context(), &picture, format, plan))
		require.NoError(t, render.Charts{}.DrawPlan(t.Context(), &again, format, plan))
		require.Equal(t, picture.Bytes(), again.Bytes())
	}
}

// walkLine is how the line along the samples is drawn.
const walkLine = `stroke="#c2410c" stroke-width="2.5"`

func TestPicturesOfMapsAndPlans(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]shown.Case{"one": shown.One, "scattered": shown.Scattered, "many": shown.Many, "north": shown.North} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan := shown.Plan(t, c)
			zones := drawn(t, "zones", func(w io.Writer, format string) error {
				return render.Charts{}.DrawZones(t.Context(), w, format, plan.ShownMap)
			})
			require.Contains(t, zones, plan.Map.Candidate.MapUUID)
			require.NotContains(t, zones, "<circle", "a map of zones has no points")
			points := drawn(t, "plan", func(w io.Writer, format string) error { return render.Charts{}.DrawPlan(t.Context(), w, format, plan) })
			require.Equal(t, plan.Plan.Plan.Samples+1, strings.Count(points, "<circle"), "each sample, and its explanation")
			for _, p := range plan.Plan.Plan.Points {
				require.Contains(t, points, ">"+p.ID+"<")
			}
			require.Equal(t, map[bool]int{true: 1, false: 0}[plan.Plan.Plan.DriveKm > 0], strings.Count(points, ">Drive between fields, "))
			require.NotContains(t, zones, walkLine)
			for i, f := range plan.Fields {
				require.Contains(t, zones, ">"+escaped(f.Name)+"<", "each field has its name")
				if len(plan.Fields) > 1 {
					require.Contains(t, points, fmt.Sprintf(">%d. %s<", plan.Plan.Plan.FieldOrder()[i], escaped(f.Name)))
				}
			}
			require.Contains(t, zones, ">Zones: low to high NDVI<", "zones are named by what their order means")
			require.Contains(t, zones, "samples for the mean to within 10 %")
			require.Contains(t, points, "The points stand for")
			for _, words := range []string{walkLine, "Walk within fields, ", "Sample (", "Reserve point (", ">N<", ">0<", "EPSG:32631", "seed 9007199254740991"} {
				require.Contains(t, points, words)
			}
		})
	}
}

// escaped returns a text as XML holds it.
func escaped(text string) string {
	var out strings.Builder
	_ = xml.EscapeText(&out, []byte(text))
	return out.String()
}

// The scale stands below the map, which it would cover.
func TestTheScaleStandsBesideTheMap(t *testing.T) {
	t.Parallel()
	var svg bytes.Buffer
	require.NoError(t, render.Charts{}.DrawZones(t.Context(), &svg, ports.SVG, shown.Plan(t, shown.One).ShownMap))
	frame := regexp.MustCompile(`<path d="M[\d.]+ [\d.]+L[\d.]+ [\d.]+L[\d.]+ ([\d.]+)[^>]*fill="#fbfaf6"`).FindStringSubmatch(svg.String())
	zero := regexp.MustCompile(`y="([\d.]+)"[^>]*>0<`).FindStringSubmatch(svg.String())
	bottom, err := strconv.ParseFloat(frame[1], 64)
	require.NoError(t, err)
	at, err := strconv.ParseFloat(zero[1], 64)
	require.NoError(t, err)
	require.Greater(t, at, bottom+10)
}

// sizeOfField returns the width and height of the first field's edge on a map, in pixels.
func sizeOfField(t *testing.T, svg string) (width, height float64) {
	t.Helper()
	edge := regexp.MustCompile(`d="([^"]*)"[^>]* stroke-width="3"/>`).FindStringSubmatch(svg)
	require.NotNil(t, edge)
	low, high := [2]float64{1e9, 1e9}, [2]float64{}
	for _, corner := range regexp.MustCompile(`[ML]([\d.]+) ([\d.]+)`).FindAllStringSubmatch(edge[1], -1) {
		for i := range 2 {
			v, err := strconv.ParseFloat(corner[i+1], 64)
			require.NoError(t, err)
			low[i], high[i] = min(low[i], v), max(high[i], v)
		}
	}
	return high[0] - low[0], high[1] - low[1]
}

// At 69 degrees north a degree of longitude is a third of one of latitude; a map shows metres.
func TestShapesAreRightInTheNorth(t *testing.T) {
	t.Parallel()
	plan := shown.Plan(t, shown.North)
	box := plan.Map.Candidate.Zones[0].Outline.Bounds()
	for _, z := range plan.Map.Candidate.Zones {
		b := z.Outline.Bounds()
		box.MinX, box.MinY, box.MaxX, box.MaxY = min(box.MinX, b.MinX), min(box.MinY, b.MinY), max(box.MaxX, b.MaxX), max(box.MaxY, b.MaxY)
	}
	var svg bytes.Buffer
	require.NoError(t, render.Charts{}.DrawZones(t.Context(), &svg, ports.SVG, plan.ShownMap))
	width, height := sizeOfField(t, svg.String())
	require.InEpsilon(t, (box.MaxX-box.MinX)/(box.MaxY-box.MinY), width/height, 0.01)
}

// Fields far from each other have panels of their own, each with its scale and north, beside a map of where they lie.
func TestPanels(t *testing.T) {
	t.Parallel()
	for panels, c := range map[int]shown.Case{1: shown.Many, 3: shown.Scattered} {
		var svg bytes.Buffer
		require.NoError(t, render.Charts{}.DrawZones(t.Context(), &svg, ports.SVG, shown.Plan(t, c).ShownMap))
		require.Equal(t, panels, strings.Count(svg.String(), ">N<"), c.Name)
		overviews := min(panels-1, 1)
		require.Equal(t, overviews, strings.Count(svg.String(), ">Where the fields lie<"))
		require.Equal(t, panels+overviews, strings.Count(svg.String(), ">0<"), c.Name)
	}
}

// A legacy point has a mark and an explanation of its own; the drives to the fields and from them are drawn, as far as there is room.
func TestLegacyPointsAndEndsOfTheWay(t *testing.T) {
	t.Parallel()
	plan := shown.Plan(t, shown.Repeated)
	for _, layout := range []string{ports.Desktop, ports.Phone} {
		plan.Layout = layout
		svg := drawn(t, "plan-"+layout, func(w io.Writer, format string) error { return render.Charts{}.DrawPlan(t.Context(), w, format, plan) })
		require.Equal(t, plan.Plan.Plan.Samples+1, strings.Count(svg, "<circle"), "a legacy point is no dot")
		require.Contains(t, svg, ">Legacy point, kept from before (3)<")
		require.Equal(t, 4, strings.Count(svg, legacyMark), "each, and its explanation")
		require.Contains(t, svg, ">Start<")
		require.Regexp(t, `>End, 1[01]\.\d km<`, svg)
		require.Contains(t, svg, ">Drive to and between fields, ")
	}
	drawnSheet(t, ports.PaperA4, plan)
}

// legacyMark is how the edge of a triangle is drawn.
const legacyMark = `Z" fill="#2c2a26" stroke="#ffffff"`

// A picture for phones is 390 pixels wide with its letters at least 11 high, nothing lies outside it, and what explains it is below the map.
func TestPicturesForPhones(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]shown.Case{"one": shown.One, "scattered": shown.Scattered, "many": shown.Many} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan := shown.Plan(t, c)
			plan.Layout = ports.Phone
			svg := drawn(t, "plan", func(w io.Writer, format string) error { return render.Charts{}.DrawPlan(t.Context(), w, format, plan) })
			width, height := number(t, svg, `<svg [^>]*width="(\d+)"`), number(t, svg, `<svg [^>]*height="(\d+)"`)
			require.InDelta(t, 390, width, 0)
			at := map[string]float64{} // the baseline of each text
			for _, text := range regexp.MustCompile(`<text x="([-\d.]+)" y="([-\d.]+)" font-size="([\d.]+)" textLength="([\d.]+)"[^>]*>([^<]*)<`).FindAllStringSubmatch(svg, -1) {
				x, y, size, long := float(t, text[1]), float(t, text[2]), float(t, text[3]), float(t, text[4])
				require.GreaterOrEqual(t, size, 11.0, text[5])
				require.True(t, x >= 0 && x+long <= width && y-size >= 0 && y <= height, "%s at %g, %g", text[5], x, y)
				at[text[5]] = y
			}
			for _, p := range plan.Plan.Plan.Points {
				require.Contains(t, at, p.ID)
				require.Less(t, at[p.ID], at["Zones: low to high NDVI"])
			}
			require.Equal(t, len(plan.Fields), strings.Count(svg, ">N<"), "each field has a panel of its own")
			require.Equal(t, min(len(plan.Fields)-1, 1), strings.Count(svg, ">Where the fields lie<"))
		})
	}
}

func number(t *testing.T, text, pattern string) float64 {
	t.Helper()
	found := regexp.MustCompile(pattern).FindStringSubmatch(text)
	require.NotNil(t, found)
	return float(t, found[1])
}

func float(t *testing.T, text string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(text, 64)
	require.NoError(t, err)
	return v
}

func TestMapsInUnknownFormats(t *testing.T) {
	t.Parallel()
	plan := shown.Plan(t, shown.North)
	require.Error(t, render.Charts{}.DrawZones(t.Context(), io.Discard, "gif", plan.ShownMap))
}

// Maps of soil carbon are coloured by their stock, whatever the numbers of the zones, and state each stock with its interval.
func TestDrawCarbon(t *testing.T) {
	in := ports.ShownCarbon{ShownMap: shown.Plan(t, shown.One).ShownMap}
	in.Carbon = carbon.Map{Survey: carbon.Survey{PlanUUID: "p", Round: 2, ToCm: 30, Confidence: 0.9}, AOI: carbon.Zone{AreaHa: 15.1, Stock: carbon.Figure{Mean: 56, Low: 54, High: 58}}}
	for i, mean := range []float64{62, 50, 56} {
		in.Carbon.Zones = append(in.Carbon.Zones, carbon.Zone{Zone: i + 1, Stock: carbon.Figure{Mean: mean, Low: mean - 2.25, High: mean + 2.25}})
	}
	in.Carbon.Total = carbon.Figure{Mean: 846, Low: 815, High: 876}
	for i := range 40 {
		in.Carbon.Notes = append(in.Carbon.Notes, fmt.Sprintf("Z1-%02d is left out: it has no bulk density.", i))
	}
	svg := drawn(t, "carbon", func(w io.Writer, format string) error { return render.Charts{}.DrawCarbon(t.Context(), w, format, in) })
	for _, text := range []string{"1: 62.0 (59.8 to 64.2)", "2: 50.0 (47.8 to 52.2)", "Soil organic carbon, 0 to 30 cm: 56.0 (54.0 to 58.0) t C/ha on 15.10 ha; intervals of 90 %", "Stock and interval, t C/ha", "round 2",
		"In all 846.0 (815.0 to 876.0) t C.", "35 notes more with the map."} {
		require.Contains(t, svg, text)
	}
	light, dark := strings.Index(svg, "#edf8b1"), strings.Index(svg, "#253494")
	require.Positive(t, light, "of the lowest stock, in zone 2")
	require.Positive(t, dark)
	require.Greater(t, light, dark, "zone 1 is drawn first, and holds most")
}

// behind adds an image of each field to a map: a chequerboard.
func behind(t *testing.T, m *ports.ShownMap) {
	t.Helper()
	utm, err := geo.NewUTM(m.Map.About.EPSG)
	require.NoError(t, err)
	m.Images.About = "Image of 3 May 2025, natural colours"
	for _, f := range m.Fields {
		around := backdrop.Around(utm.Project(f.Outline), 1)
		for i := range around.Bands[0] {
			around.Bands[0][i] = float64((i%around.Width/4 + i/around.Width/4) % 2)
		}
		m.Images.Images = append(m.Images.Images, ports.ShownImage{Box: around.Box, Pixels: backdrop.Paint([]backdrop.Image{around})[0]})
	}
}

// An image lies behind the zones, within the frame of its panel, and is named; in field sheets too.
func TestImagesLieBehindMaps(t *testing.T) {
	t.Parallel()
	plan := shown.Plan(t, shown.Scattered)
	bare := drawnSheet(t, ports.PaperA4, plan)
	behind(t, &plan.ShownMap)
	svg := drawn(t, "plan", func(w io.Writer, format string) error { return render.Charts{}.DrawPlan(t.Context(), w, format, plan) })
	require.Equal(t, 4, strings.Count(svg, "<image "))
	require.Less(t, strings.LastIndex(svg[:strings.Index(svg, `fill-opacity="0.59"`)], "<image "), strings.Index(svg, `fill-opacity="0.59"`))
	require.Contains(t, svg, "Image of 3 May 2025, natural colours")
	for _, at := range regexp.MustCompile(`<image x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"`).FindAllStringSubmatch(svg, -1) {
		var v [4]float64
		for i := range v {
			var err error
			v[i], err = strconv.ParseFloat(at[i+1], 64)
			require.NoError(t, err)
		}
		require.True(t, v[0] >= 28 && v[1] >= 96 && v[0]+v[2] <= 1045 && v[1]+v[3] <= 915, "within the panels: %v", v)
	}
	require.Greater(t, bytes.Count(drawnSheet(t, ports.PaperA4, plan), []byte("/Subtype /Image")), bytes.Count(bare, []byte("/Subtype /Image")))
}
