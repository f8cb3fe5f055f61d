package assessment_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/fault"
)

// TestWhatTheSchemaForbidsIsRefusedByItsPath spoils one leaf of a valid body at a time: the validator must refuse it,
// and name exactly this leaf.
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

// names reports whether exactly this path has messages.
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
