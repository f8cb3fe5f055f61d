// Package member has types for record members whose JSON a plain Go type does not describe: civil dates, JSON that passes through
// unread, GeoJSON, text that is shown as it was stored. Each has its own schema. The package knows no record and no route.
package member

import (
	"bytes"
	"encoding/json"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"tilth/adapters/http/body"
	"tilth/adapters/http/schema"
)

// Date is a civil date, written YYYY-MM-DD. In records a missing date is a nil *Date.
type Date struct{ day time.Time }

// DateOf returns the civil date of a time in the time's own zone.
func DateOf(t time.Time) Date {
	return Date{time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)}
}

// ParseDate reads YYYY-MM-DD. Faults: Invalid, with a message that says what is wrong.
func ParseDate(text string) (Date, error) {
	day, err := body.ParseDate(text)
	return Date{day}, err
}

// Time returns midnight UTC of the date, which is how the core represents civil dates.
func (d Date) Time() time.Time { return d.day }

// String writes YYYY-MM-DD.
func (d Date) String() string { return d.day.Format(time.DateOnly) }

// MarshalText writes YYYY-MM-DD.
func (d Date) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads YYYY-MM-DD.
func (d *Date) UnmarshalText(text []byte) (err error) {
	*d, err = ParseDate(string(text))
	return err
}

// Schema is the OpenAPI schema of a date.
func (Date) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "date", Examples: []any{"2025-04-30"}}
}

// RawObject is a JSON object that passes through unread, such as a GeoJSON geometry.
// Its text is checked like the rest of a body. An empty RawObject is written as null.
type RawObject json.RawMessage

// MarshalJSON writes the object as it is.
func (o RawObject) MarshalJSON() ([]byte, error) {
	if len(o) == 0 {
		return []byte("null"), nil
	}
	return o, nil
}

// UnmarshalJSON keeps a copy of the object's text.
func (o *RawObject) UnmarshalJSON(text []byte) error {
	if *o = nil; string(text) != "null" {
		*o = bytes.Clone(text)
	}
	return nil
}

// Schema is the OpenAPI schema of any object, or null.
func (RawObject) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, Nullable: true, AdditionalProperties: true}
}

// Outline is a [RawObject] that is a GeoJSON Polygon or MultiPolygon, or a Feature of one.
type Outline struct{ RawObject }

// Schema is the OpenAPI schema of an outline, or null.
func (Outline) Schema(r huma.Registry) *huma.Schema { return rawOr(r, schema.Outline) }

// Line is a [RawObject] that is a GeoJSON LineString.
type Line struct{ RawObject }

// Schema is the OpenAPI schema of a line, or null.
func (Line) Schema(r huma.Registry) *huma.Schema { return rawOr(r, schema.Line) }

// Collection is a [RawObject] that is a GeoJSON FeatureCollection.
type Collection struct{ RawObject }

// Schema is the OpenAPI schema of a FeatureCollection, or null.
func (Collection) Schema(r huma.Registry) *huma.Schema { return rawOr(r, schema.FeatureCollection) }

// Geometry is a [RawObject] that is a geometry of GeoJSON.
type Geometry struct{ RawObject }

// Schema is the OpenAPI schema of a geometry, or null.
func (Geometry) Schema(r huma.Registry) *huma.Schema { return rawOr(r, schema.Geometry) }

// rawOr returns the schema that the document shows for a form of JSON. Bodies are not checked
// against it: the code that reads them reports what is wrong.
func rawOr(r huma.Registry, form string) *huma.Schema {
	if r.Map()[form] == nil {
		return RawObject.Schema(nil, r)
	}
	return schema.OrNull(schema.Given(form))
}

// Verbatim is the JSON text of a T, in answers that show it byte for byte as it was stored. It is written and never read.
type Verbatim[T any] json.RawMessage

// MarshalJSON writes the text as it is.
func (v Verbatim[T]) MarshalJSON() ([]byte, error) { return v, nil }

// Schema is the OpenAPI schema of a T.
func (Verbatim[T]) Schema(r huma.Registry) *huma.Schema {
	return r.Schema(reflect.TypeFor[T](), true, "")
}

// Value is any JSON value, in answers that show members of many types. It is written and never read.
type Value struct{ V any }

// MarshalJSON writes the value.
func (v Value) MarshalJSON() ([]byte, error) { return json.Marshal(v.V) }

// Schema is the OpenAPI schema of any value. The types are spelled out, because not every reader of
// a document counts null as "any".
func (Value) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{AnyOf: []*huma.Schema{
		{Type: huma.TypeString}, {Type: huma.TypeNumber}, {Type: huma.TypeBoolean}, {Type: huma.TypeObject, AdditionalProperties: true},
		{Type: huma.TypeArray, Items: &huma.Schema{}}, {Type: "null"},
	}}
}
