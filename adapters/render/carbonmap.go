package render

import (
	"context"
	"fmt"
	"io"
	"math"

	"tilth/adapters/render/internal/draw"
	"tilth/core/effort"
	"tilth/core/stratification/carbon"
	"tilth/ports"
)

// DrawCarbon implements ports.StratificationPictures.
func (Charts) DrawCarbon(ctx context.Context, w io.Writer, format string, in ports.ShownCarbon) error {
	s, err := newScene(effort.Of(ctx, 0), in.ShownMap, nil)
	if err != nil {
		return err
	}
	s.carbon = &in.Carbon
	return s.draw(w, format)
}

// stockColor returns the colour of a zone's stock, between the lowest and the highest of the map.
func stockColor(m *carbon.Map, zone int) draw.Color {
	low, high := math.Inf(1), math.Inf(-1)
	for _, z := range m.Zones {
		low, high = min(low, z.Stock.Mean), max(high, z.Stock.Mean)
	}
	lightest, darkest := 1, len(zoneRamp)-2 // the darkest is left out: marks lie on it
	place := 0.5
	if high > low {
		place = (m.Zones[zone-1].Stock.Mean - low) / (high - low)
	}
	return zoneRamp[lightest+int(math.Round(place*float64(darkest-lightest)))]
}

func carbonSubtitle(m *carbon.Map) string {
	return fmt.Sprintf("Soil organic carbon, %g to %g cm: %s t C/ha on %.2f ha; intervals of %g %%", m.FromCm, m.ToCm, withInterval(m.AOI.Stock), m.AOI.AreaHa, 100*m.Confidence)
}

func carbonText(m *carbon.Map, zone int) string {
	text := fmt.Sprintf("%d: %s", zone, withInterval(m.Zones[zone-1].Stock))
	if m.Edge && zone == len(m.Zones) {
		text += ", edges"
	}
	return text
}

// carbonBasis returns what the stock of a zone rests on.
func carbonBasis(m *carbon.Map, zone int) string {
	z := m.Zones[zone-1]
	return fmt.Sprintf("%.2f (%.2f to %.2f) %%; %.2f ha, %s", z.SOC.Mean, z.SOC.Low, z.SOC.High, z.AreaHa, counted(z.Points, "point"))
}

// maxNotes is the number of notes that the picture of a soil carbon map has room for; the map itself has them all.
const maxNotes = 5

// carbonSaid returns the texts of the picture beside the map.
func carbonSaid(m *carbon.Map) []string {
	said := []string{"In all " + withInterval(m.Total) + " t C."}
	if more := len(m.Notes) - maxNotes; more > 0 {
		return append(append(said, m.Notes[:maxNotes]...), fmt.Sprintf("%s more with the map.", counted(more, "note")))
	}
	return append(said, m.Notes...)
}

func withInterval(f carbon.Figure) string {
	return fmt.Sprintf("%.1f (%.1f to %.1f)", f.Mean, f.Low, f.High)
}
