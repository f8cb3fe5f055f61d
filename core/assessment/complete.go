package assessment

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Complete returns how complete an assessment is, by section and as a whole, and whether it can be submitted. A value
// that would be refused counts as not filled.
//
//	percentage = sum of weight x filled / required over the sections that apply,
//	             / sum of their weights, rounded down to one decimal
func (t *Table) Complete(a *Assessment, sheet Sheet, facts Facts) State {
	state, _ := t.examine(a, sheet, facts)
	return state
}

// examine returns the state with the violations that a submission would meet; without any, the assessment is ready.
func (t *Table) examine(a *Assessment, sheet Sheet, facts Facts) (State, []Finding) {
	sheet = sheet.withClimate(facts)
	violations := a.generalFindings(facts)
	blocked := t.contradictions(a, sheet, facts)
	state := State{Sections: make([]SectionState, 0, len(t.sections)+1)}
	state.Sections = append(state.Sections, t.generalState(violations))
	score, weights := t.general.Weight*state.Sections[0].Done(), t.general.Weight
	if !facts.ResourceLive {
		violations = append(violations, Finding{"resource_deleted", "resource_id", "The farm or field of this assessment has been deleted."})
	}
	for i := range t.sections {
		s := &t.sections[i]
		one := t.sectionState(s, a.Declarations, sheet, blocked)
		state.Sections = append(state.Sections, one)
		if !one.Applies {
			continue
		}
		score += s.Weight * one.Done()
		weights += s.Weight
		violations = s.appendViolations(violations, one)
	}
	violations = append(violations, blocked...)
	// The small term makes up for what the sum of the weights loses in binary.
	state.Percentage = math.Min(100, math.Floor(score/weights*1000+1e-9)/10)
	state.Ready = len(violations) == 0
	return state, violations
}

// Done returns the share of a section that is done, from 0 to 1: filled of required fields; 1 where complete or declared.
func (s SectionState) Done() float64 {
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
		i := slices.IndexFunc(findings, func(f Finding) bool { return sectionOf(f.Path) == key })
		if i < 0 {
			one.Filled++
			continue
		}
		one.Missing = append(one.Missing, Missing{Field: key, Path: findings[i].Path, Message: findings[i].Message})
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

// sectionState counts the required fields of a section.
func (t *Table) sectionState(s *Section, declared Declarations, sheet Sheet, blocked []Finding) SectionState {
	one := SectionState{Section: s.Key, Applies: s.applies(sheet)}
	c := counter{table: t, section: s, sheet: sheet, blocked: blocked, state: &one}
	begun := false
	for i, row := range sheet[s.Key] {
		begun = begun || len(row.Values) > 0 || s.Shape == List
		c.countRow(i, row.Values)
	}
	switch {
	case begun && one.Filled == one.Required && !slices.ContainsFunc(blocked, func(f Finding) bool { return sectionOf(f.Path) == s.Key }):
		one.Status = Complete
	case begun:
		one.Status = InProgress
	case declared.None(s.Key):
		one.Declared, one.Status = true, Complete
	default:
		one.Status = NotStarted
		one.Filled, one.Required, one.Missing = 0, 0, nil
		if one.Applies && s.Role != OptionalOnly {
			c.countRow(0, nil)
		}
	}
	return one
}

// counter counts the fields that the objects of a section are required to have, and how many of them are filled.
type counter struct {
	table   *Table
	section *Section
	sheet   Sheet
	blocked []Finding
	state   *SectionState
	row     int
}

// countRow counts the object of a row. The fields of which one is needed count as one.
func (c *counter) countRow(row int, v Values) {
	c.row = row
	c.count(c.section.Fields, v, "", 0)
	names := c.section.OneOf
	if len(names) == 0 {
		return
	}
	c.state.Required++
	for _, name := range names {
		if value, given := v[name]; given && c.section.field(name).accepts(value, v) {
			c.state.Filled++
			return
		}
	}
	c.miss(c.section.field(names[0]), "", 0)
}

// count counts the fields of an object: of the row, or of an item of the nested list within.
func (c *counter) count(fields []Field, v Values, within string, item int) {
	for i := range fields {
		f := &fields[i]
		value, given := v[f.Key]
		if c.required(f, v) {
			c.state.Required++
			if given && f.accepts(value, v) && (within != "" || !c.denied(f)) {
				c.state.Filled++
			} else {
				c.miss(f, within, item)
			}
		}
		if f.Kind == Items {
			for n, below := range v.items(f.Key) {
				c.count(f.Fields, below, f.Key, n)
			}
		}
	}
}

func (c *counter) required(f *Field, v Values) bool {
	return f.Required || slices.ContainsFunc(f.RequiredWhen, func(when Condition) bool { return when.holds(v) }) ||
		f.RequiredNote != "" && c.table.requiredBeyond(c.section.Key, f.Key, v, c.sheet)
}

func (s *Section) field(key string) *Field { return findField(s.Fields, key) }

func findField(fields []Field, key string) *Field {
	if i := slices.IndexFunc(fields, func(f Field) bool { return f.Key == key }); i >= 0 {
		return &fields[i]
	}
	return nil
}

// denied reports whether a contradiction names this very field.
func (c *counter) denied(f *Field) bool {
	return slices.ContainsFunc(c.blocked, func(b Finding) bool {
		_, path := c.place()
		return b.Path == path+"."+f.Key
	})
}

// place returns the path of the object that is counted: in general, and this one.
func (c *counter) place() (general, path string) {
	key := c.section.Key
	switch {
	case c.section.Shape == Object:
		return key, key
	case len(c.sheet[key]) == 0:
		return key + "[]", key + "[]"
	}
	return key + "[]", fmt.Sprintf("%s[%d]", key, c.row)
}

// miss records a required field that is missing: of the row, or of an item of the nested list within.
func (c *counter) miss(f *Field, within string, item int) {
	general, path := c.place()
	if within != "" {
		general += "." + within + "[]"
		path += fmt.Sprintf(".%s[%d]", within, item)
	}
	c.state.Missing = append(c.state.Missing, Missing{general + "." + f.Key, path + "." + f.Key, c.section.ask(f)})
}

// ask returns the message that states what to enter.
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

// lowerFirst returns a label as it is written within a sentence; abbreviations stay.
func lowerFirst(s string) string {
	if len(s) > 1 && s[1] >= 'a' && s[1] <= 'z' {
		return strings.ToLower(s[:1]) + s[1:]
	}
	return s
}

// accepts reports whether a value counts as complete. It checks what [Field.read] does, but allocates nothing and
// requires both parts of an amount, and enough items in a list.
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
