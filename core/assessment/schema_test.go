package assessment_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/assessment"
	"tilth/core/fault"
)

// plain is a schema as a client gets it: what was JSON.
func plain(t testing.TB, schema any) map[string]any {
	t.Helper()
	text, err := json.Marshal(schema)
	require.NoError(t, err)
	out, _ := tree(t, string(text)).(map[string]any)
	return out
}

// judge compiles a schema with a validator that knows nothing of this house.
func judge(t testing.TB, schema map[string]any) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	require.NoError(t, c.AddResource("https://example.org/schema.json", schema))
	s, err := c.Compile("https://example.org/schema.json")
	require.NoError(t, err, "the schema itself is valid 2020-12")
	return s
}

func TestSchemaIsJSONSchema(t *testing.T) {
	t.Parallel()
	tab := table(t)
	whole := judge(t, plain(t, tab.Schema()))
	for name, body := range map[string]string{"wheat": wheat, "paddy": paddy} {
		require.NoError(t, whole.Validate(tree(t, body)), name)
	}
	titles := map[string]string{}
	var gather func(v any)
	gather = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if word, ok := v["const"].(string); ok {
				titles[word], _ = v["title"].(string)
			}
			for _, below := range v {
				gather(below)
			}
		case []any:
			for _, below := range v {
				gather(below)
			}
		}
	}
	gather(plain(t, tab.Schema()))
	for word, title := range map[string]string{
		"winter_wheat": "Winter wheat", "lpg": "LPG", "can": "Calcium ammonium nitrate", "cote_divoire": "Côte d'Ivoire", "lt_30d": "Less than 30 days",
	} {
		require.Equal(t, title, titles[word])
	}
	require.Error(t, whole.Validate(tree(t, `{"resource_type": "barn", "resource_id": 1}`)))
	withoutRice, _ := tree(t, paddy).(map[string]any)
	delete(withoutRice, "rice")
	require.Error(t, whole.Validate(withoutRice), "rice is required where rice_paddy grows")
	for _, s := range tab.Sections() {
		judge(t, plain(t, sectionSchema(t, tab, s.Key)))
	}
}

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

// TestWhatTheSchemaAllowsIsTaken builds bodies from the schema alone and hands them to
// the validator, which must take them, keep them, and find nothing missing in them but
// what the schema can only tell in words.
func TestWhatTheSchemaAllowsIsTaken(t *testing.T) {
	t.Parallel()
	tab := table(t)
	for _, s := range tab.Sections() {
		t.Run(s.Key, func(t *testing.T) {
			t.Parallel()
			schema := sectionSchema(t, tab, s.Key)
			client, validator := plain(t, schema), judge(t, plain(t, schema))
			rapid.Check(t, func(r *rapid.T) {
				body := generator{r}.value(client, s.Key)
				require.NoError(r, validator.Validate(body), "the generator keeps to the schema")
				rows, wrong := tab.Check(s.Key, body)
				require.Empty(r, wrong)
				again, wrong := tab.Check(s.Key, back(s, rows))
				require.Empty(r, wrong)
				require.Equal(r, rows, again, "what is kept can be sent again")
				state := stateOf(tab.Complete(&assessment.Assessment{}, withRice(s.Key, rows), today), s.Key)
				if len(rows) == 0 {
					return // an empty list says nothing
				}
				for _, m := range state.Missing {
					require.True(r, toldInWords(m.Field), "%s is missing and the schema did not ask for it: %v", m.Field, body)
				}
			})
		})
	}
}

// toldInWords are the fields whose need no schema of one section can tell.
func toldInWords(field string) bool {
	return slices.Contains([]string{
		"residues.management", // the sum of the shares
		"perennial_biomass[].growth", "perennial_biomass[].measured_stocks", "perennial_biomass[].width_m", "organic_inputs[].density_kg_l",
	}, field)
}

func back(s assessment.Section, rows []assessment.Row) any {
	out := []any{}
	for _, row := range rows {
		out = append(out, map[string]any(row.Values))
	}
	if s.Shape == assessment.List {
		return out
	}
	if len(out) == 0 {
		return nil
	}
	return out[0]
}

// withRice makes the section apply.
func withRice(section string, rows []assessment.Row) assessment.Sheet {
	sheet := assessment.Sheet{section: rows}
	if section == "rice" {
		sheet["crop"] = []assessment.Row{{Values: assessment.Values{"crop_type": "rice_paddy"}}}
	}
	return sheet
}

func stateOf(state assessment.State, section string) assessment.SectionState {
	for _, s := range state.Sections {
		if s.Section == section {
			return s
		}
	}
	return assessment.SectionState{}
}

// TestWhatTheSchemaForbidsIsRefusedByItsPath spoils one leaf of a valid body at a time:
// the validator must refuse it, and name just this leaf.
func TestWhatTheSchemaForbidsIsRefusedByItsPath(t *testing.T) {
	t.Parallel()
	tab := table(t)
	for _, s := range tab.Sections() {
		t.Run(s.Key, func(t *testing.T) {
			t.Parallel()
			schema := sectionSchema(t, tab, s.Key)
			client, validator := plain(t, schema), judge(t, plain(t, schema))
			rapid.Check(t, func(r *rapid.T) {
				body := generator{r}.value(client, s.Key)
				spots := leavesOf(client, body, nil)
				if len(spots) == 0 {
					return // an empty list
				}
				spot := rapid.SampledFrom(spots).Draw(r, "leaf")
				spoiled := rapid.SampledFrom(spoil(spot.schema)).Draw(r, "spoiled")
				body = replace(body, spot.path, spoiled)
				require.Error(r, validator.Validate(body))
				_, wrong := tab.Check(s.Key, body)
				require.True(r, names(wrong, spot.path), "%v is to name %v", wrong, spot.path)
			})
		})
	}
}

type leaf struct {
	path   []string
	schema map[string]any
}

func leavesOf(schema map[string]any, body any, path []string) []leaf {
	var out []leaf
	switch v := body.(type) {
	case map[string]any:
		properties, _ := schema["properties"].(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(v)) {
			below, _ := properties[key].(map[string]any)
			out = append(out, leavesOf(below, v[key], append(slices.Clone(path), key))...)
		}
		return out
	case []any:
		items, _ := schema["items"].(map[string]any)
		for i, item := range v {
			out = append(out, leavesOf(items, item, append(slices.Clone(path), fmt.Sprint(i)))...)
		}
		return out
	}
	return []leaf{{path, schema}}
}

// spoil returns values that a leaf's schema forbids.
func spoil(schema map[string]any) []any {
	out := []any{[]any{}, map[string]any{"a": 1.0}}
	if schema["type"] != "boolean" {
		out = append(out, true)
	}
	if schema["type"] == "string" {
		out = append(out, 5.0)
	} else {
		out = append(out, "5")
	}
	if schema["type"] == "integer" {
		out = append(out, 1.5)
	}
	if schema["enum"] != nil {
		out = append(out, "nothing of the kind", "")
	}
	if schema["format"] == "date" {
		out = append(out, "2024-13-01", "2024-02-30", "yesterday", "")
	}
	for _, key := range []string{"minimum", "exclusiveMinimum"} {
		if low, ok := schema[key].(float64); ok {
			out = append(out, low-1)
		}
	}
	if high, ok := schema["maximum"].(float64); ok {
		out = append(out, high*1.001+1)
	}
	if upper, ok := schema["maxLength"].(float64); ok {
		out = append(out, strings.Repeat("é", int(upper)+1))
	}
	return out
}

func replace(body any, path []string, value any) any {
	if len(path) == 0 {
		return value
	}
	switch v := body.(type) {
	case map[string]any:
		v[path[0]] = replace(v[path[0]], path[1:], value)
	case []any:
		var i int
		_, _ = fmt.Sscan(path[0], &i)
		v[i] = replace(v[i], path[1:], value)
	}
	return body
}

// names tells whether just this path has messages.
func names(f fault.Fields, path []string) bool {
	if len(f) != 1 {
		return false
	}
	switch below := f[path[0]].(type) {
	case fault.Fields:
		return len(path) > 1 && names(below, path[1:])
	case []string:
		return len(path) == 1 && len(below) == 1 && below[0] != ""
	}
	return false
}

// sectionSchema returns the schema of the body of a section, as that of an assessment holds it.
func sectionSchema(t *testing.T, tab *assessment.Table, section string) map[string]any {
	t.Helper()
	properties, _ := tab.Schema()["properties"].(map[string]any)
	schema, ok := properties[section].(map[string]any)
	require.True(t, ok, section)
	return schema
}
