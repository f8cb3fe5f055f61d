package mail

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/smtp"
	"net/textproto"
	"net/url"
	"time"

	"tilth/core/fault"
	"tilth/ports"
)

const sendTimeout = time.Minute

// Options are what tests of the adapter set.
type Options struct {
	Roots *x509.CertPool // the authorities that may sign the server's certificate; nil: the system's
}

// SMTP sends letters through a mail server.
type SMTP struct {
	from     mail.Address
	host     string // for the certificate
	address  string // host:port
	auth     smtp.Auth
	implicit bool // TLS from the first byte (smtps)
	clear    bool // TLS may be missing
	roots    *x509.CertPool
}

// NewSMTP creates a sender from an address:
//
//	smtp://user:password@host:587   submission; the connection must become TLS (STARTTLS)
//	smtps://user:password@host:465  TLS from the start
//	smtp://host:25?tls=optional     a relay in the same network; TLS if it offers it
//
// A server on this machine needs no TLS. from is the sender of all letters, such as
// "Tilth <tilth@example.org>". Faults: Invalid (smtp_url, mail_from).
func NewSMTP(address, from string, opts Options) (*SMTP, error) {
	bad := func(why string) (*SMTP, error) {
		return nil, fault.New(fault.Invalid, "smtp_url", "The address of the mail server must be smtp://user:password@host:port or smtps://…: "+why+".")
	}
	u, err := url.Parse(address)
	if err != nil {
		return bad("it cannot be read") // the error would quote the password
	}
	s := &SMTP{host: u.Hostname(), implicit: u.Scheme == "smtps", roots: opts.Roots}
	query := u.Query()
	switch {
	case u.Scheme != "smtp" && u.Scheme != "smtps":
		return bad("it must start with smtp:// or smtps://")
	case s.host == "":
		return bad("it names no host")
	case u.Path != "" && u.Path != "/":
		return bad("it must not have a path")
	case len(query) > 1 || len(query) == 1 && query.Get("tls") != "optional":
		return bad("the only option is tls=optional")
	}
	s.clear = query.Get("tls") == "optional" || local(s.host)
	port := u.Port()
	if port == "" {
		port = map[bool]string{false: "587", true: "465"}[s.implicit]
	}
	s.address = net.JoinHostPort(s.host, port)
	if u.User != nil {
		password, _ := u.User.Password()
		s.auth = smtp.PlainAuth("", u.User.Username(), password, s.host)
	}
	sender, err := mail.ParseAddress(from)
	if err != nil {
		return nil, fault.New(fault.Invalid, "mail_from", "The sender of letters must be an e-mail address, such as Tilth <tilth@example.org>.")
	}
	s.from = *sender
	return s, nil
}

func local(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Describe implements ports.Mailer.
func (s *SMTP) Describe() string { return "letters go out through " + s.address }

// Check connects and signs in, and sends nothing.
func (s *SMTP) Check(ctx context.Context) error {
	client, done, err := s.open(ctx)
	if err != nil {
		return unavailable(err)
	}
	defer done()
	return unavailable(client.Quit())
}

// Send implements ports.Mailer.
func (s *SMTP) Send(ctx context.Context, m ports.Message) error {
	text, err := compose(s.from, m)
	if err != nil {
		return err
	}
	client, done, err := s.open(ctx)
	if err != nil {
		return unavailable(err)
	}
	defer done()
	if err := client.Mail(s.from.Address); err != nil {
		return unavailable(err)
	}
	if err := client.Rcpt(m.To); err != nil {
		return refused(err)
	}
	body, err := client.Data()
	if err != nil {
		return refused(err)
	}
	if _, err := body.Write(text); err != nil {
		return unavailable(err)
	}
	if err := body.Close(); err != nil {
		return refused(err)
	}
	// The server has accepted the letter, whatever it answers to QUIT.
	_ = client.Quit()
	return nil
}

// open connects, starts TLS and signs in.
func (s *SMTP) open(ctx context.Context) (client *smtp.Client, done func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	connection, err := new(net.Dialer).DialContext(ctx, "tcp", s.address)
	if err != nil {
		cancel()
		return nil, nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = connection.SetDeadline(time.Unix(1, 0)) })
	done = func() {
		stop()
		_ = connection.Close()
		cancel()
	}
	secure := &tls.Config{ServerName: s.host, RootCAs: s.roots, MinVersion: tls.VersionTLS12}
	if s.implicit {
		connection = tls.Client(connection, secure)
	}
	if client, err = smtp.NewClient(connection, s.host); err == nil {
		err = s.greet(client, secure)
	}
	if err != nil {
		done()
		return nil, nil, err
	}
	return client, done, nil
}

func (s *SMTP) greet(client *smtp.Client, secure *tls.Config) error {
	if err := client.Hello("localhost"); err != nil {
		return err
	}
	if offered, _ := client.Extension("STARTTLS"); offered && !s.implicit {
		if err := client.StartTLS(secure); err != nil {
			return err
		}
	} else if !s.implicit && !s.clear {
		return errors.New("the mail server offers no TLS; links in letters would travel unencrypted (tls=optional allows it)")
	}
	if s.auth == nil {
		return nil
	}
	return client.Auth(s.auth)
}

// unavailable returns the fault of a mail server that cannot be used now.
func unavailable(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	return fault.New(fault.Unavailable, "mail_unavailable", "The mail server does not accept letters.").Because(err)
}

// refused distinguishes a letter that is refused for good (RFC 5321, replies 5yz) from a server
// that may accept it later.
func refused(err error) error {
	var reply *textproto.Error
	if errors.As(err, &reply) && reply.Code >= 500 {
		return fault.New(fault.Invalid, "mail_refused", fmt.Sprintf("The mail server refuses the letter with %d.", reply.Code)).Because(err)
	}
	return unavailable(err)
}
