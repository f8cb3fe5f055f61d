package sqlstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/sqlitedialect"
	"modernc.org/sqlite"

	"tilth/adapters/persistence/group"
	"tilth/adapters/persistence/prepared"
	"tilth/core/fault"
)

const (
	// sqliteBusy is how long a connection waits for another process's write.
	sqliteBusy = 5 * time.Second
	// sqliteReaders bounds the readers: more than a few cores gain nothing.
	sqliteReaders = 4
	// sqliteLog lets 16 MB of pages wait in the log, so that each is written back once. From 4,063 pages on readers search two indexes.
	sqliteLog = "wal_autocheckpoint(4000)"
	// migrationPoll is how long a migrator waits between looks at a lock that another holds.
	migrationPoll = 250 * time.Millisecond
)

// openSQLite opens one writer, on which writing transactions take turns, and a few readers. SQLite has one writer at a time
// anyway: this way the wait is a fair queue without polling, and busy_timeout is left for other processes.
func (d *DB) openSQLite(ctx context.Context, path string) error {
	path = strings.TrimPrefix(path, "//")
	if path == ":memory:" {
		return fault.New(fault.Invalid, "database_url", "A database in memory is not supported: give sqlite: a path.")
	}
	unsettled, err := makeFolder(filepath.Dir(path))
	if err != nil {
		return fault.New(fault.Invalid, "database_url", "The folder of the database cannot be made.").Because(err)
	}
	// SQLite would let everybody read what it creates, and gives its other files the same permissions.
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fault.New(fault.Invalid, "database_url", "The file of the database cannot be opened.").Because(err)
	}
	if err := errors.Join(file.Close(), SettleFolder(unsettled...)); err != nil {
		return away(err)
	}
	d.engine = engine{
		name: "SQLite", location: path,
		openUnhurried: func() (*bun.DB, error) {
			return bun.NewDB(sqlitePool(d.opts.Connect.through, 1, sqliteDSN(path, "immediate")), sqlitedialect.New()), nil
		},
		lock: func(ctx context.Context) (func() error, error) { return lockSQLite(ctx, path) },
		presence: func(ctx context.Context, shared bool) (func() error, error) {
			return attendSQLite(ctx, path, shared)
		},
		watch: func(ctx context.Context, heard func(announcement)) error {
			return watchSQLite(ctx, path, d.writer, heard)
		},
	}
	inner := func(c driver.Connector) driver.Connector { return prepared.Connector{Connector: c} }
	through := func(c driver.Connector) driver.Connector { return d.opts.Connect.through(inner(c)) }
	shared := func(c driver.Connector) driver.Connector {
		return d.opts.Connect.through(group.New(inner(c), d.opts.PoolWait))
	}
	d.writer = bun.NewDB(sqlitePool(shared, group.MaxMembers, sqliteDSN(path, "immediate", sqliteLog)), prepared.Dialect(sqlitedialect.New()))
	// The writer touches the file first: it makes it, and puts it into WAL mode.
	if err := d.writer.PingContext(ctx); err != nil {
		return errors.Join(away(err), d.writer.Close())
	}
	d.reader = bun.NewDB(sqlitePool(through, sqliteReaders, sqliteDSN(path, "deferred", "query_only(1)")), prepared.Dialect(sqlitedialect.New()))
	return nil
}

// sqliteConnector opens connections to a file; the value is its DSN.
type sqliteConnector string

func (dsn sqliteConnector) Connect(context.Context) (driver.Conn, error) {
	return dsn.Driver().Open(string(dsn))
}

func (sqliteConnector) Driver() driver.Driver { return &sqlite.Driver{} }

func sqlitePool(through Connect, size int, dsn string) *sql.DB {
	db := sql.OpenDB(through(sqliteConnector(dsn)))
	db.SetMaxOpenConns(size)
	db.SetMaxIdleConns(size)
	return db
}

// sqliteDSN returns the address of a file with the pragmas of every connection. busy_timeout comes first: the
// change to WAL needs a lock. FULL syncs the log in every commit, so that a power cut costs no commit; NORMAL
// would sync it only when it is written back.
func sqliteDSN(path, txlock string, more ...string) string {
	q := url.Values{"_txlock": {txlock}}
	q["_pragma"] = append([]string{
		fmt.Sprintf("busy_timeout(%d)", sqliteBusy.Milliseconds()),
		"journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)",
	}, more...)
	return "file:" + (&url.URL{Path: filepath.ToSlash(path)}).EscapedPath() + "?" + q.Encode()
}

// lockSQLite takes the migrations' lock: an exclusive transaction on an empty database beside the real one,
// which the kernel ends with the process.
func lockSQLite(ctx context.Context, path string) (func() error, error) {
	q := url.Values{"_txlock": {"exclusive"}, "_pragma": {fmt.Sprintf("busy_timeout(%d)", migrationPoll.Milliseconds())}}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: filepath.ToSlash(path) + "-migration-lock"}).EscapedPath()+"?"+q.Encode())
	if err != nil {
		return nil, fmt.Errorf("database: %w", err)
	}
	for {
		tx, err := db.BeginTx(ctx, nil)
		if err == nil {
			return func() error { return errors.Join(tx.Rollback(), db.Close()) }, nil
		}
		if ctx.Err() != nil {
			err = ctx.Err()
		} else if reasonOf(err) == lostRace {
			continue // busy_timeout was the pause
		}
		return nil, errors.Join(err, db.Close())
	}
}
