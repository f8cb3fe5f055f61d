package mail

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync"

	"tilth/core/fault"
	"tilth/ports"
)

// Printer prints letters on the operator's terminal, for installations without a mail server.
// The link in a letter is a secret: the log, which may be shipped elsewhere, records only that a
// letter was printed.
type Printer struct {
	log *slog.Logger

	mu  sync.Mutex
	out io.Writer
}

// NewPrinter creates a printer of letters.
func NewPrinter(out io.Writer, log *slog.Logger) *Printer { return &Printer{out: out, log: log} }

// Describe implements ports.Mailer.
func (p *Printer) Describe() string { return "no mail server: letters are printed on the terminal" }

// Send implements ports.Mailer.
func (p *Printer) Send(ctx context.Context, m ports.Message) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, err := fmt.Fprintf(p.out, "\n--- letter, hand it over: no mail server is configured (TILTH_SMTP_URL)\nTo: %s\nSubject: %s\n\n%s---\n\n",
		oneLine(m.To), oneLine(m.Subject), m.Text)
	if err != nil {
		return fault.New(fault.Unavailable, "mail_unavailable", "A letter could not be printed.").Because(err)
	}
	p.log.InfoContext(ctx, "a letter was printed on the terminal: no mail server is configured", "letter", m.ID)
	return nil
}
