package app

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"

	"tilth/core/access"
	"tilth/ports"
)

// List is a list: how many records match, and a page of them, read when it is ranged
// over. A range ends after its first error.
type List[T any] struct {
	Count int64
	Each  iter.Seq2[T, error]
}

// Ask is who asks for records: with the permission that it takes, for the caller's own or for shared ones.
type Ask struct {
	Who    access.Principal
	Need   access.Permission
	Shared bool
}

// Paged is a query whose page can be read in chunks.
type Paged[Q any] interface {
	Page() (limit, offset int64)
	Chunk(limit, offset int64, at *ports.Place) Q
}

// A chunk is what one transaction reads of a list: a reader who is slow, or stops, holds what
// was read, and no connection. One record more than fits may be read.
const (
	chunkRecords = ports.MaxPage
	chunkBytes   = 4 << 20
)

// ReadList counts records for a caller who holds the permission, and reads the page of a query.
// A page of up to 1,000 records is read with its count on one snapshot, unless its records are
// large; what follows is read in further chunks, each on a snapshot of its own, behind the record
// that was read last: nothing that is left alone meanwhile is missed or comes twice.
func ReadList[T any, Q Paged[Q]](ctx context.Context, d Deps, ask Ask, q Q,
	count func(ctx context.Context, tx ports.Repos, scope access.Scope) (int64, error),
	each func(ctx context.Context, tx ports.Repos, scope access.Scope, q Q) iter.Seq2[T, error],
) (out List[T], err error) {
	scope := ask.Who.Scope(ask.Shared)
	start := chunks[T, Q]{query: q, each: func(ctx context.Context, tx ports.Repos, q Q) iter.Seq2[T, error] { return each(ctx, tx, scope, q) }}
	if start.left, start.offset = q.Page(); start.left == 0 {
		start.left = math.MaxInt64
	}
	first, err := Read(ctx, d, ask.Who, ask.Need, func(ctx context.Context, tx ports.Repos) (_ []T, err error) {
		if out.Count, err = count(ctx, tx, scope); err != nil {
			return nil, err
		}
		passed := start.offset
		batch, err := start.next(ctx, tx)
		start.done = start.done || passed+int64(len(batch)) >= out.Count
		return batch, err
	})
	if err != nil {
		return List[T]{}, err
	}
	out.Each = func(yield func(T, error) bool) {
		c := start
		c.place.Keys = slices.Clone(c.place.Keys)
		for _, record := range first {
			if !yield(record, nil) {
				return
			}
		}
		if c.done {
			return
		}
		for record, err := range Pieces(ctx, d.Store, func(ctx context.Context, tx ports.Repos) ([]T, bool, error) {
			batch, err := c.next(ctx, tx)
			return batch, !c.done, err
		}) {
			if !yield(record, err) {
				return
			}
		}
	}
	return out, nil
}

// Pieces returns what next reads piece by piece, each in a transaction of its own, while more
// follows: who takes the things slowly holds a piece of them, and no connection. It is
// ranged over once.
func Pieces[T any](ctx context.Context, store ports.Store, next func(ctx context.Context, tx ports.Repos) (piece []T, more bool, err error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for more := true; more; {
			piece, err := In(ports.Patiently(ctx), store.Read, func(ctx context.Context, tx ports.Repos) (piece []T, err error) {
				piece, more, err = next(ctx, tx)
				return piece, err
			})
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, one := range piece {
				if !yield(one, nil) {
					return
				}
			}
		}
	}
}

// chunks reads a page chunk by chunk.
type chunks[T, Q any] struct {
	query  Paged[Q]
	each   func(ctx context.Context, tx ports.Repos, q Q) iter.Seq2[T, error]
	place  ports.Place
	left   int64 // of the page
	offset int64 // of the first chunk
	done   bool
}

// next reads the next chunk.
func (c *chunks[T, Q]) next(ctx context.Context, tx ports.Repos) (batch []T, err error) {
	limit, weight := min(c.left, chunkRecords), 0
	for record, err := range c.each(ctx, tx, c.query.Chunk(limit, c.offset, &c.place)) {
		if err != nil {
			return nil, err
		}
		batch = append(batch, record)
		if heavy, ok := any(&record).(interface{ Weight() int }); ok {
			weight += heavy.Weight()
		}
		if weight > chunkBytes {
			break
		}
	}
	read := int64(len(batch))
	c.left, c.offset = c.left-read, 0
	c.done = c.left == 0 || read < limit && weight <= chunkBytes
	if !c.done && c.place.Keys == nil {
		return nil, fmt.Errorf("a list of %T cannot go on behind its first %d records", batch, read)
	}
	return batch, nil
}

// Lister is a repository whose records of a scope are listed.
type Lister[T, Q any] interface {
	Count(ctx context.Context, scope access.Scope, q Q) (int64, error)
	Each(ctx context.Context, scope access.Scope, q Q) iter.Seq2[T, error]
}

// ListIn lists the records of a repository to a caller who holds the permission.
func ListIn[L Lister[T, Q], T any, Q Paged[Q]](ctx context.Context, d Deps, ask Ask, q Q, in func(tx ports.Repos) L) (List[T], error) {
	return ReadList(ctx, d, ask, q,
		func(ctx context.Context, tx ports.Repos, scope access.Scope) (int64, error) {
			return in(tx).Count(ctx, scope, q)
		},
		func(ctx context.Context, tx ports.Repos, scope access.Scope, q Q) iter.Seq2[T, error] {
			return in(tx).Each(ctx, scope, q)
		})
}
