package sqlstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"tilth/adapters/persistence/prepared"
	"tilth/adapters/persistence/silence"
	"tilth/core/fault"
)

const (
	postgresConns   = 20
	postgresConnect = 5 * time.Second
	postgresIdle    = 5 * time.Minute
	// idleStatements is how long a writing transaction may be idle, in multiples of the statement timeout: a process that is paused
	// or loses its network in the middle of a transaction holds its locks no longer.
	idleStatements = 2
	// migrationLock is the key of the advisory lock of the migrations ("tilth" in ASCII).
	migrationLock = 0x74696c7468
)

func (d *DB) openPostgres(address string) error {
	config, err := pgx.ParseConfig(address)
	if err != nil {
		// The parser's own error is not passed on: it may quote the password.
		return fault.New(fault.Invalid, "database_url", "The PostgreSQL address cannot be read: it must be postgres://USER:PASSWORD@HOST/DATABASE.")
	}
	d.engine = engine{
		name: "PostgreSQL", location: fmt.Sprintf("%s:%d/%s", config.Host, config.Port, config.Database), postgres: true,
		openUnhurried: func() (*bun.DB, error) {
			return bun.NewDB(postgresPool(config, 0, 2, d.opts.Connect.through), pgdialect.New()), nil
		},
		lock: func(ctx context.Context) (func() error, error) { return lockPostgres(ctx, config) },
		presence: func(ctx context.Context, shared bool) (func() error, error) {
			return attendPostgres(ctx, config, poolSize(address)+besidePool, shared)
		},
		watch:    func(ctx context.Context, heard func(announcement)) error { return watchPostgres(ctx, config, heard) },
		announce: func(ctx context.Context, a announcement) error { return announcePostgres(ctx, d.writer, a) },
	}
	d.writer = bun.NewDB(postgresPool(config, d.opts.StatementTimeout, poolSize(address), func(c driver.Connector) driver.Connector {
		return d.opts.Connect.through(prepared.Connector{Connector: c, Postgres: true, Idle: idleStatements * d.opts.StatementTimeout})
	}), prepared.Dialect(pgdialect.New()))
	d.reader = d.writer
	d.engine.conns = poolSize(address) + besidePool
	return nil
}

// poolSize returns the pool_max_conns of an address, as pgx's own pool spells it, or the default.
func poolSize(address string) int {
	u, err := url.Parse(address)
	if err != nil {
		return postgresConns
	}
	var n int
	if _, err := fmt.Sscanf(u.Query().Get("pool_max_conns"), "%d", &n); err != nil || n < 1 {
		return postgresConns
	}
	return n
}

func postgresPool(from *pgx.ConnConfig, statement time.Duration, size int, through Connect) *sql.DB {
	db := sql.OpenDB(through(stdlib.GetConnector(*postgresConfig(from, statement))))
	db.SetMaxOpenConns(size)
	db.SetMaxIdleConns(size)
	db.SetConnMaxIdleTime(postgresIdle)
	return db
}

func postgresConfig(from *pgx.ConnConfig, statement time.Duration) *pgx.ConnConfig {
	c := from.Copy()
	if c.ConnectTimeout == 0 {
		c.ConnectTimeout = postgresConnect
	}
	if statement > 0 {
		c.DialFunc = silence.Bound(c.DialFunc, statement+silence.Grace)
	}
	delete(c.RuntimeParams, "pool_max_conns")
	c.RuntimeParams["timezone"] = "UTC"
	c.RuntimeParams["statement_timeout"] = fmt.Sprint(statement.Milliseconds())
	if strings.TrimSpace(c.RuntimeParams["application_name"]) == "" {
		c.RuntimeParams["application_name"] = "tilth"
	}
	// Before a table has statistics PostgreSQL expects many rows in it, and compiles short statements for longer than it runs them.
	if c.RuntimeParams["jit"] == "" {
		c.RuntimeParams["jit"] = "off"
	}
	return c
}

// lockPostgres takes the migrations' advisory lock. The server ends it with the connection, also after a kill.
func lockPostgres(ctx context.Context, config *pgx.ConnConfig) (func() error, error) {
	db := stdlib.OpenDB(*postgresConfig(config, 0))
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, errors.Join(away(err), db.Close())
	}
	// Closing the connection ends the lock; an unlock statement would add a way to fail.
	unlock := func() error { return errors.Join(closeConn(conn), db.Close()) }
	if _, err := conn.ExecContext(ctx, fmt.Sprintf("SELECT pg_advisory_lock(%d)", migrationLock)); err != nil {
		return nil, errors.Join(err, unlock())
	}
	return unlock, nil
}

func closeConn(conn *sql.Conn) error {
	if err := conn.Close(); err != nil && !errors.Is(err, sql.ErrConnDone) {
		return err
	}
	return nil
}
