package ghg

import (
	"slices"
	"strings"
)

// Argument is one quantity of an equation.
type Argument struct{ Symbol, Unit string }

// Step is one equation of the method as it stands in a trace: the formula is arithmetic over the symbols of its arguments
// (with min, max and pow), in the notation of Go, so that anybody can recompute a result from its trace line.
type Step struct {
	Name, Formula, Unit string
	Source              string // where the equation stands
	Arguments           []Argument
	compute             func(v []float64) float64
}

// steps is every equation of the engine, in a fixed order.
var steps []*Step

// Steps returns every equation of the engine, in a fixed order.
func Steps() []*Step { return slices.Clone(steps) }

// Compute returns the result, in the unit of the step, for one value of each argument, in their order and units.
func (s *Step) Compute(arguments ...float64) float64 { return s.compute(arguments) }

// newStep registers an equation; arguments are "symbol unit".
func newStep(name, formula, unit, source string, compute func([]float64) float64, arguments ...string) *Step {
	s := &Step{Name: name, Formula: formula, Unit: unit, Source: source, compute: compute}
	for _, a := range arguments {
		symbol, unit, _ := strings.Cut(a, " ")
		s.Arguments = append(s.Arguments, Argument{symbol, unit})
	}
	steps = append(steps, s)
	return s
}

func of1(f func(a float64) float64) func([]float64) float64 {
	return func(v []float64) float64 { return f(v[0]) }
}

func of2(f func(a, b float64) float64) func([]float64) float64 {
	return func(v []float64) float64 { return f(v[0], v[1]) }
}

func of3(f func(a, b, c float64) float64) func([]float64) float64 {
	return func(v []float64) float64 { return f(v[0], v[1], v[2]) }
}

func of4(f func(a, b, c, d float64) float64) func([]float64) float64 {
	return func(v []float64) float64 { return f(v[0], v[1], v[2], v[3]) }
}

func of5(f func(a, b, c, d, e float64) float64) func([]float64) float64 {
	return func(v []float64) float64 { return f(v[0], v[1], v[2], v[3], v[4]) }
}

// Arithmetic that several equations share.
func plus(a, b float64) float64                    { return a + b }
func minus(a, b float64) float64                   { return a - b }
func product(a, b float64) float64                 { return a * b }
func quotient(a, b float64) float64                { return a / b }
func part(whole, pct float64) float64              { return whole * pct / 100 }
func yearlyChange(from, to, years float64) float64 { return (to - from) / years }

// maxArguments is the largest number of arguments of a step.
const maxArguments = 12

// quantity is an intermediate number, with what it would be if one factor alone stood at a bound of its range.
type quantity struct {
	v        float64
	factor   *Factor     // where the quantity is a row of the tables itself
	link     *MappingRow // the row of the mapping that led to the factor
	moves    []move
	from     int32 // while tracing: the number of the step that made it; below 0 a place of run.origins, counted from -1
	assumed  bool  // a default stood in for a value that the form can hold
	specific bool  // a factor or a measurement of the user's own took part (Tier 2)
}

// move is what a quantity would be with factor at its lower and at its upper bound.
type move struct {
	factor    *Factor
	low, high float64
}

// assume marks a quantity as a default in place of a value that the form can hold.
func assume(q quantity) quantity {
	q.assumed = true
	return q
}

// at returns the quantity with a factor at a bound.
func (q *quantity) at(f *Factor, high bool) float64 {
	switch i := moveOf(q.moves, f); {
	case i < 0:
		return q.v
	case high:
		return q.moves[i].high
	default:
		return q.moves[i].low
	}
}

// do carries out a step: the result, what it would be with each ranged factor of its
// arguments at its bounds, and a line of the trace where one is wanted.
func (r *run) do(s *Step, arguments ...quantity) quantity {
	if r.err != nil {
		return quantity{}
	}
	v := r.scratch[:len(arguments)]
	out := quantity{}
	for i := range arguments {
		v[i] = arguments[i].v
		out.assumed = out.assumed || arguments[i].assumed
		out.specific = out.specific || arguments[i].specific
	}
	out.v = s.compute(v)
	start := len(r.moves)
	for i := range arguments {
		for _, m := range arguments[i].moves {
			if moveOf(r.moves[start:], m.factor) < 0 {
				low, high := recompute(s, v, arguments, m.factor, false), recompute(s, v, arguments, m.factor, true)
				r.moves = append(r.moves, move{m.factor, low, high})
			}
		}
	}
	out.moves = r.moves[start:len(r.moves):len(r.moves)]
	if r.tracing {
		out.from = r.trace(s, arguments, out.v)
	}
	return out
}

// plus adds a part to a sum that starts empty.
func (r *run) plus(sum, part quantity) quantity {
	if sum.v == 0 {
		return part
	}
	return r.do(stepSum, sum, part)
}

func recompute(s *Step, v []float64, arguments []quantity, f *Factor, high bool) float64 {
	for i := range arguments {
		v[i] = arguments[i].at(f, high)
	}
	return s.compute(v)
}

// moveOf returns the place of the move of a factor; -1 where there is none.
func moveOf(moves []move, f *Factor) int {
	for i := range moves {
		if moves[i].factor == f {
			return i
		}
	}
	return -1
}
