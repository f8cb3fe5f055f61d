package rest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"

	"tilth/core/fault"
	"tilth/ports"
)

// Headers of idempotent requests.
const (
	idempotencyKey = "Idempotency-Key"
	replayed       = "Idempotent-Replay"
)

// maxKeptAnswer bounds the answers that are kept to be given again.
const maxKeptAnswer = 16 << 20

// keptHeaders are the headers that are given again with an answer. The others are of
// the single request.
var keptHeaders = []string{"Content-Type", "Content-Disposition", "ETag", "Location", "Link", "X-Total-Count", "Retry-After", "Cache-Control"}

// unkept are the beginnings of paths whose answers hold secrets and are not kept.
var unkept = []string{"auth/", "api-key/"}

// repeatable reports whether a route takes an Idempotency-Key.
func (r Route) repeatable() bool {
	if r.Method != http.MethodPost || r.Public || r.Secret {
		return false
	}
	for _, prefix := range unkept {
		if strings.HasPrefix(r.Path+"/", prefix) {
			return false
		}
	}
	return true
}

// once carries a request with an Idempotency-Key out once. Without a key, outside a
// company, where there is nothing to write, and for a body that cannot be read it
// carries it out as it is.
func (a *API) once(ctx context.Context, op *operation, c *Call) error {
	key := c.Header(idempotencyKey)
	if key == "" || a.config.Once == nil || !op.route.repeatable() || c.principal.CompanyID == 0 {
		return a.carryOut(ctx, op, c)
	}
	if !wellFormedKey(key) {
		return fault.Field(idempotencyKey, "1 to 255 visible ASCII characters, such as a UUID.")
	}
	digest, err := c.digest()
	if err != nil {
		return a.carryOut(ctx, op, c)
	}
	to := c.writer
	answer, again, err := a.config.Once(ctx, c.principal, key, digest, func(ctx context.Context) (ports.Answer, bool) {
		kept := &keeper{to: to, status: http.StatusOK}
		c.writer = kept
		if err := a.carryOut(ctx, op, c); err != nil {
			a.writeError(kept, c.request, err, op.route.Odd)
		}
		return kept.answer(), kept.status < statusClientGone && kept.body.Len() <= maxKeptAnswer
	})
	c.writer = to
	if err != nil {
		return err
	}
	if again {
		to.Header().Set(replayed, "true")
	}
	for name, value := range answer.Header {
		to.Header().Set(name, value)
	}
	if len(answer.Body) > 0 {
		to.Header().Set("Content-Length", strconv.Itoa(len(answer.Body)))
	}
	to.WriteHeader(answer.Status)
	_, _ = to.Write(answer.Body) // the caller may be gone; it will ask again
	return nil
}

// digest stands for a request: its method, address and body. A body that is streamed is
// too large to be read before; its content type and announced length stand for it.
func (c *Call) digest() (string, error) {
	hash := sha256.New()
	write := func(parts ...string) {
		for _, p := range parts {
			_, _ = hash.Write(append([]byte(p), 0)) // a hash takes everything
		}
	}
	write(c.request.Method, strings.TrimSuffix(c.request.URL.Path, "/"), c.request.URL.RawQuery)
	if c.route.MaxBody > 0 {
		write(c.Header("Content-Type"), c.Header("Content-Length"))
		return hex.EncodeToString(hash.Sum(nil)), nil
	}
	body, err := c.Body()
	if err != nil {
		return "", err
	}
	_, _ = hash.Write(body)
	return hex.EncodeToString(hash.Sum(nil)), nil
}

func wellFormedKey(key string) bool {
	for i := range len(key) {
		if key[i] <= ' ' || key[i] > '~' {
			return false
		}
	}
	return len(key) <= 255
}

// keeper is a writer that keeps an answer. Its header is that of the connection, which
// middleware has written to.
type keeper struct {
	to     http.ResponseWriter
	status int
	sent   bool
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (k *keeper) Header() http.Header { return k.to.Header() }

// Unwrap lets http.ResponseController set the deadlines of the connection.
func (k *keeper) Unwrap() http.ResponseWriter { return k.to }

// Flush keeps http.ResponseController from sending what is not final yet.
func (k *keeper) Flush() {}

// WriteHeader implements http.ResponseWriter.
func (k *keeper) WriteHeader(status int) {
	if !k.sent {
		k.status, k.sent = status, true
	}
}

// Write implements http.ResponseWriter.
func (k *keeper) Write(p []byte) (int, error) {
	k.sent = true
	return k.body.Write(p)
}

func (k *keeper) answer() ports.Answer {
	out := ports.Answer{Status: k.status, Header: map[string]string{}, Body: k.body.Bytes()}
	for _, name := range keptHeaders {
		if value := k.Header().Get(name); value != "" {
			out.Header[name] = value
		}
	}
	return out
}
