package assessment

import (
	"math"
	"strconv"
	"strings"
)

// Complete says how far an assessment is: by section, in all, and whether it can be
// submitted. A value that would be refused counts as not filled.
//
//	percentage = sum of weight x filled / required over the sections that apply,
//	             / sum of their weights, rounded down to one decimal
func (t *Table) Complete(a *Assessment, sheet Sheet, facts Facts) State {
	state, _ := t.examine(a, sheet, facts)
	return state
}

// examine returns the state with the violations that a submission meets. Ready is that
// there are none.
func (t *Table) examine(a *Assessment, sheet Sheet, facts Facts) (State, []Finding) {
	violations := a.generalFindings(facts)
	blocked := t.contradictions(a, sheet)
	state := State{Sections: make([]SectionState, 0, len(t.sections)+1)}
	state.Sections = append(state.Sections, t.generalState(violations))
	score, weights := t.general.Weight*state.Sections[0].score(), t.general.Weight
	if !facts.ResourceLive {
		violations = append(violations, Finding{"resource_deleted", "resource_id", "The farm or field of this assessment is deleted."})
	}
	for i := range t.sections {
		s := &t.sections[i]
		one := t.sectionState(s, a.Declarations, sheet, blocked)
		state.Sections = append(state.Sections, one)
		if !one.Applies {
			continue
		}
		score += s.Weight * one.score()
		weights += s.Weight
		violations = s.appendViolations(violations, one)
	}
	violations = append(violations, blocked...)
	// The small term takes back what the sum of the weights lost in binary.
	state.Percentage = math.Min(100, math.Floor(score/weights*1000+1e-9)/10)
	state.Ready = len(violations) == 0
	return state, violations
}

// score is the share of a section that is done, from 0 to 1.
func (s SectionState) score() float64 {
	switch {
	case s.Declared || s.Status == Complete:
		return 1
	case s.Status == NotStarted || s.Required == 0:
		return 0
	}
	return float64(s.Filled) / float64(s.Required)
}

func (t *Table) generalState(findings []Finding) SectionState {
	one := SectionState{Section: secGeneral, Applies: true, Status: Complete, Required: len(t.general.Fields)}
	for i := range t.general.Fields {
		key := t.general.Fields[i].Key
		wrong := findingAt(findings, key)
		if wrong == nil {
			one.Filled++
			continue
		}
		one.Missing = append(one.Missing, Missing{Field: key, Path: wrong.Path, Message: wrong.Message})
	}
	switch one.Filled {
	case one.Required:
	case 0:
		one.Status = NotStarted
	default:
		one.Status = InProgress
	}
	return one
}

// findingAt returns the first finding of a member or of a part of it.
func findingAt(findings []Finding, key string) *Finding {
	for i, f := range findings {
		if f.Path == key || strings.HasPrefix(f.Path, key+".") {
			return &findings[i]
		}
	}
	return nil
}

// sectionState counts the required fields of a section.
func (t *Table) sectionState(s *Section, declared Declarations, sheet Sheet, blocked []Finding) SectionState {
	one := SectionState{Section: s.Key, Applies: s.applies(sheet)}
	c := counter{table: t, section: s, sheet: sheet, blocked: blocked, state: &one}
	begun := false
	for i, row := range sheet[s.Key] {
		begun = begun || len(row.Values) > 0 || s.Shape == List
		c.row = i
		c.count(s.Fields, row.Values)
		c.countOneOf(row.Values)
	}
	switch {
	case begun && one.Filled == one.Required && !contradicted(blocked, s):
		one.Status = Complete
	case begun:
		one.Status = InProgress
	case declared.None(s.Key):
		one.Declared, one.Status = true, Complete
	default:
		one.Status = NotStarted
		one.Filled, one.Required, one.Missing = 0, 0, nil
		if one.Applies && s.Role != OptionalOnly {
			c.row = 0
			c.count(s.Fields, nil)
		}
	}
	return one
}

func contradicted(blocked []Finding, s *Section) bool {
	for _, f := range blocked {
		if f.Path == s.Key || strings.HasPrefix(f.Path, s.Key+".") || strings.HasPrefix(f.Path, s.Key+"[") {
			return true
		}
	}
	return false
}

// counter counts what one object of a section is required to hold, and how much of it
// is there.
type counter struct {
	table   *Table
	section *Section
	sheet   Sheet
	blocked []Finding
	state   *SectionState
	row     int
}

func (c *counter) count(fields []Field, v Values) {
	for i := range fields {
		f := &fields[i]
		value, given := v[f.Key]
		if c.required(f, v) {
			c.state.Required++
			if given && f.accepts(value, v) && !c.denied(f) {
				c.state.Filled++
			} else {
				c.miss(f, "", -1)
			}
		}
		if f.Kind == Items && given {
			c.countNested(f, v.items(f.Key))
		}
	}
}

func (c *counter) required(f *Field, v Values) bool {
	if f.Required {
		return true
	}
	for _, when := range f.RequiredWhen {
		if when.holds(v) {
			return true
		}
	}
	return f.RequiredNote != "" && c.table.requiredBeyond(c.section.Key, f.Key, v, c.sheet)
}

func (c *counter) countNested(list *Field, items []any) {
	for n, item := range items {
		v := object(item)
		for i := range list.Fields {
			f := &list.Fields[i]
			if !f.Required {
				continue
			}
			c.state.Required++
			if value, given := v[f.Key]; given && f.accepts(value, v) {
				c.state.Filled++
			} else {
				c.miss(f, list.Key, n)
			}
		}
	}
}

// countOneOf counts the fields of which one is needed as one.
func (c *counter) countOneOf(v Values) {
	names := c.section.OneOf
	if len(names) == 0 {
		return
	}
	c.state.Required++
	for _, name := range names {
		f := c.section.field(name)
		if value, given := v[name]; given && f.accepts(value, v) {
			c.state.Filled++
			return
		}
	}
	c.miss(c.section.field(names[0]), "", -1)
}

func (s *Section) field(key string) *Field { return findField(s.Fields, key) }

func findField(fields []Field, key string) *Field {
	for i := range fields {
		if fields[i].Key == key {
			return &fields[i]
		}
	}
	return nil
}

// denied tells whether a contradiction names just this field.
func (c *counter) denied(f *Field) bool {
	for _, finding := range c.blocked {
		rest, ok := strings.CutPrefix(finding.Path, c.section.Key)
		if !ok {
			continue
		}
		if c.section.Shape == List {
			rest, ok = strings.CutPrefix(rest, "["+strconv.Itoa(c.row)+"]")
		}
		if ok && rest == "."+f.Key {
			return true
		}
	}
	return false
}

// miss notes a required field that is not there; within says in which nested list, and
// in which item of it.
func (c *counter) miss(f *Field, within string, item int) {
	general, path := c.section.Key, c.section.Key
	if c.section.Shape == List {
		general += "[]"
		if len(c.sheet[c.section.Key]) > 0 {
			path += "[" + strconv.Itoa(c.row) + "]"
		} else {
			path += "[]"
		}
	}
	if within != "" {
		general += "." + within + "[]"
		path += "." + within + "[" + strconv.Itoa(item) + "]"
	}
	general, path = general+"."+f.Key, path+"."+f.Key
	c.state.Missing = append(c.state.Missing, Missing{Field: general, Path: path, Message: c.section.ask(f)})
}

// ask tells what to enter.
func (s *Section) ask(f *Field) string {
	what := f.Label
	switch {
	case len(s.OneOf) > 0 && f.Key == s.OneOf[0]:
		what = strings.Join(s.OneOf, " or ")
	case f.Kind == Amount:
		what += " with its unit"
	case f.Unit != "":
		what += " in " + f.Unit
	}
	return s.Title + ": enter " + lowerFirst(what) + "."
}

// lowerFirst writes a label within a sentence; abbreviations stay.
func lowerFirst(s string) string {
	if len(s) > 1 && s[1] >= 'a' && s[1] <= 'z' {
		return strings.ToLower(s[:1]) + s[1:]
	}
	return s
}

// accepts tells whether a value would be taken as complete: as [Field.read], but it
// allocates nothing and wants both parts of an amount, and enough items in a list.
func (f *Field) accepts(value any, v Values) bool {
	switch f.Kind {
	case Amount:
		parts, _ := value.(map[string]any)
		number, hasNumber := parts["value"]
		unit, hasUnit := parts["unit"]
		if !hasNumber || !hasUnit || oneOf(unit, f.Units) != "" || f.unitProblem(v) != "" {
			return false
		}
		_, message := f.number(number)
		return message == ""
	case Items:
		list, ok := value.([]any)
		return ok && len(list) >= max(1, f.AtLeast)
	}
	_, message := f.scalar(value)
	return message == ""
}
