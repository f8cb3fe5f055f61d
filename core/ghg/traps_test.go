package ghg_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/fault"
	"tilth/core/ghg"
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

// plain is a field with nothing on it: the traps add what they are about.
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
	report := ghg.NewReport(res, ghg.About{Basis: "live"})
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

	// An empty cell is no zero factor: the term is left out, and the trace says so.
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

// The 20-year window: its first and its last year, t C against t CO2, who restarts.
func TestTwentyYears(t *testing.T) {
	t.Parallel()
	const ref = 81.0 // high activity clay, cool temperate moist
	soil := func(year int, land *ghg.LandState, conversions ...ghg.Conversion) (loss, gain float64) {
		in := plain("cool_temperate_moist")
		in.General.Year, in.LandManagement, in.LandUseChange = year, land, conversions
		res := run(t, in)
		return labels(res.Lines)[ghg.LabelSoilLoss], labels(res.Removals)[ghg.RemovalSoil]
	}
	better := func(changed int) *ghg.LandState {
		return &ghg.LandState{Tillage: "no_till", CarbonInputs: "medium", Changes: []ghg.LandChange{{Year: changed, Tillage: "full", AreaPct: 100}}}
	}
	yearly := ref * .7 * (1.09 - 1) / 20 * 1000 * 44 / 12
	for year, want := range map[int]float64{1999: 0, 2000: yearly, 2019: yearly, 2020: 0} {
		loss, gain := soil(year, better(2000))
		require.InDelta(t, want, gain, 1e-6, year)
		require.Zero(t, loss)
	}
	worse := &ghg.LandState{Tillage: "full", CarbonInputs: "medium", Changes: []ghg.LandChange{{Year: 2010, Tillage: "no_till", AreaPct: 50}}}
	loss, gain := soil(2024, worse)
	require.InDelta(t, yearly/2, loss, 1e-6)
	require.Zero(t, gain)
	in := plain("cool_temperate_moist")
	in.LandManagement = worse
	n := yearly / 2 / 44 * 12 / 10 // kg N at C:N 10
	got := labels(run(t, in).Lines)
	require.InDelta(t, n*.006*44/28*273, got[ghg.LabelDirect], 1e-6)
	require.InDelta(t, n*.24*.011*44/28*273, got[ghg.LabelLeaching], 1e-6)
	require.Zero(t, got[ghg.LabelVolatilisation])

	// A second change restarts from the stock at that moment; one that leaves the factors
	// as they are does not.
	land := &ghg.LandState{Tillage: "no_till", CarbonInputs: "high", Changes: []ghg.LandChange{
		{Year: 2020, Tillage: "no_till", CarbonInputs: "medium", AreaPct: 100}, {Year: 2010, Tillage: "full", CarbonInputs: "medium", AreaPct: 100},
	}}
	start, mid := ref*.7, ref*.7*1.09
	_, gain = soil(2024, land)
	require.InDelta(t, (ref*.7*1.09*1.11-(start+(mid-start)*10/20))/20*1000*44/12, gain, 1e-6)
	same := better(2000)
	same.Changes = append(same.Changes, ghg.LandChange{Year: 2015, AreaPct: 100})
	_, gain = soil(2019, same)
	require.InDelta(t, yearly, gain, 1e-6)
	_, gain = soil(2020, same)
	require.Zero(t, gain)
	same.Changes[1].AreaPct = 50
	in.LandManagement = same
	refused(t, in, "land_management", "changes")
}

func TestLandUseChange(t *testing.T) {
	t.Parallel()
	in := plain("cool_temperate_moist")
	in.LandManagement = &ghg.LandState{Tillage: "full", CarbonInputs: "medium", NoChange20y: true}
	in.LandUseChange = []ghg.Conversion{{PreviousUse: "forest", ForestZone: "temperate_oceanic_europe", Year: 2005, AreaPct: 50}}
	biomass := (120*1.23*.47 - 4.7) * .5 * 1000 * 44 / 12 / 20
	carbon := 81 * (1 - .7) / 20 * .5 * 1000
	res := run(t, in)
	require.InDelta(t, biomass+carbon*44/12, labels(res.Lines)[ghg.LabelLandUse], 1e-6)
	require.InDelta(t, carbon/15*.006*44/28*273, labels(res.Lines)[ghg.LabelDirect], 1e-6, "C:N 15 for land from outside cropland")
	require.Zero(t, labels(res.Lines)[ghg.LabelSoilLoss])
	in.LandUseChange[0].Year = 2004
	require.Zero(t, run(t, in).Emissions, "2024 is the 21st year")
	in.LandUseChange[0].Year = 2025
	require.Zero(t, run(t, in).Emissions, "what is still to come")
	in.LandUseChange[0].Year = 2024
	in.LandUseChange[0].PreviousBiomassTCHa = ptr(4.7)
	require.InDelta(t, carbon*44/12, labels(run(t, in).Lines)[ghg.LabelLandUse], 1e-6, "a stock of the user's own")

	in.LandUseChange = []ghg.Conversion{{PreviousUse: "perennial", Year: 2020, AreaPct: 100}}
	got := labels(run(t, in).Lines)
	require.InDelta(t, 8.5*1000*44/12/20, got[ghg.LabelBiomassLoss], 1e-6)
	require.InDelta(t, 81*(.72-.7)/20*1000*44/12, got[ghg.LabelSoilLoss], 1e-6)
	require.Zero(t, got[ghg.LabelLandUse])
	in.LandUseChange = []ghg.Conversion{{PreviousUse: "other", Year: 2020, AreaPct: 100}}
	res = run(t, in)
	require.Zero(t, res.Emissions)
	require.Equal(t, ghg.WarnOtherLand, res.Warnings[0].Code)
	in.LandUseChange = append(in.LandUseChange, ghg.Conversion{PreviousUse: "grassland", Year: 2020, AreaPct: 1})
	refused(t, in, "land_use_change", "area_pct")

	// An empty cell of the reference stocks is an error only where a stock is needed.
	empty := plain("tropical_wet")
	empty.Soil.Class = "spodic"
	empty.LandManagement = &ghg.LandState{Tillage: "full", CarbonInputs: "medium"}
	require.Zero(t, run(t, empty).Emissions)
	empty.LandManagement.Changes = []ghg.LandChange{{Year: 2020, Tillage: "no_till", AreaPct: 100}}
	refused(t, empty, "soil", "soil_class")
}

func TestOrganicSoil(t *testing.T) {
	t.Parallel()
	in := plain("cool_temperate_moist")
	in.Soil = ghg.Soil{Class: "organic"}
	refused(t, in, "soil", "drained_organic_share_pct")
	in.Soil.DrainedOrganicPct = ptr(40.0)
	in.LandManagement = &ghg.LandState{Tillage: "no_till", CarbonInputs: "high", Changes: []ghg.LandChange{{Year: 2020, Tillage: "full", AreaPct: 100}}}
	res := run(t, in)
	require.InDelta(t, .4*(7.9*1000*44/12+13*44.0/28*273), res.Emissions, 1e-6)
	require.Empty(t, res.Removals, "no mineral soil carbon there")
	in.Crop.Type, in.Rice, in.General.ClimateRegion = "rice_paddy", &ghg.Rice{WaterRegime: "upland", PreSeason: "aggregated"}, "tropical_wet"
	require.InDelta(t, .4*(9.4*1000*44/12+.4*44/28*273), run(t, in).Emissions, 1e-6)
}

func TestPerennials(t *testing.T) {
	t.Parallel()
	stand := func(p ghg.Perennial) ghg.Result {
		in := plain("cool_temperate_moist")
		in.PerennialBiomass = []ghg.Perennial{p}
		return run(t, in)
	}
	orchard := ghg.Perennial{System: "orchard", AreaHa: ptr(2.0), PlantingYear: 2010}
	growth := .43 * 2 * 1000 * 44 / 12
	for planted, want := range map[int]float64{2024: 0, 2023: growth, 2004: growth, 2003: 0} {
		orchard.PlantingYear = planted
		require.InDelta(t, want, stand(orchard).Removed, 1e-6, planted)
	}
	orchard.PlantingYear, orchard.RemovedAreaHa = 2000, ptr(0.5)
	require.InDelta(t, .43*20*.5*1000*44/12, labels(stand(orchard).Lines)[ghg.LabelBiomassLoss], 1e-6)
	measured := ghg.Perennial{System: "hedgerow", LengthM: ptr(300.0), PlantingYear: 2000, MeasuredStocks: []ghg.CarbonStock{{Year: 2024, TC: 4}, {Year: 2020, TC: 3}}}
	require.InDelta(t, .25*1000*44/12, labels(stand(measured).Removals)[ghg.RemovalHedgerows], 1e-9)
	measured.MeasuredStocks[0].TC = 2
	res := stand(measured)
	require.InDelta(t, .25*1000*44/12, labels(res.Lines)[ghg.LabelBiomassLoss], 1e-9, "a fall is an emission")
	require.Equal(t, 2, res.Lines[0].Tier)

	in := plain("cool_temperate_moist")
	in.PerennialBiomass = []ghg.Perennial{{System: "windbreak", AreaHa: ptr(1.0), PlantingYear: 2020}}
	refused(t, in, "perennial_biomass", "0", "growth")
	in.PerennialBiomass[0].GrowthTCHaYr, in.PerennialBiomass[0].AreaHa = ptr(1.0), nil
	refused(t, in, "perennial_biomass", "0", "area")
	in.PerennialBiomass[0] = ghg.Perennial{System: "orchard", AreaHa: ptr(1.0), PlantingYear: 2020}
	in.Crop.Type = "oil_palm"
	require.InDelta(t, 2.4*1000*44/12, run(t, in).Removed, 1e-6, "oil palm has a row of its own in any zone")
}

func TestEnergyTraps(t *testing.T) {
	t.Parallel()
	fuel := func(f ghg.Fuel) ghg.Result {
		in := plain("cool_temperate_moist")
		f.AllocationPct = 100
		in.FuelEnergy = []ghg.Fuel{f}
		return run(t, in)
	}
	off := fuel(ghg.Fuel{Carrier: "diesel", Amount: 100, Unit: "l"})
	require.InDelta(t, 296.9539, labels(off.Lines)[ghg.LabelCombustion], 1e-4)
	require.InDelta(t, 62.409, labels(off.Lines)[ghg.LabelUpstream], 1e-9)
	for _, purpose := range []string{"irrigation", "drying", "storage"} {
		got := labels(fuel(ghg.Fuel{Carrier: "diesel", Amount: 100, Unit: "l", Purpose: purpose}).Lines)
		require.InDelta(t, 269.3172, got[ghg.LabelCombustion], 1e-4, purpose)
		require.InDelta(t, 62.409, got[ghg.LabelUpstream], 1e-9)
	}
	// The same fuel by litre, mass, kWh and MJ.
	mj := 100 * 36.2
	for unit, amount := range map[string]float64{"kg": 82.98, "kwh": mj / 3.6, "mj": mj} {
		require.InDelta(t, off.Emissions, fuel(ghg.Fuel{Carrier: "diesel", Amount: amount, Unit: unit}).Emissions, 1e-9, unit)
	}
	wood := fuel(ghg.Fuel{Carrier: "wood", Amount: 1000, Unit: "kg"})
	require.InDelta(t, 143.395, labels(wood.Lines)[ghg.LabelCombustion], 1e-2, "27.0 for its methane")
	require.InDelta(t, 52.14, labels(wood.Lines)[ghg.LabelUpstream], 1e-9, "the row is per tonne")
	require.InDelta(t, 1000*15.6*.112, wood.BiogenicCO2, 1e-6)
	require.Zero(t, wood.Lines[0].Kg[ghg.CO2])
	bio := fuel(ghg.Fuel{Carrier: "biodiesel", Amount: 100, Unit: "l"})
	require.InDelta(t, 239, bio.BiogenicCO2, 1e-9)
	heat := labels(fuel(ghg.Fuel{Carrier: "district_heat", Amount: 200, Unit: "kwh"}).Lines)
	require.InDelta(t, 200*.17955, heat[ghg.LabelElectricity], 1e-9)
	require.InDelta(t, 200*(.00945+.03517), heat[ghg.LabelUpstream], 1e-9)
	in := plain("boreal_dry")
	in.FuelEnergy = []ghg.Fuel{{Carrier: "natural_gas", Amount: 1, Unit: "l", AllocationPct: 100}}
	refused(t, in, "fuel_energy", "0", "amount")
	own := fuel(ghg.Fuel{Carrier: "electricity_grid", Amount: 50, Unit: "kwh", ManualEF: ptr(0.4)})
	require.InDelta(t, 20, own.Emissions, 1e-9)
	require.Equal(t, 2, own.Lines[0].Scope)

	in = plain("boreal_dry")
	in.General.Country = "andorra"
	in.FuelEnergy = []ghg.Fuel{{Carrier: "electricity_grid", Amount: 3.6, Unit: "mj", AllocationPct: 100}}
	res := run(t, in)
	world, _ := factors(t, ghg.IPCC2019).Row("grid.world")
	require.InDelta(t, world.Value, res.Emissions, 1e-9)
	require.Equal(t, ghg.WarnGridWorld, res.Warnings[0].Code)

	// What is counted elsewhere is not counted here.
	in = plain("boreal_dry")
	in.Machinery = []ghg.Operation{{Operation: "mouldboard_plough", Passes: 1, AreaPct: 100, CountedElsewhere: true}}
	in.Irrigation = []ghg.Irrigation{{Method: "drip", WaterM3: 1000, PowerSource: "other", CountedElsewhere: true}}
	in.Transport = []ghg.Journey{{Mode: "truck", WeightT: 5, DistanceKm: 100, CountedElsewhere: true}}
	require.Zero(t, run(t, in).Emissions)
	in.Machinery[0].CountedElsewhere, in.Irrigation[0].CountedElsewhere, in.Transport[0].CountedElsewhere = false, true, false
	got := labels(run(t, in).Lines)
	require.InDelta(t, 15.71*(2.969539+.62409), got[ghg.LabelMachinery], 1e-4)
	require.InDelta(t, 500*(.10163+.02359), got[ghg.LabelTransport], 1e-9)
	in.Irrigation[0].CountedElsewhere = false
	refused(t, in, "irrigation", "0", "power_source")
	in.Irrigation, in.Machinery[0].Operation = nil, "other"
	refused(t, in, "machinery", "0", "fuel_rate")
}

func TestPump(t *testing.T) {
	t.Parallel()
	pump := func(w ghg.Irrigation) ghg.Result {
		in := plain("boreal_dry")
		w.Method, w.WaterM3 = "drip", 1000
		in.Irrigation = []ghg.Irrigation{w}
		return run(t, in)
	}
	kwh := 1000 * (30 + 15 + 200*.01) * 9.81 / 3600
	electric := ghg.Irrigation{PowerSource: "electric", Source: "groundwater", DistanceM: ptr(200.0)}
	grid, _ := factors(t, ghg.IPCC2019).Row("grid.france")
	require.InDelta(t, kwh/.6*grid.Value, pump(electric).Emissions, 1e-9)
	diesel := electric
	diesel.PowerSource = "diesel"
	mj := kwh / .25 * 3.6
	require.InDelta(t, mj*(74100+10*29.8+.6*273)/1e6+mj/36.12*.62409, pump(diesel).Emissions, 1e-6)
	for _, w := range []ghg.Irrigation{{PowerSource: "gravity"}, {PowerSource: "solar"}} {
		require.Zero(t, pump(w).Emissions)
	}
	require.InDelta(t, 191.3, pump(ghg.Irrigation{Source: "mains", PowerSource: "electric"}).Emissions, 1e-9, "mains water has its own factor")
}

// Allocation moves the figure per tonne alone.
func TestAllocation(t *testing.T) {
	t.Parallel()
	set := factors(t, ghg.IPCC2019)
	in := wheat()
	whole := ghg.NewReport(calculate(t, in, set), ghg.About{})
	in.Crop.CoProducts = []ghg.CoProduct{{Name: "straw", SharePct: 20, Basis: "economic"}}
	in.Crop.FarmGateYieldKg = ptr(40_000.0)
	part := ghg.NewReport(calculate(t, in, set), ghg.About{})
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
	high := sq(synthetic*3/16) + sq(other*5/6) + sq(leached*(.73/.24-1)) + sq(leached*(20.0/11-1)) + sq(50)
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
	before := ghg.NewReport(calculate(t, wheat(), set), ghg.About{})
	less := wheat()
	less.Fertilizers[0].KgPerHa = 100
	after := ghg.NewReport(calculate(t, less, set), ghg.About{})
	c := ghg.Compare(before, after)
	require.InDelta(t, -(6.315+.829+1.042+1.467+1.762)/2, c.Emissions, 2e-3)
	require.Equal(t, ghg.LabelDirect, c.BySource[0].Label, "the largest saving first")
	require.Empty(t, c.Warnings)
	require.Zero(t, ghg.Compare(before, before).Emissions)
	old := factors(t, ghg.IPCC2006)
	require.Len(t, ghg.Compare(before, ghg.NewReport(calculate(t, wheat(), old), ghg.About{})).Warnings, 1)
}

// What a default stood in for is told, and a row says why it was taken.
func TestDefaultsAreTold(t *testing.T) {
	t.Parallel()
	set := factors(t, ghg.IPCC2019)
	in := plain("boreal_moist")
	in.General.Country = "china"
	in.Fertilizers = []ghg.Fertilizer{{Product: "can", KgPerHa: 100, AreaPct: 100}}
	res, err := ghg.Calculate(in, set, ghg.Options{Trace: true})
	require.NoError(t, err)
	last := res.Trace[len(res.Trace)-1].Factors[0]
	require.Equal(t, "production.world.calcium_ammonium_nitrate", last.Key)
	require.True(t, last.Default)
	require.Contains(t, last.Note, "no china value")
	require.InDelta(t, 1-labels(res.Lines)[ghg.LabelProduction]/res.Emissions, res.UserShare, 1e-12)
	in.Fertilizers[0].Region = "world"
	require.InDelta(t, 1, run(t, in).UserShare, 1e-12)

	// An unverified row is shown with that word.
	shown := 0
	res, err = ghg.Calculate(paddy(), set, ghg.Options{Trace: true})
	require.NoError(t, err)
	for _, w := range ghg.NewReport(res, ghg.About{}).Warnings {
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
	report := ghg.NewReport(run(t, wheat()), ghg.About{AssessmentID: 7, Basis: "submitted", ResultVersion: ptr(3)})
	require.InDelta(t, 18.579, report.Totals.Emissions, 5e-4)
	require.InDelta(t, math.Round(report.Totals.Emissions*1e6)/1e6, report.Totals.Emissions, 0)
	require.InDelta(t, 1.858, *report.Totals.EmissionsPerHa, 5e-4)
	require.InDelta(t, .232, *report.Totals.EmissionsPerT, 5e-4)
	require.Equal(t, "tCO2e", report.Totals.Unit)
	require.InDelta(t, 14.685, report.Uncertainty.Low, 5e-4)
	require.InDelta(t, 23.977, report.Uncertainty.High, 5e-4)
	require.Equal(t, "soil_n2o_direct", report.BySource[0].Label)
	require.Empty(t, report.RemovalsBySrc)
	require.Equal(t, 3, *report.ResultVersion)
}
