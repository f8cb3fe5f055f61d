// Package plantest asserts how the databases plan the queries of repositories. Only tests import it.
package plantest

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"

	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/geo"
	"tilth/ports"
	"tilth/tests/migrated"
)

// List is a list of records whose plans are asserted.
type List struct {
	Query   func(access.Scope) *bun.SelectQuery
	Filters map[string]sqlstore.Filter
	Orders  map[string]sqlstore.OrderKey // empty: no order is asserted
	Private bool                         // it is never shared: no record is read under a shared scope
	Indexes map[string]string            // the index that answers a filter, in the order of ids
}

// Open opens the database at an address and applies all migrations.
func Open(ctx context.Context, t testing.TB, address string) *sqlstore.DB {
	t.Helper()
	db, err := sqlstore.Open(ctx, address, sqlstore.Options{Clock: migrated.Still{}, IDs: migrated.None{}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	_, err = db.Migrator().Up(ctx)
	require.NoError(t, err)
	return db
}

// onSQLite runs assertions in a transaction of an empty SQLite database.
func onSQLite(t *testing.T, do func(ctx context.Context, s *sqlstore.Session)) {
	t.Helper()
	ctx := context.Background()
	db := Open(ctx, t, migrated.SQLite(t))
	require.NoError(t, db.View(ctx, func(ctx context.Context, s *sqlstore.Session) error {
		do(ctx, s)
		return nil
	}))
}

// AssertLists asserts that SQLite answers every list, with every filter and in every
// scope, with an index, so that no list reads the records of all companies, and that
// every order of a list, in either direction, comes from an index.
func AssertLists(t *testing.T, lists func(s *sqlstore.Session) map[string]List) {
	t.Helper()
	onSQLite(t, func(ctx context.Context, s *sqlstore.Session) {
		for name, list := range lists(s) {
			for _, by := range append(slices.Sorted(maps.Keys(list.Filters)), "") {
				assertSearched(ctx, t, s, name, list, by, access.Own(7))
				if !list.Private {
					assertSearched(ctx, t, s, name, list, by, access.SharedWith(7))
				}
			}
			for by, index := range list.Indexes {
				plan := planOf(ctx, t, s, FilteredBy(t, list, by, access.Own(7)).OrderExpr("t.id"))
				require.Contains(t, plan, index)
				require.NotContains(t, plan, "TEMP B-TREE", "the index gives the order as well:\n%s", plan)
			}
			if len(list.Orders) > 0 {
				assertOrdered(ctx, t, s, name, list)
			}
		}
	})
}

func assertSearched(ctx context.Context, t *testing.T, s *sqlstore.Session, name string, list List, by string, scope access.Scope) {
	t.Helper()
	plan := planOf(ctx, t, s, FilteredBy(t, list, by, scope))
	require.NotContains(t, plan, "SCAN t", "%s by %q, shared %v:\n%s", name, by, scope.Shared(), plan)
	require.Contains(t, plan, "SEARCH t USING", "%s by %q, shared %v:\n%s", name, by, scope.Shared(), plan)
}

func assertOrdered(ctx context.Context, t *testing.T, s *sqlstore.Session, name string, list List) {
	t.Helper()
	for _, field := range append(slices.Collect(maps.Keys(list.Orders)), slices.Collect(maps.Keys(sqlstore.CommonOrders))...) {
		for _, descending := range []bool{false, true} {
			q, err := s.Ordered(list.Query(access.Own(7)), list.Orders, []ports.Order{{Field: field, Descending: descending}})
			require.NoError(t, err)
			plan := planOf(ctx, t, s, q.Limit(10))
			require.NotContains(t, plan, "TEMP B-TREE", "%s by %s, descending %v:\n%s", name, field, descending, plan)
		}
	}
}

// AssertQueries asserts that SQLite answers queries with the indexes that they are
// keyed by, in index order.
func AssertQueries(t *testing.T, queries func(s *sqlstore.Session) map[string]*bun.SelectQuery) {
	t.Helper()
	onSQLite(t, func(ctx context.Context, s *sqlstore.Session) {
		for index, q := range queries(s) {
			plan := planOf(ctx, t, s, q)
			require.Contains(t, plan, index)
			require.NotContains(t, plan, "TEMP B-TREE", plan)
		}
	})
}

// AssertIndexes asserts that SQLite answers queries with the indexes that they are keyed by.
func AssertIndexes(t *testing.T, queries func(s *sqlstore.Session) map[string]*bun.SelectQuery) {
	t.Helper()
	onSQLite(t, func(ctx context.Context, s *sqlstore.Session) {
		for index, q := range queries(s) {
			require.Contains(t, planOf(ctx, t, s, q), index)
		}
	})
}

// FilteredBy returns the query of a list by one of its filters, or by none.
func FilteredBy(t *testing.T, list List, by string, scope access.Scope) *bun.SelectQuery {
	t.Helper()
	var given []ports.Filter
	if by != "" {
		f, known := list.Filters[by]
		require.True(t, known, "no filter is called %q", by)
		given = append(given, ports.Filter{Name: by, Value: valueFor(f)})
	}
	q, err := sqlstore.Filtered(list.Query(scope), list.Filters, given)
	require.NoError(t, err)
	return q
}

func valueFor(f sqlstore.Filter) any {
	switch {
	case f.Where != nil:
		return []geo.Box{{MaxX: 1, MaxY: 1}}
	case f.When != nil:
		return ports.Span{To: new(time.Unix(0, 0))}
	case f.Since != "", f.Until != "":
		return "2026-01-01T00:00:00Z"
	case f.Folded != "", strings.HasSuffix(f.Exact, "external_id"):
		return "x"
	}
	return int64(1)
}

// planOf returns SQLite's plan of a query.
func planOf(ctx context.Context, t *testing.T, s *sqlstore.Session, q *bun.SelectQuery) string {
	t.Helper()
	rows, err := s.QueryContext(ctx, "EXPLAIN QUERY PLAN "+q.String())
	require.NoError(t, err)
	defer rows.Close()
	var plan strings.Builder
	for rows.Next() {
		var id, parent, unused int
		var detail string
		require.NoError(t, rows.Scan(&id, &parent, &unused, &detail))
		plan.WriteString(detail + "\n")
	}
	require.NoError(t, rows.Err())
	return plan.String()
}
