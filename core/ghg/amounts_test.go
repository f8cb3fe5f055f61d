package ghg_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/ghg"
)

func steps(t *testing.T, in ghg.Input) map[string]ghg.TraceLine {
	t.Helper()
	res, err := ghg.Calculate(in, factors(t, ghg.IPCC2019), ghg.Options{Trace: true})
	require.NoError(t, err)
	out := map[string]ghg.TraceLine{}
	for _, line := range res.Trace {
		out[line.Step] = line
	}
	return out
}

// TestSugarcane checks residue nitrogen against the cane farm of the Australian calculators (aia-sugar-leaching-n2o):
// 2,300 ha of 90 t/ha leave 84,352.5 kg N.
func TestSugarcane(t *testing.T) {
	t.Parallel()
	in := plain("tropical_moist")
	in.General.AreaHa, in.Crop = 2300, ghg.Crop{Type: "sugarcane", YieldKg: ptr(2300 * 90_000.0)}
	in.Residues = &ghg.Residues{Management: []ghg.ResidueShare{{Practice: "left_on_field", SharePct: 100}}}
	require.InEpsilon(t, 84_352.5, steps(t, in)["sum"].Result, 1e-12)
}

// TestIrrigatedShare: in a dry zone nitrogen leaches on the irrigated share alone, and water of 0 m3 is no irrigation.
func TestIrrigatedShare(t *testing.T) {
	t.Parallel()
	leached := func(water ...ghg.Irrigation) float64 {
		in := plain("warm_temperate_dry")
		in.Fertilizers = []ghg.Fertilizer{{Product: "can", KgPerHa: 100, AreaPct: 100}}
		in.Irrigation = water
		return labels(run(t, in).Lines)[ghg.LabelLeaching]
	}
	on := func(method string, m3 float64, pct *float64) ghg.Irrigation {
		return ghg.Irrigation{Method: method, WaterM3: m3, AreaPct: pct, PowerSource: "gravity"}
	}
	all := leached(on("sprinkler", 100, nil))
	require.InDelta(t, 27*.24*.011*44/28*273, all, 1e-9)
	require.Zero(t, leached(on("sprinkler", 0, nil)), "no water")
	require.InDelta(t, all*.25, leached(on("sprinkler", 100, ptr(25.0))), 1e-9)
	require.InDelta(t, all*.25, leached(on("sprinkler", 100, ptr(25.0)), on("drip", 100, ptr(75.0)), on("flood", 0, ptr(60.0))), 1e-9)
	require.InDelta(t, all*.75, leached(on("sprinkler", 100, ptr(25.0)), on("flood", 100, ptr(50.0))), 1e-9)
	require.InDelta(t, all, leached(on("sprinkler", 100, ptr(60.0)), on("flood", 100, ptr(60.0))), 1e-9)
	none := plain("warm_temperate_dry")
	none.Irrigation = []ghg.Irrigation{{Method: "sprinkler"}}
	for _, w := range run(t, none).Warnings {
		require.NotEqual(t, ghg.WarnNoPower, w.Code, "a pump of no water needs no power")
	}
}

// TestFumigation: a fumigation takes hundreds of kilograms a hectare, a spray one.
func TestFumigation(t *testing.T) {
	t.Parallel()
	of := func(category string) float64 {
		in := plain("boreal_dry")
		in.CropProtection = []ghg.Protection{{Category: category, Applications: 1, TreatedPct: 100}}
		return labels(run(t, in).Lines)[ghg.LabelProtection]
	}
	require.InDelta(t, 3670, of("soil_fumigation"), 1e-9)
	require.InDelta(t, 20.5, of("soil_treatment"), 1e-9)
}

// TestNitrogenOfConversion: the nitrogen that a change of land use releases belongs to it; that of a change of tillage does not.
func TestNitrogenOfConversion(t *testing.T) {
	t.Parallel()
	in := plain("cool_temperate_moist")
	in.LandManagement = &ghg.LandState{Tillage: "full", CarbonInputs: "medium"}
	in.LandUseChange = []ghg.Conversion{{PreviousUse: "grassland", Year: 2015, AreaPct: 100}}
	res := run(t, in)
	var n2o float64
	for _, l := range res.Lines {
		require.Equal(t, ghg.LabelLandUse, l.Label, l.Model)
		require.Equal(t, ghg.CategoryLandUse, l.Category)
		n2o += l.Kg[ghg.N2O]
	}
	require.Positive(t, n2o)
	in.LandUseChange = nil
	in.LandManagement.Changes = []ghg.LandChange{{Year: 2015, Tillage: "no_till", AreaPct: 100}}
	by := labels(run(t, in).Lines)
	require.Positive(t, by[ghg.LabelDirect])
	require.Positive(t, by[ghg.LabelSoilLoss])
	require.Zero(t, by[ghg.LabelLandUse])
}

// TestAmountsThatAreNone: what cannot be an amount is refused by its path, whoever made the input.
func TestAmountsThatAreNone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil func(in *ghg.Input)
		path  []string
	}{
		"a negative area":      {func(in *ghg.Input) { in.General.AreaHa = -1 }, []string{"general", "area_ha"}},
		"a negative yield":     {func(in *ghg.Input) { in.Crop.YieldKg = ptr(-1.0) }, []string{"crop", "yield_kg"}},
		"a negative amount":    {func(in *ghg.Input) { in.FuelEnergy[1].Amount = -5 }, []string{"fuel_energy", "1", "amount"}},
		"no number":            {func(in *ghg.Input) { in.Fertilizers[0].KgPerHa = math.NaN() }, []string{"fertilizers", "0", "kg_per_ha"}},
		"without end":          {func(in *ghg.Input) { in.Seeds.KgPerHa = math.Inf(1) }, []string{"seeds", "kg_per_ha"}},
		"more than all":        {func(in *ghg.Input) { in.CropProtection[0].TreatedPct = 101 }, []string{"crop_protection", "0", "treated_pct"}},
		"a nested list":        {func(in *ghg.Input) { in.PerennialBiomass[2].MeasuredStocks[1].TC = -1 }, []string{"perennial_biomass", "2", "measured_stocks", "1", "t_c"}},
		"a temperature of NaN": {func(in *ghg.Input) { in.General.TemperatureC = ptr(math.NaN()) }, []string{"general", "temperature_c"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := full()
			c.spoil(&in)
			refused(t, in, c.path...)
		})
	}
	in := full()
	in.General.TemperatureC = ptr(-3.0)
	require.NotEmpty(t, run(t, in).Lines, "a cold field is a field")
}
