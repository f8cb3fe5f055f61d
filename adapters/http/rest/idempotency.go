package rest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"tilth/adapters/http/transfer"
	"tilth/core/fault"
	"tilth/ports"
)

// Headers of idempotent requests.
const (
	idempotencyKey = "Idempotency-Key"
	replayed       = "Idempotent-Replay"
)

// keptHeaders are the headers of an answer that its repeats have too. The others belong to the single request.
var keptHeaders = []string{"Content-Type", "Content-Disposition", "ETag", "Location", "Link", "X-Total-Count", "Retry-After", "Cache-Control", ignoredHeader}

// unkept are the prefixes of paths whose answers hold secrets and are not kept.
var unkept = []string{"auth/", "api-key/"}

// repeatable reports whether a route takes an Idempotency-Key.
func (r Route) repeatable() bool {
	return r.Method == http.MethodPost && r.dialect == nil && !r.Public && !r.Secret && !r.Reading && !r.Unkeyed &&
		!slices.ContainsFunc(unkept, func(prefix string) bool { return strings.HasPrefix(r.Path+"/", prefix) })
}

// once carries out a request with an Idempotency-Key only once. It carries out other requests as they
// are: those without a key, outside a company, with nothing to write, or with a body that cannot be read.
func (c *Call) once(ctx context.Context, op *operation) error {
	key := c.Header(idempotencyKey)
	if key == "" || c.api.config.Once == nil || !op.route.repeatable() || c.principal.CompanyID == 0 {
		return c.carryOut(ctx, op)
	}
	if len(key) > 255 || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return fault.Field(idempotencyKey, "1 to 255 visible ASCII characters, such as a UUID.")
	}
	digest, err := c.digest()
	if err != nil {
		return c.carryOut(ctx, op)
	}
	to := c.writer
	answer, again, err := c.api.config.Once(ctx, c.principal, key, digest, func(ctx context.Context) (ports.Answer, bool) {
		kept := transfer.Keep(to)
		c.writer = kept
		if err := c.carryOut(ctx, op); err != nil {
			c.api.writeError(kept, c.request, err, c.odd())
		}
		answer := kept.Answer(keptHeaders)
		return answer, answer.Status < statusClientGone
	})
	c.writer = to
	if err != nil {
		return err
	}
	if again {
		c.SetHeader(replayed, "true")
	}
	for name, value := range answer.Header {
		c.SetHeader(name, value)
	}
	if len(answer.Body) > 0 {
		c.SetHeader("Content-Length", strconv.Itoa(len(answer.Body)))
	}
	c.share.Leave()
	to.WriteHeader(answer.Status)
	_, _ = to.Write(answer.Body) // the caller may be gone; it will ask again
	return nil
}

// carryOut runs a request whose caller may make it, and answers it.
func (c *Call) carryOut(ctx context.Context, op *operation) error {
	out, err := op.run(ctx, c)
	if err != nil {
		return err
	}
	return out.answer(c)
}

// digest identifies a request by its method, address and body. A streamed body is too large to be
// read beforehand; its content type and announced length take its place.
func (c *Call) digest() (string, error) {
	parts := []string{c.request.Method, strings.TrimSuffix(c.request.URL.Path, "/"), c.request.URL.RawQuery}
	var body []byte
	if c.route.MaxBody > 0 {
		parts = append(parts, c.Header("Content-Type"), c.Header("Content-Length"))
	} else {
		var err error
		if body, err = c.Body(); err != nil {
			return "", err
		}
		c.request.Body = io.NopCloser(bytes.NewReader(body)) // a handler may read it as a stream
	}
	hash := sha256.New()
	_, _ = io.WriteString(hash, strings.Join(parts, "\x00")+"\x00") // a hash takes everything
	_, _ = hash.Write(body)
	return hex.EncodeToString(hash.Sum(nil)), nil
}
