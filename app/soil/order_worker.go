package soil

import (
	"context"
	"log/slog"
	"time"

	"tilth/app"
	"tilth/app/satellite"
	"tilth/app/task"
	"tilth/core/access"
	"tilth/core/audit"
	"tilth/core/credit"
	"tilth/core/fault"
	"tilth/core/stratification"
	"tilth/core/stratification/carbon"
	"tilth/core/stratification/layer"
	"tilth/ports"
)

// tooLong is the reason for failing an order whose preparation did not end in time.
const tooLong = "The order could not be prepared within 30 minutes."

// LayerSource prepares the layers of an order, without a database of orders.
type LayerSource interface {
	Prepare(ctx context.Context, order stratification.OrderState) (layer.Prepared, error)
}

// OrderWorker prepares ordered layers.
type OrderWorker struct {
	app.Deps
	Layers LayerSource
	Log    *slog.Logger
}

// Run does one job of [OrderJob]. The limit ends a preparation that kills its worker every time.
func (w *OrderWorker) Run(ctx context.Context, job ports.Job) error {
	runner := task.ForCompany(w.Store, w.Clock, w.IDs, w.Log)
	return task.Do(ctx, runner, task.Limits{Claims: 5 * stratification.Retry.Tries}, orderWork{w}, job)
}

// orderWork prepares the layers of one order.
type orderWork struct{ *OrderWorker }

// openOrder is an order under its lock, with the wallet that pays for it.
type openOrder struct {
	purse satellite.Purse // of the step's transaction
	order stratification.Order
}

func (orderWork) Lock(ctx context.Context, run task.Run[ports.Repos]) (s openOrder, next task.Next, err error) {
	s.purse, s.order, err = lockOrder(ctx, run.Tx, run.Scope, run.Job.Subject, run.Now)
	if !s.order.Open() {
		next = task.Finish()
	}
	return s, next, err
}

// Revive resumes a failed order for the operator; its charge is held anew.
func (orderWork) Revive(ctx context.Context, run task.Run[ports.Repos], s *openOrder) (task.Next, error) {
	if s.order.State().Status != stratification.OrderFailed {
		return task.Finish(), nil
	}
	_, err := reopenOrder(ctx, s.purse, &s.order, run.Now)
	return task.Continue(), err
}

func (orderWork) Begin(ctx context.Context, run task.Run[ports.Repos], s *openOrder) (task.Next, error) {
	if s.order.Overdue(run.Now) {
		return task.GiveUp(tooLong), nil
	}
	if err := s.order.Begin(run.Now); err != nil {
		return task.Next{}, err
	}
	return task.Continue(), run.Tx.StratificationOrders.Update(ctx, run.Scope, s.order.State())
}

// madeOrder is the result of an order: layers, or the map of soil carbon.
type madeOrder struct {
	layers layer.Prepared
	carbon carbon.Map
}

func (w orderWork) Do(ctx context.Context, s openOrder) (made madeOrder, err error) {
	order := s.order.State()
	if order.MapType == credit.ServiceSOC {
		made.carbon, err = app.In(ctx, w.Store.Read, func(ctx context.Context, tx ports.Repos) (carbon.Map, error) {
			return mapCarbon(ctx, tx, access.Own(order.CompanyID), order)
		})
		return made, err
	}
	limited, cancel := context.WithTimeout(ctx, stratification.ProcessingLimit-w.Clock.Now().Sub(*order.ProcessingAt))
	defer cancel()
	made.layers, err = w.Layers.Prepare(limited, order)
	if limited.Err() != nil {
		err = fault.New(fault.Invalid, "too_long", tooLong)
	}
	return made, err
}

// Same is true for every open order: what it asks for never changes.
func (orderWork) Same(_, _ openOrder) bool { return true }

func (orderWork) Complete(ctx context.Context, run task.Run[ports.Repos], s *openOrder, made madeOrder) (task.Next, error) {
	var err error
	if s.order.State().MapType == credit.ServiceSOC {
		err = s.order.CompleteCarbon(run.Now, made.carbon)
	} else {
		err = s.order.Complete(run.Now, made.layers)
	}
	if err != nil {
		return task.Next{}, err
	}
	order := s.order.State()
	if err := run.Tx.StratificationOrders.Update(ctx, run.Scope, order); err != nil {
		return task.Next{}, err
	}
	if len(made.layers.Layers) > 0 {
		if err := run.Tx.StratificationOrders.PutLayers(ctx, run.Scope, order.ID, made.layers.Layers); err != nil {
			return task.Next{}, err
		}
	}
	if err := postOrder(ctx, s.purse, credit.Capture, order); err != nil {
		return task.Next{}, err
	}
	return task.Finish(), run.Tx.Outbox.Add(ctx, orderCompletedEvent(order, made.layers.Layers, run.Now))
}

func (orderWork) Unavailable(ctx context.Context, run task.Run[ports.Repos], s openOrder, _ error) (task.Next, error) {
	at, again, err := s.order.SourceUnavailable(run.Now, run.Jitter)
	if err != nil || !again {
		return task.GiveUp(s.order.State().Reason), err
	}
	return task.Again(at), run.Tx.StratificationOrders.Update(ctx, run.Scope, s.order.State())
}

func (orderWork) Fail(ctx context.Context, _ task.Run[ports.Repos], s openOrder, reason string) error {
	return failOrder(ctx, s.purse, &s.order, reason)
}

// maxSwept bounds the number of orders per sweep.
const maxSwept = 100

// Sweep fails the orders that have been in preparation for too long, whoever holds their jobs, and
// returns their number. A worker that comes back finds its order failed and leaves it alone.
func (w *OrderWorker) Sweep(ctx context.Context) (failed int64, err error) {
	since := w.Clock.Now().Add(-stratification.ProcessingLimit)
	found, err := app.In(ctx, w.Store.Consult, func(ctx context.Context, tx ports.OperatorRepos) ([]ports.OverdueOrder, error) {
		return tx.Orders.Overdue(ctx, since, maxSwept)
	})
	for _, o := range found {
		did, err := app.In(ctx, w.Store.Write, func(ctx context.Context, tx ports.Repos) (bool, error) {
			now := w.Clock.Now()
			purse, order, err := lockOrder(ctx, tx, access.Own(o.CompanyID), o.ID, now)
			if err != nil || !order.Overdue(now) {
				return false, err
			}
			return true, failOrder(ctx, purse, &order, tooLong)
		})
		if err != nil {
			return failed, err
		}
		if did {
			failed++
		}
	}
	return failed, err
}

// retriedOrder is the form in which the audit trail records a retry.
type retriedOrder struct {
	Status  string
	Retries int
}

// RetryOrder resumes a failed order for the operator: its charge is held anew and its job queued. Access to the
// shell is the authority. Faults: NotFound; Conflict (order_state, retries_used, order_exists), PaymentRequired.
func RetryOrder(ctx context.Context, store ports.Store, clock ports.Clock, orderID int64) (stratification.OrderState, error) {
	company, err := app.In(ctx, store.Consult, func(ctx context.Context, tx ports.OperatorRepos) (int64, error) {
		return tx.Orders.CompanyOf(ctx, orderID)
	})
	if err != nil {
		return stratification.OrderState{}, err
	}
	return app.In(ctx, store.Write, func(ctx context.Context, tx ports.Repos) (out stratification.OrderState, err error) {
		now := clock.Now()
		purse, order, err := lockOrder(ctx, tx, access.Own(company), orderID, now)
		if err != nil {
			return out, err
		}
		if out, err = reopenOrder(ctx, purse, &order, now); err != nil {
			return out, err
		}
		entry := audit.Entry{CompanyID: company, At: now}
		before := retriedOrder{string(stratification.OrderFailed), out.Retries - 1}
		if err := tx.Audit.Add(ctx, entry.Of(audit.Update, access.StratificationOrders.Name, out.ID, audit.Diff(&before, &retriedOrder{string(out.Status), out.Retries}))); err != nil {
			return out, err
		}
		return out, tx.Jobs.Enqueue(ctx, task.JobOn(OrderJob, out.CompanyID, out.ID, now))
	})
}

// reopenOrder resumes a failed order under its lock, and holds its charge anew.
func reopenOrder(ctx context.Context, purse satellite.Purse, order *stratification.Order, now time.Time) (out stratification.OrderState, err error) {
	if _, err := purse.Tx.AOIs.Get(ctx, purse.Scope, order.State().AOI.ID); err != nil {
		return out, err
	}
	if err := order.Retry(now); err != nil {
		return out, err
	}
	out = order.State()
	if err := purse.Tx.StratificationOrders.Update(ctx, purse.Scope, out); err != nil {
		return out, err
	}
	return out, postOrder(ctx, purse, credit.Hold, out)
}
