package plans_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"

	"tilth/adapters/persistence/account"
	"tilth/adapters/persistence/common"
	"tilth/adapters/persistence/farm"
	"tilth/adapters/persistence/ghg"
	"tilth/adapters/persistence/satellite"
	"tilth/adapters/persistence/soil"
	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/geo"
	"tilth/ports"
	"tilth/tests/migrated"
	"tilth/tests/pgtest"
)

// postgres is a PostgreSQL database with all migrations applied.
var postgres = pgtest.NewTemplate(migrated.Migrate)

// reposOf returns the repositories of a transaction.
func reposOf(s *sqlstore.Session) (r ports.Repos) {
	for _, add := range []func(*sqlstore.Session, *ports.Repos){account.Repos, common.Repos, farm.Repos, ghg.Repos, satellite.Repos, soil.Repos} {
		add(s, &r)
	}
	return r
}

// listed is a repository with a list.
type listed interface {
	FiltersAndOrders() (map[string]sqlstore.Filter, map[string]sqlstore.OrderKey)
}

// queried is a repository whose list selects whole records.
type queried interface {
	Query(access.Scope) *bun.SelectQuery
}

// list is a list of records whose plans are asserted.
type list struct {
	of      any                                 // the repository
	query   func(access.Scope) *bun.SelectQuery // nil: the list selects whole records
	ordered bool                                // its orders are asserted
	private bool                                // it is never shared: no record is read under a shared scope
	indexes map[string]string                   // the index that answers a filter, in the order of ids
}

func (l list) filters() map[string]sqlstore.Filter {
	filters, _ := l.of.(listed).FiltersAndOrders()
	return filters
}

// orders returns what the list may be ordered by, besides the common orders.
func (l list) orders() map[string]sqlstore.OrderKey {
	_, orders := l.of.(listed).FiltersAndOrders()
	return orders
}

func (l list) selected(scope access.Scope) *bun.SelectQuery {
	if l.query != nil {
		return l.query(scope)
	}
	return l.of.(queried).Query(scope)
}

// open opens the migrated database at an address.
func open(ctx context.Context, t testing.TB, address string) *sqlstore.DB {
	t.Helper()
	db, err := sqlstore.Open(ctx, address, sqlstore.Options{Clock: migrated.Still{}, IDs: migrated.None{}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

// onSQLite runs assertions in a transaction of an empty SQLite database.
func onSQLite(t *testing.T, do func(ctx context.Context, s *sqlstore.Session)) {
	t.Helper()
	ctx := context.Background()
	db := open(ctx, t, migrated.SQLite(t))
	require.NoError(t, db.View(ctx, func(ctx context.Context, s *sqlstore.Session) error {
		do(ctx, s)
		return nil
	}))
}

// assertLists asserts that SQLite answers every list, with every filter and in every
// scope, with an index, so that no list reads the records of all companies, and that
// every order of a list, in either direction, comes from an index.
func assertLists(t *testing.T, lists func(r ports.Repos) map[string]list) {
	t.Helper()
	onSQLite(t, func(ctx context.Context, s *sqlstore.Session) {
		for name, l := range lists(reposOf(s)) {
			require.NotEmpty(t, l.filters(), name)
			for _, by := range append(slices.Sorted(maps.Keys(l.filters())), "") {
				assertSearched(ctx, t, s, name, l, by, access.Own(7))
				if !l.private {
					assertSearched(ctx, t, s, name, l, by, access.SharedWith(7))
				}
			}
			for by, index := range l.indexes {
				plan := planOf(ctx, t, s, filteredBy(t, l, by, access.Own(7)).OrderExpr("t.id"))
				require.Contains(t, plan, index)
				require.NotContains(t, plan, "TEMP B-TREE", "the index gives the order as well:\n%s", plan)
			}
			if l.ordered {
				assertOrdered(ctx, t, s, name, l)
			}
		}
	})
}

func assertSearched(ctx context.Context, t *testing.T, s *sqlstore.Session, name string, l list, by string, scope access.Scope) {
	t.Helper()
	plan := planOf(ctx, t, s, filteredBy(t, l, by, scope))
	require.NotContains(t, plan, "SCAN t", "%s by %q, shared %v:\n%s", name, by, scope.Shared(), plan)
	require.Contains(t, plan, "SEARCH t USING", "%s by %q, shared %v:\n%s", name, by, scope.Shared(), plan)
}

func assertOrdered(ctx context.Context, t *testing.T, s *sqlstore.Session, name string, l list) {
	t.Helper()
	for _, field := range append(slices.Collect(maps.Keys(l.orders())), slices.Collect(maps.Keys(sqlstore.CommonOrders))...) {
		for _, descending := range []bool{false, true} {
			q, err := s.Ordered(l.selected(access.Own(7)), l.orders(), []ports.Order{{Field: field, Descending: descending}})
			require.NoError(t, err)
			plan := planOf(ctx, t, s, q.Limit(10))
			require.NotContains(t, plan, "TEMP B-TREE", "%s by %s, descending %v:\n%s", name, field, descending, plan)
		}
	}
}

// assertQueries asserts that SQLite answers queries with the indexes that they are
// keyed by, in index order.
func assertQueries(t *testing.T, queries func(s *sqlstore.Session, r ports.Repos) map[string]*bun.SelectQuery) {
	t.Helper()
	onSQLite(t, func(ctx context.Context, s *sqlstore.Session) {
		for index, q := range queries(s, reposOf(s)) {
			plan := planOf(ctx, t, s, q)
			require.Contains(t, plan, index)
			require.NotContains(t, plan, "TEMP B-TREE", plan)
		}
	})
}

// assertIndexes asserts that SQLite answers queries with the indexes that they are keyed by.
func assertIndexes(t *testing.T, queries func(s *sqlstore.Session, r ports.Repos) map[string]*bun.SelectQuery) {
	t.Helper()
	onSQLite(t, func(ctx context.Context, s *sqlstore.Session) {
		for index, q := range queries(s, reposOf(s)) {
			require.Contains(t, planOf(ctx, t, s, q), index)
		}
	})
}

// filteredBy returns the query of a list by one of its filters, or by none.
func filteredBy(t *testing.T, l list, by string, scope access.Scope) *bun.SelectQuery {
	t.Helper()
	var given []ports.Filter
	if by != "" {
		f, known := l.filters()[by]
		require.True(t, known, "no filter is called %q", by)
		given = append(given, ports.Filter{Name: by, Value: valueFor(f)})
	}
	q, err := sqlstore.Filtered(l.selected(scope), l.filters(), given)
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
