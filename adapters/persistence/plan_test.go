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
	"tilth/tests/pgtest"
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
			"farms":          {farmRecords(s).query, farmTable.filters},
			"fields":         {fieldRecords(s).query, fieldTable.filters},
			"seasons":        {seasonRecords(s).query, seasonTable.filters},
			"cultivations":   {cultivationRecords(s).query, cultivationTable.filters},
			"fertilizations": {fertilizationRecords(s).query, fertilizationTable.filters},
			"assessments":    {assessmentRecords(s).query, assessmentTable.filters},
			"orders":         {orders{s}.query, orderFilters},
			"transactions":   {wallet{s}.transactions, transactionFilters},
			"users":          {members{s}.query, memberFilters},
			"invitations":    {invitations{s}.query, invitationFilters},
			"webhooks":       {webhookRecords(s).query, webhookTable.filters},
			"samples":        {sampleRecords(s).query, sampleTable.filters},
			"saved maps": {func(scope access.Scope) *bun.SelectQuery {
				return columns(zoneMaps{s}.selected(scope), false, false).Where("t.saved_at IS NOT NULL")
			}, mapFilters},
			"saved plans": {func(scope access.Scope) *bun.SelectQuery {
				return samplePlans{s}.filled(samplePlans{s}.selected(scope), false).Where("t.saved_at IS NOT NULL")
			}, planFilters},
		} {
			private := []string{"transactions", "users", "invitations", "webhooks", "samples", "saved maps", "saved plans"}
			for _, key := range append(slices.Sorted(maps.Keys(list.filters)), "") {
				for _, scope := range []access.Scope{access.Own(7), access.SharedWith(7)} {
					if scope.Shared() && slices.Contains(private, name) {
						continue // an empty condition: nothing is read
					}
					var given []ports.Filter
					if key != "" {
						given = append(given, ports.Filter{Name: key, Value: valueFor(list.filters[key])})
					}
					q, err := filtered(list.query(scope), list.filters, given)
					require.NoError(t, err)
					plan := planOf(ctx, t, s, q)
					t.Logf("SQLite, %s by %q, shared %v:\n%s", name, key, scope.Shared(), plan)
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
			{assessmentRecords(s).query, assessmentTable.filters, "assessment_year", "ix_assessments_year"},
			{assessmentRecords(s).query, assessmentTable.filters, "resource_id", "ix_assessments_resource_id"},
			{assessmentRecords(s).query, assessmentTable.filters, "status", "ix_assessments_status"},
			{assessmentRecords(s).query, assessmentTable.filters, "is_ready_for_submission", "ix_assessments_ready"},
			{orders{s}.query, orderFilters, "season", "ix_profile_orders_season"},
			{func(scope access.Scope) *bun.SelectQuery { return where(strats{s}.selected(false), visible(scope)...) }, stratFilters, "aoi", "ix_stratification_orders_aoi"},
			{sampleRecords(s).query, sampleTable.filters, "plan", "ix_soil_samples_plan"},
			{sampleRecords(s).query, sampleTable.filters, "aoi", "ix_soil_samples_aoi"},
			{sampleRecords(s).query, sampleTable.filters, "status", "ix_soil_samples_status"},
			{wallet{s}.transactions, transactionFilters, "kind", "ix_ledger_transactions_kind"},
			{wallet{s}.transactions, transactionFilters, "product", "ix_ledger_transactions_product"},
			{wallet{s}.transactions, transactionFilters, "order", "ix_ledger_transactions_order"},
			{wallet{s}.transactions, transactionFilters, "field", "ix_ledger_transactions_field"},
		} {
			q, err := filtered(c.query(access.Own(7)), c.filters, []ports.Filter{{Name: c.by, Value: valueFor(c.filters[c.by])}})
			require.NoError(t, err)
			plan := planOf(ctx, t, s, q.OrderExpr("t.id"))
			require.Contains(t, plan, c.index)
			require.NotContains(t, plan, "TEMP B-TREE", "the index gives the order as well:\n%s", plan)
		}
		plan := planOf(ctx, t, s, wallet{s}.between(access.Own(7), time.Unix(0, 0), time.Unix(1, 0)))
		require.Contains(t, plan, "ix_ledger_transactions_created_at")
		require.NotContains(t, plan, "TEMP B-TREE", plan)
		return nil
	}))
}

// crowded is a migrated PostgreSQL database with enough cultivations that its planner has
// reasons to use an index: ten companies, twenty thousand each.
func crowded(ctx context.Context, t testing.TB) *Database {
	t.Helper()
	db, err := Open(ctx, pgtest.Open(t), Options{Clock: stillClock{}, IDs: noIDs{}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	_, err = db.Migrator().Up(ctx)
	require.NoError(t, err)
	conn, err := db.writer.Conn(ctx)
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	for _, statement := range []string{
		`SET session_replication_role = replica`, // without what the cultivations refer to: only their number matters here
		`INSERT INTO cultivations (company_id, created_at, updated_at, season_id, crop_id, field_id)
		 SELECT 1 + n % 10, now(), now(), n % 50, 1 + n % 20, n % 1000 FROM generate_series(1, 200000) AS g(n)`,
		`ANALYZE cultivations`,
		`SET session_replication_role = origin`,
	} {
		_, err := conn.ExecContext(ctx, statement)
		require.NoError(t, err, statement)
	}
	return db
}

// TestPlansOnPostgreSQL asserts that PostgreSQL answers a page of the cultivations of one
// company among many, by every filter, with an index.
func TestPlansOnPostgreSQL(t *testing.T) {
	ctx := context.Background()
	db := crowded(ctx, t)
	require.NoError(t, db.once(ctx, false, func(ctx context.Context, s *session) error {
		for _, key := range append(slices.Sorted(maps.Keys(cultivationTable.filters)), "") {
			q := cultivationRecords(s).query(access.Own(7))
			var given []ports.Filter
			if key != "" {
				given = []ports.Filter{{Name: key, Value: valueFor(cultivationTable.filters[key])}}
			}
			q, err := filtered(q, cultivationTable.filters, given)
			require.NoError(t, err)
			plan := explained(ctx, t, s, q.OrderExpr("t.id").Limit(10))
			t.Logf("PostgreSQL, a page of cultivations by %q:\n%s", key, plan)
			require.NotContains(t, plan, "Seq Scan on cultivations", "by %q:\n%s", key, plan)
		}
		return nil
	}))
}

// TestPlansOfOrders asserts that every order of a list, either way, comes out of an
// index: nothing is sorted to give a page.
func TestPlansOfOrders(t *testing.T) {
	ctx := context.Background()
	db, err := Open(ctx, "sqlite:"+filepath.Join(t.TempDir(), "tilth.db"), Options{Clock: stillClock{}, IDs: noIDs{}})
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	_, err = db.Migrator().Up(ctx)
	require.NoError(t, err)
	require.NoError(t, db.once(ctx, false, func(ctx context.Context, s *session) error {
		for name, list := range map[string]struct {
			query  func(access.Scope) *bun.SelectQuery
			orders map[string]orderKey
		}{
			"farms":          {farmRecords(s).query, farmTable.orders},
			"fields":         {fieldRecords(s).query, fieldTable.orders},
			"seasons":        {seasonRecords(s).query, seasonTable.orders},
			"cultivations":   {cultivationRecords(s).query, cultivationTable.orders},
			"fertilizations": {fertilizationRecords(s).query, fertilizationTable.orders},
			"assessments":    {assessmentRecords(s).query, assessmentTable.orders},
			"orders":         {orders{s}.query, orderOrders},
		} {
			for _, field := range append(slices.Collect(maps.Keys(list.orders)), slices.Collect(maps.Keys(commonOrders))...) {
				for _, descending := range []bool{false, true} {
					q, err := s.ordered(list.query(access.Own(7)), list.orders, []ports.Order{{Field: field, Descending: descending}})
					require.NoError(t, err)
					plan := planOf(ctx, t, s, q.Limit(10))
					require.NotContains(t, plan, "TEMP B-TREE", "%s by %s, descending %v:\n%s", name, field, descending, plan)
				}
			}
		}
		return nil
	}))
}

func explained(ctx context.Context, t testing.TB, s *session, q *bun.SelectQuery) string {
	t.Helper()
	rows, err := s.Tx.QueryContext(ctx, "EXPLAIN "+q.String())
	require.NoError(t, err)
	defer rows.Close()
	var plan strings.Builder
	for rows.Next() {
		var line string
		require.NoError(t, rows.Scan(&line))
		plan.WriteString(line + "\n")
	}
	require.NoError(t, rows.Err())
	return plan.String()
}

func valueFor(f filter) any {
	switch {
	case f.since != "", f.until != "":
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
