package ghg

import (
	"maps"
	"slices"
	"strings"

	"tilth/adapters/http/rest"
	"tilth/core/assessment"
)

// Names of the schemas that are made from the table of sections.
const (
	schemaSections = "AssessmentSections"    // members of an assessment: its sections, its declarations
	schemaSection  = "AssessmentSection"     // any section
	schemaItem     = "AssessmentSectionItem" // an item of any list section
	schemaDetails  = "AssessmentDetails"
	schemaDeclared = "AssessmentDeclarations"
	schemaForm     = "AssessmentFormSchema"
)

// define adds the schemas of bodies and answers whose form is the table of sections. They
// are those of the form ([assessment.Table.Schema]) without what only a complete section
// has: a draft may leave out what is required.
func (r assessmentRoutes) define() {
	form, _ := r.use.Table().Schema()["properties"].(map[string]any)
	members := map[string]any{"section_declarations": rest.SchemaRef(schemaDeclared)}
	var sections, items []any
	for _, section := range r.use.Table().Sections() {
		name := "Assessment" + camel(section.Key)
		whole, _ := form[section.Key].(map[string]any)
		draft := drafted(whole)
		if section.Shape == assessment.List {
			item, _ := draft["items"].(map[string]any)
			r.api.DefineSchema(name+"Item", item)
			draft["items"] = rest.SchemaRef(name + "Item")
			items = append(items, rest.SchemaRef(name+"Item"))
		}
		r.api.DefineSchema(name, draft)
		members[section.Key] = rest.SchemaRef(name)
		sections = append(sections, rest.SchemaRef(name))
	}
	object := func(properties map[string]any, required ...string) map[string]any {
		out := map[string]any{"type": "object", "properties": properties}
		if len(required) > 0 {
			out["required"] = required
		}
		return out
	}
	r.api.DefineSchema(schemaDeclared, map[string]any{
		"type": "object", "additionalProperties": map[string]any{"type": []string{"string", "null"}, "enum": []any{assessment.DeclaredNone, nil}},
		"description": "By section: none, there is nothing to enter.", "examples": []any{map[string]any{"irrigation": assessment.DeclaredNone}},
	})
	r.api.DefineSchema(schemaSections, object(members))
	r.api.DefineSchema(schemaSection, map[string]any{"anyOf": sections})
	r.api.DefineSchema(schemaItem, map[string]any{"anyOf": items})
	always := object(map[string]any{
		"id": map[string]any{"type": "integer"}, "status": map[string]any{"type": "string", "enum": []any{"draft", "submitted"}},
		"completeness_percentage": map[string]any{"type": "number"}, "is_ready_for_submission": map[string]any{"type": "boolean"},
	}, "id", "status", "completeness_percentage", "is_ready_for_submission")
	r.api.DefineSchema(schemaDetails, map[string]any{"allOf": []any{always, rest.SchemaRef(schemaSections)}})
	r.api.DefineSchema(schemaForm, map[string]any{"type": "object", "additionalProperties": true, "description": "A JSON Schema (2020-12)."})
}

// onlyComplete are the keywords that only a complete section meets, and titles of choices.
var onlyComplete = []string{"required", "allOf", "anyOf", "oneOf", "dependentRequired", "minItems", "minLength", "x-required-when"}

// drafted returns the schema of a section as a draft may hold it.
func drafted(schema map[string]any) map[string]any {
	out := maps.Clone(schema)
	maps.DeleteFunc(out, func(keyword string, _ any) bool { return slices.Contains(onlyComplete, keyword) })
	if properties, ok := out["properties"].(map[string]any); ok {
		loose := make(map[string]any, len(properties))
		for name, member := range properties {
			of, _ := member.(map[string]any)
			loose[name] = drafted(of)
		}
		out["properties"] = loose
	}
	if items, ok := out["items"].(map[string]any); ok {
		out["items"] = drafted(items)
	}
	return out
}

// camel returns the name of a schema: crop_protection is CropProtection.
func camel(key string) string {
	var out strings.Builder
	for part := range strings.SplitSeq(key, "_") {
		out.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return out.String()
}
