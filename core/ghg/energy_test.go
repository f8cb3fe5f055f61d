package ghg_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/ghg"
	"tilth/core/ghg/report"
)

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
	require.InDelta(t, 500*(.10012+.00002/28*29.8+.00149/265*273+.02359), got[ghg.LabelTransport], 1e-4)
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

// TestWellToTankIsScope3: bringing a fuel to the farm is scope 3 wherever the fuel is burnt, by machines and by pumps as well
// as among the fuels; the label stays that of what it is burnt for, and the total is the same.
func TestWellToTankIsScope3(t *testing.T) {
	t.Parallel()
	const litres, wtt = 15.71, .62409
	in := plain("boreal_dry")
	in.Machinery = []ghg.Operation{{Operation: "mouldboard_plough", Passes: 1, AreaPct: 100}}
	in.FuelEnergy = []ghg.Fuel{{Carrier: "diesel", Amount: litres, Unit: "l", AllocationPct: 100}}
	in.Irrigation = []ghg.Irrigation{{Method: "drip", WaterM3: 1000, PowerSource: "diesel", Source: "groundwater"}}
	res := run(t, in)
	scopes := map[string]map[int]float64{}
	for _, l := range res.Lines {
		if scopes[l.Label] == nil {
			scopes[l.Label] = map[int]float64{}
		}
		scopes[l.Label][l.Scope] += l.CO2e
		if l.Scope == 1 {
			require.Zero(t, l.Kg[ghg.NotSplit], "%s: what is burnt is split by gas", l.Label)
		}
	}
	require.InDelta(t, litres*wtt, scopes[ghg.LabelMachinery][3], 1e-9)
	require.InDelta(t, scopes[ghg.LabelUpstream][3], scopes[ghg.LabelMachinery][3], 1e-9)
	require.Positive(t, scopes[ghg.LabelMachinery][1])
	pumped := 1000 * (30 + 15.0) * 9.81 / 3600 / .25 * 3.6 / 36.12
	require.InDelta(t, pumped*wtt, scopes[ghg.LabelIrrigation][3], 1e-6)
	require.Positive(t, scopes[ghg.LabelIrrigation][1])
}

// TestBiogenicCO2OfLines: the CO2 of burnt plants stands on the line of what was burnt, even where nothing else does,
// and moves neither the line nor the totals.
func TestBiogenicCO2OfLines(t *testing.T) {
	t.Parallel()
	in := plain("boreal_dry")
	in.FuelEnergy = []ghg.Fuel{
		{Carrier: "wood", Amount: 100, Unit: "kg", AllocationPct: 100}, {Carrier: "diesel", Amount: 10, Unit: "l", AllocationPct: 100},
		{Carrier: "hvo", Amount: 10, Unit: "l", AllocationPct: 100, ManualEF: ptr(0.0)},
	}
	for _, input := range []ghg.Input{in, full()} {
		res := run(t, input)
		var lines, co2e float64
		for _, l := range res.Lines {
			lines += l.BiogenicCO2
			co2e += l.CO2e
			require.True(t, l.BiogenicCO2 == 0 || l.Label == ghg.LabelCombustion || l.Label == ghg.LabelBurning, l.Label)
		}
		require.Positive(t, lines)
		require.InDelta(t, res.BiogenicCO2, lines, 1e-9)
		require.InDelta(t, res.Emissions, co2e, 1e-9)
		shaped := report.New(res, report.About{})
		last := shaped.ByGas[len(shaped.ByGas)-1]
		require.Equal(t, "co2_biogenic", last.Gas)
		require.InDelta(t, shaped.Memo.BiogenicCO2, last.Kg/1000, 1e-6)
		require.Zero(t, last.CO2e)
	}
	in.FuelEnergy = in.FuelEnergy[2:]
	alone := run(t, in)
	require.Equal(t, ghg.LabelCombustion, alone.Lines[0].Label)
	require.Positive(t, alone.Lines[0].BiogenicCO2)
	require.Zero(t, alone.Lines[0].CO2e)
}
