package conversion

import (
	"slices"
	"strings"

	"tilth/core/ghg"
)

// Amount is a value with its unit, as it was entered at a path.
type Amount struct {
	Value float64
	Unit  string
	Path  string // of the value in what was entered
}

// Log keeps the conversions of one assessment as steps of its trace, in the order in which they are made. A nil Log
// keeps none.
type Log struct{ steps []ghg.TraceLine }

// Steps returns the kept steps.
func (l *Log) Steps() []ghg.TraceLine { return l.steps }

// Take converts an amount to the unit of a member of the snapshot, and keeps the step where a rule changes it.
func (l *Log) Take(sets, unit string, a Amount, rule Rule) float64 {
	v := rule.Of(a.Value)
	if l != nil && len(rule) > 0 {
		n := l.keep("unit_conversion", item(sets), unit, Term{Symbol: "v", Value: a.Value, Unit: a.Unit, Entered: a.Path}, rule, v)
		l.steps[n-1].Sets = sets
	}
	return v
}

// Part is a share of the growing area for an item of the snapshot, ha.
func (l *Log) Part(item string, area, share Term) Term {
	out := Term{Symbol: "A", Value: area.Value * share.Value / 100, Unit: "ha"}
	if l != nil {
		hundred := Term{Op: '/', Symbol: "c", Value: 100, Unit: "%", Constant: "all of the area"}
		area.Symbol = "v"
		out.From = l.keep("area_of_share", item, "ha", area, Rule{share.with('*'), hundred}, out.Value)
	}
	return out
}

// item returns the item of the snapshot that a member belongs to.
func item(sets string) string {
	of, _, _ := strings.Cut(sets, ".")
	return of
}

// Whole returns the rule that scales shares which sum to nearly 100 per cent to exactly 100.
func (l *Log) Whole(item string, shares []Amount) Rule {
	var sum float64
	for _, a := range shares {
		sum += a.Value
	}
	if sum == 100 {
		return nil
	}
	whole := Term{Op: '*', Symbol: "w", Value: 100 / sum, Unit: "factor"}
	if l != nil {
		inputs := make([]ghg.TraceInput, len(shares))
		for i, a := range shares {
			inputs[i] = ghg.TraceInput{Symbol: "x", Value: a.Value, Unit: a.Unit, Entered: a.Path}
		}
		n := l.add(ghg.TraceLine{Step: "sum_of_shares", Item: item, Equation: "sum(x)", Inputs: inputs, Result: sum, Unit: "%"})
		of := Term{Op: '/', Symbol: "S", Value: sum, Unit: "%", From: n}
		whole.From = l.keep("whole", item, "factor", Term{Symbol: "v", Value: 100, Unit: "%", Constant: "all of the residue"}, Rule{of}, whole.Value)
	}
	return Rule{whole}
}

// keep adds a step that converts v, and returns its number.
func (l *Log) keep(step, item, unit string, v Term, rule Rule, result float64) int {
	inputs := make([]ghg.TraceInput, 0, 1+len(rule))
	for _, t := range append(Rule{v}, rule...) {
		from := t.From
		if t.Input != "" { // made by an earlier conversion, if by any
			from = 1 + slices.IndexFunc(l.steps, func(s ghg.TraceLine) bool { return s.Sets == t.Input })
		}
		inputs = append(inputs, ghg.TraceInput{
			Symbol: t.Symbol, Value: t.Value, Unit: t.Unit, From: from, Input: t.Input, Entered: t.Entered, Constant: t.Constant,
		})
	}
	return l.add(ghg.TraceLine{Step: step, Equation: rule.equation(), Inputs: inputs, Item: item, Result: result, Unit: unit})
}

// add keeps a step and returns its number.
func (l *Log) add(line ghg.TraceLine) int {
	line.Number, line.Source, line.Factors = len(l.steps)+1, "definition", []ghg.TraceFactor{}
	l.steps = append(l.steps, line)
	return line.Number
}
