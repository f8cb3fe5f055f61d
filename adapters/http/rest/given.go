package rest

import (
	"encoding/json"
	"fmt"

	"github.com/danielgtaylor/huma/v2"
)

// Some bodies and answers have a form that is data: a table of fields, not a Go type.
// Their schemas are given as JSON Schema and named; what is in a body is then for the
// use case to check, and the functions below only read it.

// DefineSchema adds a JSON Schema (2020-12, the dialect of OpenAPI 3.1) to the document,
// under a name that [GivenBody], [BodySpec.With], [Route.Data] and [Route.DataWith] use.
// It panics when the name is taken.
func (a *API) DefineSchema(name string, schema map[string]any) {
	if a.schemas.registry.Map()[name] != nil {
		panic(fmt.Sprintf("rest: the schema %s is defined twice", name))
	}
	a.schemas.registry.Map()[name] = &huma.Schema{Extensions: schema}
}

// SchemaRef returns a reference to a defined schema, for use inside of another.
func SchemaRef(name string) map[string]any { return map[string]any{"$ref": schemaPrefix + name} }

// given returns a reference to a defined schema.
func (a *API) given(name string) *huma.Schema {
	if a.schemas.registry.Map()[name] == nil {
		panic(fmt.Sprintf("rest: no schema %s is defined", name))
	}
	return &huma.Schema{Ref: schemaPrefix + name}
}

// with returns a schema whose objects also have the members of a defined one.
func (a *API) with(schema *huma.Schema, name string) *huma.Schema {
	if name == "" {
		return schema
	}
	return &huma.Schema{AllOf: []*huma.Schema{schema, a.given(name)}}
}

// GivenBody is a JSON body of a defined schema; the handler reads it with [DecodeValue].
func GivenBody(name string) *BodySpec { return &BodySpec{given: name} }

// With returns the same body, which also has the members of a defined schema; the handler
// reads those with [DecodeValue].
func (b BodySpec) With(name string) *BodySpec { b.with = name; return &b }

// DecodeValue reads the body as the value it is: nil, bool, float64, string, []any or
// map[string]any. It holds it against no schema.
// Faults: those of [Decode] for the body as a whole.
func DecodeValue(c *Call) (any, error) {
	in, err := c.json()
	if err != nil {
		return nil, err
	}
	var out any
	text, _ := in.ReadValue()
	if err := json.Unmarshal(text, &out); err != nil {
		return nil, fmt.Errorf("read a checked JSON text: %w", err)
	}
	return out, nil
}
