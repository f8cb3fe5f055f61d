package ghg_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/ghg"
	"tilth/core/ghg/report"
)

// normals are the months of the worked example.
func normals() []ghg.ClimateMonth {
	t := [12]float64{4, 4.5, 6.5, 9, 12, 15, 17.5, 17, 14.5, 11, 7, 4.5}
	p := [12]float64{65, 50, 45, 50, 50, 55, 50, 60, 55, 75, 75, 70}
	e := [12]float64{15, 20, 40, 60, 85, 100, 105, 90, 60, 30, 15, 10}
	out := make([]ghg.ClimateMonth, 12)
	for i := range out {
		out[i] = ghg.ClimateMonth{TemperatureC: t[i], PrecipitationMm: p[i], PETMm: e[i]}
	}
	return out
}

// steadyWheat is the worked example of docs/ghg.md: straw sold and full tillage for 20 years, since 2020 straw left and
// reduced tillage.
func steadyWheat() ghg.Input {
	in := wheat()
	in.LandManagement.Tillage = "reduced"
	in.Soil.SandPct = ptr(25.0)
	in.Soil.Carbon = &ghg.SoilCarbon{
		Method: ghg.SoilTier2, Climate: []ghg.ClimateYear{{Months: normals()}},
		History: []ghg.CarbonPeriod{
			{FirstYear: 2020, LastYear: 2023, Tillage: "reduced", Crop: "winter_wheat", YieldKgHa: 8000},
			{FirstYear: 2000, LastYear: 2019, Tillage: "full", Crop: "winter_wheat", YieldKgHa: 7000, ResidueReturnedPct: ptr(0.0)},
		},
	}
	return in
}

func removal(res ghg.Result) ghg.Line {
	for _, l := range res.Removals {
		if l.Label == ghg.RemovalSoil {
			return l
		}
	}
	return ghg.Line{}
}

// TestSteadyStateExample: the change was worked out independently of the engine; its range moves each parameter and
// each row of the residues alone.
func TestSteadyStateExample(t *testing.T) {
	t.Parallel()
	set := factors(t, ghg.IPCC2019)
	res, err := ghg.Calculate(steadyWheat(), set, ghg.Options{Trace: true})
	require.NoError(t, err)
	require.InDelta(t, 24_254.6, removal(res).CO2e, 0.05)
	require.Equal(t, 2, removal(res).Tier)
	require.Equal(t, "land_management", removal(res).Section)
	soil := report.New(res, report.About{}).SoilCarbon
	require.Equal(t, ghg.SoilTier2, soil.Method)
	require.Equal(t, []ghg.SoilEstimate{
		{Method: ghg.SoilTier1}, // no change of management is entered there
		{Method: ghg.SoilTier2, Used: true, Change: 0.66149, Low: -0.085672, High: 1.798546, CO2e: 24.254624},
	}, soil.Estimates)
	var steps int
	for _, line := range res.Trace {
		got, err := recompute(line)
		require.NoError(t, err, line.Step)
		require.InDelta(t, line.Result, got, tiny*math.Max(1, math.Abs(got)), line.Step)
		if line.Step == "soc_tier2_series_stock" {
			steps++
		}
	}
	require.Equal(t, 6, steps, "the end of the run-in and five years")

	// Without a request for the method the figures are as before, with the model beside them.
	in := steadyWheat()
	in.Soil.Carbon.Method = ""
	plain := wheat()
	plain.LandManagement.Tillage = "reduced"
	got, want := run(t, in), run(t, plain)
	require.InDelta(t, want.Emissions, got.Emissions, 0)
	require.Equal(t, want.Removals, got.Removals)
	require.Equal(t, want.Warnings, got.Warnings)
	require.Nil(t, want.SoilCarbon)
	require.Equal(t, ghg.SoilTier1, got.SoilCarbon.Method)
	require.InDelta(t, 0.66149, got.SoilCarbon.Estimates[1].Change, 1e-6)
}

// TestSteadyStateGuide: the example that docs/ghg.md prints is what is computed.
func TestSteadyStateGuide(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile(filepath.Join("..", "..", "docs", "ghg.md"))
	require.NoError(t, err)
	res, err := ghg.Calculate(steadyWheat(), factors(t, ghg.IPCC2019), ghg.Options{Trace: true})
	require.NoError(t, err)
	steps := map[string][]float64{}
	for _, line := range res.Trace {
		steps[line.Step] = append(steps[line.Step], line.Result)
	}
	stocks, used := steps["soc_tier2_series_stock"], res.SoilCarbon.Estimates[1]
	for _, row := range []string{
		fmt.Sprintf("%.4f · %.4f", steps["soc_tier2_annual_factors_temperature"][0], steps["soc_tier2_annual_factors_water"][0]),
		fmt.Sprintf("%.4f · %.4f", steps["soc_tier2_residue_carbon"][0], steps["soc_tier2_residue_carbon"][1]),
		fmt.Sprintf("run-in, t C/ha | %.4f", stocks[0]),
		fmt.Sprintf("%.4f · %.4f", stocks[4], stocks[5]),
		fmt.Sprintf("%.4f (−%.4f to %.4f)", used.Change, -used.Low, used.High),
		fmt.Sprintf("%.3f", removal(res).CO2e/1000),
	} {
		require.Contains(t, string(guide), strings.Replace(row, "24.255", "24,255", 1))
	}
}

// TestSteadyStateHolds: constant conditions give no change, more carbon and less tillage a gain, the reverse a loss
// with the nitrogen it releases.
func TestSteadyStateHolds(t *testing.T) {
	t.Parallel()
	set := factors(t, ghg.IPCC2019)
	rapid.Check(t, func(t *rapid.T) {
		in := steadyWheat()
		c := in.Soil.Carbon
		in.Soil.SandPct = ptr(rapid.Float64Range(0, 100).Draw(t, "sand"))
		for i := range c.Climate[0].Months {
			c.Climate[0].Months[i] = ghg.ClimateMonth{
				TemperatureC:    rapid.Float64Range(-30, 44).Draw(t, "temperature"),
				PrecipitationMm: rapid.Float64Range(0, 400).Draw(t, "rain"), PETMm: rapid.Float64Range(0, 300).Draw(t, "pet"),
			}
		}
		c.Climate[0].Months[6].TemperatureC = 20
		input := func(carbon float64) *ghg.CarbonInput {
			return &ghg.CarbonInput{TCHa: carbon, LigninPct: 7, NitrogenPct: 1}
		}
		carbon := rapid.Float64Range(0.5, 8).Draw(t, "carbon")
		c.History = []ghg.CarbonPeriod{{FirstYear: 2004, LastYear: 2023, Tillage: "reduced", Input: input(carbon)}}
		change := func(carbon float64, tillage string) float64 {
			c.Input, in.LandManagement.Tillage = input(carbon), tillage
			res := calculate(t, in, set)
			e := res.SoilCarbon.Estimates[len(res.SoilCarbon.Estimates)-1]
			require.LessOrEqual(t, e.Low, e.Change)
			require.GreaterOrEqual(t, e.High, e.Change)
			if e.Change < 0 {
				lost := labels(res.Lines)
				require.InDelta(t, -e.CO2e*1000, lost[ghg.LabelSoilLoss], 1e-6)
			}
			return e.Change
		}
		require.InDelta(t, 0, change(carbon, "reduced"), 1e-9)
		require.Positive(t, change(carbon*1.5, "reduced"))
		require.Negative(t, change(carbon*0.5, "reduced"))
		require.GreaterOrEqual(t, change(carbon, "no_till"), -1e-9)
		require.LessOrEqual(t, change(carbon, "full"), 1e-9)
	})
}

// TestSteadyStateInputs: what the carbon input follows from.
func TestSteadyStateInputs(t *testing.T) {
	t.Parallel()
	at := func(change func(in *ghg.Input)) float64 {
		in := steadyWheat()
		change(&in)
		res := run(t, in)
		return res.SoilCarbon.Estimates[len(res.SoilCarbon.Estimates)-1].Change
	}
	base := at(func(*ghg.Input) {})
	require.Greater(t, at(func(in *ghg.Input) {
		in.OrganicInputs = []ghg.OrganicInput{{Type: "cattle_manure", KgPerHa: 20_000}}
	}), base)
	require.InDelta(t, base, at(func(in *ghg.Input) {
		in.OrganicInputs = []ghg.OrganicInput{{Type: "compost", KgPerHa: 20_000}}
	}), 1e-12, "no row, with a warning")
	require.Greater(t, at(func(in *ghg.Input) { in.OrganicInputs = []ghg.OrganicInput{{Type: "straw", KgPerHa: 5000}} }), base)
	require.Less(t, at(func(in *ghg.Input) {
		in.Residues.Management = []ghg.ResidueShare{{Practice: "left_on_field", SharePct: 50}, {Practice: "removed", SharePct: 50}}
	}), base)
	require.NotEqual(t, base, at(func(in *ghg.Input) { in.Soil.Carbon.IrrigatedFrom, in.Soil.Carbon.IrrigatedTo = 11, 2 }))
	require.InDelta(t, base, at(func(in *ghg.Input) { in.Soil.Carbon.RunInYears = 10 }), 1e-9, "what is at rest stays so in the other ten years")
	require.Less(t, at(func(in *ghg.Input) { // manure all along is no gain
		in.OrganicInputs = []ghg.OrganicInput{{Type: "cattle_manure", KgPerHa: 20_000}}
		for i := range in.Soil.Carbon.History {
			in.Soil.Carbon.History[i].OrganicType, in.Soil.Carbon.History[i].OrganicKgHa = "cattle_manure", 20_000
		}
	}), at(func(in *ghg.Input) { in.OrganicInputs = []ghg.OrganicInput{{Type: "cattle_manure", KgPerHa: 20_000}} }))
	warm := at(func(in *ghg.Input) { // a year of its own beside the normals
		months := normals()
		for i := range months {
			months[i].TemperatureC += 3
		}
		in.Soil.Carbon.Climate = append(in.Soil.Carbon.Climate, ghg.ClimateYear{Year: 2024, Months: months})
	})
	require.Less(t, warm, base, "warmth decays")

	// Land converted within 20 years keeps Tier 1; the model covers the rest.
	in := steadyWheat()
	in.LandUseChange = []ghg.Conversion{{PreviousUse: "grassland", Year: 2015, AreaPct: 40}}
	res := run(t, in)
	require.InDelta(t, 24_254.6*.6, removal(res).CO2e, 0.05)
	require.Positive(t, labels(res.Lines)[ghg.LabelLandUse])
	in.LandUseChange[0].AreaPct = 100
	refused(t, in, "soil", "carbon_method")
}

// TestSteadyStateRefused: what is impossible is refused by its field.
func TestSteadyStateRefused(t *testing.T) {
	t.Parallel()
	for field, change := range map[string]func(in *ghg.Input){
		"sand_pct":                     func(in *ghg.Input) { in.Soil.SandPct = nil },
		"sand_pct ":                    func(in *ghg.Input) { in.Soil.SandPct = ptr(101.0) },
		"monthly_climate":              func(in *ghg.Input) { in.Soil.Carbon.Climate[0].Months = normals()[:11] },
		"monthly_climate ":             func(in *ghg.Input) { in.Soil.Carbon.Climate[0].Months[3].TemperatureC = 61 },
		"monthly_climate  ":            func(in *ghg.Input) { in.Soil.Carbon.Climate[0].Months[3].PETMm = -1 },
		"monthly_climate   ":           func(in *ghg.Input) { in.Soil.Carbon.Climate[0].Year = 2024 },
		"monthly_climate    ":          func(in *ghg.Input) { in.Soil.Carbon.Climate = nil },
		"monthly_climate     ":         func(in *ghg.Input) { in.Soil.Carbon.Climate[0].Months[0].PrecipitationMm = math.NaN() },
		"carbon_history":               func(in *ghg.Input) { in.Soil.Carbon.History = nil },
		"carbon_history ":              func(in *ghg.Input) { in.Soil.Carbon.History[0].LastYear = 2022 },
		"carbon_history[0].first_year": func(in *ghg.Input) { in.Soil.Carbon.History[0].FirstYear = 2021 },
		"carbon_history[1].last_year":  func(in *ghg.Input) { in.Soil.Carbon.History[1].LastYear = 1999 },
		"run_in_years":                 func(in *ghg.Input) { in.Soil.Carbon.History = in.Soil.Carbon.History[:1] },
		"run_in_years ":                func(in *ghg.Input) { in.Soil.Carbon.RunInYears = 4 },
		"carbon_input":                 func(in *ghg.Input) { in.Residues = nil },
		"carbon_input ":                func(in *ghg.Input) { in.Crop.Type = "orchard_fruit" },
		"carbon_input_nitrogen_pct":    func(in *ghg.Input) { in.Soil.Carbon.Input = &ghg.CarbonInput{TCHa: 1} },
		"carbon_history[0].crop_type":  func(in *ghg.Input) { in.Soil.Carbon.History[0].Crop = "moss" },
		"carbon_method":                func(in *ghg.Input) { in.Soil.Carbon.Method = "tier_3" },
		"carbon_method ":               func(in *ghg.Input) { in.Soil.Class, in.Soil.DrainedOrganicPct = "organic", ptr(10.0) },
		"carbon_method  ":              func(in *ghg.Input) { in.Crop.Type, in.Rice = "rice_paddy", paddy().Rice },
		"general growing_area":         func(in *ghg.Input) { in.General.AreaHa = 0 },
		"land_management tillage":      func(in *ghg.Input) { in.LandManagement = nil },
		"land_management tillage bad":  func(in *ghg.Input) { in.LandManagement.Tillage = "some" },
	} {
		in := steadyWheat()
		change(&in)
		path := []string{"soil", strings.TrimSpace(field)}
		if words := strings.Fields(field); len(words) > 1 {
			path = words[:2]
		}
		refused(t, in, path...)
	}
}
