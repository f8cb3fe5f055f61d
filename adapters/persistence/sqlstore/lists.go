package sqlstore

import (
	"context"
	"iter"
	"strings"

	"github.com/uptrace/bun"

	"tilth/core/access"
	"tilth/ports"
)

// Narrowed selects from the rows that a query asks for in a scope, and no columns yet. Other tables are joined only
// where the query refers to them: counting and skipping records needs no names.
func (r Records[T, R, PT, PR]) Narrowed(scope access.Scope, query ports.Query) (*bun.SelectQuery, error) {
	q := r.Session.NewSelect().Model((*R)(nil))
	if scope.Shared() || r.Table.looksElsewhere(query) { // what is shared is found through the field
		q = r.Tables()
	}
	return Filtered(Where(q, r.asked(scope, query)...), r.Table.Filters, query.Filters)
}

// looksElsewhere reports whether a query filters or orders by a column of another table.
func (t *Table[T, R]) looksElsewhere(query ports.Query) bool {
	elsewhere := func(expr string) bool { return expr != "" && !strings.HasPrefix(expr, "t.") }
	for _, f := range query.Filters {
		k := t.Filters[f.Name]
		if k.Where != nil || k.When != nil || elsewhere(k.Exact) || elsewhere(k.Folded) || elsewhere(k.Since) || elsewhere(k.other) {
			return true
		}
	}
	for _, o := range query.Order {
		if elsewhere(t.Orders[o.Field].Expr) {
			return true
		}
	}
	return false
}

// FiltersAndOrders returns what lists of the records may be filtered and ordered by, besides the common orders.
func (r Records[T, R, PT, PR]) FiltersAndOrders() (map[string]Filter, map[string]OrderKey) {
	return r.Table.Filters, r.Table.Orders
}

// Count implements ports.Records.
func (r Records[T, R, PT, PR]) Count(ctx context.Context, scope access.Scope, query ports.Query) (int64, error) {
	if sum, ok := sumOf[R](r.Session, r.Table.Filters, scope, query); ok && r.Table.Within.SQL == "" {
		return sum.read(ctx, r.Session, scope)
	}
	found, err := hitsOf[R](ctx, r.Session, true, r.Table.Filters, scope, query)
	if err != nil {
		return 0, err
	}
	q, err := r.Narrowed(scope, query)
	if err != nil {
		return 0, err
	}
	return found.narrow(r.Session, q).Count(ctx)
}

// Each implements ports.Records.
func (r Records[T, R, PT, PR]) Each(ctx context.Context, scope access.Scope, query ports.Query) iter.Seq2[T, error] {
	order, err := orderingOf(r.Table.Orders, query.Order)
	if err == nil {
		err = begin[R](r.Session, order, query.At)
	}
	if err != nil {
		return Failed[T](err)
	}
	q, err := r.Page(ctx, scope, query)
	if err == nil && query.Limit == 0 {
		err = r.Session.Unhurried(ctx)
	}
	if err != nil {
		return Failed[T](err)
	}
	return Stream(ctx, r.Session, q, marked(r.Session, order, query.At, r.Table.Record))
}

// Page selects the page of a query whose place has been read. On the way to a page deep in a list only ids are
// skipped; what the records refer to is looked up only for those on the page.
func (r Records[T, R, PT, PR]) Page(ctx context.Context, scope access.Scope, query ports.Query) (*bun.SelectQuery, error) {
	order, err := orderingOf(r.Table.Orders, query.Order)
	if err != nil {
		return nil, err
	}
	found, err := hitsOf[R](ctx, r.Session, true, r.Table.Filters, scope, query)
	if err != nil {
		return nil, err
	}
	q, err := Filtered(Where(r.Selected(), r.asked(scope, query)...), r.Table.Filters, query.Filters)
	if err != nil {
		return nil, err
	}
	behind := query.At != nil && query.At.Keys != nil
	if query.Limit > 0 && behind && order.passesOverTies(r.Session) {
		return r.pageBehindTies(q, scope, query, order, found)
	}
	if query.Offset == 0 || query.Limit == 0 || behind {
		return order.page(r.Session, found.narrow(r.Session, q), query), nil
	}
	ids, err := r.Narrowed(scope, query)
	if err != nil {
		return nil, err
	}
	return order.apply(r.Session, q).Where("t.id IN (?)", order.page(r.Session, found.narrow(r.Session, ids).ColumnExpr("t.id"), query)), nil
}

// pageBehindTies selects the page of a query after a place of a list: from the records that tie with it and then from the others,
// each by a range of an index of its own.
func (r Records[T, R, PT, PR]) pageBehindTies(q *bun.SelectQuery, scope access.Scope, query ports.Query, order ordering, found hits) (*bun.SelectQuery, error) {
	var ids [2]*bun.SelectQuery
	for i, conditions := range order.behindTies(r.Session, query.At.Keys) {
		part, err := r.Narrowed(scope, query)
		if err != nil {
			return nil, err
		}
		part = order.apply(r.Session, found.narrow(r.Session, part).ColumnExpr("t.id")).Limit(query.Limit)
		ids[i] = Where(part, conditions...)
	}
	return order.apply(r.Session, q).Where("t.id IN (SELECT id FROM (?) UNION ALL SELECT id FROM (?))", ids[0], ids[1]).Limit(query.Limit), nil
}
