package wire

import (
	"context"
	"io"
	"log/slog"
	"os"
	"strings"

	"tilth/adapters/cli"
	"tilth/adapters/identity"
	"tilth/adapters/mail"
	"tilth/app/account"
	"tilth/ports"
)

// openMail makes the sender of letters: the mail server's where one is configured, else
// one that prints them on out (nil: standard error).
func openMail(cfg cli.Config, out io.Writer, log *slog.Logger) (ports.Mailer, error) {
	if cfg.SMTPURL != "" {
		return mail.NewSMTP(cfg.SMTPURL, cfg.MailFrom, mail.Options{})
	}
	if out == nil {
		out = os.Stderr
	}
	return mail.NewPrinter(out, log), nil
}

// newPostman makes the use case that sends letters.
func newPostman(cfg cli.Config, store ports.Store, out io.Writer, log *slog.Logger) (*account.LetterSender, error) {
	mailer, err := openMail(cfg, out, log)
	if err != nil {
		return nil, err
	}
	base := strings.TrimSuffix(cfg.PublicURL, "/")
	if base == "" {
		base = "http://" + cfg.Addr
	}
	return &account.LetterSender{
		Store: store, Mailer: mailer, Clock: identity.Clock{}, IDs: identity.Random{}, Links: account.LinksAt(base), Log: log,
	}, nil
}

// examineMail asks the mail server for an answer.
func examineMail(ctx context.Context, cfg cli.Config) cli.Finding {
	f := cli.Finding{Part: "mail", OK: true}
	mailer, err := openMail(cfg, io.Discard, slog.New(slog.DiscardHandler))
	if err != nil {
		f.OK, f.Detail, f.Fix = false, err.Error(), "check TILTH_SMTP_URL and TILTH_MAIL_FROM"
		return f
	}
	f.Detail = mailer.Describe()
	if server, ok := mailer.(*mail.SMTP); ok {
		if err := server.Check(ctx); err != nil {
			f.OK, f.Detail = false, f.Detail+": "+err.Error()
			f.Fix = "check the host, the port, the user and the password in TILTH_SMTP_URL"
		}
	}
	return f
}
