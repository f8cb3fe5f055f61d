package persistence

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"

	"tilth/core/access"
	"tilth/ports"
)

type stillClock struct{}

func (stillClock) Now() time.Time { return time.Unix(0, 0) }

type noIDs struct{}

func (noIDs) UUID() string    { return "" }
func (noIDs) Secret() string  { return "" }
func (noIDs) Jitter() float64 { return 0 }

// plannedList is a list of records whose plans are asserted.
type plannedList struct {
	Query   func(access.Scope) *bun.SelectQuery
	Filters map[string]filter
	Orders  map[string]orderKey // empty: no order is asserted
	Private bool                // nothing is shared of it: no record is read under a shared scope
	Indexes map[string]string   // the index that answers a filter, in the order of ids
}

// migratedDB opens a database of an address and applies all migrations.
func migratedDB(ctx context.Context, t testing.TB, address string) *DB {
	t.Helper()
	db, err := openStore(ctx, address, options{Clock: stillClock{}, IDs: noIDs{}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	_, err = db.Migrator().Up(ctx)
	require.NoError(t, err)
	return db
}

// onSQLite runs assertions in a transaction of an empty SQLite database.
func onSQLite(t *testing.T, do func(ctx context.Context, s *session)) {
	t.Helper()
	ctx := context.Background()
	db := migratedDB(ctx, t, "sqlite:"+filepath.Join(t.TempDir(), "tilth.db"))
	require.NoError(t, db.view(ctx, func(ctx context.Context, s *session) error {
		do(ctx, s)
		return nil
	}))
}

// assertListPlans asserts that SQLite answers every list, with every filter and in every
// scope, by an index, so that no list reads the records of all companies, and that every
// order of a list, either way, comes out of an index.
func assertListPlans(t *testing.T, lists func(s *session) map[string]plannedList) {
	t.Helper()
	onSQLite(t, func(ctx context.Context, s *session) {
		for name, list := range lists(s) {
			for _, by := range append(slices.Sorted(maps.Keys(list.Filters)), "") {
				assertSearched(ctx, t, s, name, list, by, access.Own(7))
				if !list.Private {
					assertSearched(ctx, t, s, name, list, by, access.SharedWith(7))
				}
			}
			for by, index := range list.Indexes {
				plan := planOf(ctx, t, s, filteredBy(t, list, by, access.Own(7)).OrderExpr("t.id"))
				require.Contains(t, plan, index)
				require.NotContains(t, plan, "TEMP B-TREE", "the index gives the order as well:\n%s", plan)
			}
			if len(list.Orders) > 0 {
				assertOrdered(ctx, t, s, name, list)
			}
		}
	})
}

func assertSearched(ctx context.Context, t *testing.T, s *session, name string, list plannedList, by string, scope access.Scope) {
	t.Helper()
	plan := planOf(ctx, t, s, filteredBy(t, list, by, scope))
	require.NotContains(t, plan, "SCAN t", "%s by %q, shared %v:\n%s", name, by, scope.Shared(), plan)
	require.Contains(t, plan, "SEARCH t USING", "%s by %q, shared %v:\n%s", name, by, scope.Shared(), plan)
}

func assertOrdered(ctx context.Context, t *testing.T, s *session, name string, list plannedList) {
	t.Helper()
	for _, field := range append(slices.Collect(maps.Keys(list.Orders)), slices.Collect(maps.Keys(commonOrders))...) {
		for _, descending := range []bool{false, true} {
			q, err := s.ordered(list.Query(access.Own(7)), list.Orders, []ports.Order{{Field: field, Descending: descending}})
			require.NoError(t, err)
			plan := planOf(ctx, t, s, q.Limit(10))
			require.NotContains(t, plan, "TEMP B-TREE", "%s by %s, descending %v:\n%s", name, field, descending, plan)
		}
	}
}

// assertQueryPlans asserts that SQLite answers queries by the indexes that they are keyed
// by, in their order.
func assertQueryPlans(t *testing.T, queries func(s *session) map[string]*bun.SelectQuery) {
	t.Helper()
	onSQLite(t, func(ctx context.Context, s *session) {
		for index, q := range queries(s) {
			plan := planOf(ctx, t, s, q)
			require.Contains(t, plan, index)
			require.NotContains(t, plan, "TEMP B-TREE", plan)
		}
	})
}

// filteredBy returns the query of a list by one of its filters, or by none.
func filteredBy(t *testing.T, list plannedList, by string, scope access.Scope) *bun.SelectQuery {
	t.Helper()
	var given []ports.Filter
	if by != "" {
		f, known := list.Filters[by]
		require.True(t, known, "no filter is called %q", by)
		given = append(given, ports.Filter{Name: by, Value: valueFor(f)})
	}
	q, err := filtered(list.Query(scope), list.Filters, given)
	require.NoError(t, err)
	return q
}

func valueFor(f filter) any {
	switch {
	case f.since != "", f.until != "":
		return "2026-01-01T00:00:00Z"
	case f.folded != "", strings.HasSuffix(f.exact, "external_id"):
		return "x"
	}
	return int64(1)
}

// planOf returns SQLite's plan of a query.
func planOf(ctx context.Context, t *testing.T, s *session, q *bun.SelectQuery) string {
	t.Helper()
	rows, err := s.Tx.QueryContext(ctx, "EXPLAIN QUERY PLAN "+q.String())
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
