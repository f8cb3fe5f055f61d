package rest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json/jsontext"

	"tilth/adapters/http/body"
	"tilth/core/fault"
)

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
	in, err := Read[JSON[W]](c)
	return in.Body, err
}

// DecodeInto reads the body as the changes of a PATCH: its members replace those
// of current, and the whole is validated like a new record. A member that is null is
// cleared where it is optional. Nested objects are replaced, not merged.
// Faults: those of [Decode].
func DecodeInto[W any](c *Call, current W) (out W, err error) {
	in, err := c.json()
	if err != nil {
		return out, err
	}
	if kind := in.PeekKind(); kind != jsontext.KindBeginObject {
		return out, fault.Field(fault.NonField, body.Mismatch(huma.TypeObject, kind))
	}
	changes, _ := in.ReadValue()
	members := map[string]json.RawMessage{}
	text, err := json.Marshal(current)
	err = errors.Join(err, json.Unmarshal(text, &members), json.Unmarshal(changes, &members))
	if err != nil {
		return out, fmt.Errorf("apply a body to the current record: %w", err)
	}
	if text, err = json.Marshal(members); err != nil {
		return out, fmt.Errorf("encode the changed record: %w", err)
	}
	err = c.api.decode(body.Decoder(text), reflect.ValueOf(&out).Elem()).Err()
	return out, err
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
	in, err := c.json()
	if err != nil {
		return nil, false, err
	}
	if bulk = in.PeekKind() == jsontext.KindBeginArray; bulk {
		_, _ = in.ReadToken()
	}
	upper := c.api.config.MaxBulk
	for in.PeekKind() != jsontext.KindEndArray && (bulk || len(items) == 0) {
		if len(items) == upper {
			return nil, bulk, fault.Field(fault.NonField, fmt.Sprintf("Send at most %d items in one request.", upper))
		}
		var item Item[W]
		item.Errors = c.api.decode(in, reflect.ValueOf(&item.Value).Elem())
		items = append(items, item)
	}
	if len(items) == 0 {
		return nil, bulk, fault.Field(fault.NonField, "Send at least one item.")
	}
	return items, bulk, nil
}

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
	err = json.Unmarshal(text, &out)
	return out, err
}

// decode holds a checked JSON value against the schema of the type of a record and reads it;
// what is invalid leaves the record zero.
func (a *API) decode(in *jsontext.Decoder, into reflect.Value) fault.Fields {
	schema := a.schemas.known[into.Type()]
	if schema == nil {
		panic(fmt.Sprintf("rest: %s is the body of no route", into.Type()))
	}
	text, errs := body.Object(in, schema, a.schemas)
	if len(errs) > 0 {
		return errs
	}
	if readChecked(text, into.Addr().Interface(), errs); len(errs) > 0 {
		into.SetZero()
	}
	return errs
}

// readChecked decodes a validated text. What fails here is what no schema can say: a type
// with a reader of its own, or an integer narrower than its format.
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

// json returns a decoder of the body, which is one checked JSON value.
func (c *Call) json() (*jsontext.Decoder, error) {
	text, err := c.Text()
	if text == nil {
		return nil, err
	}
	return body.Decoder(text), err
}

// Text returns the body as it was sent: one JSON value that is well-formed. Faults: those of a body that is not.
func (c *Call) Text() ([]byte, error) {
	if err := c.wantJSON(); err != nil {
		return nil, err
	}
	text, err := c.Body()
	if err != nil {
		return nil, err
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, body.Malformed("The body is empty; send a JSON object.")
	}
	return text, body.Check(text)
}

// wantJSON refuses a body that says it is something else. A body that says nothing is
// taken for JSON.
func (c *Call) wantJSON() error {
	if coding := c.Header("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return unsupported("Content-Encoding " + body.Clip(coding) + " is not accepted; send the body as it is.")
	}
	header := c.Header("Content-Type")
	if header == "" {
		return nil
	}
	media, params, err := mime.ParseMediaType(header)
	if err != nil || media != "application/json" && !strings.HasSuffix(media, "+json") {
		return unsupported("Content-Type " + body.Clip(header) + " is not accepted here; send application/json.")
	}
	if charset := params["charset"]; charset != "" && !strings.EqualFold(charset, "utf-8") {
		return unsupported("JSON is written in UTF-8, not " + body.Clip(charset) + ".")
	}
	return nil
}

func unsupported(message string) error {
	return fault.New(fault.Limit, "unsupported_media_type", message)
}
