package secrets

import (
	"bytes"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"tilth/adapters/http/session"
)

// Watched returns a transport that declares the secrets of what it sends and receives, and records
// the responses that are errors.
func Watched(transport http.RoundTripper) http.RoundTripper { return watched{transport} }

type watched struct{ http.RoundTripper }

// openHeaders contain no secrets: they state how to send and answer, and what is logged on purpose.
var openHeaders = []string{
	"Accept", "Accept-Encoding", "Access-Control-Request-Headers", "Access-Control-Request-Method", "Content-Type", "Expect", "If-Match",
	"If-None-Match", "If-Range", "Last-Event-Id", "Origin", "Prefer", "Range", "Sec-Fetch-Site", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Request-Id",
}

// RoundTrip implements http.RoundTripper.
func (w watched) RoundTrip(r *http.Request) (*http.Response, error) {
	for name, values := range r.Header {
		for _, value := range values {
			if !slices.Contains(openHeaders, name) {
				Declare(strings.TrimPrefix(strings.TrimPrefix(value, "Bearer "), session.Name+"="))
			}
		}
	}
	secretsOf(r.URL.Query())
	if _, token, linked := strings.Cut(r.URL.Path, "/link/"); linked {
		Declare(strings.Trim(token, "/"))
	}
	sent := &beginning{}
	if r.Body != nil && r.Body != http.NoBody {
		body := r.Body
		r = r.Clone(r.Context())
		r.Body = readCloser{io.TeeReader(body, sent), body}
	}
	res, err := w.RoundTripper.RoundTrip(r)
	secretsIn(r.Header.Get("Content-Type"), sent.bytes())
	if err != nil {
		return nil, err
	}
	for name, values := range res.Header {
		if name == "Content-Disposition" && res.StatusCode < http.StatusBadRequest {
			continue // the name of a file belongs to the file, as its body does
		}
		for _, value := range values {
			if name == "Set-Cookie" { // it is meant for one browser
				cookie, _, _ := strings.Cut(value, ";")
				Declare(strings.TrimPrefix(cookie, session.Name+"="))
				continue
			}
			_, _ = observed{io.Discard}.Write([]byte(name + ": " + value + "\n"))
		}
	}
	received, end := &beginning{}, res.Body.Close
	done := sync.OnceValue(func() error {
		if res.StatusCode < http.StatusBadRequest {
			secretsIn(res.Header.Get("Content-Type"), received.bytes())
		} else {
			_, _ = observed{io.Discard}.Write(append(received.bytes(), '\n'))
		}
		return end()
	})
	res.Body = readCloser{io.TeeReader(res.Body, received), closer(done)}
	return res, nil
}

type readCloser struct {
	io.Reader
	io.Closer
}

type closer func() error

func (c closer) Close() error { return c() }

// watchedBytes bounds the part of a body that is inspected.
const watchedBytes = 1 << 20

// beginning keeps the first bytes written to it.
type beginning struct {
	mu   sync.Mutex
	kept bytes.Buffer
}

func (b *beginning) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.kept.Write(p[:min(len(p), watchedBytes-b.kept.Len())])
	return len(p), nil
}

func (b *beginning) bytes() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.kept.Bytes())
}

// secretsIn declares the secrets of a body: the members or form fields with the names of secrets.
func secretsIn(contentType string, text []byte) {
	media, params, _ := mime.ParseMediaType(contentType)
	switch media {
	case "multipart/form-data":
		for form := multipart.NewReader(bytes.NewReader(text), params["boundary"]); ; {
			part, err := form.NextPart()
			if err != nil {
				return
			}
			if value, err := io.ReadAll(part); err == nil && slices.Contains(secretMembers, part.FormName()) {
				Declare(string(value))
			}
		}
	case "application/x-www-form-urlencoded":
		if values, err := url.ParseQuery(string(text)); err == nil {
			secretsOf(values)
		}
	default:
		secretsInJSON(text)
	}
}

func secretsOf(values url.Values) {
	for _, name := range secretMembers {
		for _, value := range values[name] {
			Declare(value)
		}
	}
}
