package persistence

import (
	"context"
	"log/slog"
	"time"

	"tilth/adapters/persistence/account"
	"tilth/adapters/persistence/common"
	"tilth/adapters/persistence/envelope"
	"tilth/adapters/persistence/farm"
	"tilth/adapters/persistence/ghg"
	"tilth/adapters/persistence/moving"
	"tilth/adapters/persistence/names"
	"tilth/adapters/persistence/partition"
	"tilth/adapters/persistence/satellite"
	"tilth/adapters/persistence/soil"
	"tilth/adapters/persistence/sqlstore"
	"tilth/ports"
)

// Options are what a database needs from its surroundings.
type Options struct {
	Clock   ports.Clock      // decides which share grants have ended; required
	IDs     ports.IDs        // makes lease tokens and jitter; required
	Shared  ports.Clock      // see [sqlstore.Options]; nil except in tests
	Logger  *slog.Logger     // nil: nothing is logged
	Connect sqlstore.Connect // see [sqlstore.Options]
	// Secrets seals the secrets that are stored; nil: they are stored as they are.
	Secrets *envelope.Box
	// StatementTimeout and PoolWait bound how long the database may take; 0: see [sqlstore.Options].
	StatementTimeout, PoolWait time.Duration
	// Observer follows every statement; nil: none is followed.
	Observer ports.Observer
	// ReadURL is the address of a copy (a hot standby) that long reads go to; empty: there is none.
	ReadURL string
	// BeforeCommit is the last step of every Write, provided by the use cases; nil: there is none.
	BeforeCommit func(ctx context.Context, tx ports.Repos) error
}

// Database is an open database. It is safe for concurrent use.
type Database struct {
	*sqlstore.DB
	beforeCommit func(ctx context.Context, tx ports.Repos) error
	standby      *standby // nil: there is none
}

var _ ports.Store = (*Database)(nil)

// Open opens the database of an address: sqlite:PATH, whose folder is made, or
// postgres://… (postgresql://…). It connects once, so that a wrong address is known
// at the start; it applies no migration.
//
// Faults: Invalid (database_url) for any other address, Unavailable when the database does not answer.
func Open(ctx context.Context, url string, opts Options) (*Database, error) {
	how := sqlstore.Options{Clock: opts.Clock, IDs: opts.IDs, Shared: opts.Shared, Logger: opts.Logger, Connect: opts.Connect,
		Secrets: opts.Secrets, StatementTimeout: opts.StatementTimeout, PoolWait: opts.PoolWait, Observer: opts.Observer}
	db, err := sqlstore.Open(ctx, url, how)
	if err != nil {
		return nil, err
	}
	out := &Database{DB: db, beforeCommit: opts.BeforeCommit}
	if opts.ReadURL != "" {
		out.standby = &standby{url: opts.ReadURL, opts: how}
	}
	return out, nil
}

// Relay returns the reading side of the outbox.
func (d *Database) Relay() ports.Relay { return common.NewRelay(d.DB) }

// Queue returns the queue of all jobs.
func (d *Database) Queue() ports.Queue { return common.NewQueue(d.DB) }

// QueueOf returns the queue of the jobs of some kinds.
func (d *Database) QueueOf(kinds ...string) ports.Queue { return common.NewQueue(d.DB, kinds...) }

// QueueBut returns the queue of the jobs of all other kinds.
func (d *Database) QueueBut(kinds ...string) ports.Queue { return common.NewQueueBut(d.DB, kinds...) }

// Backlog reads what waits in the database, for the figures of operators.
func (d *Database) Backlog(ctx context.Context) (ports.Backlog, error) {
	return common.ReadBacklog(ctx, d.DB)
}

// FoldSearch adds names to their index on the database where writers leave that for later, and returns how many.
func (d *Database) FoldSearch(ctx context.Context) (int64, error) { return names.Fold(ctx, d.DB) }

// Partition makes the partitions of big tables that will be needed soon after a time, if the database has any, and returns how many.
func (d *Database) Partition(ctx context.Context, now time.Time) (int64, error) {
	return partition.Prepare(ctx, d.DB, now)
}

// Partitions returns the state of the partitions of big tables; none where the database has none.
func (d *Database) Partitions(ctx context.Context, now time.Time) ([]partition.State, error) {
	return partition.Examine(ctx, d.DB, now)
}

// Rates returns the table in which the servers of the database share how often callers ask.
func (d *Database) Rates() ports.RateTable { return common.NewRates(d.DB) }

// Certificates returns the store in which the servers of the database share the certificates that they fetch.
func (d *Database) Certificates() ports.CertificateStore { return common.NewCertificates(d.DB) }

// Write implements ports.Store: READ COMMITTED on PostgreSQL, an immediate transaction on SQLite.
func (d *Database) Write(ctx context.Context, do func(ctx context.Context, tx ports.Repos) error) error {
	return d.Update(ctx, func(ctx context.Context, s *sqlstore.Session) error {
		s.Leaves(sqlstore.RowsWait)
		tx := repos(s)
		if err := do(ctx, tx); err != nil || d.beforeCommit == nil {
			return err
		}
		return d.beforeCommit(ctx, tx)
	})
}

// Operate implements ports.Store.
func (d *Database) Operate(ctx context.Context, do func(ctx context.Context, tx ports.OperatorRepos) error) error {
	return d.Update(ctx, func(ctx context.Context, s *sqlstore.Session) error {
		s.Leaves(sqlstore.RowsWait)
		return do(ctx, operatorRepos(s))
	})
}

// Read implements ports.Store: REPEATABLE READ, READ ONLY on PostgreSQL, a deferred
// transaction of a connection that cannot write on SQLite. It is never run twice: its
// callback may have begun to answer. A read that may wait ([ports.Patiently]: a piece of a file or of a long list) goes to the
// copy, if there is one that has everything that any server acknowledged before the read began.
func (d *Database) Read(ctx context.Context, do func(ctx context.Context, tx ports.Repos) error) error {
	from := d.DB
	if d.standby != nil && ports.Patient(ctx) {
		if copied, err := d.standby.current(ctx, d.DB); err == nil {
			from = copied
		}
	}
	return from.View(ctx, func(ctx context.Context, s *sqlstore.Session) error { return do(ctx, repos(s)) })
}

// Consult implements ports.Store, as Read does.
func (d *Database) Consult(ctx context.Context, do func(ctx context.Context, tx ports.OperatorRepos) error) error {
	return d.View(ctx, func(ctx context.Context, s *sqlstore.Session) error { return do(ctx, operatorRepos(s)) })
}

func repos(s *sqlstore.Session) (r ports.Repos) {
	for _, add := range []func(*sqlstore.Session, *ports.Repos){account.Repos, farm.Repos, satellite.Repos, ghg.Repos, soil.Repos, common.Repos, moving.Repos} {
		add(s, &r)
	}
	return r
}

func operatorRepos(s *sqlstore.Session) (r ports.OperatorRepos) {
	for _, add := range []func(*sqlstore.Session, *ports.OperatorRepos){
		account.OperatorRepos, farm.OperatorRepos, satellite.OperatorRepos, ghg.OperatorRepos, soil.OperatorRepos, common.OperatorRepos, moving.OperatorRepos,
	} {
		add(s, &r)
	}
	return r
}
