package orders

import (
	"bytes"
	"context"
	"io"
	"sync"
	"time"

	"tilth/core/fault"
	"tilth/ports"
)

// drawer keeps files in memory.
type drawer struct {
	mu    sync.Mutex
	files map[string][]byte
}

type sheet struct{ *bytes.Reader }

func (sheet) Close() error { return nil }

func (d *drawer) Put(_ context.Context, name string, from io.Reader) (int64, error) {
	raw, err := io.ReadAll(from)
	if err == nil {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.files[name] = raw
	}
	return int64(len(raw)), err
}

func (d *drawer) Open(_ context.Context, name string) (ports.Object, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	raw, ok := d.files[name]
	if !ok {
		return nil, fault.Missing("file")
	}
	return sheet{bytes.NewReader(raw)}, nil
}

func (d *drawer) Remove(_ context.Context, name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.files, name)
	return nil
}

func (*drawer) RemoveOlder(context.Context, string, time.Time) error { return nil }
