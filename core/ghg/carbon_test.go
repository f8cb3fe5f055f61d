package ghg_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/ghg"
)

// The 20-year window: its first and its last year, t C against t CO2, what restarts it.
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
	n2o := carbon / 15 * (.006 + .24*.011) * 44 / 28 * 273 // C:N 15 for land from outside cropland
	require.InDelta(t, biomass+carbon*44/12+n2o, labels(res.Lines)[ghg.LabelLandUse], 1e-6)
	require.Zero(t, labels(res.Lines)[ghg.LabelDirect])
	require.Zero(t, labels(res.Lines)[ghg.LabelSoilLoss])
	in.LandUseChange[0].Year = 2004
	require.Zero(t, run(t, in).Emissions, "2024 is the 21st year")
	in.LandUseChange[0].Year = 2025
	require.Zero(t, run(t, in).Emissions, "what is still to come")
	in.LandUseChange[0].Year = 2024
	in.LandUseChange[0].PreviousBiomassTCHa = ptr(4.7)
	require.InDelta(t, carbon*44/12+n2o, labels(run(t, in).Lines)[ghg.LabelLandUse], 1e-6, "a stock of the user's own")

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
