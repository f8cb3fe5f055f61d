package prepared_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"tilth/adapters/persistence/prepared"
	"tilth/adapters/persistence/prepared/journal"
)

// file is a connector to a database in a file.
type file string

func (f file) Connect(context.Context) (driver.Conn, error) { return f.Driver().Open(string(f)) }

func (file) Driver() driver.Driver { return &sqlite.Driver{} }

// SQLite accepts the room before a database is opened, and a statement that needs more and fails in the middle is rolled back whole.
func TestStatementsAreTakenBackWhateverTheyChanged(t *testing.T) {
	t.Parallel()
	require.EqualValues(t, sqlite3.SQLITE_OK, journal.Answer)
	db := sql.OpenDB(prepared.Connector{Connector: file(filepath.Join(t.TempDir(), "t.db"))})
	db.SetMaxOpenConns(1)
	defer db.Close()
	run := func(statement string) error {
		_, err := db.Exec(statement)
		return err
	}
	require.NoError(t, run("CREATE TABLE t (id INTEGER PRIMARY KEY, v INTEGER CHECK (v < 200), filler BLOB)"))
	require.NoError(t, run("WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)"+
		" INSERT INTO t SELECT i, i - 1, zeroblob(3000) FROM n"), "a row a page")
	require.NoError(t, run("BEGIN"))
	require.NoError(t, run("UPDATE t SET v = v + 0, filler = zeroblob(3001)"), "200 pages")
	require.ErrorContains(t, run("UPDATE t SET v = v + 1"), "CHECK", "of the last")
	require.NoError(t, run("COMMIT"))
	var sum, longer int
	require.NoError(t, db.QueryRow("SELECT sum(v), sum(length(filler) = 3001) FROM t").Scan(&sum, &longer))
	require.Equal(t, 199*200/2, sum)
	require.Equal(t, 200, longer)
}
