package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"tilth/core/fault"
)

// Servers share a lock for as long as they run; a command that must not run beside a server
// takes it alone. The kernel, or the PostgreSQL server, ends the lock with its process.

const (
	// presenceLock is the key of the advisory lock of the servers ("tilts" in ASCII).
	presenceLock = 0x74696c7473
	// presencePatience is how long a server waits for a command that has the database alone.
	presencePatience = 30 * time.Second
	// presenceCheck is how often a server makes sure that it still has its connection, and so its lock.
	presenceCheck = 5 * time.Second
)

// Attend marks this process as a server of the database until leave is called.
// Faults: Conflict (database_busy) where a command has the database to itself; Unavailable.
func (d *DB) Attend(ctx context.Context) (leave func() error, err error) {
	ctx, cancel := context.WithTimeout(ctx, presencePatience)
	defer cancel()
	for {
		if leave, err = d.engine.presence(ctx, true); err != nil || leave != nil {
			return leave, translate(err)
		}
		if !sleep(ctx, migrationPoll) {
			return nil, fault.New(fault.Conflict, "database_busy", "A command has the database to itself. Fix: start the server when it is done.")
		}
	}
}

// Alone keeps servers away until leave is called. Faults: Conflict (server_running); Unavailable.
func (d *DB) Alone(ctx context.Context) (leave func() error, err error) {
	if leave, err = d.engine.presence(ctx, false); err != nil || leave != nil {
		return leave, translate(err)
	}
	return nil, fault.New(fault.Conflict, "server_running", "A server uses this database. Fix: stop every `tilth serve` and `tilth worker` first.")
}

// attendSQLite takes the lock, on an empty database beside the real one; it returns nil where the lock is taken.
func attendSQLite(ctx context.Context, path string, shared bool) (func() error, error) {
	q := url.Values{"_txlock": {"exclusive"}}
	if shared {
		q.Set("_txlock", "deferred")
	}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: filepath.ToSlash(path) + "-serving-lock"}).EscapedPath()+"?"+q.Encode())
	if err != nil {
		return nil, fmt.Errorf("database: %w", err)
	}
	ctx = context.WithoutCancel(ctx) // whose end would end the transaction, and with it the lock
	tx, err := db.BeginTx(ctx, nil)
	if err == nil && shared {
		var n int // a read is what takes the shared lock
		if err = tx.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&n); err != nil {
			_ = tx.Rollback()
		}
	}
	if err != nil {
		if err = errors.Join(err, db.Close()); reasonOf(err) == lostRace {
			err = nil
		}
		return nil, err
	}
	return func() error { return errors.Join(tx.Rollback(), db.Close()) }, nil
}

// attendPostgres takes the advisory lock on a connection of its own; it returns nil where the lock is taken.
// A shared lock whose connection breaks is taken again.
func attendPostgres(ctx context.Context, config *pgx.ConnConfig, conns int, shared bool) (func() error, error) {
	query := fmt.Sprintf("SELECT pg_try_advisory_lock(%d)", presenceLock)
	if shared {
		query = fmt.Sprintf("SELECT pg_try_advisory_lock_shared(%d)", presenceLock)
	}
	own := postgresConfig(config, 0)
	if shared {
		own.RuntimeParams["application_name"] = serverName(conns)
	}
	db := stdlib.OpenDB(*own)
	db.SetMaxOpenConns(1)
	take := func(ctx context.Context) (conn *sql.Conn, taken bool, err error) {
		if conn, err = db.Conn(ctx); err != nil {
			return nil, false, away(err)
		}
		if err = conn.QueryRowContext(ctx, query).Scan(&taken); err != nil || !taken {
			err = errors.Join(err, closeConn(conn))
		}
		return conn, taken, err
	}
	conn, taken, err := take(ctx)
	if err != nil || !taken {
		return nil, errors.Join(err, db.Close())
	}
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		for shared && sleep(background, presenceCheck) {
			if conn == nil || conn.PingContext(background) != nil {
				if conn != nil {
					_ = conn.Close()
				}
				if conn, taken, _ = take(background); !taken {
					conn = nil
				}
			}
		}
	}()
	return func() error {
		stop()
		<-done
		if conn == nil {
			return db.Close()
		}
		// The end of the connection would end the lock as well, a moment later.
		_, err := conn.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock_all()")
		return errors.Join(err, closeConn(conn), db.Close())
	}, nil
}
