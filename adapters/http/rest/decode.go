package rest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"tilth/adapters/http/body"
	"tilth/core/fault"
)

// Item is one decoded item of a body that may hold many. Errors are those of its own members; the
// use case adds business errors to them, so that everything that is wrong with all items is
// reported at once. Value holds the valid members.
type Item[W any] struct {
	Value  W
	Errors fault.Fields
	Unread bool // it could not be read at all, so that nothing else can be checked

	at   string // its index among many
	text []byte // as it was sent
}

// Members returns the members of the item as they were sent, not checked against a schema; ok is false if it is not an object.
func (i Item[W]) Members() (members map[string]any, ok bool) {
	ok = json.Unmarshal(i.text, &members) == nil && members != nil
	return members, ok
}

// Decode reads the body as one object of the type that the route declared with [Body].
//
// Faults: Invalid (400) with what is wrong under the names of the members, or under
// non_field_errors with line and column if the body is not JSON; Limit with code body_too_large
// (413) or unsupported_media_type (415).
func Decode[W any](c *Call) (W, error) {
	in, err := Read[JSON[W]](c)
	return in.Body, err
}

// DecodeInto reads the body as the changes of a PATCH: its members replace those
// of current, and the whole is validated like a new record. A member that is null is
// cleared where it is optional. Nested objects are replaced, not merged.
// Faults: those of [Decode].
func DecodeInto[W any](c *Call, current W) (W, error) {
	item, err := decodeOver(c, current)
	return item.Value, cmp.Or(err, item.Errors.Err())
}

func decodeOver[W any](c *Call, current W) (item Item[W], err error) {
	in, err := c.json()
	if err != nil {
		return item, err
	}
	changes, _ := in.ReadValue()
	return readOver(c, "", changes, current)
}

// readOver reads an object as changes of a record; at is the index of an item of many.
func readOver[W any](c *Call, at string, changes []byte, current W) (item Item[W], err error) {
	item.text = changes
	if message := body.NoObject(changes); message != "" {
		item.Errors, item.Unread = fault.Fields{}, true
		item.Errors.Add(fault.NonField, message)
		return item, nil
	}
	text, before, err := body.Over(current, changes)
	if err == nil {
		item.Errors, item.Unread = c.decode(c.source(text), reflect.ValueOf(&item.Value).Elem(), at, before)
	}
	return item, err
}

// DecodeChange reads the body of a PUT as [Decode] does, and that of a PATCH as [DecodeInto] does.
// Faults: those of [Decode].
func DecodeChange[W any](c *Call, current W) (W, error) {
	item, err := DecodeDraft(c, current)
	return item.Value, cmp.Or(err, item.Errors.Err())
}

// DecodeDraft is DecodeChange for callers that check further: what is wrong with members is in the item. Where a
// member of a PATCH is wrong, its value is the current one. Faults: those of [Decode] for the body as a whole.
func DecodeDraft[W any](c *Call, current W) (item Item[W], err error) {
	if c.route.Method == http.MethodPatch {
		return decodeOver(c, current)
	}
	in, err := c.json()
	if err == nil {
		start := in.InputOffset()
		item.Errors, item.Unread = c.decode(in, reflect.ValueOf(&item.Value).Elem(), "", nil)
		item.text = in.Since(start)
	}
	return item, err
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
	c.bulk = bulk
	upper := c.api.config.MaxBulk
	for in.PeekKind() != jsontext.KindEndArray && (bulk || len(items) == 0) {
		if len(items) == upper {
			return nil, bulk, fault.Field(fault.NonField, fmt.Sprintf("Send at most %d items in one request.", upper))
		}
		var item Item[W]
		if bulk {
			item.at = strconv.Itoa(len(items))
		}
		start := in.InputOffset()
		item.Errors, item.Unread = c.decode(in, reflect.ValueOf(&item.Value).Elem(), item.at, nil)
		item.text = in.Since(start)
		items = append(items, item)
	}
	if len(items) == 0 {
		return nil, bulk, fault.Field(fault.NonField, "Send at least one item.")
	}
	return items, bulk, nil
}

// DecodeValue reads the body as it is: nil, bool, float64, string, []any or map[string]any. It does
// not check it against a schema. Faults: those of [Decode] for the body as a whole.
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

func (c *Call) source(text []byte) body.Source {
	reader := &body.Reader{Schemas: c.api.schemas, ReadOnly: c.route.readOnly(), Also: c.also()}
	return reader.Source(text)
}

// decode checks the next value of a well-formed JSON text against the schema of the type of a record, and reads the valid
// members; before has the values that replace the others. at is the index of an item of a bulk.
func (c *Call) decode(in body.Source, into reflect.Value, at string, before map[string]json.RawMessage) (errs fault.Fields, unread bool) {
	schema := c.api.schemas.Known(into.Type())
	if schema == nil {
		panic(fmt.Sprintf("rest: %s is the body of no route", into.Type()))
	}
	record := in.Record(schema, before)
	switch {
	case c.route.dialect.foreign(): // an external standard defines what it may hold
	case c.Lenient():
		c.ignored(at, record.Unknown)
	default:
		record.Errors.Merge(record.Unknown)
	}
	unread = record.Into(into)
	return record.Errors, unread
}

// idOf returns the id in the text of an object; 0 where there is none.
func idOf(text []byte) int64 {
	var named struct {
		ID int64 `json:"id"`
	}
	if json.Unmarshal(text, &named) != nil || named.ID < 0 {
		return 0
	}
	return named.ID
}

// json returns the body, which is one checked JSON value.
func (c *Call) json() (body.Source, error) {
	text, err := c.Text()
	if text == nil {
		return body.Source{}, err
	}
	return c.source(text), err
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

// wantJSON refuses a body that declares another content type. A body without a content type counts as JSON.
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
