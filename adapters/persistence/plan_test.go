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

// TestPlans asserts that SQLite answers every list, with every filter and in every
// scope, by an index: no list reads the records of all companies.
func TestPlans(t *testing.T) {
	ctx := context.Background()
	db, err := Open(ctx, "sqlite:"+filepath.Join(t.TempDir(), "tilth.db"), Options{Clock: stillClock{}, IDs: noIDs{}})
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	_, err = db.Migrator().Up(ctx)
	require.NoError(t, err)
	require.NoError(t, db.once(ctx, false, func(ctx context.Context, s *session) error {
		for name, list := range map[string]struct {
			query   func(access.Scope) *bun.SelectQuery
			filters map[string]filter
		}{
			"farms":        {farmRecords(s).query, farmTable.filters},
			"fields":       {fieldRecords(s).query, fieldTable.filters},
			"seasons":      {seasonRecords(s).query, seasonTable.filters},
			"cultivations": {cultivationRecords(s).query, cultivationTable.filters},
			"orders":       {orders{s}.query, orderFilters},
			"transactions": {wallet{s}.transactions, transactionFilters},
			"users":        {members{s}.query, memberFilters},
			"invitations":  {invitations{s}.query, invitationFilters},
		} {
			for _, key := range append(slices.Sorted(maps.Keys(list.filters)), "") {
				for _, scope := range []access.Scope{access.Own(7), access.SharedWith(7)} {
					if scope.Shared() && (name == "transactions" || name == "users" || name == "invitations") {
						continue // an empty condition: nothing is read
					}
					var given []ports.Filter
					if key != "" {
						given = append(given, ports.Filter{Name: key, Value: valueFor(list.filters[key])})
					}
					q, err := filtered(list.query(scope), list.filters, given)
					require.NoError(t, err)
					plan := planOf(ctx, t, s, q)
					require.NotContains(t, plan, "SCAN t", "%s by %q, shared %v:\n%s", name, key, scope.Shared(), plan)
					require.Contains(t, plan, "SEARCH t USING", "%s by %q, shared %v:\n%s", name, key, scope.Shared(), plan)
				}
			}
		}
		return nil
	}))
}

// TestPlansOfFilters asserts that a filter on a foreign key is answered by the index
// made for it.
func TestPlansOfFilters(t *testing.T) {
	ctx := context.Background()
	db, err := Open(ctx, "sqlite:"+filepath.Join(t.TempDir(), "tilth.db"), Options{Clock: stillClock{}, IDs: noIDs{}})
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	_, err = db.Migrator().Up(ctx)
	require.NoError(t, err)
	require.NoError(t, db.once(ctx, false, func(ctx context.Context, s *session) error {
		for _, c := range []struct {
			query   func(access.Scope) *bun.SelectQuery
			filters map[string]filter
			by      string
			index   string
		}{
			{cultivationRecords(s).query, cultivationTable.filters, "field", "ix_cultivations_field"},
			{cultivationRecords(s).query, cultivationTable.filters, "season", "ix_cultivations_season"},
			{cultivationRecords(s).query, cultivationTable.filters, "crop", "ix_cultivations_crop"},
			{fieldRecords(s).query, fieldTable.filters, "farm", "ix_fields_farm"},
			{fieldRecords(s).query, fieldTable.filters, "external_id", "ix_fields_external_id"},
			{seasonRecords(s).query, seasonTable.filters, "harvest_year", "ix_seasons_harvest_year"},
			{orders{s}.query, orderFilters, "status", "ix_profile_orders_status"},
			{orders{s}.query, orderFilters, "season", "ix_profile_orders_season"},
		} {
			q, err := filtered(c.query(access.Own(7)), c.filters, []ports.Filter{{Name: c.by, Value: valueFor(c.filters[c.by])}})
			require.NoError(t, err)
			plan := planOf(ctx, t, s, q.OrderExpr("t.id"))
			require.Contains(t, plan, c.index)
			require.NotContains(t, plan, "TEMP B-TREE", "the index gives the order as well:\n%s", plan)
		}
		return nil
	}))
}

func valueFor(f filter) any {
	switch {
	case f.since != "":
		return "2026-01-01T00:00:00Z"
	case f.folded != "":
		return "x"
	case strings.HasSuffix(f.exact, "external_id"):
		return "x"
	}
	return int64(1)
}

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
