package rest

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"

	"tilth/adapters/http/document"
	"tilth/adapters/http/etag"
	"tilth/adapters/http/query"
	"tilth/adapters/http/transfer"
	"tilth/core/fault"
)

const mediaJSON = "application/json"

// answer writes itself as the response of a call. An error before the header was sent is
// answered in the envelope; afterwards the connection is cut.
type answer interface {
	answer(c *Call) error
}

// form is what an answer consists of.
type form struct {
	record reflect.Type // in the envelope; nil: there is none
	shape  document.Shape
	bare   reflect.Type // without the envelope; nil: there is one, or no JSON
}

// formed is implemented by answers that are not simply a record of their own type.
type formed interface{ form() form }

func (NoContent) form() form    { return form{} }
func (Nothing) form() form      { return form{} }
func (Raw) form() form          { return form{} }
func (EventStream) form() form  { return form{} }
func (Bare[R]) form() form      { return form{bare: reflect.TypeFor[R]()} }
func (OrFile[R]) form() form    { return form{record: reflect.TypeFor[R]()} }
func (Many[R]) form() form      { return form{record: reflect.TypeFor[R](), shape: document.Many} }
func (List[R]) form() form      { return form{record: reflect.TypeFor[R](), shape: document.Many} }
func (OneOrMany[R]) form() form { return form{record: reflect.TypeFor[R](), shape: document.OneOrMany} }
func (Paginated[R]) form() form { return form{record: reflect.TypeFor[R](), shape: document.Page} }

// formOf returns what the answers of a type consist of; one is an answer of the type.
func formOf(answers reflect.Type, one any) form {
	if special, ok := one.(formed); ok {
		return special.form()
	}
	return form{record: answers}
}

// data is any value in the success envelope, and the outcomes of the items of the request.
type data struct {
	value    any
	outcomes []string
}

func (d data) answer(c *Call) error {
	word, message := document.Success, c.route.Message
	if c.status == http.StatusMultiStatus { // not all of it is a success
		word, message = document.Partial, c.route.Also[c.status]
	}
	text, err := encode(struct {
		Status   string   `json:"status"`
		Message  string   `json:"message"`
		Data     any      `json:"data"`
		Outcomes []string `json:"outcomes,omitempty"`
	}{word, cmp.Or(c.said, message), d.value, d.outcomes})
	if err != nil {
		return err
	}
	out := Raw{ContentType: mediaJSON, Write: transfer.Text(text)}
	if _, record := d.value.(etag.Versioned); record || c.route.Method == http.MethodGet {
		out.ETag = etag.Of(d.value, text)
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
	return data{value: o.Data}.answer(c)
}

// NoContent is the answer of a delete: 204 without a body.
type NoContent struct{}

func (NoContent) answer(c *Call) error {
	c.writer.WriteHeader(http.StatusNoContent)
	return nil
}

// OneOrMany is the answer of a create: the record, or the records of a bulk in the order in which
// they were sent, with the outcome of each item if that is requested.
type OneOrMany[R any] struct {
	Records  []R
	Bulk     bool
	Outcomes []string // of [Outcomes]; nil: not asked for
}

func (o OneOrMany[R]) answer(c *Call) error {
	if o.Outcomes != nil {
		c.Say(happened(c.route, o.Bulk, o.Outcomes))
	}
	if o.Bulk {
		return data{o.Records, o.Outcomes}.answer(c)
	}
	return data{o.Records[0], o.Outcomes}.answer(c)
}

// happened returns the message about the outcomes of a request's items; for a single item that was created, the message of its route.
func happened(r *Route, bulk bool, outcomes []string) string {
	if !bulk && outcomes[0] == Outcomes[0] {
		return r.Message
	}
	if !bulk {
		return strings.ToUpper(r.Noun[:1]) + r.Noun[1:] + " " + outcomes[0] + "."
	}
	var parts []string
	for _, outcome := range Outcomes {
		if n := len(slices.DeleteFunc(slices.Clone(outcomes), func(o string) bool { return o != outcome })); n > 0 {
			parts = append(parts, strconv.Itoa(n)+" "+outcome)
		}
	}
	return strings.Join(parts, ", ") + "."
}

// Many is the answer of a change of records: all of them in the order in which they were sent, with the outcome of each item.
type Many[R any] struct {
	Records  []R
	Outcomes []string
}

func (m Many[R]) answer(c *Call) error { return data{m.Records, m.Outcomes}.answer(c) }

// Raw is a bare answer: a file, a picture, a stream of events.
type Raw struct {
	ContentType string
	Filename    string // offers the answer as a download of that name
	ETag        string // see [etag.Of]; empty: none
	Parts       bool   // callers may request a part, for which the whole is made; it always has a length
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
	if r.Parts {
		return r.part(c)
	}
	s := transfer.NewSink(c.writer, c.request, c.status, c.deadline, c.share)
	defer s.Leave()
	if err := r.Write(s); err != nil {
		if !s.Started() {
			return err
		}
		if !s.Broken() {
			trace := TraceOf(c.request.Context())
			c.api.config.Logger.ErrorContext(c.request.Context(), "answer cut short",
				slog.String("request_id", trace.RequestID), slog.String("route", trace.Route), slog.Any("error", err))
		}
		panic(http.ErrAbortHandler) // the only way left to report the error
	}
	s.Finish()
	return nil
}

// part answers with the bytes that Range asks for, or with all.
func (r Raw) part(c *Call) error {
	var whole bytes.Buffer
	if err := r.Write(&whole); err != nil {
		return err
	}
	body, status := whole.Bytes(), c.status
	c.SetHeader("Accept-Ranges", "bytes")
	from, until, ok := transfer.Part(c.Header("Range"), len(body))
	if of := c.Header("If-Range"); ok && (of == "" || of == r.ETag) {
		c.SetHeader("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, until-1, len(body)))
		body, status = body[from:until], http.StatusPartialContent
	}
	c.SetHeader("Content-Length", strconv.Itoa(len(body)))
	s := transfer.NewSink(c.writer, c.request, status, c.deadline, c.share)
	defer s.Leave()
	if err := transfer.Text(body)(s); err != nil {
		return err
	}
	s.Finish()
	return nil
}

func (p Paginated[R]) answer(c *Call) error {
	next, previous := c.links(p.page, p.listing.Count, p.listing.Next)
	head, err := encode(struct {
		Count    int64   `json:"count"`
		Next     *string `json:"next"`
		Previous *string `json:"previous"`
	}{p.listing.Count, next, previous})
	if err != nil {
		return err
	}
	return stream(c, strings.TrimSuffix(string(head), "}")+`,"results":[`, "]}", List[R](p))
}

func (l List[R]) answer(c *Call) error {
	if !l.page.All {
		c.linkHeader(l.page, l.listing.Count, l.listing.Next)
	}
	return stream(c, "[", "]", l)
}

// linkHeader writes Link (RFC 8288) and X-Total-Count.
func (c *Call) linkHeader(page PageSpec, count int64, cursor string) {
	var links []string
	add := func(rel string, address *string) {
		if address != nil {
			links = append(links, "<"+*address+`>; rel="`+rel+`"`)
		}
	}
	next, previous := c.links(page, count, cursor)
	if page.Cursor != nil {
		add("first", c.listLink("cursor", "first"))
		add("next", next)
	} else {
		last := page.Pages(count)
		add("first", c.pageLink(1, last))
		add("prev", previous)
		add("next", next)
		add("last", c.pageLink(last, last))
	}
	c.SetHeader("Link", strings.Join(links, ", "))
	c.SetHeader("X-Total-Count", strconv.FormatInt(count, 10))
}

// stream answers with an envelope whose data is made of open, the records separated by commas, and end.
func stream[R any](c *Call, open, end string, list List[R]) error {
	if list.page.All && list.listing.Count > query.MaxPageSize {
		leave, err := c.api.long.Enter(c.Principal().CompanyID)
		if err != nil {
			return err
		}
		defer leave()
		if lean := c.api.config.Lean; lean != nil {
			defer lean()()
		}
	}
	message, err := encode(c.route.Message)
	if err != nil {
		return err
	}
	open = `{"status":"success","message":` + string(message) + `,"data":` + open
	return Raw{ContentType: mediaJSON, Write: func(w io.Writer) error {
		return writeRecords(w, open, end+"}", list.listing)
	}}.answer(c)
}

// writeRecords writes records as JSON with commas between them.
func writeRecords[R any](w io.Writer, open, end string, records Listing[R]) error {
	_, err := io.WriteString(w, open)
	comma := ""
	for record, failed := range records.Each {
		if err = cmp.Or(err, failed); err == nil {
			_, err = io.WriteString(w, comma)
		}
		if err == nil {
			err = jsonv2.MarshalWrite(w, record, encoding)
		}
		if err != nil {
			return err
		}
		comma = ",\n"
	}
	if err == nil {
		_, err = io.WriteString(w, end)
	}
	return err
}

// IfMatch refuses a write whose If-Match names another version of the record. It is
// called under the lock of the write. Without the header there is nothing to refuse.
// Faults: Precondition (precondition_failed).
func (c *Call) IfMatch(record etag.Versioned) error {
	if etag.Matches(c.request.Header.Values("If-Match"), record) {
		return nil
	}
	return fault.New(fault.Precondition, "precondition_failed",
		"The record has changed since the version that If-Match names; retrieve it again.")
}

// unchanged answers a GET with 304 if If-None-Match names what would be answered, and reports whether it did.
func (c *Call) unchanged(tag string) bool {
	known, ok := etag.Known(c.request.Header.Values("If-None-Match"), tag)
	if !ok || c.route.Method != http.MethodGet {
		return false
	}
	if known != "" {
		c.SetHeader("ETag", known)
	}
	c.writer.WriteHeader(http.StatusNotModified)
	return true
}
