package assessment

import (
	"slices"

	"tilth/core/ghg"
)

// Shape says whether a section is one object or a list of items.
type Shape string

// The shapes.
const (
	Object Shape = "object"
	List   Shape = "list"
)

// MaxItems is the maximum number of items of a list section.
const MaxItems = 500

// Kind is what the value of a field is.
type Kind string

// The kinds of fields.
const (
	Choice  Kind = "choice"  // one of Enum
	Number  Kind = "number"  // finite
	Integer Kind = "integer" // a number without a fraction
	Flag    Kind = "flag"    // true or false
	Text    Kind = "text"
	Date    Kind = "date"   // civil, YYYY-MM-DD
	Amount  Kind = "amount" // {value, unit}, the unit one of Units
	Items   Kind = "items"  // a nested list of objects with the members Fields
)

// Role is how a section counts towards completeness and submission.
type Role string

// The roles.
const (
	Mandatory    Role = "mandatory"     // must be filled in; cannot be declared none
	Core         Role = "core"          // filled in or declared none before submission
	OptionalOnly Role = "optional_only" // counts 1 when filled or declared; never blocks
)

// Section is one part of the form.
type Section struct {
	Key    string
	Title  string
	Help   string
	Shape  Shape
	Group  string // key of one of [Groups]
	Weight float64
	Role   Role
	Fields []Field
	Needs  *Condition // what must hold of another section for this one to apply; nil: it always does
	OneOf  []string   // names of fields of which one is needed
}

// Field is one member of a section's object.
type Field struct {
	Key          string
	Label        string
	Help         string
	Kind         Kind
	Unit         string     // of a number: "%", "m", "t C/ha/yr"
	Units        []string   // of an amount, in the order people are shown
	UnitsWhen    []UnitRule // narrow Units where a condition of the same object holds
	Enum         []string   // of a choice
	Required     bool
	RequiredWhen []Condition // on the same object, any of which makes the field required
	RequiredNote string      // says in words when a rule that looks beyond the object requires it
	Min, Max     *float64    // inclusive bounds, of an amount those of its value
	AboveZero    bool        // the value must be above 0
	MaxLen       int         // of text, in characters
	MaxItems     int         // of a nested list
	AtLeast      int         // items a nested list needs where it is required; 0 means 1
	Fields       []Field     // members of a nested list's objects
	Default      any         // the value that is used when none is given, for people to see
	ReadOnly     bool        // follows from the rest ([Table.Derived]); ignored when it is sent
}

// Condition looks at one member of an object: it holds where the member is one of In,
// or, with In empty, where it is given at all.
type Condition struct {
	Section string // another section's object; empty: the same object
	Field   string // "product", or "rate.unit" for the unit of an amount
	In      []string
}

// UnitRule narrows the units of an amount.
type UnitRule struct {
	When  Condition
	Units []string
}

// Group is a group of the detail view.
type Group struct {
	Key      string
	Label    string
	Sections []string // keys; the group general holds the general record
}

// Table defines what every section holds. It is made once and never changed.
type Table struct {
	general      Section
	sections     []Section
	byKey        map[string]*Section
	perennials   map[string]bool // crops that stay for years
	growthNeeded map[string]bool // systems of perennials that have no growth of their own
	noRegression map[string]bool // crops whose residues have no known slope and intercept
	mapping      *ghg.Mapping
}

// NewTable makes the table from the mapping, which holds every enumeration and unit that a factor depends on.
func NewTable(m *ghg.Mapping) *Table {
	v := values{m}
	t := &Table{general: generalSection(v), sections: sections(v), mapping: m}
	t.byKey = make(map[string]*Section, len(t.sections))
	for i := range t.sections {
		t.byKey[t.sections[i].Key] = &t.sections[i]
	}
	t.perennials = v.literals(secCrop, "crop_type", "crop_type/is_perennial", "true")
	t.growthNeeded = v.literals(secPerennial, "system", "system/growth", "required")
	t.noRegression = v.literals(secCrop, "crop_type", "crop_type/slope", "refused")
	return t
}

// Sections returns the fifteen sections in the order people fill them in.
func (t *Table) Sections() []Section { return slices.Clone(t.sections) }

// General returns the general part in the form of a section.
func (t *Table) General() Section { return t.general }

// Section returns the section of a key.
func (t *Table) Section(key string) (Section, bool) {
	if s, ok := t.byKey[key]; ok {
		return *s, true
	}
	return Section{}, false
}

// Derived returns the read-only members of an object section, which follow from what was entered.
func (t *Table) Derived(section string, v Values) Values {
	crop := v.text("crop_type")
	if section != secCrop || crop == "" {
		return nil
	}
	return Values{"is_perennial": t.perennials[crop]}
}

// Declarable reports whether a section can be declared to hold nothing.
func (s *Section) Declarable() bool { return s.Role != Mandatory }

// applies reports whether a section is asked for, given what was entered.
func (s *Section) applies(sheet Sheet) bool {
	return s.Needs == nil || s.Needs.holds(sheet.first(s.Needs.Section))
}

// SectionKeys returns the keys of the general part and of the sections, in the order people fill them in.
func (t *Table) SectionKeys() []string {
	out := []string{secGeneral}
	for i := range t.sections {
		out = append(out, t.sections[i].Key)
	}
	return out
}
