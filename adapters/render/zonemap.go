package render

import (
	"fmt"
	"io"
	"strings"

	chart "github.com/wcharczuk/go-chart/v2"
	"github.com/wcharczuk/go-chart/v2/drawing"

	"tilth/core/fault"
	"tilth/core/stratification/plan"
	"tilth/ports"
)

// Layout of a picture of a map, in pixels.
const (
	mapWidth    = 1400
	mapHeight   = 1000
	mapEdge     = 28
	mapHead     = 96  // title and what it is made of
	legendWidth = 300 // on the right
)

// zoneRamp is the sequential scheme YlGnBu with nine classes, light for low and dark for high,
// which colour-blind people tell apart as others do (Harrower and Brewer 2003, The
// Cartographic Journal 40:27; colorbrewer2.org).
var zoneRamp = []drawing.Color{
	drawing.ColorFromHex("ffffd9"), drawing.ColorFromHex("edf8b1"), drawing.ColorFromHex("c7e9b4"), drawing.ColorFromHex("7fcdbb"), drawing.ColorFromHex("41b6c4"),
	drawing.ColorFromHex("1d91c0"), drawing.ColorFromHex("225ea8"), drawing.ColorFromHex("253494"), drawing.ColorFromHex("081d58"),
}

// zoneColor gives the colour of a zone, of k. The darkest is left out: marks lie upon it.
func zoneColor(zone, k int) drawing.Color {
	low, high := 1, len(zoneRamp)-2
	if k > high-low+1 {
		low = 0
	}
	if k < 2 {
		return zoneRamp[low+(high-low)/2]
	}
	return zoneRamp[low+((zone-1)*(high-low)+(k-1)/2)/(k-1)]
}

// DrawZones implements ports.StratificationPictures.
func (Charts) DrawZones(w io.Writer, format string, in ports.ShownMap) error {
	return drawMap(w, format, in, nil)
}

// DrawPlan implements ports.StratificationPictures.
func (Charts) DrawPlan(w io.Writer, format string, in ports.ShownPlan) error {
	return drawMap(w, format, in.ShownMap, &in.Plan.Plan)
}

// drawMap draws zones, and the points of a plan where there is one.
func drawMap(w io.Writer, format string, in ports.ShownMap, plan *plan.Plan) error {
	provider, ok := renderers[format]
	if !ok {
		return fault.Newf(fault.Internal, "unknown_format", "no drawing in the format %q", format)
	}
	letters, err := typeface()
	if err != nil {
		return fmt.Errorf("read the typeface: %w", err)
	}
	r, err := provider(mapWidth, mapHeight)
	if err != nil {
		return fmt.Errorf("begin the map: %w", err)
	}
	r.SetFont(letters)
	s, err := newScene(in, plan)
	if err != nil {
		return err
	}
	p := pen{r, letters}
	p.box(chart.Box{Right: mapWidth, Bottom: mapHeight}, drawing.ColorWhite, drawing.ColorWhite, 1)
	p.text(clip(in.Map.AOI.Name, titleLength), mapEdge, mapEdge+22, 20, ink)
	p.text(s.subtitle(), mapEdge, mapEdge+52, 11, soft)
	s.panels(p, chart.Box{Left: mapEdge, Top: mapHead, Right: mapWidth - legendWidth - 2*mapEdge, Bottom: mapHeight - mapEdge - 24})
	s.legend(p, mapWidth-legendWidth-mapEdge, mapHead)
	p.text(s.footnote(), mapEdge, mapHeight-mapEdge+6, 8.5, soft)
	if err := r.Save(w); err != nil {
		return fmt.Errorf("write the map: %w", err)
	}
	return nil
}

// subtitle says what the picture shows.
func (s *scene) subtitle() string {
	text := fmt.Sprintf("%d zones, %.2f ha", len(s.zones), s.in.Map.About.AreaHa)
	if s.plan != nil {
		text += fmt.Sprintf("; %d samples, %d reserve points", s.plan.Samples, s.plan.Reserves)
	}
	var layers []string
	for _, l := range s.in.Map.About.Used() {
		layers = append(layers, l.Name)
	}
	text += "; zones of " + strings.Join(layers, ", ")
	if s.in.Map.About.Synthetic {
		text += " (synthetic)"
	}
	return clip(text, 130)
}

// footnote says from what the picture was made.
func (s *scene) footnote() string {
	text := fmt.Sprintf("Map %s, seed %d. ", s.in.Map.Candidate.MapUUID, s.in.Map.About.Params.Seed)
	if s.plan != nil {
		text = fmt.Sprintf("Plan %s, seed %d. Map %s. ", s.plan.PlanUUID, s.plan.Params.Seed, s.in.Map.Candidate.MapUUID)
	}
	return text + fmt.Sprintf("WGS84 / UTM, EPSG:%d; grid north is up.", s.in.Map.About.EPSG)
}

// clip shortens a text to a number of characters.
func clip(text string, most int) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}

// legend explains zones and marks.
func (s *scene) legend(p pen, x, y int) {
	line := func(height int) { y += height }
	p.text("Zones, low to high", x, y+14, 12, ink)
	line(36)
	for _, z := range s.zones {
		p.box(chart.Box{Left: x, Top: y, Right: x + 34, Bottom: y + 24}, zoneColor(z.Number, len(s.zones)), ink, 1)
		text := fmt.Sprintf("%d   %.2f ha, %.0f %%", z.Number, z.AreaHa, 100*z.Share)
		if s.plan != nil {
			text += fmt.Sprintf(", %d samples", s.plan.PerZone[z.Number-1].Samples)
		}
		p.text(text, x+46, y+18, 11, ink)
		line(34)
	}
	line(16)
	p.line(ink, 3, x, y+12, x+34, y+12)
	p.text("Edge of a field", x+46, y+18, 11, ink)
	line(34)
	if s.plan == nil {
		return
	}
	p.sample(x+17, y+12)
	p.text(fmt.Sprintf("Sample (%d)", s.plan.Samples), x+46, y+18, 11, ink)
	line(34)
	if s.plan.Reserves > 0 {
		p.reserve(x+17, y+12)
		p.text(fmt.Sprintf("Reserve point (%d)", s.plan.Reserves), x+46, y+18, 11, ink)
	}
}
