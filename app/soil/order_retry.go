package soil

import (
	"context"
	"time"

	"tilth/app/satellite"
	"tilth/core/access"
	"tilth/core/audit"
	"tilth/core/credit"
	"tilth/core/stratification"
	"tilth/ports"
)

// retriedOrder is a retry as the audit trail records it.
type retriedOrder struct {
	Status  string
	Retries int
}

// RetryOrder takes a failed order up again for the operator: its charge is held anew and its job
// queued. The shell is the authority.
// Faults: NotFound; Conflict (order_state, retries_used, order_exists), PaymentRequired.
func RetryOrder(ctx context.Context, store ports.Store, clock ports.Clock, orderID int64) (stratification.OrderState, error) {
	var out stratification.OrderState
	var company int64
	if err := store.Consult(ctx, func(ctx context.Context, tx ports.OperatorRepos) (err error) {
		company, err = tx.Orders.CompanyOf(ctx, orderID)
		return err
	}); err != nil {
		return out, err
	}
	scope := access.Own(company)
	err := store.Write(ctx, func(ctx context.Context, tx ports.Repos) error {
		now := clock.Now()
		purse, order, err := lockOrder(ctx, tx, scope, orderID, now)
		if err != nil {
			return err
		}
		if out, err = reopenOrder(ctx, purse, &order, now); err != nil {
			return err
		}
		entry := audit.Entry{CompanyID: company, At: now}
		before := retriedOrder{string(stratification.OrderFailed), out.Retries - 1}
		if err := tx.Audit.Add(ctx, entry.Of(audit.Update, access.StratificationOrders.Name, out.ID, audit.Diff(&before, &retriedOrder{string(out.Status), out.Retries}))); err != nil {
			return err
		}
		return tx.Jobs.Enqueue(ctx, orderJobOf(out, now))
	})
	return out, err
}

// reopenOrder takes a failed order up again under its lock, and holds its charge anew.
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
