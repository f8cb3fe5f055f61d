package cog

import (
	"cmp"
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
	"sync"

	"tilth/adapters/imagery/remote"
	"tilth/core/fault"
)

// ranges is a file behind HTTP, read by byte ranges (RFC 9110, 14).
type ranges struct {
	client *remote.Client
	signer Signer // nil: requests use the plain address
	url    string
	name   string

	mu   sync.Mutex
	seen state
}

// state is what distinguishes one content of an address from another.
type state struct {
	size int64  // -1 until an answer states it
	tag  string // its ETag, or else its Last-Modified; empty until an answer states one
}

// changeable is a source whose file may be replaced while it is read.
type changeable interface {
	state() state
	// pin sets the state from which the file was read before: later reads must be of the same state.
	pin(state)
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
	return &ranges{client: client, signer: signer, url: address, name: name, seen: state{size: -1}}, nil
}

func (r *ranges) Size() int64     { return r.state().size }
func (r *ranges) Address() string { return r.url }

func (r *ranges) state() state {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.seen
}

func (r *ranges) pin(s state) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen = s
}

// ReadAt requests one range. Beyond the end of the file it returns the bytes there are, and io.EOF. A
// range from another state of the file than the earlier ranges is the fault that Changed reports.
func (r *ranges) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	got, err := r.signed(ctx, p, off)
	if refusedWith(err) == http.StatusPreconditionFailed {
		return 0, r.changed().Because(err)
	}
	if err != nil {
		return 0, err
	}
	if got < len(p) {
		return got, io.EOF
	}
	return got, nil
}

// signed requests a signed address, where there is a signer. When that is refused, it requests a
// freshly signed one: signatures expire.
func (r *ranges) signed(ctx context.Context, p []byte, off int64) (int, error) {
	if r.signer == nil {
		got, err := r.ask(ctx, r.url, p, off)
		if refusedWith(err) == http.StatusForbidden {
			return 0, fault.Newf(fault.NotFound, "imagery_gone", "The imagery source does not serve %s.", r.name).Because(err)
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
		if tag := r.state().tag; strings.HasPrefix(tag, `"`) { // a weak one never matches (RFC 9110, 13.1.1)
			request.Header.Set("If-Match", tag)
		}
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
			return 0, r.learn(total, answer.Header)
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
	return want, r.learn(total, answer.Header)
}

// learn records the state of the file, which must stay as it is; total is -1 where it is not stated.
func (r *ranges) learn(total int64, h http.Header) error {
	tag := cmp.Or(h.Get("ETag"), h.Get("Last-Modified"))
	r.mu.Lock()
	defer r.mu.Unlock()
	if total >= 0 && r.seen.size >= 0 && total != r.seen.size || tag != "" && r.seen.tag != "" && tag != r.seen.tag {
		return r.changed()
	}
	r.seen = state{max(r.seen.size, total), cmp.Or(r.seen.tag, tag)}
	return nil
}

const codeChanged = "imagery_changed"

func (r *ranges) changed() *fault.Error {
	return fault.Newf(fault.Unavailable, codeChanged, "%s changed while it was read.", r.name)
}

// Changed reports whether a file was replaced while it was read. Opened again, it is read from its new
// state.
func Changed(err error) bool {
	f, ok := fault.As(err)
	return ok && f.Code == codeChanged
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
