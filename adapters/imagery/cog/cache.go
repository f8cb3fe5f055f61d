package cog

import (
	"container/list"
	"context"
	"errors"
	"sync"
)

// key is one block of one file; headerBlock stands for the header.
type key struct {
	address string
	block   int
}

const headerBlock = -1

// value is decoded data with its memory in bytes.
type value struct {
	data any
	cost int64
}

// flight is a value that a caller is loading.
type flight struct {
	done  chan struct{} // closed when value and err are set
	value value
	err   error
}

// cache keeps decoded blocks and headers up to a number of bytes, evicting the least recently used
// first. A value that several callers request at once is loaded by one of them.
type cache struct {
	mu      sync.Mutex
	upper   int64
	used    int64
	entries map[key]*list.Element // of *kept
	recent  *list.List            // front: used last
	flights map[key]*flight
}

type kept struct {
	key   key
	value value
}

// errAbandoned is the error of a load whose caller panicked.
var errAbandoned = errors.New("the load was abandoned")

// awaited is a key, by its index, that another caller loads.
type awaited struct {
	index  int
	flight *flight
}

// get returns the values of keys, which must differ from each other. load is called with the
// indices of those that are neither cached nor being loaded, and returns their values in that
// order. Callers whose load ended because another caller's context did load themselves. Failures
// are not cached.
func (c *cache) get(ctx context.Context, keys []key, load func(context.Context, []int) ([]value, error)) ([]value, error) {
	out := make([]value, len(keys))
	pending := make([]int, len(keys))
	for i := range pending {
		pending[i] = i
	}
	for len(pending) > 0 {
		mine, theirs := c.claim(keys, pending, out)
		if len(mine) > 0 {
			if err := c.load(ctx, keys, mine, out, load); err != nil {
				return nil, err
			}
		}
		pending = pending[:0]
		for _, a := range theirs {
			select {
			case <-a.flight.done:
			case <-ctx.Done():
				return nil, ctx.Err()
			}
			switch err := a.flight.err; {
			case err == nil:
				out[a.index] = a.flight.value
			case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), errors.Is(err, errAbandoned):
				pending = append(pending, a.index)
			default:
				return nil, err
			}
		}
	}
	return out, nil
}

// claim fills out with the cached values and splits the rest.
func (c *cache) claim(keys []key, pending []int, out []value) (mine []int, theirs []awaited) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, i := range pending {
		if e, ok := c.entries[keys[i]]; ok {
			c.recent.MoveToFront(e)
			out[i] = e.Value.(*kept).value
			continue
		}
		if f, ok := c.flights[keys[i]]; ok {
			theirs = append(theirs, awaited{i, f})
			continue
		}
		c.flights[keys[i]] = &flight{done: make(chan struct{})}
		mine = append(mine, i)
	}
	return mine, theirs
}

func (c *cache) load(ctx context.Context, keys []key, mine []int, out []value, load func(context.Context, []int) ([]value, error)) error {
	err := errAbandoned
	var values []value
	defer func() { c.settle(keys, mine, values, err) }()
	values, err = load(ctx, mine)
	if err != nil {
		return err
	}
	for k, i := range mine {
		out[i] = values[k]
	}
	return nil
}

// settle ends the flights of mine and caches their values.
func (c *cache) settle(keys []key, mine []int, values []value, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for k, i := range mine {
		f := c.flights[keys[i]]
		delete(c.flights, keys[i])
		f.err = err
		if err == nil {
			f.value = values[k]
			if f.value.cost <= c.upper {
				c.entries[keys[i]] = c.recent.PushFront(&kept{keys[i], f.value})
				c.used += f.value.cost
			}
		}
		close(f.done)
	}
	c.trim()
}

// trim evicts the least recently used until the rest fits.
func (c *cache) trim() {
	for c.used > c.upper {
		c.forget(c.recent.Back())
	}
}

func (c *cache) forget(e *list.Element) {
	gone := e.Value.(*kept)
	c.recent.Remove(e)
	delete(c.entries, gone.key)
	c.used -= gone.value.cost
}

// costed is data whose cost changes while it is cached.
type costed interface{ cost() int64 }

// recharge updates the cost of the data cached under k, if it still is.
func (c *cache) recharge(k key, data costed) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.holding(k, data); e != nil {
		v := &e.Value.(*kept).value
		c.used -= v.cost
		v.cost = data.cost()
		c.used += v.cost
		c.trim()
	}
}

// drop evicts the data cached under k, if it still is.
func (c *cache) drop(k key, data costed) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.holding(k, data); e != nil {
		c.forget(e)
	}
}

// holding returns the element that caches the data under k; nil where none does.
func (c *cache) holding(k key, data costed) *list.Element {
	if e, ok := c.entries[k]; ok && e.Value.(*kept).value.data == any(data) {
		return e
	}
	return nil
}
