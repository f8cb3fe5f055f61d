package rest

import (
	"fmt"

	"tilth/adapters/http/document"
	"tilth/adapters/http/schema"
)

// Some bodies and answers have a form that is data: a table of fields, not a Go type. Their schemas
// are given as JSON Schema and named. The use case then checks the content of a body, and the
// functions below only read it.

// DefineSchema adds a JSON Schema (2020-12, the dialect of OpenAPI 3.1) to the document,
// under a name that [GivenBody], [BodySpec.With], [Route.Data] and [Route.DataWith] use.
// It panics when the name is taken.
func (a *API) DefineSchema(name string, form map[string]any) {
	if a.defined[name] != nil {
		panic(fmt.Sprintf("rest: the schema %s is defined twice", name))
	}
	a.defined[name] = form
}

// SchemaRef returns a reference to a defined schema, for use inside of another.
func SchemaRef(name string) map[string]any { return map[string]any{"$ref": schema.Prefix + name} }

// GivenBody is a JSON body of a defined schema; the handler reads it with [DecodeValue].
func GivenBody(name string) *BodySpec {
	return &BodySpec{document.Body{Records: document.Records{Given: name}}}
}

// With returns the same body, which also has the members of a defined schema; the handler
// reads those with [DecodeValue].
func (b BodySpec) With(name string) *BodySpec { b.is.With = name; return &b }
