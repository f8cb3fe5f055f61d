package ghg_test

import (
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/engine"
	"tilth/core/ghg"
)

func ptr[T any](v T) *T { return &v }

func factors(t testing.TB, id string) *ghg.FactorSet {
	t.Helper()
	set, err := engine.FactorSet(id)
	require.NoError(t, err)
	return set
}

// wheat is the first worked example: 10 ha of winter wheat in France.
func wheat() ghg.Input {
	return ghg.Input{
		General:        ghg.General{Year: 2024, AreaHa: 10, ClimateRegion: "cool_temperate_moist", Country: "france"},
		Crop:           ghg.Crop{Type: "winter_wheat", YieldKg: ptr(80_000.0)},
		Soil:           ghg.Soil{Class: "high_activity_clay"},
		Fertilizers:    []ghg.Fertilizer{{Product: "urea", KgPerHa: 200, AreaPct: 100, Region: "europe"}},
		CropProtection: []ghg.Protection{{Category: "herbicide", Applications: 3, TreatedPct: 100}},
		Residues:       &ghg.Residues{Management: []ghg.ResidueShare{{Practice: "left_on_field", SharePct: 100}}},
		FuelEnergy:     []ghg.Fuel{{Carrier: "diesel", Amount: 900, Unit: "l", AllocationPct: 100, Purpose: "field"}},
		LandManagement: &ghg.LandState{Tillage: "full", CarbonInputs: "medium", NoChange20y: true},
	}
}

// paddy is the second worked example: 2 ha of flooded rice in India.
func paddy() ghg.Input {
	return ghg.Input{
		General:        ghg.General{Year: 2024, AreaHa: 2, TemperatureC: ptr(26.0), ClimateRegion: "tropical_moist", Country: "india"},
		Crop:           ghg.Crop{Type: "rice_paddy", YieldKg: ptr(11_000.0), GrowingCycles: 1},
		Soil:           ghg.Soil{Class: "high_activity_clay"},
		Fertilizers:    []ghg.Fertilizer{{Product: "urea", KgPerHa: 220, AreaPct: 100}},
		OrganicInputs:  []ghg.OrganicInput{{Type: "cattle_manure", KgPerHa: 5000, DaysBeforePlanting: ptr(20.0), Origin: "own"}},
		CropProtection: []ghg.Protection{{Category: "herbicide", Applications: 1, TreatedPct: 100}, {Category: "insecticide", Applications: 1, TreatedPct: 100}},
		Seeds:          &ghg.Seeds{KgPerHa: 40, Origin: "purchased"},
		Residues: &ghg.Residues{
			Management:  []ghg.ResidueShare{{Practice: "incorporated", SharePct: 60}, {Practice: "removed", SharePct: 40}},
			StrawTiming: "lt_30d",
		},
		Rice:           &ghg.Rice{WaterRegime: "continuously_flooded", PreSeason: "non_flooded_lt_180d"},
		Irrigation:     []ghg.Irrigation{{Method: "flood", WaterM3: 24_000, PowerSource: "electric", Source: "groundwater", PumpingHeadM: ptr(12.0)}},
		FuelEnergy:     []ghg.Fuel{{Carrier: "diesel", Amount: 90, Unit: "l", AllocationPct: 100, Purpose: "field"}},
		LandManagement: &ghg.LandState{Tillage: "full", CarbonInputs: "medium", NoChange20y: true},
	}
}

type lineKey struct{ model, label, section string }

func byLine(lines []ghg.Line) map[lineKey]float64 {
	out := map[lineKey]float64{}
	for _, l := range lines {
		out[lineKey{l.Model, l.Label, l.Section}] += l.CO2e
	}
	return out
}

// TestWorkedExamples checks both worked examples of the method to the kilogram.
func TestWorkedExamples(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name             string
		input            ghg.Input
		lines            map[lineKey]float64
		total, low, high float64
		perHa, perT      float64
	}{
		{
			"winter wheat", wheat(), map[lineKey]float64{
				{"soil_n2o_direct", "soil_n2o_direct", "fertilizers"}:                 6315,
				{"soil_n2o_volatilisation", "soil_n2o_volatilisation", "fertilizers"}: 829,
				{"soil_n2o_leaching", "soil_n2o_leaching", "fertilizers"}:             1042,
				{"soil_n2o_direct", "crop_residues", "residues"}:                      2302,
				{"soil_n2o_leaching", "crop_residues", "residues"}:                    1013,
				{"urea_co2", "urea_co2", "fertilizers"}:                               1467,
				{"fertilizer_production", "fertilizer_production", "fertilizers"}:     1762,
				{"fuel_combustion", "fuel_combustion", "fuel_energy"}:                 2673,
				{"fuel_upstream", "fuel_upstream", "fuel_energy"}:                     562,
				{"crop_protection_production", "crop_protection", "crop_protection"}:  615,
			}, 18_579, 14_497, 25_183, 1858, 232,
		},
		{
			"flooded rice", paddy(), map[lineKey]float64{
				{"rice_ch4", "rice_methane", "rice"}:                                     15_030,
				{"soil_n2o_direct", "soil_n2o_direct", "fertilizers"}:                    260,
				{"soil_n2o_volatilisation", "soil_n2o_volatilisation", "fertilizers"}:    182,
				{"soil_n2o_leaching", "soil_n2o_leaching", "fertilizers"}:                229,
				{"soil_n2o_direct", "soil_n2o_direct", "organic_inputs"}:                 77,
				{"soil_n2o_volatilisation", "soil_n2o_volatilisation", "organic_inputs"}: 76,
				{"soil_n2o_leaching", "soil_n2o_leaching", "organic_inputs"}:             68,
				{"soil_n2o_direct", "crop_residues", "residues"}:                         74,
				{"soil_n2o_leaching", "crop_residues", "residues"}:                       65,
				{"urea_co2", "urea_co2", "fertilizers"}:                                  323,
				{"fertilizer_production", "fertilizer_production", "fertilizers"}:        608,
				{"crop_protection_production", "crop_protection", "crop_protection"}:     82,
				{"seed_production", "seed_production", "seeds"}:                          43,
				{"pump_energy", "irrigation_energy", "irrigation"}:                       1082,
				{"fuel_combustion", "fuel_combustion", "fuel_energy"}:                    267,
				{"fuel_upstream", "fuel_upstream", "fuel_energy"}:                        56,
			}, 18_523, 11_684, 29_866, 9261, 1684,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := ghg.Calculate(c.input, factors(t, ghg.IPCC2019), ghg.Options{})
			require.NoError(t, err)
			lines := byLine(got.Lines)
			require.Len(t, lines, len(c.lines))
			for key, want := range c.lines {
				require.InDelta(t, want, lines[key], 0.5, key)
			}
			require.InDelta(t, c.total, got.Emissions, 0.5)
			require.InDelta(t, c.low, got.Low, 0.5)
			require.InDelta(t, c.high, got.High, 0.5)
			require.InDelta(t, c.perHa, got.Emissions/got.AreaHa, 0.5)
			require.InDelta(t, c.perT, got.Emissions/got.ProductT, 0.5)
			require.Empty(t, got.Removals)
		})
	}
}

// TestGuide: what docs/ghg.md states about the examples and the sets is what is computed.
func TestGuide(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile(filepath.Join("..", "..", "docs", "ghg.md"))
	require.NoError(t, err)
	text := string(guide)
	thousands := func(kg float64) string {
		digits := strconv.Itoa(int(math.Round(kg)))
		if len(digits) > 3 {
			digits = digits[:len(digits)-3] + "," + digits[len(digits)-3:]
		}
		return digits
	}
	for _, in := range []ghg.Input{wheat(), paddy()} {
		res := calculate(t, in, factors(t, ghg.IPCC2019))
		for _, l := range res.Lines {
			require.Contains(t, text, thousands(l.CO2e), l.Label)
		}
		for _, kg := range []float64{res.Emissions, res.Low, res.High, res.Emissions / res.AreaHa, res.Emissions / res.ProductT} {
			require.Contains(t, text, thousands(kg))
		}
	}
	for label := range ghg.Labels() {
		name := strings.TrimPrefix(strings.TrimPrefix(label, "soil_n2o"), "_")
		require.Contains(t, text, name, label)
	}
	for _, id := range []string{ghg.IPCC2019, ghg.IPCC2006} {
		require.Contains(t, text, "`"+id+"`")
		require.Contains(t, text, factors(t, id).Version)
	}
	for label := range ghg.RemovalLabels() {
		require.Contains(t, text, "`"+label+"`")
	}
}
