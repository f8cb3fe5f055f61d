package rest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"tilth/adapters/http/query"
	"tilth/adapters/http/schema"
	"tilth/adapters/http/session"
)

// Names of the security schemes in the document.
const (
	bearerScheme    = "bearer"
	sessionScheme   = "session"
	keyHeaderScheme = "apiKeyHeader"
	keyQueryScheme  = "apiKeyQuery"
	linkScheme      = "signedLink"
	errorSchema     = "Error"
	failureResponse = "ErrorAnswer"
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

// statusTexts say what statuses of failure mean.
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
	schemas *schema.Set
	openapi *huma.OpenAPI
	answers map[string]json.RawMessage // examples, by operation
	// Those of the routes, in their order.
	operations []*huma.Operation
}

func (a *API) document() *document {
	d := &document{api: a, schemas: schema.New()}
	if a.answers != nil {
		d.answers = a.answers()
	}
	d.schemas.DefineGeoJSON()
	query.Define(d.schemas)
	d.openapi = &huma.OpenAPI{
		OpenAPI:  "3.1.0",
		Info:     &huma.Info{Title: a.config.Title, Version: a.config.Version, Description: a.config.Description + "\n\n" + everyRequest},
		Servers:  []*huma.Server{{URL: "/", Description: "The server that this document comes from."}},
		Security: []map[string][]string{{bearerScheme: {}}},
		Components: &huma.Components{
			Schemas: d.schemas.Registry,
			SecuritySchemes: map[string]*huma.SecurityScheme{
				bearerScheme:    {Type: "http", Scheme: "bearer", BearerFormat: "JWT", Description: "An access token, from auth/token/."},
				sessionScheme:   {Type: "apiKey", In: "cookie", Name: session.Name, Description: "The session of a browser, from auth/session/. What changes something is refused where a page of another server sends it (`cross_origin`)."},
				keyHeaderScheme: {Type: "apiKey", In: "header", Name: "X-API-Key", Description: "An API key; what it opens is what its user and its own `slugs` allow."},
				keyQueryScheme:  {Type: "apiKey", In: "query", Name: keyParam, Description: "An API key, for tools that can send no header. Addresses end up in histories and in the logs of proxies: prefer the header."},
				linkScheme:      {Type: "apiKey", In: "query", Name: linkParam, Description: "A signed link, which opens what lies below one address for a time: for pictures in pages and for map libraries, which can send no header."},
			},
			Headers:   headers(),
			Responses: map[string]*huma.Response{failureResponse: failure()},
		},
		Paths: map[string]*huma.PathItem{},
		Tags:  a.tags,
	}
	for _, dialect := range a.dialects {
		if !dialect.foreign() {
			continue
		}
		d.openapi.Components.SecuritySchemes[dialect.scheme()] = &huma.SecurityScheme{Type: "http", Scheme: "bearer", Description: "An access token, from " + dialect.Door + "."}
	}
	d.schemas.Named(errorSchema, a.errorSchema(d.schemas))
	for name, form := range a.defined {
		d.schemas.Named(name, &huma.Schema{Extensions: form})
	}
	for _, describe := range a.described {
		describe(d)
	}
	for _, id := range slices.Concat(slices.Collect(maps.Keys(a.bodies)), slices.Collect(maps.Keys(d.answers))) {
		if !a.operations[id] {
			panic("rest: an example is of no operation: " + id)
		}
	}
	d.shareParameters()
	return d
}

// DescribeCodes adds error codes and their meaning to the document.
func (a *API) DescribeCodes(codes map[string]string) { maps.Copy(a.codes, codes) }

func (a *API) errorSchema(s *schema.Set) *huma.Schema {
	text := "A stable word for programs:\n"
	code := &huma.Schema{Type: huma.TypeString}
	for _, word := range slices.Sorted(maps.Keys(a.codes)) {
		code.Enum = append(code.Enum, word)
		text += "\n- `" + word + "`: " + a.codes[word]
	}
	code.Description = text
	return schema.Object(map[string]*huma.Schema{
		"status":  schema.Described(s.Named("Failed", schema.Word("error")), "The request was refused, or failed."),
		"code":    schema.Described(s.Named("ErrorCode", code), "A stable word for programs; ErrorCode says what each means."),
		"message": {Type: huma.TypeString, Description: "For people; its wording may change."},
		"details": {Type: huma.TypeObject, AdditionalProperties: true,
			Description: "Of invalid input: lists of messages by field, nested as the input is, `non_field_errors` for what belongs to no one field, items of a bulk by their index. Otherwise facts about the failure."},
	}, "status", "code", "message", "details")
}

// ShowBodies adds bodies that the document shows as examples, by the ids of their operations: JSON, or the text of a file.
// A document with one of an unknown operation is not written.
func (a *API) ShowBodies(examples map[string]string) { maps.Copy(a.bodies, examples) }

// ShowAnswers adds answers of success that the document shows as examples, by the ids of their operations: JSON, a text of a
// file as a string. They are read when the document is written; one with an answer of an unknown operation is not.
func (a *API) ShowAnswers(read func() map[string]json.RawMessage) { a.answers = read }

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

// shaped is implemented by answers whose data is not simply their own type.
type shaped interface {
	schema(s *schema.Set) *huma.Schema // of the data; nil where there is no envelope
}

func (NoContent) schema(*schema.Set) *huma.Schema   { return nil }
func (Raw) schema(*schema.Set) *huma.Schema         { return nil }
func (EventStream) schema(*schema.Set) *huma.Schema { return nil }
func (OrFile[R]) schema(s *schema.Set) *huma.Schema { return s.Of(reflect.TypeFor[R]()) }

func (List[R]) schema(s *schema.Set) *huma.Schema { return recordList[R](s) }

// recordList names a list of records that have a name.
func recordList[R any](s *schema.Set) *huma.Schema {
	record := s.Of(reflect.TypeFor[R]())
	if name := schema.NameOf(record); name != "" {
		return s.Named(name+"List", schema.List(record))
	}
	return schema.List(record)
}

func (OneOrMany[R]) schema(s *schema.Set) *huma.Schema {
	return s.Or(s.Of(reflect.TypeFor[R]()), recordList[R](s))
}

func (Written[R]) schema(s *schema.Set) *huma.Schema { return s.Of(reflect.TypeFor[R]()) }

func (Many[R]) schema(s *schema.Set) *huma.Schema { return recordList[R](s) }

func (Paginated[R]) schema(s *schema.Set) *huma.Schema {
	record := s.Of(reflect.TypeFor[R]())
	return s.Named(schema.NameOf(record)+"Page", schema.Object(map[string]*huma.Schema{
		"count":    {Type: huma.TypeInteger, Format: "int64", Description: "Records in the whole list."},
		"next":     {Type: huma.TypeString, Format: "uri", Nullable: true, Description: "Address of the next page."},
		"previous": {Type: huma.TypeString, Format: "uri", Nullable: true, Description: "Address of the previous page."},
		"results":  {Type: huma.TypeArray, Items: record, Description: "Records of the page."},
	}, "count", "next", "previous", "results"))
}

func resultSchema[O any](d *document, r Route) *huma.Schema {
	if r.Data != "" {
		return schema.Given(r.Data)
	}
	if s, ok := any(*new(O)).(shaped); ok {
		return d.schemas.With(s.schema(d.schemas), r.DataWith)
	}
	return d.schemas.With(d.schemas.Of(reflect.TypeFor[O]()), r.DataWith)
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
