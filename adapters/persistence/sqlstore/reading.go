package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"iter"

	"github.com/uptrace/bun"

	"tilth/core/access"
	"tilth/core/fault"
	"tilth/ports"
)

// View describes how the rows of a query become records. Its callers restrict their queries to a scope.
type View[T, R any] struct {
	Word    string              // "order", for messages
	Filters map[string]Filter   // of its lists
	Orders  map[string]OrderKey // what its lists may be ordered by, besides the common ones
	Order   []ports.Order       // the one order of its lists; nil: that of the query
	Record  func(*R) (T, error)

	// Of a Reader: the rows that a scope shows, and those rows with the columns of whole records.
	From  func(s *Session, scope access.Scope) *bun.SelectQuery
	Whole func(s *Session, q *bun.SelectQuery) *bun.SelectQuery
}

// Reader is the common part of every readable repository of a company's records, in one transaction.
type Reader[T, R any] struct {
	Session *Session
	View    *View[T, R]
}

// OwnRows selects the rows of the company that acts, and no shared ones.
func OwnRows[R any](s *Session, scope access.Scope) *bun.SelectQuery {
	return Where(s.NewSelect().Model((*R)(nil)), OwnOnly(scope))
}

// Columns adds the columns of the table.
func Columns(_ *Session, q *bun.SelectQuery) *bun.SelectQuery { return q.ColumnExpr("?TableColumns") }

// Created adds the columns of the table and the name of the user who created a record.
func Created(_ *Session, q *bun.SelectQuery) *bun.SelectQuery {
	return q.ColumnExpr("?TableColumns").ColumnExpr("creator.name AS created_by_name").Join("JOIN users AS creator ON creator.id = t.created_by")
}

// Query selects the whole records that a scope shows.
func (r Reader[T, R]) Query(scope access.Scope) *bun.SelectQuery {
	return r.View.Whole(r.Session, r.View.From(r.Session, scope))
}

// FiltersAndOrders returns what lists of the records may be filtered and ordered by, besides the common orders.
func (r Reader[T, R]) FiltersAndOrders() (map[string]Filter, map[string]OrderKey) {
	return r.View.Filters, r.View.Orders
}

// Count implements ports.List.
func (r Reader[T, R]) Count(ctx context.Context, scope access.Scope, query ports.Query) (int64, error) {
	if sum, ok := sumOf[R](r.Session, r.View.Filters, scope, query); ok {
		return sum.read(ctx, r.Session, scope)
	}
	found, err := hitsOf[R](ctx, r.Session, false, r.View.Filters, scope, query)
	if err != nil {
		return 0, err
	}
	return r.View.Count(ctx, found.narrow(r.Session, r.View.From(r.Session, scope)), query)
}

// Each implements ports.List.
func (r Reader[T, R]) Each(ctx context.Context, scope access.Scope, query ports.Query) iter.Seq2[T, error] {
	found, err := hitsOf[R](ctx, r.Session, false, r.View.Filters, scope, query)
	if err != nil {
		return Failed[T](err)
	}
	return r.View.Each(ctx, r.Session, found.narrow(r.Session, r.Query(scope)), query)
}

// Get implements ports.Readable.
func (r Reader[T, R]) Get(ctx context.Context, scope access.Scope, id int64) (T, error) {
	return r.View.One(ctx, r.Query(scope).Where("t.id = ?", id))
}

// GetForUpdate implements ports.Lockable.
func (r Reader[T, R]) GetForUpdate(ctx context.Context, scope access.Scope, id int64) (T, error) {
	return r.Locked(ctx, scope, When("t.id = ?", id))
}

// Locked returns the record of a condition and locks it. Faults: NotFound.
func (r Reader[T, R]) Locked(ctx context.Context, scope access.Scope, which Condition) (T, error) {
	if !Writable(scope) {
		var none T
		return none, fault.Missing(r.View.Word)
	}
	return r.View.One(ctx, r.Session.ForUpdate(Where(r.Query(scope), which)))
}

// One returns the record that a query selects. Faults: NotFound.
func (v *View[T, R]) One(ctx context.Context, q *bun.SelectQuery) (T, error) {
	value, ok, err := v.Find(ctx, q)
	if err == nil && !ok {
		err = fault.Missing(v.Word)
	}
	return value, err
}

// Find returns the record that a query selects; ok is false where it selects none.
func (v *View[T, R]) Find(ctx context.Context, q *bun.SelectQuery) (value T, ok bool, err error) {
	var row R
	if err := q.Scan(ctx, &row); err != nil {
		if errors.Is(err, sql.ErrNoRows) {
			err = nil
		}
		return value, false, err
	}
	value, err = v.Record(&row)
	return value, err == nil, err
}

// Count counts what a query selects, without its page.
func (v *View[T, R]) Count(ctx context.Context, q *bun.SelectQuery, query ports.Query) (int64, error) {
	q, err := Filtered(q, v.Filters, query.Filters)
	if err != nil {
		return 0, err
	}
	return q.Count(ctx)
}

// Each streams the page of a query in its order, without a statement timeout where it has no bound.
func (v *View[T, R]) Each(ctx context.Context, s *Session, q *bun.SelectQuery, query ports.Query) iter.Seq2[T, error] {
	terms := v.Order
	if terms == nil {
		terms = query.Order
	}
	order, err := orderingOf(v.Orders, terms)
	if err == nil {
		err = begin[R](s, order, query.At)
	}
	if err == nil {
		q, err = Filtered(q, v.Filters, query.Filters)
	}
	if err == nil && query.Limit == 0 {
		err = s.Unhurried(ctx)
	}
	if err != nil {
		return Failed[T](err)
	}
	return Stream(ctx, s, order.page(s, q, query), marked(s, order, query.At, v.Record))
}

// One returns the record of the one row that a query selects. Faults: NotFound of a word.
func One[T, R any](ctx context.Context, q *bun.SelectQuery, word string, record func(*R) T) (T, error) {
	value, ok, err := Find(ctx, q, record)
	if err == nil && !ok {
		err = fault.Missing(word)
	}
	return value, err
}

// Find returns the record of the row that a query selects; ok is false where it selects none.
func Find[T, R any](ctx context.Context, q *bun.SelectQuery, record func(*R) T) (value T, ok bool, err error) {
	v := View[T, R]{Record: func(row *R) (T, error) { return record(row), nil }}
	return v.Find(ctx, q)
}

// All returns the records of the rows that a query selects, in its order.
func All[T, R any](ctx context.Context, q *bun.SelectQuery, record func(*R) T) ([]T, error) {
	var rows []R
	if err := q.Scan(ctx, &rows); err != nil {
		return nil, err
	}
	return Each(rows, record), nil
}

// Each returns the records of rows.
func Each[T, R any](rows []R, record func(*R) T) []T {
	out := make([]T, len(rows))
	for i := range rows {
		out[i] = record(&rows[i])
	}
	return out
}

// Values returns the values of the one column that a query selects.
func Values[V any](ctx context.Context, q *bun.SelectQuery) (out []V, err error) {
	err = q.Scan(ctx, &out)
	return out, err
}

// Collect returns the values of a sequence, in its order.
func Collect[T any](all iter.Seq2[T, error]) (out []T, err error) {
	for value, err := range all {
		if err != nil {
			return nil, err
		}
		out = append(out, value)
	}
	return out, nil
}

// Index returns the values of a sequence by their keys.
func Index[K comparable, T any](all iter.Seq2[T, error], key func(*T) K) (map[K]T, error) {
	out := map[K]T{}
	for value, err := range all {
		if err != nil {
			return nil, err
		}
		out[key(&value)] = value
	}
	return out, nil
}

// Missing turns the error of no row into NotFound.
func Missing(err error, word string) error {
	if errors.Is(err, sql.ErrNoRows) {
		return fault.Missing(word)
	}
	return err
}

// Known returns NotFound where a query selects no row.
func Known(ctx context.Context, q *bun.SelectQuery, word string) error {
	known, err := q.Exists(ctx)
	if err == nil && !known {
		err = fault.Missing(word)
	}
	return err
}
