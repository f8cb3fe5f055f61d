package satellite

import (
	"context"
	"time"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/batch"
	"tilth/core/fault"
	"tilth/core/vegetation"
	"tilth/ports"
)

// MaxBatch is the number of orders that are placed at once.
const MaxBatch = 1000

// Placed is what became of one order of a batch.
type Placed struct {
	Verdict batch.Outcome // create, skip for one that is there, fail
	OrderID int64         // 0 where it failed
	Code    string        // why it was skipped or failed
	Message string
	Errors  fault.Fields // what was wrong where
}

// PlaceMany places up to [MaxBatch] orders in one transaction, each as Place does, and says of each what became of
// it: one that is refused leaves the others alone. Credit is held in the order of the requests. Faults: Invalid for
// too many.
func (o *Profiles) PlaceMany(ctx context.Context, who access.Principal, reqs []ProfileRequest) ([]Placed, error) {
	if len(reqs) > MaxBatch {
		return nil, fault.Field(fault.NonField, "At most 1000 orders are placed at once.")
	}
	now := o.Clock.Now()
	return app.Write(ctx, o.Deps, who, access.ProfileOrders.Create, func(ctx context.Context, tx ports.Repos) ([]Placed, error) {
		out := make([]Placed, len(reqs))
		for i, req := range reqs {
			wanted, err := o.admit(ctx, tx, who, req, now)
			if refused, ok := refusal(err); ok {
				out[i] = refused
				continue
			}
			if err != nil {
				return nil, err
			}
			if out[i] = (Placed{Verdict: batch.Skip, OrderID: wanted.order.State().ID, Code: "order_open", Message: "The order is there and waits for its series."}); wanted.there {
				continue
			}
			placed, err := o.book(ctx, tx, who, wanted)
			if err != nil {
				return nil, err
			}
			out[i] = Placed{Verdict: batch.Create, OrderID: placed.ID}
		}
		return out, nil
	})
}

// refusal returns what an order is refused with, before anything of it was written.
func refusal(err error) (Placed, bool) {
	f, ok := fault.As(err)
	if !ok {
		return Placed{}, false
	}
	switch f.Kind {
	case fault.Invalid, fault.NotFound, fault.PaymentRequired:
		return Placed{Verdict: batch.Fail, Code: f.Code, Message: f.Message, Errors: f.Fields}, true
	case fault.Conflict:
		id, ok := f.Details["order_id"].(int64)
		return Placed{Verdict: batch.Skip, OrderID: id, Code: f.Code, Message: f.Message}, ok
	}
	return Placed{}, false
}

// admitted is an order that may be placed, and has not been.
type admitted struct {
	purse Purse
	fresh vegetation.OrderState
	order vegetation.Order // that of before, if there is one
	there bool             // it is open: there is nothing to place
	known bool             // it had failed, and is taken up again
	due   owed
}

// admit checks an order in full, with its credit, and writes nothing. Faults: as [Profiles.Place].
func (o *Profiles) admit(ctx context.Context, tx ports.Repos, who access.Principal, req ProfileRequest, now time.Time) (a admitted, err error) {
	scope := who.Scope(false)
	if a.fresh, err = o.draft(ctx, tx, who, req, now); err != nil {
		return a, err
	}
	perHa, err := profilePrice(ctx, tx) // before the lock, which orders of one company wait for
	if err != nil {
		return a, err
	}
	if a.purse, err = LockPurse(ctx, tx, scope, now); err != nil {
		return a, err
	}
	existing, err := tx.Orders.FindForUpdate(ctx, scope, a.fresh.FieldID, a.fresh.SeasonID)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return a, err
	}
	if err == nil {
		a.order, a.known = vegetation.RehydrateOrder(existing), true
		switch {
		case existing.Status == vegetation.Active:
			return a, a.order.Duplicate()
		case a.order.Open():
			a.there = true
			return a, nil
		}
	}
	if a.due, err = dueFor(ctx, a.purse, a.fresh, perHa); err != nil {
		return a, err
	}
	return a, a.purse.Afford(a.due.amount)
}
