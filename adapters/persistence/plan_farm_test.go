package persistence

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/access"
	"tilth/tests/pgtest"
)

func TestPlansOfFarms(t *testing.T) {
	assertListPlans(t, func(s *session) map[string]plannedList {
		return map[string]plannedList{
			"farms": {Query: farmRecords(s).query, Filters: farmTable.filters, Orders: farmTable.orders},
			"fields": {
				Query: fieldRecords(s).query, Filters: fieldTable.filters, Orders: fieldTable.orders,
				Indexes: map[string]string{"farm": "ix_fields_farm", "external_id": "ix_fields_external_id"},
			},
			"seasons": {
				Query: seasonRecords(s).query, Filters: seasonTable.filters, Orders: seasonTable.orders,
				Indexes: map[string]string{"harvest_year": "ix_seasons_harvest_year"},
			},
			"cultivations": {
				Query: cultivationRecords(s).query, Filters: cultivationTable.filters, Orders: cultivationTable.orders,
				Indexes: map[string]string{
					"field": "ix_cultivations_field", "season": "ix_cultivations_season", "crop": "ix_cultivations_crop",
				},
			},
			"fertilizations": {Query: fertilizationRecords(s).query, Filters: fertilizationTable.filters, Orders: fertilizationTable.orders},
		}
	})
}

// crowded is a migrated PostgreSQL database with enough cultivations that its planner has
// reasons to use an index: ten companies, twenty thousand each.
func crowded(ctx context.Context, t testing.TB) *DB {
	t.Helper()
	db := migratedDB(ctx, t, pgtest.Open(t))
	require.NoError(t, db.update(ctx, func(ctx context.Context, s *session) error {
		for _, statement := range []string{
			`SET LOCAL session_replication_role = replica`, // without what the cultivations refer to: only their number matters here
			`INSERT INTO cultivations (company_id, created_at, updated_at, season_id, crop_id, field_id)
			 SELECT 1 + n % 10, now(), now(), n % 50, 1 + n % 20, n % 1000 FROM generate_series(1, 200000) AS g(n)`,
			`ANALYZE cultivations`,
		} {
			if _, err := s.Tx.ExecContext(ctx, statement); err != nil {
				return err
			}
		}
		return nil
	}))
	return db
}

// TestPlansOnPostgreSQL asserts that PostgreSQL answers a page of the cultivations of one
// company among many, by every filter, with an index.
func TestPlansOnPostgreSQL(t *testing.T) {
	ctx := context.Background()
	db := crowded(ctx, t)
	require.NoError(t, db.view(ctx, func(ctx context.Context, s *session) error {
		list := plannedList{Query: cultivationRecords(s).query, Filters: cultivationTable.filters}
		for _, by := range append(slices.Sorted(maps.Keys(list.Filters)), "") {
			q := filteredBy(t, list, by, access.Own(7)).OrderExpr("t.id").Limit(10)
			var lines []string
			require.NoError(t, s.NewRaw("EXPLAIN "+q.String()).Scan(ctx, &lines))
			require.NotContains(t, strings.Join(lines, "\n"), "Seq Scan on cultivations", "by %q", by)
		}
		return nil
	}))
}
