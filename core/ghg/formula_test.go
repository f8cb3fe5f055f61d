package ghg_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/ghg"
)

// evaluate works a formula of a trace out: + - * / and parentheses over symbols and
// numbers, with min, max and pow. It knows nothing of the engine.
func evaluate(formula string, symbols map[string]float64) (float64, error) {
	tree, err := parser.ParseExpr(formula)
	if err != nil {
		return 0, err
	}
	return value(tree, symbols)
}

func value(e ast.Expr, symbols map[string]float64) (float64, error) {
	switch e := e.(type) {
	case *ast.BasicLit:
		return strconv.ParseFloat(e.Value, 64)
	case *ast.Ident:
		v, ok := symbols[e.Name]
		if !ok {
			return 0, fmt.Errorf("the symbol %s has no value", e.Name)
		}
		return v, nil
	case *ast.ParenExpr:
		return value(e.X, symbols)
	case *ast.UnaryExpr:
		v, err := value(e.X, symbols)
		return -v, err
	case *ast.BinaryExpr:
		a, err := value(e.X, symbols)
		if err != nil {
			return 0, err
		}
		b, err := value(e.Y, symbols)
		return map[token.Token]float64{token.ADD: a + b, token.SUB: a - b, token.MUL: a * b, token.QUO: a / b}[e.Op], err
	case *ast.CallExpr:
		a, err := value(e.Args[0], symbols)
		if err != nil {
			return 0, err
		}
		b, err := value(e.Args[1], symbols)
		name, _ := e.Fun.(*ast.Ident)
		return map[string]func(a, b float64) float64{"min": math.Min, "max": math.Max, "pow": math.Pow}[name.Name](a, b), err
	}
	return 0, fmt.Errorf("%T is no arithmetic", e)
}

// recompute puts the values of a trace line in the place of its symbols.
func recompute(line ghg.TraceLine) (float64, error) {
	symbols := map[string]float64{}
	for _, in := range line.Inputs {
		symbols[in.Symbol] = in.Value
	}
	for _, f := range line.Factors {
		symbols[f.Symbol] = f.Value
	}
	return evaluate(line.Equation, symbols)
}

// TestFormulas: the formula that a trace shows is what the step computes.
func TestFormulas(t *testing.T) {
	t.Parallel()
	require.Greater(t, len(ghg.Steps()), 40)
	rapid.Check(t, func(t *rapid.T) {
		for _, step := range ghg.Steps() {
			symbols, arguments := map[string]float64{}, make([]float64, len(step.Arguments))
			for i, a := range step.Arguments {
				require.NotEmpty(t, a.Unit, "%s %s has no unit", step.Name, a.Symbol)
				arguments[i] = rapid.Float64Range(0.01, 100).Draw(t, a.Symbol)
				if a.Symbol == "dC" && rapid.Bool().Draw(t, "loss") {
					arguments[i] = -arguments[i]
				}
				symbols[a.Symbol] = arguments[i]
			}
			require.Len(t, symbols, len(step.Arguments), "%s uses a symbol twice", step.Name)
			require.NotEmpty(t, step.Source, step.Name)
			want, err := evaluate(step.Formula, symbols)
			require.NoError(t, err, step.Name)
			require.InDelta(t, want, step.Compute(arguments...), 1e-9*math.Max(1, math.Abs(want)), step.Name)
		}
	})
}
