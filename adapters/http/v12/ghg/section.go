package ghg

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"tilth/adapters/http/member"
	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	ghgapp "tilth/app/ghg"
	"tilth/core/access"
	"tilth/core/assessment"
)

// part is a part of an assessment as an answer; its version is that of the whole.
type part struct {
	value   any
	version string
}

// MarshalJSON writes the part.
func (p part) MarshalJSON() ([]byte, error) { return json.Marshal(p.value) }

// Version changes with every write of the assessment.
func (p part) Version() string { return p.version }

func partOf(w ghgapp.Whole, value any) part { return part{value, form.MetaOf(w.Meta).Version()} }

// sectionKeys returns the keys of the sections, for a description.
func (r assessmentRoutes) sectionKeys(only assessment.Shape) string {
	var out []string
	for _, s := range r.use.Table.Sections() {
		if only == "" || s.Shape == only {
			out = append(out, s.Key)
		}
	}
	return form.CodeList(out)
}

type sectionPath struct {
	form.ByID
	Section string `path:"section"`
}

type itemPath struct {
	sectionPath
	ItemID int64 `path:"item_id"`
}

func (r assessmentRoutes) registerSections() {
	const path = "{id}/sections/{section}/"
	retrieve := assessmentRoute(http.MethodGet, path, access.Assessments.View.For("retrieve_section"), "Retrieve a section")
	retrieve.Description = "An object, or a list of items with their ids; empty where nothing was entered. Sections: " + r.sectionKeys("") + "."
	retrieve.Query, retrieve.Data = []rest.Param{form.ShareParam}, schemaSection
	rest.Handle(r.api, retrieve, func(ctx context.Context, c *rest.Call, in struct {
		form.SharedByID
		Section string `path:"section"`
	}) (part, error) {
		whole, err := r.use.Retrieve(ctx, c.Principal(), in.Share, in.ID)
		return r.section(in.Section, whole, err)
	})
	update := assessmentRoute(http.MethodPut, path, access.Assessments.Edit.For("update_section"), "Replace a section")
	patch := assessmentRoute(http.MethodPatch, path, access.Assessments.Edit.For("partial_update_section"), "Change a section")
	for _, route := range []rest.Route{update, patch} {
		route.Description = "A list replaces the existing one, by PATCH as well; items that include their `id` keep it. " +
			"For an object, PATCH merges what is sent into what there is, and null removes a member."
		route.Message, route.Data, route.Faults = "Section updated.", schemaSection, []int{http.StatusPreconditionFailed}
		partial := route.Method == http.MethodPatch
		route.Body = rest.GivenBody(schemaSection)
		rest.Handle(r.api, route, func(ctx context.Context, c *rest.Call, in sectionPath) (part, error) {
			whole, err := r.use.WriteSection(ctx, c.Principal(), in.ID, in.Section, partial, r.sent(c, in.Section))
			return r.section(in.Section, whole, err)
		})
	}
	declare := assessmentRoute(http.MethodPut, "{id}/declarations/", access.Assessments.Edit.For("declare"), "Declare that there is nothing to enter")
	declare.Description = "Replaces the existing declarations: `{\"irrigation\": \"none\"}`. A section with items cannot be declared none (400)."
	declare.Message, declare.Data, declare.Faults = "Declarations stored.", schemaDeclared, []int{http.StatusPreconditionFailed}
	declare.Body = rest.GivenBody(schemaDeclared)
	rest.Handle(r.api, declare, func(ctx context.Context, c *rest.Call, in form.ByID) (part, error) {
		whole, err := r.use.Declare(ctx, c.Principal(), in.ID, r.sent(c, ""))
		return partOf(whole, showAssessmentRecord(whole.Assessment).SectionDeclarations), err
	})
}

// sent reads the body once the assessment is found and its If-Match is compared. Names that a section does not know stay
// in place, to be refused, unless the caller wants them ignored.
func (r assessmentRoutes) sent(c *rest.Call, section string) ghgapp.SectionReader {
	return func(current ghgapp.Whole) (any, error) {
		if err := r.agreed(c)(current); err != nil {
			return nil, err
		}
		value, err := rest.DecodeValue(c)
		if err == nil && c.Lenient() {
			clean, unknown := r.use.Table.Known(section, value)
			c.Ignored(unknown)
			return clean, nil
		}
		return value, err
	}
}

// section returns a section as an answer.
func (r assessmentRoutes) section(key string, whole ghgapp.Whole, err error) (part, error) {
	if err != nil {
		return part{}, err
	}
	section, err := r.use.Section(key)
	return partOf(whole, r.showSection(section, whole.Sheet[section.Key])), err
}

func (r assessmentRoutes) registerItems() {
	const path = "{id}/sections/{section}/items/"
	create := assessmentRoute(http.MethodPost, path, access.Assessments.Edit.For("create_item"), "Add an item to a section")
	create.Description = "Lists: " + r.sectionKeys(assessment.List) + ". Adding an item ends the declaration that there is nothing."
	create.Status, create.Message, create.Data = http.StatusCreated, "Item added.", schemaItem
	create.Body = rest.GivenBody(schemaItem)
	rest.Handle(r.api, create, func(ctx context.Context, c *rest.Call, in sectionPath) (part, error) {
		whole, row, err := r.use.AddItem(ctx, c.Principal(), in.ID, in.Section, r.sent(c, in.Section))
		return partOf(whole, showItem(row)), err
	})
	retrieve := assessmentRoute(http.MethodGet, path+"{item_id}/", access.Assessments.View.For("retrieve_item"), "Retrieve an item of a section")
	retrieve.Query, retrieve.Data = []rest.Param{form.ShareParam}, schemaItem
	rest.Handle(r.api, retrieve, func(ctx context.Context, c *rest.Call, in struct {
		form.Shared
		itemPath
	}) (part, error) {
		whole, row, err := r.use.Item(ctx, c.Principal(), in.Share, in.ID, in.Section, in.ItemID)
		return partOf(whole, showItem(row)), err
	})
	update := assessmentRoute(http.MethodPut, path+"{item_id}/", access.Assessments.Edit.For("update_item"), "Replace an item of a section")
	patch := assessmentRoute(http.MethodPatch, path+"{item_id}/", access.Assessments.Edit.For("partial_update_item"), "Change an item of a section")
	for _, route := range []rest.Route{update, patch} {
		route.Message, route.Data, route.Faults = "Item updated.", schemaItem, []int{http.StatusPreconditionFailed}
		partial := route.Method == http.MethodPatch
		route.Body = rest.GivenBody(schemaItem)
		rest.Handle(r.api, route, func(ctx context.Context, c *rest.Call, in itemPath) (part, error) {
			whole, row, err := r.use.WriteItem(ctx, c.Principal(), ghgapp.ItemOf{Assessment: in.ID, Section: in.Section, ID: in.ItemID}, partial, r.sent(c, in.Section))
			return partOf(whole, showItem(row)), err
		})
	}
	destroy := assessmentRoute(http.MethodDelete, path+"{item_id}/", access.Assessments.Edit.For("destroy_item"), "Remove an item of a section")
	destroy.Status, destroy.Message, destroy.Faults = http.StatusNoContent, "Item removed.", []int{http.StatusPreconditionFailed}
	rest.Handle(r.api, destroy, func(ctx context.Context, c *rest.Call, in itemPath) (rest.NoContent, error) {
		return rest.NoContent{}, r.use.RemoveItem(ctx, c.Principal(), in.ID, in.Section, in.ItemID, r.agreed(c))
	})
}

// Names of the schemas that are made from the table of sections.
const (
	schemaSections = "AssessmentSections"    // members of an assessment: its sections, its declarations
	schemaSection  = "AssessmentSection"     // any section
	schemaItem     = "AssessmentSectionItem" // an item of any list section
	schemaDetails  = "AssessmentDetails"
	schemaDeclared = "AssessmentDeclarations"
	schemaForm     = "AssessmentFormSchema"
)

// define adds the schemas of bodies and answers whose form the table of sections defines. They are
// those of the form ([assessment.Table.Schema]) without what applies only to a complete section: a
// draft may leave out what is required.
func (r assessmentRoutes) define() {
	form, _ := r.use.Table.Schema()["properties"].(map[string]any)
	members := map[string]any{"section_declarations": said(rest.SchemaRef(schemaDeclared), "Sections declared to have nothing to enter.")}
	var sections, items []any
	for _, section := range r.use.Table.Sections() {
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
		members[section.Key] = said(rest.SchemaRef(name), forms[section.Shape]+section.Title+".")
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
		"description": "By section: none means that there is nothing to enter.", "examples": []any{map[string]any{"irrigation": assessment.DeclaredNone}},
	})
	r.api.DefineSchema(schemaSections, object(members))
	r.api.DefineSchema(schemaSection, map[string]any{"anyOf": sections})
	r.api.DefineSchema(schemaItem, map[string]any{"anyOf": items})
	record := map[string]any{}
	addMembers(record, reflect.TypeFor[AssessmentRecord]())
	r.api.DefineSchema(schemaDetails, map[string]any{"allOf": []any{object(record, alwaysShown...), rest.SchemaRef(schemaSections)}})
	r.api.DefineSchema(schemaForm, map[string]any{"type": "object", "additionalProperties": true, "description": "A JSON Schema (2020-12)."})
}

// addMembers adds the schemas of a record's members, as its tags define them, to those of an answer that may lack some of them.
func addMembers(to map[string]any, record reflect.Type) {
	for field := range record.Fields() {
		name := field.Tag.Get("json")
		switch {
		case field.Anonymous:
			addMembers(to, field.Type)
			continue
		case field.Type == reflect.TypeFor[map[string]string]():
			to[name] = said(rest.SchemaRef(schemaDeclared), field.Tag.Get("doc"))
			continue
		}
		of, nullable := field.Type, field.Type.Kind() == reflect.Pointer
		if nullable {
			of = of.Elem()
		}
		schema := map[string]any{}
		switch kind := of.Kind(); {
		case of == reflect.TypeFor[time.Time]():
			schema["type"], schema["format"] = "string", "date-time"
		case of == reflect.TypeFor[member.RawObject]():
			schema["type"], schema["additionalProperties"], nullable = "object", true, true
		case kind == reflect.Struct:
			schema = rest.SchemaRef(of.Name())
			if nullable {
				schema = map[string]any{"anyOf": []any{schema, map[string]any{"type": "null"}}}
			}
			nullable = false
		default:
			schema["type"] = map[reflect.Kind]string{reflect.Int: "integer", reflect.Int64: "integer", reflect.Float64: "number", reflect.Bool: "boolean", reflect.String: "string"}[kind]
		}
		if words := field.Tag.Get("enum"); words != "" {
			schema["enum"] = strings.Split(words, ",")
		}
		said(schema, field.Tag.Get("doc"))
		if nullable && schema["enum"] != nil {
			schema = said(map[string]any{"anyOf": []any{schema, map[string]any{"type": "null"}}}, field.Tag.Get("doc"))
		} else if nullable {
			schema["type"] = []string{schema["type"].(string), "null"}
		}
		to[name] = schema
	}
}

// forms describes the form of a section in the body of an assessment.
var forms = map[assessment.Shape]string{assessment.Object: "An object: ", assessment.List: "A list of items: "}

// said returns a schema with a description; on a reference, the description stands beside it.
func said(schema map[string]any, text string) map[string]any {
	schema["description"] = text
	return schema
}

// onlyComplete are the keywords that only a complete section satisfies, and those that list choices with titles.
var onlyComplete = []string{"required", "allOf", "anyOf", "oneOf", "dependentRequired", "minItems", "minLength", "x-required-when"}

// drafted returns the schema of a section as a draft may hold it.
func drafted(schema map[string]any) map[string]any {
	out := maps.Clone(schema)
	maps.DeleteFunc(out, func(keyword string, _ any) bool { return slices.Contains(onlyComplete, keyword) })
	if properties, ok := out["properties"].(map[string]any); ok {
		loose := make(map[string]any, len(properties))
		for name, one := range properties {
			of, _ := one.(map[string]any)
			loose[name] = said(drafted(of), meaning(of))
		}
		out["properties"] = loose
	}
	if items, ok := out["items"].(map[string]any); ok {
		out["items"] = drafted(items)
	}
	return out
}

// unitWords are the words for units that are not symbols.
var unitWords = map[string]string{"d": "days", "yr": "years"}

// meaning returns the description of a member of the form's schema: its title, its unit, and what one should know about it.
func meaning(member map[string]any) string {
	title, _ := member["title"].(string)
	unit, _ := member["x-unit"].(string)
	help, _ := member["description"].(string)
	switch {
	case strings.HasPrefix(unit, "per "):
		title += ", " + unit
	case unit != "":
		title += ", in " + cmp.Or(unitWords[unit], unit)
	}
	return strings.TrimSuffix(title+". "+help, " ")
}

// camel returns the name of a schema: crop_protection becomes CropProtection.
func camel(key string) string {
	var out strings.Builder
	for part := range strings.SplitSeq(key, "_") {
		out.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return out.String()
}
