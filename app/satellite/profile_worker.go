package satellite

import (
	"context"
	"log/slog"
	"time"

	"tilth/app"
	"tilth/app/task"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/core/vegetation"
	"tilth/ports"
)

// profileLimits end a computation that kills its worker every time.
var profileLimits = task.Limits{Claims: 5 * vegetation.Retry.Tries}

// ProfileComputer computes one series, without a database.
type ProfileComputer interface {
	Compute(ctx context.Context, req SeriesRequest) (vegetation.Series, error)
}

// ProfileWorker computes ordered profiles, and series of active orders in other readings.
type ProfileWorker struct {
	runner   task.Runner[ports.Repos]
	computer ProfileComputer
}

// NewProfileWorker makes a worker.
func NewProfileWorker(deps app.Deps, computer ProfileComputer, log *slog.Logger) *ProfileWorker {
	return &ProfileWorker{task.ForCompany(deps.Store, deps.Clock, deps.IDs, log), computer}
}

// Run does one job of [ProfileJob]: it computes an ordered profile.
func (w *ProfileWorker) Run(ctx context.Context, job ports.Job) error {
	return task.Do(ctx, w.runner, profileLimits, profileWork{w}, job)
}

// compute returns the series of an order in a reading.
func (w *ProfileWorker) compute(ctx context.Context, order vegetation.OrderState, reading vegetation.Reading) (vegetation.Series, error) {
	index, err := vegetation.ParseIndex(string(reading.Index))
	if err != nil {
		return vegetation.Series{}, err
	}
	return w.computer.Compute(ctx, SeriesRequest{
		Boundary: order.Boundary, From: order.StartDate, To: order.EndDate, Index: index, Mask: reading.Mask, Dataset: reading.Dataset,
	})
}

// profileWork computes an order for the first time.
type profileWork struct{ *ProfileWorker }

// openProfile is an order under its lock, with the wallet that pays for it.
type openProfile struct {
	purse Purse // of the step's transaction
	order vegetation.Order
}

// Lock reads the order with the dates that its season has now: while an order is open the season
// may still be moved.
func (profileWork) Lock(ctx context.Context, run task.Run[ports.Repos]) (s openProfile, next task.Next, err error) {
	if s.purse, s.order, err = lockProfile(ctx, run.Tx, run.Scope, run.Job.Subject, run.Now); err != nil {
		return s, next, err
	}
	if !s.order.Open() {
		return s, task.Finish(), nil
	}
	if order := s.order.State(); order.Lent() {
		_, err := run.Tx.Fields.Get(ctx, access.ToOrder(order.CompanyID), order.FieldID)
		if fault.Is(err, fault.NotFound) {
			return s, task.GiveUp("The field is no longer shared with your company for orders."), nil
		}
		if err != nil {
			return s, next, err
		}
	}
	season, err := run.Tx.Seasons.Get(ctx, run.Scope, s.order.State().SeasonID)
	if fault.Is(err, fault.NotFound) {
		return s, task.GiveUp("The season was deleted."), nil
	}
	if err == nil {
		s.order.MoveWindow(season.StartDate, season.EndDate, run.Now)
	}
	return s, task.Continue(), err
}

// Revive takes a failed order up again for the operator, as it was placed; its charge is held anew.
func (profileWork) Revive(ctx context.Context, run task.Run[ports.Repos], s *openProfile) (task.Next, error) {
	order := s.order.State()
	if order.Status != vegetation.Failed {
		return task.Finish(), nil
	}
	if _, err := run.Tx.Fields.Get(ctx, access.ToOrder(order.CompanyID), order.FieldID); err != nil {
		return task.Next{}, err
	}
	if err := s.order.Revive(run.Now, order); err != nil {
		return task.Next{}, err
	}
	perHa, err := profilePrice(ctx, run.Tx)
	if err != nil {
		return task.Next{}, err
	}
	due, err := dueFor(ctx, s.purse, s.order.State(), perHa)
	if err != nil {
		return task.Next{}, err
	}
	return task.Continue(), holdProfile(ctx, s.purse, s.order.State(), due)
}

func (profileWork) Begin(ctx context.Context, run task.Run[ports.Repos], s *openProfile) (task.Next, error) {
	if err := s.order.Begin(run.Now); err != nil {
		return task.Next{}, err
	}
	if !s.order.SeasonBegun(run.Now) {
		if err := s.order.Wait(run.Now, nextLook(s.order.State(), run.Now), "The season has not begun."); err != nil {
			return task.Next{}, err
		}
	}
	return stored(ctx, run, s.order)
}

// lentLook is how often an order that waits for its season looks whether its field is still shared: what it holds is
// released as soon afterwards as the sharing ends, by whatever end.
const lentLook = 24 * time.Hour

// nextLook returns when an order that waits for its season goes on.
func nextLook(order vegetation.OrderState, now time.Time) time.Time {
	if soon := now.Add(lentLook); order.Lent() && soon.Before(order.StartDate) {
		return soon
	}
	return order.StartDate
}

// stored stores an order that is not at its end: it is computed, or waits for its next try.
func stored(ctx context.Context, run task.Run[ports.Repos], order vegetation.Order) (task.Next, error) {
	s, next := order.State(), task.Continue()
	switch {
	case s.NextTryAt == nil:
	case s.Attempts == 0: // it waits for its season, with nothing amiss
		next = task.Repeat(*s.NextTryAt)
	default:
		next = task.Again(*s.NextTryAt)
	}
	return next, run.Tx.Orders.Update(ctx, run.Scope, s)
}

func (w profileWork) Do(ctx context.Context, s openProfile) (vegetation.Series, error) {
	order := s.order.State()
	return w.compute(ctx, order, order.Reading())
}

// Same is false where the season was moved meanwhile, or the order failed and was placed again
// for another reading or boundary.
func (profileWork) Same(began, current openProfile) bool {
	return current.order.State().SameRequest(began.order.State())
}

func (w profileWork) Complete(ctx context.Context, run task.Run[ports.Repos], s *openProfile, computed vegetation.Series) (task.Next, error) {
	if err := s.order.Complete(run.Now, computed); err != nil {
		return task.Next{}, err
	}
	order := s.order.State()
	if err := run.Tx.Orders.PutSeries(ctx, run.Scope, order.ID, computed); err != nil {
		return task.Next{}, err
	}
	switch order.Status {
	case vegetation.Pending:
		return stored(ctx, run, s.order)
	case vegetation.Failed: // the archive answered: nothing is wrong with the job
		return task.Finish(), settleFailed(ctx, s.purse, order)
	}
	if err := run.Tx.Orders.Update(ctx, run.Scope, order); err != nil {
		return task.Next{}, err
	}
	if err := captureProfile(ctx, s.purse, order); err != nil {
		return task.Next{}, err
	}
	return task.Finish(), run.Tx.Outbox.Add(ctx, profileCompletedEvent(w.runner.IDs.UUID(), order, computed, run.Now))
}

func (profileWork) Unavailable(ctx context.Context, run task.Run[ports.Repos], s openProfile, _ error) (task.Next, error) {
	if err := s.order.SourceUnavailable(run.Now, run.Jitter); err != nil {
		return task.Next{}, err
	}
	if !s.order.Open() {
		return task.GiveUp(s.order.State().Reason), nil
	}
	return stored(ctx, run, s.order)
}

func (profileWork) Fail(ctx context.Context, _ task.Run[ports.Repos], s openProfile, reason string) error {
	return failProfile(ctx, s.purse, &s.order, reason)
}
