package ghg_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/ghg"
	"tilth/core/ghg/views"
)

// TestElectricityBesideTheTotals: a market-based factor and the losses of the grid stand beside the totals, which they
// do not change; what is not given is stated as such, and what is given for a part covers that part.
func TestElectricityBesideTheTotals(t *testing.T) {
	t.Parallel()
	in := plain("boreal_dry")
	in.General.Country = "france"
	in.FuelEnergy = []ghg.Fuel{
		{Carrier: "electricity_grid", Amount: 1000, Unit: "kwh", AllocationPct: 50}, {Carrier: "electricity_grid", Amount: 360, Unit: "mj", AllocationPct: 100},
		{Carrier: "electricity_renewable_own", Amount: 700, Unit: "kwh", AllocationPct: 100}, {Carrier: "district_heat", Amount: 200, Unit: "kwh", AllocationPct: 100},
	}
	plainly := run(t, in)
	without := views.Of(plainly).Electricity
	require.Equal(t, []string{views.NoMarket, views.NoLosses}, []string{without.MarketNote, without.LossNote})
	require.Nil(t, without.MarketBased)
	require.Nil(t, without.GridLosses)
	require.InDelta(t, 600, without.BoughtKWh, 1e-6, "own electricity and heat are not bought of the grid")

	in.FuelEnergy[0].MarketEF, in.FuelEnergy[0].MarketBasis, in.FuelEnergy[0].GridLossPct = ptr(0.4), "residual_mix", ptr(20.0)
	res := run(t, in)
	require.InDelta(t, plainly.Emissions, res.Emissions, 1e-12, "totals stay")
	require.InDelta(t, plainly.High, res.High, 1e-9)
	row, _ := factors(t, ghg.IPCC2019).Row("grid.france")
	with := views.Of(res).Electricity
	require.InDelta(t, 0.6*row.Value, with.LocationBased, 1e-6)
	require.InDelta(t, 0.1*row.Value+0.5*0.4, *with.MarketBased, 1e-6)
	require.InDelta(t, with.Scope2Location-0.5*row.Value+0.5*0.4, *with.Scope2Market, 1e-6)
	require.InDelta(t, 0.5*row.Value*20/80, *with.GridLosses, 1e-6)
	require.InDelta(t, 500.0/600, with.MarketCoverage, 1e-6)
	require.InDelta(t, 500.0/600, with.LossCoverage, 1e-6)
	require.Equal(t, []string{views.PartMarket, views.PartLosses}, []string{with.MarketNote, with.LossNote})

	in.FuelEnergy[0].GridLossPct = ptr(100.0)
	refused(t, in, "fuel_energy", "0", "grid_loss_pct")

	british := plain("boreal_dry")
	british.General.Country = "united_kingdom"
	british.FuelEnergy = []ghg.Fuel{{Carrier: "electricity_grid", Amount: 1000, Unit: "kwh", AllocationPct: 100}}
	british.Irrigation = []ghg.Irrigation{{Method: "sprinkler", WaterM3: 1000, PowerSource: "electric"}}
	known := views.Of(run(t, british)).Electricity
	require.Greater(t, known.BoughtKWh, 1000.0, "pumps take electricity of the grid")
	require.InDelta(t, known.BoughtKWh*0.01853/1000, *known.GridLosses, 1e-6, "the country's losses have a source")
	require.Empty(t, known.LossNote)
	require.Equal(t, views.NoElectricity, views.Of(run(t, plain("boreal_dry"))).Electricity.MarketNote)
	require.Equal(t, views.NotTold, views.Of(ghg.Result{Engine: ghg.Identity{ID: "theirs"}, Lines: []ghg.Line{{Scope: 2, CO2e: 1}}}).Electricity.MarketNote)
}
