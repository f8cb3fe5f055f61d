// Package mail sends letters: over SMTP where a mail server is configured, and to the
// operator's terminal where none is. It does not know what letters say.
package mail

import (
	"bytes"
	"errors"
	"fmt"
	"mime"
	"mime/quotedprintable"
	"net/mail"
	"strings"
	"time"

	"tilth/ports"
)

// compose writes a message in the form of RFC 5322.
func compose(from mail.Address, m ports.Message) ([]byte, error) {
	_, domain, _ := strings.Cut(from.Address, "@")
	to := mail.Address{Name: m.Name, Address: m.To}
	var out bytes.Buffer
	header := func(name, value string) { fmt.Fprintf(&out, "%s: %s\r\n", name, value) }
	header("From", from.String())
	header("To", to.String())
	header("Subject", mime.QEncoding.Encode("utf-8", oneLine(m.Subject)))
	header("Date", m.At.UTC().Format(time.RFC1123Z))
	header("Message-ID", "<"+oneLine(m.ID)+"@"+domain+">")
	header("MIME-Version", "1.0")
	header("Content-Type", "text/plain; charset=utf-8")
	header("Content-Transfer-Encoding", "quoted-printable")
	header("Auto-Submitted", "auto-generated") // suppresses automatic replies (RFC 3834)
	out.WriteString("\r\n")
	body := quotedprintable.NewWriter(&out)
	_, err := body.Write([]byte(m.Text))
	if err = errors.Join(err, body.Close()); err != nil {
		return nil, fmt.Errorf("encode a letter: %w", err)
	}
	return out.Bytes(), nil
}

// oneLine keeps a value inside its header.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\r' || r == '\n' {
			return ' '
		}
		return r
	}, text)
}
