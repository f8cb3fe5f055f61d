package transfer

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"time"

	"tilth/adapters/http/body"
	"tilth/adapters/http/fairness"
	"tilth/core/fault"
)

// Body reads the body of a request. It bounds it, translates read errors into faults, and keeps the connection's read
// deadline: a large file may take its time as long as it keeps coming. Once the body has arrived the deadline is
// removed, because net/http cancels the request when it passes.
type Body struct {
	Request    *http.Request
	Connection *http.ResponseController
	Deadline   *Deadline     // of the answer, which every piece extends; nil: there is none
	MaxBytes   int64         // a larger body is refused
	Every      time.Duration // that a read may take; 0 to leave the server's deadline alone

	read int64
}

// Read implements io.Reader. Faults: Limit with code body_too_large; Invalid with code malformed_body when the body ends early.
func (b *Body) Read(p []byte) (int, error) {
	if b.Request.ContentLength > b.MaxBytes {
		return 0, b.refuse()
	}
	if b.Every > 0 {
		_ = b.Connection.SetReadDeadline(time.Now().Add(b.Every)) // only writers in tests have no deadlines
	}
	if left := b.MaxBytes - b.read; int64(len(p)) > left+1 {
		p = p[:left+1]
	}
	n, err := b.Request.Body.Read(p)
	b.Deadline.extend()
	if b.read += int64(n); b.read > b.MaxBytes {
		return n - 1, b.refuse()
	}
	var network net.Error
	switch {
	case err == nil:
		return n, nil
	case errors.Is(err, io.EOF):
		_ = b.Connection.SetReadDeadline(time.Time{})
		return n, err
	case errors.Is(err, os.ErrDeadlineExceeded) || errors.As(err, &network) && network.Timeout():
		return n, body.Malformed("The body did not arrive in time.")
	}
	return n, body.Malformed("The body ends before the length that was announced.")
}

// refuse first discards as much again as is allowed: a caller that is still sending when the
// connection closes would see a reset and never the answer.
func (b *Body) refuse() error {
	if b.Request.Header.Get("Expect") == "" { // a caller who sends it waits to be told to send the body
		_, _ = io.CopyN(io.Discard, b.Request.Body, b.MaxBytes) // an error here harms only the caller
	}
	return fault.Newf(fault.Limit, "body_too_large", "The body is larger than %d bytes.", b.MaxBytes).With("max_bytes", b.MaxBytes)
}

// All reads the whole body. A large one takes memory of its company. Waiting for the body is not work; the work begins anew
// once it has arrived. Faults: those of Read; Limit (too_many_bodies, rate_limited).
func (b *Body) All(share *fairness.Request) ([]byte, error) {
	announced := b.Request.ContentLength
	if err := share.Announced(announced); err != nil {
		return nil, err
	}
	text := make([]byte, 0, firstPiece(announced))
	for {
		n, err := b.Read(text[len(text):cap(text)])
		text = text[:len(text)+n]
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil && len(text) == cap(text) {
			text, err = grow(text, announced, share)
		}
		if err != nil {
			return nil, err
		}
	}
	share.Arrived()
	return text, share.Begin(b.Request.Context(), len(text) >= fairness.Large)
}

// firstPiece returns how much of a body of an announced length is read without taking memory: at
// most one byte more than the length, to find its end.
func firstPiece(announced int64) int64 {
	if announced < 0 {
		return bytes.MinRead
	}
	return min(announced+1, fairness.Large)
}

// grow doubles the buffer for a body. It takes memory for what has arrived, not for what was announced.
func grow(text []byte, announced int64, share *fairness.Request) ([]byte, error) {
	size := int64(2 * cap(text))
	if announced >= int64(len(text)) {
		size = min(size, announced+1)
	}
	if err := share.Hold(size); err != nil {
		return nil, err
	}
	return append(make([]byte, 0, size), text...), nil
}
