package document

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"tilth/adapters/http/schema"
)

// Body is what an operation takes: JSON, files, or either.
type Body struct {
	Records
	Partial  bool              // members of the record, none of which is required
	Media    string            // content type of the JSON; empty: application/json
	Files    map[string]string // content types that are not JSON, with their descriptions
	Fields   map[string]string // text fields that a form may have before its file, with their descriptions
	Optional bool
}

func (d *Document) requestBody(op Operation) *huma.RequestBody {
	body := op.Body
	content := map[string]*huma.MediaType{}
	for media, what := range body.Files {
		content[media] = &huma.MediaType{Schema: schema.Sent(media, what, body.Fields), Example: d.example(op, media)}
	}
	switch kind := cmp.Or(body.Media, mediaJSON); {
	case body.Type != nil:
		content[kind] = &huma.MediaType{Schema: d.sent(body), Example: d.example(op, kind)}
	case body.Given != "":
		content[kind] = &huma.MediaType{Schema: schema.Given(body.Given), Example: d.example(op, kind)}
	}
	return &huma.RequestBody{Required: !body.Optional, Content: content}
}

// example returns the example body of an operation in a content type; nil if there is none.
func (d *Document) example(op Operation, media string) any {
	text := d.of.Bodies[op.ID]
	switch isJSON := strings.HasSuffix(media, "json"); {
	case text == "" || isJSON != json.Valid([]byte(text)):
		return nil
	case isJSON:
		return json.RawMessage(text)
	case strings.HasPrefix(media, "text/") || strings.HasSuffix(media, "-urlencoded"):
		return text
	}
	return nil
}

// sent returns the schema of a body that reads as a Go type.
func (d *Document) sent(body *Body) *huma.Schema {
	form := d.schemas.Of(body.Type)
	switch {
	case body.Shape == OneOrMany:
		form = d.schemas.With(form, body.With)
		return d.schemas.Or(form, d.bulk(schema.NameOf(form), form))
	case body.Shape == Changes:
		return d.changes(form, body.With)
	case body.Partial:
		form = d.schemas.Named(strings.TrimSuffix(schema.NameOf(form), "Write")+"Patch", d.partial(form))
	}
	return d.schemas.With(form, body.With)
}

// bulk names the array of items that a body may hold.
func (d *Document) bulk(name string, item *huma.Schema) *huma.Schema {
	many := schema.List(item)
	many.MinItems, many.MaxItems = new(1), &d.of.MaxBulk
	return d.schemas.Named(name+"List", many)
}

// changes returns the schema of an array of changes of records, which may also have the members of another schema.
func (d *Document) changes(record *huma.Schema, with string) *huma.Schema {
	change := d.partial(record)
	change.Properties["id"] = &huma.Schema{Type: huma.TypeInteger, Format: "int64", Minimum: new(1.0), Description: "Id of the record to change."}
	change.Required = []string{"id"}
	name := strings.TrimSuffix(schema.NameOf(record), "Write") + "Change"
	return d.bulk(name, d.schemas.With(d.schemas.Named(name, change), with))
}

// partial returns the schema of a PATCH: the members of the record, none of them required, and null
// for those that it clears.
func (d *Document) partial(record *huma.Schema) *huma.Schema {
	whole, _ := d.schemas.Resolve(record)
	out := schema.Object(maps.Clone(whole.Properties))
	out.Description = "Some members of " + schema.NameOf(record) + "; null clears an optional one."
	for name, member := range whole.Properties {
		if !slices.Contains(whole.Required, name) {
			out.Properties[name] = schema.OrNull(new(*member))
		}
	}
	return out
}
