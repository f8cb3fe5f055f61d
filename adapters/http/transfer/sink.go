package transfer

import (
	"io"
	"net/http"
	"strconv"

	"tilth/adapters/http/fairness"
)

// pieceBytes is the number of bytes of an answer that are made in one piece of work. An error in the first piece is
// still answered as an error, because the header is not sent yet.
const pieceBytes = 64 << 10

// Sink makes and sends an answer piece by piece. Making a piece is work, which takes turns if its company works more
// than its share; sending it takes its reader's time.
type Sink struct {
	to       http.ResponseWriter
	request  *http.Request
	status   int
	deadline *Deadline
	share    *fairness.Request

	kept    bool // sent once it is stored, within the request's work: see [Keeper]
	live    bool // sent as it comes, to a reader that waits for news, which is not work
	made    []byte
	started bool
	broken  error // of the connection
}

// NewSink returns a sink for the answer of a request, with a status. The deadline is met when the first piece is sent.
func NewSink(to http.ResponseWriter, request *http.Request, status int, deadline *Deadline, share *fairness.Request) *Sink {
	_, kept := to.(*Keeper)
	return &Sink{to: to, request: request, status: status, deadline: deadline, share: share, kept: kept}
}

// Write implements io.Writer.
func (s *Sink) Write(p []byte) (int, error) {
	if s.broken != nil {
		return 0, s.broken
	}
	if len(s.made)+len(p) < pieceBytes {
		s.made = append(s.made, p...)
		return len(p), nil
	}
	if err := s.inTime(); err != nil {
		return 0, err
	}
	if s.send(p); s.broken != nil {
		return 0, s.broken
	}
	return len(p), s.again()
}

// Text returns a function that writes a given text.
func Text(text []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		s, ok := w.(*Sink)
		if !ok || len(text) < pieceBytes {
			_, _ = w.Write(text) // the caller may be gone
			return nil
		}
		err := s.inTime()
		if err == nil {
			s.send(text) // no work is left
		}
		return err
	}
}

// Flush sends what was written so far.
func (s *Sink) Flush() {
	if s.inTime() != nil {
		return // the next write reports it
	}
	s.live = true
	s.send(nil)
	_ = http.NewResponseController(s.to).Flush() // a writer that cannot flush sends it later
}

// Finish sends the rest. An answer of one piece has a Content-Length. A caller that has left is not an error.
func (s *Sink) Finish() {
	if !s.started {
		s.to.Header().Set("Content-Length", strconv.Itoa(len(s.made)))
	}
	s.send(nil)
}

// Started reports whether the header was sent, after which nothing else can be answered.
func (s *Sink) Started() bool { return s.started }

// Broken reports whether the caller left.
func (s *Sink) Broken() bool { return s.broken != nil }

// inTime fails if the answer has not begun and its deadline has passed.
func (s *Sink) inTime() error {
	if s.started {
		return nil
	}
	return s.deadline.lift()
}

// send sends what was made, and then end.
func (s *Sink) send(end []byte) {
	s.Leave()
	if !s.started {
		s.started = true
		s.to.WriteHeader(s.status)
	}
	for _, part := range [][]byte{s.made, end} {
		if s.broken == nil && len(part) > 0 && s.request.Method != http.MethodHead {
			_, s.broken = s.to.Write(part)
		}
	}
	s.made = s.made[:0]
}

// Leave ends the work on a piece.
func (s *Sink) Leave() {
	if !s.kept {
		s.share.Leave()
	}
}

// again begins the work on the next piece.
func (s *Sink) again() error {
	if s.kept || s.live {
		return nil
	}
	return s.share.Again(s.request.Context())
}
