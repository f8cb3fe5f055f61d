package prepared

import (
	"context"
	"database/sql/driver"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/jackc/pgx/v5"
	"modernc.org/sqlite"

	_ "tilth/adapters/persistence/prepared/journal" // before a database is opened
)

// maxPrepared bounds the statements that a connection to SQLite keeps prepared; pgx keeps as many of its own.
const maxPrepared = 512

// Connector makes connections that take the arguments out of statements and prepare what remains once.
type Connector struct {
	driver.Connector
	Postgres bool          // else SQLite
	Idle     time.Duration // how long PostgreSQL waits for the next statement of a transaction that writes; 0: for ever
}

// Connect implements driver.Connector.
func (p Connector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := p.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	inner, ok := conn.(innerConn)
	if !ok {
		return nil, errors.Join(fmt.Errorf("the driver's %T lacks what statements need", conn), conn.Close())
	}
	if p.Postgres {
		return postgresConn{inner, p.Idle}, nil
	}
	out := &sqliteConn{innerConn: inner}
	out.kept, err = lru.NewWithEvict(maxPrepared, func(_ string, stmt driver.Stmt) {
		if !out.taking {
			_ = stmt.Close() // its connection goes on without it
		}
	})
	return out, err
}

// innerConn is the interface that both drivers offer.
type innerConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
}

// postgresConn passes arguments to pgx as text, whose type PostgreSQL infers from their position, as it does for a quoted
// literal. pgx prepares a statement at its first use, and forgets one that a change of the schema made invalid.
type postgresConn struct {
	innerConn
	idle time.Duration
}

// BeginTx implements driver.ConnBeginTx. A transaction that writes is begun with its idle limit, in one statement.
func (c postgresConn) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	native, ok := c.innerConn.(interface{ Conn() *pgx.Conn })
	if !ok || c.idle == 0 || opts != (driver.TxOptions{}) || native.Conn().IsClosed() {
		return c.innerConn.BeginTx(ctx, opts)
	}
	tx, err := native.Conn().BeginTx(ctx, pgx.TxOptions{
		BeginQuery: fmt.Sprintf("BEGIN; SET LOCAL idle_in_transaction_session_timeout = %d", c.idle.Milliseconds()),
	})
	if err != nil {
		return nil, err
	}
	return writing{ctx, tx}, nil
}

// writing is a transaction as database/sql knows it.
type writing struct {
	ctx context.Context //nolint:containedctx // of its beginning, as the driver's own has it
	tx  pgx.Tx
}

// Commit implements driver.Tx.
func (w writing) Commit() error { return w.tx.Commit(w.ctx) }

// Rollback implements driver.Tx.
func (w writing) Rollback() error { return w.tx.Rollback(w.ctx) }

// CheckNamedValue implements driver.NamedValueChecker: pgx decides what it takes.
func (postgresConn) CheckNamedValue(*driver.NamedValue) error { return nil }

// ExecContext implements driver.ExecerContext.
func (c postgresConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	query, args, err := c.lift(query, args)
	if err != nil {
		return nil, err
	}
	return c.innerConn.ExecContext(ctx, query, args)
}

// QueryContext implements driver.QueryerContext.
func (c postgresConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	query, args, err := c.lift(query, args)
	if err != nil {
		return nil, err
	}
	return c.innerConn.QueryContext(ctx, query, args)
}

func (c postgresConn) lift(query string, args []driver.NamedValue) (string, []driver.NamedValue, error) {
	if len(args) > 0 {
		return query, args, nil // from a caller that writes placeholders
	}
	out, err := lift(query, ofPostgres)
	switch {
	case err != nil:
		return "", nil, err
	case out.varied:
		text, err := written(query, `'\x`)
		return text, []driver.NamedValue{{Ordinal: 1, Value: pgx.QueryExecModeSimpleProtocol}}, err
	}
	return out.text, out.args, nil
}

var (
	ofPostgres = spelling{true, postgresPlaceholder, postgresValue}
	ofSQLite   = spelling{false, func(b []byte, _ int, _ byte, _ string) []byte { return append(b, '?') }, sqliteValue}
)

// postgresPlaceholder states the width of a number that is compared: it may be too large for the column, and then matches nothing.
func postgresPlaceholder(b []byte, n int, kind byte, text string) []byte {
	b = strconv.AppendInt(append(b, '$'), int64(n), 10)
	if kind != aNumber {
		return b
	}
	if _, err := strconv.ParseInt(text, 10, 64); err != nil {
		return append(b, "::float8"...)
	}
	return append(b, "::int8"...)
}

func postgresValue(kind byte, text string) any {
	switch kind {
	case aNull:
		return nil
	case aBytes:
		return []byte(text)
	}
	return text
}

// Restorer is a connection to SQLite whose database can be overwritten.
type Restorer interface {
	NewRestore(source string) (*sqlite.Backup, error)
}

// sqliteConn keeps prepared statements. A statement whose rows are being read is not in kept.
type sqliteConn struct {
	innerConn
	kept   *lru.Cache[string, driver.Stmt]
	taking bool
	hooked sqlite.HookRegisterer // reports rollbacks; nil: nobody asked
}

// Close implements driver.Conn.
func (c *sqliteConn) Close() error {
	c.kept.Purge()
	if c.hooked != nil {
		c.hooked.RegisterRollbackHook(nil) // it is registered under an address that another connection may get
	}
	return c.innerConn.Close()
}

// IsValid implements driver.Validator.
func (c *sqliteConn) IsValid() bool {
	inner, ok := c.innerConn.(driver.Validator)
	return !ok || inner.IsValid()
}

// OnRollback registers a function that is called whenever a whole transaction is rolled back, whatever the cause.
func (c *sqliteConn) OnRollback(do func()) error {
	inner, ok := c.innerConn.(sqlite.HookRegisterer)
	if !ok {
		return fmt.Errorf("the driver's %T does not report what is rolled back", c.innerConn)
	}
	c.hooked = inner
	inner.RegisterRollbackHook(do)
	return nil
}

// NewRestore implements Restorer.
func (c *sqliteConn) NewRestore(source string) (*sqlite.Backup, error) {
	c.kept.Purge()
	return c.innerConn.(Restorer).NewRestore(source)
}

// ExecContext implements driver.ExecerContext.
func (c *sqliteConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	text, args, stmt, err := c.prepare(ctx, query, args)
	if err != nil {
		return nil, err
	}
	if stmt == nil {
		return c.innerConn.ExecContext(ctx, text, args)
	}
	res, err := stmt.(driver.StmtExecContext).ExecContext(ctx, args)
	return res, errors.Join(err, c.keep(text, stmt))
}

// QueryContext implements driver.QueryerContext.
func (c *sqliteConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	text, args, stmt, err := c.prepare(ctx, query, args)
	if err != nil {
		return nil, err
	}
	if stmt == nil {
		return c.innerConn.QueryContext(ctx, text, args)
	}
	rows, err := stmt.(driver.StmtQueryContext).QueryContext(ctx, args)
	if err != nil {
		return nil, errors.Join(err, c.keep(text, stmt))
	}
	return preparedRows{rows, func() error { return c.keep(text, stmt) }}, nil
}

// prepare returns the prepared statement of a query with its arguments; nil where the text is run as it is.
func (c *sqliteConn) prepare(ctx context.Context, query string, args []driver.NamedValue) (string, []driver.NamedValue, driver.Stmt, error) {
	if len(args) > 0 {
		return query, args, nil, nil
	}
	out, err := lift(query, ofSQLite)
	if err != nil {
		return "", nil, nil, err
	}
	if out.varied {
		text, err := written(query, "X'")
		return text, nil, nil, err
	}
	if stmt, ok := c.kept.Peek(out.text); ok {
		c.taking = true
		c.kept.Remove(out.text)
		c.taking = false
		return out.text, out.args, stmt, nil
	}
	stmt, err := c.PrepareContext(ctx, out.text)
	return out.text, out.args, stmt, err
}

// keep puts back a statement that has done its work.
func (c *sqliteConn) keep(text string, stmt driver.Stmt) error {
	if c.kept.Contains(text) {
		return stmt.Close()
	}
	c.kept.Add(text, stmt)
	return nil
}

func sqliteValue(kind byte, text string) any {
	switch kind {
	case aNull:
		return nil
	case aBytes:
		return []byte(text)
	case aTruth:
		return text == "TRUE"
	case aNumber, aStored:
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return n
		}
		if x, err := strconv.ParseFloat(text, 64); err == nil {
			return x
		}
	}
	return text
}

// preparedRows puts the statement back when the rows are closed.
type preparedRows struct {
	driver.Rows
	done func() error
}

// Close implements driver.Rows.
func (r preparedRows) Close() error { return errors.Join(r.Rows.Close(), r.done()) }

// written returns a statement with its arguments in its text, as bun writes them; bytes begins a literal of bytes.
func written(text, bytes string) (string, error) {
	var b strings.Builder
	for {
		at := strings.IndexByte(text, mark)
		if at < 0 {
			b.WriteString(text)
			return b.String(), nil
		}
		kind, argument, next, err := readMark(text, at)
		if err != nil {
			return "", err
		}
		b.WriteString(text[:at])
		switch kind {
		case aNull:
			b.WriteString("NULL")
		case aText:
			b.WriteString("'" + strings.ReplaceAll(argument, "'", "''") + "'")
		case aBytes:
			b.WriteString(bytes + hex.EncodeToString([]byte(argument)) + "'")
		case aNumber, aStored, aTruth, aList:
			if strings.HasSuffix(b.String(), "-") {
				b.WriteByte(' ') // two minus signs would begin a comment
			}
			b.WriteString(argument)
		}
		text = text[next:]
	}
}
