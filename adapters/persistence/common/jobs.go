package common

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"iter"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/prepared"
	"tilth/adapters/persistence/sqlstore"
	"tilth/core/fault"
	"tilth/ports"
)

type jobRow struct {
	bun.BaseModel `bun:"table:jobs,alias:t"`
	ID            int64 `bun:"id,pk,autoincrement"`
	Kind          string
	Key           string
	CompanyID     *int64
	Subject       int64
	RunAt         sqlstore.Stamp
	Attempt       int
	Lease         *string
	LeaseUntil    *sqlstore.Stamp
	FailedAt      *sqlstore.Stamp
	Reason        string
	Cancelled     bool
	Retried       bool
}

func (j jobs) job(row *jobRow) ports.Job {
	return ports.Job{
		ID: row.ID, Kind: row.Kind, Key: row.Key, CompanyID: sqlstore.ValueOf(row.CompanyID), Subject: row.Subject,
		RunAt: j.s.Unshared(row.RunAt), Attempt: row.Attempt, Lease: sqlstore.ValueOf(row.Lease), Cancelled: row.Cancelled, Retried: row.Retried,
	}
}

// jobs implements ports.JobWriter.
type jobs struct{ s *sqlstore.Session }

// Enqueue makes a job that failed run again: its record asks for it anew. A job that a worker holds is
// left alone: whoever changes a record and asks for its job holds the record's lock, as the worker does
// when it finishes, so that each sees what the other did.
func (j jobs) Enqueue(ctx context.Context, job ports.Job) error {
	return j.enqueue(ctx, []ports.Job{job})
}

func (j jobs) enqueue(ctx context.Context, all []ports.Job) error {
	j.s.Leaves(sqlstore.JobsWait)
	return sqlstore.InsertAll(ctx, j.s, all, func(_ int, job ports.Job) jobRow {
		return jobRow{Kind: job.Kind, Key: job.Key, CompanyID: sqlstore.NullableID(job.CompanyID), Subject: job.Subject, RunAt: j.s.Shared(job.RunAt)}
	}, func(q *bun.InsertQuery) *bun.InsertQuery {
		return q.On("CONFLICT (kind, key) DO UPDATE").
			Set("run_at = EXCLUDED.run_at").Set("attempt = CASE WHEN t.failed_at IS NULL THEN t.attempt ELSE 0 END").
			Set("failed_at = NULL, reason = ''").
			Where("t.lease IS NULL AND (t.run_at > EXCLUDED.run_at OR t.failed_at IS NOT NULL)")
	})
}

func (j jobs) Waits(ctx context.Context, kind, key string) (bool, error) {
	return j.s.NewSelect().Model((*jobRow)(nil)).Where("t.kind = ?", kind).Where("t.key = ?", key).
		Where("t.failed_at IS NULL").Exists(ctx)
}

func (j jobs) TryEnqueue(ctx context.Context, all ...ports.Job) error {
	return j.s.Nested(ctx, func(ctx context.Context) error { return j.enqueue(ctx, all) })
}

func (j jobs) Hold(ctx context.Context, job ports.Job) error {
	var id int64
	err := j.s.ForUpdate(j.s.NewSelect().Model((*jobRow)(nil)).Column("t.id").
		Where("t.id = ?", job.ID).Where("t.lease = ?", job.Lease)).Scan(ctx, &id)
	if errors.Is(err, sql.ErrNoRows) {
		return leaseLost()
	}
	return err
}

func (j jobs) Finish(ctx context.Context, job ports.Job) error {
	return held(ctx, j.s.NewDelete().Model((*jobRow)(nil)).Where("id = ?", job.ID).Where("lease = ?", job.Lease))
}

func (j jobs) Fail(ctx context.Context, job ports.Job, failed ports.FailedJob) error {
	return held(ctx, release(j.s, job).Set("failed_at = ?", sqlstore.StampAt(failed.At)).Set("reason = ?", failed.Reason).
		Set("cancelled = ?, retried = ?", false, false))
}

func (j jobs) Postpone(ctx context.Context, job ports.Job, at time.Time) error {
	return held(ctx, release(j.s, job).Set("run_at = ?", j.s.Shared(at)))
}

func (j jobs) Repeat(ctx context.Context, job ports.Job, at time.Time) error {
	return held(ctx, release(j.s, job).Set("run_at = ?", j.s.Shared(at)).Set("attempt = 0"))
}

// release ends the lease of a job that is still held.
func release(s *sqlstore.Session, job ports.Job) *bun.UpdateQuery {
	s.Leaves(sqlstore.JobsWait)
	return s.NewUpdate().Model((*jobRow)(nil)).Set("lease = NULL, lease_until = NULL").
		Where("id = ?", job.ID).Where("lease = ?", job.Lease)
}

// held runs a statement on a job. Faults: Conflict (lease_lost) where its lease is gone.
func held(ctx context.Context, q sqlstore.Statement) error {
	return sqlstore.Change(ctx, q, leaseLost())
}

func leaseLost() error {
	return fault.New(fault.Conflict, "lease_lost", "Another worker has this job.")
}

// queue implements ports.Queue, each call in a transaction of its own.
type queue struct {
	d    *sqlstore.DB
	only sqlstore.Condition // which kinds of jobs it hands out
}

// NewQueue returns the queue of the jobs of some kinds, or of all.
func NewQueue(d *sqlstore.DB, kinds ...string) ports.Queue {
	if len(kinds) == 0 {
		return queue{d, sqlstore.When("1 = 1")}
	}
	return queue{d, sqlstore.When("kind IN (?)", prepared.List(kinds))}
}

// NewQueueBut returns the queue of the jobs of all but some kinds.
func NewQueueBut(d *sqlstore.DB, kinds ...string) ports.Queue {
	return queue{d, sqlstore.When("kind NOT IN (?)", prepared.List(kinds))}
}

// Claim marks the jobs of one call with a common token, which no other call has. A row that cannot be read holds up only itself.
func (q queue) Claim(ctx context.Context, now time.Time, lease time.Duration, limit int) ([]ports.Job, error) {
	out, err := q.claim(ctx, now, lease, limit)
	if !sqlstore.Unreadable(err) {
		return out, err
	}
	if n, again := q.setAside(ctx, now, limit); again != nil || n == 0 {
		return nil, errors.Join(err, again)
	}
	return q.claim(ctx, now, lease, limit)
}

// due selects the ids of the jobs that are to be run, the oldest first.
func (q queue) due(s *sqlstore.Session, now time.Time, limit int) *bun.SelectQuery {
	return s.SkipLocked(s.NewSelect().Table("jobs").Column("id").
		Where("(lease IS NULL AND failed_at IS NULL AND run_at <= ?) OR (lease IS NOT NULL AND lease_until <= ?)", s.Shared(now), s.Shared(now)).
		Where(q.only.SQL, q.only.Args...).OrderExpr("run_at, id").Limit(int64(limit)))
}

// Waiting selects when the first of the jobs that wait is due.
func (q queue) Waiting(s *sqlstore.Session) *bun.SelectQuery {
	return q.first(s, "run_at").Where("lease IS NULL AND failed_at IS NULL")
}

// Leased selects when the first lease ends.
func (q queue) Leased(s *sqlstore.Session) *bun.SelectQuery {
	return q.first(s, "lease_until").Where("lease IS NOT NULL")
}

func (q queue) first(s *sqlstore.Session, column string) *bun.SelectQuery {
	return s.NewSelect().Table("jobs").Column(column).Where(q.only.SQL, q.only.Args...).OrderExpr("?, id", bun.Ident(column)).Limit(1)
}

// Next returns when the next job is due: one that waits, or one whose lease ends.
func (q queue) Next(ctx context.Context) (at time.Time, waits bool, err error) {
	err = q.d.View(ctx, func(ctx context.Context, s *sqlstore.Session) error {
		at, waits = time.Time{}, false
		for _, one := range []*bun.SelectQuery{q.Waiting(s), q.Leased(s)} {
			var first sqlstore.Stamp
			err := one.Scan(ctx, &first)
			if errors.Is(err, sql.ErrNoRows) {
				continue
			}
			if err != nil {
				return err
			}
			if due := s.Unshared(first); !waits || due.Before(at) {
				at, waits = due, true
			}
		}
		return nil
	})
	return at, waits, err
}

// setAside marks the due jobs whose rows cannot be read as failed, with readable values, and returns how many. The
// operator lists them with the other failed jobs.
func (q queue) setAside(ctx context.Context, now time.Time, limit int) (n int, err error) {
	err = q.d.Update(ctx, func(ctx context.Context, s *sqlstore.Session) error {
		n = 0
		var ids []int64
		if err := q.due(s, now, limit).Scan(ctx, &ids); err != nil {
			return err
		}
		for _, id := range ids {
			err := s.NewSelect().Model(new(jobRow)).Where("t.id = ?", id).Scan(ctx)
			if !sqlstore.Unreadable(err) {
				if err != nil {
					return err
				}
				continue
			}
			n++
			if err := sqlstore.Run(ctx, s.NewUpdate().Table("jobs").Set("lease = NULL, lease_until = NULL, company_id = NULL, subject = 0, attempt = 0").
				Set("run_at = ?, failed_at = ?", s.Shared(now), sqlstore.StampAt(now)).Set("cancelled = ?, retried = ?", false, false).
				Set("reason = ?", "its row cannot be read: "+err.Error()).Where("id = ?", id)); err != nil {
				return err
			}
		}
		return nil
	})
	return n, err
}

func (q queue) claim(ctx context.Context, now time.Time, lease time.Duration, limit int) ([]ports.Job, error) {
	var out []ports.Job
	err := q.d.Update(ctx, func(ctx context.Context, s *sqlstore.Session) error {
		if err := s.KeepTime(ctx); err != nil {
			return err
		}
		var rows []jobRow
		due := q.due(s, now, limit)
		err := s.NewUpdate().With("due", due).Model(&rows).
			Set("lease = ?", s.IDs.Secret()).Set("lease_until = ?", s.Shared(now.Add(lease))).Set("attempt = attempt + 1").
			Where("id IN (SELECT id FROM due)").Returning("*").Scan(ctx)
		if err != nil {
			return err
		}
		slices.SortFunc(rows, func(a, b jobRow) int {
			return cmp.Or(a.RunAt.Compare(b.RunAt.Time), cmp.Compare(a.ID, b.ID))
		})
		out = sqlstore.Each(rows, jobs{s}.job)
		return nil
	})
	return out, err
}

func (q queue) Renew(ctx context.Context, job ports.Job, until time.Time) error {
	return q.d.Update(ctx, func(ctx context.Context, s *sqlstore.Session) error {
		return held(ctx, s.NewUpdate().Model((*jobRow)(nil)).Set("lease_until = ?", s.Shared(until)).
			Where("id = ?", job.ID).Where("lease = ?", job.Lease))
	})
}

func (q queue) Fail(ctx context.Context, job ports.Job, failed ports.FailedJob) error {
	return q.d.Update(ctx, func(ctx context.Context, s *sqlstore.Session) error { return jobs{s}.Fail(ctx, job, failed) })
}

// A job that another worker has by now is left to it.
func (q queue) Return(ctx context.Context, job ports.Job, at time.Time) error {
	return q.d.Update(ctx, func(ctx context.Context, s *sqlstore.Session) error {
		return sqlstore.Run(ctx, release(s, job).Set("run_at = ?", s.Shared(at)).Set("attempt = attempt - 1"))
	})
}

// jobKeeper implements ports.JobKeeper: the queue as the operator works on it.
type jobKeeper struct{ jobs }

var jobFilters = map[string]sqlstore.Filter{
	"id": {Exact: "t.id"}, "kind": {Exact: "t.kind"}, "company": {Exact: "t.company_id"},
	"state": {Exact: "CASE WHEN t.failed_at IS NOT NULL THEN 'failed' WHEN t.lease IS NOT NULL THEN 'running' ELSE 'waiting' END"},
}

func (k jobKeeper) kept(row *jobRow) ports.KeptJob {
	out := ports.KeptJob{Job: k.job(row), LeasedUntil: k.s.NullableUnshared(row.LeaseUntil)}
	if row.FailedAt != nil {
		out.Failed = &ports.FailedJob{At: row.FailedAt.Time, Reason: row.Reason}
	}
	return out
}

func (k jobKeeper) view() *sqlstore.View[ports.KeptJob, jobRow] {
	return &sqlstore.View[ports.KeptJob, jobRow]{
		Word: "job", Order: sqlstore.OldestFirst, Filters: jobFilters,
		Record: func(row *jobRow) (ports.KeptJob, error) { return k.kept(row), nil },
	}
}

func (k jobKeeper) Count(ctx context.Context, q ports.Query) (int64, error) {
	return k.view().Count(ctx, k.s.NewSelect().Model((*jobRow)(nil)), q)
}

func (k jobKeeper) Each(ctx context.Context, q ports.Query) iter.Seq2[ports.KeptJob, error] {
	return k.view().Each(ctx, k.s, k.s.NewSelect().Model((*jobRow)(nil)), q)
}

func (k jobKeeper) GetForUpdate(ctx context.Context, id int64) (ports.KeptJob, error) {
	return sqlstore.One(ctx, k.s.ForUpdate(k.s.NewSelect().Model((*jobRow)(nil)).Where("t.id = ?", id)), "job", k.kept)
}

func (k jobKeeper) Retry(ctx context.Context, id int64, at time.Time) error {
	k.s.Leaves(sqlstore.JobsWait)
	return sqlstore.Change(ctx, k.s.NewUpdate().Model((*jobRow)(nil)).
		Set("failed_at = NULL, reason = '', attempt = 0, retried = ?", true).Set("run_at = ?", k.s.Shared(at)).
		Where("id = ?", id).Where("failed_at IS NOT NULL"), fault.Missing("job"))
}

// A worker that has the job finds its lease lost.
func (k jobKeeper) Cancel(ctx context.Context, id int64, at time.Time) error {
	n, err := sqlstore.Affected(ctx, k.s.NewDelete().Model((*jobRow)(nil)).Where("id = ?", id).Where("failed_at IS NOT NULL"))
	if err != nil || n == 1 {
		return err
	}
	k.s.Leaves(sqlstore.JobsWait)
	return sqlstore.Change(ctx, k.s.NewUpdate().Model((*jobRow)(nil)).Set("lease = NULL, lease_until = NULL, cancelled = ?", true).
		Set("run_at = ?", k.s.Shared(at)).Where("id = ?", id), fault.Missing("job"))
}

func (k jobKeeper) ForgetFailed(ctx context.Context, before time.Time, limit int) (int64, error) {
	r := remains{k.s}
	return r.drop(ctx, "jobs", "id", r.old("jobs", "id", "failed_at", before, limit))
}
