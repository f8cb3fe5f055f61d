package schema

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// Word returns the schema of a text with only one value.
func Word(w string) *huma.Schema { return Words(w) }

// Words returns an enumeration.
func Words(all ...string) *huma.Schema {
	out := &huma.Schema{Type: huma.TypeString}
	for _, word := range all {
		out.Enum = append(out.Enum, word)
	}
	return out
}

// Object returns an object with the members of a map; the required ones are always present.
func Object(of map[string]*huma.Schema, required ...string) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, Properties: of, Required: required}
}

// List is an array of items.
func List(items *huma.Schema) *huma.Schema { return &huma.Schema{Type: huma.TypeArray, Items: items} }

// Binary is the content of a file.
func Binary(description string) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "binary", Description: description}
}

// Described returns a schema with a description; on a reference, the description stands beside it.
func Described(schema *huma.Schema, text string) *huma.Schema {
	out := *schema
	out.Description = text
	return &out
}

// Given returns a reference to a schema that is named elsewhere.
func Given(name string) *huma.Schema { return &huma.Schema{Ref: Prefix + name} }

// With returns a named schema whose objects also have the members of another; no name: the schema as it is.
func (s *Set) With(schema *huma.Schema, name string) *huma.Schema {
	if name == "" {
		return schema
	}
	if whole, _ := s.Resolve(schema); whole.Items != nil { // of a list: each of its items
		item := s.With(whole.Items, name)
		return s.Named(NameOf(item)+"List", List(item))
	}
	return s.Named(NameOf(schema)+"With"+name, &huma.Schema{AllOf: []*huma.Schema{schema, Given(name)}})
}

// Named adds a schema under a name, and returns a reference to it. It panics if the name stands for a different schema.
func (s *Set) Named(name string, schema *huma.Schema) *huma.Schema {
	if before := s.Registry.Map()[name]; before != nil && !reflect.DeepEqual(before, schema) {
		panic(fmt.Sprintf("schema: two schemas are named %s", name))
	}
	s.Registry.Map()[name] = schema
	return Given(name)
}

// NameOf returns the name of a schema; empty if it has none.
func NameOf(schema *huma.Schema) string { return strings.TrimPrefix(schema.Ref, Prefix) }

// Or returns the schema of a value that has one of two named forms.
func (s *Set) Or(one, other *huma.Schema) *huma.Schema {
	return s.Named(NameOf(one)+"Or"+NameOf(other), &huma.Schema{OneOf: []*huma.Schema{one, other}})
}

// Sent returns the schema of a body of another content type; fields are the texts that a form may have before its file.
func Sent(media, what string, fields map[string]string) *huma.Schema {
	if media == "multipart/form-data" {
		members := map[string]*huma.Schema{"file": Binary(what)}
		for name, about := range fields {
			members[name] = &huma.Schema{Type: huma.TypeString, Description: about}
		}
		return Object(members, "file")
	}
	return File(media, what)
}

// File returns the schema that follows from a content type.
func File(media, what string) *huma.Schema {
	kind, _, _ := strings.Cut(media, "/")
	switch {
	case media == GeoJSONMedia:
		return &huma.Schema{Ref: Prefix + FeatureCollection, Description: what}
	case strings.HasSuffix(media, "json"):
		return &huma.Schema{Description: what}
	case kind == "text", media == "image/svg+xml":
		return &huma.Schema{Type: huma.TypeString, Description: what}
	}
	return Binary(what)
}
