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

// List is a list: the number of matching records, and a page of them that is read as it is ranged
// over. A range ends after its first error.
type List[T any] struct {
	Count int64
	Each  iter.Seq2[T, error]
	Next  string // the cursor behind a page that was asked for by cursor; empty: nothing follows
}

// Ask identifies a request for records: the caller, the permission it takes, and whether the caller's own or shared records are wanted.
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

// A chunk is what one transaction reads of a list. A reader who is slow, or stops, holds the
// records already read, and no connection. One record more than fits may be read.
const (
	chunkRecords = ports.MaxPage
	chunkBytes   = 4 << 20
)

// ReadList counts records for a caller who holds the permission, and reads the page of a query. A
// page of up to 1,000 records is read with its count on one snapshot, unless its records are large.
// The rest is read in further chunks, each on a snapshot of its own, continuing after the last
// record read. Records left unchanged meanwhile are neither missed nor returned twice.
func ReadList[T any, Q Paged[Q]](ctx context.Context, d Deps, ask Ask, q Q,
	count func(ctx context.Context, tx ports.Repos, scope access.Scope) (int64, error),
	each func(ctx context.Context, tx ports.Repos, scope access.Scope, q Q) iter.Seq2[T, error],
) (out List[T], err error) {
	return readList(ctx, d, ask, q, reading[T, Q, ports.Repos]{count: count, each: each})
}

// reading holds how a list is counted and read, and how its records are completed, a chunk at a time.
type reading[T, Q, Repos any] struct {
	count  func(ctx context.Context, tx Repos, scope access.Scope) (int64, error)
	each   func(ctx context.Context, tx Repos, scope access.Scope, q Q) iter.Seq2[T, error]
	enrich func(ctx context.Context, tx Repos, scope access.Scope, records []*T) error // nil: nothing is missing
}

// opener runs a callback in a transaction: a method of the store that reads.
type opener[Repos any] = func(ctx context.Context, do func(ctx context.Context, tx Repos) error) error

func readList[T any, Q Paged[Q]](ctx context.Context, d Deps, ask Ask, q Q, by reading[T, Q, ports.Repos]) (List[T], error) {
	if err := d.Gate.Require(ctx, ask.Who, ask.Need); err != nil {
		return List[T]{}, err
	}
	return readPages(ctx, d.Store.Read, ask.Who.Scope(ask.Shared), q, by)
}

// ListAll lists records of all companies, for the operator; enrich completes a chunk of them, nil: nothing is missing.
func ListAll[T any](ctx context.Context, store ports.Store, q ports.Query, in func(tx ports.OperatorRepos) ports.Whole[T],
	enrich func(ctx context.Context, tx ports.OperatorRepos, records []*T) error,
) (List[T], error) {
	by := reading[T, ports.Query, ports.OperatorRepos]{
		count: func(ctx context.Context, tx ports.OperatorRepos, _ access.Scope) (int64, error) {
			return in(tx).Count(ctx, q)
		},
		each: func(ctx context.Context, tx ports.OperatorRepos, _ access.Scope, q ports.Query) iter.Seq2[T, error] {
			return in(tx).Each(ctx, q)
		},
	}
	if enrich != nil {
		by.enrich = func(ctx context.Context, tx ports.OperatorRepos, _ access.Scope, records []*T) error {
			return enrich(ctx, tx, records)
		}
	}
	return readPages(ctx, store.Consult, access.Scope{}, q, by)
}

func readPages[T any, Q Paged[Q], Repos any](ctx context.Context, open opener[Repos], scope access.Scope, q Q, by reading[T, Q, Repos]) (out List[T], err error) {
	start := chunks[T, Q, Repos]{query: q, scope: scope, by: by}
	if start.left, start.offset = q.Page(); start.left == 0 {
		start.left = math.MaxInt64
	}
	var from *string
	var order []ports.Order
	if by, ok := any(q).(behind); ok {
		if from, order = by.Behind(); from != nil {
			if start.place, err = placeOf(order, *from); err != nil {
				return List[T]{}, err
			}
		}
	}
	first, err := In(ctx, open, func(ctx context.Context, tx Repos) (_ []T, err error) {
		if of, ok := any(q).(interface{ Counted() bool }); !ok || of.Counted() {
			if out.Count, err = by.count(ctx, tx, start.scope); err != nil {
				return nil, err
			}
		}
		passed := start.offset
		batch, err := start.next(ctx, tx)
		if from == nil || err != nil {
			start.done = start.done || passed+int64(len(batch)) >= out.Count
			return batch, err
		}
		out.Next, err = start.cursor(ctx, tx, order, len(batch))
		start.done = true
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
		for record, err := range pieces(ctx, open, func(ctx context.Context, tx Repos) ([]T, bool, error) {
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
// follows. A slow consumer holds one piece of the results, and no connection. The sequence is
// ranged over once.
func Pieces[T any](ctx context.Context, store ports.Store, next func(ctx context.Context, tx ports.Repos) (piece []T, more bool, err error)) iter.Seq2[T, error] {
	return pieces(ctx, store.Read, next)
}

func pieces[T, Repos any](ctx context.Context, open opener[Repos], next func(ctx context.Context, tx Repos) (piece []T, more bool, err error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for more := true; more; {
			piece, err := In(ports.Patiently(ctx), open, func(ctx context.Context, tx Repos) (piece []T, err error) {
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
type chunks[T, Q, Repos any] struct {
	query  Paged[Q]
	scope  access.Scope
	by     reading[T, Q, Repos]
	place  ports.Place
	left   int64 // of the page
	offset int64 // of the first chunk
	done   bool
}

// next reads the next chunk.
func (c *chunks[T, Q, Repos]) next(ctx context.Context, tx Repos) (batch []T, err error) {
	limit, weight := min(c.left, chunkRecords), 0
	for record, err := range c.by.each(ctx, tx, c.scope, c.query.Chunk(limit, c.offset, &c.place)) {
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
		return nil, fmt.Errorf("a list of %T cannot continue after its first %d records", batch, read)
	}
	if c.by.enrich == nil || len(batch) == 0 {
		return batch, nil
	}
	records := make([]*T, len(batch))
	for i := range batch {
		records[i] = &batch[i]
	}
	return batch, c.by.enrich(ctx, tx, c.scope, records)
}

// cursor returns the cursor behind a first chunk, which is a page; it is empty where nothing follows.
func (c *chunks[T, Q, Repos]) cursor(ctx context.Context, tx Repos, order []ports.Order, read int) (string, error) {
	if read == 0 {
		return "", nil
	}
	probe := c.place
	for _, err := range c.by.each(ctx, tx, c.scope, c.query.Chunk(1, 0, &probe)) {
		if err != nil {
			return "", err
		}
		return cursorOf(order, c.place)
	}
	return "", nil
}

// Lister is a repository that can list its records within a scope.
type Lister[T, Q any] interface {
	Count(ctx context.Context, scope access.Scope, q Q) (int64, error)
	Each(ctx context.Context, scope access.Scope, q Q) iter.Seq2[T, error]
}

// ListIn lists the records of a repository to a caller who holds the permission.
func ListIn[L Lister[T, Q], T any, Q Paged[Q]](ctx context.Context, d Deps, ask Ask, q Q, in func(tx ports.Repos) L) (List[T], error) {
	return ListEnriched[L, T](ctx, d, ask, q, in, nil)
}

// ListEnriched is ListIn of records that enrich completes, a chunk of them at a time.
func ListEnriched[L Lister[T, Q], T any, Q Paged[Q]](ctx context.Context, d Deps, ask Ask, q Q, in func(tx ports.Repos) L,
	enrich func(ctx context.Context, tx ports.Repos, scope access.Scope, records []*T) error,
) (List[T], error) {
	return readList(ctx, d, ask, q, reading[T, Q, ports.Repos]{
		count: func(ctx context.Context, tx ports.Repos, scope access.Scope) (int64, error) {
			return in(tx).Count(ctx, scope, q)
		},
		each: func(ctx context.Context, tx ports.Repos, scope access.Scope, q Q) iter.Seq2[T, error] {
			return in(tx).Each(ctx, scope, q)
		},
		enrich: enrich,
	})
}
