package satellite

import (
	"context"
	"log/slog"
	"strconv"
	"time"

	"tilth/app"
	"tilth/app/task"
	"tilth/core/access"
	"tilth/core/event"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/vegetation"
	"tilth/ports"
)

// RefreshJob is the kind of the jobs that refresh a profile. Their key is the order's id, so that
// there is only one at a time.
const RefreshJob = "vi_profile_refresh"

// refreshing reports whether a profile is being refreshed or is due to be; ask reports that nobody has requested it yet.
func (o *Profiles) refreshing(ctx context.Context, tx ports.Repos, order vegetation.OrderState) (due, ask bool, err error) {
	key := strconv.FormatInt(order.ID, 10)
	if due, err = profiles.refreshable(ctx, tx, order, o.Clock.Now()); err != nil || !due {
		if err == nil && order.BoundaryOutdated() { // it may be about to be remade
			due, err = tx.Jobs.Waits(ctx, RecomputeJob, key)
		}
		return due, false, err
	}
	waits, err := tx.Jobs.Waits(ctx, RefreshJob, key)
	return true, !waits, err
}

// askRefresh queues the refresh of a profile. Whoever retrieves a shared profile may ask as well:
// it costs nothing, and changes nothing that the owner's own retrieve would not.
func (o *Profiles) askRefresh(ctx context.Context, order vegetation.OrderState) error {
	return o.Store.Write(ctx, func(ctx context.Context, tx ports.Repos) error {
		return tx.Jobs.Enqueue(ctx, task.JobOn(RefreshJob, order.CompanyID, order.ID, o.Clock.Now()))
	})
}

// refreshable reports whether a refresh is due and its field and season still exist, and the field is still the company's
// own or shared with it for orders.
func (p product) refreshable(ctx context.Context, tx ports.Repos, order vegetation.OrderState, now time.Time) (bool, error) {
	if !vegetation.RehydrateOrder(order).RefreshDue(now) {
		return false, nil
	}
	var err error
	if order.FieldID != 0 {
		_, err = tx.Fields.Get(ctx, p.land(order.CompanyID), order.FieldID)
	}
	if err == nil {
		_, err = tx.Seasons.Get(ctx, access.Own(order.CompanyID), order.SeasonID)
	}
	if fault.Is(err, fault.NotFound) {
		return false, nil
	}
	return err == nil, err
}

// sharesAfter is the age from which a profile's refresh uses the result of a search for a neighbour within the last hour: watched
// profiles are a day old when their turn comes.
const sharesAfter = 24 * time.Hour

// refreshLimits end a refresh that kills its worker every time.
var refreshLimits = task.Limits{Claims: vegetation.RefreshRetry.Tries}

// ProfileUpdater brings series up to date, without a database.
type ProfileUpdater interface {
	Refresh(ctx context.Context, req SeriesRequest, known []vegetation.Series) ([]vegetation.Series, error)
}

// Refresher refreshes active profiles: it searches the archive for the whole season again and works
// on what is new, changed or gone. Nothing is charged.
type Refresher struct {
	runner  task.Runner[ports.Repos]
	updater ProfileUpdater
}

// NewRefresher makes a refresher.
func NewRefresher(deps app.Deps, updater ProfileUpdater, log *slog.Logger) *Refresher {
	return &Refresher{task.ForCompany(deps.Store, deps.Clock, deps.IDs, log), updater}
}

// Run does one job of [RefreshJob].
func (r *Refresher) Run(ctx context.Context, job ports.Job) error {
	return task.Do(ctx, r.runner, refreshLimits, refreshWork{r}, job)
}

// refreshWork brings the series of one order up to date.
type refreshWork struct{ *Refresher }

// refreshedOrder is an order with the series that were stored when its refresh began.
type refreshedOrder struct {
	order   vegetation.OrderState
	outline farm.BoundaryVersion // the field's present boundary; only for a recomputation
	known   []vegetation.Series
}

// renewed is a series before a refresh and after it.
type renewed struct{ before, fresh vegetation.Series }

// Lock finishes where the order is not to be refreshed (any more): it is gone, was refreshed
// meanwhile, or its field or season was deleted.
func (refreshWork) Lock(ctx context.Context, run task.Run[ports.Repos]) (s refreshedOrder, next task.Next, err error) {
	s.order, err = run.Tx.Orders.GetForUpdate(ctx, run.Scope, run.Job.Subject)
	if fault.Is(err, fault.NotFound) { // also where its field is no longer shared
		return s, task.Finish(), nil
	}
	due := false
	if err == nil {
		due, err = profiles.refreshable(ctx, run.Tx, s.order, run.Now)
	}
	if !due {
		next = task.Finish()
	}
	return s, next, err
}

// Begin reads all series of the order, by reading.
func (refreshWork) Begin(ctx context.Context, run task.Run[ports.Repos], s *refreshedOrder) (task.Next, error) {
	readings, err := run.Tx.Orders.Readings(ctx, run.Scope, s.order.ID)
	s.known = make([]vegetation.Series, len(readings))
	for i, reading := range readings {
		if err == nil {
			s.known[i], err = run.Tx.Orders.Series(ctx, run.Scope, s.order.ID, reading)
		}
	}
	return task.Continue(), err
}

// Do brings the series up to date. A series that had a point is not emptied: one in a reading other than the
// order's own stays as it is.
func (w refreshWork) Do(ctx context.Context, s refreshedOrder) ([]renewed, error) {
	if at := s.order.LastCheckedAt; at != nil && w.runner.Clock.Now().Sub(*at) >= sharesAfter {
		ctx = ports.SharingSearches(ctx)
	}
	out, err := w.renew(ctx, s, s.order.Boundary)
	for i, one := range out {
		switch {
		case one.fresh.Empty() == "" || one.before.Empty() != "":
		case one.fresh.Reading() != s.order.Reading():
			out[i].fresh = one.before
		default:
			return nil, fault.New(fault.Unavailable, "refresh", "The archive no longer has a usable acquisition of the field.")
		}
	}
	return out, err
}

// renew brings the series up to date on an outline. A refresh fails no order, so any failure is retried.
func (w refreshWork) renew(ctx context.Context, s refreshedOrder, on geo.MultiPolygon) ([]renewed, error) {
	fresh, err := w.updater.Refresh(ctx, SeriesRequest{
		Boundary: on, From: s.order.StartDate, To: s.order.EndDate,
	}, s.known)
	if err != nil {
		return nil, fault.New(fault.Unavailable, "refresh", "The profile could not be refreshed.").Because(err)
	}
	out := make([]renewed, len(fresh))
	for i := range fresh {
		out[i] = renewed{s.known[i], fresh[i]}
	}
	return out, nil
}

// Same is false if the series was remade on another outline meanwhile; while a refresh is due, nothing else
// changes what it starts from.
func (refreshWork) Same(began, current refreshedOrder) bool {
	return began.order.BoundaryID == current.order.BoundaryID
}

func (w refreshWork) Complete(ctx context.Context, run task.Run[ports.Repos], s *refreshedOrder, result []renewed) (task.Next, error) {
	order, own, changed := vegetation.RehydrateOrder(s.order), vegetation.Series{}, false
	for _, one := range result {
		changed = changed || !one.fresh.Same(one.before)
		if one.fresh.Reading() == s.order.Reading() {
			own = one.fresh
		}
	}
	if err := order.Refreshed(run.Now, own, changed); err != nil {
		return task.Next{}, err
	}
	if err := run.Tx.Orders.Update(ctx, run.Scope, order.State()); err != nil || order.State().Status != vegetation.Active {
		return task.Finish(), err
	}
	for _, one := range result {
		if err := w.put(ctx, run, s.order, one); err != nil {
			return task.Next{}, err
		}
	}
	if err := w.watch(ctx, run, order.State(), own, changed); err != nil {
		return task.Next{}, err
	}
	return task.Finish(), w.searched(ctx, run, order.State(), result)
}

// watch checks the rules of a watched order against its own series, even if that has not changed: days pass. If it has changed, its
// maps are brought up to date too.
func (w refreshWork) watch(ctx context.Context, run task.Run[ports.Repos], order vegetation.OrderState, own vegetation.Series, changed bool) error {
	m, err := run.Tx.Monitors.Get(ctx, run.Scope, order.ID)
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	if err == nil && changed {
		err = followMaps(ctx, run, order)
	}
	if err != nil {
		return err
	}
	return raise(ctx, run.Tx, run.Scope, alarm{order, own, w.runner.IDs, run.Now}, &m)
}

// searched records that the other readings were refreshed with the order.
func (refreshWork) searched(ctx context.Context, run task.Run[ports.Repos], order vegetation.OrderState, result []renewed) error {
	for _, one := range result {
		d, known, err := run.Tx.Orders.Derivation(ctx, run.Scope, order.ID, one.fresh.Reading())
		if err != nil {
			return err
		}
		if !known || d.Status != vegetation.Active {
			continue
		}
		d.Complete(order, run.Now)
		if err := run.Tx.Orders.PutDerivation(ctx, run.Scope, d); err != nil {
			return err
		}
	}
	return nil
}

// put stores a series that has changed, with vi_profile_updated if its values have.
func (w refreshWork) put(ctx context.Context, run task.Run[ports.Repos], order vegetation.OrderState, one renewed) error {
	same := one.fresh.Same(one.before)
	if same && one.fresh.SameOrigins(one.before) {
		return nil
	}
	if err := run.Tx.Orders.PutSeries(ctx, run.Scope, order.ID, one.fresh); err != nil || same {
		return err
	}
	updated := profileCompletedEvent(w.runner.IDs.UUID(), order, one.fresh, run.Now)
	updated.Type = event.TypeProfileUpdated
	return run.Tx.Outbox.Add(ctx, updated)
}

// Unavailable keeps the series as they are. After the last try the refresh is left to the next retrieve.
func (refreshWork) Unavailable(_ context.Context, run task.Run[ports.Repos], _ refreshedOrder, _ error) (task.Next, error) {
	if wait, again := vegetation.RefreshRetry.Wait(run.Job.Attempt, run.Jitter); again {
		return task.Again(run.Now.Add(wait)), nil
	}
	return task.Finish(), nil
}

// Fail leaves the refresh to the next retrieve.
func (w refreshWork) Fail(ctx context.Context, run task.Run[ports.Repos], _ refreshedOrder, reason string) error {
	w.runner.Log.WarnContext(ctx, "a profile refresh is left to the next retrieve", "order", run.Job.Subject, "reason", reason)
	return nil
}

// profileCompletedEvent returns the event of a series of an order that is new or has changed.
func profileCompletedEvent(id string, order vegetation.OrderState, s vegetation.Series, at time.Time) event.Event {
	return event.Event{
		ID: id, Type: event.TypeProfileCompleted, CompanyID: order.CompanyID, Subject: "profile/" + order.UUID, At: at,
		Data: event.ProfileCompleted{
			ProfileUUID: order.UUID, OrderID: order.ID, Field: order.FieldID, FieldUUID: order.FieldUUID, Season: order.SeasonID,
			IndexCode: string(s.Index), Mask: s.Mask.String(), Dataset: s.Dataset.String(), Status: string(order.Status), Observations: len(s.Observations),
		},
	}
}
