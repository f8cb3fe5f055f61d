package moving

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/tests/migrated"
	"tilth/tests/pgtest"
)

var template = pgtest.NewTemplate(migrated.Migrate)

// on runs a test on a migrated database of each kind.
func on(t *testing.T, test func(t *testing.T, ctx context.Context, s *sqlstore.Session)) {
	for name, open := range map[string]func(testing.TB) string{"sqlite": migrated.SQLite, "postgres": template.Open} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, err := sqlstore.Open(t.Context(), open(t), sqlstore.Options{Clock: migrated.Still{}, IDs: migrated.None{}})
			require.NoError(t, err)
			defer func() { require.NoError(t, db.Close()) }()
			require.NoError(t, db.View(t.Context(), func(ctx context.Context, s *sqlstore.Session) error {
				test(t, ctx, s)
				return nil
			}))
		})
	}
}

func texts(ctx context.Context, t *testing.T, s *sqlstore.Session, query string) (out []string) {
	t.Helper()
	rows, err := s.Native().QueryContext(ctx, query)
	require.NoError(t, err)
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var one string
		require.NoError(t, rows.Scan(&one))
		out = append(out, one)
	}
	require.NoError(t, rows.Err())
	return out
}

// Every table of the schema moves, stays with a company's records, or belongs to the installation; every column of a moving
// table that could hold an id is named. Whoever adds a table or a column must declare what becomes of it.
func TestEveryTableIsClassified(t *testing.T) {
	t.Parallel()
	on(t, func(t *testing.T, ctx context.Context, s *sqlstore.Session) {
		query := "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'search%'"
		if s.Postgres {
			query = "SELECT relname::text FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition"
		}
		there := texts(ctx, t, s, query)
		classified := map[string]bool{}
		for name := range installed {
			classified[name] = true
		}
		for _, one := range stays {
			require.NotEmpty(t, one.why, one.table)
			classified[one.table] = true
		}
		placed := map[string]bool{"crops": true}
		for _, one := range tables {
			require.Empty(t, installed[one.name], one.name)
			classified[one.name], placed[one.name] = true, true
			requireColumns(ctx, t, s, one, placed)
		}
		for _, name := range there {
			require.True(t, classified[name], "the table %s is not classified: does it move with a company (tables.go), do a company's records in it stay (stay.go), or is it the installation's?", name)
		}
		for name := range classified {
			require.Contains(t, there, name, "there is no such table any more")
		}
		for _, name := range slices.Sorted(maps.Keys(trailed)) {
			require.Contains(t, there, trailed[name])
		}
	})
}

// requireColumns compares the description of a table with its columns.
func requireColumns(ctx context.Context, t *testing.T, s *sqlstore.Session, one table, placed map[string]bool) {
	t.Helper()
	columns, key, err := columnsOf(ctx, s, one)
	require.NoError(t, err)
	require.NotEmpty(t, key, one.name)
	known := map[string]bool{}
	for _, col := range columns {
		known[col.name] = true
		of, _, _ := one.refer(col.name)
		_, chosen := one.by[col.name]
		_, secret := one.secret[col.name]
		number := slices.Contains(strings.Fields(one.numbers), col.name)
		switch {
		case col.kind == whole:
			require.True(t, of != "" || chosen || number || secret, "%s.%s could hold an id: of which table, or is it a number?", one.name, col.name)
			require.False(t, of != "" && number, "%s.%s", one.name, col.name)
		case col.kind == octets:
			t.Errorf("%s.%s holds bytes: is it deflated JSON, which the file holds open?", one.name, col.name)
		}
		if of != "" {
			require.True(t, placed[of], "%s refers to %s, which stands behind it", one.name, of)
		}
	}
	for _, name := range slices.Concat(slices.Sorted(maps.Keys(one.ids)), slices.Sorted(maps.Keys(one.secret)), sortedChosen(one.by), strings.Fields(one.numbers), strings.Fields(one.opened),
		slices.Collect(maps.Keys(one.json)), slices.Collect(maps.Keys(one.cites))) {
		require.True(t, known[name], "%s has no column %s any more", one.name, name)
	}
	_, err = s.Native().ExecContext(ctx, of("SELECT 1 FROM "+one.name+" AS t WHERE "+one.rows(), 1))
	require.NoError(t, err, one.name)
}

// Every foreign key of a table that moves is among its ids, with the table that it refers to.
func TestForeignKeysAreNamed(t *testing.T) {
	t.Parallel()
	on(t, func(t *testing.T, ctx context.Context, s *sqlstore.Session) {
		if !s.Postgres {
			return
		}
		for _, key := range texts(ctx, t, s, `SELECT c.conrelid::regclass::text || ' ' || a.attname || ' ' || c.confrelid::regclass::text || ' ' || f.attname
FROM pg_constraint c CROSS JOIN LATERAL unnest(c.conkey, c.confkey) AS k (here, there)
JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.here JOIN pg_attribute f ON f.attrelid = c.confrelid AND f.attnum = k.there
WHERE c.contype = 'f' AND c.connamespace = current_schema()::regnamespace`) {
			parts := strings.Fields(key)
			one, moves := named(parts[0])
			if !moves || parts[3] != "id" {
				continue
			}
			of, loose, _ := one.refer(parts[1])
			require.Equal(t, parts[2], of, key)
			require.False(t, loose, "%s: the database holds it", key)
		}
	})
}

// SQLite has one type for text, times, days and JSON: what the description says about them must match PostgreSQL's types.
func TestKindsOfColumns(t *testing.T) {
	t.Parallel()
	kindsOn := map[bool]map[string]kind{}
	for _, postgres := range []bool{false, true} {
		open := migrated.SQLite
		if postgres {
			open = template.Open
		}
		db, err := sqlstore.Open(t.Context(), open(t), sqlstore.Options{Clock: migrated.Still{}, IDs: migrated.None{}})
		require.NoError(t, err)
		kindsOn[postgres] = map[string]kind{}
		require.NoError(t, db.View(t.Context(), func(ctx context.Context, s *sqlstore.Session) error {
			for _, one := range tables {
				columns, _, err := columnsOf(ctx, s, one)
				require.NoError(t, err)
				for _, col := range columns {
					kindsOn[postgres][one.name+"."+col.name] = col.kind
				}
			}
			return nil
		}))
		require.NoError(t, db.Close())
	}
	for name, known := range kindsOn[true] {
		require.Equal(t, known, kindsOn[false][name], "%s: name it among the times or the days (columns.go)", name)
	}
	require.Len(t, kindsOn[false], len(kindsOn[true]))
	// PostgreSQL itself knows which columns are of JSON: the description must not declare others.
	for _, one := range tables {
		for name := range one.json {
			require.Equal(t, document, kindsOn[true][one.name+"."+name])
		}
	}
}

// Every resource of permissions whose records are in the audit trail has a table in trailed.
func TestEveryResourceHasATable(t *testing.T) {
	t.Parallel()
	without := []string{"audit", "crop", "cropcheck", "dashboard", "event", "job"} // no record is created or changed under these names
	for _, slug := range access.KnownSlugs() {
		resource, _, _ := strings.Cut(string(slug), ".")
		if !slices.Contains(without, resource) {
			require.NotEmpty(t, trailed[resource], resource)
		}
	}
}
