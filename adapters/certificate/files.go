// Package certificate provides TLS certificates: from files, which may change while the server runs,
// from an ACME authority, and from a private authority for a network without public names.
package certificate

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

// Files is a certificate with its key in two PEM files. It is safe for concurrent use.
type Files struct {
	certificate, key string
	log              *slog.Logger

	mu    sync.Mutex
	read  *tls.Certificate
	stamp [2]state
}

// state tells whether a file changed.
type state struct {
	at   time.Time
	size int64
}

// Open reads a certificate and its key.
func Open(certificate, key string, log *slog.Logger) (*Files, error) {
	f := &Files{certificate: certificate, key: key, log: log}
	if _, err := f.current(); err != nil {
		return nil, fmt.Errorf("read the certificate in %s and %s: %w", certificate, key, err)
	}
	return f, nil
}

// Config returns a server configuration that follows the files: a renewed certificate is used from
// the next connection on.
func (f *Files) Config() *tls.Config {
	return &tls.Config{
		MinVersion:     tls.VersionTLS12,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return f.current() },
	}
}

// Expires returns when the certificate expires.
func (f *Files) Expires() (time.Time, error) {
	now, err := f.current()
	if err != nil {
		return time.Time{}, err
	}
	leaf, err := x509.ParseCertificate(now.Certificate[0])
	if err != nil {
		return time.Time{}, err
	}
	return leaf.NotAfter, nil
}

// current reads the files if they changed. While they cannot be read or do not match, it returns the certificate
// that was read last.
func (f *Files) current() (*tls.Certificate, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	stamp, err := f.look()
	if err == nil && f.read != nil && stamp == f.stamp {
		return f.read, nil
	}
	var pair tls.Certificate
	if err == nil {
		pair, err = tls.LoadX509KeyPair(f.certificate, f.key)
	}
	if err == nil {
		f.read, f.stamp = &pair, stamp
		return f.read, nil
	}
	if f.read == nil {
		return nil, err
	}
	if stamp != f.stamp { // once for each change
		f.log.Warn("the changed certificate cannot be used: the previous one stays in use", "error", err, "file", f.certificate)
		f.stamp = stamp
	}
	return f.read, nil
}

func (f *Files) look() (out [2]state, err error) {
	for i, name := range []string{f.certificate, f.key} {
		info, err := os.Stat(name)
		if err != nil {
			return out, err
		}
		out[i] = state{info.ModTime(), info.Size()}
	}
	return out, nil
}
