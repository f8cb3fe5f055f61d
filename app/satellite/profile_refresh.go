package satellite

import (
	"context"
	"log/slog"
	"strconv"
	"time"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/event"
	"tilth/core/fault"
	"tilth/core/vegetation"
	"tilth/ports"
)

// RefreshJob is the kind of the jobs that refresh a profile. Their key is the order's id,
// so that there is one at a time.
const RefreshJob = "vi_profile_refresh"

// refreshing reports whether a profile is being refreshed or is to be; ask says that nobody
// has asked for it yet.
func (o *Profiles) refreshing(ctx context.Context, tx ports.Repos, order vegetation.OrderState) (due, ask bool, err error) {
	if due, err = refreshable(ctx, tx, order, o.deps.Clock.Now()); err != nil || !due {
		return false, false, err
	}
	waits, err := tx.Jobs.Waits(ctx, RefreshJob, strconv.FormatInt(order.ID, 10))
	return true, !waits, err
}

// askRefresh queues the refresh of a profile. Who retrieves a shared profile may ask as
// well: it costs nothing, and changes nothing that the owner's own look would not.
func (o *Profiles) askRefresh(ctx context.Context, order vegetation.OrderState) error {
	return o.deps.Store.Write(ctx, func(ctx context.Context, tx ports.Repos) error {
		return tx.Jobs.Enqueue(ctx, ports.Job{
			Kind: RefreshJob, Key: strconv.FormatInt(order.ID, 10), CompanyID: order.CompanyID, Subject: order.ID, RunAt: o.deps.Clock.Now(),
		})
	})
}

// refreshable reports whether a refresh is due and its field and season still exist.
func refreshable(ctx context.Context, tx ports.Repos, order vegetation.OrderState, now time.Time) (bool, error) {
	if !vegetation.RehydrateOrder(order).RefreshDue(now) {
		return false, nil
	}
	owner := access.Own(order.CompanyID)
	_, err := tx.Fields.Get(ctx, owner, order.FieldID)
	if err == nil {
		_, err = tx.Seasons.Get(ctx, owner, order.SeasonID)
	}
	if fault.Is(err, fault.NotFound) {
		return false, nil
	}
	return err == nil, err
}

// ProfileUpdater brings series up to date, without a database.
type ProfileUpdater interface {
	Refresh(ctx context.Context, req SeriesRequest, known []vegetation.Series) ([]vegetation.Series, error)
}

// Refresher refreshes active profiles: it searches the archive for the whole season again
// and works on what is new, changed or gone. Nothing is charged. Like a Worker it may be
// killed at any moment.
type Refresher struct {
	deps    app.Deps
	updater ProfileUpdater
	log     *slog.Logger
}

// NewRefresher makes a refresher.
func NewRefresher(deps app.Deps, updater ProfileUpdater, log *slog.Logger) *Refresher {
	return &Refresher{deps, updater, log}
}

// Run does one job: begin, bring up to date, settle. It returns an error only when the job
// must be given back as it is: the context ended, or the database is away.
func (r *Refresher) Run(ctx context.Context, job ports.Job) error {
	scope := access.Own(job.CompanyID)
	order, known, err := r.begin(ctx, scope, job)
	if err != nil || known == nil {
		return err
	}
	fresh, failure := r.updater.Refresh(ctx, SeriesRequest{
		Boundary: order.Boundary, From: order.StartDate, To: order.EndDate, Mask: vegetation.MaskStandard,
	}, known)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return r.settle(ctx, scope, job, known, fresh, failure)
}

// begin returns the order and all series that are stored of it; none where there is nothing
// to refresh any more, and the job is finished.
func (r *Refresher) begin(ctx context.Context, scope access.Scope, job ports.Job) (order vegetation.OrderState, known []vegetation.Series, err error) {
	err = r.deps.Store.Write(ctx, func(ctx context.Context, tx ports.Repos) error {
		known = nil
		var due bool
		var err error
		if order, due, err = r.locked(ctx, tx, scope, job); err != nil {
			return err
		}
		if !due {
			return tx.Jobs.Finish(ctx, job)
		}
		if job.Attempt > vegetation.RefreshRetry.Tries {
			r.log.WarnContext(ctx, "profile refresh was broken off too often, and is left to the next retrieve", "order", job.Subject)
			return tx.Jobs.Finish(ctx, job)
		}
		known, err = storedSeries(ctx, tx, scope, order.ID)
		return err
	})
	return order, known, err
}

// locked returns the order under a lock; due is false where it is not to be refreshed (any
// more): it is gone, was refreshed meanwhile, or its field or season was deleted.
func (r *Refresher) locked(ctx context.Context, tx ports.Repos, scope access.Scope, job ports.Job) (order vegetation.OrderState, due bool, err error) {
	order, err = tx.Orders.GetForUpdate(ctx, scope, job.Subject)
	if fault.Is(err, fault.NotFound) {
		return order, false, nil
	}
	if err == nil {
		due, err = refreshable(ctx, tx, order, r.deps.Clock.Now())
	}
	return order, due, err
}

// storedSeries returns all series of an order, by index code.
func storedSeries(ctx context.Context, tx ports.Repos, scope access.Scope, id int64) ([]vegetation.Series, error) {
	codes, err := tx.Orders.Indexes(ctx, scope, id)
	if err != nil {
		return nil, err
	}
	out := make([]vegetation.Series, len(codes))
	for i, code := range codes {
		if out[i], err = tx.Orders.Series(ctx, scope, id, code); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// settle stores what came of it, in one transaction with the events and the end of the job.
func (r *Refresher) settle(ctx context.Context, scope access.Scope, job ports.Job, known, fresh []vegetation.Series, failure error) error {
	return r.deps.Store.Write(ctx, func(ctx context.Context, tx ports.Repos) error {
		now := r.deps.Clock.Now()
		state, due, err := r.locked(ctx, tx, scope, job)
		if err != nil {
			return err
		}
		if !due {
			return tx.Jobs.Finish(ctx, job)
		}
		if failure != nil {
			return r.failed(ctx, tx, job, now, failure)
		}
		order, own, changed := vegetation.RehydrateOrder(state), vegetation.Series{}, false
		for i, s := range fresh {
			same := s.Same(known[i])
			changed = changed || !same
			if string(s.Index) == state.Index {
				own = s
			}
			if err := r.put(ctx, tx, scope, state, s, known[i], now); err != nil {
				return err
			}
		}
		if err := order.Refreshed(now, own, changed); err != nil {
			return err
		}
		if err := tx.Orders.Update(ctx, scope, order.State()); err != nil {
			return err
		}
		return tx.Jobs.Finish(ctx, job)
	})
}

// put stores a series that is not what it was, and tells of it where that shows.
func (r *Refresher) put(ctx context.Context, tx ports.Repos, scope access.Scope, order vegetation.OrderState, fresh, before vegetation.Series, now time.Time) error {
	same := fresh.Same(before)
	if same && fresh.SameOrigins(before) {
		return nil
	}
	if err := tx.Orders.PutSeries(ctx, scope, order.ID, fresh); err != nil || same {
		return err
	}
	return tx.Outbox.Add(ctx, profileCompletedEvent(r.deps.IDs.UUID(), order, fresh, now))
}

// profileCompletedEvent tells that a series of an order is there, or is another than it was.
func profileCompletedEvent(id string, order vegetation.OrderState, s vegetation.Series, at time.Time) event.Event {
	return event.Event{
		ID: id, Type: event.TypeProfileCompleted, CompanyID: order.CompanyID, Subject: "profile/" + order.UUID, At: at,
		Data: event.ProfileCompleted{
			ProfileUUID: order.UUID, OrderID: order.ID, Field: order.FieldID, FieldUUID: order.FieldUUID, Season: order.SeasonID,
			IndexCode: string(s.Index), Status: string(order.Status), Observations: len(s.Observations),
		},
	}
}

// failed keeps the series as they are: the refresh is tried again, and in the end left to
// the next retrieve.
func (r *Refresher) failed(ctx context.Context, tx ports.Repos, job ports.Job, now time.Time, failure error) error {
	wait, again := vegetation.RefreshRetry.Wait(job.Attempt, r.deps.IDs.Jitter())
	r.log.WarnContext(ctx, "profile refresh failed, the series is kept", "order", job.Subject, "try", job.Attempt, "again", again, "error", failure)
	if !again {
		return tx.Jobs.Finish(ctx, job)
	}
	return tx.Jobs.Postpone(ctx, job, now.Add(wait))
}
