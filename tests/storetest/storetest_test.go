package storetest_test

import (
	"context"
	"database/sql"
	"net/url"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/persistence"
	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/ports"
	"tilth/tests/migrated"
	"tilth/tests/pgtest"
	"tilth/tests/storetest"
)

func sqlitePath(t testing.TB) string {
	return "sqlite:" + filepath.Join(t.TempDir(), "a folder", "100% tilth?.db")
}

func TestSQLite(t *testing.T) {
	t.Parallel()
	storetest.Run(t, storetest.Backend{
		Kind:     "sqlite",
		Empty:    sqlitePath,
		Migrated: migrated.SQLite,
	})
}

var postgres = pgtest.NewTemplate(migrated.Migrate)

func TestPostgreSQL(t *testing.T) {
	t.Parallel()
	storetest.Run(t, storetest.Backend{
		Kind:     "postgres",
		Empty:    func(t testing.TB) string { return pgtest.Open(t) },
		Migrated: postgres.Open,
	})
}

// PostgreSQL compiles no statement, unless the address asks for it.
func TestPostgreSQLCompilesNothing(t *testing.T) {
	t.Parallel()
	address := postgres.Open(t)
	admin, err := sql.Open("pgx", address)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, admin.Close()) })
	_, err = admin.Exec(`CREATE TABLE seen (jit text);
		CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO seen VALUES (current_setting('jit')); RETURN NEW; END $$;
		CREATE TRIGGER see AFTER INSERT ON companies FOR EACH ROW EXECUTE FUNCTION see()`)
	require.NoError(t, err)
	for address, want := range map[string]string{address: "off", address + "&jit=on": "on"} {
		db, err := persistence.Open(t.Context(), address, persistence.Options{Clock: migrated.Still{}, IDs: migrated.None{}})
		require.NoError(t, err)
		require.NoError(t, db.Operate(t.Context(), func(ctx context.Context, tx ports.OperatorRepos) error {
			return tx.Accounts.CreateCompany(ctx, &ports.Company{UUID: want, Name: want}, nil)
		}))
		require.NoError(t, db.Close())
		var jit string
		require.NoError(t, admin.QueryRow("DELETE FROM seen RETURNING jit").Scan(&jit))
		require.Equal(t, want, jit)
	}
}

// A server that may lose what it acknowledged reports this.
func TestForgetfulPostgreSQL(t *testing.T) {
	t.Parallel()
	address := postgres.Open(t)
	for setting, forgets := range map[string]bool{"off": true, "on": false} {
		u, err := url.Parse(address)
		require.NoError(t, err)
		query := u.Query()
		query.Set("synchronous_commit", setting)
		u.RawQuery = query.Encode()
		db, err := persistence.Open(t.Context(), u.String(), persistence.Options{Clock: migrated.Still{}, IDs: migrated.None{}})
		require.NoError(t, err)
		h, err := db.Check(t.Context())
		require.NoError(t, err)
		require.NoError(t, db.Close())
		require.Equal(t, forgets, slices.Contains(h.Forgetful, "synchronous_commit"))
	}
}

// A database whose user may not make extensions is migrated all the same, searched without an index, and gets it later.
func TestSearchWithoutTheExtension(t *testing.T) {
	t.Parallel()
	ctx, address := context.Background(), pgtest.Open(t)
	admin, err := sql.Open("pgx", address)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, admin.Close()) })
	_, err = admin.Exec("GRANT ALL ON SCHEMA public TO pg_monitor") // a role on every server, which may not create extensions
	require.NoError(t, err)
	limited, err := url.Parse(address)
	require.NoError(t, err)
	query := limited.Query()
	query.Set("role", "pg_monitor")
	limited.RawQuery = query.Encode()
	require.NoError(t, migrated.Migrate(ctx, limited.String()))
	check := func() sqlstore.Health {
		db, err := persistence.Open(ctx, limited.String(), persistence.Options{Clock: migrated.Still{}, IDs: migrated.None{}})
		require.NoError(t, err)
		defer func() { require.NoError(t, db.Close()) }()
		h, err := db.Check(ctx)
		require.NoError(t, err)
		require.NoError(t, db.Read(ctx, func(ctx context.Context, tx ports.Repos) error {
			n, err := tx.Fields.Count(ctx, access.Own(1), ports.Query{Filters: []ports.Filter{{Name: "search", Value: "north"}}})
			require.Zero(t, n)
			return err
		}))
		return h
	}
	require.True(t, check().Unindexed)
	_, err = admin.Exec("SELECT make_search_indexes()")
	require.NoError(t, err)
	require.False(t, check().Unindexed)
}
