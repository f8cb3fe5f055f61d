package ghg

import (
	"strconv"
	"strings"
)

// TraceLine is one step with all that is needed to redo it by hand: put the values of
// the inputs and the factors in the place of their symbols in the equation.
type TraceLine struct {
	Step     string        `json:"step"`
	Item     string        `json:"item"` // the section, and the item of a list, that the step belongs to
	Equation string        `json:"equation"`
	Source   string        `json:"source"`
	Inputs   []TraceInput  `json:"inputs"`
	Factors  []TraceFactor `json:"factors"`
	Result   float64       `json:"result"`
	Unit     string        `json:"unit"`
	// Label and Gas name what the result is part of in the report, where it is: an emission, or a removal.
	Label string `json:"label,omitempty"`
	Gas   string `json:"gas,omitempty"`
}

// TraceInput is a value that was entered, or the result of an earlier step.
type TraceInput struct {
	Symbol  string  `json:"symbol"`
	Value   float64 `json:"value"`
	Unit    string  `json:"unit"`
	Default bool    `json:"default,omitempty"` // it was not entered, and this value stood in
}

// TraceFactor is a row of the tables.
type TraceFactor struct {
	Symbol  string  `json:"symbol"`
	Key     string  `json:"key"`
	Value   float64 `json:"value"`
	Unit    string  `json:"unit"`
	Source  string  `json:"source"`
	Status  string  `json:"status"`            // of the value: verified, secondary or unverified
	Note    string  `json:"note,omitempty"`    // of the choice of the row, then of the row itself
	Default bool    `json:"default,omitempty"` // a value of the user's own could have been entered instead
	// Lower and Upper are the 95 % range of the row, nil where it is exact; RangeOf is the kind of source whose range it is
	// where its own source prints none.
	Lower   *float64 `json:"lower,omitempty"`
	Upper   *float64 `json:"upper,omitempty"`
	RangeOf string   `json:"range_of,omitempty"`
	// RangeStatus is what is known of the range: published, recalled or assumed.
	RangeStatus string `json:"range_status,omitempty"`
}

// notInSource is said of a residue factor whose cell is empty in the source.
const notInSource = "not available in the source: the term is left out"

func (r *run) trace(s *Step, arguments []quantity, out quantity) {
	line := TraceLine{Step: s.Name, Item: r.item(), Equation: s.Formula, Source: s.Source, Result: out.v, Unit: s.Unit}
	line.Inputs, line.Factors = []TraceInput{}, []TraceFactor{}
	for i := range arguments {
		q := &arguments[i]
		symbol, unit := s.Arguments[i].Symbol, s.Arguments[i].Unit
		if q.factor == nil {
			line.Inputs = append(line.Inputs, TraceInput{Symbol: symbol, Value: q.v, Unit: unit, Default: q.assumed})
			continue
		}
		f := TraceFactor{
			Symbol: symbol, Key: q.factor.Key, Value: q.v, Unit: q.factor.Unit, Source: q.factor.Source,
			Status: q.factor.Status, Note: q.factor.Note, Default: q.assumed, RangeOf: q.factor.rangeOf,
			RangeStatus: q.factor.RangeStatus,
		}
		if q.factor.Ranged {
			f.Lower, f.Upper = &q.factor.Lower, &q.factor.Upper
		}
		if q.link != nil && q.link.Note != "" {
			f.Note = strings.Trim(q.link.Note+"; "+f.Note, "; ")
		}
		if q.factor.Empty {
			f.Note = notInSource
		}
		line.Factors = append(line.Factors, f)
	}
	r.result.Trace = append(r.result.Trace, line)
}

// counts marks the step that was just carried out as a part of a line of the report.
func (r *run) counts(label string, gas Gas) {
	if n := len(r.result.Trace); n > 0 {
		r.result.Trace[n-1].Label, r.result.Trace[n-1].Gas = label, gas.String()
	}
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
