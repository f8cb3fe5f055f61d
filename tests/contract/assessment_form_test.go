package contract

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/tests/rig"
)

// form builds values from a JSON Schema and nothing else, as a form generator does.
type form map[string]any

func (s form) sub(key string) form { return form(asObject(s[key])) }

func asObject(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

func asList(v any) []any {
	l, _ := v.([]any)
	return l
}

// value returns a value that the schema allows, with what it requires and no more.
func (s form) value() any {
	switch {
	case s["enum"] != nil:
		return asList(s["enum"])[0]
	case s["type"] == "object":
		return s.object()
	case s["type"] == "array":
		return []any{s.sub("items").value()}
	case s["type"] == "boolean":
		return true
	case s["format"] == "date":
		return "2024-05-01"
	case s["type"] == "string":
		return "x"
	}
	n := 1.0
	if lower, ok := s["minimum"].(float64); ok {
		n = max(n, lower)
	}
	if upper, ok := s["maximum"].(float64); ok && upper <= 100 {
		n = upper // a single share is the whole
	}
	return n
}

func (s form) object() map[string]any {
	out := map[string]any{}
	fill := func(required []any) (added bool) {
		for _, name := range required {
			if _, has := out[name.(string)]; !has {
				out[name.(string)], added = form(asObject(s.sub("properties")[name.(string)])).value(), true
			}
		}
		return added
	}
	fill(asList(s["required"]))
	if len(asList(s["required"])) == 0 { // everything is optional: take any one
		for name := range s.sub("properties") {
			fill([]any{name})
			break
		}
	}
	if choices := asList(s["anyOf"]); len(choices) > 0 {
		fill(asList(asObject(choices[0])["required"]))
	}
	for again := true; again; { // what one condition requires may meet another
		again = false
		for _, rule := range asList(s["allOf"]) {
			if form(asObject(asObject(rule)["if"])).holds(out) {
				then := form(asObject(asObject(rule)["then"]))
				again = fill(asList(then["required"])) || then.narrow(out) || again
			}
		}
		for name, needs := range s.sub("dependentRequired") {
			if _, has := out[name]; has {
				again = fill(asList(needs)) || again
			}
		}
	}
	return out
}

// holds reports whether an object meets a condition: it has the members, with certain values.
func (s form) holds(value map[string]any) bool {
	for _, name := range asList(s["required"]) {
		if _, has := value[name.(string)]; !has {
			return false
		}
	}
	for name, member := range s.sub("properties") {
		have, has := value[name]
		if !has {
			continue
		}
		if object, ok := have.(map[string]any); ok {
			if !form(asObject(member)).holds(object) {
				return false
			}
		} else if enum := asList(asObject(member)["enum"]); enum != nil && !slices.Contains(enum, have) {
			return false
		}
	}
	return true
}

// narrow takes other values where a condition permits fewer.
func (s form) narrow(value map[string]any) (changed bool) {
	for name, member := range s.sub("properties") {
		have, has := value[name]
		enum := asList(asObject(member)["enum"])
		switch object, nested := have.(map[string]any); {
		case !has:
		case nested:
			changed = form(asObject(member)).narrow(object) || changed
		case enum != nil && !slices.Contains(enum, have):
			value[name], changed = enum[0], true
		}
	}
	return changed
}

// A generator that knows only the schema makes bodies that are accepted, section by
// section and whole.
func TestFormSchemaMakesBodies(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{})
	c := s.Company("owner", 0)
	land := c.Land(rig.Square(300, 0), "2024-01-01", "2024-12-31")
	schema := form(c.Expect(200, "GET", assessmentsPath+"dynamic-schema/", nil).Data(t))
	require.Equal(t, "https://json-schema.org/draft/2020-12/schema", schema["$schema"])
	body := schema.object()
	body["resource_type"], body["resource_id"], body["assessment_year"] = "field", land.Field, 2024
	id, _ := assess(t, c, body)
	sections := 0
	for key, member := range schema.sub("properties") {
		if asObject(member)["x-weight"] == nil || asObject(member)["x-group"] == "general" {
			continue
		}
		sections++
		value := form(asObject(member)).value()
		a := c.Expect(200, "PUT", assessmentAt(id)+"sections/"+key+"/", value)
		require.NotEmpty(t, a.Map(t)["data"], key)
	}
	require.Equal(t, 15, sections)
	state := c.Expect(200, "POST", assessmentAt(id)+"completeness/", nil).Data(t)
	for key, section := range state["sections"].(map[string]any) {
		require.Contains(t, []any{"complete", "in_progress"}, section.(map[string]any)["status"], key)
		for _, m := range section.(map[string]any)["missing"].([]any) {
			t.Logf("left to the rules beyond the schema: %v", m.(map[string]any)["path"])
		}
	}
	require.Greater(t, state["completeness_percentage"], 90.0)
}
