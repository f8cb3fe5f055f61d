package http

import (
	"mime"
	"net/http"
	"strings"

	"github.com/klauspost/compress/gzhttp"

	"tilth/adapters/http/etag"
	"tilth/adapters/http/rest"
)

// minCompressed is the length below which compression saves no packet.
const minCompressed = 1 << 10

// compress compresses answers that are text and long enough, with the best coding that the caller
// accepts. Flushed data reaches the caller at once.
func compress(next http.Handler) (http.Handler, error) {
	wrap, err := gzhttp.NewWrapper(gzhttp.MinSize(minCompressed), gzhttp.ContentTypeFilter(compressible),
		gzhttp.SuffixETag(etag.CodingStart+"gzip")) // for zstd, the suffix is zstd
	if err != nil {
		return nil, err
	}
	return wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(guarded{w}, r) })), nil
}

func compressible(contentType string) bool {
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil || media == rest.EventStreamMedia {
		return false
	}
	return strings.HasPrefix(media, "text/") || strings.HasSuffix(media, "json") || strings.HasSuffix(media, "xml") ||
		media == "application/javascript" || media == "application/yaml"
}

// guarded does not compress answers that must not be stored (no-store): they hold tokens, whose
// length compression would reveal, or are short.
type guarded struct{ http.ResponseWriter }

func (g guarded) guard() {
	if strings.Contains(g.Header().Get("Cache-Control"), "no-store") {
		g.Header().Set(gzhttp.HeaderNoCompression, "true")
	}
}

// WriteHeader implements http.ResponseWriter.
func (g guarded) WriteHeader(status int) {
	g.guard()
	g.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (g guarded) Write(p []byte) (int, error) {
	g.guard()
	return g.ResponseWriter.Write(p)
}

// Unwrap lets http.ResponseController reach the connection.
func (g guarded) Unwrap() http.ResponseWriter { return g.ResponseWriter }
