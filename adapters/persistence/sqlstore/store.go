// Package sqlstore is the base of all repositories: the connections to SQLite or PostgreSQL,
// transactions with their retries and row locks, migrations and backups, conditions of scopes,
// filters, orders and pages of lists, the values of columns, and one generic repository of a
// company's records. It knows no table of a product except those of share grants, farms and fields,
// which decide what a scope shows.
//
// Where the two databases differ (types of columns, row locks, error codes) the difference is
// in sqlite.go, postgres.go, failure.go and the words of the migrations.
package sqlstore

import (
	"cmp"
	"context"
	"database/sql/driver"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"tilth/adapters/persistence/envelope"
	"tilth/core/fault"
	"tilth/ports"
)

// Every row type names its table, so bun need not form the plural of each type's name.
func init() { schema.SetTableNameInflector(func(name string) string { return name }) }

// Options are what a database needs from its surroundings.
type Options struct {
	Clock  ports.Clock  // decides which share grants have ended; required
	IDs    ports.IDs    // makes lease tokens and jitter; required
	Shared ports.Clock  // replaces the database's clock, by which due times and leases are measured; nil except in tests
	Logger *slog.Logger // nil: nothing is logged
	// Secrets seals the secrets that are stored; nil: they are stored as they are.
	Secrets *envelope.Box
	// StatementTimeout ends a runaway statement, and gives up on a server that is silent for
	// longer; no statement of ours comes near the default, 30 s.
	StatementTimeout time.Duration
	Connect          Connect // nil except in simulations of failures
	// Observer follows every statement; nil: none is followed.
	Observer ports.Observer
	// PoolWait is how long a transaction waits for a connection before it is refused; default 10 s.
	PoolWait time.Duration
}

// Connect returns the connector that replaces a driver's own.
type Connect func(driver.Connector) driver.Connector

func (c Connect) through(connector driver.Connector) driver.Connector {
	if c == nil {
		return connector
	}
	return c(connector)
}

// DB is an open database with its connections. It is safe for concurrent use.
type DB struct {
	engine engine
	writer *bun.DB
	reader *bun.DB // the same pool as writer on PostgreSQL
	opts   Options
	time   *sharedTime
	wakes  *wakes

	patient chan struct{} // holds a place for each patient reader
}

// engine is what tells the two databases apart for the rest of the package.
type engine struct {
	name     string // "SQLite", "PostgreSQL"
	location string // path, or host and database; never a password
	postgres bool
	// openUnhurried returns a pool of its own with no statement timeout, for migrations.
	openUnhurried func() (*bun.DB, error)
	// lock takes the lock of the migrations and returns the function that ends it.
	lock func(ctx context.Context) (unlock func() error, err error)
	// presence takes the lock of the servers, shared or alone; leave is nil where the lock is taken.
	presence func(ctx context.Context, shared bool) (leave func() error, err error)
	// watch hears of the commits of other processes until it no longer can; announce tells them of ours, nil where they see them.
	watch    func(ctx context.Context, heard func(announcement)) error
	announce func(ctx context.Context, a announcement) error
	conns    int // connections that a server may open; 0: the database does not bound them
}

// Open connects to the database of an address, as Open of package persistence describes.
func Open(ctx context.Context, url string, opts Options) (*DB, error) {
	if opts.Clock == nil || opts.IDs == nil {
		return nil, errors.New("persistence: a clock and a maker of ids are required")
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	opts.StatementTimeout = cmp.Or(opts.StatementTimeout, 30*time.Second)
	opts.PoolWait = cmp.Or(opts.PoolWait, 10*time.Second)
	db := &DB{opts: opts, time: newSharedTime(opts.Shared), wakes: newWakes()}
	var err error
	scheme, rest, _ := strings.Cut(url, ":")
	switch {
	case scheme == "sqlite" && rest != "":
		err = db.openSQLite(ctx, rest)
	case scheme == "postgres" || scheme == "postgresql":
		err = db.openPostgres(url)
	default:
		err = fault.New(fault.Invalid, "database_url",
			"The database address must be sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE.")
	}
	if err != nil {
		return nil, err
	}
	db.observe()
	db.patient = make(chan struct{}, max(1, db.reader.Stats().MaxOpenConnections/2))
	if db.engine.postgres { // the writer of SQLite has answered; its readers, which each parse the whole schema, come when one is needed
		if err := db.Ping(ctx); err != nil {
			return nil, errors.Join(err, db.Close())
		}
	}
	return db, nil
}

// pingTimeout bounds how long a readiness check waits for an answer.
const pingTimeout = 5 * time.Second

// Ping reports whether the database answers.
func (d *DB) Ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	var one int
	if err := d.reader.NewSelect().ColumnExpr("1").Scan(ctx, &one); err != nil {
		return away(err)
	}
	return nil
}

// Close closes the pools. Running transactions end with an error.
func (d *DB) Close() error {
	err := d.writer.Close()
	if d.reader != d.writer {
		err = errors.Join(err, d.reader.Close())
	}
	return err
}

// Postgres reports whether the database is PostgreSQL.
func (d *DB) Postgres() bool { return d.engine.postgres }

// Describe returns in one line which database this is, without secrets.
func (d *DB) Describe() string { return d.engine.name + " at " + d.engine.location }

// Health is what `tilth doctor` shows about a database.
type Health struct {
	Engine      string // "SQLite", "PostgreSQL"
	Version     string
	Location    string
	JournalMode string   // SQLite; "wal" is right
	Pending     int      // migrations not applied
	Forgetful   []string // settings of PostgreSQL with which a crash loses what was acknowledged
	Unindexed   bool     // names are searched one by one: PostgreSQL lacks pg_trgm
}

// Check asks the database for its condition. Faults: Unavailable.
func (d *DB) Check(ctx context.Context) (Health, error) {
	h := Health{Engine: d.engine.name, Location: d.engine.location}
	version := "sqlite_version()"
	if d.engine.postgres {
		version = "current_setting('server_version')"
	}
	if err := d.reader.NewSelect().ColumnExpr(version).Scan(ctx, &h.Version); err != nil {
		return h, away(err)
	}
	if d.engine.postgres {
		err := d.reader.NewRaw("SELECT name FROM pg_settings WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off' ORDER BY name").
			Scan(ctx, &h.Forgetful)
		if err != nil {
			return h, away(err)
		}
	} else if err := d.reader.NewRaw("PRAGMA journal_mode").Scan(ctx, &h.JournalMode); err != nil {
		return h, away(err)
	}
	var err error
	if h.Pending, err = d.Migrator().Pending(ctx); err != nil || h.Pending > 0 {
		return h, err
	}
	known, err := (&Session{IDB: d.reader, Postgres: d.engine.postgres}).searchable(ctx)
	h.Unindexed = !known
	return h, translate(err)
}
