package ghg_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/ghg"
	"tilth/core/ghg/replay"
	"tilth/core/ghg/report"
)

// exported is a version of an input as an export of it holds them, without what was entered.
func exported(t require.TestingT, in ghg.Input, set *ghg.FactorSet) []byte {
	res, err := ghg.Calculate(in, set, ghg.Options{Trace: true})
	require.NoError(t, err)
	snapshot, err := json.Marshal(in)
	require.NoError(t, err)
	digest, err := in.Digest()
	require.NoError(t, err)
	file, err := json.Marshal(map[string]any{
		"input_digest": digest, "snapshot": json.RawMessage(snapshot), "report": report.New(res, report.About{}),
	})
	require.NoError(t, err)
	return file
}

// TestReplay: the trace alone makes the totals and the ranges of every input, in both factor sets, and every value of it
// says where it comes from.
func TestReplay(t *testing.T) {
	t.Parallel()
	measured := steadyWheat()
	measured.Soil.Carbon.Method = ghg.SoilMeasured
	measured.Soil.Carbon.Measured = &ghg.MeasuredChange{Years: 4, Change: -2, Low: -3, High: -1}
	varied := full()
	for i := range varied.Fertilizers {
		varied.Fertilizers[i].UncertaintyPct = ptr(15.0)
	}
	varied.Crop.UncertaintyPct, varied.PerennialBiomass[1].UncertaintyPct = ptr(8.0), ptr(30.0)
	dry := plain("warm_temperate_dry")
	dry.Fertilizers = []ghg.Fertilizer{{Product: "can", KgPerHa: 100, AreaPct: 100}}
	dry.Irrigation = []ghg.Irrigation{{Method: "sprinkler", WaterM3: 10, AreaPct: ptr(30.0), PowerSource: "solar"}, {Method: "flood", WaterM3: 10, AreaPct: ptr(12.5), PowerSource: "gravity"}}
	memo := plain("boreal_dry") // burns nothing but what stands outside the totals
	memo.FuelEnergy = []ghg.Fuel{{Carrier: "hvo", Amount: 10, Unit: "l", AllocationPct: 100, ManualEF: ptr(0.0)}}
	moved := plain("boreal_dry")
	moved.Transport = []ghg.Journey{{Mode: "truck", WeightT: 3, DistanceKm: 8, Leg: "on_farm"}, {Mode: "air_long_haul", WeightT: 1, DistanceKm: 5000}}
	inputs := []ghg.Input{wheat(), paddy(), full(), varied, dry, steadyWheat(), measured, memo, moved, {}}
	for _, id := range []string{ghg.IPCC2019, ghg.IPCC2006} {
		set := factors(t, id)
		check := func(t require.TestingT, in ghg.Input) {
			out, err := replay.Version(exported(t, in, set))
			require.NoError(t, err)
			require.Nil(t, out.Difference)
			res, err := ghg.Calculate(in, set, ghg.Options{Trace: true})
			require.NoError(t, err)
			for _, line := range res.Trace {
				for _, in := range line.Inputs {
					require.True(t, in.From > 0 || in.Input != "" || in.Constant != "", "%s of %s", in.Symbol, line.Step)
					require.False(t, in.Constant == "none" && in.Value != 0, "%s of step %d, %s", in.Symbol, line.Number, line.Step)
				}
			}
		}
		for _, in := range inputs {
			check(t, in)
		}
		rapid.Check(t, func(t *rapid.T) { check(t, anyInput(t, set.Mapping())) })
	}
}
