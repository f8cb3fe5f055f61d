package storetest_test

import (
	"context"
	"database/sql"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/persistence"
	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/ports"
	"tilth/tests/pgtest"
	"tilth/tests/storetest"
)

// wall and none stand in for what a migration does not use.
type wall struct{}

func (wall) Now() time.Time { return time.Unix(0, 0) }

type none struct{}

func (none) UUID() string    { return "" }
func (none) Secret() string  { return "" }
func (none) Jitter() float64 { return 0 }

func migrate(ctx context.Context, address string) error {
	db, err := persistence.Open(ctx, address, persistence.Options{Clock: wall{}, IDs: none{}})
	if err != nil {
		return err
	}
	if _, err := db.Migrator().Up(ctx); err != nil {
		return err
	}
	return db.Close()
}

func sqlitePath(t testing.TB) string {
	return "sqlite:" + filepath.Join(t.TempDir(), "a folder", "100% tilth?.db")
}

// template is a migrated SQLite file, copied for each test.
var template = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "storetest")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "tilth.db")
	if err := migrate(context.Background(), "sqlite:"+path); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

func TestSQLite(t *testing.T) {
	t.Parallel()
	storetest.Run(t, storetest.Backend{
		Empty: sqlitePath,
		Migrated: func(t testing.TB) string {
			file, err := template()
			require.NoError(t, err)
			path := filepath.Join(t.TempDir(), "tilth.db")
			require.NoError(t, os.WriteFile(path, file, 0o600))
			return "sqlite:" + path
		},
	})
}

var postgres = pgtest.NewTemplate(migrate)

func TestPostgreSQL(t *testing.T) {
	t.Parallel()
	storetest.Run(t, storetest.Backend{
		Empty:    func(t testing.TB) string { return pgtest.Open(t) },
		Migrated: postgres.Open,
	})
}

// A database whose user may not make extensions is migrated all the same, searched without an index, and gets it later.
func TestSearchWithoutTheExtension(t *testing.T) {
	t.Parallel()
	ctx, address := context.Background(), pgtest.Open(t)
	admin, err := sql.Open("pgx", address)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, admin.Close()) })
	_, err = admin.Exec("GRANT ALL ON SCHEMA public TO pg_monitor") // a role of every server, which may not make extensions
	require.NoError(t, err)
	limited, err := url.Parse(address)
	require.NoError(t, err)
	query := limited.Query()
	query.Set("role", "pg_monitor")
	limited.RawQuery = query.Encode()
	require.NoError(t, migrate(ctx, limited.String()))
	check := func() sqlstore.Health {
		db, err := persistence.Open(ctx, limited.String(), persistence.Options{Clock: wall{}, IDs: none{}})
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
