package ghg_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/ghg"
	"tilth/core/ghg/replay"
	"tilth/core/ghg/report"
	"tilth/tests/witness"
)

// exported returns a version of an input as an export holds it, without what was entered.
func exported(t require.TestingT, in ghg.Input, set *ghg.FactorSet) []byte {
	res, err := ghg.Calculate(in, set, ghg.Options{Trace: true})
	require.NoError(t, err)
	return file(t, in, res)
}

func file(t require.TestingT, in ghg.Input, res ghg.Result) []byte {
	snapshot, err := json.Marshal(in)
	require.NoError(t, err)
	digest, err := in.Digest()
	require.NoError(t, err)
	text, err := json.Marshal(map[string]any{
		"input_digest": digest, "snapshot": json.RawMessage(snapshot), "report": report.New(res, report.About{}),
	})
	require.NoError(t, err)
	return text
}

// TestReplay: the trace alone reproduces the totals and the ranges of every input, in both factor sets, and every value
// of it states where it comes from.
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
	for n := range 8 { // so huge that machines differ by more than a gram in rounding
		huge := full()
		huge.General.AreaHa = 1e15 * math.Pi * float64(n+1)
		inputs = append(inputs, huge)
	}
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
		var files [][]byte
		for _, in := range inputs {
			check(t, in)
			files = append(files, exported(t, in, set))
		}
		rapid.Check(t, func(r *rapid.T) {
			in := anyInput(r, set.Mapping())
			check(r, in)
			files = append(files, exported(r, in, set))
		})
		for _, line := range witness.Python(t, files) {
			require.True(t, strings.HasPrefix(line, "same: "), line)
		}
	}
}

// TestReplayNamesWhatDiffers: one value of a version is changed, and the replay names the place.
func TestReplayNamesWhatDiffers(t *testing.T) {
	t.Parallel()
	set := factors(t, ghg.IPCC2019)
	file := exported(t, full(), set)
	type object = map[string]any
	steps := func(v object) []any { return v["report"].(object)["trace"].([]any) }
	// step returns the first step of a name whose result is not 0.
	step := func(v object, name string) object {
		for _, s := range steps(v) {
			if s := s.(object); s["step"] == name && s["result"] != 0.0 {
				return s
			}
		}
		t.Fatal("no step " + name)
		return nil
	}
	first := func(s object, of string) object { return s[of].([]any)[0].(object) }
	var names []string
	var files [][]byte
	snapshot := func(v object, list string) object { return v["snapshot"].(object)[list].([]any)[0].(object) }
	for name, c := range map[string]struct {
		change func(v object)
		want   string
	}{
		"nothing":                  {func(object) {}, ""},
		"an input of the snapshot": {func(v object) { snapshot(v, "fertilizers")["kg_per_ha"] = 151.0 }, "step 1 (applied_mass of fertilizers[0]): R is 220, and the snapshot has 151 for fertilizers[0].kg_per_ha."},
		"an input of a step":       {func(v object) { first(step(v, "applied_mass"), "inputs")["value"] = 151.0 }, "step 1 (applied_mass of fertilizers[0]): R is 151, and the snapshot has 220 for fertilizers[0].kg_per_ha."},
		"an input in both": {func(v object) {
			snapshot(v, "fertilizers")["kg_per_ha"] = 151.0
			first(step(v, "applied_mass"), "inputs")["value"] = 151.0
		}, "step 1 (applied_mass of fertilizers[0]): the file has the result 440, its equation gives 302."},
		"an input without a step": {func(v object) { v["snapshot"].(object)["soil"].(object)["ph"] = 7.0 }, "snapshot does not have the SHA-256"},
		"an input from nowhere":   {func(v object) { delete(first(step(v, "applied_mass"), "inputs"), "input") }, "R is 220, and does not state where it comes from."},
		"an earlier step":         {func(v object) { first(step(v, "co2e"), "inputs")["from"] = 1.0 }, "(co2e of fertilizers[0]): M is "},
		"a later step":            {func(v object) { first(step(v, "co2e"), "inputs")["from"] = 900.0 }, "which does not precede it"},
		"a factor":                {func(v object) { first(step(v, "soil_n2o_direct"), "factors")["value"] = 0.02 }, "(soil_n2o_direct of fertilizers[0]): the file has the result"},
		"a factor, later": {func(v object) {
			all := steps(v)
			for i := len(all) - 1; ; i-- {
				if s := all[i].(object); s["step"] == "co2e" && first(s, "factors")["key"] == "gwp.ar6.n2o" {
					first(s, "factors")["value"] = 274.0
					return
				}
			}
		}, "the factor gwp.ar6.n2o differs from that in an earlier step."},
		"a bound":         {func(v object) { first(step(v, "soil_n2o_direct"), "factors")["upper"] = 0.5 }, "the factor ef1"},
		"an equation":     {func(v object) { step(v, "soil_n2o_direct")["equation"] = "N * EF1" }, "(soil_n2o_direct of fertilizers[0]): the file has the result"},
		"no arithmetic":   {func(v object) { step(v, "soil_n2o_direct")["equation"] = "os.Exit(0)" }, "(soil_n2o_direct of fertilizers[0]): the function"},
		"a result":        {func(v object) { step(v, "soil_n2o_direct")["result"] = 1.0 }, "(soil_n2o_direct of fertilizers[0]): the file has the result 1,"},
		"a step left out": {func(v object) { v["report"].(object)["trace"] = slices.Delete(steps(v), 4, 5) }, "number 6 occurs where number 5 is expected."},
		"a line of the report left out": {func(v object) {
			r := v["report"].(object)
			r["by_source"] = slices.Delete(r["by_source"].([]any), 2, 3)
		}, "lines, and its steps give"},
		"a line": {func(v object) { first(v["report"].(object), "by_source")["high"] = 1e6 }, "at most 1e+06 t, the steps give"},
		"a range of a total": {func(v object) {
			for _, s := range steps(v) {
				if total, ok := s.(object)["total"].(object); ok && total["label"] == nil {
					total["high"] = 1e6
				}
			}
		}, "(report_total): the file has the range"},
		"two grams": {func(v object) {
			totals := v["report"].(object)["totals"].(object)
			totals["emissions"] = totals["emissions"].(float64) + 2e-6
		}, "(report_total): the report states emissions of "},
		"a total":    {func(v object) { v["report"].(object)["totals"].(object)["emissions"] = 1.0 }, "(report_total): the report states emissions of 1 t, the steps give"},
		"a balance":  {func(v object) { v["report"].(object)["totals"].(object)["balance"] = 1.0 }, "a balance of 1 t"},
		"an end":     {func(v object) { v["report"].(object)["uncertainty"].(object)["high"] = 1.0 }, "emissions of at most 1 t"},
		"per tonne":  {func(v object) { v["report"].(object)["totals"].(object)["emissions_per_t"] = 1.0 }, "emissions per tonne of 1 t"},
		"the digest": {func(v object) { v["input_digest"] = "00" }, "snapshot does not have the SHA-256"},
		// A part that is taken out of its line, with the line, the total and the report made to fit.
		"an emission left out": {func(v object) {
			line := step(v, "report_line")
			emission := first(line, "inputs")
			emission["value"], line["inputs"] = 0.0, []any{}
		}, "(report_line of fertilizers): the file has the result"},
		"an item without a step": {func(v object) {
			list := v["snapshot"].(object)["transport"].([]any)
			v["snapshot"].(object)["transport"] = append(list, object{"mode": "truck", "weight_t": 9.0, "distance_km": 4.0})
		}, "transport[2] has 9 for weight_t, which no step uses."},
	} {
		var v object
		names = append(names, name)
		require.NoError(t, json.Unmarshal(file, &v), name)
		snapshot, err := json.Marshal(v["snapshot"])
		require.NoError(t, err, name)
		v["input_digest"] = fmt.Sprintf("%x", sha256.Sum256(snapshot))
		c.change(v)
		changed, err := json.Marshal(v)
		require.NoError(t, err, name)
		files = append(files, changed)
		out, err := replay.Version(changed)
		require.NoError(t, err, name)
		if c.want == "" {
			require.Nil(t, out.Difference, name)
			continue
		}
		require.NotNil(t, out.Difference, name)
		require.Contains(t, out.Difference.Error(), c.want, name)
	}
	for i, line := range witness.Python(t, files) {
		same := names[i] == "nothing"
		require.Equal(t, same, strings.HasPrefix(line, "same: "), "%s: %s", names[i], line)
		require.Equal(t, !same, strings.HasPrefix(line, "DIFFERS: "), "%s: %s", names[i], line)
	}
}

// TestReplayOfLeftOutParts: a part that is in no total is named, however well the rest agrees.
func TestReplayOfLeftOutParts(t *testing.T) {
	t.Parallel()
	in := wheat()
	res, err := ghg.Calculate(in, factors(t, ghg.IPCC2019), ghg.Options{Trace: true})
	require.NoError(t, err)
	more := in
	more.Transport = []ghg.Journey{{Mode: "truck", WeightT: 9, DistanceKm: 4}}
	whole, err := ghg.Calculate(more, factors(t, ghg.IPCC2019), ghg.Options{Trace: true})
	require.NoError(t, err)
	// The steps of the transport stand before the lines of the report, which do not know them.
	at := slices.IndexFunc(res.Trace, func(l ghg.TraceLine) bool { return l.Total != nil })
	moved := slices.Clone(res.Trace[:at])
	for _, l := range whole.Trace {
		if l.Item == "transport[0]" {
			moved = append(moved, l)
		}
	}
	shift := len(moved) - at
	for _, l := range res.Trace[at:] {
		l.Inputs = slices.Clone(l.Inputs)
		for i := range l.Inputs {
			if l.Inputs[i].From > at {
				l.Inputs[i].From += shift
			}
		}
		moved = append(moved, l)
	}
	for i := range moved {
		moved[i].Number = i + 1
	}
	res.Trace = moved
	out, err := replay.Version(file(t, more, res))
	require.NoError(t, err)
	require.ErrorContains(t, out.Difference, "(transport of transport[0]): no total includes its ")
}

// TestReplayOfOtherFiles: what is not a version, or has nothing to replay, is distinguished from what differs.
func TestReplayOfOtherFiles(t *testing.T) {
	t.Parallel()
	var none replay.NotReplayableError
	var files [][]byte
	for text, want := range map[string]string{
		``: "is not a JSON object", `[]`: "is not a JSON object", `{}`: "no report with its snapshot", `{"data": {"snapshot": {}}}`: "no report with its snapshot",
		`{"snapshot": {}, "report": {"engine": {"id": "other", "version": "2"}, "totals": {"emissions": 3}}}`: "the engine other 2 has no trace",
		`{"snapshot": {}, "report": {"trace": [{"step": "x", "result": 1}]}}`:                                 "The steps have no numbers",
	} {
		_, err := replay.Version([]byte(text))
		require.ErrorAs(t, err, &none, text)
		require.ErrorContains(t, err, want, text)
		files = append(files, []byte(text))
	}
	for i, line := range witness.Python(t, files) {
		require.True(t, strings.HasPrefix(line, "cannot be replayed: "), "%s: %s", files[i], line)
	}
	out, err := replay.Version(exported(t, ghg.Input{}, factors(t, ghg.IPCC2019)))
	require.NoError(t, err)
	require.Nil(t, out.Difference, "an assessment without figures")
}
