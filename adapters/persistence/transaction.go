package persistence

import (
	"context"
	"database/sql"
	"errors"
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
	cascade  []cascaded // deleted or restored by this transaction, and not in the audit trail yet
	touched  *touched   // assessments whose contribution to the dashboard this transaction may change
}

// deletion is records of one resource that a transaction has soft-deleted.
type cascaded struct {
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

// Write implements ports.Store: READ COMMITTED on PostgreSQL, an immediate
// transaction on SQLite.
func (d *Database) Write(ctx context.Context, do func(ctx context.Context, tx ports.Repos) error) error {
	return d.write(ctx, func(ctx context.Context, s *session) error { return do(ctx, repos(s)) })
}

// Operate implements ports.Store.
func (d *Database) Operate(ctx context.Context, do func(ctx context.Context, tx ports.OperatorRepos) error) error {
	return d.write(ctx, func(ctx context.Context, s *session) error { return do(ctx, operatorRepos(s)) })
}

// Read implements ports.Store: REPEATABLE READ, READ ONLY on PostgreSQL, a deferred
// transaction of a connection that cannot write on SQLite. It is never run twice: its
// callback may have begun to answer.
func (d *Database) Read(ctx context.Context, do func(ctx context.Context, tx ports.Repos) error) error {
	return translate(d.once(ctx, false, func(ctx context.Context, s *session) error { return do(ctx, repos(s)) }))
}

// Consult implements ports.Store, as Read does.
func (d *Database) Consult(ctx context.Context, do func(ctx context.Context, tx ports.OperatorRepos) error) error {
	return translate(d.once(ctx, false, func(ctx context.Context, s *session) error { return do(ctx, operatorRepos(s)) }))
}

func (d *Database) readOnly() *sql.TxOptions {
	if d.engine.postgres {
		return &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}
	}
	return nil
}

// write runs a write transaction, again after a lost race.
func (d *Database) write(ctx context.Context, do func(ctx context.Context, s *session) error) error {
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
func (d *Database) once(ctx context.Context, writes bool, do func(ctx context.Context, s *session) error) (err error) {
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
		touched: &touched{}, Tx: tx, pool: pool, postgres: d.engine.postgres, writes: writes, ids: d.opts.IDs,
		today: time.Date(year, month, dayOfMonth, 0, 0, 0, 0, time.UTC),
	}
	if err := do(ctx, s); err != nil {
		return err
	}
	if err := s.settleRollups(ctx); err != nil {
		return err
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

func repos(s *session) ports.Repos {
	return ports.Repos{
		Farms: farmRecords(s), Fields: fields{fieldRecords(s)}, Seasons: seasons{seasonRecords(s)},
		Crops: crops{s}, Cultivations: cultivations{cultivationRecords(s)},
		Fertilizations: fertilizations{fertilizationRecords(s)}, Boundaries: boundaries{s}, Replays: replays{s},
		Wallet: wallet{s}, Orders: orders{s}, Outbox: outbox{s}, Jobs: jobs{s}, Imports: imports{s},
		Grants: grants{s}, Keys: keys{s}, Audit: trail{s}, Curves: curveSets{s},
		Members: members{s}, Roles: roles{s}, Invitations: invitations{s}, Letters: letters{s},
		Events: feeds{s}, Webhooks: webhookRecords(s), Deliveries: deliveries{s},
		Assessments: assessments{assessmentRecords(s)}, AssessmentVersions: versions{s}, EngineReferences: engineReferences{s},
		AOIs: aoiRecords(s), StratificationOrders: strats{s}, LayerRasters: layerRasters{s},
		StratificationRuns: runs{s}, StratificationMaps: zoneMaps{s}, SamplePlans: samplePlans{s}, SoilSamples: sampleRecords(s),
		Batches:       batches{s},
		EngineChoices: engineChoices{s},
		Verifications: verifications{s}, Rollups: rollups{s},
	}
}

func operatorRepos(s *session) ports.OperatorRepos {
	return ports.OperatorRepos{
		Accounts: accounts{s}, Prices: prices{s}, Catalog: crops{s}, Wallet: wallet{s}, Outbox: outbox{s},
		Keys: keys{s}, Audit: trail{s}, Trail: operatorTrail{s}, Curves: curveSets{s}, Replays: replays{s},
		Members: members{s}, Invitations: invitations{s}, Tickets: tickets{s}, Credentials: credentials{s},
		Attempts: attempts{s}, Letters: letters{s}, Jobs: jobs{s},
		Events: feeds{s}, Webhooks: webhookKeeper{s},
		Assessments: upkeep{s}, EngineChoices: engineChoices{s},
		Subscriptions: subscriptions{s}, Orders: orderKeeper{s}, LayerRasters: layerRasters{s},
		Maps: mapKeeper{s},
	}
}
