// Package keep holds values in memory, up to a number of bytes: blocks and headers of files, and maps that were read.
package keep

import (
	"container/list"
	"context"
	"errors"
	"sync"
)

// Value is decoded data with its memory in bytes.
type Value struct {
	Data any
	Cost int64
}

// kept is a value that is cached, or that a caller is loading.
type kept[K comparable] struct {
	key  K
	done chan struct{} // closed when value or err is set
	Value
	err    error
	recent *list.Element // nil while it is loaded
}

// Cache keeps decoded blocks and headers up to a number of bytes, evicting the least recently used
// first. A value that several callers request at once is loaded by one of them.
type Cache[K comparable] struct {
	mu      sync.Mutex
	upper   int64
	used    int64
	entries map[K]*kept[K]
	recent  *list.List // of *kept[K]; front: used last
}

// New returns a cache of at most upper bytes.
func New[K comparable](upper int64) *Cache[K] {
	return &Cache[K]{upper: upper, entries: map[K]*kept[K]{}, recent: list.New()}
}

// errAbandoned is the error of a load whose caller panicked.
var errAbandoned = errors.New("the load was abandoned")

// Get returns the data of keys, which must differ from each other. load is called with those that are
// neither cached nor being loaded, and returns their values in that order. A caller whose load ended
// because another caller's context ended loads the values itself. Failures are not cached.
func (c *Cache[K]) Get(ctx context.Context, keys []K, load func(context.Context, []K) ([]Value, error)) ([]any, error) {
	out := make([]any, len(keys))
	pending := make([]int, len(keys))
	for i := range pending {
		pending[i] = i
	}
	for len(pending) > 0 {
		entries, mine := c.claim(keys, pending)
		if len(mine) > 0 {
			if err := c.load(ctx, mine, load); err != nil {
				return nil, err
			}
		}
		pending = pending[:0]
		for i, e := range entries {
			if e == nil {
				continue
			}
			select {
			case <-e.done:
			case <-ctx.Done():
				return nil, ctx.Err()
			}
			switch {
			case e.err == nil:
				out[i] = e.Data
			case errors.Is(e.err, context.Canceled), errors.Is(e.err, context.DeadlineExceeded), errors.Is(e.err, errAbandoned):
				pending = append(pending, i)
			default:
				return nil, e.err
			}
		}
	}
	return out, nil
}

// claim returns the entries of the pending keys by index, and those that are new and the caller's to
// load.
func (c *Cache[K]) claim(keys []K, pending []int) (entries, mine []*kept[K]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	entries = make([]*kept[K], len(keys))
	for _, i := range pending {
		e := c.entries[keys[i]]
		switch {
		case e == nil:
			e = &kept[K]{key: keys[i], done: make(chan struct{}), err: errAbandoned}
			c.entries[keys[i]] = e
			mine = append(mine, e)
		case e.recent != nil:
			c.recent.MoveToFront(e.recent)
		}
		entries[i] = e
	}
	return entries, mine
}

// load loads entries, and caches their values.
func (c *Cache[K]) load(ctx context.Context, mine []*kept[K], load func(context.Context, []K) ([]Value, error)) error {
	err := errAbandoned
	var values []Value
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		for i, e := range mine {
			if e.err = err; err == nil {
				e.Value = values[i]
			}
			if err == nil && e.Cost <= c.upper {
				e.recent = c.recent.PushFront(e)
				c.used += e.Cost
			} else {
				delete(c.entries, e.key)
			}
			close(e.done)
		}
		c.trim()
	}()
	var missing []K
	for _, e := range mine {
		missing = append(missing, e.key)
	}
	values, err = load(ctx, missing)
	return err
}

// trim evicts the least recently used until the rest fits.
func (c *Cache[K]) trim() {
	for c.used > c.upper {
		c.evict(c.recent.Back().Value.(*kept[K]))
	}
}

func (c *Cache[K]) evict(e *kept[K]) {
	c.recent.Remove(e.recent)
	delete(c.entries, e.key)
	c.used -= e.Cost
}

// Has reports whether the data of a key is cached or being loaded.
func (c *Cache[K]) Has(k K) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.entries[k] != nil
}

// Drop evicts the data cached under k, if it still is.
func (c *Cache[K]) Drop(k K, data any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.entries[k]; e != nil && e.recent != nil && e.Data == data {
		c.evict(e)
	}
}
