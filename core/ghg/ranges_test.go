package ghg_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/ghg"
	"tilth/core/ghg/report"
)

// kindRow is the line of docs/ghg.md for a kind of source.
func kindRow(k ghg.SourceKind) string {
	pct := fmt.Sprintf("%g", k.Pct)
	if k.Pct == 0 {
		pct = "exact"
	}
	keys := make([]string, len(k.Keys))
	for i, key := range k.Keys {
		if !strings.Contains(key, "*") && strings.HasSuffix(key, ".") {
			key += "*"
		}
		keys[i] = "`" + key + "`"
	}
	return "| " + k.Name + " | " + pct + " | " + strings.Join(keys, ", ") + " |"
}

// TestKindsOfSources: the table of defaults of the guide is that of the code, and engineering defaults are wide.
func TestKindsOfSources(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile(filepath.Join("..", "..", "docs", "ghg.md"))
	require.NoError(t, err)
	var rows []string
	for _, k := range ghg.SourceKinds() {
		rows = append(rows, kindRow(k))
		if strings.Contains(k.Name, "engineering") {
			require.GreaterOrEqual(t, k.Pct, 50.0)
		}
	}
	require.Contains(t, string(guide), "| --- | --- | --- |\n"+strings.Join(rows, "\n")+"\n\n")
}

// TestEveryRowHasARange: each row of a trace states its range and where that is from, or is exact by definition.
func TestEveryRowHasARange(t *testing.T) {
	t.Parallel()
	res, err := ghg.Calculate(full(), factors(t, ghg.IPCC2019), ghg.Options{Trace: true})
	require.NoError(t, err)
	published, assumed := 0, 0
	for _, line := range res.Trace {
		for _, f := range line.Factors {
			switch {
			case f.Lower == nil:
				exact := false
				for _, prefix := range append([]string{"electricity.renewable_own", "frac_leach.dry"}, ghg.SourceKinds()[0].Keys...) {
					exact = exact || strings.HasPrefix(f.Key, prefix)
				}
				require.True(t, exact || f.Value == 0, f.Key)
			case f.RangeOf == "":
				published++
			default:
				assumed++
			}
			if f.Lower != nil {
				require.LessOrEqual(t, *f.Lower, f.Value, f.Key)
				require.GreaterOrEqual(t, *f.Upper, f.Value, f.Key)
			}
		}
	}
	require.Positive(t, published)
	require.Positive(t, assumed)
}

// TestSplittingChangesNothing: an item of any list that is entered as two, each with the uncertainty of the whole, has the
// same figures and ranges; so have the removals of a stand.
func TestSplittingChangesNothing(t *testing.T) {
	t.Parallel()
	set := factors(t, ghg.IPCC2019)
	rapid.Check(t, func(t *rapid.T) {
		in := full()
		pct := rapid.Float64Range(0, 80).Draw(t, "uncertainty")
		part := rapid.Float64Range(0.05, 0.95).Draw(t, "part")
		for i := range in.Fertilizers {
			in.Fertilizers[i].UncertaintyPct = &pct
		}
		for i := range in.FuelEnergy {
			in.FuelEnergy[i].UncertaintyPct = &pct
		}
		for i := range in.PerennialBiomass {
			in.PerennialBiomass[i].UncertaintyPct = &pct
		}
		split := in
		switch rapid.SampledFrom([]string{"fertilizer", "fuel", "stand", "water"}).Draw(t, "of") {
		case "fertilizer":
			i := rapid.IntRange(0, len(in.Fertilizers)-1).Draw(t, "item")
			split.Fertilizers = halved(in.Fertilizers, i, func(f *ghg.Fertilizer, part float64) { f.KgPerHa *= part }, part)
		case "fuel":
			i := rapid.IntRange(0, len(in.FuelEnergy)-1).Draw(t, "item")
			split.FuelEnergy = halved(in.FuelEnergy, i, func(f *ghg.Fuel, part float64) { f.Amount *= part }, part)
		case "water":
			split.Irrigation = halved(in.Irrigation, 1, func(w *ghg.Irrigation, part float64) { w.WaterM3 *= part }, part)
		case "stand":
			split.PerennialBiomass = halved(in.PerennialBiomass, 0, func(p *ghg.Perennial, part float64) { p.AreaHa = ptr(*p.AreaHa * part) }, part)
		}
		a, b := calculate(t, in, set), calculate(t, split, set)
		for _, pair := range [][2]float64{
			{a.Emissions, b.Emissions}, {a.Low, b.Low}, {a.High, b.High}, {a.Removed, b.Removed}, {a.RemovedLow, b.RemovedLow}, {a.RemovedHigh, b.RemovedHigh},
		} {
			require.InEpsilon(t, pair[0]+1, pair[1]+1, 1e-9)
		}
		require.Len(t, b.Lines, len(a.Lines))
		for i := range a.Lines {
			require.InEpsilon(t, a.Lines[i].Low+1, b.Lines[i].Low+1, 1e-9, a.Lines[i].Label)
			require.InEpsilon(t, a.Lines[i].High+1, b.Lines[i].High+1, 1e-9, a.Lines[i].Label)
		}
	})
}

// halved splits an item of a list in two.
func halved[T any](list []T, i int, scale func(item *T, part float64), part float64) []T {
	out := append([]T(nil), list...)
	rest := list[i]
	scale(&out[i], part)
	scale(&rest, 1-part)
	return append(out, rest)
}

// TestEnteredUncertainty: an amount that is known to 20 % moves what it enters by 20 %, in step with the other amounts
// of its section; removals have a range of their own.
func TestEnteredUncertainty(t *testing.T) {
	t.Parallel()
	in := plain("boreal_dry")
	in.PerennialBiomass = []ghg.Perennial{{System: "hedgerow", AreaHa: ptr(0.5), PlantingYear: 2015, GrowthTCHaYr: ptr(2.0)}}
	res := run(t, in)
	removed := 0.5 * 2 * 1000 * 44 / 12
	require.InDelta(t, removed, res.Removed, 1e-9)
	require.InDelta(t, removed*.5, res.RemovedLow, 1e-9, "a growth of the user's own is taken at 50 %")
	require.InDelta(t, removed*1.5, res.RemovedHigh, 1e-9)

	in.PerennialBiomass = nil
	in.Transport = []ghg.Journey{{Mode: "truck", WeightT: 10, DistanceKm: 100}, {Mode: "rail", WeightT: 10, DistanceKm: 100}}
	exact := run(t, in)
	in.Transport[0].UncertaintyPct, in.Transport[1].UncertaintyPct = ptr(20.0), ptr(20.0)
	known := run(t, in)
	require.InDelta(t, exact.Emissions, known.Emissions, 1e-9)
	require.Less(t, known.Low, exact.Low)
	require.Greater(t, known.High, exact.High)
	report := report.New(known, report.About{})
	require.InDelta(t, known.High/1000, report.Uncertainty.High, 1e-6)
	require.Zero(t, report.RemovalsRange.High)
}
