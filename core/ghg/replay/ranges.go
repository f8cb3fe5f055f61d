package replay

import (
	"fmt"
	"math"
)

// sum is a line of the report or a total: its value, its range, and by how much each row moves it.
type sum struct {
	value, low, high float64
	moves            []move // deviations from the value
	step             *line
}

func (s *sum) add(m move) {
	for i := range s.moves {
		if s.moves[i].row == m.row {
			s.moves[i].low += m.low
			s.moves[i].high += m.high
			return
		}
	}
	s.moves = append(s.moves, m)
}

// sum adds the parts of a line, or the lines of a total, and works out its range (docs/ghg.md, Uncertainty).
func (w *walk) sum(l *line, parts []result) *sum {
	s := &sum{value: l.Result, step: l}
	for _, p := range parts {
		if p.sum != nil { // a line of a total
			for _, m := range p.sum.moves {
				s.add(m)
			}
			continue
		}
		for _, m := range p.moves {
			s.add(move{m.row, m.low - p.value, m.high - p.value})
		}
	}
	if l.Total.Label != "" {
		s.stretch()
	}
	var down, up float64
	for _, m := range s.moves {
		d, u := min(0, m.low, m.high), max(0, m.low, m.high)
		down, up = down+d*d, up+u*u
	}
	s.low, s.high = max(0, s.value-math.Sqrt(down)), s.value+math.Sqrt(up)
	if w.lines[l.Total.Of] == nil {
		w.lines[l.Total.Of] = map[name]*sum{}
	}
	w.lines[l.Total.Of][l.Total.name] = s
	return s
}

// nearNothing is the part of its value at or below which a deviated figure is not treated as a ratio.
const nearNothing = 0.05

// stretch makes the deviations of a line combine as ratios: their sides are scaled so that the root of the sum of their
// squares is exp(root of the sum of the squared logarithms) - 1 times the value.
func (s *sum) stretch() {
	var squares, logs [2]float64
	low := true // side may be treated as ratios
	for _, m := range s.moves {
		for side, d := range [2]float64{min(0, m.low, m.high), max(0, m.low, m.high)} {
			squares[side] += d * d
			if ratio := 1 + d/s.value; ratio > nearNothing {
				logs[side] += math.Log(ratio) * math.Log(ratio)
			} else {
				low = false
			}
		}
	}
	scale := [2]float64{1, 1}
	if squares[0] > 0 && low {
		scale[0] = s.value * -math.Expm1(-math.Sqrt(logs[0])) / math.Sqrt(squares[0])
	}
	if squares[1] > 0 {
		scale[1] = s.value * math.Expm1(math.Sqrt(logs[1])) / math.Sqrt(squares[1])
	}
	of := func(d float64) float64 {
		if d < 0 {
			return d * scale[0]
		}
		return d * scale[1]
	}
	for i := range s.moves {
		s.moves[i].low, s.moves[i].high = of(s.moves[i].low), of(s.moves[i].high)
	}
}

// total is the sum of all lines; zero where there are none.
func (w *walk) total(of string) sum {
	if s := w.lines[of][name{}]; s != nil {
		return *s
	}
	return sum{}
}

// printed compares the figures that the report prints with those of the steps, to the gram.
func (w *walk) printed(r *report) *Difference {
	emissions, removals := w.total("emissions"), w.total("removals")
	c := new(comparison)
	c.lines(w.lines["emissions"], r.BySource)
	c.lines(w.lines["removals"], r.Removals)
	c.check(emissions, "emissions of", r.Totals.Emissions, emissions.value)
	c.check(emissions, "emissions of at least", r.Range.Low, emissions.low)
	c.check(emissions, "emissions of at most", r.Range.High, emissions.high)
	c.check(removals, "removals of", r.Totals.Removals, removals.value)
	c.check(removals, "removals of at least", r.RemovalsRange.Low, removals.low)
	c.check(removals, "removals of at most", r.RemovalsRange.High, removals.high)
	c.check(emissions, "a balance of", r.Totals.Balance, emissions.value-removals.value)
	c.per(emissions, "emissions per hectare of", r.Totals.EmissionsPerHa, emissions.value, r.Unit.AreaHa)
	c.per(removals, "removals per hectare of", r.Totals.RemovalsPerHa, removals.value, r.Unit.AreaHa)
	c.per(emissions, "emissions per tonne of", r.Totals.EmissionsPerT, emissions.value*r.Allocation.MainSharePct/100, r.Unit.ProductT)
	return c.first
}

// comparison keeps the first figure of a report that its steps do not produce.
type comparison struct{ first *Difference }

// halfAGram is the maximum difference between t CO2e and their printed figure.
const halfAGram = 0.5e-6

// check compares a figure in t with one in kg. Machines differ in the last digit of a logarithm. That digit may decide
// how a figure is rounded, and in huge figures it is worth more than a gram.
func (c *comparison) check(s sum, what string, has, kg float64) {
	if c.first != nil || math.Abs(has-kg/1000) <= halfAGram+accuracy*math.Abs(has) {
		return
	}
	c.first = &Difference{Text: fmt.Sprintf("the report states %s %v t, the steps give %v t.", what, has, tonnes(kg))}
	if s.step != nil {
		c.first.Step, c.first.Name, c.first.Item = s.step.Number, s.step.Step, s.step.Item
	}
}

func (c *comparison) per(s sum, what string, has *float64, kg float64, of *float64) {
	if has != nil && of != nil {
		c.check(s, what, *has, kg / *of)
	}
}

func (c *comparison) lines(sums map[name]*sum, lines []shown) {
	for _, l := range lines {
		s := sum{}
		if known := sums[l.name]; known != nil {
			s = *known
		}
		what := fmt.Sprintf("%s of %s with", l.Label, l.Section)
		c.check(s, what, l.CO2e, s.value)
		c.check(s, what+" at least", l.Low, s.low)
		c.check(s, what+" at most", l.High, s.high)
	}
	if n := max(0, len(sums)-1); len(lines) != n && c.first == nil {
		c.first = &Difference{Text: fmt.Sprintf("the report has %d lines, and its steps give %d.", len(lines), n)}
	}
}
