package objects

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"sync"
	"time"

	"github.com/minio/minio-go/v7"

	"tilth/core/fault"
)

const (
	firstWindow = 64 << 10 // the least that is read
	lastWindow  = 1 << 20  // the most that is read ahead for a sequential reader
	windows     = 8        // that are kept of an open file
	direct      = 256 << 10
)

// ranged is a stored file, read in ranges. Archives and rasters are read in many small pieces, some far from each other and
// some in order: the last few ranges are kept, and a sequential reader gets longer ones. An open file takes a few MB at most.
type ranged struct {
	size  int64
	fetch func(ctx context.Context, p []byte, off int64) error
	ctx   context.Context // of Open: io.ReaderAt has none
	end   context.CancelFunc

	mu   sync.Mutex
	kept []window // the one that was used last at the end
}

type window struct {
	start int64
	data  []byte
}

func (w window) end() int64 { return w.start + int64(len(w.data)) }

func newRanged(ctx context.Context, size int64, fetch func(context.Context, []byte, int64) error) *ranged {
	out := &ranged{size: size, fetch: fetch}
	out.ctx, out.end = context.WithCancel(ctx)
	return out
}

// Size implements ports.Object.
func (r *ranged) Size() int64 { return r.size }

// Close implements io.Closer.
func (r *ranged) Close() error {
	r.end()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kept = nil
	return nil
}

// ReadAt implements io.ReaderAt.
func (r *ranged) ReadAt(p []byte, off int64) (n int, err error) {
	if off < 0 {
		return 0, fmt.Errorf("read at %d: %w", off, os.ErrInvalid)
	}
	for n < len(p) {
		at := off + int64(n)
		if at >= r.size {
			return n, io.EOF
		}
		rest := p[n:min(int64(len(p)), r.size-off)]
		if took := r.known(rest, at); took > 0 {
			n += took
			continue
		}
		if len(rest) >= direct {
			if err := r.fetch(r.ctx, rest, at); err != nil {
				return n, err
			}
			n += len(rest)
			continue
		}
		if err := r.load(at, len(rest)); err != nil {
			return n, err
		}
	}
	return n, nil
}

// known copies what a kept window holds from a place on, and returns how many bytes that is.
func (r *ranged) known(p []byte, at int64) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, w := range r.kept {
		if at >= w.start && at < w.end() {
			r.kept = append(append(r.kept[:i:i], r.kept[i+1:]...), w)
			return copy(p, w.data[at-w.start:])
		}
	}
	return 0
}

// load reads and keeps the window around a place from which a number of bytes is wanted.
func (r *ranged) load(at int64, wanted int) error {
	start, length, follows := at-at%firstWindow, int64(firstWindow), -1
	r.mu.Lock()
	for i, w := range r.kept {
		if w.end() == at {
			start, length, follows = at, min(2*int64(len(w.data)), lastWindow), i
		}
	}
	r.mu.Unlock()
	data := make([]byte, min(max(length, at-start+int64(wanted)), r.size-start))
	if err := r.fetch(r.ctx, data, start); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case follows >= 0 && follows < len(r.kept) && r.kept[follows].end() == at:
		r.kept = append(r.kept[:follows:follows], r.kept[follows+1:]...) // it has been read
	case len(r.kept) == windows:
		r.kept = r.kept[1:]
	}
	r.kept = append(r.kept, window{start, data})
	return nil
}

// read fills p with what an object holds from a place on. An object that was replaced since it was opened is a failure.
func (b *Bucket) read(ctx context.Context, key, etag string, p []byte, off int64) (err error) {
	for try := range bucketTries {
		if try > 0 && !pause(ctx, try) {
			break
		}
		broke := false
		if broke, err = b.readOnce(ctx, key, etag, p, off); err == nil {
			return nil
		}
		if !broke {
			break // the client has already tried again what is worth it
		}
	}
	if err = b.failed(ctx, err); fault.Is(err, fault.NotFound) {
		err = unavailable(err) // it was there when it was opened
	}
	return err
}

// readOnce reads once, and reports whether an answer broke off.
func (b *Bucket) readOnce(ctx context.Context, key, etag string, p []byte, off int64) (broke bool, err error) {
	var options minio.GetObjectOptions
	if err := errors.Join(options.SetRange(off, off+int64(len(p))-1), options.SetMatchETag(etag)); err != nil {
		return false, err
	}
	body, _, _, err := b.core.GetObject(ctx, b.at.bucket, key, options)
	if err != nil {
		return false, err
	}
	_, err = io.ReadFull(body, p)
	err = errors.Join(err, body.Close())
	return err != nil, err
}

// pause waits before a further try, and returns whether there may be one.
func pause(ctx context.Context, try int) bool {
	wait := min(200*time.Millisecond<<try, 2*time.Second)
	select {
	case <-time.After(wait/2 + rand.N(wait/2)):
		return true
	case <-ctx.Done():
		return false
	}
}
