package plan

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/stratification/internal/stats"
	"tilth/tests/fields"
)

// The published and computed sizes of samples of one stratum.
func TestSamplesOfOneStratum(t *testing.T) {
	var want struct {
		Relative []struct {
			CV, R, Confidence float64
			NZ                int `json:"n_z"`
			NT                int `json:"n_t"`
		} `json:"relative_error_normal"`
		Finite struct {
			N    int
			Rows []struct {
				CV  float64
				RSE map[string]int
			}
		} `json:"finite_population_relative_se"`
	}
	fields.Expected(t, "sample-size-and-allocation.json", &want)
	require.Len(t, want.Relative, 6)
	for _, w := range want.Relative {
		one := []Stratum{{Weight: 1, SD: w.CV}}
		p := Precision{Confidence: w.Confidence, RelativeError: w.R}
		require.Equal(t, w.NZ, p.Samples(one, 1, false), "%+v", w)
		require.Equal(t, w.NZ, p.Samples(one, 1, true), "%+v", w)
		p.Student = true
		require.Equal(t, w.NT, p.Samples(one, 1, false), "%+v", w)
	}
	require.Len(t, want.Finite.Rows, 3)
	oneSD := math.Erf(1 / math.Sqrt2) // the confidence of one standard error either way
	for _, w := range want.Finite.Rows {
		for rse, n := range w.RSE {
			p := Precision{Confidence: oneSD, RelativeError: fields.Number(t, rse), Population: want.Finite.N}
			require.Equal(t, n, p.Samples([]Stratum{{Weight: 1, SD: w.CV}}, 1, false), "%g at %s", w.CV, rse)
		}
	}
}

// strataOfVoorst returns the published strata.
func strataOfVoorst(w fields.VoorstReference) (strata []Stratum) {
	total := 0.0
	for _, name := range fields.VoorstStrata {
		total += w.Published.N[name]
	}
	for _, name := range fields.VoorstStrata {
		strata = append(strata, Stratum{Weight: w.Published.N[name] / total, SD: math.Sqrt(w.Published.Var.Value[name])})
	}
	return strata
}

func TestSamplesForVoorst(t *testing.T) {
	w, _ := fields.Voorst(t)
	strata := strataOfVoorst(w)
	require.Len(t, w.Computed.Required.Rows, 6)
	require.Len(t, w.Computed.Required.Student, 6)
	for i, rows := range [][]fields.RequiredRow{w.Computed.Required.Rows, w.Computed.Required.Student} {
		for _, row := range rows {
			p := Precision{Confidence: row.Confidence, RelativeError: row.R, Student: i == 1}
			require.Equal(t, row.Proportional, p.Samples(strata, w.Computed.Mean, false), "%+v", row)
			require.Equal(t, row.Neyman, p.Samples(strata, w.Computed.Mean, true), "%+v", row)
		}
	}
	// The design effect is a ratio of variances: 92 samples of the whole become 70 = 92/1.31.
	whole := []Stratum{{Weight: 1, SD: math.Sqrt(2228.017)}}
	p := Precision{Confidence: 0.9, RelativeError: 0.1}
	require.Equal(t, 92, p.Samples(whole, w.Computed.Mean, false))
	p.DesignEffect = 1 / 1.31
	require.Equal(t, 70, p.Samples(whole, w.Computed.Mean, false))
}

// The formula of the CDM's tool 03: n = N t² (Σws)² / (N E² + t² Σ w s²).
func TestSamplesByTheCDM(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		strata := drawStrata(t)
		n := float64(rapid.IntRange(100, 100_000).Draw(t, "N"))
		e := rapid.Float64Range(0.02, 0.3).Draw(t, "r")
		linear, squares := 0.0, 0.0
		for _, s := range strata {
			linear += s.Weight * s.SD
			squares += s.Weight * s.SD * s.SD
		}
		z := stats.NormalQuantile(0.9)
		want := n * z * z * linear * linear / (n*e*e + z*z*squares)
		got := Precision{Confidence: 0.9, RelativeError: e, Population: int(n)}.Samples(strata, 1, true)
		require.InDelta(t, math.Ceil(want), got, 1)
		require.GreaterOrEqual(t, float64(got), want-1e-6)
	})
}

func drawStrata(t *rapid.T) []Stratum {
	strata := make([]Stratum, rapid.IntRange(1, 8).Draw(t, "strata"))
	total := 0.0
	for h := range strata {
		strata[h] = Stratum{Weight: rapid.Float64Range(0.01, 1).Draw(t, "weight"), SD: rapid.Float64Range(0.01, 1).Draw(t, "sd")}
		total += strata[h].Weight
	}
	for h := range strata {
		strata[h].Weight /= total
	}
	return strata
}

func TestSamplesByDensity(t *testing.T) {
	require.Equal(t, 24, SamplesByDensity(59.82, 2.6))
	require.Equal(t, 20, SamplesByDensity(52, 2.6))
}
