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
		b := Backlog{s, sqlstore.StampAt(s.SharedNow())}
		for _, part := range b.Jobs() {
			if err := b.count(ctx, &out, part); err != nil {
				return err
			}
		}
		var waits struct {
			Events int64
			First  *sqlstore.Stamp
		}
		err := s.NewSelect().TableExpr("(?) AS t", b.Events()).ColumnExpr("COUNT(*) AS events").ColumnExpr("MIN(at) AS first").Scan(ctx, &waits)
		if err != nil {
			return err
		}
		out.Events = waits.Events
		if waits.First != nil {
			out.EventAge = b.since(waits.First.Time)
		}
		return s.NewSelect().TableExpr("(?) AS t", b.Deliveries()).ColumnExpr("COUNT(*)").Scan(ctx, &out.Deliveries)
	})
	return out, err
}

// Backlog selects what waits in a database.
type Backlog struct {
	Session *sqlstore.Session
	Now     sqlstore.Stamp // the shared time
}

// BacklogPart is the jobs of one state.
type BacklogPart struct {
	State ports.JobState
	Query *bun.SelectQuery
}

// Jobs selects the jobs by their states.
func (b Backlog) Jobs() []BacklogPart {
	of := func(where, order string, args ...any) *bun.SelectQuery {
		return b.Session.NewSelect().Table("jobs").Column("kind", "run_at").Where(where, args...).OrderExpr(order + ", id").Limit(ports.BacklogCap)
	}
	return []BacklogPart{
		{ports.JobWaiting, of("lease IS NULL AND failed_at IS NULL AND run_at <= ?", "run_at", b.Now)},
		{ports.JobScheduled, of("lease IS NULL AND failed_at IS NULL AND run_at > ?", "run_at", b.Now)},
		{ports.JobRunning, of("lease IS NOT NULL", "lease_until")},
		{ports.JobFailed, of("failed_at IS NOT NULL", "failed_at")},
	}
}

// count adds the jobs of a state by their kinds.
func (b Backlog) count(ctx context.Context, to *ports.Backlog, of BacklogPart) error {
	var rows []struct {
		Kind  string
		Count int64
		First sqlstore.Stamp
	}
	err := b.Session.NewSelect().TableExpr("(?) AS t", of.Query).Column("kind").ColumnExpr("COUNT(*) AS count").ColumnExpr("MIN(run_at) AS first").
		Group("kind").Scan(ctx, &rows)
	for _, row := range rows {
		jobs := ports.BacklogJobs{Kind: row.Kind, State: of.State, Count: row.Count}
		if of.State == ports.JobWaiting {
			jobs.Age = b.since(row.First.Time)
		}
		to.Jobs = append(to.Jobs, jobs)
	}
	return err
}

// Events selects the events that are not published yet.
func (b Backlog) Events() *bun.SelectQuery {
	return b.Session.NewSelect().Table("outbox").Column("at").Where("published_at IS NULL").OrderExpr("seq").Limit(ports.BacklogCap)
}

// Deliveries selects the deliveries to webhooks that are to be sent.
func (b Backlog) Deliveries() *bun.SelectQuery {
	return b.Session.NewSelect().Table("webhook_deliveries").Column("id").Where("state = 'pending'").Limit(ports.BacklogCap)
}

func (b Backlog) since(at time.Time) float64 { return max(0, b.Now.Sub(at).Seconds()) }
