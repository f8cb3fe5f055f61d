package assessment

import (
	"strings"

	"tilth/core/agronomy"
	"tilth/core/country"
)

// dialect is JSON Schema 2020-12.
const dialect = "https://json-schema.org/draft/2020-12/schema"

// datePattern restricts the years that a date may have; format states that it is a date.
const datePattern = "^(19[0-9]{2}|2[01][0-9]{2}|2200)-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$"

// schema is a JSON Schema, or a part of one, as a tree.
type schema = map[string]any

// Schema returns the JSON Schema of the body of an assessment. A body that it allows is accepted, and complete except
// for the rules stated in x-required-when and the sums of shares; a draft may leave out what is required. Annotations:
// x-order is the place among its siblings, x-unit the unit of a number, and of a section x-group, x-weight and x-role.
func (t *Table) Schema() map[string]any {
	properties := schema{
		"resource_type": described(schema{"type": "string", "enum": []string{string(OfFarm), string(OfField)}}, "Assessed", "A farm, or a single field.", 0),
		"resource_id":   described(schema{"type": "integer", "minimum": 1}, "Farm or field", "Its id.", 1),
	}
	required := []string{"resource_type", "resource_id"}
	for _, f := range t.general.Fields {
		s := f.schema(len(properties))
		if f.Kind == Amount {
			s["additionalProperties"] = false // a submission takes no other members here
		}
		properties[f.Key] = s
		required = append(required, f.Key)
	}
	declarations := schema{}
	var when []any
	for i := range t.sections {
		s := &t.sections[i]
		properties[s.Key] = s.schema(len(properties))
		if s.Declarable() {
			declarations[s.Key] = schema{"type": []string{"string", "null"}, "enum": []any{DeclaredNone, nil}, "title": s.Title}
		}
		switch {
		case s.Needs != nil:
			when = append(when, schema{
				"if":   schema{"properties": schema{s.Needs.Section: s.Needs.schema()}, "required": []string{s.Needs.Section}},
				"then": schema{"required": []string{s.Key}},
			})
		case s.Role == Mandatory:
			required = append(required, s.Key)
		}
	}
	properties["section_declarations"] = described(schema{"type": "object", "properties": declarations, "additionalProperties": false},
		"Nothing here", "Sections for which there is nothing to enter.", len(properties))
	var groups []any
	for _, g := range t.Groups() {
		groups = append(groups, schema{"key": g.Key, "label": g.Label, "sections": append([]string{}, g.Sections...)})
	}
	return schema{
		"$schema": dialect, "title": "Assessment", "type": "object", "properties": properties, "required": required, "allOf": when,
		"x-groups": groups,
	}
}

func (s *Section) schema(order int) schema {
	out := objectSchema(s.Fields, s.OneOf)
	if s.Shape == List {
		out["properties"].(schema)["id"] = schema{
			"type": "integer", "minimum": 1, "title": "Id", "description": "Id of an item that is kept; leave it out for a new one.", "x-order": -1,
		}
		out = schema{"type": "array", "items": out, "maxItems": MaxItems}
	}
	described(out, s.Title, s.Help, order)
	out["x-group"], out["x-weight"], out["x-role"] = s.Group, s.Weight, string(s.Role)
	return out
}

// objectSchema returns the schema of an object with its conditions.
func objectSchema(fields []Field, oneOf []string) schema {
	properties, required := schema{}, []string{}
	var when []any
	depends := schema{}
	for i := range fields {
		f := &fields[i]
		properties[f.Key] = f.schema(i)
		if f.Required {
			required = append(required, f.Key)
		}
		for _, c := range f.RequiredWhen {
			if len(c.In) == 0 {
				needed, _ := depends[c.Field].([]string)
				depends[c.Field] = append(needed, f.Key)
				continue
			}
			then := schema{"required": []string{f.Key}}
			if f.Kind == Items {
				then["properties"] = schema{f.Key: schema{"minItems": max(1, f.AtLeast)}}
			}
			when = append(when, schema{"if": c.schema(), "then": then})
		}
		for _, rule := range f.UnitsWhen {
			unit := schema{"properties": schema{"unit": schema{"enum": rule.Units}}}
			when = append(when, schema{"if": rule.When.schema(), "then": schema{"properties": schema{f.Key: unit}}})
		}
	}
	out := schema{"type": "object", "properties": properties, "required": required}
	if len(when) > 0 {
		out["allOf"] = when
	}
	if len(depends) > 0 {
		out["dependentRequired"] = depends
	}
	if len(oneOf) > 0 {
		var one []any
		for _, key := range oneOf {
			one = append(one, schema{"required": []string{key}})
		}
		out["anyOf"] = one
	}
	return out
}

// schema returns the schema of an object that meets the condition.
func (c Condition) schema() schema {
	if name, isUnit := strings.CutSuffix(c.Field, ".unit"); isUnit {
		unit := schema{"properties": schema{"unit": schema{"enum": c.In}}, "required": []string{"unit"}}
		return schema{"properties": schema{name: unit}, "required": []string{name}}
	}
	return schema{"properties": schema{c.Field: schema{"enum": c.In}}, "required": []string{c.Field}}
}

// schema returns the schema of a field's value.
func (f *Field) schema(order int) schema {
	out := f.valueSchema()
	described(out, f.Label, f.Help, order)
	if f.Unit != "" {
		out["x-unit"] = f.Unit
	}
	if f.Default != nil {
		out["default"] = f.Default
	}
	if f.ReadOnly {
		out["readOnly"] = true
	}
	if f.RequiredNote != "" {
		out["x-required-when"] = f.RequiredNote
	}
	return out
}

func (f *Field) valueSchema() schema {
	switch f.Kind {
	case Choice:
		return schema{"type": "string", "enum": f.Enum, "oneOf": titled(f.Key, f.Enum)}
	case Flag:
		return schema{"type": "boolean"}
	case Text:
		out := schema{"type": "string", "maxLength": f.MaxLen}
		if f.Required || len(f.RequiredWhen) > 0 {
			out["minLength"] = 1
		}
		return out
	case Date:
		return schema{"type": "string", "format": "date", "pattern": datePattern}
	case Amount:
		value := f.bounded(described(schema{"type": "number"}, "Value", "How much, in the unit.", 0))
		unit := described(schema{"type": "string", "enum": f.Units}, "Unit", "Unit of the value.", 1)
		return schema{"type": "object", "properties": schema{"value": value, "unit": unit}, "required": []string{"value", "unit"}}
	case Items:
		out := schema{"type": "array", "items": objectSchema(f.Fields, nil), "maxItems": f.MaxItems}
		if f.Required {
			out["minItems"] = 1
		}
		return out
	case Integer:
		return f.bounded(schema{"type": "integer"})
	}
	return f.bounded(schema{"type": "number"})
}

// unbounded is more than any quantity; a bound beyond it is no bound.
const unbounded = 1e300

func (f *Field) bounded(out schema) schema {
	switch {
	case f.AboveZero:
		out["exclusiveMinimum"] = 0
	case f.Min != nil && *f.Min > -unbounded:
		out["minimum"] = *f.Min
	}
	if f.Max != nil && *f.Max < unbounded {
		out["maximum"] = *f.Max
	}
	return out
}

func described(out schema, title, help string, order int) schema {
	out["title"], out["x-order"] = title, order
	if help != "" {
		out["description"] = help
	}
	return out
}

// titled returns the values of an enumeration with the names people know them by.
func titled(field string, values []string) []any {
	out := make([]any, len(values))
	for i, v := range values {
		out[i] = schema{"const": v, "title": valueTitle(field, v)}
	}
	return out
}

func valueTitle(field, value string) string {
	switch field {
	case keyCountry:
		return country.Name(value)
	case "product":
		if p, ok := agronomy.FindProduct(value); ok {
			return p.Name
		}
	}
	words := strings.Split(value, "_")
	for i, w := range words {
		if written, ok := wordings[w]; ok {
			words[i] = written
		}
	}
	title := strings.Join(words, " ")
	return strings.ToUpper(title[:1]) + title[1:]
}

// wordings are the parts of keys that are not words, with their wording.
var wordings = map[string]string{
	"lpg": "LPG", "hvo": "HVO", "lt": "less than", "gt": "more than", "30d": "30 days", "180d": "180 days", "365d": "365 days",
}
