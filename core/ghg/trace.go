package ghg

import (
	"strconv"
	"strings"
)

// TraceLine is one numbered step with all that is needed to redo it by hand: replace the symbols in the equation by the
// values of the inputs and the factors. The steps of a trace are in the order of their numbers; each uses only what
// stands before it.
type TraceLine struct {
	Number   int           `json:"number,omitempty" doc:"Number of the step, from 1; absent in versions that were stored before steps had numbers."`
	Step     string        `json:"step" doc:"What the step is called."`
	Item     string        `json:"item" doc:"The section, and the item of a list, that the step belongs to."`
	Equation string        `json:"equation" doc:"The equation, in the symbols of inputs and factors."`
	Source   string        `json:"source" doc:"Where the equation comes from."`
	Inputs   []TraceInput  `json:"inputs" doc:"Values that the equation uses."`
	Factors  []TraceFactor `json:"factors" doc:"Factors that the equation uses."`
	Result   float64       `json:"result" doc:"Result of the equation, in the unit."`
	Unit     string        `json:"unit" doc:"Unit of the result."`
	Label    string        `json:"label,omitempty" doc:"What the result is part of in the report; absent where it is not part of anything."`
	Gas      string        `json:"gas,omitempty" doc:"Which gas the result is, where it is one."`
	Sets     string        `json:"sets,omitempty" doc:"For a conversion of what was entered: the member of the snapshot that holds the result."`
	Total    *TraceTotal   `json:"total,omitempty" doc:"For a sum: what the result is in the report."`
}

// TraceInput is a member of the snapshot or of what was entered, the result of an earlier step, or a constant.
type TraceInput struct {
	Symbol  string  `json:"symbol" doc:"Its symbol in the equation."`
	Value   float64 `json:"value" doc:"Its value, in the unit."`
	Unit    string  `json:"unit" doc:"Unit of the value."`
	Default bool    `json:"default,omitempty" doc:"It was not entered, and this value was used instead."`

	From     int      `json:"from,omitempty" doc:"Number of the step whose result it is."`
	Input    string   `json:"input,omitempty" doc:"Member of the snapshot that holds it."`
	Entered  string   `json:"entered,omitempty" doc:"Member of what was entered that holds it."`
	Constant string   `json:"constant,omitempty" doc:"What it is where none of these applies."`
	Source   string   `json:"source,omitempty" doc:"Where it comes from, for a member of the snapshot that nobody entered."`
	Row      string   `json:"row,omitempty" doc:"What varies the value: inputs of one row move together."`
	Lower    *float64 `json:"lower,omitempty" doc:"Lower end of its 95 % range; absent where it is exact."`
	Upper    *float64 `json:"upper,omitempty" doc:"Upper end of its 95 % range; absent where it is exact."`
	RangeOf  string   `json:"range_of,omitempty" doc:"The kind of source whose range it is, where its own source states none."`
}

// TraceFactor is a row of the tables.
type TraceFactor struct {
	Symbol      string   `json:"symbol" doc:"Its symbol in the equation."`
	Key         string   `json:"key" doc:"Key of its row in the tables."`
	Value       float64  `json:"value" doc:"Its value, in the unit."`
	Unit        string   `json:"unit" doc:"Unit of the value."`
	Source      string   `json:"source" doc:"Where the value comes from."`
	Status      string   `json:"status" doc:"What is known about the value: verified, secondary or unverified."`
	Note        string   `json:"note,omitempty" doc:"Why this row was chosen, followed by remarks on the row itself."`
	Default     bool     `json:"default,omitempty" doc:"A value of the user's own could have been entered instead."`
	Lower       *float64 `json:"lower,omitempty" doc:"Lower end of its 95 % range; absent where it is exact."`
	Upper       *float64 `json:"upper,omitempty" doc:"Upper end of its 95 % range; absent where it is exact."`
	RangeOf     string   `json:"range_of,omitempty" doc:"The kind of source whose range it is, where its own source states none."`
	RangeStatus string   `json:"range_status,omitempty" doc:"What is known about the range: published, recalled or assumed."`
}

// TraceTotal is a line of the report or one of its totals, with its 95 % range, kg CO2e.
type TraceTotal struct {
	Of      string  `json:"of" doc:"emissions or removals."`
	Model   string  `json:"model,omitempty" doc:"Step of the calculation; absent for the total of all lines."`
	Label   string  `json:"label,omitempty" doc:"What reports and the dashboard call the source; absent for the total of all lines."`
	Section string  `json:"section,omitempty" doc:"Section of the assessment that it comes from; absent for the total of all lines."`
	Scope   int     `json:"scope,omitempty" doc:"Scope of the GHG Protocol: 1, 2 or 3; absent for the total of all lines."`
	Low     float64 `json:"low" doc:"Lower end of its 95 % range, kg CO2e."`
	High    float64 `json:"high" doc:"Upper end of its 95 % range, kg CO2e."`
}

// notInSource is the note of a factor whose cell is empty in the source.
const notInSource = "not available in the source: the term is left out"

// allOfTheArea describes a constant of 100 per cent.
const allOfTheArea = "all of the area"

// pathYear is the path of the assessment year in the snapshot.
const pathYear = "general.year"

// origin is where a value that no step produced comes from: a member of the snapshot, with its source where nobody
// entered it, or the description of a constant.
type origin struct{ input, constant, source string }

// given is a member of the current item.
func (r *run) given(v float64, member string) quantity {
	q := quantity{v: v}
	if r.tracing {
		base := r.base
		if base == "" {
			base = r.item()
		}
		q.from = r.origin(origin{input: base + "." + member})
	}
	return q
}

// of is a member of the snapshot.
func (r *run) of(v float64, path string) quantity { return r.sourced(v, path, "") }

// sourced returns a member of the snapshot that comes from a source; an empty source means that somebody entered it.
func (r *run) sourced(v float64, path, source string) quantity {
	q := quantity{v: v}
	if r.tracing {
		q.from = r.origin(origin{input: path, source: source})
	}
	return q
}

// path names a member of an item of a list in the snapshot, while tracing.
func (r *run) path(list string, i int, member string) string {
	if !r.tracing {
		return ""
	}
	return list + "[" + strconv.Itoa(i) + "]." + member
}

// constant returns a number of the method, or one that is used where nothing is entered; what describes it.
func (r *run) constant(v float64, what string) quantity {
	q := quantity{v: v}
	if r.tracing {
		q.from = r.origin(origin{constant: what})
	}
	return q
}

func (r *run) origin(o origin) int32 {
	r.origins = append(r.origins, o)
	return -int32(len(r.origins)) //nolint:gosec // a snapshot has fewer values
}

// begin puts the conversions of what was entered before the steps of the engine.
func (r *run) begin(conversions []TraceLine) {
	if !r.tracing {
		return
	}
	r.result.Trace = append(r.result.Trace, conversions...)
	r.made = make(map[string]int32, len(conversions))
	for i := range conversions {
		r.result.Trace[i].Number = i + 1
		if sets := conversions[i].Sets; sets != "" {
			r.made[sets] = int32(i + 1) //nolint:gosec // fewer
		}
	}
}

// traced appends a step under the next number, and returns it.
func (r *run) traced(line TraceLine) int32 {
	line.Number = len(r.result.Trace) + 1
	r.result.Trace = append(r.result.Trace, line)
	return int32(line.Number) //nolint:gosec // a trace has fewer steps
}

func (r *run) trace(s *Step, arguments []quantity, v float64) int32 {
	line := TraceLine{Step: s.Name, Item: r.item(), Equation: s.Formula, Source: s.Source, Result: v, Unit: s.Unit}
	line.Inputs, line.Factors = []TraceInput{}, []TraceFactor{}
	for i := range arguments {
		q, a := &arguments[i], s.Arguments[i]
		if q.factor == nil {
			line.Inputs = append(line.Inputs, r.traceInput(q, a))
		} else {
			line.Factors = append(line.Factors, traceFactor(q, a.Symbol))
		}
	}
	return r.traced(line)
}

func (r *run) traceInput(q *quantity, a Argument) TraceInput {
	in := TraceInput{Symbol: a.Symbol, Value: q.v, Unit: a.Unit, Default: q.assumed}
	switch {
	case q.from > 0:
		in.From = int(q.from)
		return in
	case q.from < 0:
		o := r.origins[-q.from-1]
		in.Input, in.Constant, in.Source, in.From = o.input, o.constant, o.source, int(r.made[o.input])
	default:
		in.Constant = "none"
	}
	if len(q.moves) > 0 {
		m := q.moves[0] // a copy: the moves are memory of the run
		in.Row, in.Lower, in.Upper, in.RangeOf = m.factor.Key, &m.low, &m.high, m.factor.rangeOf
	}
	return in
}

func traceFactor(q *quantity, symbol string) TraceFactor {
	f := TraceFactor{
		Symbol: symbol, Key: q.factor.Key, Value: q.v, Unit: q.factor.Unit, Source: q.factor.Source,
		Status: q.factor.Status, Note: q.factor.Note, Default: q.assumed, RangeStatus: q.factor.RangeStatus,
	}
	if len(q.moves) > 0 {
		f.Lower, f.Upper, f.RangeOf = &q.factor.Lower, &q.factor.Upper, q.factor.rangeOf
	}
	if q.link != nil && q.link.Note != "" {
		f.Note = strings.Trim(q.link.Note+"; "+f.Note, "; ")
	}
	if q.factor.Empty {
		f.Note = notInSource
	}
	return f
}

// counts marks the step that made a quantity as a part of a line of the report.
func (r *run) counts(q quantity, label string, gas Gas) {
	if q.from > 0 {
		line := &r.result.Trace[q.from-1]
		line.Label, line.Gas = label, gas.String()
	}
}

// part is a quantity as a part of a sum.
func (q *quantity) part() TraceInput {
	return TraceInput{Symbol: "x", Value: q.v, Unit: "kg CO2e", From: int(q.from)}
}

// traceTotal appends the lines of a total, then the total. The equation adds every input with the symbol x, in order.
func (r *run) traceTotal(of TraceTotal, sums []sum, v float64) {
	if !r.tracing || len(sums) == 0 {
		return
	}
	add := func(step, item string, parts []TraceInput, total TraceTotal, v float64) int32 {
		return r.traced(TraceLine{
			Step: step, Item: item, Equation: "sum(x)", Source: "definition", Inputs: parts, Factors: []TraceFactor{},
			Result: v, Unit: "kg CO2e", Total: &total,
		})
	}
	lines := make([]TraceInput, 0, len(sums))
	for i := range sums {
		s := &sums[i]
		l := &s.line
		total := TraceTotal{Of: of.Of, Model: l.Model, Label: l.Label, Section: l.Section, Scope: l.Scope, Low: l.Low, High: l.High}
		n := add("report_line", l.Section, append([]TraceInput{}, s.parts...), total, l.CO2e)
		lines = append(lines, TraceInput{Symbol: "x", Value: l.CO2e, Unit: "kg CO2e", From: int(n)})
	}
	add("report_total", "", lines, of, v)
}

// item names the place in the input that a step belongs to: "fertilizers[0]".
func (r *run) item() string {
	if r.index < 0 {
		return r.section
	}
	if r.itemName == "" {
		r.itemName = r.section + "[" + strconv.Itoa(r.index) + "]"
	}
	return r.itemName
}
