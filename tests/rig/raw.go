package rig

import (
	"database/sql"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// RawSQLite opens a SQLite database behind the program's back, until the test ends.
func RawSQLite(t testing.TB, database string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", strings.TrimPrefix(database, "sqlite:")+"?_pragma=busy_timeout(60000)")
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// Exec runs statements on a database behind the program's back.
func Exec(t testing.TB, database string, statements ...string) {
	t.Helper()
	if !strings.HasPrefix(database, "sqlite:") {
		db, err := sql.Open("pgx", database)
		require.NoError(t, err)
		execute(t, db, statements)
		return
	}
	execute(t, RawSQLite(t, database), statements)
}

func execute(t testing.TB, db *sql.DB, statements []string) {
	t.Helper()
	for _, statement := range statements {
		_, err := db.Exec(statement)
		require.NoError(t, err, statement)
	}
	require.NoError(t, db.Close())
}
