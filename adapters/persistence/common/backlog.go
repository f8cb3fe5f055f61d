package common

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/sqlstore"
	"tilth/ports"
)

// ReadBacklog reads what waits in a database: each part by the index that its takers use, and no more than
// [ports.BacklogCap] rows.
func ReadBacklog(ctx context.Context, d *sqlstore.DB) (out ports.Backlog, err error) {
	err = d.View(ctx, func(ctx context.Context, s *sqlstore.Session) error {
		out = ports.Backlog{}
		b := backlog{s, sqlstore.StampAt(s.SharedNow())}
		for _, part := range b.jobs() {
			if err := b.count(ctx, &out, part); err != nil {
				return err
			}
		}
		var waits struct {
			Events int64
			First  *sqlstore.Stamp
		}
		err := s.NewSelect().TableExpr("(?) AS t", b.events()).ColumnExpr("COUNT(*) AS events").ColumnExpr("MIN(at) AS first").Scan(ctx, &waits)
		if err != nil {
			return err
		}
		out.Events = waits.Events
		if waits.First != nil {
			out.EventAge = b.since(waits.First.Time)
		}
		return s.NewSelect().TableExpr("(?) AS t", b.deliveries()).ColumnExpr("COUNT(*)").Scan(ctx, &out.Deliveries)
	})
	return out, err
}

type backlog struct {
	s   *sqlstore.Session
	now sqlstore.Stamp // the shared time
}

// part is the jobs of one state.
type part struct {
	state ports.JobState
	query *bun.SelectQuery
}

func (b backlog) jobs() []part {
	of := func(where, order string, args ...any) *bun.SelectQuery {
		return b.s.NewSelect().Table("jobs").Column("kind", "run_at").Where(where, args...).OrderExpr(order + ", id").Limit(ports.BacklogCap)
	}
	return []part{
		{ports.JobWaiting, of("lease IS NULL AND failed_at IS NULL AND run_at <= ?", "run_at", b.now)},
		{ports.JobScheduled, of("lease IS NULL AND failed_at IS NULL AND run_at > ?", "run_at", b.now)},
		{ports.JobRunning, of("lease IS NOT NULL", "lease_until")},
		{ports.JobFailed, of("failed_at IS NOT NULL", "failed_at")},
	}
}

// count adds the jobs of a state by their kinds.
func (b backlog) count(ctx context.Context, to *ports.Backlog, of part) error {
	var rows []struct {
		Kind  string
		Count int64
		First sqlstore.Stamp
	}
	err := b.s.NewSelect().TableExpr("(?) AS t", of.query).Column("kind").ColumnExpr("COUNT(*) AS count").ColumnExpr("MIN(run_at) AS first").
		Group("kind").Scan(ctx, &rows)
	for _, row := range rows {
		jobs := ports.BacklogJobs{Kind: row.Kind, State: of.state, Count: row.Count}
		if of.state == ports.JobWaiting {
			jobs.Age = b.since(row.First.Time)
		}
		to.Jobs = append(to.Jobs, jobs)
	}
	return err
}

func (b backlog) events() *bun.SelectQuery {
	return b.s.NewSelect().Table("outbox").Column("at").Where("published_at IS NULL").OrderExpr("seq").Limit(ports.BacklogCap)
}

func (b backlog) deliveries() *bun.SelectQuery {
	return b.s.NewSelect().Table("webhook_deliveries").Column("id").Where("state = 'pending'").Limit(ports.BacklogCap)
}

func (b backlog) since(at time.Time) float64 { return max(0, b.now.Sub(at).Seconds()) }
