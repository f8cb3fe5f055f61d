package rest

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"tilth/adapters/http/query"
	"tilth/adapters/http/schema"
)

// describe adds a route to the document.
func (d *document) describe(r Route, pattern string, result, bare *huma.Schema) {
	op := &huma.Operation{
		Method: r.Method, Path: pattern, OperationID: r.OperationID, Summary: r.Summary,
		Description: r.Description, Tags: []string{r.Tag}, Extensions: map[string]any{},
		Parameters: r.parameters(), Responses: d.responses(r, result, bare), Security: r.credentials(),
	}
	op.Extensions["x-failures"] = r.failures()
	if slug := string(r.Permission.Slug()); slug != "" {
		op.Extensions["x-permission"] = slug
		op.Description = strings.TrimSpace(op.Description + "\n\nNeeds the permission `" + slug + "`.")
	}
	if len(r.Inapplicable) > 0 {
		op.Description = strings.TrimSpace(op.Description + "\n\nIgnored, for it does not apply: `" + strings.Join(r.Inapplicable, "`, `") + "`.")
	}
	if r.Body != nil {
		op.RequestBody = d.requestBody(r)
	}
	d.openapi.AddOperation(op)
	d.operations = append(d.operations, op)
}

// typeName returns what a type is called in the document that belongs to an operation or a parameter.
func typeName(of, suffix string) string {
	var out strings.Builder
	for word := range strings.FieldsFuncSeq(of, func(r rune) bool { return r == '_' || r == '-' }) {
		out.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return out.String() + suffix
}

func (d *document) requestBody(r Route) *huma.RequestBody {
	body := r.Body
	content := map[string]*huma.MediaType{}
	for media, what := range body.media {
		content[media] = &huma.MediaType{Schema: schema.Sent(media, what, body.fields), Example: d.example(r, media)}
	}
	switch kind := cmp.Or(body.kind, mediaJSON); {
	case body.record != nil:
		content[kind] = &huma.MediaType{Schema: d.record(r), Example: d.example(r, kind)}
	case body.given != "":
		content[kind] = &huma.MediaType{Schema: schema.Given(body.given), Example: d.example(r, kind)}
	}
	return &huma.RequestBody{Required: !body.optional, Content: content}
}

// example returns the body that the document shows of an operation in a content type; nil where there is none.
func (d *document) example(r Route, media string) any {
	text := d.api.bodies[r.OperationID]
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

// record returns the schema of a body that reads as a Go type.
func (d *document) record(r Route) *huma.Schema {
	body, form := r.Body, d.schemas.Of(r.Body.record)
	if body.bulk {
		many := schema.List(form)
		many.MinItems, many.MaxItems = new(1), &d.api.config.MaxBulk
		form = d.schemas.Or(form, d.schemas.Named(schema.NameOf(form)+"List", many))
	}
	if body.each {
		return d.changes(form, body.with)
	}
	if r.Method == http.MethodPatch {
		form = d.schemas.Named(strings.TrimSuffix(schema.NameOf(form), "Write")+"Patch", d.partial(form))
	}
	return d.schemas.With(form, body.with)
}

// changes returns the schema of an array of changes of records, which may also have the members of a defined schema.
func (d *document) changes(record *huma.Schema, with string) *huma.Schema {
	change := d.partial(record)
	change.Properties["id"] = &huma.Schema{Type: huma.TypeInteger, Format: "int64", Minimum: new(1.0), Description: "Id of the record that changes."}
	change.Required = []string{"id"}
	name := strings.TrimSuffix(schema.NameOf(record), "Write") + "Change"
	many := schema.List(d.schemas.With(d.schemas.Named(name, change), with))
	many.MinItems, many.MaxItems = new(1), &d.api.config.MaxBulk
	return d.schemas.Named(name+"List", many)
}

// partial returns the schema of a PATCH: the members of the record, none required, and
// null for those that it clears.
func (d *document) partial(record *huma.Schema) *huma.Schema {
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

func (r Route) parameters() []*huma.Param {
	var out []*huma.Param
	for _, name := range r.pathParams() {
		out = append(out, &huma.Param{Name: name, In: "path", Required: true, Schema: &huma.Schema{Type: huma.TypeString},
			Description: "What is no valid identifier is answered with 404."})
	}
	header := func(name, what string) {
		out = append(out, &huma.Param{Name: name, In: "header", Description: what, Schema: &huma.Schema{Type: huma.TypeString}})
	}
	for _, p := range r.Query {
		param := &huma.Param{Name: p.Name, In: "query", Required: p.Required, Description: p.Description, Schema: p.Schema()}
		if p.Listed() {
			param.Explode = new(false)
		}
		out = append(out, param)
	}
	if r.repeatable() {
		header(idempotencyKey, "Carries the request out once: a repeat within 24 hours receives the stored answer.")
	}
	if slices.Contains(r.Media, EventStreamMedia) {
		header(lastEventID, "The `id` that was seen last: the stream goes on after it.")
	}
	if slices.Contains(r.Faults, http.StatusPreconditionFailed) {
		header("If-Match", "The ETag of the record as it was retrieved: refused with 412 when it was written since.")
	}
	return out
}

// sharedBy is how many operations have a parameter that is described once, under its name.
const sharedBy = 5

// shareParameters describes once what parameters of many operations are; of several with one name, that of more operations.
func (d *document) shareParameters() {
	uses := map[string][]**huma.Param{} // by the text of what is said of it
	for _, op := range d.operations {
		for i, p := range op.Parameters {
			text, _ := p.MarshalJSON() // made of texts and numbers
			uses[string(text)] = append(uses[string(text)], &op.Parameters[i])
		}
	}
	texts := slices.SortedFunc(maps.Keys(uses), func(x, y string) int {
		return cmp.Or(cmp.Compare(len(uses[y]), len(uses[x])), cmp.Compare(x, y))
	})
	shared := map[string]*huma.Param{}
	for _, text := range texts {
		p := *uses[text][0]
		name := typeName(p.Name, "Param")
		if len(uses[text]) < sharedBy || p.In == "path" || shared[name] != nil {
			continue
		}
		shared[name] = p
		for _, use := range uses[text] {
			*use = &huma.Param{Ref: "#/components/parameters/" + name}
		}
	}
	d.openapi.Components.Parameters = shared
}

// confirmable reports whether the answer has an ETag: what is read and is no list and no stream.
func (r Route) confirmable() bool {
	return r.Method == http.MethodGet && !(r.dialect != nil && r.Public) && !slices.Contains(r.Media, EventStreamMedia) && !r.paged()
}

// paged reports whether a route lists pages.
func (r Route) paged() bool {
	return slices.ContainsFunc(r.Query, func(p Param) bool { return p.Type == query.PageNumber })
}

func (d *document) responses(r Route, result, bare *huma.Schema) map[string]*huma.Response {
	success := &huma.Response{Description: r.Message, Content: map[string]*huma.MediaType{}}
	if r.confirmable() {
		success.Headers = headersOf(etagHeader)
	}
	if result != nil {
		success.Content[mediaJSON] = d.enveloped(r, successWord, result)
	}
	if r.OrBare != nil {
		success.Content[mediaJSON].Schema = d.schemas.Or(success.Content[mediaJSON].Schema, d.schemas.Of(reflect.TypeOf(r.OrBare)))
	}
	if bare != nil {
		success.Content[r.bareMedia()] = &huma.MediaType{Schema: bare}
	}
	for _, media := range r.Media {
		success.Content[media] = &huma.MediaType{Schema: schema.File(media, "")}
	}
	for _, alt := range r.Alternatives {
		success.Content[alt.Media] = &huma.MediaType{Schema: schema.File(alt.Media, alt.Description)}
		if alt.Schema != "" {
			success.Content[alt.Media].Schema = schema.Given(alt.Schema)
		}
	}
	if text, ok := d.answers[r.OperationID]; ok {
		success.Content[schema.Shown(maps.Keys(success.Content))].Example = text
	}
	out := map[string]*huma.Response{strconv.Itoa(r.Status): success, "default": d.failure(r)}
	for status, what := range r.Also {
		content := success.Content
		if status == http.StatusMultiStatus {
			content = map[string]*huma.MediaType{mediaJSON: d.enveloped(r, partialWord, result)}
		}
		out[strconv.Itoa(status)] = &huma.Response{Description: what, Content: content, Headers: success.Headers}
	}
	if r.confirmable() {
		out[strconv.Itoa(http.StatusNotModified)] = &huma.Response{Description: "If-None-Match names the answer as it is."}
	}
	for _, alt := range r.Alternatives {
		if alt.Missing {
			out[strconv.Itoa(http.StatusNotFound)] = &huma.Response{Description: statusTexts[http.StatusNotFound], Content: map[string]*huma.MediaType{
				mediaJSON: {Schema: schema.Given(errorSchema)}, alt.Media: {Schema: schema.File(alt.Media, alt.Description)},
			}}
		}
	}
	return out
}

// failure returns the one answer of everything that fails: a client reads it once. Its description says with which
// statuses, as the extension x-failures of the operation does.
func (d *document) failure(r Route) *huma.Response {
	if r.dialect == nil {
		words := make([]string, 0, len(r.failures()))
		for _, status := range r.failures() {
			words = append(words, strconv.Itoa(status))
		}
		return &huma.Response{Ref: "#/components/responses/" + failureResponse, Description: "What fails: " + strings.Join(words, ", ") + "."}
	}
	form := r.dialect.failed(d.schemas, r.Path == r.dialect.Door)
	return &huma.Response{Description: "What fails.", Content: map[string]*huma.MediaType{mediaJSON: {Schema: form}}}
}

// outcomes say what the words of an envelope mean.
var outcomes = map[string]string{
	successWord: "The request was carried out.",
	partialWord: "Part of the request was carried out; the data say what was refused.",
}

// enveloped returns the envelope with a status around data. What wraps a named schema is named for it.
func (d *document) enveloped(r Route, status string, data *huma.Schema) *huma.MediaType {
	if schema.NameOf(data) == "" {
		data = d.schemas.Named(typeName(r.OperationID, "Data"), data)
	}
	name, word := schema.NameOf(data)+"Answer", d.schemas.Named("Success", schema.Word(successWord))
	if status == partialWord {
		name, word = schema.NameOf(data)+"PartialAnswer", d.schemas.Named("Partial", schema.Word(partialWord))
	}
	members := map[string]*huma.Schema{
		"status": schema.Described(word, outcomes[status]), "message": {Type: huma.TypeString, Description: "For people; its wording may change."},
		"data": schema.Described(data, "What was asked for."),
	}
	if r.perItem() {
		name = schema.NameOf(data) + "WrittenAnswer"
		members["outcomes"] = schema.Described(d.schemas.Named("Outcomes", schema.List(d.schemas.Named("Outcome", schema.Words(Outcomes...)))),
			"What became of each item, in order; on POST only where `on_conflict` asks for it.")
	}
	return &huma.MediaType{Schema: d.schemas.Named(name, schema.Object(members, "status", "message", "data"))}
}

// perItem reports whether a route can say what became of each item.
func (r Route) perItem() bool {
	return r.Body != nil && r.Body.each || slices.ContainsFunc(r.Query, func(p Param) bool { return p.Name == onConflict })
}

// failures returns the statuses of failure that a route can answer with.
func (r Route) failures() []int {
	out := append([]int{http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusServiceUnavailable}, r.Faults...)
	if !r.Public {
		out = append(out, http.StatusUnauthorized)
		if !r.dialect.foreign() {
			out = append(out, http.StatusForbidden, http.StatusNotFound) // also for X-Company
		}
	}
	if strings.Contains(r.Path, "{") {
		out = append(out, http.StatusNotFound)
	}
	if len(r.Query) > 0 || r.strict() {
		out = append(out, http.StatusBadRequest)
	}
	if r.paged() {
		out = append(out, http.StatusNotFound)
	}
	if r.Body != nil {
		out = append(out, http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType)
	}
	if r.repeatable() {
		out = append(out, http.StatusBadRequest, http.StatusConflict, http.StatusUnprocessableEntity)
	}
	out = slices.AppendSeq(out, maps.Values(r.Odd))
	out = slices.AppendSeq(out, maps.Values(r.OddBulk))
	slices.Sort(out)
	return slices.Compact(out)
}
