package rest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/uptrace/bunrouter"

	"tilth/adapters/http/body"
	"tilth/adapters/http/fairness"
	"tilth/adapters/http/session"
	"tilth/core/access"
	"tilth/core/fault"
)

// Call is one request to a route, given to its handler. It is not safe for concurrent use.
type Call struct {
	api       *API
	route     *Route
	writer    http.ResponseWriter
	request   *http.Request
	deadline  *deadline
	params    bunrouter.Params
	principal access.Principal
	status    int
	values    Values                 // the query, once it was read
	body      func() ([]byte, error) // reads it, once
	bulk      bool                   // its body is an array
	passed    []string               // names that were ignored
	leave     func()                 // ends the work, and the turn if it has one
	room      int64                  // bytes taken for the body
	arrived   func()                 // gives back the place that is kept for it
}

// Principal is the caller; the zero Principal on a public route.
func (c *Call) Principal() access.Principal { return c.principal }

// Permission is what the route asks for, so that a use case can ask for the same.
func (c *Call) Permission() access.Permission { return c.route.Permission }

// Client is the address of the caller; the zero Addr where there is none.
func (c *Call) Client() netip.Addr { return c.api.config.Origins.Client(c.request) }

// Header returns a header of the request.
func (c *Call) Header(name string) string { return c.request.Header.Get(name) }

// SetHeader sets a header of the answer.
func (c *Call) SetHeader(name, value string) { c.writer.Header().Set(name, value) }

// SetSession begins a session of the browser that called, and EndSession ends it there.
func (c *Call) SetSession(secret string, lasts time.Duration) {
	c.SetHeader("Set-Cookie", session.Cookie(secret, c.api.config.Base, strings.HasPrefix(c.Site(""), "https:"), lasts))
}

// EndSession ends the session of the browser that called, and returns its secret; empty where it has none.
func (c *Call) EndSession() (secret string) {
	c.SetHeader("Set-Cookie", session.Gone(c.api.config.Base, strings.HasPrefix(c.Site(""), "https:")))
	return session.Of(c.request)
}

// SetStatus chooses another success status, one that the route documents.
func (c *Call) SetStatus(status int) { c.status = status }

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

// Site returns the absolute address of a path beside the interface, such as /docs/.
func (c *Call) Site(path string) string { return c.api.config.Origins.Base(c.request) + path }

// Body reads the body, once. Faults: Limit with code body_too_large; Invalid with code
// malformed_body when the body ends early.
func (c *Call) Body() ([]byte, error) { return c.body() }

// readBody reads the body. A large one takes room. To wait for it is no work, which begins anew when it is there.
func (c *Call) readBody() ([]byte, error) {
	in, announced := c.BodyReader(), c.request.ContentLength
	if announced >= fairness.Large {
		if err := c.api.turns.Crowded(c.principal.CompanyID); err != nil {
			return nil, err
		}
	}
	text := make([]byte, 0, firstPiece(announced))
	for {
		n, err := in.Read(text[len(text):cap(text)])
		text = text[:len(text)+n]
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil && len(text) == cap(text) {
			text, err = c.grow(text, announced)
		}
		if err != nil {
			return nil, err
		}
	}
	c.arrived()
	return text, c.begin(len(text) >= fairness.Large)
}

// arrive waits for the body, unless the handler reads it as a stream, and for the caller's turn. Both come before the
// handler, which decodes the body under locks that others wait for. What is wrong with a body is left to who decodes
// it: that what is asked for is not there comes first.
func (c *Call) arrive() error {
	if spec := c.route.Body; spec != nil && spec.is.Files == nil {
		if _, err := c.body(); err == nil {
			return nil
		}
	}
	return c.begin(false)
}

// begin begins the work on a request, when its turn comes.
func (c *Call) begin(large bool) error {
	leave, err := c.api.turns.Enter(c.request.Context(), c.principal.CompanyID, large)
	if err == nil {
		c.leave = leave
	}
	return err
}

// firstPiece returns how much of a body of an announced length is read without taking room: one
// byte more than the length, which finds its end.
func firstPiece(announced int64) int64 {
	if announced < 0 {
		return bytes.MinRead
	}
	return min(announced+1, fairness.Large)
}

// grow doubles the place for a body. What was announced is no reason to take memory for it; what
// has arrived is.
func (c *Call) grow(text []byte, announced int64) ([]byte, error) {
	size := int64(2 * cap(text))
	if announced >= int64(len(text)) {
		size = min(size, announced+1)
	}
	if size > fairness.Large {
		if c.room == 0 {
			arrived, err := c.api.turns.Expect(c.principal.CompanyID)
			if err != nil {
				return nil, err
			}
			c.arrived = arrived
		}
		more := size - c.room
		if err := c.api.room.Take(c.principal.CompanyID, more); err != nil {
			return nil, err
		}
		c.room += more
	}
	return append(make([]byte, 0, size), text...), nil
}

// end ends what a request holds of what all share.
func (c *Call) end() {
	c.leave()
	c.arrived()
	if c.room > 0 {
		c.api.room.Return(c.principal.CompanyID, c.room)
	}
}

// BodyReader returns the body as a stream with the bound of the route. Its read errors
// are faults, as those of [Call.Body] are. To wait for it is no work that others wait for.
func (c *Call) BodyReader() io.Reader {
	c.leave()
	upper, every := c.api.config.MaxBody, time.Duration(0)
	if c.route.Public {
		upper = min(upper, fairness.Large-1) // strangers wait for no turns
	}
	if c.route.MaxBody > 0 {
		upper, every = c.route.MaxBody, c.api.config.BodyTimeout
	}
	return &bodyReader{request: c.request, upper: upper, left: upper, deadline: c.deadline, connection: http.NewResponseController(c.writer), every: every}
}

// bodyReader bounds a body, translates read errors, and keeps the connection's read
// deadline: a large file may take its time as long as it keeps coming, and once the body
// is there the deadline goes, for when it passes net/http cancels the request.
type bodyReader struct {
	request     *http.Request
	upper, left int64
	deadline    *deadline
	connection  *http.ResponseController
	every       time.Duration // that a read may take; 0 to leave the server's deadline alone
}

func (b *bodyReader) Read(p []byte) (int, error) {
	if b.request.ContentLength > b.upper {
		return 0, b.refuse()
	}
	if b.every > 0 {
		_ = b.connection.SetReadDeadline(time.Now().Add(b.every)) // writers that know no deadlines are those of tests
	}
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.request.Body.Read(p)
	b.deadline.extend()
	if b.left -= int64(n); b.left < 0 {
		return n - 1, b.refuse()
	}
	var network net.Error
	switch {
	case err == nil:
		return n, nil
	case errors.Is(err, io.EOF):
		_ = b.connection.SetReadDeadline(time.Time{})
		return n, err
	case errors.Is(err, os.ErrDeadlineExceeded) || errors.As(err, &network) && network.Timeout():
		return n, body.Malformed("The body did not arrive in time.")
	}
	return n, body.Malformed("The body ends before the length that was announced.")
}

// refuse passes over as much again as is allowed, before the refusal: a caller who is
// still sending when the connection closes would see a reset and never the answer.
func (b *bodyReader) refuse() error {
	if b.request.Header.Get("Expect") == "" { // a caller who sends it waits to be told to send the body
		_, _ = io.CopyN(io.Discard, b.request.Body, b.upper) // what fails here is the caller's loss
	}
	return fault.Newf(fault.Limit, "body_too_large", "The body is larger than %d bytes.", b.upper).With("max_bytes", b.upper)
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
			return nil // json, or none of the words, which the route refuses
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

// Preferred returns the place of the content type that the caller's header Accept prefers, the first of those that it likes
// alike; -1: it names none of them.
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

// Trace is what is known of a request outside of its handler, for the access log and
// the metrics: the server makes it, this package fills it in.
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
