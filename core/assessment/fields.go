package assessment

// A field is written in the order in which people read it: a kind with its name, then what is required of it.

func choice(key, label string, enum []string) Field {
	return Field{Key: key, Label: label, Kind: Choice, Enum: enum}
}

func number(key, label, unit string, lower, upper float64) Field {
	return Field{Key: key, Label: label, Kind: Number, Unit: unit, Min: &lower, Max: &upper}
}

func percentage(key, label string) Field { return number(key, label, "%", 0, 100) }

// uncertainty is the field that states how well an amount of the object is known.
func uncertainty(of string) Field {
	return percentage("uncertainty_pct", "Uncertainty").about("Of the " + of + ": plus and minus per cent, at 95 %. Without it the figure is taken as exact.")
}

func integer(key, label, unit string, lower, upper float64) Field {
	f := number(key, label, unit, lower, upper)
	f.Kind = Integer
	return f
}

func flag(key, label string) Field { return Field{Key: key, Label: label, Kind: Flag, Default: false} }

func text(key, label string, upper int) Field {
	return Field{Key: key, Label: label, Kind: Text, MaxLen: upper}
}

func date(key, label string) Field { return Field{Key: key, Label: label, Kind: Date} }

func amount(key, label string, units []string, upper float64) Field {
	lower := 0.0
	return Field{Key: key, Label: label, Kind: Amount, Units: units, Min: &lower, Max: &upper}
}

func items(key, label string, upper int, fields ...Field) Field {
	return Field{Key: key, Label: label, Kind: Items, MaxItems: upper, Fields: fields}
}

// objectOf and listOf are sections, with notes as their last field.

func objectOf(key, title, group string, weight float64, role Role, fields ...Field) Section {
	notes := text("notes", "Notes", 4000).about("Free text; no figure depends on it.")
	return Section{Key: key, Title: title, Shape: Object, Group: group, Weight: weight, Role: role, Fields: append(fields, notes)}
}

func listOf(key, title, group string, weight float64, role Role, fields ...Field) Section {
	s := objectOf(key, title, group, weight, role, fields...)
	s.Shape = List
	return s
}

// needs lets the section apply only where a choice of another section is made.
func (s Section) needs(section, field, choice string) Section {
	s.Needs = &Condition{Section: section, Field: field, In: []string{choice}}
	return s
}

func (s Section) oneOf(fields ...string) Section { s.OneOf = fields; return s }

func (f Field) must() Field             { f.Required = true; return f }
func (f Field) atLeast(n int) Field     { f.AtLeast = n; return f }
func (f Field) derived() Field          { f.ReadOnly, f.Default = true, nil; return f }
func (f Field) usual(value any) Field   { f.Default = value; return f }
func (f Field) about(help string) Field { f.Help = help; return f }
func (f Field) above0() Field           { f.AboveZero = true; return f }

// mustNote states in words when a rule of rules.go requires the field.
func (f Field) mustNote(note string) Field { f.RequiredNote = note; return f }

// mustWhen requires the field where a condition on its object holds.
func (f Field) mustWhen(field string, in ...string) Field {
	f.RequiredWhen = append(f.RequiredWhen, Condition{Field: field, In: in})
	return f
}

// unitsWhen narrows the units of an amount where a condition on its object holds.
func (f Field) unitsWhen(field string, in []string, units ...string) Field {
	f.UnitsWhen = append(f.UnitsWhen, UnitRule{When: Condition{Field: field, In: in}, Units: units})
	return f
}
