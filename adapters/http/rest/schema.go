package rest

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"tilth/adapters/http/body"
)

// schemas generates and keeps the schemas of record types.
type schemas struct {
	registry huma.Registry
	known    map[reflect.Type]*huma.Schema // by type; written while routes are registered, read afterwards
	patterns map[string]*regexp.Regexp     // compiled patterns of the members
	fixed    map[reflect.Type]bool
}

const schemaPrefix = "#/components/schemas/"

// Pattern implements body.Schemas.
func (s *schemas) Pattern(schema *huma.Schema) *regexp.Regexp { return s.patterns[schema.Pattern] }

func newSchemas() *schemas {
	return &schemas{
		registry: huma.NewMapRegistry(schemaPrefix, schemaName),
		known:    map[reflect.Type]*huma.Schema{},
		patterns: map[string]*regexp.Regexp{},
		fixed:    map[reflect.Type]bool{},
	}
}

// schemaName returns the name of the schema of a type. Those of the core's own types begin
// with their package (or the one above it), for the core names its types without regard to others.
func schemaName(t reflect.Type, hint string) string {
	name := huma.DefaultSchemaNamer(t, hint)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if pkg, ok := strings.CutPrefix(t.PkgPath(), "tilth/core/"); ok {
		room, _, _ := strings.Cut(pkg, "/")
		return strings.ToUpper(room[:1]) + room[1:] + name
	}
	return name
}

// of returns the schema of a type; a struct becomes a named component.
// It panics, when routes are registered, on a tag that the validation does not enforce:
// a document that promises more than the service checks is a lie.
func (s *schemas) of(t reflect.Type) *huma.Schema {
	schema := s.registry.Schema(t, true, t.Name())
	s.fix(t)
	s.known[t] = schema
	return schema
}

// Resolve follows references and sees through "this or null".
func (s *schemas) Resolve(schema *huma.Schema) (resolved *huma.Schema, nullable bool) {
	for {
		switch {
		case schema.Ref != "":
			schema = s.registry.SchemaFromRef(schema.Ref)
		case len(schema.AnyOf) == 2 && schema.AnyOf[1].Type == "null":
			schema, nullable = schema.AnyOf[0], true
		default:
			return schema, nullable || schema.Nullable
		}
	}
}

// fix makes the generated schema of a type say what encoding/json does: what may be nil
// may be null (the generator says so for scalars and arrays only, and forgets it in an
// enumeration) and unknown members are ignored.
func (s *schemas) fix(t reflect.Type) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Array || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || s.fixed[t] {
		return
	}
	s.fixed[t] = true
	named := s.registry.Schema(t, true, t.Name())
	if named.Ref == "" {
		return // a type with a schema of its own, such as Date
	}
	object := s.registry.SchemaFromRef(named.Ref)
	if closed, ok := object.AdditionalProperties.(bool); ok && !closed {
		object.AdditionalProperties = nil
	}
	for _, field := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" {
			name = field.Name
		}
		if !field.IsExported() || name == "-" || field.Anonymous && field.Tag.Get("json") == "" {
			continue
		}
		member := object.Properties[name]
		if member == nil {
			member = s.promote(object, t, field, name)
		}
		nilable := field.Type.Kind() == reflect.Pointer || field.Type.Kind() == reflect.Map
		if nilable && !strings.Contains(options, "omit") || member.Nullable {
			object.Properties[name] = orNull(member)
		}
		s.fix(field.Type)
		s.enforceable(t, name, member)
	}
}

// promote adds a member that encoding/json sees and the generator does not: an exported
// field of an embedded struct whose own type is not exported.
func (s *schemas) promote(object *huma.Schema, t reflect.Type, field reflect.StructField, name string) *huma.Schema {
	member := huma.SchemaFromField(s.registry, field, t.Name()+field.Name)
	if object.Properties == nil {
		object.Properties = map[string]*huma.Schema{}
	}
	object.Properties[name] = member
	if !strings.Contains(field.Tag.Get("json"), ",omit") && field.Tag.Get("required") != "false" {
		object.Required = append(object.Required, name)
	}
	return member
}

// orNull returns the schema of a member that may also be null.
func orNull(schema *huma.Schema) *huma.Schema {
	switch {
	case schema.Ref != "":
		return &huma.Schema{
			Description: schema.Description, ReadOnly: schema.ReadOnly, WriteOnly: schema.WriteOnly,
			AnyOf: []*huma.Schema{{Ref: schema.Ref}, {Type: "null"}},
		}
	case schema.Type == "":
		return schema // anything goes already, or null is one of the choices
	}
	if schema.Nullable = true; len(schema.Enum) > 0 && !slices.Contains(schema.Enum, nil) {
		schema.Enum = append(slices.Clip(schema.Enum), nil)
	}
	return schema
}

func (s *schemas) enforceable(t reflect.Type, name string, schema *huma.Schema) {
	if schema.OneOf != nil || schema.AllOf != nil || schema.Not != nil || schema.DependentRequired != nil ||
		schema.MinProperties != nil || schema.MaxProperties != nil {
		panic(fmt.Sprintf("rest: %s.%s: this constraint is not enforced", t, name))
	}
	switch schema.Format {
	case "", "date", "date-time", "email", "uuid", "uri", "int32", "int64", "float", "double":
	default:
		panic(fmt.Sprintf("rest: %s.%s: format %s is not enforced", t, name, schema.Format))
	}
	if p := schema.Pattern; p != "" {
		s.patterns[p] = regexp.MustCompile(p)
	}
	if name := schema.PatternDescription; name != "" {
		schema.PatternDescription = "" // no keyword of JSON Schema
		schema.Extensions = map[string]any{body.PatternName: name}
	}
	if schema.Items != nil {
		s.enforceable(t, name+"[]", schema.Items)
	}
}

// Some bodies and answers have a form that is data: a table of fields, not a Go type.
// Their schemas are given as JSON Schema and named; what is in a body is then for the
// use case to check, and the functions below only read it.

// DefineSchema adds a JSON Schema (2020-12, the dialect of OpenAPI 3.1) to the document,
// under a name that [GivenBody], [BodySpec.With], [Route.Data] and [Route.DataWith] use.
// It panics when the name is taken.
func (a *API) DefineSchema(name string, schema map[string]any) {
	if a.defined[name] != nil {
		panic(fmt.Sprintf("rest: the schema %s is defined twice", name))
	}
	a.defined[name] = schema
}

// SchemaRef returns a reference to a defined schema, for use inside of another.
func SchemaRef(name string) map[string]any { return map[string]any{"$ref": schemaPrefix + name} }

// given returns a reference to a defined schema.
func given(name string) *huma.Schema { return &huma.Schema{Ref: schemaPrefix + name} }

// with returns a schema whose objects also have the members of a defined one.
func with(schema *huma.Schema, name string) *huma.Schema {
	if name == "" {
		return schema
	}
	return &huma.Schema{AllOf: []*huma.Schema{schema, given(name)}}
}

// GivenBody is a JSON body of a defined schema; the handler reads it with [DecodeValue].
func GivenBody(name string) *BodySpec { return &BodySpec{given: name} }

// With returns the same body, which also has the members of a defined schema; the handler
// reads those with [DecodeValue].
func (b BodySpec) With(name string) *BodySpec { b.with = name; return &b }
