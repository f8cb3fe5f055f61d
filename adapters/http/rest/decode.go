package rest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"tilth/core/fault"
)

// maxDepth bounds the nesting of a body. A GeoJSON FeatureCollection of multipolygons
// needs nine levels.
const maxDepth = 64

// Item is one decoded item of a body that may hold many. Errors are those of its own
// members; business errors are added to them by the use case, so that all failing items
// are reported at once. Value is the zero value where Errors is not empty.
type Item[W any] struct {
	Value  W
	Errors fault.Fields
}

// Decode reads the body as one object of the type that the route declared with [Body].
//
// Faults: Invalid (400) with what is wrong under the names of the members, or under
// non_field_errors with line and column where the body is no JSON; Limit with code
// body_too_large (413) or unsupported_media_type (415).
func Decode[W any](c *Call) (W, error) {
	var zero W
	text, err := c.json()
	if err != nil {
		return zero, err
	}
	item := decodeItem[W](c.api, text)
	return item.Value, item.Errors.Err()
}

// DecodeInto reads the body as the changes of a PATCH: its members replace those
// of current, and the whole is validated like a new record. A member that is null is
// cleared where it is optional. Nested objects are replaced, not merged.
// Faults: those of [Decode].
func DecodeInto[W any](c *Call, current W) (W, error) {
	var zero W
	text, err := c.json()
	if err != nil {
		return zero, err
	}
	if text[0] != '{' {
		return zero, notAnObject(text).Err()
	}
	base, err := json.Marshal(current)
	if err != nil {
		return zero, fmt.Errorf("encode the current record: %w", err)
	}
	item := decodeItem[W](c.api, overlay(base, text))
	return item.Value, item.Errors.Err()
}

// DecodeChange reads the body of a PUT as [Decode] does, and that of a PATCH as [DecodeInto] does.
// Faults: those of [Decode].
func DecodeChange[W any](c *Call, current W) (W, error) {
	if c.route.Method == http.MethodPatch {
		return DecodeInto(c, current)
	}
	return Decode[W](c)
}

// DecodeMany reads a body that is one object or an array of 1 to the configured number
// of objects; bulk reports which it was. A single invalid object is reported in its item,
// like those of an array: the caller decides how to answer.
// Faults: those of [Decode] for the body as a whole.
func DecodeMany[W any](c *Call) (items []Item[W], bulk bool, err error) {
	text, err := c.json()
	if err != nil {
		return nil, false, err
	}
	if text[0] != '[' {
		return []Item[W]{decodeItem[W](c.api, text)}, false, nil
	}
	upper := c.api.config.MaxBulk
	eachItem(text, func(i int, value []byte) bool {
		if i < upper {
			items = append(items, decodeItem[W](c.api, value))
			return true
		}
		err = fault.Field(fault.NonField, fmt.Sprintf("Send at most %d items in one request.", upper))
		return false
	})
	if err == nil && len(items) == 0 {
		err = fault.Field(fault.NonField, "Send at least one item.")
	}
	if err != nil {
		return nil, true, err
	}
	return items, true, nil
}

func decodeItem[W any](a *API, text []byte) (item Item[W]) {
	item.Errors = a.decode(text, reflect.ValueOf(&item.Value).Elem())
	return item
}

// decode holds a checked JSON text against the schema of the type of a record and reads it;
// what is invalid leaves the record zero.
func (a *API) decode(text []byte, into reflect.Value) fault.Fields {
	schema := a.schemas.known[into.Type()]
	if schema == nil {
		panic(fmt.Sprintf("rest: %s is the body of no route", into.Type()))
	}
	schema, _ = a.schemas.resolve(schema)
	if text[0] != '{' {
		return notAnObject(text)
	}
	v := validator{schemas: a.schemas}
	errs := fault.Fields{}
	v.object(schema, text, errs)
	if len(errs) > 0 {
		return errs
	}
	if v.read(into.Addr().Interface(), errs); len(errs) > 0 {
		into.SetZero()
		return errs
	}
	return nil
}

// read decodes the validated text. What fails here is what no schema can say: a type
// with a reader of its own, or an integer narrower than its format.
func (v *validator) read(into any, errs fault.Fields) {
	err := json.Unmarshal(v.out.Bytes(), into)
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

func notAnObject(text []byte) fault.Fields {
	f := fault.Fields{}
	f.Add(fault.NonField, "Expected "+article(huma.TypeObject)+", got "+nameOf(text)+".")
	return f
}

// overlay replaces members of one object by those of another.
func overlay(base, over []byte) []byte {
	type member struct {
		name  string
		value []byte
	}
	var members []member
	at := map[string]int{}
	put := func(name string, value []byte) {
		if i, ok := at[name]; ok {
			members[i].value = value
			return
		}
		at[name] = len(members)
		members = append(members, member{name, value})
	}
	eachMember(base, put)
	eachMember(over, put)
	out := validator{out: bytes.Buffer{}}
	out.out.WriteByte('{')
	for _, m := range members {
		out.separate('{')
		out.name(m.name)
		out.out.Write(m.value)
	}
	out.out.WriteByte('}')
	return out.out.Bytes()
}

// json returns the body as one checked JSON value without white space around it.
func (c *Call) json() ([]byte, error) {
	if err := c.wantJSON(); err != nil {
		return nil, err
	}
	body, err := c.Body()
	if err != nil {
		return nil, err
	}
	if len(bytes.TrimSpace(body)) == 0 {
		return nil, malformed("The body is empty; send a JSON object.")
	}
	if bad := checkJSON(body, maxDepth); bad != nil {
		if !bad.located {
			return nil, malformed(bad.Error())
		}
		return nil, bad.fields().Err()
	}
	return trimJSON(body), nil
}

func malformed(message string) error {
	return &fault.Error{
		Kind: fault.Invalid, Code: "malformed_body", Message: message,
		Fields: fault.Fields{fault.NonField: []string{message}},
	}
}

// fields puts a located error under the names that lead to it.
func (e *scanError) fields() fault.Fields {
	if len(e.path) == 0 {
		return fault.Fields{fault.NonField: []string{e.message}}
	}
	var inner any = []string{e.message}
	for _, s := range slices.Backward(e.path) {
		inner = fault.Fields{s.key(): inner}
	}
	return inner.(fault.Fields)
}

// wantJSON refuses a body that says it is something else. A body that says nothing is
// taken for JSON.
func (c *Call) wantJSON() error {
	if coding := c.Header("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return unsupported("Content-Encoding " + clip(coding) + " is not accepted; send the body as it is.")
	}
	header := c.Header("Content-Type")
	if header == "" {
		return nil
	}
	media, params, err := mime.ParseMediaType(header)
	if err != nil || media != "application/json" && !strings.HasSuffix(media, "+json") {
		return unsupported("Content-Type " + clip(header) + " is not accepted here; send application/json.")
	}
	if charset := params["charset"]; charset != "" && !strings.EqualFold(charset, "utf-8") {
		return unsupported("JSON is written in UTF-8, not " + clip(charset) + ".")
	}
	return nil
}

func unsupported(message string) error {
	return fault.New(fault.Limit, "unsupported_media_type", message)
}
