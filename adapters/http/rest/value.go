package rest

import (
	"encoding/json"

	"github.com/danielgtaylor/huma/v2"
)

// Value is any JSON value, in answers that tell of members of many types. It is written
// and never read.
type Value struct{ V any }

// MarshalJSON writes the value.
func (v Value) MarshalJSON() ([]byte, error) { return json.Marshal(v.V) }

// Schema is the OpenAPI schema of any value. The types are spelled out, because not
// every reader of a document takes null for one of "any".
func (Value) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{AnyOf: []*huma.Schema{
		{Type: huma.TypeString}, {Type: huma.TypeNumber}, {Type: huma.TypeBoolean}, {Type: huma.TypeObject, AdditionalProperties: true},
		{Type: huma.TypeArray, Items: &huma.Schema{}}, {Type: "null"},
	}}
}
