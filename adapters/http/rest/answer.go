package rest

import (
	"encoding/json"
	"io"
	"iter"
	"log/slog"
	"mime"
	"net/http"
	"strconv"
	"strings"
)

// answer writes itself as the response of a call. An error before the header was sent is
// answered in the envelope; afterwards the connection is cut.
type answer interface {
	answer(c *Call) error
}

// data is any value in the success envelope.
type data struct{ value any }

type success struct {
	Status  string `json:"status"`
	Message string `json:"message"`
	Data    any    `json:"data"`
}

func (d data) answer(c *Call) error {
	text, err := encode(success{"success", c.route.Message, d.value})
	if err != nil {
		return err
	}
	if _, record := d.value.(Versioned); record || c.route.Method == http.MethodGet {
		tag := Tag(d.value, text)
		c.SetHeader("ETag", tag)
		if c.unchanged(tag) {
			return nil
		}
	}
	s := c.sink("application/json")
	_, _ = s.Write(text)
	return s.finish()
}

// NoContent is the answer of a delete: 204 without a body.
type NoContent struct{}

func (NoContent) answer(c *Call) error {
	c.writer.WriteHeader(http.StatusNoContent)
	return nil
}

// OneOrMany is the answer of a create: the record, or the records of a bulk in the order
// in which they were sent.
type OneOrMany[R any] struct {
	Records []R
	Bulk    bool
}

func (o OneOrMany[R]) answer(c *Call) error {
	if o.Bulk {
		return data{o.Records}.answer(c)
	}
	return data{o.Records[0]}.answer(c)
}

// Raw is a bare answer: a file, a picture, a stream of events.
type Raw struct {
	ContentType string
	Filename    string // offers the answer as a download of that name
	ETag        string // see [Tag]; empty: none
	// Write writes the body. The writer is an http.Flusher; an error after the first bytes
	// went out cuts the connection, so that nobody takes half a file for a whole one.
	Write func(w io.Writer) error
}

func (r Raw) answer(c *Call) error {
	if r.Filename != "" {
		c.SetHeader("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": r.Filename}))
	}
	if r.ETag != "" {
		c.SetHeader("ETag", r.ETag)
		if c.unchanged(r.ETag) {
			return nil
		}
	}
	s := c.sink(r.ContentType)
	if err := r.Write(s); err != nil {
		return s.fail(err)
	}
	return s.finish()
}

func (p Paginated[R]) answer(c *Call) error {
	next, previous := c.neighbours(p.page, p.listing.Count)
	head, err := encode(struct {
		Count    int64   `json:"count"`
		Next     *string `json:"next"`
		Previous *string `json:"previous"`
	}{p.listing.Count, next, previous})
	if err != nil {
		return err
	}
	return c.stream(strings.TrimSuffix(string(head), "}")+`,"results":[`, "]}", elements(p.listing.Each))
}

func (l List[R]) answer(c *Call) error {
	if !l.page.All {
		c.linkHeader(l.page, l.listing.Count)
	}
	return c.stream("[", "]", elements(l.listing.Each))
}

// linkHeader writes Link (RFC 8288) and X-Total-Count.
func (c *Call) linkHeader(page PageSpec, count int64) {
	var links []string
	add := func(rel string, address *string) {
		if address != nil {
			links = append(links, "<"+*address+`>; rel="`+rel+`"`)
		}
	}
	first, last := c.pageLink(1), c.pageLink(page.pages(count))
	next, previous := c.neighbours(page, count)
	add("first", &first)
	add("prev", previous)
	add("next", next)
	add("last", &last)
	c.SetHeader("Link", strings.Join(links, ", "))
	c.SetHeader("X-Total-Count", strconv.FormatInt(count, 10))
}

// elements forgets the type of the records of a list.
func elements[R any](each iter.Seq2[R, error]) iter.Seq2[any, error] {
	return func(yield func(any, error) bool) {
		for r, err := range each {
			if !yield(r, err) {
				return
			}
		}
	}
}

// stream writes an envelope whose data is open, the records separated by commas, close.
func (c *Call) stream(open, end string, each iter.Seq2[any, error]) error {
	message, err := encode(c.route.Message)
	if err != nil {
		return err
	}
	s := c.sink("application/json")
	_, _ = io.WriteString(s, `{"status":"success","message":`+string(message)+`,"data":`+open)
	enc := json.NewEncoder(s)
	enc.SetEscapeHTML(false)
	first := true
	for record, err := range each {
		if err == nil && !first {
			_, err = io.WriteString(s, ",")
		}
		if err == nil {
			err = enc.Encode(record)
		}
		if err != nil {
			return s.fail(err)
		}
		first = false
	}
	if _, err := io.WriteString(s, end+"}"); err != nil {
		return s.fail(err)
	}
	return s.finish()
}

// holdBack is how much of an answer is kept before the header is sent: an error in what
// is shorter than this is still answered as an error.
const holdBack = 32 << 10

// sink sends an answer, its first bytes late.
type sink struct {
	call    *Call
	held    []byte
	started bool
	broken  error // of the connection
}

func (c *Call) sink(contentType string) *sink {
	c.SetHeader("Content-Type", contentType)
	return &sink{call: c}
}

// Write keeps or sends bytes.
func (s *sink) Write(p []byte) (int, error) {
	if !s.started {
		if len(s.held)+len(p) <= holdBack {
			s.held = append(s.held, p...)
			return len(p), nil
		}
		s.start()
	}
	return s.send(p)
}

// Flush sends what was written so far.
func (s *sink) Flush() {
	s.start()
	_ = http.NewResponseController(s.call.writer).Flush() // a writer that cannot flush sends when it will
}

func (s *sink) start() {
	if s.started {
		return
	}
	s.started = true
	s.call.writer.WriteHeader(s.call.status)
	_, _ = s.send(s.held)
	s.held = nil
}

func (s *sink) send(p []byte) (int, error) {
	if s.broken != nil {
		return 0, s.broken
	}
	if s.call.request.Method == http.MethodHead {
		return len(p), nil
	}
	var n int
	n, s.broken = s.call.writer.Write(p)
	return n, s.broken
}

// finish sends what was kept. A caller who left is no error of ours.
func (s *sink) finish() error {
	if !s.started {
		s.call.writer.Header().Set("Content-Length", strconv.Itoa(len(s.held)))
		s.start()
	}
	return nil
}

// fail returns the error to answer with, while that can still be done; later it logs the
// error and cuts the connection, which is the only sign left to give.
func (s *sink) fail(err error) error {
	if !s.started {
		return err
	}
	if s.broken == nil {
		trace := TraceOf(s.call.request.Context())
		s.call.api.config.Logger.ErrorContext(s.call.request.Context(), "answer cut short",
			slog.String("request_id", trace.RequestID), slog.String("route", trace.Route), slog.Any("error", err))
	}
	panic(http.ErrAbortHandler)
}
