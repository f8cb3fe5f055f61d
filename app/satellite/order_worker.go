package satellite

import (
	"context"
	"time"

	"tilth/app/task"
	"tilth/core/fault"
	"tilth/core/vegetation"
	"tilth/ports"
)

// orderLimits end a computation that kills its worker every time.
var orderLimits = task.Limits{Claims: 5 * vegetation.Retry.Tries}

// orderWork computes an order of a product for the first time.
type orderWork struct {
	product
	compute func(ctx context.Context, order vegetation.OrderState) (made, error)
	ids     ports.IDs
}

// openOrder is an order under its lock, with the wallet that pays for it.
type openOrder struct {
	purse Purse // of the step's transaction
	order vegetation.Order
}

// Lock reads the order with the present dates of its season: while an order is open the season may
// still be moved.
func (w orderWork) Lock(ctx context.Context, run task.Run[ports.Repos]) (s openOrder, next task.Next, err error) {
	if s.purse, s.order, err = w.lock(ctx, run.Tx, run.Scope, run.Job.Subject, run.Now); err != nil {
		return s, next, err
	}
	if !s.order.Open() {
		return s, task.Finish(), nil
	}
	if order := s.order.State(); order.Lent() {
		_, err := run.Tx.Fields.Get(ctx, w.land(order.CompanyID), order.FieldID)
		if fault.Is(err, fault.NotFound) {
			return s, task.GiveUp("The field is no longer shared with your company for orders."), nil
		}
		if err != nil {
			return s, next, err
		}
	}
	if s.order.State().SeasonID == 0 { // for a map of one date, or a timeless one
		return s, task.Continue(), nil
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

// Revive resumes a failed order for the operator, as it was placed; its charge is held anew.
func (w orderWork) Revive(ctx context.Context, run task.Run[ports.Repos], s *openOrder) (task.Next, error) {
	order := s.order.State()
	if order.Status != vegetation.Failed {
		return task.Finish(), nil
	}
	if order.FieldID != 0 {
		if _, err := run.Tx.Fields.Get(ctx, w.land(order.CompanyID), order.FieldID); err != nil {
			return task.Next{}, err
		}
	}
	if err := s.order.Revive(run.Now, order); err != nil {
		return task.Next{}, err
	}
	perHa, err := w.price(ctx, run.Tx)
	if err != nil {
		return task.Next{}, err
	}
	due, err := dueFor(ctx, s.purse, s.order.State(), perHa)
	if err != nil {
		return task.Next{}, err
	}
	return task.Continue(), hold(ctx, s.purse, s.order.State(), due)
}

func (w orderWork) Begin(ctx context.Context, run task.Run[ports.Repos], s *openOrder) (task.Next, error) {
	if err := s.order.Begin(run.Now); err != nil {
		return task.Next{}, err
	}
	if !s.order.SeasonBegun(run.Now) {
		if err := s.order.Wait(run.Now, nextLook(s.order.State(), run.Now), s.order.State().NotBegun()); err != nil {
			return task.Next{}, err
		}
	}
	return w.stored(ctx, run, s.order)
}

// lentLook is the interval at which an order that waits for its season checks whether its field is still shared: its
// hold is released at most that long after the sharing ends, however it ends.
const lentLook = 24 * time.Hour

// nextLook returns when an order that waits for its season continues.
func nextLook(order vegetation.OrderState, now time.Time) time.Time {
	if soon := now.Add(lentLook); order.Lent() && soon.Before(order.StartDate) {
		return soon
	}
	return order.StartDate
}

// stored stores an order that has not ended: it is computed, or waits for its next try.
func (p product) stored(ctx context.Context, run task.Run[ports.Repos], order vegetation.Order) (task.Next, error) {
	s, next := order.State(), task.Continue()
	switch {
	case s.NextTryAt == nil:
	case s.Attempts == 0: // it waits for its season; nothing has failed
		next = task.Repeat(*s.NextTryAt)
	default:
		next = task.Again(*s.NextTryAt)
	}
	return next, p.repo(run.Tx).Update(ctx, run.Scope, s)
}

func (w orderWork) Do(ctx context.Context, s openOrder) (made, error) {
	return w.compute(ctx, s.order.State())
}

// Same is false where the season was moved meanwhile, or the order failed and was placed again
// for another reading or boundary.
func (orderWork) Same(began, current openOrder) bool {
	return current.order.State().SameRequest(began.order.State())
}

func (w orderWork) Complete(ctx context.Context, run task.Run[ports.Repos], s *openOrder, computed made) (task.Next, error) {
	if err := computed.complete(&s.order, run.Now); err != nil {
		return task.Next{}, err
	}
	order := s.order.State()
	if err := w.put(ctx, run.Tx, run.Scope, order.ID, computed); err != nil {
		return task.Next{}, err
	}
	switch order.Status {
	case vegetation.Pending:
		return w.stored(ctx, run, s.order)
	case vegetation.Failed: // the archive answered: the job itself did not fail
		return task.Finish(), w.settleFailed(ctx, s.purse, order)
	}
	if err := w.repo(run.Tx).Update(ctx, run.Scope, order); err != nil {
		return task.Next{}, err
	}
	if err := capture(ctx, s.purse, order); err != nil {
		return task.Next{}, err
	}
	return task.Finish(), run.Tx.Outbox.Add(ctx, w.done(w.ids.UUID(), order, computed, run.Now))
}

func (w orderWork) Unavailable(ctx context.Context, run task.Run[ports.Repos], s openOrder, _ error) (task.Next, error) {
	if err := s.order.SourceUnavailable(run.Now, run.Jitter); err != nil {
		return task.Next{}, err
	}
	if !s.order.Open() {
		return task.GiveUp(s.order.State().Reason), nil
	}
	return w.stored(ctx, run, s.order)
}

func (w orderWork) Fail(ctx context.Context, _ task.Run[ports.Repos], s openOrder, reason string) error {
	return w.fail(ctx, s.purse, &s.order, reason)
}
