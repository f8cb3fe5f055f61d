package cog

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"sync"
)

// key is one block of one file; headerBlock stands for the header.
type key struct {
	address string
	block   int
}

const headerBlock = -1

func (k key) String() string { return fmt.Sprintf("%s#%d", k.address, k.block) }

// value is decoded data with its memory in bytes.
type value struct {
	data any
	cost int64
}

// kept is a value that is cached, or that a caller is loading.
type kept struct {
	key  key
	done chan struct{} // closed when value or err is set
	value
	err    error
	recent *list.Element // nil while it is loaded
}

// cache keeps decoded blocks and headers up to a number of bytes, evicting the least recently used
// first. A value that several callers request at once is loaded by one of them.
type cache struct {
	mu      sync.Mutex
	upper   int64
	used    int64
	entries map[key]*kept
	recent  *list.List // of *kept; front: used last
}

func newCache(upper int64) *cache {
	return &cache{upper: upper, entries: map[key]*kept{}, recent: list.New()}
}

// errAbandoned is the error of a load whose caller panicked.
var errAbandoned = errors.New("the load was abandoned")

// get returns the data of keys, which must differ from each other. load is called with those that are
// neither cached nor being loaded, and returns their values in that order. Callers whose load ended
// because another caller's context did load themselves. Failures are not cached.
func (c *cache) get(ctx context.Context, keys []key, load func(context.Context, []key) ([]value, error)) ([]any, error) {
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
				out[i] = e.data
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
func (c *cache) claim(keys []key, pending []int) (entries, mine []*kept) {
	c.mu.Lock()
	defer c.mu.Unlock()
	entries = make([]*kept, len(keys))
	for _, i := range pending {
		e := c.entries[keys[i]]
		switch {
		case e == nil:
			e = &kept{key: keys[i], done: make(chan struct{}), err: errAbandoned}
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
func (c *cache) load(ctx context.Context, mine []*kept, load func(context.Context, []key) ([]value, error)) error {
	err := errAbandoned
	var values []value
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		for i, e := range mine {
			if e.err = err; err == nil {
				e.value = values[i]
			}
			if err == nil && e.cost <= c.upper {
				e.recent = c.recent.PushFront(e)
				c.used += e.cost
			} else {
				delete(c.entries, e.key)
			}
			close(e.done)
		}
		c.trim()
	}()
	var missing []key
	for _, e := range mine {
		missing = append(missing, e.key)
	}
	values, err = load(ctx, missing)
	return err
}

// trim evicts the least recently used until the rest fits.
func (c *cache) trim() {
	for c.used > c.upper {
		c.evict(c.recent.Back().Value.(*kept))
	}
}

func (c *cache) evict(e *kept) {
	c.recent.Remove(e.recent)
	delete(c.entries, e.key)
	c.used -= e.cost
}

// has reports whether the data of a key is cached or being loaded.
func (c *cache) has(k key) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.entries[k] != nil
}

// drop evicts the data cached under k, if it still is.
func (c *cache) drop(k key, data any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.entries[k]; e != nil && e.recent != nil && e.data == data {
		c.evict(e)
	}
}
