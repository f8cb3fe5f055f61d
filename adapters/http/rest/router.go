package rest

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/uptrace/bunrouter"

	"tilth/adapters/http/body"
	"tilth/adapters/http/credential"
	"tilth/adapters/http/fairness"
	"tilth/adapters/http/transfer"
	"tilth/core/fault"
	"tilth/ports"
)

// Routes are registered with bunrouter, each with its own method. This file corrects what bunrouter does
// differently from what this interface answers:
//
//   - it redirects a path that is not clean, or has a slash too many or too few, which turns
//     a POST into a GET: such a path is unknown, and the slash at the end is optional;
//   - it answers 405 without Allow, and a method that a path lacks with another path whose
//     parameter matches: [API.newRouter] completes every path;
//   - it takes an escaped slash and a dot segment for a parameter: such a path is unknown;
//   - it panics on a NUL, and passes on control bytes and invalid UTF-8, which no database
//     accepts as text: such a path is unknown.

// routed are the methods that bunrouter knows. Any other is looked up as OPTIONS.
var routed = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions,
}

// operation is a route that is served.
type operation struct {
	route   Route
	pattern string // its path from the root
	form    form   // of its answer
	run     func(ctx context.Context, c *Call) (answer, error)
}

// endpoint is a path with its methods.
type endpoint struct {
	pattern string // as documented
	path    string // as the router writes it
	methods map[string]*operation
}

// allow returns the value of the Allow header.
func (e *endpoint) allow() string {
	return strings.Join(slices.Sorted(maps.Keys(e.methods)), ", ")
}

// section is the paths that begin with a word. Each has a router of its own, because bunrouter indexes its whole tree anew with
// every route. It is made when the first of them is asked for.
type section struct {
	endpoints []*endpoint
	router    func() *bunrouter.Router
}

// firstWord returns the first segment of a path below the base.
func (a *API) firstWord(path string) string {
	word, _, _ := strings.Cut(strings.TrimPrefix(path, a.config.Base), "/")
	return word
}

// newRouter routes every method of some paths, including those that a path lacks.
func (a *API) newRouter(endpoints []*endpoint) *bunrouter.Router {
	router := bunrouter.New(bunrouter.WithNotFoundHandler(func(http.ResponseWriter, bunrouter.Request) error {
		return NoSuchPath()
	}))
	for _, e := range endpoints {
		for _, method := range routed {
			answer := e.refuse
			if op := e.methods[method]; op != nil {
				answer = op.serve
			}
			a.handle(router, e, method, answer)
		}
	}
	return router
}

// mount adds an operation to its path; GET also serves HEAD. Paths are routed, and looked up, without the slash at the end.
func (a *API) mount(op *operation) {
	e := a.endpointAt(op.pattern)
	for segment := range strings.SplitSeq(nameless(op.pattern), "/") {
		a.words[segment] = true
	}
	for _, param := range op.route.Query {
		a.params[param.Name] = true
	}
	methods := []string{op.route.Method}
	if op.route.Method == http.MethodGet {
		methods = append(methods, http.MethodHead)
	}
	for _, method := range methods {
		if e.methods[method] != nil {
			panic(fmt.Sprintf("rest: %s %s is registered twice", method, op.pattern))
		}
		e.methods[method] = op
	}
}

// endpointAt returns the endpoint of a path, and adds it if it is new.
func (a *API) endpointAt(pattern string) *endpoint {
	e := a.endpoints[nameless(pattern)]
	if e == nil {
		e = &endpoint{pattern: pattern, path: respell(strings.TrimSuffix(pattern, "/"), func(name string) string { return ":" + name }), methods: map[string]*operation{http.MethodOptions: nil}}
		a.endpoints[nameless(pattern)] = e
		word := a.firstWord(pattern)
		of := a.sections[word]
		if of == nil {
			of = &section{}
			of.router = sync.OnceValue(func() *bunrouter.Router { return a.newRouter(of.endpoints) })
			a.sections[word] = of
		}
		of.endpoints = append(of.endpoints, e)
	}
	if e.pattern != pattern {
		panic(fmt.Sprintf("rest: %s and %s are the same path", e.pattern, pattern))
	}
	return e
}

// nameless returns a pattern without the names of its parameters.
func nameless(pattern string) string {
	return respell(pattern, func(string) string { return "" })
}

// respell returns a pattern with each of its parameters, such as {id}, as param spells it.
func respell(pattern string, param func(name string) string) string {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(pattern, "{")
		out.WriteString(before)
		if !found {
			return out.String()
		}
		name, after, _ := strings.Cut(rest, "}")
		out.WriteString(param(name))
		pattern = after
	}
}

func (a *API) handle(router *bunrouter.Router, e *endpoint, method string, answer func(c *Call) error) {
	router.Handle(method, e.path, func(w http.ResponseWriter, r bunrouter.Request) error {
		request, limit, done := transfer.Hurry(original(r), a.config.Timeout)
		defer done()
		c := &Call{api: a, writer: w, request: request, deadline: limit, params: r.Params(), share: fairness.NewRequest(a.turns, a.room)}
		c.body = sync.OnceValues(func() ([]byte, error) { return c.arriving().All(c.share) })
		defer c.share.End()
		TraceOf(c.request.Context()).Route = e.pattern
		return transfer.InTime(request.Context(), answer(c))
	})
}

// refuse answers OPTIONS. Other methods that a path lacks are answered with 405, or first with 401
// if every method of the path requires a credential.
func (e *endpoint) refuse(c *Call) error {
	if c.request.Method == http.MethodOptions {
		c.SetHeader("Allow", e.allow())
		c.writer.WriteHeader(http.StatusNoContent)
		return nil
	}
	public, takes := false, credential.Taken{Keys: KeyNowhere}
	for _, op := range e.methods {
		if op != nil {
			public, takes.Keys, takes.Links = public || op.route.Public, max(takes.Keys, op.route.Keys), takes.Links || op.route.Links
		}
	}
	if !public {
		if _, err := c.api.authenticate(c.request, takes); err != nil {
			return err
		}
	}
	c.SetHeader("Allow", e.allow())
	return fault.Newf(fault.Invalid, "method_not_allowed", "%s is not possible here; allowed are %s.", body.Clip(c.request.Method), e.allow())
}

// briefBody is the maximum size in bytes of a body whose write takes a moment: a record and its outline, or a bulk of a few.
const briefBody = 8 << 10

// brief reports whether the write of a request takes only a moment. A deletion may also delete whatever refers to its record.
func brief(r *http.Request) bool {
	return r.Method != http.MethodDelete && r.ContentLength >= 0 && r.ContentLength <= briefBody
}

// serve checks and runs a call, in the order of the package comment.
func (op *operation) serve(c *Call) error {
	c.route, c.status = &op.route, op.route.Status
	c.SetHeader("Cache-Control", "private, no-cache")
	if op.route.Public {
		c.SetHeader("Cache-Control", "no-store")
	}
	if inside := op.route.Inside; inside != "" {
		c.request.Header.Set(companyHeader, c.Param(inside))
	}
	ctx, who, err := c.api.admit(c.request, c.route)
	if err == nil {
		c.principal = who
		c.share.Of(who.CompanyID)
		err = c.arrive()
	}
	if err == nil {
		if brief(c.request) {
			ctx = ports.Briefly(ctx)
		}
		err = c.followed(ctx, op)
	}
	if err != nil {
		c.share.Leave()
		c.api.writeError(c.writer, c.request, err, c.odd())
	}
	return nil
}

// followed carries out a call, and reports it to the observer if there is one.
func (c *Call) followed(ctx context.Context, op *operation) error {
	if c.api.config.Observer == nil {
		return c.once(ctx, op)
	}
	ctx, ended := c.api.config.Observer.Begin(ctx, ports.Activity{Kind: ports.ActUseCase, Name: op.route.OperationID})
	err := c.once(ctx, op)
	ended(ports.Ending{Err: err})
	return err
}

// originalRequest is the context key under which the request passes through the router.
type originalRequest struct{}

func original(r bunrouter.Request) *http.Request {
	return r.Context().Value(originalRequest{}).(*http.Request)
}

// routable reports whether a path may be looked up at all.
func routable(target string) bool {
	return strings.HasPrefix(target, "/") && path.Clean(target) == target &&
		utf8.ValidString(target) && !strings.ContainsFunc(target, unicode.IsControl)
}

// ServeHTTP answers a request below the base.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	target := *r.URL
	target.Path, target.RawPath = strings.TrimSuffix(r.URL.Path, "/"), ""
	if !routable(target.Path) || strings.Contains(strings.ToUpper(r.URL.RawPath), "%2F") {
		a.WriteError(w, r, NoSuchPath())
		return
	}
	lookup := r.WithContext(context.WithValue(r.Context(), originalRequest{}, r))
	lookup.URL = &target
	if !slices.Contains(routed, r.Method) {
		lookup.Method = http.MethodOptions
	}
	of := a.sections[a.firstWord(target.Path)]
	if of == nil {
		a.WriteError(w, r, NoSuchPath())
		return
	}
	if err := of.router().ServeHTTPError(w, lookup); err != nil {
		a.WriteError(w, r, err)
	}
}
