package common

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/sqlstore"
	"tilth/core/fault"
	"tilth/ports"
)

// jobKeeper implements ports.JobKeeper: the queue as the operator works on it.
type jobKeeper struct{ jobs }

// inState holds the condition of a job's state.
var inState = map[ports.JobState]string{
	ports.JobWaiting: "t.lease IS NULL AND t.failed_at IS NULL",
	ports.JobRunning: "t.lease IS NOT NULL",
	ports.JobFailed:  "t.failed_at IS NOT NULL",
}

func (row *jobRow) kept() ports.KeptJob {
	out := ports.KeptJob{Job: row.job()}
	if row.LeaseUntil != nil {
		out.LeasedUntil = &row.LeaseUntil.Time
	}
	if row.FailedAt != nil {
		out.Failed = &ports.FailedJob{At: row.FailedAt.Time, Reason: row.Reason}
	}
	return out
}

func (k jobKeeper) List(ctx context.Context, filter ports.JobFilter) ([]ports.KeptJob, error) {
	var rows []jobRow
	q := k.s.NewSelect().Model(&rows).OrderExpr("t.id")
	if filter.State != "" {
		q = q.Where(inState[filter.State])
	}
	if filter.Kind != "" {
		q = q.Where("t.kind = ?", filter.Kind)
	}
	if filter.CompanyID != 0 {
		q = q.Where("t.company_id = ?", filter.CompanyID)
	}
	if filter.Limit > 0 {
		q = q.Limit(filter.Limit)
	}
	if err := q.Scan(ctx); err != nil {
		return nil, err
	}
	out := make([]ports.KeptJob, len(rows))
	for i := range rows {
		out[i] = rows[i].kept()
	}
	return out, nil
}

func (k jobKeeper) GetForUpdate(ctx context.Context, id int64) (ports.KeptJob, error) {
	var row jobRow
	if err := k.s.ForUpdate(k.s.NewSelect().Model(&row).Where("t.id = ?", id)).Scan(ctx); err != nil {
		return ports.KeptJob{}, sqlstore.Missing(err, "job")
	}
	return row.kept(), nil
}

func (k jobKeeper) Retry(ctx context.Context, id int64, at time.Time) error {
	return k.change(ctx, id, func(q *bun.UpdateQuery) *bun.UpdateQuery {
		return q.Set("failed_at = NULL, reason = '', attempt = 0, retried = ?", true).Set("run_at = ?", sqlstore.StampAt(at)).
			Where("failed_at IS NOT NULL")
	})
}

// A worker that has the job finds its lease lost.
func (k jobKeeper) Cancel(ctx context.Context, id int64, at time.Time) error {
	res, err := k.s.NewDelete().Model((*jobRow)(nil)).Where("id = ?", id).Where("failed_at IS NOT NULL").Exec(ctx)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 1 {
		return err
	}
	return k.change(ctx, id, func(q *bun.UpdateQuery) *bun.UpdateQuery {
		return q.Set("lease = NULL, lease_until = NULL, cancelled = ?", true).Set("run_at = ?", sqlstore.StampAt(at))
	})
}

func (k jobKeeper) change(ctx context.Context, id int64, set func(*bun.UpdateQuery) *bun.UpdateQuery) error {
	res, err := set(k.s.NewUpdate().Model((*jobRow)(nil)).Where("id = ?", id)).Exec(ctx)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 1 {
		return err
	}
	return fault.Missing("job")
}

func (k jobKeeper) ForgetFailed(ctx context.Context, before time.Time) (int64, error) {
	res, err := k.s.NewDelete().Model((*jobRow)(nil)).Where("failed_at < ?", sqlstore.StampAt(before)).Exec(ctx)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}
