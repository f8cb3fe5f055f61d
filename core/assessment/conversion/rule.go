package conversion

// Term is a number that a value is multiplied by, divided by, or reduced by.
type Term struct {
	Op       byte // '*', '/' or '-'
	Symbol   string
	Value    float64
	Unit     string
	From     int    // number of the step that makes it
	Input    string // member of the snapshot that it is
	Entered  string // member of what was entered that it is
	Constant string // what it is where it is none of these
}

func (t Term) with(op byte) Term {
	t.Op = op
	return t
}

// Rule converts a value, term by term. An empty one leaves it as it is.
type Rule []Term

// Of returns a value converted.
func (r Rule) Of(value float64) float64 {
	for _, t := range r {
		switch t.Op {
		case '*':
			value *= t.Value
		case '/':
			value /= t.Value
		case '-':
			value -= t.Value
		}
	}
	return value
}

// Inverse returns the rule for what is stated per unit, given a rule that multiplies.
func (r Rule) Inverse() Rule {
	out := make(Rule, len(r))
	for i, t := range r {
		out[i] = t.with('/')
	}
	return out
}

// equation returns the rule as a trace prints it, applied to v.
func (r Rule) equation() string {
	text := "v"
	for _, t := range r {
		if text += " " + string(t.Op) + " " + t.Symbol; t.Op == '-' {
			text = "(" + text + ")"
		}
	}
	return text
}

// In returns a conversion for values alone.
func In(rule func(unit string) (Rule, bool)) func(value float64, unit string) (float64, bool) {
	return func(value float64, unit string) (float64, bool) {
		r, ok := rule(unit)
		return r.Of(value), ok
	}
}
