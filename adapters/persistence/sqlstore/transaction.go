package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/envelope"
	"tilth/adapters/persistence/prepared"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/ports"
)

// A write that loses a race is run again after a pause, half of it random, that doubles from retryFirst up to retryMost.
const (
	retryTries = 10
	retryFirst = 4 * time.Millisecond
	retryMost  = 500 * time.Millisecond
)

// Session is one transaction, or a connection without one: what repositories run their statements on.
type Session struct {
	bun.IDB
	pool     *bun.DB // scans the rows of cursors
	Postgres bool
	Writes   bool
	Today    time.Time // civil date in UTC: grants that end before it have ended
	IDs      ports.IDs
	Secrets  *envelope.Box // seals secrets; nil: they are stored as they are
	time     *sharedTime
	skew     time.Duration      // of the shared time to the clock of the process
	cascade  []cascade          // deleted or restored by this transaction, and not in the audit trail yet
	written  map[string][]int64 // records that this transaction wrote, by resource
	leaves   *Topic
	looked   map[lookup]hits // what the index of names answered last
}

// cascade is records of one resource that a transaction has soft-deleted or restored.
type cascade struct {
	Resource string
	IDs      []int64
}

// ForUpdate locks the selected rows of table t. In SQLite a write transaction holds the whole database anyway.
func (s *Session) ForUpdate(q *bun.SelectQuery) *bun.SelectQuery {
	if s.Postgres {
		return q.For("UPDATE OF t")
	}
	return q
}

// Alone waits for the company's lock of a subject, and holds it until the end of the transaction.
// SQLite has one writing transaction at a time. On PostgreSQL companies whose ids are
// equal modulo 2^32 share a lock; they only wait. Faults: NotFound where the scope may not be written.
func (s *Session) Alone(ctx context.Context, scope access.Scope, subject int64) error {
	if !Writable(scope) {
		return fault.Missing("company")
	}
	if !s.Postgres {
		return nil
	}
	return Run(ctx, s.NewRaw("SELECT pg_advisory_xact_lock(?)", prepared.Arg(subject<<32|scope.Company()&0xffffffff)))
}

// LockAtOnce locks tables on PostgreSQL until the transaction ends, and waits for none: where another transaction has a lock, this one
// is run again. Who waits for one table while it holds another can be in a deadlock with who has them in the other order.
func (s *Session) LockAtOnce(ctx context.Context, mode string, tables ...string) error {
	err := Run(ctx, s.NewRaw("LOCK TABLE ? IN ? MODE NOWAIT", bun.Safe(strings.Join(tables, ", ")), bun.Safe(mode)))
	if reasonOf(err) == timedOut {
		return errors.Join(errHeld, err)
	}
	return err
}

// ForShare keeps the selected rows of table t from being deleted, so that what refers to them does not outlive them.
func (s *Session) ForShare(q *bun.SelectQuery) *bun.SelectQuery {
	if s.Postgres && s.Writes {
		return q.For("SHARE OF t")
	}
	return q
}

// SkipLocked makes a subquery skip rows that another replica is taking.
func (s *Session) SkipLocked(q *bun.SelectQuery) *bun.SelectQuery {
	if s.Postgres {
		return q.For("UPDATE SKIP LOCKED")
	}
	return q
}

// Native returns the transaction without bun, for statements over tables that are known only at run time. Its
// placeholders are $1, $2 on both databases. It is nil outside a transaction.
func (s *Session) Native() *sql.Tx {
	if tx, ok := s.IDB.(bun.Tx); ok {
		return tx.Tx
	}
	return nil
}

// Nested runs statements that are rolled back on an error, but not the transaction: a savepoint keeps a failure from ending it, as it
// otherwise would on PostgreSQL. Its name is always the same, so that each statement has one text; of several the innermost counts.
func (s *Session) Nested(ctx context.Context, do func(ctx context.Context) error) error {
	run := func(statement string) error { return Run(ctx, s.NewRaw(statement)) }
	if err := run("SAVEPOINT nested"); err != nil {
		return err
	}
	if err := do(ctx); err != nil {
		return errors.Join(err, run("ROLLBACK TO SAVEPOINT nested"), run("RELEASE SAVEPOINT nested"))
	}
	return run("RELEASE SAVEPOINT nested")
}

// Wrote notes that records of a resource were written, deleted or restored.
func (s *Session) Wrote(resource string, ids ...int64) {
	s.written[resource] = append(s.written[resource], ids...)
}

// Changed returns the records of a resource that the transaction wrote, in the order of ids.
func (s *Session) Changed(resource string) []int64 {
	ids := slices.Sorted(slices.Values(s.written[resource]))
	return slices.Compact(ids)
}

// cascaded notes that records of a resource were deleted or restored together, and so written.
func (s *Session) cascaded(resource string, ids []int64) {
	s.Wrote(resource, ids...)
	s.cascade = append(s.cascade, cascade{resource, ids})
}

// TakeCascades returns what was deleted or restored since the last call.
func (s *Session) TakeCascades() []cascade {
	taken := s.cascade
	s.cascade = nil
	return taken
}

// View runs a transaction that only reads, once. Transactions that may wait share half of the connections.
func (d *DB) View(ctx context.Context, do func(ctx context.Context, s *Session) error) error {
	if ports.Patient(ctx) {
		select {
		case d.patient <- struct{}{}:
			defer func() { <-d.patient }()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return translate(d.once(ctx, false, do))
}

// Update runs a write transaction, and runs it again after a lost race.
func (d *DB) Update(ctx context.Context, do func(ctx context.Context, s *Session) error) error {
	pause := retryFirst
	for try := 1; ; try++ {
		err := d.once(ctx, true, do)
		if err == nil || reasonOf(err) != lostRace || try == retryTries {
			return translate(err)
		}
		d.opts.Logger.DebugContext(ctx, "transaction lost a race, trying again", "try", try, "error", err)
		if !sleep(ctx, pause/2+time.Duration(d.opts.IDs.Jitter()*float64(pause/2))) {
			return ctx.Err()
		}
		pause = min(2*pause, retryMost)
	}
}

// once runs one transaction, which writes or only reads. It rolls back on an error and on a panic.
func (d *DB) once(ctx context.Context, writes bool, do func(ctx context.Context, s *Session) error) (err error) {
	pool, opts := d.reader, (*sql.TxOptions)(nil)
	if writes {
		pool = d.writer
	} else if d.engine.postgres {
		opts = &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}
	}
	conn, err := d.connection(ctx, pool)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	if err := d.readTime(ctx, conn); err != nil {
		return silenced(err)
	}
	now := d.opts.Clock.Now()
	year, month, dayOfMonth := now.UTC().Date()
	s := &Session{
		time: d.time, skew: d.time.skewTo(now), written: map[string][]int64{}, leaves: new(Topic), IDB: conn, pool: pool, Postgres: d.engine.postgres, Writes: writes, IDs: d.opts.IDs, Secrets: d.opts.Secrets,
		Today: time.Date(year, month, dayOfMonth, 0, 0, 0, 0, time.UTC),
	}
	if !writes && ports.Loose(ctx) {
		return silent(ctx, conn, do(ctx, s))
	}
	tx, err := conn.BeginTx(ctx, opts)
	if err != nil {
		return silenced(err) // no connection, and the operating system says why
	}
	done := false
	defer func() {
		if done {
			return
		}
		rolled := tx.Rollback()
		// A broken connection shows as an error of the operating system, like one of the
		// client that an answer is streamed to; the rollback tells the two apart.
		if rolled != nil && !errors.Is(rolled, sql.ErrTxDone) && reasonOf(err) == unknown && err != nil {
			if _, decided := fault.As(err); !decided {
				err = away(errors.Join(err, rolled))
			}
		}
	}()
	s.IDB = tx
	if err := do(ctx, s); err != nil {
		return err
	}
	done = true
	if err := tx.Commit(); err != nil {
		return silenced(err)
	}
	d.wakes.committed(*s.leaves)
	return nil
}

// silent turns an error into Unavailable where a broken connection caused it, rather than what was asked through it.
func silent(ctx context.Context, conn bun.Conn, err error) error {
	if _, decided := fault.As(err); err == nil || decided || reasonOf(err) != unknown {
		return err
	}
	if lost := conn.PingContext(ctx); lost != nil {
		return away(errors.Join(err, lost))
	}
	return err
}

// connection takes a connection from a pool. It gives up on one that stays exhausted, for
// which the whole server would wait.
func (d *DB) connection(ctx context.Context, pool *bun.DB) (bun.Conn, error) {
	wait, cancel := context.WithTimeout(ctx, d.opts.PoolWait)
	defer cancel()
	conn, err := pool.Conn(wait)
	if err != nil && ctx.Err() == nil && wait.Err() != nil {
		err = fault.New(fault.Unavailable, "database_busy", "The database is busy; try again.").Because(err)
	}
	return conn, silenced(err)
}

// sleep waits, and reports false when the context ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
