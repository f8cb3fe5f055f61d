package mail_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/mail"
	"tilth/core/fault"
	"tilth/ports"
	"tilth/tests/mailbox"
)

const sender = "Tilth <tilth@example.org>"

var letter = ports.Message{
	ID: "invitation-1\r\nX: y", To: "ann@example.org", Name: "Ann Müller", Subject: "Grüße\r\nBcc: eve@example.org",
	Text: "Dear Ann,\n\n.a line with a dot\nhttps://tilth.example.org/account/password/#" + strings.Repeat("a", 100) + "\n",
	At:   time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
}

func send(t *testing.T, url string, s *mailbox.Server, m ports.Message) error {
	t.Helper()
	out, err := mail.NewSMTP(url, sender, mail.Options{Roots: s.Roots})
	require.NoError(t, err)
	return out.Send(context.Background(), m)
}

func TestALetterArrivesAsItWasWritten(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		opts   mailbox.Options
		url    string
		secure bool
	}{
		"in the clear on this machine": {mailbox.Options{}, "smtp://", false},
		"STARTTLS":                     {mailbox.Options{TLS: true}, "smtp://", true},
		"STARTTLS with a password":     {mailbox.Options{TLS: true, User: "u:p@ss/w"}, "smtp://u:p%40ss%2Fw@", true},
		"TLS from the start":           {mailbox.Options{Implicit: true, User: "u:p"}, "smtps://u:p@", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := mailbox.Start(t, c.opts)
			require.NoError(t, send(t, c.url+s.Address, s, letter))
			got := s.Next()
			require.Equal(t, c.secure, got.Secure)
			require.Equal(t, "tilth@example.org", got.From)
			require.Equal(t, letter.To, got.To)
			require.Equal(t, letter.Text, strings.ReplaceAll(got.Text, "\r\n", "\n"))
			require.Equal(t, "Grüße  Bcc: eve@example.org", got.Subject)
			require.Empty(t, got.Header.Get("Bcc"), "a subject writes no headers")
			require.Empty(t, got.Header.Get("X"))
			require.Equal(t, "Sun, 01 Mar 2026 12:00:00 +0000", got.Header.Get("Date"))
			require.Contains(t, got.Header.Get("Message-ID"), "@example.org>")
			to, err := got.Header.AddressList("To")
			require.NoError(t, err)
			require.Equal(t, letter.Name, to[0].Name)
		})
	}
}

func TestWhatTheServerSaysDecides(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		command, reply string
		kind           fault.Kind
	}{
		"no such user":     {"RCPT", "550 no such user", fault.Invalid},
		"greylisted":       {"RCPT", "451 later", fault.Unavailable},
		"sender refused":   {"MAIL", "550 not you", fault.Unavailable},
		"content refused":  {"DATA", "554 spam", fault.Invalid},
		"out of space":     {"DATA", "452 full", fault.Unavailable},
		"wrong credential": {"AUTH", "535 no", fault.Unavailable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := mailbox.Start(t, mailbox.Options{User: "u:p", Reply: func(command string) string {
				if strings.HasPrefix(command, c.command) {
					return c.reply
				}
				return ""
			}})
			err := send(t, "smtp://u:p@"+s.Address, s, letter)
			require.Equal(t, c.kind, fault.KindOf(err), "%v", err)
			require.Zero(t, s.Waiting())
		})
	}
	s := mailbox.Start(t, mailbox.Options{TLS: true})
	out, err := mail.NewSMTP("smtp://"+s.Address, sender, mail.Options{})
	require.NoError(t, err)
	require.True(t, fault.Is(out.Check(context.Background()), fault.Unavailable), "a certificate that nobody vouches for")
	require.True(t, fault.Is(send(t, "smtp://127.0.0.1:1", s, letter), fault.Unavailable))
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorIs(t, out.Send(ended, letter), context.Canceled)
}

func TestAddressesOfMailServers(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{
		"", "mail.example.org", "http://mail.example.org", "smtp://", "smtp://mail.example.org/path",
		"smtp://mail.example.org?tls=never", "smtp://u:secret@mail.example.org:port", "smtp://mail.example.org?tls=optional&x=1",
	} {
		_, err := mail.NewSMTP(bad, sender, mail.Options{})
		require.True(t, fault.Is(err, fault.Invalid), bad)
		require.NotContains(t, err.Error(), "secret")
	}
	_, err := mail.NewSMTP("smtp://mail.example.org", "nobody", mail.Options{})
	require.True(t, fault.Is(err, fault.Invalid))
	for address, where := range map[string]string{
		"smtp://u:secret@mail.example.org":         "mail.example.org:587",
		"smtps://u:secret@mail.example.org":        "mail.example.org:465",
		"smtp://mail.example.org:25/?tls=optional": "mail.example.org:25",
	} {
		out, err := mail.NewSMTP(address, sender, mail.Options{})
		require.NoError(t, err)
		require.Contains(t, out.Describe(), where)
		require.NotContains(t, out.Describe(), "secret")
	}
}

func TestPrintedLettersKeepTheirSecretsOutOfTheLog(t *testing.T) {
	t.Parallel()
	var out, log bytes.Buffer
	p := mail.NewPrinter(&out, slog.New(slog.NewJSONHandler(&log, nil)))
	require.NoError(t, p.Send(context.Background(), letter))
	require.Contains(t, out.String(), letter.Text)
	require.Contains(t, log.String(), "printed")
	require.NotContains(t, log.String(), "https://")
	require.NotContains(t, log.String(), "ann@")
}
