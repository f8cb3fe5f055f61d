package rest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// Names of the security schemes in the document.
const (
	bearerScheme    = "bearer"
	keyHeaderScheme = "apiKeyHeader"
	keyQueryScheme  = "apiKeyQuery"
	errorSchema     = "Error"
)

// transportCodes are the error codes of this package itself.
var transportCodes = map[string]string{
	"validation_failed":      "The input is wrong; details says what, by field.",
	"unknown_name":           "Names in the query, in the body or in the first line of a file are not known; details names each by its path, with the nearest that is known, beside whatever else is wrong (400; 402 in bulks of fields and seasons).",
	"bulk_validation_failed": "Items of a bulk are wrong; details says what, by the item's index and field. Nothing was stored.",
	"malformed_body":         "The body is no JSON of the expected shape; the message says where.",
	"not_authenticated":      "A credential is needed.",
	"token_invalid":          "The access token is malformed, expired or revoked.",
	"permission_denied":      "The caller lacks the permission that details.required_permission names.",
	"not_found":              "There is no such path, page or record in the caller's scope.",
	"method_not_allowed":     "The path has no such method; Allow lists those it has.",
	"body_too_large":         "The body is larger than details.max_bytes.",
	"unsupported_media_type": "The body is of a content type that is not taken here.",
	"precondition_failed":    "The record has changed since the version that If-Match names.",
	"idempotency_key_reused": "The Idempotency-Key was used for another request.",
	"request_in_progress":    "A request with the same Idempotency-Key is still under way; repeat it as Retry-After says.",
	"too_many_lists":         "The company reads too many whole lists at a time; finish one, or read pages.",
	"limit_reached":          "The company, or one of its records, has as many of something as it may have; details hold limit, of and, where the operator can raise it, setting (409).",
	"too_many_bodies":        "Too many large bodies of the company wait already, or take the memory for them; send them one after the other.",
	"rate_limited":           "Too many requests; wait as Retry-After says.",
	"changed_meanwhile":      "A record changed while its file was written; ask for the file again.",
	"timeout":                "The request took too long; it may be tried again.",
	"unavailable":            "A part that is needed is away; try again as Retry-After says.",
	"internal_error":         "A fault of the service, logged under X-Request-ID.",
}

// statusTexts describe the error responses.
var statusTexts = map[int]string{
	http.StatusBadRequest:            "The request is wrong.",
	http.StatusUnauthorized:          "No valid credential.",
	http.StatusPaymentRequired:       "Payment required.",
	http.StatusForbidden:             "The caller may not do this.",
	http.StatusNotFound:              "Nothing of that address in the caller's scope.",
	http.StatusConflict:              "The state of the record forbids it.",
	http.StatusPreconditionFailed:    "The record has changed since the version that If-Match names.",
	http.StatusRequestEntityTooLarge: "The body is too large.",
	http.StatusUnsupportedMediaType:  "The body is of a content type that is not taken here.",
	http.StatusUnprocessableEntity:   "The Idempotency-Key was used with another body.",
	http.StatusTooManyRequests:       "Too many requests.",
	http.StatusInternalServerError:   "A fault of the service.",
	http.StatusServiceUnavailable:    "A part that is needed is away.",
}

// document is the interface as an OpenAPI document under way. It is written when it is asked for, from the routes in the
// order of their registration: most processes are never asked, and a process that starts should not wait for it. Its
// schemas are its own, for those of the API are read by every request.
type document struct {
	api     *API
	schemas *schemas
	openapi *huma.OpenAPI
}

func (a *API) document() *document {
	d := &document{api: a, schemas: newSchemas()}
	d.openapi = &huma.OpenAPI{
		OpenAPI:  "3.1.0",
		Info:     &huma.Info{Title: a.config.Title, Version: a.config.Version, Description: a.config.Description},
		Security: []map[string][]string{{bearerScheme: {}}},
		Components: &huma.Components{
			Schemas: d.schemas.registry,
			SecuritySchemes: map[string]*huma.SecurityScheme{
				bearerScheme:    {Type: "http", Scheme: "bearer", BearerFormat: "JWT", Description: "An access token, from auth/token/."},
				keyHeaderScheme: {Type: "apiKey", In: "header", Name: "X-API-Key", Description: "An API key; what it opens is what its user and its own `slugs` allow."},
				keyQueryScheme:  {Type: "apiKey", In: "query", Name: keyParam, Description: "An API key, for tools that can send no header. Addresses end up in histories and in the logs of proxies: prefer the header."},
			},
			Parameters: map[string]*huma.Param{preferHeader: {
				Name: preferHeader, In: "header", Schema: &huma.Schema{Type: huma.TypeString},
				Description: "`handling=lenient`: names that are not known are ignored, and listed in the header `" + ignoredHeader + "`; without it they are refused (`unknown_name`).",
			}},
			Headers: headers(),
		},
		Paths: map[string]*huma.PathItem{},
		Tags:  a.tags,
	}
	for _, dialect := range a.dialects {
		d.openapi.Components.SecuritySchemes[dialect.scheme()] = &huma.SecurityScheme{Type: "http", Scheme: "bearer", Description: "An access token, from " + dialect.Door + "."}
	}
	d.schemas.registry.Map()[errorSchema] = a.errorSchema()
	for name, schema := range a.defined {
		d.schemas.registry.Map()[name] = &huma.Schema{Extensions: schema}
	}
	for _, describe := range a.described {
		describe(d)
	}
	return d
}

// DescribeCodes adds error codes and their meaning to the document.
func (a *API) DescribeCodes(codes map[string]string) { maps.Copy(a.codes, codes) }

func (a *API) errorSchema() *huma.Schema {
	words := slices.Sorted(maps.Keys(a.codes))
	text := "A stable word for programs. Codes:\n"
	for _, code := range words {
		text += "\n- `" + code + "`: " + a.codes[code]
	}
	return object(map[string]*huma.Schema{
		"status":  word("error"),
		"code":    {Type: huma.TypeString, Description: text, Extensions: map[string]any{"x-error-codes": words}},
		"message": {Type: huma.TypeString, Description: "For people; its wording may change."},
		"details": {Type: huma.TypeObject, AdditionalProperties: true,
			Description: "Of invalid input: lists of messages by field, nested as the input is, `non_field_errors` for what belongs to no one field, items of a bulk by their index. Otherwise facts about the failure."},
	}, "status", "code", "message", "details")
}

// DescribeTag adds a tag with its description to the document, in the order of calls; see [API.OrderTags].
func (a *API) DescribeTag(name, description string) {
	a.tags = append(a.tags, &huma.Tag{Name: name, Description: description})
}

// OrderTags puts the tags into the order of their names.
func (a *API) OrderTags(names ...string) {
	slices.SortFunc(a.tags, func(x, y *huma.Tag) int {
		return slices.Index(names, x.Name) - slices.Index(names, y.Name)
	})
}

func word(w string) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Enum: []any{w}}
}

func object(of map[string]*huma.Schema, required ...string) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, Properties: of, Required: required}
}

func list(items *huma.Schema) *huma.Schema { return &huma.Schema{Type: huma.TypeArray, Items: items} }

// shaped is implemented by answers whose data is not simply their own type.
type shaped interface {
	schema(s *schemas) *huma.Schema // of the data; nil where there is no envelope
}

func (NoContent) schema(*schemas) *huma.Schema   { return nil }
func (Raw) schema(*schemas) *huma.Schema         { return nil }
func (EventStream) schema(*schemas) *huma.Schema { return nil }
func (OrFile[R]) schema(s *schemas) *huma.Schema { return s.of(reflect.TypeFor[R]()) }
func (List[R]) schema(s *schemas) *huma.Schema   { return list(s.of(reflect.TypeFor[R]())) }

func (OneOrMany[R]) schema(s *schemas) *huma.Schema {
	record := s.of(reflect.TypeFor[R]())
	return &huma.Schema{OneOf: []*huma.Schema{record, list(record)}}
}

func (Paginated[R]) schema(s *schemas) *huma.Schema {
	return object(map[string]*huma.Schema{
		"count":    {Type: huma.TypeInteger, Format: "int64", Description: "Records in the whole list."},
		"next":     {Type: huma.TypeString, Format: "uri", Nullable: true, Description: "Address of the next page."},
		"previous": {Type: huma.TypeString, Format: "uri", Nullable: true, Description: "Address of the previous page."},
		"results":  list(s.of(reflect.TypeFor[R]())),
	}, "count", "next", "previous", "results")
}

func resultSchema[O any](d *document, r Route) *huma.Schema {
	if r.Data != "" {
		return given(r.Data)
	}
	if s, ok := any(*new(O)).(shaped); ok {
		return s.schema(d.schemas)
	}
	return with(d.schemas.of(reflect.TypeFor[O]()), r.DataWith)
}

// describe adds a route to the document.
func (d *document) describe(r Route, pattern string, result, bare *huma.Schema) {
	op := &huma.Operation{
		Method: r.Method, Path: pattern, OperationID: r.OperationID, Summary: r.Summary,
		Description: r.Description, Tags: []string{r.Tag}, Extensions: map[string]any{},
		Parameters: r.parameters(), Responses: d.responses(r, result, bare), Security: r.credentials(),
	}
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
}

func (d *document) requestBody(r Route) *huma.RequestBody {
	body := r.Body
	content := map[string]*huma.MediaType{}
	for media, what := range body.media {
		content[media] = &huma.MediaType{Schema: &huma.Schema{Description: what}}
	}
	switch {
	case body.record != nil:
		schema := d.schemas.of(body.record)
		if body.bulk {
			many := list(schema)
			many.MinItems, many.MaxItems = new(1), &d.api.config.MaxBulk
			schema = &huma.Schema{OneOf: []*huma.Schema{schema, many}}
		}
		if r.Method == http.MethodPatch {
			schema = d.partial(schema)
		}
		content[cmp.Or(body.kind, mediaJSON)] = &huma.MediaType{Schema: with(schema, body.with), Example: r.Examples.Body}
	case body.given != "":
		content[mediaJSON] = &huma.MediaType{Schema: given(body.given)}
	}
	return &huma.RequestBody{Required: !body.optional, Content: content}
}

// partial returns the schema of a PATCH: the members of the record, none required, and
// null for those that it clears.
func (d *document) partial(record *huma.Schema) *huma.Schema {
	whole, _ := d.schemas.Resolve(record)
	out := object(maps.Clone(whole.Properties))
	out.Description = "Some members of " + strings.TrimPrefix(record.Ref, schemaPrefix) + "; null clears an optional one."
	for name, member := range whole.Properties {
		if !slices.Contains(whole.Required, name) {
			out.Properties[name] = orNull(new(*member))
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
	if !r.Public && r.dialect == nil {
		header(companyHeader, "For operators: the id of the company to act in; one that does not exist is answered with 404. "+
			"Other users may name their own company only; any other is answered with 403.")
		out[len(out)-1].Schema = Param{Type: Integer}.schema()
	}
	for _, p := range r.Query {
		param := &huma.Param{Name: p.Name, In: "query", Required: p.Required, Description: p.Description, Schema: p.schema()}
		if p.many() {
			param.Explode = new(false)
		}
		out = append(out, param)
	}
	if r.strict() {
		out = append(out, &huma.Param{Ref: "#/components/parameters/" + preferHeader})
	}
	if r.repeatable() {
		header(idempotencyKey, "Carries the request out once, whatever fails in between: its effect and its answer are stored together, and a repeat "+
			"within 24 hours receives that answer, with `Idempotent-Replay: true`. A 5xx says that nothing was stored, or that a repeat finds out. "+
			"For another request the same key is 422.")
	}
	if r.confirmable() {
		header("If-None-Match", "An ETag of an earlier answer: when nothing has changed, 304 without a body.")
	}
	if slices.Contains(r.Media, EventStreamMedia) {
		header(lastEventID, "The `id` that was seen last: the stream goes on after it.")
	}
	if slices.Contains(r.Faults, http.StatusPreconditionFailed) {
		header("If-Match", "The ETag of the record as it was retrieved: refused with 412 when it was written since.")
	}
	return out
}

// confirmable reports whether the answer has an ETag: what is read and is no list and no stream.
func (r Route) confirmable() bool {
	return r.Method == http.MethodGet && !(r.dialect != nil && r.Public) && !slices.Contains(r.Media, EventStreamMedia) && !r.paged()
}

// paged reports whether a route lists pages.
func (r Route) paged() bool {
	return slices.ContainsFunc(r.Query, func(p Param) bool { return p.Type == pageNumber })
}

func (d *document) responses(r Route, result, bare *huma.Schema) map[string]*huma.Response {
	success := &huma.Response{Description: r.Message, Content: map[string]*huma.MediaType{}, Headers: headersOf(RateLimitPolicy, RateLimit)}
	if r.strict() {
		maps.Copy(success.Headers, headersOf(ignoredHeader))
	}
	if result != nil {
		success.Content[mediaJSON] = enveloped("success", result)
		if r.Examples.Data != nil {
			success.Content[mediaJSON].Example = map[string]any{"status": "success", "message": r.Message, "data": r.Examples.Data}
		}
	}
	if r.OrBare != nil {
		success.Content[mediaJSON].Schema = &huma.Schema{OneOf: []*huma.Schema{success.Content[mediaJSON].Schema, d.schemas.of(reflect.TypeOf(r.OrBare))}}
	}
	if bare != nil {
		success.Content[mediaJSON] = &huma.MediaType{Schema: bare}
	}
	for _, media := range r.Media {
		success.Content[media] = &huma.MediaType{Schema: &huma.Schema{}, Example: r.Examples.Data}
	}
	for _, alt := range r.Alternatives {
		success.Content[alt.Media] = &huma.MediaType{Schema: &huma.Schema{Description: alt.Description}}
	}
	out := map[string]*huma.Response{strconv.Itoa(r.Status): success}
	for status, what := range r.Also {
		content := success.Content
		if status == http.StatusMultiStatus {
			content = map[string]*huma.MediaType{mediaJSON: enveloped(partialWord, result)}
		}
		out[strconv.Itoa(status)] = &huma.Response{Description: what, Content: content, Headers: success.Headers}
	}
	if r.confirmable() {
		out[strconv.Itoa(http.StatusNotModified)] = &huma.Response{Description: "If-None-Match names the answer as it is."}
	}
	failure := &huma.Schema{Ref: schemaPrefix + errorSchema}
	if r.dialect != nil {
		failure = r.dialect.failed(d.schemas, r.Path == r.dialect.Door)
	}
	for _, status := range r.failures() {
		content := map[string]*huma.MediaType{mediaJSON: {Schema: failure}}
		for _, alt := range r.Alternatives {
			if alt.Missing && status == http.StatusNotFound {
				content[alt.Media] = &huma.MediaType{Schema: &huma.Schema{Description: alt.Description}}
			}
		}
		failed := &huma.Response{Description: statusTexts[status], Content: content}
		if status == http.StatusTooManyRequests {
			failed.Headers = headersOf(RateLimitPolicy, RateLimit)
		}
		out[strconv.Itoa(status)] = failed
	}
	return out
}

// enveloped returns the envelope with a status around data.
func enveloped(status string, data *huma.Schema) *huma.MediaType {
	return &huma.MediaType{Schema: object(map[string]*huma.Schema{
		"status": word(status), "message": {Type: huma.TypeString}, "data": data,
	}, "status", "message", "data")}
}

// failures returns the statuses of failure that a route can answer with.
func (r Route) failures() []int {
	out := append([]int{http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusServiceUnavailable}, r.Faults...)
	if !r.Public {
		out = append(out, http.StatusUnauthorized)
		if r.dialect == nil {
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

// OpenAPI returns the document as indented JSON; the same routes give the same bytes.
func (a *API) OpenAPI() ([]byte, error) {
	text, err := json.MarshalIndent(a.document().openapi, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode the OpenAPI document: %w", err)
	}
	return append(text, '\n'), nil
}

// OpenAPIYAML returns the document as YAML.
func (a *API) OpenAPIYAML() ([]byte, error) { return a.document().openapi.YAML() }
