package http

import (
	"net/http"
	"time"
)

// paceBytes is the number of bytes that a reader must take within the stall timeout.
const paceBytes = 64 << 10

// pace ends connections whose readers take nothing of an answer for the stall timeout. A whole
// answer may take as long as its reader needs.
func (s *Server) pace(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p := &paced{ResponseWriter: w, control: http.NewResponseController(w), timeout: s.config.StallTimeout}
		// Buffered data is sent after the handler returns, and the deadline outlives the request.
		defer func() { p.last = time.Time{}; p.extend() }()
		next.ServeHTTP(p, r)
	})
}

// paced is a writer whose deadline moves with what the reader takes.
type paced struct {
	http.ResponseWriter
	control *http.ResponseController
	timeout time.Duration
	last    time.Time // when the deadline was moved last
}

// Unwrap is for http.ResponseController.
func (p *paced) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// extend moves the deadline. It does so at most ten times per timeout, because a list
// is written record by record.
func (p *paced) extend() {
	if now := time.Now(); now.Sub(p.last) > p.timeout/10 {
		p.last = now
		_ = p.control.SetWriteDeadline(now.Add(p.timeout)) // not every writer has deadlines
	}
}

// Write writes piece by piece, so that the deadline moves within a large answer.
func (p *paced) Write(b []byte) (written int, err error) {
	for {
		p.extend()
		piece := b[:min(len(b), paceBytes)]
		n, err := p.ResponseWriter.Write(piece)
		written += n
		if b = b[len(piece):]; err != nil || len(b) == 0 {
			return written, err
		}
	}
}

// Flush sends what is buffered.
func (p *paced) Flush() {
	p.extend()
	_ = p.control.Flush()
}
