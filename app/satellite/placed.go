package satellite

import (
	"context"
	"errors"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/batch"
	"tilth/core/credit"
	"tilth/core/fault"
	"tilth/ports"
)

// MaxBatch is the maximum number of orders placed at once.
const MaxBatch = 1000

// Placed is the outcome for one order of a batch.
type Placed struct {
	Verdict batch.Outcome // create, skip for an existing one, fail
	OrderID int64         // 0 if it failed, and in a preview of a new one
	Charge  credit.Amount // the amount held for it
	Code    string        // why it was skipped or failed
	Message string
	Errors  fault.Fields // what was wrong where
}

// refusal returns the refusal of an order, raised before anything of it was written.
func refusal(err error) (Placed, bool) {
	f, ok := fault.As(err)
	if !ok {
		return Placed{}, false
	}
	switch f.Kind {
	case fault.Invalid, fault.NotFound, fault.PaymentRequired:
		return Placed{Verdict: batch.Fail, Code: f.Code, Message: f.Message, Errors: f.Fields}, true
	case fault.Conflict:
		if f.Code == "duplicate_external_id" {
			return Placed{Verdict: batch.Fail, Code: f.Code, Message: f.Message}, true
		}
		id, ok := f.Details["order_id"].(int64)
		return Placed{Verdict: batch.Skip, OrderID: id, Code: f.Code, Message: f.Message}, ok
	}
	return Placed{}, false
}

// errPreview rolls back what a preview has placed.
var errPreview = errors.New("this was a preview")

// placeMany places orders in one transaction, each as place does: a refused one does not affect the others. A preview
// does the same, and rolls all of it back.
func (d desk) placeMany(ctx context.Context, who access.Principal, drafts []draft, preview bool) ([]Placed, error) {
	if len(drafts) > MaxBatch {
		return nil, fault.Field(fault.NonField, "At most 1000 orders are placed at once.")
	}
	var out []Placed
	now := d.Clock.Now()
	_, err := app.Write(ctx, d.Deps, who, d.access.Create, func(ctx context.Context, tx ports.Repos) (struct{}, error) {
		out = make([]Placed, len(drafts))
		for i, one := range drafts {
			var wanted admitted
			fresh, err := drafted(ctx, tx, one, now)
			if err == nil {
				wanted, err = d.admit(ctx, tx, who, fresh, now)
			}
			if refused, ok := refusal(err); ok {
				out[i] = refused
				continue
			}
			if err != nil {
				return struct{}{}, err
			}
			if out[i] = (Placed{Verdict: batch.Skip, OrderID: wanted.order.State().ID, Code: "order_open", Message: "The order already exists and is waiting for its " + d.word() + "."}); wanted.there {
				if err := d.rekey(ctx, tx, who, wanted); err != nil {
					return struct{}{}, err
				}
				continue
			}
			placed, err := d.book(ctx, tx, who, wanted)
			if err != nil {
				return struct{}{}, err
			}
			out[i] = Placed{Verdict: batch.Create, OrderID: placed.ID, Charge: wanted.due.amount}
		}
		if preview {
			return struct{}{}, errPreview
		}
		return struct{}{}, nil
	})
	if errors.Is(err, errPreview) {
		return unplaced(out), nil
	}
	return out, err
}

// unplaced returns the outcomes of orders without the ids of those that a preview rolled back.
func unplaced(placed []Placed) []Placed {
	back := map[int64]bool{}
	for _, p := range placed {
		back[p.OrderID] = back[p.OrderID] || p.Verdict == batch.Create
	}
	for i, p := range placed {
		if back[p.OrderID] {
			placed[i].OrderID = 0
		}
	}
	return placed
}
