package http

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"runtime/debug"
	"time"

	"tilth/adapters/http/rest"
)

// response is a writer that remembers what was answered.
type response struct {
	http.ResponseWriter
	status int // 0 until the header is sent
	bytes  int64
}

// WriteHeader sends the header; informational ones (1xx) are not the answer yet.
func (r *response) WriteHeader(status int) {
	if r.status == 0 && status >= 200 {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

// Write sends a part of the body.
func (r *response) Write(p []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	n, err := r.ResponseWriter.Write(p)
	r.bytes += int64(n)
	return n, err
}

// Flush sends what was written so far; a writer that cannot flush sends it later.
func (r *response) Flush() { _ = http.NewResponseController(r.ResponseWriter).Flush() }

// Unwrap lets http.ResponseController reach the connection.
func (r *response) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// A well-formed id is logged, so it must not look like an API key or an access token.
var (
	wellFormedID = regexp.MustCompile(`^[A-Za-z0-9._:-]{1,128}$`)
	secretLike   = regexp.MustCompile(`\.[A-Za-z0-9_-]{20}`)
)

// identify assigns the request an id, the caller's own if it sent a well-formed one, and bounds the
// time in which the body must arrive.
func (s *Server) identify(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get("X-Request-ID")
		if !wellFormedID.MatchString(id) || secretLike.MatchString(id) {
			id = s.deps.NewRequestID()
		}
		w.Header().Set("X-Request-ID", id)
		if r.Body != nil && r.Body != http.NoBody {
			// Not every writer has deadlines; the server's do.
			_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTimeout))
		}
		next.ServeHTTP(w, r.WithContext(rest.WithTrace(r.Context(), &rest.Trace{RequestID: id})))
	})
}

// protect sets the headers that tell browsers what not to do with an answer. Pages of
// the site loosen the content policy where they need to.
func (s *Server) protect(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "same-origin")
		if r.TLS != nil {
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		next.ServeHTTP(w, r)
	})
}

// recover answers a panic with an internal error, or cuts the connection if an answer has begun.
// With net/http alone the caller would see an empty reply; with the router alone, an empty success.
func (s *Server) recover(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		out := &response{ResponseWriter: w}
		defer func() {
			v := recover()
			if v == nil {
				return
			}
			if err, ok := v.(error); ok && errors.Is(err, http.ErrAbortHandler) {
				panic(v)
			}
			err := fmt.Errorf("panic: %v\n%s", v, debug.Stack())
			if out.status == 0 {
				s.api.WriteError(out, r, err)
				return
			}
			s.deps.Logger.ErrorContext(r.Context(), "answer cut short by a panic",
				"request_id", rest.TraceOf(r.Context()).RequestID, "error", err)
			panic(http.ErrAbortHandler)
		}()
		next.ServeHTTP(out, r)
	})
}
