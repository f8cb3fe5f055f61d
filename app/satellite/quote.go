package satellite

import (
	"context"
	"time"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/credit"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/vegetation"
	"tilth/ports"
)

// Quote is the cost of an order, and whether there already is one.
type Quote struct {
	Charge         credit.Amount // the amount that placing the order would hold now
	Available      credit.Amount
	AlreadyCharged bool                   // the field was charged before, for whatever product
	Duplicate      *vegetation.OrderState // the open or active order that asks for the same
	// Scenes is the number of scenes in the archive that cover the field in the season so far or, if it has not begun,
	// in the past year; nil if the archive did not answer in time. If there are none, an order yields no point.
	Scenes *int
}

// Archive is the part of the imagery archive that a quote needs.
type Archive interface {
	// CountScenes returns the number of scenes that cover a field in the days from and to, both inclusive.
	CountScenes(ctx context.Context, boundary geo.MultiPolygon, from, to time.Time) (int, error)
}

// QuoteWait is the time that a quote waits for the archive.
const QuoteWait = 5 * time.Second

// quote returns what an order would cost. It writes nothing.
func (d desk) quote(ctx context.Context, who access.Principal, make draft) (Quote, error) {
	scope, wanted := who.Scope(false), vegetation.OrderState{}
	out, err := app.Read(ctx, d.Deps, who, d.access.Create, func(ctx context.Context, tx ports.Repos) (out Quote, err error) {
		out = Quote{}
		if wanted, err = drafted(ctx, tx, make, d.Clock.Now()); err != nil {
			return out, err
		}
		wallet, err := tx.Wallet.Get(ctx, scope)
		if err != nil {
			return out, err
		}
		out.Available = wallet.Available()
		existing, err := d.find(ctx, tx, scope, wanted)
		if err != nil && !fault.Is(err, fault.NotFound) {
			return out, err
		}
		if err == nil && existing.Status != vegetation.Failed {
			out.Duplicate = &existing
		}
		charge, err := tx.Wallet.FieldCharge(ctx, scope, wanted.Site())
		if !fault.Is(err, fault.NotFound) { // held or captured: another order of the field holds nothing
			out.AlreadyCharged = charge.Captured
			return out, err
		}
		if out.Duplicate != nil {
			return out, nil
		}
		perHa, err := d.price(ctx, tx)
		if err != nil {
			return out, err
		}
		out.Charge, err = freshCharge(ctx, tx, scope, wanted, perHa)
		return out, err
	})
	if err == nil {
		out.Scenes = d.scenes(ctx, wanted)
	}
	return out, err
}

// scenes asks the archive how many scenes a quoted order would find; nil if it does not answer.
func (d desk) scenes(ctx context.Context, drafted vegetation.OrderState) *int {
	if d.archive == nil || drafted.Timeless() {
		return nil
	}
	from, to, today := drafted.StartDate, drafted.EndDate, d.Clock.Now().UTC().Truncate(24*time.Hour)
	if from.After(today) {
		from, to = today.AddDate(-1, 0, 0), today
	}
	ctx, stop := context.WithTimeout(ctx, QuoteWait)
	defer stop()
	n, err := d.archive.CountScenes(ctx, drafted.Boundary, from, to)
	if err != nil {
		return nil
	}
	return &n
}
