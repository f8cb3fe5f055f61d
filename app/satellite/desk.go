package satellite

import (
	"context"
	"time"

	"tilth/app"
	"tilth/app/external"
	"tilth/app/task"
	"tilth/core/access"
	"tilth/core/audit"
	"tilth/core/credit"
	"tilth/core/fault"
	"tilth/core/record"
	"tilth/core/vegetation"
	"tilth/ports"
)

// desk accepts the orders of one product.
type desk struct {
	app.Deps
	product
	archive Archive // may be nil where nothing is quoted
}

// draft makes the order that a request asks for, after checking its field and season.
type draft func(ctx context.Context, tx ports.Repos, now time.Time) (vegetation.OrderState, error)

// place accepts an order: it is processing, its charge is held and its job queued, in one transaction. If the
// same order is already open, it is returned as it is; a failed one is resumed. Faults: those of the draft,
// PaymentRequired (insufficient_credit), Conflict (duplicate_profile, duplicate_map).
func (d desk) place(ctx context.Context, who access.Principal, make draft) (vegetation.OrderState, error) {
	now := d.Clock.Now()
	return app.Write(ctx, d.Deps, who, d.access.Create, func(ctx context.Context, tx ports.Repos) (vegetation.OrderState, error) {
		fresh, err := drafted(ctx, tx, make, now)
		if err != nil {
			return vegetation.OrderState{}, err
		}
		if placed, done, err := d.placeNew(ctx, tx, who, fresh); done || err != nil {
			return placed, err
		}
		wanted, err := d.admit(ctx, tx, who, fresh, now)
		switch {
		case err != nil:
			return wanted.order.State(), err
		case wanted.there:
			return wanted.order.State(), d.rekey(ctx, tx, who, wanted)
		}
		return d.book(ctx, tx, who, wanted)
	})
}

// placeNew places an order that the company has not placed before, and reports whether it was one. It locks the wallet last,
// so that orders of a company wait for each other only while they are charged. Faults: PaymentRequired.
func (d desk) placeNew(ctx context.Context, tx ports.Repos, who access.Principal, fresh vegetation.OrderState) (out vegetation.OrderState, done bool, err error) {
	scope := who.Scope(false)
	if fresh.ExternalID != "" {
		return out, false, nil // keys of other systems are taken under a lock, which comes after that of the wallet
	}
	perHa, err := d.price(ctx, tx)
	if err != nil {
		return out, false, err
	}
	order, err := vegetation.NewOrder(fresh)
	if err != nil {
		return out, false, err
	}
	out = order.State()
	if err := d.repo(tx).Insert(ctx, scope, &out); err != nil {
		if known, ok := fault.As(err); ok && known.Code == "order_exists" {
			return out, false, nil
		}
		return out, false, err
	}
	if err := d.record(ctx, tx, who, audit.Create, out); err != nil {
		return out, false, err
	}
	return out, true, d.charge(ctx, tx, scope, out, perHa)
}

// charge holds what is due for a new order, which nobody else can see yet. Its field is claimed before the wallet is locked:
// whoever claims it pays for it, and nothing more has to be looked up under the lock. Faults: PaymentRequired.
func (d desk) charge(ctx context.Context, tx ports.Repos, scope access.Scope, order vegetation.OrderState, perHa credit.Amount) error {
	amount, err := freshCharge(ctx, tx, scope, order, perHa)
	if err != nil {
		return err
	}
	claimed, err := tx.Wallet.ClaimFieldCharge(ctx, scope, chargeFor(order, amount))
	if err != nil {
		return err
	}
	purse, err := LockPurse(ctx, tx, scope, order.CreatedAt)
	if err != nil {
		return err
	}
	if claimed {
		return post(ctx, purse, credit.Hold, amount, order)
	}
	due, err := dueFor(ctx, purse, order, perHa) // an existing charge may have been released meanwhile
	if err != nil {
		return err
	}
	return hold(ctx, purse, order, due)
}

// admitted is an order that may be placed, but has not been.
type admitted struct {
	purse Purse
	fresh vegetation.OrderState
	order vegetation.Order // the existing order, if there is one
	there bool             // it is open: there is nothing to place
	known bool             // it had failed, and is resumed
	was   record.External  // its previous key in another system
	due   owed
}

// admit checks an order in full, including its credit, and writes nothing. Faults: as place.
func (d desk) admit(ctx context.Context, tx ports.Repos, who access.Principal, fresh vegetation.OrderState, now time.Time) (a admitted, err error) {
	scope := who.Scope(false)
	a.fresh = fresh
	perHa, err := d.price(ctx, tx) // before the lock, which orders of one company wait for
	if err != nil {
		return a, err
	}
	if a.purse, err = LockPurse(ctx, tx, scope, now); err != nil {
		return a, err
	}
	existing, err := d.findForUpdate(ctx, tx, scope, a.fresh)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return a, err
	}
	if err == nil {
		a.order, a.known, a.was = vegetation.RehydrateOrder(existing), true, existing.External
		if existing.Status == vegetation.Active {
			return a, a.order.Duplicate()
		}
	}
	if err := external.Take(ctx, d.repo(tx), scope, external.Wish{Noun: "order", ID: existing.ID, Was: existing.External, Is: a.fresh.External}); err != nil {
		return a, err
	}
	if a.known {
		a.order.TakeOrigin(a.fresh.External, now)
		if a.there = a.order.Open(); a.there {
			return a, nil
		}
	}
	if a.due, err = dueFor(ctx, a.purse, a.fresh, perHa); err != nil {
		return a, err
	}
	return a, a.purse.Afford(a.due.amount)
}

// drafted returns a draft, after the checks that apply to every one.
func drafted(ctx context.Context, tx ports.Repos, make draft, now time.Time) (vegetation.OrderState, error) {
	s, err := make(ctx, tx, now)
	if err != nil {
		return s, err
	}
	f := fault.Fields{}
	s.External.Check(f)
	return s, f.Err()
}

// rekey stores an existing order's key in another system, if the request named one.
func (d desk) rekey(ctx context.Context, tx ports.Repos, who access.Principal, a admitted) error {
	is := a.order.State()
	if is.External == a.was {
		return nil
	}
	if err := d.repo(tx).Update(ctx, a.purse.Scope, is); err != nil {
		return err
	}
	return tx.Audit.Add(ctx, audit.By(who, a.purse.Now).Of(audit.Update, d.access.Name, is.ID, audit.Diff(&a.was, &is.External)))
}

// book stores an admitted order, holds its charge and queues its job.
func (d desk) book(ctx context.Context, tx ports.Repos, who access.Principal, a admitted) (out vegetation.OrderState, err error) {
	now, action := a.purse.Now, audit.Create
	if a.known {
		action = Reorder
		if err := a.order.Revive(now, a.fresh); err != nil {
			return out, err
		}
		out = a.order.State()
		err = d.repo(tx).Update(ctx, a.purse.Scope, out)
	} else {
		if a.order, err = vegetation.NewOrder(a.fresh); err != nil {
			return out, err
		}
		out = a.order.State()
		err = d.repo(tx).Insert(ctx, a.purse.Scope, &out)
	}
	if err != nil {
		return out, err
	}
	if err := hold(ctx, a.purse, out, a.due); err != nil {
		return out, err
	}
	return out, d.record(ctx, tx, who, action, out)
}

// record writes a placed order to the audit trail and queues its job.
func (d desk) record(ctx context.Context, tx ports.Repos, who access.Principal, action audit.Action, order vegetation.OrderState) error {
	entry := audit.By(who, order.UpdatedAt).Of(action, d.access.Name, order.ID, audit.Diff(nil, placedOf(order)))
	if err := tx.Audit.Add(ctx, entry); err != nil {
		return err
	}
	return tx.Jobs.Enqueue(ctx, task.JobOn(d.job, order.CompanyID, order.ID, order.UpdatedAt))
}

// fieldFor completes the draft of an order with a field for which the company may order. Faults: Invalid (field_uuid).
func (d desk) fieldFor(ctx context.Context, tx ports.Repos, uuid string, s *vegetation.OrderState) error {
	land := d.land(s.CompanyID)
	field, err := tx.Fields.GetByUUID(ctx, land, uuid)
	if fault.Is(err, fault.NotFound) {
		return fault.Field("field_uuid", "No field of your company has this uuid, nor one that is shared with it for orders.")
	}
	if err != nil {
		return err
	}
	if field.Boundary == nil {
		return fault.Field("field_uuid", "This field has no boundary; give it one before ordering a "+d.thing()+".")
	}
	outline, err := tx.Boundaries.InForce(ctx, land, field.ID)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return err
	}
	s.FieldCompanyID, s.FieldID, s.FieldUUID = field.CompanyID, field.ID, field.UUID
	s.Boundary, s.BoundaryID, s.AreaM2 = field.Boundary.Geometry(), outline.ID, field.AreaM2()
	return nil
}

// begun returns the draft of an order that a caller places, without its place and dates.
func (d desk) begun(who access.Principal, reading vegetation.Reading, now time.Time) vegetation.OrderState {
	s := vegetation.OrderState{
		UUID: d.IDs.UUID(), CompanyID: who.CompanyID, Index: string(reading.Index), Mask: reading.Mask, Dataset: reading.Dataset,
		CreatedBy: who.UserID, CreatedAt: now, UpdatedAt: now,
	}
	if !d.isProfile() {
		s.Product = d.code
	}
	return s
}

// thing and word are the product's name for people, and the name of what an order of it waits for.
func (p product) thing() string {
	if p.isProfile() {
		return "profile"
	}
	return "map"
}

func (p product) word() string {
	if p.isProfile() {
		return "series"
	}
	return "map"
}

// Reorder is the action of resuming an order that had failed.
const Reorder audit.Action = "reorder"

// placedOrder is the form in which the audit trail records an order.
type placedOrder struct {
	Field              *access.Named
	Season             *access.Named
	Outline            *string
	Date               *time.Time
	IndexCode          string
	Mask, Dataset      string
	StartDate, EndDate time.Time
	AreaM2             int64
	record.External
}

func placedOf(s vegetation.OrderState) *placedOrder {
	named := func(id int64) *access.Named {
		if id == 0 {
			return nil
		}
		return &access.Named{ID: id}
	}
	var outline *string
	if s.Map.Outline != "" {
		outline = &s.Map.Outline
	}
	return &placedOrder{
		Field: named(s.FieldID), Season: named(s.SeasonID), Outline: outline, Date: s.Map.Day, IndexCode: s.Index, Mask: s.Mask.String(), Dataset: s.Dataset.String(),
		StartDate: s.StartDate, EndDate: s.EndDate, AreaM2: s.AreaM2, External: s.External,
	}
}
