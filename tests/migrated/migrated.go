// Package migrated returns databases with all migrations applied. Those of SQLite are copies of one that is made once a
// process: a hundred tables take a second under the race detector. Only tests import it.
package migrated

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/persistence/sqlstore"
)

// still and none stand in for what a migration does not use.
type still struct{}

func (still) Now() time.Time { return time.Unix(0, 0) }

type none struct{}

func (none) UUID() string    { return "" }
func (none) Secret() string  { return "" }
func (none) Jitter() float64 { return 0 }

// Migrate applies all migrations to the database of an address.
func Migrate(ctx context.Context, address string) error {
	db, err := sqlstore.Open(ctx, address, sqlstore.Options{Clock: still{}, IDs: none{}})
	if err != nil {
		return err
	}
	_, err = db.Migrator().Up(ctx)
	return errors.Join(err, db.Close())
}

// template is a migrated file.
var template = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "migrated")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "tilth.db")
	if err := Migrate(context.Background(), "sqlite:"+path); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// SQLite returns the address of a migrated database of the test's own.
func SQLite(t testing.TB) (address string) {
	t.Helper()
	file, err := template()
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "tilth.db")
	require.NoError(t, os.WriteFile(path, file, 0o600))
	return "sqlite:" + path
}
