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

// ProfileQuote is what an order would cost, and whether there is one already.
type ProfileQuote struct {
	Charge         credit.Amount // what placing the order would hold now
	Available      credit.Amount
	AlreadyCharged bool                   // the field was charged before, for whatever product
	Duplicate      *vegetation.OrderState // the open or active order of the field and season
	// Scenes is how many scenes of the archive cover the field in the season so far or, where it has not begun, in
	// the year before now; nil where the archive did not answer in time. Without any an order brings no point.
	Scenes *int
}

// Archive is the imagery archive as far as a quote asks it.
type Archive interface {
	// CountScenes returns how many scenes cover a field in the days from and to, both inclusive.
	CountScenes(ctx context.Context, boundary geo.MultiPolygon, from, to time.Time) (int, error)
}

// QuoteWait is how long a quote waits for the archive.
const QuoteWait = 5 * time.Second

// Quote says what an order would cost. It writes nothing. The charge is 0 for a field that
// was charged already or is held for by an open order, and for an order that is there.
// Faults: those of [Orders.Place] for what is asked for; credit that does not suffice is none.
func (o *Profiles) Quote(ctx context.Context, who access.Principal, req ProfileRequest) (ProfileQuote, error) {
	scope, draft := who.Scope(false), vegetation.OrderState{}
	out, err := app.Read(ctx, o.Deps, who, access.ProfileOrders.Create, func(ctx context.Context, tx ports.Repos) (out ProfileQuote, err error) {
		out = ProfileQuote{}
		if draft, err = o.draft(ctx, tx, who, req, o.Clock.Now()); err != nil {
			return out, err
		}
		wallet, err := tx.Wallet.Get(ctx, scope)
		if err != nil {
			return out, err
		}
		out.Available = wallet.Available()
		existing, err := tx.Orders.Find(ctx, scope, draft.FieldID, draft.SeasonID)
		if err != nil && !fault.Is(err, fault.NotFound) {
			return out, err
		}
		if err == nil && existing.Status != vegetation.Failed {
			out.Duplicate = &existing
		}
		charge, err := tx.Wallet.FieldCharge(ctx, scope, draft.FieldID)
		if !fault.Is(err, fault.NotFound) { // held or captured: another order of the field takes none
			out.AlreadyCharged = charge.Captured
			return out, err
		}
		if out.Duplicate != nil {
			return out, nil
		}
		perHa, err := profilePrice(ctx, tx)
		if err != nil {
			return out, err
		}
		out.Charge, err = freshCharge(ctx, tx, scope, draft, perHa)
		return out, err
	})
	if err == nil {
		out.Scenes = o.scenes(ctx, draft)
	}
	return out, err
}

// scenes asks the archive how many scenes a quoted order would find; nil where it does not say.
func (o *Profiles) scenes(ctx context.Context, draft vegetation.OrderState) *int {
	if o.Archive == nil {
		return nil
	}
	from, to, today := draft.StartDate, draft.EndDate, o.Clock.Now().UTC().Truncate(24*time.Hour)
	if from.After(today) {
		from, to = today.AddDate(-1, 0, 0), today
	}
	ctx, stop := context.WithTimeout(ctx, QuoteWait)
	defer stop()
	n, err := o.Archive.CountScenes(ctx, draft.Boundary, from, to)
	if err != nil {
		return nil
	}
	return &n
}
