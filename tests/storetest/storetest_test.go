package storetest_test

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/persistence"
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
