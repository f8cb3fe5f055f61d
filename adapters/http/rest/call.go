package rest

import (
	"context"
	"io"
	"mime"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/uptrace/bunrouter"

	"tilth/adapters/http/body"
	"tilth/adapters/http/fairness"
	"tilth/adapters/http/session"
	"tilth/adapters/http/transfer"
	"tilth/core/access"
	"tilth/core/fault"
)

// Call is one request to a route, given to its handler. It is not safe for concurrent use.
type Call struct {
	api       *API
	route     *Route
	writer    http.ResponseWriter
	request   *http.Request
	deadline  *transfer.Deadline
	params    bunrouter.Params
	principal access.Principal
	status    int
	said      string                 // in place of the route's message
	values    Values                 // the query, once it was read
	body      func() ([]byte, error) // reads it, once
	bulk      bool                   // its body is an array
	passed    []string               // names that were ignored
	share     *fairness.Request      // its part of the shared resources
}

// Principal is the caller; the zero Principal on a public route.
func (c *Call) Principal() access.Principal { return c.principal }

// Permission is the permission that the route requires, so that a use case can require the same.
func (c *Call) Permission() access.Permission { return c.route.Permission }

// Client is the address of the caller; the zero Addr where there is none.
func (c *Call) Client() netip.Addr { return c.api.config.Origins.Client(c.request) }

// Header returns a header of the request.
func (c *Call) Header(name string) string { return c.request.Header.Get(name) }

// SetHeader sets a header of the answer.
func (c *Call) SetHeader(name, value string) { c.writer.Header().Set(name, value) }

// SetSession begins a session in the calling browser, and EndSession ends it there.
func (c *Call) SetSession(secret string, lasts time.Duration) {
	c.SetHeader("Set-Cookie", session.Cookie(secret, c.api.config.Base, strings.HasPrefix(c.Site(""), "https:"), lasts))
}

// EndSession ends the session in the calling browser, and returns its secret; empty if there is none.
func (c *Call) EndSession() (secret string) {
	c.SetHeader("Set-Cookie", session.Gone(c.api.config.Base, strings.HasPrefix(c.Site(""), "https:")))
	return session.Of(c.request)
}

// SetTicket makes the calling browser keep the ticket of a sign-in at a provider; an empty ticket ends it. Ticket returns it.
func (c *Call) SetTicket(ticket string, lasts time.Duration) {
	c.writer.Header().Add("Set-Cookie", session.Ticket(ticket, c.api.config.Base, strings.HasPrefix(c.Site(""), "https:"), lasts))
}

// Ticket returns the ticket that the browser sent; empty: it sent none. It fails if [session.CheckOrigin] refuses the request.
func (c *Call) Ticket() (string, error) {
	return session.TicketOf(c.request), session.CheckOrigin(c.request, c.Site(""))
}

// SetStatus chooses another success status, one that the route documents.
func (c *Call) SetStatus(status int) { c.status = status }

// Say chooses another message than that of the route.
func (c *Call) Say(message string) { c.said = message }

// Param returns a parameter of the path: text without control characters.
func (c *Call) Param(name string) string { return c.params.ByName(name) }

// ID returns a parameter of the path as the id of a record.
// Faults: NotFound for what cannot be an id.
func (c *Call) ID(name string) (int64, error) {
	id, err := strconv.ParseUint(c.Param(name), 10, 63) // which takes no sign
	if err != nil || id == 0 {
		return 0, fault.Missing(c.route.Noun)
	}
	return int64(id), nil
}

// UUID returns a parameter of the path as a UUID in lower case.
// Faults: NotFound for what cannot be one.
func (c *Call) UUID(name string) (string, error) {
	text := c.Param(name)
	if !body.IsUUID(text) {
		return "", fault.Missing(c.route.Noun)
	}
	return strings.ToLower(text), nil
}

// Link returns the absolute address of a path below the base, such as farm/7/.
func (c *Call) Link(path string) string {
	u := url.URL{Path: c.api.config.Base + path}
	return c.api.config.Origins.Base(c.request) + u.String()
}

// Site returns the absolute address of a path outside the interface, such as /docs/.
func (c *Call) Site(path string) string { return c.api.config.Origins.Base(c.request) + path }

// Patience returns how long to wait for an answer that is wanted within a time: at most half of the time that a request may take, so
// that the request is still answered.
func (c *Call) Patience(wanted time.Duration) time.Duration {
	if limit := c.api.config.Timeout; limit > 0 {
		return min(wanted, limit/2)
	}
	return wanted
}

// Body reads the body, once. Faults: Limit with code body_too_large; Invalid with code
// malformed_body when the body ends early.
func (c *Call) Body() ([]byte, error) { return c.body() }

// arrive waits for the body, unless the handler reads it as a stream, and for the caller's turn. Both come before the
// handler, which decodes the body under locks that block others. Faults of a body are left to the code that decodes
// it, because a record that does not exist is reported first.
func (c *Call) arrive() error {
	if spec := c.route.Body; spec != nil && spec.is.Files == nil {
		if _, err := c.body(); err == nil {
			return nil
		}
	}
	return c.share.Begin(c.request.Context(), false)
}

// BodyReader returns the body as a stream with the bound of the route. Its read errors are faults,
// like those of [Call.Body]. Waiting for it does not count as work.
func (c *Call) BodyReader() io.Reader { return c.arriving() }

func (c *Call) arriving() *transfer.Body {
	c.share.Leave()
	upper, every := c.api.config.MaxBody, time.Duration(0)
	if c.route.Public {
		upper = min(upper, fairness.Large-1) // callers of public routes take no turns
	}
	if c.route.MaxBody > 0 {
		upper, every = c.route.MaxBody, c.api.config.BodyTimeout
	}
	return &transfer.Body{Request: c.request, Connection: http.NewResponseController(c.writer), Deadline: c.deadline, MaxBytes: upper, Every: every}
}

// alternative returns the other form of the answer that the caller prefers, if any: one
// that its parameter format or its Accept header names, the latter with at least the weight of JSON.
func (c *Call) alternative() *Alternative {
	if len(c.route.Alternatives) == 0 {
		return nil
	}
	if format := c.request.URL.Query().Get(formatParam); format != "" {
		i := slices.IndexFunc(c.route.Alternatives, func(alt Alternative) bool { return alt.Format == format })
		if i < 0 {
			return nil // json, or an unknown word, which the route refuses
		}
		return &c.route.Alternatives[i]
	}
	c.writer.Header().Add("Vary", "Accept")
	accepted := parseAccept(c.request.Header.Values("Accept"))
	for i, alt := range c.route.Alternatives {
		if q := accepted[alt.Media]; q > 0 && q >= accepted[mediaJSON] {
			return &c.route.Alternatives[i]
		}
	}
	return nil
}

// Preferred returns the index of the content type that the caller's Accept header prefers, the first of those with the same
// weight; -1: it names none of them.
func (c *Call) Preferred(media []string) int {
	c.writer.Header().Add("Vary", "Accept")
	accepted := parseAccept(c.request.Header.Values("Accept"))
	best, weight := -1, 0.0
	for i, kind := range media {
		if q := accepted[kind]; q > weight {
			best, weight = i, q
		}
	}
	return best
}

// parseAccept returns the weight of each media type named in an Accept header (RFC 9110,
// section 12.5.1); ranges with a wildcard name nothing in particular and are left out.
func parseAccept(headers []string) map[string]float64 {
	out := map[string]float64{}
	for part := range strings.SplitSeq(strings.Join(headers, ","), ",") {
		media, params, _ := mime.ParseMediaType(part)
		weight, err := strconv.ParseFloat(params["q"], 64)
		if err != nil {
			weight = 1
		}
		out[media] = weight
	}
	return out
}

// Trace is what is known about a request outside its handler, for the access log and the metrics:
// the server makes it, this package fills it in.
type Trace struct {
	RequestID string
	Route     string // the pattern of the route, such as /api/v1.2/farm/{id}/; empty where no route matched
	UserID    int64
	CompanyID int64
}

type traceKey struct{}

// WithTrace returns a context that carries the trace of its request.
func WithTrace(ctx context.Context, t *Trace) context.Context {
	return context.WithValue(ctx, traceKey{}, t)
}

// TraceOf returns the trace of a request; an empty one where there is none.
func TraceOf(ctx context.Context) *Trace {
	if t, ok := ctx.Value(traceKey{}).(*Trace); ok {
		return t
	}
	return &Trace{}
}
