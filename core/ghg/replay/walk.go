package replay

import (
	"fmt"
	"math"
	"slices"
)

// walk goes through the steps of a trace in their order.
type walk struct {
	snapshot, entered tree
	formulas          map[string]formula
	rows              map[string]argument // the first mention of each factor
	used              map[string]bool     // members of the snapshot
	unused            []string            // items of the snapshot that no step uses
	steps             []result
	lines             map[string]map[name]*sum // of emissions and of removals; the name of a total is empty
}

// result is what a step produces, with what it would produce with one row alone at a bound of its range.
type result struct {
	value float64
	moves []move
	sum   *sum // of a line of the report, or of a total
}

// move is what a value becomes with a row at its lower and at its upper bound.
type move struct {
	row       string
	low, high float64
}

func (r result) at(row string) (m move, moves bool) {
	for _, m := range r.moves {
		if m.row == row {
			return m, true
		}
	}
	return move{row, r.value, r.value}, false
}

// step recomputes a step and returns where it differs from what the file holds.
func (w *walk) step(l *line) *Difference {
	differs := func(format string, args ...any) *Difference {
		return &Difference{Step: l.Number, Name: l.Step, Item: l.Item, Text: fmt.Sprintf(format, args...)}
	}
	if l.Number != len(w.steps)+1 {
		return differs("number %d occurs where number %d is expected.", l.Number, len(w.steps)+1)
	}
	arguments := slices.Concat(l.Inputs, l.Factors)
	values := make([]result, len(arguments))
	for i := range arguments {
		var wrong string
		if values[i], wrong = w.argument(&arguments[i]); wrong != "" {
			return differs("%s", wrong)
		}
	}
	out, err := w.evaluate(l, arguments, values)
	switch {
	case err != nil:
		return differs("%v.", err)
	case !near(out.value, l.Result):
		return differs("the file has the result %v, its equation gives %v.", l.Result, out.value)
	}
	out.value = l.Result // the printed figures are rounded from the engine's own value
	if v, ok := w.snapshot.number(l.Sets); l.Sets != "" && (!ok || v != l.Result) {
		return differs("the snapshot has %s for %s, the step gives %v.", told(v, ok), l.Sets, l.Result)
	}
	if l.Total != nil {
		out.sum = w.sum(l, values)
		if !near(out.sum.low, l.Total.Low) || !near(out.sum.high, l.Total.High) {
			return differs("the file has the range %v to %v, its steps give %v to %v.", l.Total.Low, l.Total.High, out.sum.low, out.sum.high)
		}
		out.sum.low, out.sum.high = l.Total.Low, l.Total.High
	}
	w.steps = append(w.steps, out)
	return nil
}

// argument resolves an input or a factor, and returns what is wrong with it.
func (w *walk) argument(a *argument) (out result, wrong string) {
	out.value = a.Value
	if a.From == 0 && a.Input == "" && a.Entered == "" && a.Constant == "" && a.Key == "" {
		return out, fmt.Sprintf("%s is %v, and does not state where it comes from.", a.Symbol, a.Value)
	}
	w.used[a.Input] = true
	if a.From != 0 {
		if a.From < 0 || a.From > len(w.steps) {
			return out, fmt.Sprintf("%s is from step %d, which does not precede it.", a.Symbol, a.From)
		}
		from := w.steps[a.From-1]
		if from.value != a.Value {
			return out, fmt.Sprintf("%s is %v, and step %d gives %v.", a.Symbol, a.Value, a.From, from.value)
		}
		out = from
	}
	for _, source := range []struct {
		what, path string
		in         tree
	}{{"the snapshot", a.Input, w.snapshot}, {"what was entered", a.Entered, w.entered}} {
		if v, ok := source.in.number(source.path); source.path != "" && (!ok || v != a.Value) {
			return out, fmt.Sprintf("%s is %v, and %s has %s for %s.", a.Symbol, a.Value, source.what, told(v, ok), source.path)
		}
	}
	row := a.Row
	if a.Key != "" {
		row = a.Key
		first, known := w.rows[a.Key]
		if !known {
			w.rows[a.Key] = *a
		} else if first.Value != a.Value || !same(first.Lower, a.Lower) || !same(first.Upper, a.Upper) {
			return out, fmt.Sprintf("the factor %s differs from that in an earlier step.", a.Key)
		}
	}
	if row != "" && a.Lower != nil && a.Upper != nil {
		out.moves = []move{{row, *a.Lower, *a.Upper}}
	}
	return out, ""
}

func told(v float64, ok bool) string {
	if !ok {
		return "no number"
	}
	return fmt.Sprint(v)
}

func same(a, b *float64) bool {
	return (a == nil) == (b == nil) && (a == nil || *a == *b)
}

func near(a, b float64) bool {
	return a == b || math.Abs(a-b) <= accuracy*math.Max(math.Abs(a), math.Abs(b))
}

// evaluate works out the equation: with every value, then with each row of its arguments alone at its bounds.
func (w *walk) evaluate(l *line, arguments []argument, values []result) (out result, err error) {
	f := w.formulas[l.Equation]
	if f == nil {
		if f, err = parse(l.Equation); err != nil {
			return out, err
		}
		w.formulas[l.Equation] = f
	}
	of := make([]operand, len(values))
	work := func(at func(result) float64) float64 {
		for i := range values {
			of[i] = operand{arguments[i].Symbol, at(values[i])}
		}
		var v float64
		if err == nil {
			v, err = f(of)
		}
		return v
	}
	out.value = work(func(r result) float64 { return r.value })
	if l.Total != nil {
		return out, err // the moves of sums stay apart by line
	}
	seen := map[string]bool{}
	for i := range values {
		for _, m := range values[i].moves {
			if seen[m.row] {
				continue
			}
			seen[m.row] = true
			out.moves = append(out.moves, move{
				m.row,
				work(func(r result) float64 { at, _ := r.at(m.row); return at.low }),
				work(func(r result) float64 { at, _ := r.at(m.row); return at.high }),
			})
		}
	}
	return out, err
}
