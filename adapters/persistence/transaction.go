package persistence

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"tilth/core/fault"
	"tilth/ports"
)

// A write that loses a race is run again, after a pause that doubles from retryFirst
// to retryMost; of each pause a random half is taken, so that the losers part.
const (
	retryTries = 10
	retryFirst = 4 * time.Millisecond
	retryMost  = 500 * time.Millisecond
)

// session is one transaction: what repositories run their statements on.
type session struct {
	bun.Tx
	pool     *bun.DB // scans the rows of cursors
	postgres bool
	writes   bool
	today    time.Time // civil date in UTC: grants that end before it are over
	ids      ports.IDs
	cascade  []cascade          // deleted or restored by this transaction, and not in the audit trail yet
	written  map[string][]int64 // records that this transaction wrote, by resource
}

// cascade is records of one resource that a transaction has soft-deleted or restored.
type cascade struct {
	resource string
	ids      []int64
}

// forUpdate locks the rows of table t that a query selects, until the transaction
// ends. In SQLite a write transaction holds the whole database already.
func (s *session) forUpdate(q *bun.SelectQuery) *bun.SelectQuery {
	if s.postgres {
		return q.For("UPDATE OF t")
	}
	return q
}

// forShare keeps the rows of table t that a writing transaction has looked at from being
// deleted before it ends: what refers to them would otherwise outlive them.
func (s *session) forShare(q *bun.SelectQuery) *bun.SelectQuery {
	if s.postgres && s.writes {
		return q.For("SHARE OF t")
	}
	return q
}

// skipLocked makes a subquery pass over rows that another replica is taking.
func (s *session) skipLocked(q *bun.SelectQuery) *bun.SelectQuery {
	if s.postgres {
		return q.For("UPDATE SKIP LOCKED")
	}
	return q
}

// nested runs statements that are taken back on an error, without the transaction.
func (s *session) nested(ctx context.Context, do func(ctx context.Context, inner *session) error) error {
	return s.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		inner := *s
		inner.Tx = tx
		return do(ctx, &inner)
	})
}

// wrote records that records of a resource were written, deleted or restored.
func (s *session) wrote(resource string, ids ...int64) {
	s.written[resource] = append(s.written[resource], ids...)
}

// changed returns the records of a resource that the transaction wrote, in the order of ids.
func (s *session) changed(resource string) []int64 {
	ids := slices.Sorted(slices.Values(s.written[resource]))
	return slices.Compact(ids)
}

// cascaded records that records of a resource were deleted or restored together. They are
// also written.
func (s *session) cascaded(resource string, ids []int64) {
	s.wrote(resource, ids...)
	s.cascade = append(s.cascade, cascade{resource, ids})
}

// takeCascades returns what was deleted or restored since it was called last.
func (s *session) takeCascades() []cascade {
	taken := s.cascade
	s.cascade = nil
	return taken
}

func (d *DB) readOnly() *sql.TxOptions {
	if d.engine.postgres {
		return &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}
	}
	return nil
}

// view runs a transaction that only reads, once.
func (d *DB) view(ctx context.Context, do func(ctx context.Context, s *session) error) error {
	return translate(d.once(ctx, false, do))
}

// update runs a write transaction, again after a lost race.
func (d *DB) update(ctx context.Context, do func(ctx context.Context, s *session) error) error {
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
func (d *DB) once(ctx context.Context, writes bool, do func(ctx context.Context, s *session) error) (err error) {
	pool, opts := d.reader, d.readOnly()
	if writes {
		pool, opts = d.writer, nil
	}
	tx, err := pool.BeginTx(ctx, opts)
	if err != nil {
		if reasonOf(err) == unknown {
			return away(err) // no connection, and the operating system says why
		}
		return err
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
	year, month, dayOfMonth := d.opts.Clock.Now().UTC().Date()
	s := &session{
		written: map[string][]int64{}, Tx: tx, pool: pool, postgres: d.engine.postgres, writes: writes, ids: d.opts.IDs,
		today: time.Date(year, month, dayOfMonth, 0, 0, 0, 0, time.UTC),
	}
	if err := do(ctx, s); err != nil {
		return err
	}
	if writes && d.beforeCommit != nil {
		if err := d.beforeCommit(ctx, s); err != nil {
			return err
		}
	}
	done = true
	if err := tx.Commit(); err != nil {
		if reasonOf(err) == unknown {
			return away(err)
		}
		return err
	}
	return nil
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
