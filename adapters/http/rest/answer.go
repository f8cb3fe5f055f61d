package rest

import (
	"cmp"
	"encoding/json"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"strconv"
	"strings"
)

const mediaJSON = "application/json"

// answer writes itself as the response of a call. An error before the header was sent is
// answered in the envelope; afterwards the connection is cut.
type answer interface {
	answer(c *Call) error
}

// partialWord is the status of an envelope of which some has failed (207).
const partialWord = "partial"

// data is any value in the success envelope.
type data struct{ value any }

func (d data) answer(c *Call) error {
	word, message := "success", c.route.Message
	if c.status == http.StatusMultiStatus { // not all of it is a success
		word, message = partialWord, c.route.Also[c.status]
	}
	text, err := encode(struct {
		Status  string `json:"status"`
		Message string `json:"message"`
		Data    any    `json:"data"`
	}{word, message, d.value})
	if err != nil {
		return err
	}
	out := Raw{ContentType: mediaJSON, Write: written(text)}
	if _, record := d.value.(Versioned); record || c.route.Method == http.MethodGet {
		out.ETag = Tag(d.value, text)
	}
	return out.answer(c)
}

// OrFile is the data of the success envelope, or a file in its place, for callers that ask
// for one in the query. The route names the content types of its files in Media.
type OrFile[R any] struct {
	Data R
	File *Raw // nil: the data
}

func (o OrFile[R]) answer(c *Call) error {
	if o.File != nil {
		return o.File.answer(c)
	}
	return data{o.Data}.answer(c)
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
	c.SetHeader("Content-Type", r.ContentType)
	s := &sink{call: c}
	if err := r.Write(s); err != nil {
		return s.fail(err)
	}
	if !s.started {
		c.SetHeader("Content-Length", strconv.Itoa(len(s.held)))
	}
	s.start() // a caller who left is no error of ours
	return nil
}

// written returns what writes a text that is at hand.
func written(text []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, _ = w.Write(text) // the caller may be gone
		return nil
	}
}

func (p Paginated[R]) answer(c *Call) error {
	last := p.page.pages(p.listing.Count)
	head, err := encode(struct {
		Count    int64   `json:"count"`
		Next     *string `json:"next"`
		Previous *string `json:"previous"`
	}{p.listing.Count, c.pageLink(p.page.Number+1, last), c.pageLink(p.page.Number-1, last)})
	if err != nil {
		return err
	}
	return stream(c, strings.TrimSuffix(string(head), "}")+`,"results":[`, "]}", List[R](p))
}

func (l List[R]) answer(c *Call) error {
	if !l.page.All {
		c.linkHeader(l.page, l.listing.Count)
	}
	return stream(c, "[", "]", l)
}

// linkHeader writes Link (RFC 8288) and X-Total-Count.
func (c *Call) linkHeader(page PageSpec, count int64) {
	var links []string
	last := page.pages(count)
	add := func(rel string, number int64) {
		if address := c.pageLink(number, last); address != nil {
			links = append(links, "<"+*address+`>; rel="`+rel+`"`)
		}
	}
	add("first", 1)
	add("prev", page.Number-1)
	add("next", page.Number+1)
	add("last", last)
	c.SetHeader("Link", strings.Join(links, ", "))
	c.SetHeader("X-Total-Count", strconv.FormatInt(count, 10))
}

// stream answers with an envelope whose data is open, the records separated by commas, end.
func stream[R any](c *Call, open, end string, list List[R]) error {
	if list.page.All && list.listing.Count > MaxPageSize {
		leave, err := c.api.long.enter(c.Principal().CompanyID)
		if err != nil {
			return err
		}
		defer leave()
	}
	message, err := encode(c.route.Message)
	if err != nil {
		return err
	}
	open = `{"status":"success","message":` + string(message) + `,"data":` + open
	return Raw{ContentType: mediaJSON, Write: func(w io.Writer) error {
		defer func() { c.leave() }()
		pieces := &inPieces{call: c, to: w}
		if err := writeRecords(pieces, open, end+"}", list.listing); err != nil {
			return err
		}
		return pieces.send()
	}}.answer(c)
}

// writeRecords writes records as JSON with commas between them.
func writeRecords[R any](w io.Writer, open, end string, records Listing[R]) error {
	_, err := io.WriteString(w, open)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	comma := ""
	for record, failed := range records.Each {
		if err = cmp.Or(err, failed); err == nil {
			_, err = io.WriteString(w, comma)
		}
		if err == nil {
			err = enc.Encode(record)
		}
		if err != nil {
			return err
		}
		comma = ","
	}
	if err == nil {
		_, err = io.WriteString(w, end)
	}
	return err
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

// Write keeps or sends bytes.
func (s *sink) Write(p []byte) (int, error) {
	if !s.started && len(s.held)+len(p) <= holdBack {
		s.held = append(s.held, p...)
		return len(p), nil
	}
	if err := s.begin(); err != nil {
		return 0, err
	}
	return s.send(p)
}

// Flush sends what was written so far.
func (s *sink) Flush() {
	if s.begin() != nil {
		return // the next write says so
	}
	_ = http.NewResponseController(s.call.writer).Flush() // a writer that cannot flush sends when it will
}

// begin sends what is held of an answer that goes on, unless that comes too late.
func (s *sink) begin() error {
	if !s.started {
		if err := s.call.deadline.lift(); err != nil {
			return err
		}
	}
	s.start()
	return nil
}

func (s *sink) start() {
	if !s.started {
		s.started = true
		if _, kept := s.call.writer.(*keeper); !kept {
			s.call.leave() // the work is done; how long the answer takes is its reader's affair
		}
		s.call.writer.WriteHeader(s.call.status)
		_, _ = s.send(s.held)
		s.held = nil
	}
}

func (s *sink) send(p []byte) (n int, err error) {
	switch {
	case s.broken != nil:
		return 0, s.broken
	case s.call.request.Method == http.MethodHead:
		return len(p), nil
	}
	n, s.broken = s.call.writer.Write(p)
	return n, s.broken
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
