package ghg_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/ghg"
)

// TestTransportByGas: transport is counted gas by gas; only the well-to-tank and the effects of aviation besides its
// gases belong to no gas. With the potentials of the source the gases add up to its row of all gases.
func TestTransportByGas(t *testing.T) {
	t.Parallel()
	set := factors(t, ghg.IPCC2019)
	value := func(key string) float64 {
		row, ok := set.Row(key)
		require.True(t, ok, key)
		return row.Value
	}
	for mode, of := range map[string]string{
		"van": "van_average_diesel", "truck": "hgv_average", "truck_rigid": "hgv_rigid_average", "truck_articulated": "hgv_articulated_average", "rail": "rail",
		"ship_bulk": "ship_bulk_carrier_average", "ship_general": "ship_general_cargo_average", "ship_container": "ship_container_average",
		"ship_tanker": "ship_products_tanker", "air_domestic": "air_domestic_with_rf", "air_short_haul": "air_short_haul_with_rf", "air_long_haul": "air_long_haul_with_rf",
	} {
		in := plain("boreal_dry")
		in.Transport = []ghg.Journey{{Mode: mode, WeightT: 10, DistanceKm: 100, Leg: "inbound"}}
		res := run(t, in)
		require.Len(t, res.Lines, 1, mode)
		kg, wtt := res.Lines[0].Kg, 1000*value("transport.wtt."+of)
		for _, gas := range []ghg.Gas{ghg.CO2, ghg.CH4Fossil, ghg.N2O} {
			require.Positive(t, kg[gas], "%s %s", mode, gas)
		}
		source := kg[ghg.CO2] + 28*kg[ghg.CH4Fossil] + 265*kg[ghg.N2O] + kg[ghg.NotSplit] - wtt
		require.InDelta(t, 1000*value("transport."+of), source, 1000*1.01e-5, "%s: the source rounds each gas to 0.00001", mode)
		if aircraft := of != "rail" && mode[:3] == "air"; aircraft {
			require.Equal(t, ghg.ModelAircraft, res.Lines[0].Model)
			require.Greater(t, kg[ghg.NotSplit], wtt*1.5, "with the effects of aviation besides its gases")
		} else {
			require.NotEqual(t, ghg.ModelAircraft, res.Lines[0].Model)
			require.InDelta(t, wtt, kg[ghg.NotSplit], 1e-9)
		}
	}
}

// TestOnFarmTransportIsScope1: what vehicles of the farm burn is scope 1, and the well-to-tank of their fuel is scope
// 3; what is bought is all scope 3, on lines of its own.
func TestOnFarmTransportIsScope1(t *testing.T) {
	t.Parallel()
	in := plain("boreal_dry")
	in.Transport = []ghg.Journey{
		{Mode: "truck", WeightT: 10, DistanceKm: 100, Leg: "on_farm"}, {Mode: "truck", WeightT: 10, DistanceKm: 100, Leg: "outbound"},
	}
	res := run(t, in)
	byScope := map[int]float64{}
	for _, l := range res.Lines {
		require.Equal(t, ghg.LabelTransport, l.Label)
		byScope[l.Scope] += l.CO2e
	}
	require.Len(t, res.Lines, 3, "burnt on the farm, its way to the tank, bought")
	wtt, _ := factors(t, ghg.IPCC2019).Row("transport.wtt.hgv_average")
	require.InDelta(t, res.Emissions/2-1000*wtt.Value, byScope[1], 1e-9)
	require.InDelta(t, res.Emissions/2+1000*wtt.Value, byScope[3], 1e-9)
	require.Zero(t, byScope[2])

	in.Transport[0].Leg = "inbound"
	bought := run(t, in)
	require.InDelta(t, res.Emissions, bought.Emissions, 1e-9, "the total is the same")
}
