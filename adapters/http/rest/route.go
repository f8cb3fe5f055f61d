package rest

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"

	"tilth/adapters/http/body"
	"tilth/adapters/http/credential"
	"tilth/adapters/http/document"
	"tilth/core/access"
)

// Route describes one method of one path: what the document states about it, and what is
// checked before its handler runs.
type Route struct {
	Method string // GET, POST, PUT, PATCH or DELETE; HEAD is answered from GET
	Path   string // below the base, with its parameters in braces: cultivation/{id}/

	OperationID string // unique; snake_case
	Summary     string
	Description string // CommonMark
	Tag         string
	Noun        string // what a path id names, for "No field with that id."; default "record"

	Permission access.Permission // checked before anything is parsed; none if the slug is empty
	Public     bool              // needs no credential
	Keys       KeyUse            // where an API key is taken, if no token is given; default in the header X-API-Key
	Links      bool              // a signed link opens it too, as ?link=

	Query   []Param        // parameters, for the input of the handler
	Body    *BodySpec      // nil: as the input of the handler declares
	Status  int            // of success; default 200
	Also    map[int]string // further successes that the handler may choose with [Call.SetStatus], with their meaning
	Message string         // of the success envelope; default "Success."
	Media   []string       // content types of a bare answer ([Raw])
	BareAs  string         // content type of JSON without the envelope ([Bare]); empty: application/json
	Secret  bool           // the answer holds a secret, which is not kept for an Idempotency-Key
	Inside  string         // parameter of the path that names the company to act in, in place of X-Company; empty: none
	Unkeyed bool           // of a POST: its effect does not belong to one company, and it takes no Idempotency-Key
	Reading bool           // of a POST: nothing is stored, and its answer is not kept for an Idempotency-Key
	Faults  []int          // statuses of failures, in addition to those that follow from the description

	// Data names a defined schema of the answer's data, if its Go type does not describe it, and DataWith one
	// whose members the data has in addition to those of its type; see [API.DefineSchema].
	Data, DataWith string

	// OrBare is a value of the type of JSON that the query may ask for instead, without the envelope; nil: there is none.
	OrBare any

	// Inapplicable are names that the specification calls not writable or not applicable here: as members of the body and
	// as query parameters they are ignored. AnyQuery ignores every parameter that is not declared.
	Inapplicable []string
	AnyQuery     bool

	// Odd holds the contract's exceptions: the status of a fault code on this route. OddBulk holds those for a body that is an array.
	Odd, OddBulk map[string]int
	// MaxBody bounds the body of this route in bytes; 0 means the configured bound.
	MaxBody int64
	// Alternatives are bare answers for callers that ask for another content type.
	Alternatives []Alternative

	dialect  *Dialect            // nil: the envelope
	readOnly func() body.Members // of the body
}

// odd returns the exceptions for a request.
func (c *Call) odd() map[string]int {
	if c.bulk && c.route.OddBulk != nil {
		return c.route.OddBulk
	}
	return c.route.Odd
}

// KeyUse states where a route takes an API key, if no token is given.
type KeyUse = credential.KeyUse

// The uses of keys.
const (
	KeyInQuery  = credential.KeyInQuery
	KeyInHeader = credential.KeyInHeader
	KeyNowhere  = credential.KeyNowhere
)

// Routes describe what the routes of one subject share.
type Routes struct {
	Base      string // what their paths begin with: webhook/
	Operation string // what their operation ids begin with; the action of the permission follows
	Tag, Noun string
	Keys      KeyUse
}

// Route returns the route of a method and a path below the base.
func (s Routes) Route(method, below string, need access.Permission, summary string) Route {
	return Route{
		Method: method, Path: s.Base + below, OperationID: s.Operation + "_" + need.Action(), Summary: summary,
		Tag: s.Tag, Noun: s.Noun, Permission: need, Keys: s.Keys,
	}
}

// Alternative answers a route in another content type, chosen by the parameter format or the Accept header.
type Alternative struct {
	Media       string // such as application/geo+json
	Format      string // its word for the parameter: geojson
	Schema      string // name of its defined schema, if the content type does not determine it
	Description string
	Missing     bool // it also answers 404 in this type, by [Call.SetStatus]
	Handle      func(ctx context.Context, c *Call) (Raw, error)
}

// BodySpec describes what a route takes as its body.
type BodySpec struct{ is document.Body }

// Body is a JSON object that reads as W; see [Decode] and [DecodeInto].
func Body[W any]() *BodySpec { return bodyOf(reflect.TypeFor[W](), document.One) }

// BulkBody is a JSON object that reads as W, or an array of them; see [DecodeMany].
func BulkBody[W any]() *BodySpec { return bodyOf(reflect.TypeFor[W](), document.OneOrMany) }

func bodyOf(record reflect.Type, shape document.Shape) *BodySpec {
	return &BodySpec{document.Body{Records: document.Records{Type: record, Shape: shape}}}
}

// FileBody is a body of other content types, given with their descriptions; the handler
// reads it from [Call.BodyReader].
func FileBody(media map[string]string) *BodySpec { return &BodySpec{document.Body{Files: media}} }

// Fields returns the same body, whose forms may have text fields before the file.
func (b BodySpec) Fields(fields map[string]string) *BodySpec { b.is.Fields = fields; return &b }

// As returns the same body, documented with a content type that ends in +json.
func (b BodySpec) As(media string) *BodySpec { b.is.Media = media; return &b }

// Optional returns the same body, which may be left out.
func (b BodySpec) Optional() *BodySpec { b.is.Optional = true; return &b }

// The parameter that chooses the form of an answer, and its word for the envelope.
const (
	formatParam = "format"
	formatJSON  = "json"
)

// Handle registers a route. The input I is a struct whose tagged fields are read from the
// path, the query and the body before the handler runs; see [JSON]. The result O is the
// data of the success envelope; the types [NoContent], [Paginated], [List], [OneOrMany]
// and [Raw] are answered in their own way. Handle panics on a route that cannot be served:
// that is a mistake in the program, found when it starts. One that cannot be documented is found when the document is written.
func Handle[I, O any](a *API, r Route, h func(ctx context.Context, c *Call, in I) (O, error)) {
	// There are some three hundred instances of this function, so it holds only what depends on the types of the route.
	a.register(r, reflect.TypeFor[I](), formOf(reflect.TypeFor[O](), *new(O)), func(ctx context.Context, c *Call, bindings []binding) (any, error) {
		var in I
		if err := c.read(bindings, reflect.ValueOf(&in).Elem()); err != nil {
			return nil, err
		}
		out, err := h(ctx, c, in)
		if err != nil {
			return nil, err
		}
		return out, nil
	})
}

// register mounts and describes a route whose handler reads its input by the bindings of its type, and returns its result.
func (a *API) register(r Route, input reflect.Type, answered form, h func(context.Context, *Call, []binding) (any, error)) {
	r.dialect = a.dialects[a.firstWord(a.config.Base+strings.TrimPrefix(r.Path, "/"))]
	r = r.withDefaults()
	bindings, record := r.bindings(input)
	if record != nil && r.Body == nil {
		r.Body = bodyOf(record, document.One)
	}
	if err := cmp.Or(r.check(), a.contradicts(r)); err != nil {
		panic(err)
	}
	pattern := a.config.Base + r.Path + "/"
	r.readOnly = sync.OnceValue(func() body.Members { return a.readOnly(r, pattern) })
	op := &operation{r, pattern, answered, func(ctx context.Context, c *Call) (answer, error) {
		if len(r.Query) == 0 || len(r.Alternatives) > 0 { // nothing else reads the query, or not before the form is chosen
			if _, err := c.query(); err != nil {
				return nil, err
			}
		}
		if alt := c.alternative(); alt != nil {
			return alt.Handle(ctx, c)
		}
		out, err := h(ctx, c, bindings)
		if err != nil {
			return nil, err
		}
		if special, ok := out.(answer); ok {
			return special, nil
		}
		return data{value: out}, nil
	}}
	for i, p := range r.Query {
		if slices.ContainsFunc(r.Query[:i], func(q Param) bool { return q.Name == p.Name }) {
			panic(fmt.Sprintf("rest: %s declares the parameter %q twice", r.OperationID, p.Name))
		}
	}
	a.mount(op)
	if r.Body != nil && r.Body.is.Type != nil {
		a.schemas.Of(r.Body.is.Type)
	}
	a.described = append(a.described, op)
}

func (r Route) withDefaults() Route {
	r.Status = cmp.Or(r.Status, http.StatusOK)
	r.Message = cmp.Or(r.Message, "Success.")
	r.Noun = cmp.Or(r.Noun, "record")
	r.Path = strings.Trim(r.Path, "/")
	if len(r.Alternatives) > 0 {
		forms := []string{formatJSON}
		for _, alt := range r.Alternatives {
			forms = append(forms, alt.Format)
		}
		r.Query = append(slices.Clip(r.Query), Param{Name: formatParam, Type: String, Enum: forms, Description: "The form of the answer: " + strings.Join(forms, ", ") +
			". Without it the header Accept decides, and json is the default."})
	}
	if r.Keys == KeyInHeader && (r.Public || r.dialect.foreign()) {
		r.Keys = KeyNowhere
	}
	return r
}

// check finds mistakes in a description.
func (r Route) check() error {
	methods := []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}
	switch {
	case !slices.Contains(methods, r.Method):
		return fmt.Errorf("rest: %s %s: unknown method", r.Method, r.Path)
	case r.OperationID == "" || r.Summary == "" || r.Tag == "":
		return fmt.Errorf("rest: %s %s: operation id, summary and tag are required", r.Method, r.Path)
	case r.Public && (r.Permission.Slug() != "" || r.Keys != KeyNowhere):
		return fmt.Errorf("rest: %s %s: a public route asks for no credential", r.Method, r.Path)
	case r.Permission.Action() != "" && r.Permission.Slug() == "":
		return fmt.Errorf("rest: %s %s: no permission is required for %s", r.Method, r.Path, r.Permission.Action())
	case strings.HasPrefix(r.Path, "{"):
		return fmt.Errorf("rest: %s %s: a path begins with a word", r.Method, r.Path)
	case strings.Contains(r.Path, "//"):
		return fmt.Errorf("rest: %s %s: empty segment", r.Method, r.Path)
	}
	return nil
}

// contradicts finds conflicts between a description and what was registered before it: a schema that is not
// defined, or an operation id that is taken.
func (a *API) contradicts(r Route) error {
	if a.operations[r.OperationID] {
		return fmt.Errorf("rest: %s %s: the operation id %s is taken", r.Method, r.Path, r.OperationID)
	}
	a.operations[r.OperationID] = true
	names := []string{r.Data, r.DataWith}
	if r.Body != nil {
		names = append(names, r.Body.is.Given, r.Body.is.With)
	}
	for _, name := range names {
		if name != "" && a.defined[name] == nil {
			return fmt.Errorf("rest: %s %s: no schema %s is defined", r.Method, r.Path, name)
		}
	}
	return nil
}

// pathParams returns the names of the parameters in the path, in order.
func (r Route) pathParams() []string {
	var out []string
	respell(r.Path, func(name string) string {
		out = append(out, name)
		return ""
	})
	return out
}
