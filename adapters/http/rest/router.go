package rest

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/uptrace/bunrouter"

	"tilth/core/fault"
)

// Routes stand on bunrouter with their own methods, in the group of the base. Put right
// here is what bunrouter does otherwise than this interface answers:
//
//   - it redirects a path that is not clean, or has a slash too many or too few, which turns
//     a POST into a GET: such a path is unknown, and the slash at the end is optional;
//   - it answers 405 without Allow, and a method that a path lacks by another path whose
//     parameter matches: [API.completePaths] completes every path;
//   - it takes an escaped slash and a dot segment for a parameter: such a path is unknown;
//   - it hands on a parameter with a NUL, which no database takes for text: it names nothing.

// routed are the methods that bunrouter knows. Any other is looked up as OPTIONS.
var routed = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions,
}

// endpoint is a path with its methods.
type endpoint struct {
	pattern string // as documented
	methods map[string]*operation
}

// allow returns the value of the Allow header.
func (e *endpoint) allow() string {
	allowed := []string{http.MethodOptions}
	for method := range e.methods {
		allowed = append(allowed, method)
	}
	slices.Sort(allowed)
	return strings.Join(allowed, ", ")
}

func (a *API) newRouter() (*bunrouter.Router, *bunrouter.Group) {
	router := bunrouter.New(bunrouter.WithNotFoundHandler(func(w http.ResponseWriter, r bunrouter.Request) error {
		a.WriteError(w, original(r), NoSuchPath(original(r)))
		return nil
	}))
	return router, router.NewGroup(strings.TrimSuffix(a.config.Base, "/"))
}

// mount hands an operation to the router; GET is also HEAD. Paths are mounted, and looked
// up, without the slash at the end.
func (a *API) mount(pattern string, op *operation) {
	e := a.endpoints[pattern]
	if e == nil {
		e = &endpoint{pattern: pattern, methods: map[string]*operation{}}
		a.endpoints[pattern] = e
	}
	methods := []string{op.route.Method}
	if op.route.Method == http.MethodGet {
		methods = append(methods, http.MethodHead)
	}
	for _, method := range methods {
		if e.methods[method] != nil {
			panic(fmt.Sprintf("rest: %s %s is registered twice", method, pattern))
		}
		e.methods[method] = op
		a.handle(e, method, func(c *Call) error { return a.serve(op, c) })
	}
}

func (a *API) handle(e *endpoint, method string, answer func(c *Call) error) {
	segments := strings.Split(strings.Trim(strings.TrimPrefix(e.pattern, a.config.Base), "/"), "/")
	for i, s := range segments {
		if name, ok := strings.CutPrefix(s, "{"); ok {
			segments[i] = ":" + strings.TrimSuffix(name, "}")
		}
	}
	a.group.Handle(method, "/"+strings.Join(segments, "/"), func(w http.ResponseWriter, r bunrouter.Request) error {
		c := &Call{api: a, writer: w, request: original(r), params: r.Params()}
		TraceOf(c.request.Context()).Route = e.pattern
		return answer(c)
	})
}

// completePaths adds the methods that a path lacks.
func (a *API) completePaths() {
	for _, e := range a.endpoints {
		for _, method := range routed {
			if e.methods[method] == nil {
				a.handle(e, method, func(c *Call) error { return a.noOperation(e, c) })
			}
		}
	}
}

// noOperation answers OPTIONS; other methods that a path lacks are 405, and 401 before it
// where every method of the path asks for a credential.
func (a *API) noOperation(e *endpoint, c *Call) error {
	if c.request.Method == http.MethodOptions {
		c.SetHeader("Allow", e.allow())
		c.writer.WriteHeader(http.StatusNoContent)
		return nil
	}
	public, key := false, false
	for _, op := range e.methods {
		public, key = public || op.route.Public, key || op.route.APIKey
	}
	if !public {
		if _, err := a.authenticate(c.request, key); err != nil {
			return err
		}
	}
	c.SetHeader("Allow", e.allow())
	return fault.Newf(fault.Invalid, "method_not_allowed", "%s is not possible here; allowed are %s.", clip(c.request.Method), e.allow())
}

// originalRequest is the key under which the request travels through the router.
type originalRequest struct{}

func original(r bunrouter.Request) *http.Request {
	return r.Context().Value(originalRequest{}).(*http.Request)
}

// ServeHTTP answers a request below the base.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.complete.Do(a.completePaths)
	path := strings.TrimSuffix(r.URL.Path, "/")
	if !clean(path) || strings.Contains(strings.ToUpper(r.URL.RawPath), "%2F") {
		a.WriteError(w, r, NoSuchPath(r))
		return
	}
	lookup := r.WithContext(context.WithValue(r.Context(), originalRequest{}, r))
	target := *r.URL
	target.Path, target.RawPath = path, ""
	lookup.URL = &target
	if !slices.Contains(routed, r.Method) {
		lookup.Method = http.MethodOptions
	}
	if err := a.router.ServeHTTPError(w, lookup); err != nil {
		a.WriteError(w, r, err)
	}
}

// Param returns a parameter of the path as it was sent; empty where it holds a NUL.
func (c *Call) Param(name string) string {
	text := c.params.ByName(name)
	if strings.ContainsRune(text, 0) {
		return ""
	}
	return text
}

// clean reports whether every segment of a path is a name.
func clean(path string) bool {
	if !strings.HasPrefix(path, "/") {
		return false
	}
	for segment := range strings.SplitSeq(path[1:], "/") {
		if segment == "" || segment == "." || segment == ".." {
			return false
		}
	}
	return true
}

// serve checks and runs a call, in the order of the package comment.
func (a *API) serve(op *operation, c *Call) error {
	c.route, c.status = &op.route, op.route.Status
	c.SetHeader("Cache-Control", "private, no-cache")
	if op.route.Public {
		c.SetHeader("Cache-Control", "no-store")
	}
	if err := a.run(op, c); err != nil {
		a.writeError(c.writer, c.request, err, op.route.Odd)
	}
	return nil
}
