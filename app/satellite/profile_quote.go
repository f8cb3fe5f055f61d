package satellite

import (
	"context"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/credit"
	"tilth/core/fault"
	"tilth/core/vegetation"
	"tilth/ports"
)

// ProfileQuote is what an order would cost, and whether there is one already.
type ProfileQuote struct {
	Charge         credit.Amount // what placing the order would hold now
	Available      credit.Amount
	AlreadyCharged bool                   // the field was charged before, for whatever product
	Duplicate      *vegetation.OrderState // the open or active order of the field and season
}

// Quote says what an order would cost. It writes nothing. The charge is 0 for a field that
// was charged already or is held for by an open order, and for an order that is there.
// Faults: those of [Orders.Place] for what is asked for; credit that does not suffice is none.
func (o *Profiles) Quote(ctx context.Context, who access.Principal, req ProfileRequest) (ProfileQuote, error) {
	scope := who.Scope(false)
	return app.Read(ctx, o.deps, who, access.ProfileOrders.Create, func(ctx context.Context, tx ports.Repos) (out ProfileQuote, err error) {
		out = ProfileQuote{}
		draft, err := o.draft(ctx, tx, who, req, o.deps.Clock.Now())
		if err != nil {
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
		out.Charge = credit.Charge(perHa, draft.AreaM2)
		return out, err
	})
}
