package plans_test

import (
	"context"
	"errors"
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

// fieldQueries are the queries of the fields of a company.
type fieldQueries interface {
	Widest(scope access.Scope) *bun.SelectQuery
	Places(scope access.Scope, box geo.Box, widest float64, after int64, limit int) *bun.SelectQuery
	SpotCounts(scope access.Scope, farmIDs []int64) *bun.SelectQuery
	Page(ctx context.Context, scope access.Scope, query ports.Query) (*bun.SelectQuery, error)
	Selected(without ...string) *bun.SelectQuery
	InAmong(scope access.Scope, ids []int64) []sqlstore.Condition
}

func TestPlansOfFarms(t *testing.T) {
	assertLists(t, func(r ports.Repos) map[string]list {
		return map[string]list{
			"farms": {of: r.Farms, ordered: true},
			"fields": {
				of: r.Fields, ordered: true,
				indexes: map[string]string{"farm": "ix_fields_farm", "external_id": "ix_fields_external_id"},
			},
			"seasons": {
				of: r.Seasons, ordered: true,
				indexes: map[string]string{"harvest_year": "ix_seasons_harvest_year"},
			},
			"cultivations": {
				of: r.Cultivations, ordered: true,
				indexes: map[string]string{
					"field": "ix_cultivations_field", "season": "ix_cultivations_season", "crop": "ix_cultivations_crop",
				},
			},
			"fertilizations": {of: r.Fertilizations, ordered: true},
		}
	})
}

// TestPlansOfPlaces asserts that a change of a boundary reads no outlines of other fields except those near it: each is
// long, and the transaction blocks all others.
func TestPlansOfPlaces(t *testing.T) {
	assertIndexes(t, func(_ *sqlstore.Session, r ports.Repos) map[string]*bun.SelectQuery {
		us, fields := access.Own(7), r.Fields.(fieldQueries)
		return map[string]*bun.SelectQuery{
			"ix_fields_width": fields.Widest(us),
			"ix_fields_box":   fields.Places(us, geo.Box{MaxX: 1, MaxY: 1}, 0.1, 40, 100),
			"ix_fields_spot":  fields.SpotCounts(us, []int64{3, 4}),
		}
	})
}

// TestPlansOfPagesBehindTies asserts that a page after a record is found without walking over those that tie with it: an
// import gives thousands of records the same time.
func TestPlansOfPagesBehindTies(t *testing.T) {
	assertIndexes(t, func(_ *sqlstore.Session, r ports.Repos) map[string]*bun.SelectQuery {
		q, err := r.Fields.(fieldQueries).Page(t.Context(), access.Own(7), ports.Query{
			Limit: 10, Order: []ports.Order{{Field: "updated_at"}}, At: &ports.Place{Keys: []any{sqlstore.StampAt(time.Unix(0, 0)), int64(9)}},
		})
		require.NoError(t, err)
		return map[string]*bun.SelectQuery{"ix_fields_updated_at (company_id=? AND updated_at=? AND id>?)": q}
	})
}

// TestFewAreFoundAmongMany asserts that a search on SQLite reads only the names that it finds, however many others the index cannot
// tell from them: a list of ten million fields was read to its end for one.
func TestFewAreFoundAmongMany(t *testing.T) {
	ctx, undone := context.Background(), errors.New("undone")
	db := open(ctx, t, migrated.SQLite(t))
	require.ErrorIs(t, db.Update(ctx, func(ctx context.Context, s *sqlstore.Session) error {
		for _, statement := range []string{
			`PRAGMA defer_foreign_keys = ON`, // the company and the farm do not exist
			`INSERT INTO fields (company_id, created_at, updated_at, uuid, name, name_folded, farm_id, area_m2, boundary_category, boundary_method, soil_type, tenure, notes, external_id, source)
			 SELECT 7, '2026-01-01T00:00:00.000000Z', '2026-01-01T00:00:00.000000Z', 'u' || n, 'F', 'field ' || n, 1, 0, '', '', '', '', '', '', ''
			 FROM (WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 1500) SELECT n FROM s) AS s`,
		} {
			if _, err := s.ExecContext(ctx, statement); err != nil {
				return err
			}
		}
		for text, narrowed := range map[string]bool{"FIELD 1499": true, "nowhere": true, "field": false} {
			q, err := reposOf(s).Fields.(fieldQueries).Page(ctx, access.Own(7), ports.Query{
				Limit: 10, Order: sqlstore.OldestFirst, Filters: []ports.Filter{{Name: "search", Value: text, Partial: true}},
			})
			require.NoError(t, err)
			require.Equal(t, narrowed, strings.Contains(q.String(), "NOT INDEXED"), q.String())
		}
		return undone
	}), undone)
}

// crowded is a migrated PostgreSQL database with enough cultivations that its planner has
// reasons to use an index: ten companies, twenty thousand each.
func crowded(ctx context.Context, t testing.TB) *sqlstore.DB {
	t.Helper()
	db := open(ctx, t, postgres.Open(t))
	require.NoError(t, db.Update(ctx, func(ctx context.Context, s *sqlstore.Session) error {
		for _, statement := range []string{
			`SET LOCAL session_replication_role = replica`, // without what the cultivations refer to: only their number matters here
			`INSERT INTO cultivations (company_id, created_at, updated_at, season_id, crop_id, field_id)
			 SELECT 1 + n % 10, now(), now(), n % 50, 1 + n % 20, n % 1000 FROM generate_series(1, 200000) AS g(n)`,
			`ANALYZE cultivations`,
		} {
			if _, err := s.ExecContext(ctx, statement); err != nil {
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
	require.NoError(t, db.View(ctx, func(ctx context.Context, s *sqlstore.Session) error {
		cultivations := list{of: reposOf(s).Cultivations}
		for _, by := range append(slices.Sorted(maps.Keys(cultivations.filters())), "") {
			q := filteredBy(t, cultivations, by, access.Own(7)).OrderExpr("t.id").Limit(10)
			var lines []string
			require.NoError(t, s.NewRaw("EXPLAIN "+q.String()).Scan(ctx, &lines))
			require.NotContains(t, strings.Join(lines, "\n"), "Seq Scan on cultivations", "by %q", by)
		}
		for field := range sqlstore.CommonOrders {
			for _, descending := range []bool{false, true} {
				q, err := s.Ordered(cultivations.selected(access.Own(7)), nil, []ports.Order{{Field: field, Descending: descending}})
				require.NoError(t, err)
				var lines []string
				require.NoError(t, s.NewRaw("EXPLAIN "+q.Limit(10).String()).Scan(ctx, &lines))
				require.NotContains(t, strings.Join(lines, "\n"), "Sort", "by %s, descending %v", field, descending)
			}
		}
		return nil
	}))
}

// TestRecordsAreFoundByTheirIDs asserts that records named by their ids are found by these, even while PostgreSQL has no
// statistics of a table yet, as in the first minute of an import: it considered an index of the company's live records narrow,
// and each request read all that the company had.
func TestRecordsAreFoundByTheirIDs(t *testing.T) {
	ctx := context.Background()
	db := open(ctx, t, postgres.Open(t))
	require.NoError(t, db.Update(ctx, func(ctx context.Context, s *sqlstore.Session) error {
		for _, statement := range []string{
			`ALTER TABLE fields SET (autovacuum_enabled = off)`,
			`SET LOCAL session_replication_role = replica`,
			`INSERT INTO fields (company_id, created_at, updated_at, uuid, name, name_folded, farm_id, area_m2, boundary_category, boundary_method, soil_type, tenure, notes, external_id, source)
			 SELECT 7, now(), now(), 'u' || n, 'F', 'f', 1, 0, '', '', '', '', '', '', '' FROM generate_series(1, 20000) AS g(n)`,
		} {
			if _, err := s.ExecContext(ctx, statement); err != nil {
				return err
			}
		}
		r := reposOf(s).Fields
		q := r.(fieldQueries)
		ids := make([]int64, 20)
		for i := range ids {
			ids[i] = int64(1000 + i)
		}
		var lines []string
		require.NoError(t, s.NewRaw("EXPLAIN "+sqlstore.Where(q.Selected(), q.InAmong(access.Own(7), ids)...).String()).Scan(ctx, &lines))
		require.Contains(t, strings.Join(lines, "\n"), "fields_pkey")
		found, err := r.Known(ctx, access.Own(7), ids)
		require.NoError(t, err)
		require.Len(t, found, len(ids))
		foreign, err := r.Known(ctx, access.Own(8), ids)
		require.NoError(t, err)
		require.Empty(t, foreign)
		return nil
	}))
}
