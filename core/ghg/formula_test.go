package ghg_test

import (
	"math"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/ghg"
	"tilth/core/ghg/replay"
)

// recompute evaluates the equation of a trace line with its values.
func recompute(line ghg.TraceLine) (float64, error) {
	var symbols []string
	var values []float64
	for _, in := range line.Inputs {
		symbols, values = append(symbols, in.Symbol), append(values, in.Value)
	}
	for _, f := range line.Factors {
		symbols, values = append(symbols, f.Symbol), append(values, f.Value)
	}
	return replay.Evaluate(line.Equation, symbols, values)
}

// TestFormulas: the formula that a trace shows is what the step computes, to the last digit.
func TestFormulas(t *testing.T) {
	t.Parallel()
	require.Greater(t, len(ghg.Steps()), 40)
	rapid.Check(t, func(t *rapid.T) {
		for _, step := range ghg.Steps() {
			var symbols []string
			arguments := make([]float64, len(step.Arguments))
			for i, a := range step.Arguments {
				require.NotEmpty(t, a.Unit, "%s %s has no unit", step.Name, a.Symbol)
				arguments[i] = rapid.Float64Range(0.01, 100).Draw(t, a.Symbol)
				if a.Symbol == "dC" && rapid.Bool().Draw(t, "loss") {
					arguments[i] = -arguments[i]
				}
				require.NotContains(t, symbols, a.Symbol, "%s uses a symbol twice", step.Name)
				symbols = append(symbols, a.Symbol)
			}
			require.NotEmpty(t, step.Source, step.Name)
			want, err := replay.Evaluate(step.Formula, symbols, arguments)
			require.NoError(t, err, step.Name)
			require.InDelta(t, want, step.Compute(arguments...), exact*math.Abs(want), step.Name)
		}
	})
}

// exact is the maximum difference of results: on some machines the compiler rounds a product and a sum once.
var exact = map[bool]float64{true: 0, false: 1e-12}[runtime.GOARCH == "amd64"]
