// Package mailbox is a mail server that keeps the messages it receives, for tests only. It
// speaks as much of RFC 5321 as a sender needs: EHLO, STARTTLS, AUTH PLAIN, MAIL, RCPT, DATA.
package mailbox

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"io"
	"math/big"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Options are the settings that a test may choose.
type Options struct {
	TLS      bool   // offer STARTTLS
	Implicit bool   // speak TLS from the first byte
	User     string // ask for AUTH, "user:password"
	// Reply returns another reply than the usual to a command, or an empty string for the usual one.
	Reply func(command string) string
}

// Letter is a letter that arrived.
type Letter struct {
	From, To string // of the envelope
	Secure   bool   // came over TLS
	Header   mail.Header
	Subject  string // decoded
	Text     string // decoded
}

// Server is a running mail server.
type Server struct {
	Address string // 127.0.0.1:port
	Roots   *x509.CertPool

	t       testing.TB
	opts    Options
	config  *tls.Config
	letters chan Letter
}

// Start starts a server, which is closed when the test ends.
func Start(t testing.TB, opts Options) *Server {
	t.Helper()
	s := &Server{t: t, opts: opts, letters: make(chan Letter, 100)}
	if opts.TLS || opts.Implicit {
		s.certify()
	}
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	s.Address = listener.Addr().String()
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go s.serve(connection)
		}
	}()
	return s
}

// Next returns the next letter that arrives.
func (s *Server) Next() Letter {
	s.t.Helper()
	select {
	case letter := <-s.letters:
		return letter
	case <-time.After(2 * time.Minute):
		s.t.Fatal("no letter arrived")
		return Letter{}
	}
}

// Waiting returns the number of letters that have arrived and were not taken.
func (s *Server) Waiting() int { return len(s.letters) }

func (s *Server) certify() {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(s.t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "mailbox"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(s.t, err)
	certificate, err := x509.ParseCertificate(der)
	require.NoError(s.t, err)
	s.Roots = x509.NewCertPool()
	s.Roots.AddCert(certificate)
	s.config = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}, MinVersion: tls.VersionTLS12}
}

// serve holds one conversation.
func (s *Server) serve(connection net.Conn) {
	defer func() { _ = connection.Close() }()
	if s.opts.Implicit {
		connection = tls.Server(connection, s.config)
	}
	secure := s.opts.Implicit
	in := bufio.NewReader(connection)
	say := func(line string) { _, _ = io.WriteString(connection, line+"\r\n") }
	say("220 mailbox")
	var letter Letter
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		line = strings.TrimRight(line, "\r\n")
		verb, rest, _ := strings.Cut(line, " ")
		verb = strings.ToUpper(verb)
		if s.opts.Reply != nil {
			if other := s.opts.Reply(line); other != "" {
				say(other)
				continue
			}
		}
		switch verb {
		case "EHLO":
			say("250-mailbox")
			if s.opts.TLS && !secure {
				say("250-STARTTLS")
			}
			if s.opts.User != "" {
				say("250-AUTH PLAIN")
			}
			say("250 8BITMIME")
		case "STARTTLS":
			say("220 go on")
			connection, secure = tls.Server(connection, s.config), true
			in = bufio.NewReader(connection)
		case "AUTH":
			given, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(rest, "PLAIN "))
			if strings.ReplaceAll(strings.Trim(string(given), "\x00"), "\x00", ":") == s.opts.User {
				say("235 welcome")
			} else {
				say("535 no")
			}
		case "MAIL":
			letter = Letter{From: address(rest), Secure: secure}
			say("250 ok")
		case "RCPT":
			letter.To = address(rest)
			say("250 ok")
		case "DATA":
			say("354 go on")
			if !s.read(in, &letter) {
				return
			}
			s.letters <- letter
			say("250 taken")
		case "QUIT":
			say("221 bye")
			return
		default:
			say("250 ok")
		}
	}
}

func address(rest string) string {
	_, rest, _ = strings.Cut(rest, "<")
	rest, _, _ = strings.Cut(rest, ">")
	return rest
}

// read reads a letter up to its dot, and decodes it.
func (s *Server) read(in *bufio.Reader, letter *Letter) bool {
	var text strings.Builder
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return false
		}
		if line == ".\r\n" {
			break
		}
		text.WriteString(strings.TrimPrefix(line, "."))
	}
	message, err := mail.ReadMessage(strings.NewReader(text.String()))
	if err != nil {
		s.t.Errorf("a letter that cannot be read: %v", err)
		return false
	}
	body, err := io.ReadAll(quotedprintable.NewReader(message.Body))
	if err != nil {
		s.t.Errorf("a letter that cannot be read: %v", err)
		return false
	}
	letter.Header, letter.Text = message.Header, string(body)
	letter.Subject, _ = new(mime.WordDecoder).DecodeHeader(message.Header.Get("Subject"))
	return true
}
