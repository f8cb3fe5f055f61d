package body

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json/jsontext"

	"tilth/core/fault"
)

// Source is a JSON text that Check has accepted, while it is read.
type Source struct {
	*jsontext.Decoder
	reader *Reader
	text   []byte
}

// Source returns a text to read, whose objects the reader reads.
func (r *Reader) Source(text []byte) Source { return Source{Decoder(text), r, text} }

// Since returns the value that was read from an offset on.
func (s Source) Since(start int64) []byte {
	return bytes.TrimLeft(s.text[start:s.InputOffset()], ", \t\r\n")
}

// Record is the result of checking an object against a schema.
type Record struct {
	Errors  fault.Fields // what is wrong, under the names of the members
	Unknown fault.Fields // members that the schema does not have
	text    []byte       // the valid members; nil if it is not an object
}

// Record checks the next value against the schema of a record. before has the values that take the place of invalid members.
func (s Source) Record(schema *huma.Schema, before map[string]json.RawMessage) (out Record) {
	start := s.InputOffset()
	out.text, out.Errors, out.Unknown = s.reader.Object(s.Decoder, schema)
	if len(out.Errors) > 0 {
		out.text = s.reader.sound(s.Since(start), schema, out.Errors, before)
	}
	return out
}

// sound returns an object, as it is read, without its invalid members; nil if it is not an object.
func (r *Reader) sound(text []byte, schema *huma.Schema, errs fault.Fields, before map[string]json.RawMessage) []byte {
	members := map[string]json.RawMessage{}
	if json.Unmarshal(text, &members) != nil {
		return nil
	}
	for name := range errs {
		if delete(members, name); before[name] != nil {
			members[name] = before[name]
		}
	}
	rest, err := json.Marshal(members)
	if err != nil {
		return nil
	}
	again := &Reader{Schemas: r.Schemas, ReadOnly: r.ReadOnly, Also: r.Also}
	out, _, _ := again.Object(Decoder(rest), schema)
	return out
}

// Into reads the valid members, and adds to the errors what no schema can state about them. unread
// reports that nothing could be read.
func (r *Record) Into(into reflect.Value) (unread bool) {
	more := fault.Fields{}
	if unread = r.text == nil; !unread {
		readChecked(r.text, into.Addr().Interface(), more)
	}
	if r.Errors.MergeNew(more); len(more) > 0 {
		into.SetZero()
	}
	return unread || len(more) > 0
}

// readChecked decodes a validated text. What fails here is what no schema can state: a type that
// decodes itself, or an integer narrower than its format.
func readChecked(text []byte, into any, errs fault.Fields) {
	err := json.Unmarshal(text, into)
	if err == nil {
		return
	}
	field, message := fault.NonField, "The body could not be read as this record."
	var mismatch *json.UnmarshalTypeError
	if errors.As(err, &mismatch) && mismatch.Field != "" {
		field, _, _ = strings.Cut(mismatch.Field, ".")
		message = "The value does not fit this field."
	}
	if f, ok := fault.As(err); ok {
		message = f.Message
	}
	errs.Add(field, message)
}

// NoObject returns the message that a JSON text is not an object; empty if it is one.
func NoObject(text []byte) string {
	if kind := jsontext.Value(text).Kind(); kind != jsontext.KindBeginObject {
		return Mismatch(huma.TypeObject, kind)
	}
	return ""
}

// Over returns the text of a record with the members of an object in place of its own; before has the members as they were.
func Over(record any, changes []byte) (text []byte, before map[string]json.RawMessage, err error) {
	if text, err = json.Marshal(record); err == nil {
		err = json.Unmarshal(text, &before)
	}
	members := maps.Clone(before)
	if err = errors.Join(err, json.Unmarshal(changes, &members)); err != nil {
		return nil, nil, fmt.Errorf("apply a body to the current record: %w", err)
	}
	if text, err = json.Marshal(members); err != nil {
		return nil, nil, fmt.Errorf("encode the changed record: %w", err)
	}
	return text, before, nil
}

// MembersOf returns the members that encoding/json writes for a type; nil if it is not an object, or one with arbitrary members.
func MembersOf(t reflect.Type) Members { return membersOf(t, nil) }

func membersOf(t reflect.Type, within []reflect.Type) Members {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Array {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || slices.Contains(within, t) {
		return nil
	}
	out := Members{}
	for _, field := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "-" || !field.IsExported() || field.Anonymous && name == "" {
			continue
		}
		if name == "" {
			name = field.Name
		}
		out[name] = nil
		if !field.Type.Implements(reflect.TypeFor[json.Marshaler]()) {
			out[name] = membersOf(field.Type, append(within, t))
		}
	}
	return out
}
