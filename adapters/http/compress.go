package http

import (
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"tilth/adapters/http/rest"
)

// minCompressed is the length below which compression saves no packet.
const minCompressed = 1 << 10

// encoder is a compressing writer that can be used again.
type encoder interface {
	io.WriteCloser
	Flush() error
	Reset(w io.Writer)
}

// The codings, the better first. A window of 256 KiB keeps an encoder small: there is
// one for every long answer under way.
var (
	codings  = []string{"zstd", "gzip"}
	encoders = map[string]*sync.Pool{
		"zstd": {New: func() any {
			e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(256<<10), zstd.WithEncoderLevel(zstd.SpeedFastest))
			if err != nil {
				panic(err) // the options are constants, and right
			}
			return e
		}},
		"gzip": {New: func() any { return gzip.NewWriter(nil) }},
	}
)

// compress compresses answers that are text, long enough and not compressed already, in
// the best coding that the caller takes. What is flushed reaches the caller.
func compress(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		out := &compressed{ResponseWriter: w, coding: acceptedCoding(r.Header.Values("Accept-Encoding")), head: r.Method == http.MethodHead}
		next.ServeHTTP(out, r)
		out.close() // not after a panic: a stream that was cut must not look whole
	})
}

// compressed is a writer that decides, when the header is sent, whether to compress.
type compressed struct {
	http.ResponseWriter
	coding  string // that the caller takes; empty: none
	head    bool
	decided bool
	encoder encoder // nil: the answer goes as it is
}

// WriteHeader implements http.ResponseWriter.
func (c *compressed) WriteHeader(status int) {
	if status >= http.StatusOK && !c.decided {
		c.decide(status)
	}
	c.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (c *compressed) Write(p []byte) (int, error) {
	if !c.decided {
		c.WriteHeader(http.StatusOK)
	}
	if c.encoder != nil {
		return c.encoder.Write(p)
	}
	return c.ResponseWriter.Write(p)
}

// FlushError is what http.ResponseController asks for.
func (c *compressed) FlushError() error {
	if c.encoder != nil {
		if err := c.encoder.Flush(); err != nil {
			return err
		}
	}
	return http.NewResponseController(c.ResponseWriter).Flush()
}

// Unwrap lets http.ResponseController reach the connection.
func (c *compressed) Unwrap() http.ResponseWriter { return c.ResponseWriter }

func (c *compressed) decide(status int) {
	c.decided = true
	h := c.Header()
	if !compressible(h, status) {
		return
	}
	h.Add("Vary", "Accept-Encoding")
	if c.coding == "" || c.head {
		return
	}
	h.Del("Content-Length")
	h.Set("Content-Encoding", c.coding)
	if tag := h.Get("ETag"); tag != "" {
		h.Set("ETag", rest.CodedTag(tag, c.coding))
	}
	c.encoder = encoders[c.coding].Get().(encoder)
	c.encoder.Reset(c.ResponseWriter)
}

func (c *compressed) close() {
	if c.encoder == nil {
		return
	}
	_ = c.encoder.Close() // the caller may be gone
	c.encoder.Reset(nil)
	encoders[c.coding].Put(c.encoder)
}

// compressible reports whether an answer gains. One that must not be stored is left as
// it is: it holds tokens, whose length compression would give away, or is short.
func compressible(h http.Header, status int) bool {
	if status == http.StatusNoContent || status == http.StatusNotModified || status == http.StatusPartialContent ||
		h.Get("Content-Encoding") != "" || strings.Contains(h.Get("Cache-Control"), "no-store") {
		return false
	}
	if length, err := strconv.Atoi(h.Get("Content-Length")); err == nil && length < minCompressed {
		return false
	}
	media, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil || media == "text/event-stream" {
		return false
	}
	return strings.HasPrefix(media, "text/") || strings.HasSuffix(media, "json") || strings.HasSuffix(media, "xml") ||
		media == "application/javascript" || media == "application/yaml"
}

// acceptedCoding returns the coding of ours that a caller weighs highest (RFC 9110, section
// 12.5.3); empty where it takes none. A wildcard names nothing in particular.
func acceptedCoding(headers []string) string {
	best, weight := "", 0.0
	for _, coding := range codings {
		for member := range strings.SplitSeq(strings.Join(headers, ","), ",") {
			name, parameters, _ := strings.Cut(member, ";")
			if !strings.EqualFold(strings.TrimSpace(name), coding) {
				continue
			}
			q := 1.0
			if text, ok := strings.CutPrefix(strings.TrimSpace(parameters), "q="); ok {
				q, _ = strconv.ParseFloat(text, 64) // what is no number weighs nothing
			}
			if q > weight {
				best, weight = coding, q
			}
		}
	}
	return best
}
