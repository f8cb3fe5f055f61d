package transfer

import (
	"io"
	"strconv"
	"time"
)

// Event is one server-sent event (WHATWG HTML, section 9.2).
type Event struct {
	ID   string // which a reader names when it reconnects; empty: none
	Type string // empty: the reader only records the id
	Data []byte // on one line
}

// Events writes server-sent events; each is sent at once. The server's pace cuts off a reader that
// stops reading; it resumes when it reconnects.
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

// Retry tells the reader how long to wait before it reconnects.
func (w *Events) Retry(pause time.Duration) error {
	return w.write("retry: " + strconv.FormatInt(pause.Milliseconds(), 10) + "\n\n")
}

// Comment writes text that the reader ignores: a sign of life.
func (w *Events) Comment(text string) error { return w.write(": " + text + "\n\n") }

func (w *Events) write(text string) error {
	if _, err := io.WriteString(w.To, text); err != nil {
		return err
	}
	w.To.Flush()
	return nil
}
