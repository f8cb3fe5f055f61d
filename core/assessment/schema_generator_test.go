package assessment_test

import (
	"fmt"
	"maps"
	"slices"

	"pgregory.net/rapid"
)

// generator makes values from a JSON Schema alone: it knows the keywords, and nothing of
// sections.
type generator struct{ t *rapid.T }

func (g generator) value(schema map[string]any, label string) any {
	if enum, ok := schema["enum"].([]any); ok {
		return rapid.SampledFrom(enum).Draw(g.t, label)
	}
	switch schema["type"] {
	case "boolean":
		return rapid.Bool().Draw(g.t, label)
	case "integer":
		low, high := bounds(schema)
		return float64(rapid.Int64Range(int64(low), int64(min(high, 1e15))).Draw(g.t, label))
	case "number":
		low, high := bounds(schema)
		return rapid.Float64Range(low, high).Draw(g.t, label)
	case "array":
		lower, _ := schema["minItems"].(float64)
		upper, _ := schema["maxItems"].(float64)
		items, _ := schema["items"].(map[string]any)
		out := []any{}
		for i := range rapid.IntRange(int(lower), min(int(upper), 3)).Draw(g.t, label+" items") {
			out = append(out, g.value(items, fmt.Sprintf("%s[%d]", label, i)))
		}
		return out
	case "object":
		return g.object(schema, label)
	}
	if schema["format"] == "date" {
		return fmt.Sprintf("%04d-%02d-%02d", rapid.IntRange(1900, 2200).Draw(g.t, label), rapid.IntRange(1, 12).Draw(g.t, label), rapid.IntRange(1, 28).Draw(g.t, label))
	}
	lower, _ := schema["minLength"].(float64)
	upper, _ := schema["maxLength"].(float64)
	return rapid.StringOfN(rapid.RuneFrom([]rune("aZ0 é,;\"'\n[].")), int(lower), min(int(upper), 12), -1).Draw(g.t, label)
}

func bounds(schema map[string]any) (low, high float64) {
	low, high = -1e12, 1e12
	if v, ok := schema["minimum"].(float64); ok {
		low = v
	}
	if v, ok := schema["exclusiveMinimum"].(float64); ok {
		low = v + 1e-6
	}
	if v, ok := schema["maximum"].(float64); ok {
		high = v
	}
	return low, high
}

// object draws what is required and some of the rest, and then obeys the conditions
// until they ask for nothing more.
func (g generator) object(schema map[string]any, label string) map[string]any {
	properties, _ := schema["properties"].(map[string]any)
	out := map[string]any{}
	draw := func(key string) {
		if _, had := out[key]; !had {
			property, _ := properties[key].(map[string]any)
			out[key] = g.value(property, label+"."+key)
		}
	}
	for _, key := range words(schema["required"]) {
		draw(key)
	}
	for _, key := range slices.Sorted(maps.Keys(properties)) {
		if property, _ := properties[key].(map[string]any); property["readOnly"] != true && key != "id" && rapid.IntRange(0, 2).Draw(g.t, label+" gives "+key) == 0 {
			draw(key)
		}
	}
	if alternatives := list(schema["anyOf"]); alternatives != nil {
		one := rapid.SampledFrom(alternatives).Draw(g.t, label+" one of")
		for _, key := range words(one["required"]) {
			draw(key)
		}
	}
	depends, _ := schema["dependentRequired"].(map[string]any)
	for before := -1; before != len(out); {
		before = len(out)
		for _, key := range slices.Sorted(maps.Keys(depends)) { // the same draws, the same value
			needed := depends[key]
			if _, given := out[key]; given {
				for _, n := range words(needed) {
					draw(n)
				}
			}
		}
		for _, rule := range list(schema["allOf"]) {
			if matches(rule["if"], out) {
				g.obey(rule["then"], properties, out, label)
			}
		}
	}
	return out
}

func (g generator) obey(then any, properties, out map[string]any, label string) {
	rule, _ := then.(map[string]any)
	for _, key := range words(rule["required"]) {
		if _, had := out[key]; !had {
			property, _ := properties[key].(map[string]any)
			out[key] = g.value(property, label+"."+key)
		}
	}
	narrowed, _ := rule["properties"].(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(narrowed)) {
		below, _ := narrowed[key].(map[string]any)
		if lower, narrows := below["minItems"].(float64); narrows && len(list(out[key])) < int(lower) {
			property, _ := properties[key].(map[string]any)
			property = maps.Clone(property)
			property["minItems"] = lower
			out[key] = g.value(property, label+"."+key)
		}
		have, ok := out[key].(map[string]any)
		if !ok {
			continue
		}
		parts, _ := below["properties"].(map[string]any)
		for _, part := range slices.Sorted(maps.Keys(parts)) {
			s, _ := parts[part].(map[string]any)
			if !matches(map[string]any{"properties": map[string]any{part: s}}, have) {
				have[part] = g.value(s, label+"."+key+"."+part)
			}
		}
	}
}

// matches evaluates the keywords that conditions use.
func matches(condition any, value any) bool {
	schema, _ := condition.(map[string]any)
	if enum, ok := schema["enum"].([]any); ok && !slices.Contains(enum, value) {
		return false
	}
	object, _ := value.(map[string]any)
	for _, key := range words(schema["required"]) {
		if _, given := object[key]; !given {
			return false
		}
	}
	properties, _ := schema["properties"].(map[string]any)
	for key, property := range properties {
		if v, given := object[key]; given && !matches(property, v) {
			return false
		}
	}
	return true
}

func words(v any) []string {
	var out []string
	values, _ := v.([]any)
	for _, w := range values {
		out = append(out, w.(string))
	}
	return out
}

func list(v any) []map[string]any {
	var out []map[string]any
	values, _ := v.([]any)
	for _, w := range values {
		m, _ := w.(map[string]any)
		out = append(out, m)
	}
	return out
}
