package ghg

import (
	"cmp"
	"math"
	"slices"
)

// Intensity returns amount per denominator; ok is false where there is no denominator, or one so small that a report
// cannot show the intensity.
func Intensity(amount, denominator float64) (per float64, ok bool) {
	if denominator <= 0 {
		return 0, false
	}
	if per = amount / denominator; math.IsInf(Rounded(per), 0) {
		return 0, false
	}
	return per, true
}

// MainShare returns the percentage of the emissions that the main product carries.
func MainShare(coProducts []CoProduct) float64 {
	share := 100.0
	for _, c := range coProducts {
		share -= c.SharePct
	}
	return share
}

// sum is a line while it is added up: its masses, and how much each ranged factor moves its CO2e.
type sum struct {
	line    Line
	moves   []move       // differences of CO2e from the line's own, by factor
	ownCO2e float64      // the part for which nothing was left to a default
	parts   []TraceInput // while tracing
	general bool         // at least one contribution used factors of the tables alone
}

// emit adds kg of a gas to the line of a model, a label, a section and a scope.
func (r *run) emit(model, label string, scope int, gas Gas, q quantity) {
	r.lines = r.add(r.lines, Line{Model: model, Label: label, Section: r.section, Scope: scope, Category: categories[label]}, gas, q)
}

// remove adds kg CO2 taken up.
func (r *run) remove(model, label string, q quantity) {
	r.removals = r.add(r.removals, Line{Model: model, Label: label, Section: r.section, Scope: 1, Category: CategoryRemovals}, CO2, q)
}

func (r *run) add(lines []sum, of Line, gas Gas, q quantity) []sum {
	if r.err != nil || q.v == 0 {
		return lines
	}
	r.counts(q, of.Label, gas)
	lines, at := lineAt(lines, of)
	s := &lines[at]
	s.line.Kg[gas] += q.v
	if gas != NotSplit {
		q = r.do(stepCO2e, q, r.set.potentials[gas])
	}
	s.line.CO2e += q.v
	if !q.assumed {
		s.ownCO2e += q.v
	}
	s.general = s.general || !q.specific
	for _, m := range q.moves {
		s.move(m.factor, m.low-q.v, m.high-q.v)
	}
	if r.tracing {
		s.parts = append(s.parts, q.part())
	}
	return lines
}

// lineAt returns the place of a line, which it appends where there is none yet.
func lineAt(lines []sum, of Line) (_ []sum, at int) {
	at = slices.IndexFunc(lines, func(s sum) bool {
		return s.line.Scope == of.Scope && s.line.Label == of.Label && s.line.Model == of.Model && s.line.Section == of.Section
	})
	if at < 0 {
		at = len(lines)
		lines = slices.Grow(lines, 1)[:at+1] // keeps the memory of what stood there
		lines[at] = sum{line: of, moves: lines[at].moves[:0], parts: lines[at].parts[:0]}
	}
	return lines, at
}

func (s *sum) move(f *Factor, low, high float64) {
	if i := moveOf(s.moves, f); i >= 0 {
		s.moves[i].low += low
		s.moves[i].high += high
		return
	}
	s.moves = append(s.moves, move{f, low, high})
}

// spread holds the sums of the squares by which factors move a figure down and up.
type spread struct{ down, up float64 }

// take adds a factor that alone moves the figure by a and by b.
func (s *spread) take(a, b float64) {
	down, up := min(0, a, b), max(0, a, b)
	s.down += down * down
	s.up += up * up
}

// around returns the range: roots of the sums of squares, low and high side apart, low not under 0.
func (s *spread) around(v float64) (low, high float64) {
	low, high = s.bounds(v)
	return max(0, low), high
}

// bounds returns the range of a figure that may be below 0.
func (s *spread) bounds(v float64) (low, high float64) {
	return v - math.Sqrt(s.down), v + math.Sqrt(s.up)
}

// Describe takes from the input what a result states about it: the functional units and the products.
func (res *Result) Describe(in Input) {
	res.AreaHa, res.ProductT = in.General.AreaHa, 0
	if kg := cmp.Or(in.Crop.FarmGateYieldKg, in.Crop.YieldKg); kg != nil {
		res.ProductT = *kg / 1000
	}
	res.CoProducts, res.MainSharePct, res.PricePerT = in.Crop.CoProducts, MainShare(in.Crop.CoProducts), in.Crop.PricePerT
}

// finish sums the lines up.
func (r *run) finish() {
	res := &r.result
	res.FactorSet, res.GWP = Identity{r.set.ID, r.set.Version, r.set.Digest}, r.set.GWP
	res.Warming, res.Engine = r.set.gwp, Identity{ID: EngineID, Version: EngineVersion}
	res.Describe(*r.in)

	var own float64
	res.Lines, res.Emissions, own, res.Low, res.High = r.close(r.lines)
	r.traceTotal(TraceTotal{Of: "emissions", Low: res.Low, High: res.High}, r.lines, res.Emissions)
	res.Removals, res.Removed, _, res.RemovedLow, res.RemovedHigh = r.close(r.removals)
	r.traceTotal(TraceTotal{Of: "removals", Low: res.RemovedLow, High: res.RemovedHigh}, r.removals, res.Removed)
	if res.Emissions > 0 {
		res.UserShare = own / res.Emissions
	}
	res.Evidence = r.evidence()
}

// evidence counts the rows that move a line, each once.
func (r *run) evidence() (e Evidence) {
	for _, sums := range [2][]sum{r.lines, r.removals} {
		for i := range sums {
			for _, m := range sums[i].moves {
				if met := &r.moved[m.factor.rank]; met.factor == nil {
					met.factor = m.factor
					e.count(m.factor)
				}
			}
		}
	}
	clear(r.moved)
	return e
}

// nearNothing is the part of a figure at or below which its logarithm says nothing about a range.
const nearNothing = 0.05

// stretch returns the ratios of the combined deviation of a line, down and up, to the root of the sum of the squares.
// The factors of a line multiply, so they combine by their ratios: exp of the root of the sum of the squares of their
// logarithms. Where a factor alone takes the line to almost nothing, that side is left as it is.
func (s *sum) stretch() (down, up float64) {
	v := s.line.CO2e
	var lin, logs [2]float64
	ofLogs := true
	for _, m := range s.moves {
		for side, d := range [2]float64{min(0, m.low, m.high), max(0, m.low, m.high)} {
			lin[side] += d * d
			if ratio := 1 + d/v; ratio > nearNothing {
				logs[side] += math.Log(ratio) * math.Log(ratio)
			} else {
				ofLogs = false
			}
		}
	}
	down, up = 1, 1
	if lin[0] > 0 && ofLogs {
		down = v * -math.Expm1(-math.Sqrt(logs[0])) / math.Sqrt(lin[0])
	}
	if lin[1] > 0 {
		up = v * math.Expm1(math.Sqrt(logs[1])) / math.Sqrt(lin[1])
	}
	return down, up
}

// close turns sums into lines with their ranges, and returns the total with its own: the moves of a factor add over all
// the lines that use it, and factors are independent.
func (r *run) close(sums []sum) (lines []Line, total, own, low, high float64) {
	var all spread
	lines = make([]Line, 0, len(sums))
	for i := range sums {
		s := &sums[i]
		var one spread
		down, up := s.stretch()
		stretched := func(d float64) float64 {
			if d < 0 {
				return d * down
			}
			return d * up
		}
		s.line.RangeAssumed = len(s.moves) > 0
		for j := range s.moves {
			m := &s.moves[j]
			m.low, m.high = stretched(m.low), stretched(m.high)
			one.take(m.low, m.high)
			s.line.RangeAssumed = s.line.RangeAssumed && m.factor.rangeOf != ""
			s.line.Evidence.count(m.factor)
			r.moved[m.factor.rank].low += m.low
			r.moved[m.factor.rank].high += m.high
		}
		s.line.Low, s.line.High = one.around(s.line.CO2e)
		if s.line.Tier = 2; s.general {
			s.line.Tier = 1
		}
		lines = append(lines, s.line)
		total += s.line.CO2e
		own += s.ownCO2e
	}
	for i := range sums {
		for _, m := range sums[i].moves {
			together := &r.moved[m.factor.rank]
			all.take(together.low, together.high)
			*together = move{}
		}
	}
	low, high = all.around(total)
	return lines, total, own, low, high
}
