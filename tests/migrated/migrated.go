// Package migrated returns databases with all migrations applied. Those of SQLite are copies of one that is made once:
// a hundred tables take a second under the race detector. Only tests import it.
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
	"tilth/tests/kept"
)

// Still is a stopped clock, for tests that need no time.
type Still struct{}

// Now implements ports.Clock.
func (Still) Now() time.Time { return time.Unix(0, 0) }

// None makes empty ids, for tests that need none.
type None struct{}

// UUID implements ports.IDs.
func (None) UUID() string { return "" }

// Secret implements ports.IDs.
func (None) Secret() string { return "" }

// Jitter implements ports.IDs.
func (None) Jitter() float64 { return 0 }

// Migrate applies all migrations to the database at an address.
func Migrate(ctx context.Context, address string) error {
	db, err := sqlstore.Open(ctx, address, sqlstore.Options{Clock: Still{}, IDs: None{}})
	if err != nil {
		return err
	}
	_, err = db.Migrator().Up(ctx)
	return errors.Join(err, db.Close())
}

// template is a migrated file.
var template = sync.OnceValues(func() ([]byte, error) {
	return kept.Once("migrated.db", func() ([]byte, error) {
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
