package mail_test

import (
	"context"
	"net/mail"
	"strings"
	"testing"
	"time"

	adapter "tilth/adapters/mail"
	"tilth/ports"
	"tilth/tests/mailbox"
)

// FuzzLetter sends letters of any text and looks at what arrives: the text as it was,
// and no header that was not meant.
func FuzzLetter(f *testing.F) {
	f.Add("Subject", "Ann", "Text\n.\n..dots\n")
	f.Add("a\r\nBcc: eve@example.org", "x\"\r\ny", "\r\n.\r\nQUIT\r\n")
	f.Add("\x00é\xff", "", strings.Repeat("=", 200))
	f.Fuzz(func(t *testing.T, subject, name, text string) {
		s := mailbox.Start(t, mailbox.Options{})
		out, err := adapter.NewSMTP("smtp://"+s.Address, sender, adapter.Options{})
		if err != nil {
			t.Fatal(err)
		}
		err = out.Send(context.Background(), ports.Message{ID: "1", To: "ann@example.org", Name: name, Subject: subject, Text: text, At: time.Unix(0, 0)})
		if err != nil {
			t.Fatal(err)
		}
		got := s.Next()
		plain := func(s string) string { return strings.TrimRight(strings.ReplaceAll(s, "\r\n", "\n"), "\n") }
		if !strings.Contains(text, "\r") && plain(got.Text) != plain(text) {
			t.Errorf("%q arrived as %q", text, got.Text)
		}
		for header := range got.Header {
			switch header {
			case "From", "To", "Subject", "Date", "Message-Id", "Mime-Version", "Content-Type", "Content-Transfer-Encoding", "Auto-Submitted":
			default:
				t.Errorf("an unexpected header %q", header)
			}
		}
		if to, err := mail.ParseAddressList(got.Header.Get("To")); err != nil || len(to) != 1 || to[0].Address != "ann@example.org" {
			t.Errorf("the receiver became %q", got.Header.Get("To"))
		}
	})
}
