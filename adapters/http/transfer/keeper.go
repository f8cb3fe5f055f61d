package transfer

import (
	"bytes"
	"cmp"
	"net/http"

	"tilth/ports"
)

// Keeper is a writer that keeps an answer: nothing is sent before it is stored. An answer is no
// larger than what a bounded request makes of it, so that it fits into memory and into a row.
type Keeper struct {
	http.ResponseWriter
	header http.Header
	status int // 0 until the header is written
	body   bytes.Buffer
}

// Keep returns a keeper in the place of a writer, with the header that it has so far.
func Keep(to http.ResponseWriter) *Keeper {
	return &Keeper{ResponseWriter: to, header: to.Header().Clone()}
}

// Header implements http.ResponseWriter.
func (k *Keeper) Header() http.Header { return k.header }

// Unwrap lets http.ResponseController set the deadlines of the connection.
func (k *Keeper) Unwrap() http.ResponseWriter { return k.ResponseWriter }

// Flush keeps http.ResponseController from sending what is not final yet.
func (k *Keeper) Flush() {}

// WriteHeader implements http.ResponseWriter.
func (k *Keeper) WriteHeader(status int) { k.status = cmp.Or(k.status, status) }

// Write implements http.ResponseWriter.
func (k *Keeper) Write(p []byte) (int, error) {
	k.WriteHeader(http.StatusOK)
	return k.body.Write(p)
}

// Answer returns what was kept, with those of its headers that are named.
func (k *Keeper) Answer(headers []string) ports.Answer {
	k.WriteHeader(http.StatusOK)
	out := ports.Answer{Status: k.status, Header: map[string]string{}, Body: k.body.Bytes()}
	for _, name := range headers {
		if value := k.Header().Get(name); value != "" {
			out.Header[name] = value
		}
	}
	return out
}
