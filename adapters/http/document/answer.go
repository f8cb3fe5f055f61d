package document

import (
	"cmp"
	"maps"
	"net/http"
	"reflect"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"tilth/adapters/http/schema"
)

const mediaJSON = "application/json"

// The status in an envelope of a success, and in one of which a part has failed (207).
const (
	Success = "success"
	Partial = "partial"
)

// Answer describes what an operation answers when it succeeds.
type Answer struct {
	Status  int
	Message string         // what success means
	Also    map[int]string // further statuses of success, with their meaning; 207: a part has failed
	// Data is in the envelope. Bare is JSON without one, of content type BareMedia; Or is JSON that a caller may request instead.
	Data      Records
	Bare, Or  reflect.Type
	BareMedia string
	Files     []string // content types of files and streams
	Forms     []Form
	Tagged    bool     // it has an ETag, and a caller that has it already gets 304
	Outcomes  []string // words for the outcome of each item; none: the answer does not state it
}

// Form is an answer in another content type, which the caller requests.
type Form struct {
	Media       string
	Schema      string // name of a schema of the interface, where the content type does not say it
	Description string
	Missing     bool // 404 is answered in it, too
}

func (d *Document) responses(op Operation) map[string]*huma.Response {
	answer := op.Answer
	success := &huma.Response{Description: answer.Message, Content: d.content(op)}
	if answer.Tagged {
		success.Headers = with(etagHeader)
	}
	if text, ok := d.of.Answers[op.ID]; ok {
		success.Content[schema.Shown(maps.Keys(success.Content))].Example = text
	}
	out := map[string]*huma.Response{strconv.Itoa(answer.Status): success, "default": d.failed(op)}
	for status, what := range answer.Also {
		content := success.Content
		if status == http.StatusMultiStatus {
			content = map[string]*huma.MediaType{mediaJSON: d.enveloped(op, Partial, d.data(answer.Data))}
		}
		out[strconv.Itoa(status)] = &huma.Response{Description: what, Content: content, Headers: success.Headers}
	}
	if answer.Tagged {
		out[strconv.Itoa(http.StatusNotModified)] = &huma.Response{Description: "If-None-Match names the current answer."}
	}
	for _, form := range answer.Forms {
		if form.Missing {
			out[strconv.Itoa(http.StatusNotFound)] = &huma.Response{Description: statusTexts[http.StatusNotFound], Content: map[string]*huma.MediaType{
				mediaJSON: {Schema: schema.Given(errorSchema)}, form.Media: {Schema: schema.File(form.Media, form.Description)},
			}}
		}
	}
	return out
}

// content returns the content of a success, by content type.
func (d *Document) content(op Operation) map[string]*huma.MediaType {
	out, answer := map[string]*huma.MediaType{}, op.Answer
	if data := d.data(answer.Data); data != nil {
		out[mediaJSON] = d.enveloped(op, Success, data)
	}
	if answer.Or != nil {
		out[mediaJSON].Schema = d.schemas.Or(out[mediaJSON].Schema, d.schemas.Of(answer.Or))
	}
	if answer.Bare != nil {
		out[cmp.Or(answer.BareMedia, mediaJSON)] = &huma.MediaType{Schema: d.schemas.Of(answer.Bare)}
	}
	for _, media := range answer.Files {
		out[media] = &huma.MediaType{Schema: schema.File(media, "")}
	}
	for _, form := range answer.Forms {
		out[form.Media] = &huma.MediaType{Schema: schema.File(form.Media, form.Description)}
		if form.Schema != "" {
			out[form.Media].Schema = schema.Given(form.Schema)
		}
	}
	return out
}

// data returns the schema of the data in an envelope; nil where there is none.
func (d *Document) data(of Records) *huma.Schema {
	switch {
	case of.Given != "":
		return schema.Given(of.Given)
	case of.Type == nil:
		return nil
	}
	record := d.schemas.With(d.schemas.Of(of.Type), of.With)
	switch of.Shape {
	case Many:
		record = d.list(record)
	case OneOrMany:
		record = d.schemas.Or(record, d.list(record))
	case Page:
		record = d.page(record)
	}
	return record
}

// list assigns a name to a list of named records.
func (d *Document) list(record *huma.Schema) *huma.Schema {
	if name := schema.NameOf(record); name != "" {
		return d.schemas.Named(name+"List", schema.List(record))
	}
	return schema.List(record)
}

func (d *Document) page(record *huma.Schema) *huma.Schema {
	return d.schemas.Named(schema.NameOf(record)+"Page", schema.Object(map[string]*huma.Schema{
		"count":    {Type: huma.TypeInteger, Format: "int64", Description: "Records in the whole list."},
		"next":     {Type: huma.TypeString, Format: "uri", Nullable: true, Description: "Address of the next page."},
		"previous": {Type: huma.TypeString, Format: "uri", Nullable: true, Description: "Address of the previous page."},
		"results":  {Type: huma.TypeArray, Items: record, Description: "Records on the page."},
	}, "count", "next", "previous", "results"))
}

// outcomes has the meanings of the words in an envelope.
var outcomes = map[string]string{
	Success: "The request was carried out.",
	Partial: "Part of the request was carried out; the data state what was refused.",
}

// enveloped returns the envelope with a status around data. The envelope of a named schema is named after it.
func (d *Document) enveloped(op Operation, status string, data *huma.Schema) *huma.MediaType {
	if schema.NameOf(data) == "" {
		data = d.schemas.Named(typeName(op.ID, "Data"), data)
	}
	kind, word := "", d.schemas.Named("Success", schema.Word(Success))
	if status == Partial {
		kind, word = "Partial", d.schemas.Named("Partial", schema.Word(Partial))
	}
	members := map[string]*huma.Schema{
		"status": schema.Described(word, outcomes[status]), "message": {Type: huma.TypeString, Description: "For people; its wording may change."},
		"data": schema.Described(data, "What was requested."),
	}
	if words := op.Answer.Outcomes; len(words) > 0 {
		kind += "Written"
		members["outcomes"] = schema.Described(d.schemas.Named("Outcomes", schema.List(d.schemas.Named("Outcome", schema.Words(words...)))),
			"The outcome of each item, in order; on POST only where `on_conflict` requests it.")
	}
	return &huma.MediaType{Schema: d.schemas.Named(schema.NameOf(data)+kind+"Answer", schema.Object(members, "status", "message", "data"))}
}
