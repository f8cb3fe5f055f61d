// Package hooks posts events to the addresses that companies have registered: signed as
// Standard Webhooks specifies, to public addresses only unless the operator allows others,
// and with bounds on everything that the other side controls.
package hooks

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"tilth/app/events"
	"tilth/core/webhook"
	"tilth/ports"
)

// Bounds of one try.
const (
	wholeTimeout   = 10 * time.Second
	connectTimeout = 5 * time.Second // for the name and the connection
	maxRead        = 64 << 10        // bytes of the response's body, and of its header
	excerpt        = 1 << 10         // bytes of the body that are kept
	maxIdle        = 30 * time.Second
)

var errRefused = errors.New("address refused")

// Sender posts deliveries. It is safe for concurrent use.
type Sender struct {
	rules  Rules
	client *http.Client
	agent  string
}

var _ ports.WebhookSender = (*Sender)(nil)

// New returns a sender; its requests name the version.
func New(rules Rules, version string) *Sender {
	s := &Sender{rules: rules, agent: "Tilth-Webhooks/" + version}
	dialer := &net.Dialer{Timeout: connectTimeout, Control: s.control}
	s.client = &http.Client{
		Transport: &http.Transport{
			// No proxy from the environment: the check would see the proxy's address.
			DialContext: dialer.DialContext, TLSHandshakeTimeout: connectTimeout, DisableCompression: true,
			MaxResponseHeaderBytes: maxRead, MaxIdleConnsPerHost: 1, MaxIdleConns: 100, IdleConnTimeout: maxIdle,
		},
		// A redirect would lead to an address that was not checked.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return s
}

// Close closes the idle connections.
func (s *Sender) Close() { s.client.CloseIdleConnections() }

// Send implements ports.WebhookSender.
func (s *Sender) Send(ctx context.Context, p ports.Parcel) webhook.Outcome {
	// The rules may have become stricter since the address was registered.
	if problem := s.Check(p.URL); problem != "" {
		return webhook.Outcome{Error: problem}
	}
	ctx, cancel := context.WithTimeout(ctx, wholeTimeout)
	defer cancel()
	start := time.Now()
	var token string
	if p.Token != nil {
		got, failed := s.token(ctx, *p.Token, p.At)
		if failed != nil {
			failed.Duration = time.Since(start)
			return *failed
		}
		token = got
	}
	req, err := s.request(ctx, p, token)
	if err != nil {
		return webhook.Outcome{Error: "The request could not be made."}
	}
	res, err := s.client.Do(req)
	if err != nil {
		return webhook.Outcome{Error: reasonOf(err), Duration: time.Since(start)}
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxRead))
	out := webhook.Outcome{
		StatusCode: res.StatusCode, RetryAfter: retryAfter(res.Header.Get("Retry-After"), p.At),
		Answer: text(body), Duration: time.Since(start),
	}
	if err != nil && !out.Delivered() { // a success with a truncated body is a success
		out.Answer += " …"
	}
	return out
}

// request makes the request of a parcel: signed where it has secrets, with a token unless that is empty.
func (s *Sender) request(ctx context.Context, p ports.Parcel, token string) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.URL, bytes.NewReader(p.Body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", events.Media)
	req.Header.Set("User-Agent", s.agent)
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	if len(p.Secrets) == 0 {
		return req, nil
	}
	signature, err := Sign(p.Secrets, p.ID, p.At, p.Body)
	req.Header.Set(HeaderID, p.ID)
	req.Header.Set(HeaderTimestamp, timestamp(p.At))
	req.Header.Set(HeaderSignature, signature)
	return req, err
}

// reasonOf returns why there was no response. It does not quote network errors: they contain
// the addresses that a name resolved to.
func reasonOf(err error) string {
	var name *net.DNSError
	var network net.Error
	switch {
	case errors.Is(err, errRefused):
		return refusedAddress
	case errors.As(err, &name):
		return "The name of the address could not be resolved."
	case errors.As(err, &network) && network.Timeout():
		return "The address did not answer in time."
	case strings.Contains(err.Error(), "tls:") || strings.Contains(err.Error(), "x509:"):
		return "No safe connection: the address has no certificate that is valid for its name."
	}
	return "The address could not be reached, or closed the connection."
}

// retryAfter parses the header, seconds or a date (RFC 9110, section 10.2.3); 0 if it is
// neither, or in the past.
func retryAfter(header string, now time.Time) time.Duration {
	const maxSeconds = 24 * 60 * 60
	if n, err := strconv.Atoi(strings.TrimSpace(header)); err == nil {
		return time.Duration(min(max(n, 0), maxSeconds)) * time.Second
	}
	if at, err := http.ParseTime(header); err == nil && at.After(now) {
		return at.Sub(now)
	}
	return 0
}

// text returns the beginning of a body as text that every database can store.
func text(body []byte) string {
	body = body[:min(len(body), excerpt)]
	return strings.ReplaceAll(strings.ToValidUTF8(string(body), "\uFFFD"), "\x00", "\uFFFD")
}
