package transfer

import (
	"io"
	"strconv"
	"time"
)

// Event is one server-sent event (WHATWG HTML, section 9.2).
type Event struct {
	ID   string // what a reader that comes back names; empty: none
	Type string // empty: only the id is recorded, and nothing happens at the reader
	Data []byte // on one line
}

// Events writes server-sent events; each is sent at once. The server's pace cuts off a reader
// that reads no more; it resumes when it comes back.
type Events struct{ To *Sink }

// Send writes an event.
func (w *Events) Send(e Event) error {
	text := ""
	if e.ID != "" {
		text = "id: " + e.ID + "\n"
	}
	if e.Type != "" {
		text += "event: " + e.Type + "\ndata: " + string(e.Data) + "\n"
	}
	return w.write(text + "\n")
}

// Retry says how long to wait before it comes back.
func (w *Events) Retry(pause time.Duration) error {
	return w.write("retry: " + strconv.FormatInt(pause.Milliseconds(), 10) + "\n\n")
}

// Comment writes what a reader passes over: a sign of life.
func (w *Events) Comment(text string) error { return w.write(": " + text + "\n\n") }

func (w *Events) write(text string) error {
	if _, err := io.WriteString(w.To, text); err != nil {
		return err
	}
	w.To.Flush()
	return nil
}
