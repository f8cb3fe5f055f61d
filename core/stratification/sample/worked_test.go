package sample

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/geo"
	"tilth/core/stratification/plan"
)

// The worked example of docs/stratification.md states the figures of the estimate.
func TestWorkedExample(t *testing.T) {
	raw, err := os.ReadFile("../../../docs/stratification.md")
	require.NoError(t, err)
	_, example, ok := strings.Cut(string(raw), "A worked example")
	require.True(t, ok)
	example, _, _ = strings.Cut(example, "In a test of")
	before := Survey{Map: "m", Zones: []SurveyZone{{Zone: 1, AreaHa: 6}, {Zone: 2, AreaHa: 2}}, Placement: plan.StratifiedRandom, Probability: true}
	after := before
	for i, line := range strings.Split(example, "\n") {
		cells := strings.Split(line, "|")
		if len(cells) != 6 || !strings.HasPrefix(line, "| Z") {
			continue
		}
		zone, err := strconv.Atoi(strings.TrimSpace(cells[2]))
		require.NoError(t, err)
		for round, s := range []*Survey{&before, &after} {
			if v, err := strconv.ParseFloat(strings.TrimSpace(cells[3+round]), 64); err == nil {
				point := strings.TrimSpace(cells[1])
				s.Values = append(s.Values, Value{Point: point, Zone: zone, At: geo.Position{X: 6, Y: 52 + float64(i)/1000}, Value: v})
			}
		}
	}
	require.Len(t, before.Values, 8)
	require.Len(t, after.Values, 8)
	e, err := Difference(before, after, 0.95)
	require.NoError(t, err)
	flat := strings.Join(strings.Fields(example), " ")
	for _, z := range e.Zones {
		require.Contains(t, flat, fmt.Sprintf("zone %d: %.3f with a standard error of %.3f and %.1f degrees of freedom", z.Zone, z.Figure.Mean, z.Figure.Spread.SE, z.Figure.Spread.DF))
	}
	m := e.Mean
	require.Contains(t, flat, fmt.Sprintf("%.3f t C/ha with a standard error of %.3f, %.1f degrees of freedom and the 95 %% interval %.2f to %.2f",
		m.Mean, m.Spread.SE, m.Spread.DF, m.Spread.Low, m.Spread.High))
}
