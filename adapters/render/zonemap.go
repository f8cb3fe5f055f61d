package render

import (
	"context"
	"fmt"
	"io"
	"strings"

	"tilth/adapters/render/internal/draw"
	"tilth/core/effort"
	"tilth/core/stratification/plan"
	"tilth/ports"
)

// zoneRamp is the sequential scheme YlGnBu with nine classes, light for low and dark for high,
// which colour-blind people distinguish as well as others do (Harrower and Brewer 2003, The
// Cartographic Journal 40:27; colorbrewer2.org).
var zoneRamp = []draw.Color{
	draw.Hex(0xffffd9), draw.Hex(0xedf8b1), draw.Hex(0xc7e9b4), draw.Hex(0x7fcdbb), draw.Hex(0x41b6c4),
	draw.Hex(0x1d91c0), draw.Hex(0x225ea8), draw.Hex(0x253494), draw.Hex(0x081d58),
}

// zoneColor returns the colour of one of k zones, or of the strip along the edges, which is numbered
// after them. The darkest colour is left out: marks lie on it.
func zoneColor(zone, k int) draw.Color {
	if zone > k {
		return draw.Soft
	}
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
func (Charts) DrawZones(ctx context.Context, w io.Writer, format string, in ports.ShownMap) error {
	return drawMap(effort.Of(ctx, 0), w, format, in, nil)
}

// DrawPlan implements ports.StratificationPictures.
func (Charts) DrawPlan(ctx context.Context, w io.Writer, format string, in ports.ShownPlan) error {
	return drawMap(effort.Of(ctx, 0), w, format, in.ShownMap, &in.Plan.Plan)
}

// drawMap draws zones, and the points of a plan where there is one.
func drawMap(budget *effort.Budget, w io.Writer, format string, in ports.ShownMap, plan *plan.Plan) error {
	s, err := newScene(budget, in, plan)
	if err != nil {
		return err
	}
	return s.draw(w, format)
}

func (s *scene) subtitle() string {
	if s.carbon != nil {
		return carbonSubtitle(s.carbon)
	}
	text := fmt.Sprintf("%d zones, %.2f ha", len(s.zones), s.in.Map.About.AreaHa)
	if s.plan != nil {
		text += fmt.Sprintf("; %d samples, %d reserve points", s.plan.Samples, s.plan.Reserves)
		if s.plan.Legacy > 0 {
			text += ", " + counted(s.plan.Legacy, "legacy point")
		}
	}
	var layers []string
	for _, l := range s.in.Map.About.Used() {
		layers = append(layers, layerWord(l.Name))
	}
	text += "; zones of " + strings.Join(layers, ", ")
	if s.in.Map.About.Synthetic {
		text += " (synthetic)"
	}
	return clip(text, 130)
}

// footnote returns what the picture was made from.
func (s *scene) footnote() string {
	if s.carbon != nil {
		return fmt.Sprintf("Plan %s, round %d. Map %s. WGS84 / UTM, EPSG:%d; grid north is up.", s.carbon.PlanUUID, s.carbon.Round, s.carbon.ZonesUUID, s.in.Map.About.EPSG)
	}
	text := fmt.Sprintf("Map %s, seed %d. ", s.in.Map.Candidate.MapUUID, s.in.Map.About.Params.Seed)
	if s.plan != nil {
		text = fmt.Sprintf("Plan %s, seed %d. Map %s. ", s.plan.PlanUUID, s.plan.Params.Seed, s.in.Map.Candidate.MapUUID)
	}
	text += fmt.Sprintf("WGS84 / UTM, EPSG:%d; grid north is up.", s.in.Map.About.EPSG)
	if s.in.Images.About != "" {
		text += " " + strings.TrimSuffix(s.in.Images.About, ".") + "."
	}
	return text
}

// clip shortens a text to a number of characters.
func clip(text string, length int) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > length {
		return string(runes[:length-1]) + "…"
	}
	return text
}
