package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"tilth/adapters/persistence/group"
	"tilth/core/fault"
)

// reason is why a driver refused a statement, read from its code and never from its text.
type reason int

const (
	unknown   reason = iota
	lostRace         // another transaction was first: run the whole again
	gone             // no connection, no space, shutting down
	timedOut         // the statement ran too long, or waited too long for a lock
	canceled         // the caller gave up
	duplicate        // a unique key
	dangling         // a foreign key
	refused          // a check, a missing value, an append-only table
)

// errHeld says that a transaction did not wait for a lock that another one has.
var errHeld = errors.New("another transaction has the lock")

// reasonOf reads the code of a driver's error anywhere in err's chain.
func reasonOf(err error) reason {
	var pg *pgconn.PgError
	var lite *sqlite.Error
	var connect *pgconn.ConnectError
	switch {
	case err == nil:
		return unknown
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return canceled
	case errors.Is(err, group.ErrLost), errors.Is(err, errHeld):
		return lostRace
	case errors.As(err, &connect), errors.Is(err, driver.ErrBadConn), errors.Is(err, sql.ErrConnDone):
		return gone
	case errors.As(err, &pg):
		return cmp.Or(postgresReasons[pg.Code], postgresReasons[pg.Code[:min(3, len(pg.Code))]], postgresReasons[pg.Code[:min(2, len(pg.Code))]])
	case errors.As(err, &lite):
		return cmp.Or(sqliteReasons[lite.Code()], sqliteReasons[lite.Code()&0xff])
	}
	return unknown
}

// postgresReasons reads a SQLSTATE (PostgreSQL's manual, appendix A), or its class in two digits.
var postgresReasons = map[string]reason{
	"40001": lostRace, "40P01": lostRace, // serialization_failure, deadlock_detected
	"0A000": lostRace,                    // the schema changed between the preparation and the use of a statement (cached plan must not change result type)
	"57014": timedOut, "55P03": timedOut, // query_canceled (by statement_timeout), lock_not_available
	"23505": duplicate, "23503": dangling, "23": refused,
	"25P03": timedOut,                      // idle_in_transaction_session_timeout
	"08":    gone, "53": gone, "57P": gone, // connection exceptions, insufficient resources, operator intervention
}

// sqliteReasons reads an extended result code (sqlite.org/rescode.html), or its low byte.
var sqliteReasons = map[int]reason{
	sqlite3.SQLITE_CONSTRAINT_UNIQUE: duplicate, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY: duplicate,
	sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY: dangling, sqlite3.SQLITE_CONSTRAINT: refused,
	sqlite3.SQLITE_BUSY: lostRace, sqlite3.SQLITE_LOCKED: lostRace, sqlite3.SQLITE_INTERRUPT: canceled,
	sqlite3.SQLITE_CANTOPEN: gone, sqlite3.SQLITE_IOERR: gone, sqlite3.SQLITE_FULL: gone, sqlite3.SQLITE_NOTADB: gone,
}

// Unreadable reports whether a value that the database holds could not be read: no driver refused the statement.
func Unreadable(err error) bool {
	_, known := fault.As(err)
	return err != nil && !known && reasonOf(err) == unknown
}

// Rejected returns, in words for people, why the database rejected a row; empty for any other error.
func Rejected(err error) string {
	var pg *pgconn.PgError
	switch reasonOf(err) {
	case duplicate:
		return "another row has the same key"
	case dangling:
		return "a row that it refers to does not exist"
	case refused:
		return "a value breaks a rule of the table"
	case unknown:
		if errors.As(err, &pg) && strings.HasPrefix(pg.Code, "22") { // data exceptions
			return "a value cannot be stored"
		}
	}
	return ""
}

// translate turns the error of a transaction into a fault; faults pass as they are. Conflicts of keys that callers race
// for do not come here: their statements use ON CONFLICT, because an error would end PostgreSQL's transaction.
func translate(err error) error {
	if _, ok := fault.As(err); ok || err == nil {
		return err
	}
	switch reasonOf(err) {
	case lostRace:
		return fault.New(fault.Unavailable, "database_busy", "The database is busy; try again.").Because(err)
	case gone:
		return away(err)
	case timedOut:
		return fault.New(fault.Unavailable, "database_timeout", "The database took too long; try again.").Because(err)
	case canceled:
		return err
	case duplicate, dangling:
		return Clash(err)
	case refused:
		return fault.New(fault.Internal, "constraint", "The database refused a value.").Because(err)
	}
	return fmt.Errorf("database: %w", err)
}

// Clash returns the fault of a row that other rows rule out, and any other error as it is.
func Clash(err error) error {
	switch reasonOf(err) {
	case duplicate:
		return fault.New(fault.Conflict, "already_exists", "Another record has the same key.").Because(err)
	case dangling:
		return fault.New(fault.Conflict, "reference_missing", "A record that is referred to does not exist.").Because(err)
	}
	return err
}

// away returns the fault of a database that does not answer. A caller that gave up gets its own error; a fault stays as it is.
func away(err error) error {
	if _, decided := fault.As(err); decided || errors.Is(err, context.Canceled) {
		return err
	}
	return fault.New(fault.Unavailable, "database_unavailable", "The database does not answer.").Because(err)
}

// silenced applies away to an error that no driver explains, and returns any other as it is.
func silenced(err error) error {
	if err != nil && reasonOf(err) == unknown {
		return away(err)
	}
	return err
}

// Internal returns the fault of a defect in this program.
func Internal(format string, args ...any) error {
	return fault.New(fault.Internal, "database", fmt.Sprintf(format, args...))
}
