package geopackage

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"path/filepath"
	"strings"

	"modernc.org/sqlite"
)

// Head is how a file of SQLite begins.
const Head = "SQLite format 3\x00"

// The limits of SQLite while it reads what strangers send (https://www.sqlite.org/limits.html), by their numbers in its C
// interface.
const (
	limitValue      = 0 // bytes of a value
	limitStatement  = 1 // bytes of a statement, those of the schema among them
	limitExpression = 3 // depth of an expression
	limitAttached   = 7 // attached databases
)

// Open opens a GeoPackage sent by strangers for reading only: nothing in its schema is run, nothing is written, and no value is
// longer than the bound. With a log, which lies beside the file, the index of the log is kept in memory, which needs exclusive
// access to the file. Read only the stored columns of tables, without indexes: others would be whatever the file claims.
func Open(ctx context.Context, name string, log bool, maxValue int) (conn *sql.Conn, shut func(), err error) {
	q := url.Values{"_pragma": {"trusted_schema(0)", "cell_size_check(1)", "mmap_size(0)", "query_only(1)"}}
	if log {
		q["_pragma"] = append(q["_pragma"], "locking_mode(EXCLUSIVE)")
	} else {
		q.Set("mode", "ro")
		q.Set("immutable", "1")
	}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: filepath.ToSlash(name)}).EscapedPath()+"?"+q.Encode())
	if err != nil {
		return nil, nil, err
	}
	if conn, err = db.Conn(ctx); err != nil {
		return nil, nil, errors.Join(err, db.Close())
	}
	shut = func() { _, _ = conn.Close(), db.Close() } // it was only read
	for limit, value := range map[int]int{limitValue: maxValue, limitStatement: 1 << 17, limitExpression: 50, limitAttached: 0} {
		if _, err := sqlite.Limit(conn, limit, value); err != nil {
			shut()
			return nil, nil, err
		}
	}
	return conn, shut, nil
}

// Errors of a name that is not a table's.
var (
	ErrNoTable = errors.New("there is no such table")
	ErrOdd     = errors.New("it is a view or a virtual table")
)

// maxColumns is the maximum number of columns of a table that are looked at: SQLite allows 2,000.
const maxColumns = 2_000

// Columns returns the stored columns of a table; a computed column would run what the schema says. Errors: ErrNoTable, ErrOdd.
func Columns(ctx context.Context, conn *sql.Conn, table string) ([]Column, error) {
	var kind, statement string
	err := conn.QueryRowContext(ctx, "SELECT type, coalesce(sql, '') FROM sqlite_schema WHERE name = ?", table).Scan(&kind, &statement)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, ErrNoTable
	}
	if err != nil {
		return nil, err
	}
	if kind != "table" || strings.HasPrefix(strings.ToUpper(strings.Join(strings.Fields(statement), " ")), "CREATE VIRTUAL") {
		return nil, ErrOdd
	}
	rows, err := conn.QueryContext(ctx, "SELECT name, type FROM pragma_table_xinfo(?) WHERE hidden = 0 LIMIT ?", table, maxColumns)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []Column
	for rows.Next() {
		var c Column
		if err := rows.Scan(&c.Name, &c.Type); err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, rows.Err()
}
