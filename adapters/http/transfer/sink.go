package transfer

import (
	"io"
	"net/http"
	"strconv"

	"tilth/adapters/http/fairness"
)

// pieceBytes is how much of an answer is made in one piece of work. An error in the first piece, whose header is not
// sent, is still answered as an error.
const pieceBytes = 64 << 10

// Sink makes and sends an answer piece by piece. To make one is work, which takes turns where its company works more
// than its share; to send it takes its reader's time.
type Sink struct {
	to       http.ResponseWriter
	request  *http.Request
	status   int
	deadline *Deadline
	share    *fairness.Request

	kept    bool // sent when it is stored, with the request's work: see [Keeper]
	live    bool // sent as it comes, by who waits for news, which is no work
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

// Text returns what writes a text that is at hand.
func Text(text []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		s, ok := w.(*Sink)
		if !ok || len(text) < pieceBytes {
			_, _ = w.Write(text) // the caller may be gone
			return nil
		}
		err := s.inTime()
		if err == nil {
			s.send(text) // nothing is left to be worked on
		}
		return err
	}
}

// Flush sends what was written so far.
func (s *Sink) Flush() {
	if s.inTime() != nil {
		return // the next write says so
	}
	s.live = true
	s.send(nil)
	_ = http.NewResponseController(s.to).Flush() // a writer that cannot flush sends when it will
}

// Finish sends what is left; an answer of one piece has its length. A caller who left is no error of ours.
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

// inTime fails where an answer that goes on begins too late.
func (s *Sink) inTime() error {
	if s.started {
		return nil
	}
	return s.deadline.lift()
}

// send sends what was made, and the end of it.
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
