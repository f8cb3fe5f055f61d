// Package schema makes the JSON Schemas (2020-12, the dialect of OpenAPI 3.1) of the interface: those of record types,
// against which bodies are checked and which the document shows, and those that are built by hand. It knows no route.
package schema

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"tilth/adapters/http/body"
)

// Set generates and keeps the schemas of record types.
type Set struct {
	Registry huma.Registry
	known    map[reflect.Type]*huma.Schema // by type; written while routes are registered, read afterwards
	patterns map[string]*regexp.Regexp     // compiled patterns of the members
	fixed    map[reflect.Type]bool
}

// Prefix is the beginning of references to named schemas.
const Prefix = "#/components/schemas/"

// Pattern implements body.Schemas.
func (s *Set) Pattern(schema *huma.Schema) *regexp.Regexp { return s.patterns[schema.Pattern] }

// New returns an empty set.
func New() *Set {
	return &Set{
		Registry: huma.NewMapRegistry(Prefix, typeName),
		known:    map[reflect.Type]*huma.Schema{},
		patterns: map[string]*regexp.Regexp{},
		fixed:    map[reflect.Type]bool{},
	}
}

// typeName returns the name of the schema of a type. Names of the core's types begin with their
// package (or the one above it), because the core names its types without regard to others.
func typeName(t reflect.Type, hint string) string {
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

// Of returns the schema of a type; a struct becomes a named component. It panics, when routes are registered,
// on a tag that the validation does not enforce: the document must not promise more than the service checks.
func (s *Set) Of(t reflect.Type) *huma.Schema {
	schema := s.Registry.Schema(t, true, t.Name())
	s.fix(t)
	s.known[t] = schema
	return schema
}

// Known returns the schema of a type that Of has made; nil if it has not.
func (s *Set) Known(t reflect.Type) *huma.Schema { return s.known[t] }

// Resolve follows references and sees through "this or null".
func (s *Set) Resolve(schema *huma.Schema) (resolved *huma.Schema, nullable bool) {
	for {
		switch {
		case schema.Ref != "":
			schema = s.Registry.SchemaFromRef(schema.Ref)
		case len(schema.AnyOf) == 2 && schema.AnyOf[1].Type == "null":
			schema, nullable = schema.AnyOf[0], true
		default:
			return schema, nullable || schema.Nullable
		}
	}
}

// fix makes the generated schema of a type match what is read and written: nil pointers and maps are null (the generator states
// this for scalars only), nil slices are empty arrays, and unknown members do not violate the schema.
func (s *Set) fix(t reflect.Type) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Array || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || s.fixed[t] {
		return
	}
	s.fixed[t] = true
	named := s.Registry.Schema(t, true, t.Name())
	if named.Ref == "" {
		return // a type with a schema of its own, such as Date
	}
	object := s.Registry.SchemaFromRef(named.Ref)
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
		if field.Type.Kind() != reflect.Pointer {
			filled(member)
		}
		nilable := field.Type.Kind() == reflect.Pointer || field.Type.Kind() == reflect.Map
		if nilable && !strings.Contains(options, "omit") || member.Nullable {
			object.Properties[name] = OrNull(member)
		}
		s.fix(field.Type)
		s.enforceable(t, name, member)
	}
}

// filled makes the arrays in a schema non-nullable: without items they are empty.
func filled(schema *huma.Schema) {
	for schema != nil {
		inner, _ := schema.AdditionalProperties.(*huma.Schema)
		if schema.Type == huma.TypeArray {
			schema.Nullable, inner = false, schema.Items
		}
		schema = inner
	}
}

// promote adds a member that encoding/json sees and the generator does not: an exported
// field of an embedded struct whose own type is not exported.
func (s *Set) promote(object *huma.Schema, t reflect.Type, field reflect.StructField, name string) *huma.Schema {
	member := huma.SchemaFromField(s.Registry, field, t.Name()+field.Name)
	if object.Properties == nil {
		object.Properties = map[string]*huma.Schema{}
	}
	object.Properties[name] = member
	if !strings.Contains(field.Tag.Get("json"), ",omit") && field.Tag.Get("required") != "false" {
		object.Required = append(object.Required, name)
	}
	return member
}

// OrNull returns the schema of a member that may also be null.
func OrNull(schema *huma.Schema) *huma.Schema {
	switch {
	case schema.Ref != "":
		return &huma.Schema{
			Description: schema.Description, ReadOnly: schema.ReadOnly, WriteOnly: schema.WriteOnly,
			AnyOf: []*huma.Schema{{Ref: schema.Ref}, {Type: "null"}},
		}
	case schema.Type == "":
		return schema // anything goes already, or null is one of the choices
	}
	if len(schema.Enum) > 0 { // null is not one of the choices: a generated type would have a name for it
		outer := &huma.Schema{Description: schema.Description, ReadOnly: schema.ReadOnly, WriteOnly: schema.WriteOnly, Default: schema.Default}
		inner := *schema
		inner.Description, inner.ReadOnly, inner.WriteOnly, inner.Default, inner.Nullable = "", false, false, nil, false
		outer.AnyOf = []*huma.Schema{&inner, {Type: "null"}}
		return outer
	}
	schema.Nullable = true
	return schema
}

func (s *Set) enforceable(t reflect.Type, name string, schema *huma.Schema) {
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
		schema.PatternDescription = "" // not a keyword of JSON Schema
		schema.Extensions = map[string]any{body.PatternName: name}
	}
	if schema.Items != nil {
		s.enforceable(t, name+"[]", schema.Items)
	}
}
