package ghg_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/fault"
	"tilth/core/ghg"
	"tilth/core/ghg/report"
)

// labels sums kg CO2e by label.
func labels(lines []ghg.Line) map[string]float64 {
	out := map[string]float64{}
	for _, l := range lines {
		out[l.Label] += l.CO2e
	}
	return out
}

func run(t *testing.T, in ghg.Input) ghg.Result {
	t.Helper()
	return calculate(t, in, factors(t, ghg.IPCC2019))
}

// plain is a field with nothing on it; each trap adds what it tests.
func plain(zone string) ghg.Input {
	return ghg.Input{
		General: ghg.General{Year: 2024, AreaHa: 1, ClimateRegion: zone, Country: "france"},
		Crop:    ghg.Crop{Type: "winter_wheat", YieldKg: ptr(5000.0)},
		Soil:    ghg.Soil{Class: "high_activity_clay"},
	}
}

func refused(t *testing.T, in ghg.Input, path ...string) {
	t.Helper()
	_, err := ghg.Calculate(in, factors(t, ghg.IPCC2019), ghg.Options{})
	require.True(t, fault.Is(err, fault.Invalid), "%v", err)
	f, _ := fault.As(err)
	var at any = f.Fields
	for _, name := range path {
		fields, ok := at.(fault.Fields)
		require.True(t, ok, "%v has no %s", f.Fields, name)
		at = fields[name]
	}
	require.NotEmpty(t, at, "%v", f.Fields)
}

func TestEmptyInput(t *testing.T) {
	t.Parallel()
	set := factors(t, ghg.IPCC2019)
	res := calculate(t, ghg.Input{}, set)
	require.Zero(t, res.Emissions)
	require.Zero(t, res.High)
	report := report.New(res, report.About{Basis: "live"})
	require.Nil(t, report.Totals.EmissionsPerHa)
	require.Nil(t, report.Totals.EmissionsPerT)
	require.Nil(t, report.Totals.RemovalsPerHa)
	require.NotEmpty(t, report.Warnings)
	for _, g := range report.ByGas {
		require.Zero(t, g.Share)
	}
}

// Nitrogen: N2O against N2O-N, the zones, irrigation, flooded rice.
func TestNitrogenTraps(t *testing.T) {
	t.Parallel()
	can := []ghg.Fertilizer{{Product: "can", KgPerHa: 100, AreaPct: 100, NPct: ptr(20.0)}} // 20 kg N
	direct := func(in ghg.Input) float64 { return labels(run(t, in).Lines)[ghg.LabelDirect] }
	leached := func(in ghg.Input) float64 { return labels(run(t, in).Lines)[ghg.LabelLeaching] }
	for _, c := range []struct {
		zone        string
		rain        *float64
		ef1, leaves float64
	}{
		{"tropical_wet", nil, .016, .24}, {"tropical_moist", nil, .016, .24}, {"tropical_montane", nil, .016, .24},
		{"tropical_montane", ptr(999.0), .005, 0}, {"tropical_montane", ptr(1000.0), .016, .24}, {"tropical_dry", nil, .005, 0},
		{"warm_temperate_moist", nil, .016, .24}, {"warm_temperate_dry", nil, .005, 0}, {"cool_temperate_moist", nil, .016, .24},
		{"cool_temperate_dry", nil, .005, 0}, {"boreal_moist", nil, .016, .24}, {"boreal_dry", nil, .005, 0},
	} {
		in := plain(c.zone)
		in.Fertilizers, in.Soil.AnnualRainfallMm = can, c.rain
		require.InDelta(t, 20*c.ef1*44/28*273, direct(in), 1e-9, c.zone)
		require.InDelta(t, 20*c.leaves*.011*44/28*273, leached(in), 1e-9, c.zone)
	}
	for method, leaches := range map[string]bool{"drip": false, "subsurface": false, "sprinkler": true, "centre_pivot": true, "rain_gun": true, "flood": true, "furrow": true} {
		in := plain("warm_temperate_dry")
		in.Fertilizers = can
		in.Irrigation = []ghg.Irrigation{{Method: method, WaterM3: 100, PowerSource: "gravity"}}
		require.Equal(t, leaches, leached(in) > 0, method)
		require.InDelta(t, 20*.005*44/28*273, direct(in), 1e-9, "irrigation leaves EF1 alone")
	}
	inhibited := plain("boreal_moist")
	inhibited.Fertilizers = []ghg.Fertilizer{can[0]}
	want := direct(inhibited)
	inhibited.Fertilizers[0].Inhibitor = "nitrification"
	require.InDelta(t, want, direct(inhibited), 0)
	require.Equal(t, ghg.WarnInhibitor, run(t, inhibited).Warnings[0].Code)
	for regime, ef1 := range map[string]float64{
		"continuously_flooded": .003, "single_drainage": .005, "multiple_drainage": .005, "irrigated_aggregated": .004, "rainfed_aggregated": .004,
		"regular_rainfed": .004, "drought_prone": .004, "deep_water": .004, "upland": .016,
	} {
		in := paddy()
		in.Rice.WaterRegime = regime
		require.InDelta(t, 220*2*.46*ef1*44/28*273, byLine(run(t, in).Lines)[lineKey{"soil_n2o_direct", "soil_n2o_direct", "fertilizers"}], 1e-9, regime)
		require.Equal(t, regime != "upland", labels(run(t, in).Lines)[ghg.LabelRice] > 0, regime)
	}
}

// Urea is counted once: its CO2 is in the field, not in the factory.
func TestUreaTraps(t *testing.T) {
	t.Parallel()
	urea := func(f ghg.Fertilizer) float64 {
		in := plain("boreal_moist")
		f.KgPerHa, f.AreaPct = 100, 100
		in.Fertilizers = []ghg.Fertilizer{f}
		return labels(run(t, in).Lines)[ghg.LabelUrea]
	}
	require.InDelta(t, 73.3333, urea(ghg.Fertilizer{Product: "urea"}), 1e-3)
	require.InDelta(t, 35*.7333333, urea(ghg.Fertilizer{Product: "uan"}), 1e-3)
	npk := ghg.Fertilizer{Product: "custom", NPct: ptr(23.0), P2O5Pct: ptr(0.0), K2OPct: ptr(0.0), NClass: "urea"}
	require.InDelta(t, 50*.7333333, urea(npk), 1e-3)
	npk.NClass = "ammonium"
	require.Zero(t, urea(npk))
	require.Zero(t, urea(ghg.Fertilizer{Product: "ammonium_nitrate"}))

	// The European factor has no hydrolysis in it: 0.881, where 1.614 would hold it.
	in := plain("boreal_moist")
	in.Fertilizers = []ghg.Fertilizer{{Product: "urea", KgPerHa: 100, AreaPct: 100}}
	require.InDelta(t, 88.1, labels(run(t, in).Lines)[ghg.LabelProduction], 1e-9)
	in.Fertilizers[0].ManualProductionEF = ptr(2.0)
	res := run(t, in)
	require.InDelta(t, 200, labels(res.Lines)[ghg.LabelProduction], 1e-9)
	for _, l := range res.Lines {
		require.Equal(t, map[bool]int{true: 2, false: 1}[l.Label == ghg.LabelProduction], l.Tier, l.Label)
	}
	// Lime holds no nitrogen.
	in.Fertilizers = []ghg.Fertilizer{{Product: "dolomite", KgPerHa: 1000, AreaPct: 100, Region: "australia"}}
	require.InDeltaMapValues(t, map[string]float64{ghg.LabelLiming: 476.667, ghg.LabelProduction: 35.73}, labels(run(t, in).Lines), 1e-3)
	// A treated area, and a region without a row of its own.
	in.Fertilizers = []ghg.Fertilizer{{Product: "uan", KgPerHa: 100, AreaPct: 25, Region: "china"}}
	require.InDelta(t, 25*1.650268, labels(run(t, in).Lines)[ghg.LabelProduction], 1e-9)
}

func TestResidueTraps(t *testing.T) {
	t.Parallel()
	in := plain("cool_temperate_moist")
	in.Residues = &ghg.Residues{Management: []ghg.ResidueShare{{Practice: "removed", SharePct: 90}}}
	refused(t, in, "residues", "management")
	in.Residues.Management = []ghg.ResidueShare{{Practice: "removed", SharePct: 60}, {Practice: "burned", SharePct: 60}}
	refused(t, in, "residues", "management")

	n := func(practice string) float64 {
		in.Residues = &ghg.Residues{Management: []ghg.ResidueShare{{Practice: practice, SharePct: 100}}}
		return byLine(run(t, in).Lines)[lineKey{"soil_n2o_direct", "crop_residues", "residues"}] / (.006 * 44 / 28 * 273)
	}
	// 5 t x .89 dry, ratio 1.3, .006 N; roots .23 of crop and residue, .009 N.
	const dm, above = 5000 * .89, 5000 * .89 * 1.3
	const roots = (dm + above) * .23 * .009
	require.InDelta(t, above*.006+roots, n("left_on_field"), 1e-6)
	require.InDelta(t, roots, n("removed"), 1e-6, "removed residue takes its nitrogen along, the roots stay")
	require.InDelta(t, above*.006*(1-.9)+roots, n("burned"), 1e-6)
	require.InDelta(t, roots, n("composted"), 1e-6)
	in.Residues = &ghg.Residues{Management: []ghg.ResidueShare{{Practice: "burned", SharePct: 100}}}
	res := run(t, in)
	burnt := above * .9
	require.InDelta(t, burnt*(.0027*27+.00007*273), labels(res.Lines)[ghg.LabelBurning], 1e-6, "the methane of a fire is not fossil")
	require.InDelta(t, burnt*1.515, res.BiogenicCO2, 1e-6, "its CO2 is a memo")

	// An empty cell is not a zero factor: the term is left out, and the trace says so.
	in.Crop.Type = "alfalfa"
	in.Residues = &ghg.Residues{Management: []ghg.ResidueShare{{Practice: "left_on_field", SharePct: 100}}}
	traced, err := ghg.Calculate(in, factors(t, ghg.IPCC2019), ghg.Options{Trace: true})
	require.NoError(t, err)
	said := false
	for _, line := range traced.Trace {
		for _, f := range line.Factors {
			said = said || f.Key == "residue.alfalfa.r_ag" && strings.Contains(f.Note, "not available")
		}
	}
	require.True(t, said)
	in.Crop.RenewalYears = ptr(4.0)
	require.Less(t, labels(run(t, in).Lines)[ghg.LabelResidues], labels(traced.Lines)[ghg.LabelResidues])
	in.Crop.Type, in.Residues.Method = "cotton", "slope_intercept"
	refused(t, in, "residues", "method")
	in.Crop.Type, in.Crop.GrowingCycles = "winter_wheat", 2
	twice := labels(run(t, in).Lines)[ghg.LabelResidues]
	in.Crop.GrowingCycles = 1
	require.Greater(t, twice, labels(run(t, in).Lines)[ghg.LabelResidues], "the intercept is per cycle")
	in.Residues.Method, in.Crop.GrowingCycles = "", 2
	once := labels(run(t, in).Lines)[ghg.LabelResidues]
	in.Crop.GrowingCycles = 1
	require.InDelta(t, once, labels(run(t, in).Lines)[ghg.LabelResidues], 1e-9, "a yield is of all cycles")
}

func TestRiceCycles(t *testing.T) {
	t.Parallel()
	ch4 := func(in ghg.Input) float64 { return labels(run(t, in).Lines)[ghg.LabelRice] }
	one := paddy()
	one.OrganicInputs, one.Residues = nil, nil
	two := one
	two.Crop.GrowingCycles = 2
	require.InDelta(t, 2*ch4(one), ch4(two), 1e-9, "days are per cycle")
	require.InDelta(t, .85*112*2*27, ch4(one), 1e-9)
	two.OrganicInputs = []ghg.OrganicInput{{Type: "green_manure", KgPerHa: 6000}}
	require.InDelta(t, 2*.85*112*2*27*math.Pow(1+3*.45, .59), ch4(two), 1e-9, "rates are per cycle")
	two.OrganicInputs = []ghg.OrganicInput{{Type: "straw", KgPerHa: 2000, DaysBeforePlanting: ptr(30.0)}}
	require.InDelta(t, 2*.85*112*2*27*math.Pow(1+.89*.19, .59), ch4(two), 1e-9, "straw counts dry")
	two.OrganicInputs[0].DaysBeforePlanting = nil
	require.InDelta(t, 2*.85*112*2*27*math.Pow(1+.89, .59), ch4(two), 1e-9, "straw is fresh when the days are not given")
}

// Allocation moves the figure per tonne alone.
func TestAllocation(t *testing.T) {
	t.Parallel()
	set := factors(t, ghg.IPCC2019)
	in := wheat()
	whole := report.New(calculate(t, in, set), report.About{})
	in.Crop.CoProducts = []ghg.CoProduct{{Name: "straw", SharePct: 20, Basis: "economic"}}
	in.Crop.FarmGateYieldKg = ptr(40_000.0)
	part := report.New(calculate(t, in, set), report.About{})
	require.InDelta(t, whole.Totals.Emissions, part.Totals.Emissions, 0)
	require.InDelta(t, *whole.Totals.EmissionsPerT*.8*2, *part.Totals.EmissionsPerT, 2e-6)
	require.InDelta(t, part.Totals.Emissions*.2, part.Allocation.CoProducts[0].CO2e, 1e-6)
	require.InDelta(t, part.Totals.Emissions, part.Allocation.Main+part.Allocation.CoProducts[0].CO2e, 1e-6)
}

// TestUncertainty: EF1 is one factor for two sections, so its moves add before they are
// squared.
func TestUncertainty(t *testing.T) {
	t.Parallel()
	in := plain("cool_temperate_moist")
	in.Fertilizers = []ghg.Fertilizer{{Product: "tsp", KgPerHa: 100, AreaPct: 100, NPct: ptr(10.0), ManualProductionEF: ptr(1.0)}}
	in.OrganicInputs = []ghg.OrganicInput{{Type: "green_manure", KgPerHa: 1000, NPct: ptr(1.0)}}
	res := run(t, in)
	const n2o = 44.0 / 28 * 273
	sq := func(v float64) float64 { return v * v }
	synthetic, other := 10*.016*n2o, 10*.006*n2o
	leached := 20 * .24 * .011 * n2o
	low := sq(synthetic*3/16) + sq(other*5/6) + sq(leached*(1-.01/.24)) + sq(leached) + sq(50)
	// Upwards the two factors of leaching combine by their ratios; downwards one of them alone takes it to nothing.
	ratio := math.Exp(math.Hypot(math.Log(.73/.24), math.Log(20.0/11)))
	high := sq(synthetic*3/16) + sq(other*5/6) + sq(leached*(ratio-1)) + sq(50)
	require.InDelta(t, math.Max(0, res.Emissions-math.Sqrt(low)), res.Low, 1e-6)
	require.InDelta(t, res.Emissions+math.Sqrt(high), res.High, 1e-6)
	for _, l := range res.Lines {
		require.Equal(t, l.Label == ghg.LabelProduction, l.RangeAssumed, l.Label)
	}
}

func TestOldSet(t *testing.T) {
	t.Parallel()
	set := factors(t, ghg.IPCC2006)
	res := calculate(t, wheat(), set)
	require.Equal(t, "ar5", res.GWP)
	require.InDelta(t, 920*.01*44/28*265, byLine(res.Lines)[lineKey{"soil_n2o_direct", "soil_n2o_direct", "fertilizers"}], 1e-9)
	require.InDelta(t, 920*.3*.0075*44/28*265, byLine(res.Lines)[lineKey{"soil_n2o_leaching", "soil_n2o_leaching", "fertilizers"}], 1e-9)
	// IPCC 2006 Table 11.2: above-ground residue by regression.
	traced, err := ghg.Calculate(wheat(), set, ghg.Options{Trace: true})
	require.NoError(t, err)
	found := false
	for _, l := range traced.Trace {
		found = found || l.Step == "above_ground_residue" && strings.Contains(l.Equation, "I * 1000")
	}
	require.True(t, found)
	in := plain("cool_temperate_moist")
	in.LandManagement = &ghg.LandState{Tillage: "no_till", CarbonInputs: "medium", Changes: []ghg.LandChange{{Year: 2020, Tillage: "full", AreaPct: 100}}}
	require.InDelta(t, 95*.69*(1.15-1)/20*1000*44/12, calculate(t, in, set).Removed, 1e-6)
	require.Equal(t, ghg.IPCC2006, calculate(t, in, set).FactorSet.ID)
}

func TestCompare(t *testing.T) {
	t.Parallel()
	set := factors(t, ghg.IPCC2019)
	before := report.New(calculate(t, wheat(), set), report.About{})
	less := wheat()
	less.Fertilizers[0].KgPerHa = 100
	after := report.New(calculate(t, less, set), report.About{})
	c := report.Compare(before, after)
	saved := -(6.315 + .829 + 1.042 + 1.467 + 1.762) / 2
	require.InDelta(t, saved, *c.Totals[0].Difference, 2e-3)
	require.InDelta(t, saved/18.579*100, *c.Totals[0].DifferencePct, .01)
	require.Equal(t, ghg.LabelDirect, c.BySource[0].Name, "the largest saving first")
	require.Equal(t, "fertilizers", c.BySection[0].Name)
	require.InDelta(t, saved, *c.BySection[0].Difference, 2e-3)
	require.Empty(t, c.Warnings)
	require.Zero(t, *report.Compare(before, before).Totals[0].Difference)
	nothing := report.Compare(report.New(calculate(t, ghg.Input{}, set), report.About{}), after)
	require.Nil(t, nothing.Totals[0].DifferencePct, "of nothing there is no share")
	require.Nil(t, nothing.Totals[3].Difference, "per hectare of no area")
	old := factors(t, ghg.IPCC2006)
	require.Len(t, report.Compare(before, report.New(calculate(t, wheat(), old), report.About{})).Warnings, 1)
}

// What a default stood in for is reported, and a row states why it was chosen.
func TestDefaultsAreTold(t *testing.T) {
	t.Parallel()
	set := factors(t, ghg.IPCC2019)
	in := plain("boreal_moist")
	in.General.Country = "china"
	in.Fertilizers = []ghg.Fertilizer{{Product: "can", KgPerHa: 100, AreaPct: 100}}
	last := steps(t, in)["production"].Factors[0]
	res := run(t, in)
	require.Equal(t, "production.world.calcium_ammonium_nitrate", last.Key)
	require.True(t, last.Default)
	require.Contains(t, last.Note, "no china value")
	require.InDelta(t, 1-labels(res.Lines)[ghg.LabelProduction]/res.Emissions, res.UserShare, 1e-12)
	in.Fertilizers[0].Region = "world"
	require.InDelta(t, 1, run(t, in).UserShare, 1e-12)

	// An unverified row is shown with that word.
	shown := 0
	res, err := ghg.Calculate(paddy(), set, ghg.Options{Trace: true})
	require.NoError(t, err)
	for _, w := range report.New(res, report.About{}).Warnings {
		if w.Code == ghg.WarnUnverified {
			shown++
			require.Contains(t, w.Message, "irrigation.")
		}
	}
	require.Equal(t, 2, shown, "the pump efficiency and the flooding head")

	in = ghg.Input{General: ghg.General{AreaHa: 1, ClimateRegion: "boreal_dry"}, Fertilizers: []ghg.Fertilizer{{Product: "urea", KgPerHa: 1, AreaPct: 100}}}
	require.Contains(t, run(t, in).Warnings, ghg.Warning{Code: ghg.WarnNoCountry, Item: "general", Message: "The country is not stated: the figures of the world are used."})
	in.General.Country = "atlantis"
	refused(t, in, "general", "farm_country")
	in.General.ClimateRegion = "lunar"
	refused(t, in, "general", "climate_region")
	in = plain("boreal_dry")
	in.Fertilizers = []ghg.Fertilizer{{Product: "gold", KgPerHa: 1, AreaPct: 100}}
	refused(t, in, "fertilizers", "0", "product")
	in.Fertilizers = []ghg.Fertilizer{{Product: "urea", KgPerHa: math.MaxFloat64, AreaPct: 100}}
	_, err = ghg.Calculate(in, set, ghg.Options{})
	require.True(t, fault.Is(err, fault.Invalid))
}

// TestRounding: a report rounds at its edge alone, to the gram.
func TestRounding(t *testing.T) {
	t.Parallel()
	report := report.New(run(t, wheat()), report.About{AssessmentID: 7, Basis: "submitted", ResultVersion: ptr(3)})
	require.InDelta(t, 18.579, report.Totals.Emissions, 5e-4)
	require.InDelta(t, math.Round(report.Totals.Emissions*1e6)/1e6, report.Totals.Emissions, 0)
	require.InDelta(t, 1.858, *report.Totals.EmissionsPerHa, 5e-4)
	require.InDelta(t, .232, *report.Totals.EmissionsPerT, 5e-4)
	require.Equal(t, "tCO2e", report.Totals.Unit)
	require.InDelta(t, 14.497, report.Uncertainty.Low, 5e-4)
	require.InDelta(t, 25.183, report.Uncertainty.High, 5e-4)
	require.Equal(t, "soil_n2o_direct", report.BySource[0].Label)
	require.Empty(t, report.RemovalsBySrc)
	require.Equal(t, 3, *report.ResultVersion)
}
