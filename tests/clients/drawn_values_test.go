package clients_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

const (
	maxDepth = 6  // of a body; below it optional members are left out
	maxItems = 3  // of an array
	maxKnown = 60 // ids that are remembered
)

// drawer draws values, the same for the same seed and answers.
type drawer struct {
	*rand.Rand
	known   map[string][]any // ids seen in responses, by what they name
	careful bool             // nothing wrong on purpose
}

// uuidWord is the word under which all uuids are remembered, besides what they name.
const uuidWord = "uuid"

// junk holds values that no schema intends.
var junk = []any{nil, true, -1.0, 0.0, 1e300, 9223372036854775807.0, "", "x", "\u0000", "é\u202e", "../..", strings.Repeat("long ", 2000), []any{}, map[string]any{}, []any{map[string]any{"a": nil}}}

func (d *drawer) pick(of []any) any { return of[d.IntN(len(of))] }

// rarely is true once in oneIn draws on average.
func (d *drawer) rarely(oneIn int) bool { return d.IntN(oneIn) == 0 }

// seldom is rarely, but never true for a careful request.
func (d *drawer) seldom(oneIn int) bool { return !d.careful && d.rarely(oneIn) }

// value draws a value that a schema allows, and occasionally one that it does not.
func (d *drawer) value(name string, s *openapi3.Schema, depth int) any {
	switch {
	case d.seldom(20):
		return d.pick(junk)
	case s == nil || s.IsEmpty():
		return d.pick(junk)
	case strings.HasSuffix(name, "uuid") && d.rarely(2):
		return d.id(uuidWord)
	case named(name) != "" && s.Type.Includes("integer") && !d.seldom(5):
		return d.id(named(name))
	case len(s.Enum) > 0:
		return d.pick(s.Enum)
	}
	if choices := slices.Concat(s.OneOf, s.AnyOf); len(choices) > 0 {
		return d.value(name, choices[d.IntN(len(choices))].Value, depth)
	}
	if len(s.AllOf) > 0 {
		out := map[string]any{}
		for _, part := range s.AllOf {
			members, _ := d.value(name, part.Value, depth).(map[string]any)
			maps.Copy(out, members)
		}
		return out
	}
	return d.typed(name, s, depth)
}

func (d *drawer) typed(name string, s *openapi3.Schema, depth int) any {
	switch {
	case s.Type.Includes("object"):
		return d.object(s, depth)
	case s.Type.Includes("array"):
		if name == "coordinates" && d.rarely(2) {
			return d.ring(s)
		}
		out := make([]any, min(int(s.MinItems)+d.IntN(maxItems), 1000)) //nolint:gosec // bounded
		for i := range out {
			out[i] = d.value(name, s.Items.Value, depth+1)
		}
		return out
	case s.Type.Includes("boolean"):
		return d.rarely(2)
	case s.Type.Includes("integer"):
		return float64(d.IntN(30) - 2)
	case s.Type.Includes("number"):
		return d.Float64()*40 - 5
	case s.Type.Includes("string"):
		return d.text(s)
	}
	return nil
}

func (d *drawer) object(s *openapi3.Schema, depth int) any {
	out := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		member := s.Properties[name].Value
		required := slices.Contains(s.Required, name)
		if member.ReadOnly || !required && (depth > maxDepth || !d.rarely(4)) || d.seldom(50) {
			continue
		}
		out[name] = d.value(name, member, depth+1)
	}
	if d.seldom(50) {
		out["unknown"] = d.pick(junk)
	}
	return out
}

// ring returns a square somewhere in Spain, as a Polygon or as a MultiPolygon.
func (d *drawer) ring(s *openapi3.Schema) any {
	x, y, side := -6+3*d.Float64(), 39+3*d.Float64(), 0.001+0.01*d.Float64()
	square := []any{[]any{[]any{x, y}, []any{x + side, y}, []any{x + side, y + side}, []any{x, y + side}, []any{x, y}}}
	if inner := s.Items.Value.Items; inner != nil && inner.Value.Items != nil && inner.Value.Items.Value.Type.Includes("array") {
		return []any{square}
	}
	return square
}

func (d *drawer) text(s *openapi3.Schema) string {
	switch s.Format {
	case "date":
		return fmt.Sprintf("20%02d-%02d-%02d", 15+d.IntN(12), 1+d.IntN(12), 1+d.IntN(30))
	case "date-time":
		return fmt.Sprintf("2025-%02d-%02dT10:00:00Z", 1+d.IntN(12), 1+d.IntN(28))
	case "uuid":
		text, _ := d.id(uuidWord).(string)
		return text
	case "email":
		return fmt.Sprintf("person%d@drawn.example", d.IntN(50))
	case "uri":
		return "https://drawn.example/hook"
	}
	words := []string{"wheat", "NDVI", "North field", "spain", "2025", "ha", "kg", "-name", "a,b", "%", "'", "π"}
	return words[d.IntN(len(words))] + strings.Repeat("x", min(int(s.MinLength), 100)) //nolint:gosec // bounded
}

// named returns what the id in a member names, or the empty string if the member is not an id.
func named(member string) string {
	of, ok := strings.CutSuffix(member, "_id")
	if ok || slices.Contains([]string{"farm", "field", "season", "crop", "cultivation", "aoi", "role", "user", "order"}, member) {
		return of
	}
	return ""
}

// id draws one of the known ids of a kind, or any id if none is known.
func (d *drawer) id(of string) any {
	if ids := d.known[of]; len(ids) > 0 && !d.seldom(10) {
		return d.pick(ids)
	}
	return d.pick(d.known[""])
}

// remember keeps the ids of a response for later requests: a member id is the id of what the path names.
func (d *drawer) remember(of string, value any) {
	switch v := value.(type) {
	case []any:
		for _, item := range v[:min(len(v), maxItems)] {
			d.remember(of, item)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			switch id := v[name].(type) {
			case float64:
				if name == "id" || name == "order_id" || name == "job_id" {
					d.keep(of, id)
				}
				if named(name) != "" {
					d.keep(named(name), id)
				}
			case string:
				if strings.HasSuffix(name, "uuid") {
					d.keep(uuidWord, id)
					d.keep(of, id)
				}
			default:
				d.remember(of, id)
			}
		}
	}
}

func (d *drawer) keep(of string, id any) {
	if ids := d.known[of]; !slices.Contains(ids, id) {
		d.known[of] = append(ids[max(0, len(ids)-maxKnown+1):], id)
	}
}
