package rest

import (
	"encoding/json"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"tilth/adapters/http/credential"
	"tilth/adapters/http/document"
	"tilth/adapters/http/query"
	"tilth/adapters/http/session"
	"tilth/core/fault"
)

// The document is written from the routes in the order of their registration, when it is requested: most processes
// never serve it, and the start of a process should not wait for it.

// Names of the credentials in the document.
const (
	bearerScheme    = "bearer"
	sessionScheme   = "session"
	keyHeaderScheme = "apiKeyHeader"
	keyQueryScheme  = "apiKeyQuery"
	linkScheme      = "signedLink"
)

// The headers of draft-ietf-httpapi-ratelimit-headers-10, which the code that limits requests sets.
const (
	RateLimit       = "RateLimit"
	RateLimitPolicy = "RateLimit-Policy"
)

// everyRequest describes the headers of every request, which the description of each operation would otherwise repeat.
const everyRequest = "## Headers of every request\n\n" +
	"- `" + companyHeader + "`: for operators, the id of the company to act in; one that does not exist is answered with 404. Other users may name only their own company; any other is answered with 403.\n" +
	"- `" + preferHeader + ": handling=lenient`: names that are not known are ignored, and listed in the header `" + ignoredHeader + "` of the answer; otherwise they are refused (`unknown_name`).\n" +
	"- `If-None-Match`, on a GET: an ETag of an earlier answer; when nothing has changed, the answer is 304 without a body.\n" +
	"- `" + idempotencyKey + "`, where an operation names it: carries the request out once, whatever fails on the way. Its effect and its answer are stored together, and a repeat within 24 hours receives that answer, with `" + replayed + ": true`. A 5xx means that nothing was stored, or that a repeat will tell. The same key for another request is answered with 422.\n\n" +
	"## Headers of every answer\n\n" +
	"- `X-Request-ID`: the name of the request in the log of the service; one that the caller sends is kept.\n" +
	"- `" + RateLimitPolicy + "`: the limits that the request counts towards, as in `\"user\";q=200;w=4, \"company\";q=800;w=4`: `q` requests at once, which come back within `w` seconds. " +
	"`address` applies until the credential is verified, `user` and `company` from then on, `sign-in` where a credential is requested. It is a list of structured fields (RFC 9651), and absent where nothing is limited.\n" +
	"- `" + RateLimit + "`: what is left of these limits, as in `\"user\";r=199;t=1, \"company\";r=799;t=1`: `r` requests now, and one more after `t` seconds."

// transportCodes are the error codes of this package itself.
var transportCodes = map[string]string{
	"validation_failed":      "The input is wrong; details states what, by field.",
	"unknown_name":           "Names in the query, in the body or in the first line of a file are not known; details names each by its path, with the nearest known one, in addition to whatever else is wrong (400; 402 in bulks of fields and seasons).",
	"bulk_validation_failed": "Items of a bulk are wrong; details states what, by the item's index and field. Nothing was stored.",
	"malformed_body":         "The body is not JSON of the expected shape; the message says where.",
	"not_authenticated":      "A credential is required.",
	"token_invalid":          "The access token is malformed, expired or revoked.",
	"permission_denied":      "The caller lacks the permission that details.required_permission names.",
	"not_found":              "There is no such path, page or record in the caller's scope.",
	"method_not_allowed":     "The path does not support the method; Allow lists those it does.",
	"body_too_large":         "The body is larger than details.max_bytes.",
	"unsupported_media_type": "The content type of the body is not accepted here.",
	"precondition_failed":    "The record has changed since the version that If-Match names.",
	"idempotency_key_reused": "The Idempotency-Key was used for another request.",
	"request_in_progress":    "A request with the same Idempotency-Key is still under way; repeat it as Retry-After says.",
	"too_many_lists":         "The company is reading too many whole lists at a time; finish one, or read pages.",
	"limit_reached":          "The company, or one of its records, has as many of something as it may have; details contains limit, of and, where the operator can raise it, setting (409).",
	"too_many_bodies":        "Too many large bodies of the company are already waiting, or use up the memory for them; send them one after the other.",
	"rate_limited":           "Too many requests; wait as Retry-After says.",
	"changed_meanwhile":      "A record changed while its file was written; ask for the file again.",
	"timeout":                "The request took too long; it may be tried again.",
	"unavailable":            "A required component is unavailable; try again as Retry-After says.",
	"internal_error":         "A fault of the service, logged under X-Request-ID.",
}

// DescribeCodes adds error codes and their meaning to the document.
func (a *API) DescribeCodes(codes map[string]string) { maps.Copy(a.codes, codes) }

// ShowBodies adds bodies that the document shows as examples, by the ids of their operations: JSON, or the text of a file.
// A document with an example of an unknown operation is not written.
func (a *API) ShowBodies(examples map[string]string) { maps.Copy(a.bodies, examples) }

// ShowAnswers adds answers of success that the document shows as examples, by the ids of their operations: JSON, or the text of a
// file as a string. They are read when the document is written. A document with an answer of an unknown operation is not written.
func (a *API) ShowAnswers(read func() map[string]json.RawMessage) { a.answers = read }

// DescribeTag adds a tag with its description to the document, in the order of calls; see [API.OrderTags].
func (a *API) DescribeTag(name, description string) {
	a.tags = append(a.tags, document.Tag{Name: name, Description: description})
}

// OrderTags puts the tags into the order of the names. It panics if a tag is not among them.
func (a *API) OrderTags(names ...string) {
	for _, t := range a.tags {
		if !slices.Contains(names, t.Name) {
			panic("the tag " + t.Name + " has no place in the document")
		}
	}
	slices.SortFunc(a.tags, func(x, y document.Tag) int {
		return slices.Index(names, x.Name) - slices.Index(names, y.Name)
	})
}

// OpenAPI returns the document as indented JSON; the same routes make the same bytes.
func (a *API) OpenAPI() ([]byte, error) { return a.document().JSON() }

// OpenAPIYAML returns the document as YAML.
func (a *API) OpenAPIYAML() ([]byte, error) { return a.document().YAML() }

func (a *API) document() *document.Document {
	of := document.Interface{
		Title: a.config.Title, Version: a.config.Version, Description: a.config.Description + "\n\n" + everyRequest,
		Tags: a.tags, Schemes: a.schemes(), Codes: a.codes, Schemas: a.defined, MaxBulk: a.config.MaxBulk, Bodies: a.bodies,
	}
	if a.answers != nil {
		of.Answers = a.answers()
	}
	for _, op := range a.described {
		of.Operations = append(of.Operations, op.described())
	}
	return document.Write(of)
}

// schemes returns the credentials of the interface and of its dialects.
func (a *API) schemes() []document.Scheme {
	out := []document.Scheme{
		{Name: bearerScheme, Format: "JWT", Description: "An access token, from auth/token/."},
		{Name: sessionScheme, In: "cookie", Key: session.Name, Description: "The session of a browser, from auth/session/. A request that changes something is refused if a page of another server sends it (`cross_origin`)."},
		{Name: keyHeaderScheme, In: "header", Key: "X-API-Key", Description: "An API key; it gives access to what its user and its own `slugs` allow."},
		{Name: keyQueryScheme, In: "query", Key: credential.KeyParam, Description: "An API key, for tools that cannot send headers. Addresses end up in histories and in the logs of proxies: prefer the header."},
		{Name: linkScheme, In: "query", Key: credential.LinkParam, Description: "A signed link, which temporarily opens what lies below one address: for pictures in pages and for map libraries, which cannot send headers."},
	}
	for _, dialect := range a.dialects {
		if dialect.foreign() {
			out = append(out, document.Scheme{Name: dialect.scheme(), Description: "An access token, from " + dialect.Door + "."})
		}
	}
	return out
}

// described returns the description of an operation for the document.
func (op *operation) described() document.Operation {
	r := op.route
	out := document.Operation{
		Method: r.Method, Pattern: op.pattern, ID: r.OperationID, Summary: r.Summary, Description: r.Description, Tag: r.Tag,
		Permission: string(r.Permission.Slug()), Schemes: r.credentials(), Ignored: r.Inapplicable,
		Path: r.pathParams(), Query: r.Query, Headers: r.headers(), Answer: r.success(op.form), Failures: r.failures(),
	}
	if r.Body != nil {
		body := r.Body.is
		body.Partial = r.Method == http.MethodPatch
		out.Body = &body
	}
	if d := r.dialect; d != nil {
		failed := d.Failure(r.Path == d.Door, http.StatusBadRequest, fault.New(fault.Invalid, "", ""))
		out.FailedAs = reflect.TypeOf(failed)
	}
	return out
}

// success returns the description of a successful answer for the document.
func (r Route) success(of form) document.Answer {
	out := document.Answer{
		Status: r.Status, Message: r.Message, Also: r.Also, Data: document.Records{Given: r.Data},
		Bare: of.bare, BareMedia: r.BareAs, Files: r.Media, Tagged: r.confirmable(),
	}
	if r.Data == "" {
		out.Data = document.Records{Type: of.record, Shape: of.shape, With: r.DataWith}
	}
	if r.OrBare != nil {
		out.Or = reflect.TypeOf(r.OrBare)
	}
	for _, alt := range r.Alternatives {
		out.Forms = append(out.Forms, document.Form{Media: alt.Media, Schema: alt.Schema, Description: alt.Description, Missing: alt.Missing})
	}
	if r.perItem() {
		out.Outcomes = Outcomes
	}
	return out
}

// headers returns the request headers that a route reads.
func (r Route) headers() []document.Header {
	var out []document.Header
	if r.repeatable() {
		out = append(out, document.Header{Name: idempotencyKey, Description: "Carries the request out once: a repeat within 24 hours receives the stored answer."})
	}
	if slices.Contains(r.Media, EventStreamMedia) {
		out = append(out, document.Header{Name: lastEventID, Description: "The `id` that was seen last: the stream continues after it."})
	}
	if slices.Contains(r.Faults, http.StatusPreconditionFailed) {
		out = append(out, document.Header{Name: "If-Match", Description: "The ETag of the record as it was retrieved: refused with 412 if it was written since."})
	}
	return out
}

// credentials returns the names of the credentials that open a route.
func (r Route) credentials() []string {
	out := append([]string{bearerScheme, sessionScheme}, []string{keyHeaderScheme, keyQueryScheme}[:1+r.Keys]...)
	switch {
	case r.Public:
		return nil
	case r.Links:
		return append(out, linkScheme)
	case r.dialect.foreign():
		return []string{r.dialect.scheme()}
	}
	return out
}

// confirmable reports whether the answer has an ETag: it does after GET, except for paged lists, streams and public routes of dialects.
func (r Route) confirmable() bool {
	return r.Method == http.MethodGet && !(r.dialect != nil && r.Public) && !slices.Contains(r.Media, EventStreamMedia) && !r.paged()
}

// paged reports whether a route lists pages.
func (r Route) paged() bool {
	return slices.ContainsFunc(r.Query, func(p Param) bool { return p.Type == query.PageNumber })
}

// perItem reports whether a route can state the outcome of each item.
func (r Route) perItem() bool {
	return r.Body != nil && r.Body.is.Shape == document.Changes || slices.ContainsFunc(r.Query, func(p Param) bool { return p.Name == onConflict })
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
