package ghg_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/ghg"
	"tilth/core/ghg/report"
)

// anyInput draws an assessment over the enumerations of the mapping.
func anyInput(t *rapid.T, m *ghg.Mapping) ghg.Input {
	of := func(section, field string) string { return rapid.SampledFrom(m.Values(section, field)).Draw(t, field) }
	amount := func(name string) float64 { return rapid.Float64Range(0.5, 500).Draw(t, name) }
	in := ghg.Input{
		General: ghg.General{
			Year: 2024, AreaHa: rapid.Float64Range(0.1, 500).Draw(t, "area"),
			ClimateRegion: of("general", "climate_region"), Country: rapid.SampledFrom([]string{"france", "india", "brazil", "andorra", "ghana", "china"}).Draw(t, "country"),
		},
		Crop: ghg.Crop{Type: of("crop", "crop_type"), GrowingCycles: rapid.IntRange(1, 3).Draw(t, "cycles")},
		Soil: ghg.Soil{Class: "high_activity_clay"},
	}
	in.Crop.YieldKg = ptr(in.General.AreaHa * rapid.Float64Range(500, 20_000).Draw(t, "yield"))
	for range rapid.IntRange(0, 3).Draw(t, "fertilizers") {
		f := ghg.Fertilizer{Product: of("fertilizers", "product"), KgPerHa: amount("rate"), AreaPct: rapid.Float64Range(1, 100).Draw(t, "pct")}
		if f.Product == "custom" {
			f.NPct, f.P2O5Pct, f.K2OPct, f.NClass = ptr(20.0), ptr(4.0), ptr(5.0), of("fertilizers", "n_class")
		}
		in.Fertilizers = append(in.Fertilizers, f)
	}
	for range rapid.IntRange(0, 2).Draw(t, "organic") {
		in.OrganicInputs = append(in.OrganicInputs, ghg.OrganicInput{Type: of("organic_inputs", "type"), KgPerHa: 10 * amount("rate"), NPct: ptr(0.8), DryMatterPct: ptr(30.0)})
	}
	burnt := rapid.Float64Range(0, 60).Draw(t, "burnt")
	in.Residues = &ghg.Residues{Management: []ghg.ResidueShare{{Practice: "burned", SharePct: burnt}, {Practice: of("residues", "management.practice"), SharePct: 100 - burnt}}}
	if in.Crop.Type == "rice_paddy" {
		in.Rice = &ghg.Rice{WaterRegime: of("rice", "water_regime"), PreSeason: of("rice", "pre_season")}
	}
	in.LandManagement = &ghg.LandState{
		Tillage: of("land_management", "tillage"), CarbonInputs: of("land_management", "carbon_inputs"),
		Changes: []ghg.LandChange{{Year: rapid.IntRange(1995, 2026).Draw(t, "changed"), LandUse: of("land_management", "changes.land_use"), Tillage: of("land_management", "tillage"), CarbonInputs: of("land_management", "carbon_inputs"), AreaPct: 50}},
	}
	use := of("land_use_change", "previous_use")
	in.LandUseChange = []ghg.Conversion{{PreviousUse: use, Year: rapid.IntRange(2000, 2026).Draw(t, "converted"), AreaPct: 30}}
	if use == "forest" {
		in.LandUseChange[0].ForestZone = of("land_use_change", "forest_zone")
	}
	in.FuelEnergy = []ghg.Fuel{{Carrier: of("fuel_energy", "carrier"), Amount: amount("fuel"), Unit: "mj", AllocationPct: 100, Purpose: of("fuel_energy", "purpose")}}
	return in
}

func calculate(t require.TestingT, in ghg.Input, set *ghg.FactorSet) ghg.Result {
	res, err := ghg.Calculate(in, set, ghg.Options{})
	require.NoError(t, err)
	return res
}

const tiny = 1e-9

// TestSums: the sources add up to the total, and so do the gases, the scopes and the categories, in both factor sets;
// and every range holds its value.
func TestSums(t *testing.T) {
	t.Parallel()
	for _, id := range []string{ghg.IPCC2019, ghg.IPCC2006} {
		set := factors(t, id)
		rapid.Check(t, func(t *rapid.T) {
			res := calculate(t, anyInput(t, set.Mapping()), set)
			var sources, gases float64
			for _, l := range res.Lines {
				sources += l.CO2e
				require.GreaterOrEqual(t, l.CO2e, 0.0, l.Label)
				require.LessOrEqual(t, l.Low, l.CO2e, l.Label)
				require.GreaterOrEqual(t, l.High, l.CO2e, l.Label)
				require.NotEmpty(t, l.Category, l.Label)
				for gas := range l.Kg {
					gases += l.Kg[gas] * set.WarmingPotential(ghg.Gas(gas))
				}
			}
			require.InDelta(t, sources, res.Emissions, tiny*math.Max(1, sources))
			require.InDelta(t, gases, res.Emissions, tiny*math.Max(1, gases))
			require.LessOrEqual(t, res.Low, res.Emissions)
			require.GreaterOrEqual(t, res.High, res.Emissions)
			require.GreaterOrEqual(t, res.Low, 0.0)
			require.GreaterOrEqual(t, res.Removed, 0.0)
			require.GreaterOrEqual(t, res.UserShare, 0.0)
			require.LessOrEqual(t, res.UserShare, 1+tiny)
			report := report.New(res, report.About{})
			var categories, scopes float64
			for _, c := range report.ByCategory {
				if c.Category != ghg.CategoryRemovals {
					categories += c.CO2e
				}
			}
			for _, s := range report.ByScope {
				scopes += s.CO2e
			}
			require.InDelta(t, report.Totals.Emissions, categories, 1e-5)
			require.InDelta(t, report.Totals.Emissions, scopes, 1e-5)
			require.InDelta(t, report.Totals.Emissions-report.Totals.Removals, report.Totals.Balance, 2e-6)
		})
	}
}

// TestScaling: a larger field of the same kind has the same figures per hectare and per
// tonne.
func TestScaling(t *testing.T) {
	t.Parallel()
	set := factors(t, ghg.IPCC2019)
	rapid.Check(t, func(t *rapid.T) {
		in := anyInput(t, set.Mapping())
		times := rapid.Float64Range(0.1, 20).Draw(t, "times")
		larger := in
		larger.General.AreaHa *= times
		larger.Crop.YieldKg = ptr(*in.Crop.YieldKg * times)
		larger.FuelEnergy = append([]ghg.Fuel(nil), in.FuelEnergy...)
		larger.FuelEnergy[0].Amount *= times
		a, b := calculate(t, in, set), calculate(t, larger, set)
		require.InEpsilon(t, a.Emissions/a.AreaHa+1, b.Emissions/b.AreaHa+1, tiny)
		require.InEpsilon(t, a.Emissions/a.ProductT+1, b.Emissions/b.ProductT+1, tiny)
		require.InEpsilon(t, a.Removed/a.AreaHa+1, b.Removed/b.AreaHa+1, tiny)
		require.InEpsilon(t, a.Low/a.AreaHa+1, b.Low/b.AreaHa+1, 1e-6)
		require.InEpsilon(t, a.High/a.AreaHa+1, b.High/b.AreaHa+1, 1e-6)
	})
}

// TestDoubledNitrogen: twice the nitrogen of the fertilizers doubles exactly the lines of
// its N2O, and no other.
func TestDoubledNitrogen(t *testing.T) {
	t.Parallel()
	set := factors(t, ghg.IPCC2019)
	rapid.Check(t, func(t *rapid.T) {
		in := anyInput(t, set.Mapping())
		in.Fertilizers = []ghg.Fertilizer{{
			Product: rapid.SampledFrom([]string{"can", "ammonium_sulphate", "calcium_nitrate"}).Draw(t, "product"), KgPerHa: 100, AreaPct: 100, NPct: ptr(12.0),
		}}
		richer := in
		richer.Fertilizers = []ghg.Fertilizer{in.Fertilizers[0]}
		richer.Fertilizers[0].NPct = ptr(24.0)
		a, b := calculate(t, in, set), calculate(t, richer, set)
		require.Len(t, b.Lines, len(a.Lines))
		doubled := 0
		for i := range a.Lines {
			want := a.Lines[i].CO2e
			if l := a.Lines[i]; l.Section == "fertilizers" && l.Kg[ghg.N2O] > 0 {
				want *= 2
				doubled++
			}
			require.InEpsilon(t, want, b.Lines[i].CO2e, 1e-12, a.Lines[i].Label)
		}
		require.GreaterOrEqual(t, doubled, 2)
	})
}

// TestSplitRow: one application entered as two changes nothing, ranges included.
func TestSplitRow(t *testing.T) {
	t.Parallel()
	set := factors(t, ghg.IPCC2019)
	rapid.Check(t, func(t *rapid.T) {
		in := anyInput(t, set.Mapping())
		in.Fertilizers = append(in.Fertilizers, ghg.Fertilizer{Product: "urea", KgPerHa: 120, AreaPct: 70})
		part := rapid.Float64Range(0.05, 0.95).Draw(t, "part")
		split := in
		last := len(in.Fertilizers) - 1
		split.Fertilizers = append([]ghg.Fertilizer(nil), in.Fertilizers...)
		split.Fertilizers[last].KgPerHa = 120 * part
		rest := in.Fertilizers[last]
		rest.KgPerHa = 120 * (1 - part)
		split.Fertilizers = append(split.Fertilizers, rest)
		a, b := calculate(t, in, set), calculate(t, split, set)
		require.Len(t, b.Lines, len(a.Lines))
		for i := range a.Lines {
			require.InEpsilon(t, a.Lines[i].CO2e, b.Lines[i].CO2e, tiny, a.Lines[i].Label)
		}
		require.InEpsilon(t, a.Emissions, b.Emissions, tiny)
		require.InEpsilon(t, a.Low+1, b.Low+1, 1e-6)
		require.InEpsilon(t, a.High, b.High, 1e-6)
	})
}

// TestTrace: every result of a trace is what its equation yields for its own inputs and factors; every line of the
// result is the sum of results of the trace; and a trace changes no figure.
func TestTrace(t *testing.T) {
	t.Parallel()
	for _, id := range []string{ghg.IPCC2019, ghg.IPCC2006} {
		set := factors(t, id)
		check := func(t require.TestingT, in ghg.Input) {
			res, err := ghg.Calculate(in, set, ghg.Options{Trace: true})
			require.NoError(t, err)
			traced, lines := map[string]float64{}, map[string]float64{}
			for _, line := range res.Trace {
				got, err := recompute(line)
				require.NoError(t, err, line.Step)
				require.InDelta(t, line.Result, got, tiny*math.Max(1, math.Abs(got)), "%s of %s", line.Step, line.Item)
				for _, f := range line.Factors {
					row, ok := set.Row(f.Key)
					require.True(t, ok, f.Key)
					require.InDelta(t, row.Value, f.Value, 0, f.Key)
					require.Equal(t, row.Status, f.Status)
					require.NotEmpty(t, f.Source)
					require.NotEmpty(t, f.Unit)
				}
				if line.Label != "" {
					section, _, _ := strings.Cut(line.Item, "[")
					traced[line.Label+" of "+section+" as "+line.Gas] += line.Result
				}
			}
			plain := calculate(t, in, set)
			require.Equal(t, plain.Lines, res.Lines)
			require.Equal(t, plain.Removals, res.Removals)
			require.Equal(t, plain.Warnings, res.Warnings)
			require.InDelta(t, plain.High, res.High, 0)
			for _, l := range append(append([]ghg.Line{}, res.Lines...), res.Removals...) {
				for gas, kg := range l.Kg {
					if kg != 0 {
						lines[l.Label+" of "+l.Section+" as "+ghg.Gas(gas).String()] += kg
					}
				}
			}
			require.Len(t, traced, len(lines))
			for name, kg := range lines {
				require.InEpsilon(t, kg, traced[name], tiny, name)
			}
		}
		check(t, wheat())
		check(t, paddy())
		check(t, full())
		rapid.Check(t, func(t *rapid.T) { check(t, anyInput(t, set.Mapping())) })
	}
}

// TestDeterminism: the same input has the same digest and the same result.
func TestDeterminism(t *testing.T) {
	t.Parallel()
	set := factors(t, ghg.IPCC2019)
	a, err := full().Digest()
	require.NoError(t, err)
	b, err := full().Digest()
	require.NoError(t, err)
	require.Equal(t, a, b)
	other, err := paddy().Digest()
	require.NoError(t, err)
	require.NotEqual(t, a, other)
	require.Equal(t, calculate(t, full(), set), calculate(t, full(), set))
	require.NotEqual(t, set.Digest, factors(t, ghg.IPCC2006).Digest)
}
