package cog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"

	"tilth/adapters/imagery/remote"
	"tilth/core/fault"
)

// ranges is a file behind HTTP, read by byte ranges (RFC 9110, 14).
type ranges struct {
	client *remote.Client
	signer Signer // nil: requests use the plain address
	url    string
	name   string
	size   atomic.Int64 // -1 until an answer states it
}

// Signer turns a file's address into one that its store accepts for a while. Safe for concurrent
// use.
type Signer interface {
	// Sign returns the signed address. refused is an earlier result that the store did not accept;
	// where it is empty, an earlier signature may be reused. Faults as in ports.Imagery.
	Sign(ctx context.Context, address, refused string) (string, error)
}

// FromURL returns the file at an http or https address whose server serves byte ranges. It sends no
// request; the first read learns the size. A file refused with 403 counts as gone, because stores
// that do not list their contents answer so.
func FromURL(client *remote.Client, address string) (Source, error) {
	return FromSignedURL(client, address, nil)
}

// FromSignedURL is FromURL for a store that requires signed addresses. There 401 and 403 mean that
// a signature has expired: the address is signed once more.
func FromSignedURL(client *remote.Client, address string, signer Signer) (Source, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return nil, unsupported("a file of the catalog", "its address is not a URL")
	}
	name := path.Base(u.Path)
	if u.Scheme != "http" && u.Scheme != "https" {
		return nil, unsupported(name, "addresses of scheme %q are not read, only http and https", u.Scheme)
	}
	r := &ranges{client: client, signer: signer, url: address, name: name}
	r.size.Store(-1)
	return r, nil
}

func (r *ranges) Size() int64     { return r.size.Load() }
func (r *ranges) Address() string { return r.url }

// ReadAt requests one range. Beyond the end of the file it returns the bytes there are, and io.EOF.
func (r *ranges) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	got, err := r.signed(ctx, p, off)
	if err != nil {
		return 0, err
	}
	if got < len(p) {
		return got, io.EOF
	}
	return got, nil
}

// signed requests a signed address, where there is a signer, and once more a freshly signed one
// when the first is refused: signatures expire.
func (r *ranges) signed(ctx context.Context, p []byte, off int64) (int, error) {
	if r.signer == nil {
		got, err := r.ask(ctx, r.url, p, off)
		if refusedWith(err) == http.StatusForbidden {
			return 0, fault.Newf(fault.NotFound, "imagery_gone", "The imagery source does not give out %s.", r.name).Because(err)
		}
		return got, err
	}
	address, err := r.signer.Sign(ctx, r.url, "")
	if err != nil {
		return 0, err
	}
	got, err := r.ask(ctx, address, p, off)
	if status := refusedWith(err); status != http.StatusUnauthorized && status != http.StatusForbidden {
		return got, err
	}
	if address, err = r.signer.Sign(ctx, r.url, address); err != nil {
		return 0, err
	}
	return r.ask(ctx, address, p, off)
}

// refusedWith returns the HTTP status that caused an error; 0 where none did.
func refusedWith(err error) int {
	var status remote.Status
	if errors.As(err, &status) {
		return int(status)
	}
	return 0
}

func (r *ranges) ask(ctx context.Context, address string, p []byte, off int64) (got int, err error) {
	err = r.client.Do(ctx, r.name, func(ctx context.Context) (*http.Request, error) {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
		if err != nil {
			return nil, err
		}
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-%d", off, off+int64(len(p))-1))
		request.Header.Set("Accept-Encoding", "identity")
		return request, nil
	}, func(answer *http.Response) error {
		var err error
		got, err = r.take(answer, p, off)
		return err
	})
	return got, err
}

// take checks that the answer is the requested range, and reads it.
func (r *ranges) take(answer *http.Response, p []byte, off int64) (int, error) {
	stated := answer.Header.Get("Content-Range")
	if answer.StatusCode == http.StatusRequestedRangeNotSatisfiable {
		if total, ok := parseTotal(strings.TrimPrefix(stated, "bytes */")); ok {
			return 0, r.learn(total)
		}
		return 0, nil
	}
	if answer.StatusCode != http.StatusPartialContent {
		return 0, unsupported(r.name, "its server does not serve byte ranges (status %d)", answer.StatusCode)
	}
	first, last, total, ok := parseContentRange(stated)
	asked := off + int64(len(p)) - 1
	if !ok || first != off || last > asked || (total >= 0 && (last >= total || last != min(asked, total-1))) {
		return 0, remote.Again(fmt.Errorf("requested bytes %d-%d, got %q", off, asked, stated))
	}
	want := int(last - first + 1)
	if answer.ContentLength >= 0 && answer.ContentLength != int64(want) {
		return 0, remote.Again(fmt.Errorf("content length %d for %d bytes", answer.ContentLength, want))
	}
	if n, err := io.ReadFull(answer.Body, p[:want]); err != nil {
		return 0, remote.Again(fmt.Errorf("body ended after %d of %d bytes: %w", n, want, err))
	}
	if total >= 0 {
		return want, r.learn(total)
	}
	return want, nil
}

// learn records the size; a file whose size changes during reading was replaced.
func (r *ranges) learn(total int64) error {
	if r.size.CompareAndSwap(-1, total) || r.size.Load() == total {
		return nil
	}
	return broken(r.name, "it changed its size while it was read")
}

var contentRange = regexp.MustCompile(`^bytes (\d+)-(\d+)/(\d+|\*)$`)

// parseContentRange reads "bytes 0-99/1234"; total is -1 for "*".
func parseContentRange(header string) (first, last, total int64, ok bool) {
	parts := contentRange.FindStringSubmatch(header)
	if parts == nil {
		return 0, 0, 0, false
	}
	first, err1 := strconv.ParseInt(parts[1], 10, 64)
	last, err2 := strconv.ParseInt(parts[2], 10, 64)
	total, ok = -1, true
	if parts[3] != "*" {
		total, ok = parseTotal(parts[3])
	}
	return first, last, total, ok && errors.Join(err1, err2) == nil && last >= first
}

func parseTotal(s string) (int64, bool) {
	total, err := strconv.ParseInt(s, 10, 64)
	return total, err == nil && total >= 0
}
