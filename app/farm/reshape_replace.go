package farm

import (
	"context"
	"strconv"
	"time"

	"tilth/app"
	"tilth/app/satellite"
	"tilth/core/access"
	"tilth/core/audit"
	"tilth/core/credit"
	"tilth/core/event"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/core/list"
	"tilth/core/record"
	"tilth/core/vegetation"
	"tilth/ports"
)

// replacement describes the fields that replace others.
type replacement struct {
	action    audit.Action
	was, made []farm.Field
	agree     func(current farm.Field) error
	judge     func(old farmed) error                     // may refuse because of what was grown; nil: it does not
	cultivate func(old farmed) []sownOn                  // returns what was grown, on the new fields
	land      func(of, made []credit.Land) []credit.Land // returns what a company has paid for on the new fields
}

// farmed is what was grown on fields, and applied to it.
type farmed struct {
	cultivations   []farm.Cultivation
	fertilizations map[int64][]farm.Fertilization // by cultivation
}

// sownOn is a new cultivation on one of the new fields, with its applications.
type sownOn struct {
	field          int // its index among them
	cultivation    farm.Cultivation
	fertilizations []farm.Fertilization
}

// replace deletes fields and makes others from them, in one transaction, along with their dependent records, what was paid for, and the lineage.
func (r *Reshape) replace(ctx context.Context, who access.Principal, p replacement) ([]farm.Field, error) {
	changes := list.Map(p.made, func(f farm.Field) Change[farm.Field] { return Change[farm.Field]{After: f} })
	end, err := r.fields.Foresee(ctx, who, changes)
	if err != nil {
		return nil, err
	}
	now := r.deps.Clock.Now()
	return app.In(ctx, r.deps.Store.Write, func(ctx context.Context, tx ports.Repos) ([]farm.Field, error) {
		old, err := r.open(ctx, tx, who.Scope(false), p, now)
		if err != nil {
			return nil, err
		}
		areas := make(map[int64]int64, len(p.was))
		for i := range p.was {
			areas[p.was[i].ID] = p.was[i].AreaM2()
		}
		paid, err := tx.Wallet.LandOf(ctx, who.Scope(false), areas)
		if err != nil {
			return nil, err
		}
		if err := r.retire(ctx, tx, who, p, now); err != nil {
			return nil, err
		}
		made, err := r.fields.Settle(ctx, tx, who, changes, end, false)
		if err != nil {
			return nil, err
		}
		stored := make([]*farm.Field, len(made))
		for i := range made {
			if err := refusedPiece(i, len(made), made[i].Errors); err != nil {
				return nil, err
			}
			stored[i] = &made[i].Record
		}
		if err := r.descend(ctx, tx, who.Scope(false), p, stored, paid); err != nil {
			return nil, err
		}
		if err := r.grow(ctx, tx, who, p.cultivate(old), stored, now); err != nil {
			return nil, err
		}
		if err := tx.Outbox.Add(ctx, r.event(who, p, stored, now)); err != nil {
			return nil, err
		}
		return r.fields.reread(ctx, tx, who.Scope(false), stored)
	})
}

// foretell returns the fields that would be made, with the refusals that replace would raise as things stand; nothing is stored.
func (r *Reshape) foretell(ctx context.Context, who access.Principal, p replacement) ([]farm.Field, error) {
	return p.made, r.deps.Store.Read(ctx, func(ctx context.Context, tx ports.Repos) error {
		_, err := r.grown(ctx, tx, who.Scope(false), p)
		return err
	})
}

// refusedPiece reports which piece has something wrong with it.
func refusedPiece(i, of int, errs fault.Fields) error {
	if len(errs) == 0 || of == 1 {
		return errs.Err()
	}
	piece, nested := fault.Fields{}, fault.Fields{}
	piece.Nest(strconv.Itoa(i), errs)
	nested.Nest("pieces", piece)
	return nested.Err()
}

// open locks the fields, after the wallet that paid for them, and returns what was grown on them. It refuses fields that have
// changed since they were read, and those with unfinished orders.
func (r *Reshape) open(ctx context.Context, tx ports.Repos, scope access.Scope, p replacement, now time.Time) (old farmed, err error) {
	ids := list.Map(p.was, func(f farm.Field) int64 { return f.ID })
	if _, err := satellite.LockPurse(ctx, tx, scope, now); err != nil {
		return old, err
	}
	current, err := tx.Fields.GetManyForUpdate(ctx, scope, ids)
	if err == nil {
		err = r.fields.allFound(ids, current)
	}
	if err != nil {
		return old, err
	}
	for i := range p.was {
		field := current[p.was[i].ID]
		if p.agree != nil {
			if err := p.agree(field); err != nil {
				return old, err
			}
		}
		if !field.UpdatedAt.Equal(p.was[i].UpdatedAt) {
			return old, fault.New(fault.Conflict, "field_changed", "The field was changed meanwhile. Fix: read it and send the request again.").With("fields", []int64{field.ID})
		}
	}
	return r.grown(ctx, tx, scope, p)
}

// grown returns what was grown on fields. It refuses fields with unfinished orders, and those that the replacement's judge refuses.
func (r *Reshape) grown(ctx context.Context, tx ports.Repos, scope access.Scope, p replacement) (old farmed, err error) {
	ids := list.Map(p.was, func(f farm.Field) int64 { return f.ID })
	open, err := satellite.OpenOfFields(ctx, tx, scope, ids)
	if err != nil {
		return old, err
	}
	if len(open) > 0 {
		return old, ordersOpen(open)
	}
	if old.cultivations, err = tx.Cultivations.OfFields(ctx, scope, ids); err != nil {
		return old, err
	}
	if old.fertilizations, err = applied(ctx, tx, scope, old.cultivations); err != nil {
		return old, err
	}
	if p.judge != nil {
		err = p.judge(old)
	}
	return old, err
}

// ordersOpen is the refusal of fields with unfinished orders: of profiles, and of maps.
func ordersOpen(open []vegetation.OrderRef) error {
	profiles, maps := []int64{}, []int64{}
	for _, one := range open {
		if one.Product == credit.VegetationIndexProfile {
			profiles = append(profiles, one.ID)
		} else {
			maps = append(maps, one.ID)
		}
	}
	return fault.New(fault.Conflict, "orders_open", "Orders for profiles or maps of the fields are not finished yet. Fix: wait until they are active or failed.").
		With("orders", profiles).With("map_orders", maps)
}

// applied returns the applications to cultivations, by cultivation.
func applied(ctx context.Context, tx ports.Repos, scope access.Scope, to []farm.Cultivation) (map[int64][]farm.Fertilization, error) {
	out := map[int64][]farm.Fertilization{}
	if len(to) == 0 {
		return out, nil
	}
	of := ports.Filter{Name: "cultivation", Value: list.Map(to, func(c farm.Cultivation) int64 { return c.ID })}
	for one, err := range tx.Fertilizations.Each(ctx, scope, ports.Query{Filters: []ports.Filter{of}}) {
		if err != nil {
			return nil, err
		}
		out[one.Cultivation.ID] = append(out[one.Cultivation.ID], one)
	}
	return out, nil
}

// retire deletes the old fields, with what depends on them, and ends the versions of their boundaries.
func (r *Reshape) retire(ctx context.Context, tx ports.Repos, who access.Principal, p replacement, now time.Time) error {
	scope := who.Scope(false)
	was := make([]*farm.Field, len(p.was))
	for i := range p.was {
		was[i] = &p.was[i]
	}
	ids := list.Map(was, func(f *farm.Field) int64 { return f.ID })
	if err := tx.Boundaries.Close(ctx, scope, ids, now); err != nil {
		return err
	}
	if err := r.fields.rules.Remove(ctx, tx, scope, was, now); err != nil {
		return err
	}
	if _, err := tx.Fields.SoftDelete(ctx, scope, ids, now); err != nil {
		return err
	}
	by := audit.By(who, now)
	return tx.Audit.AddCascade(ctx, list.Map(was, func(f *farm.Field) audit.Entry { return r.fields.entry(by, p.action, f, nil) })...)
}

// descend stores the lineage of the new fields, and what companies have paid for on them.
func (r *Reshape) descend(ctx context.Context, tx ports.Repos, scope access.Scope, p replacement, made []*farm.Field, paid []credit.Land) error {
	var lineage []farm.Descent
	for _, f := range made {
		for i := range p.was {
			lineage = append(lineage, farm.Descent{From: p.was[i].ID, To: f.ID, Merged: p.action == Merge})
		}
	}
	if err := tx.Fields.PutLineage(ctx, scope, lineage); err != nil {
		return err
	}
	payers := map[int64]map[int64]credit.Land{}
	var companies []int64
	for _, one := range paid {
		if payers[one.CompanyID] == nil {
			payers[one.CompanyID], companies = map[int64]credit.Land{}, append(companies, one.CompanyID)
		}
		payers[one.CompanyID][one.FieldID] = one
	}
	var land []credit.Land
	for _, company := range companies {
		of := list.Map(p.was, func(f farm.Field) credit.Land {
			if one, ok := payers[company][f.ID]; ok {
				return one
			}
			return credit.Land{CompanyID: company, FieldID: f.ID, AreaM2: f.AreaM2()}
		})
		land = append(land, p.land(of, list.Map(made, func(f *farm.Field) credit.Land {
			return credit.Land{CompanyID: company, FieldID: f.ID, AreaM2: f.AreaM2()}
		}))...)
	}
	return tx.Wallet.PutLand(ctx, scope, land)
}

// grow stores what was grown on the old fields as grown on the new ones. It was allowed once: a crop that is no longer active
// stays.
func (r *Reshape) grow(ctx context.Context, tx ports.Repos, who access.Principal, sown []sownOn, made []*farm.Field, now time.Time) error {
	cultivations := make([]*farm.Cultivation, len(sown))
	for i := range sown {
		cultivations[i] = &sown[i].cultivation
		r.cultivations.begin(cultivations[i], who, now)
		cultivations[i].Field = record.Ref{ID: made[sown[i].field].ID, Name: made[sown[i].field].Name}
	}
	if len(sown) == 0 {
		return nil
	}
	if err := r.cultivations.insert(ctx, tx, who, cultivations); err != nil {
		return err
	}
	var fertilizations []*farm.Fertilization
	for i := range sown {
		for j := range sown[i].fertilizations {
			one := &sown[i].fertilizations[j]
			r.fertilizations.begin(one, who, now)
			one.Cultivation = record.Ref{ID: cultivations[i].ID}
			fertilizations = append(fertilizations, one)
		}
	}
	if len(fertilizations) == 0 {
		return nil
	}
	return r.fertilizations.insert(ctx, tx, who, fertilizations)
}

// event returns the event that announces that fields were replaced by others.
func (r *Reshape) event(who access.Principal, p replacement, made []*farm.Field, now time.Time) event.Event {
	of := func(f farm.Field) event.FieldRef { return event.FieldRef{Field: f.ID, FieldUUID: f.UUID} }
	out := event.Event{
		ID: r.deps.IDs.UUID(), Type: event.TypeFieldsMerged, CompanyID: who.CompanyID, At: now, Subject: "field/" + made[0].UUID,
		Data: event.FieldsReplaced{From: list.Map(p.was, of), To: list.Map(made, func(f *farm.Field) event.FieldRef { return of(*f) })},
	}
	if p.action == Split {
		out.Type, out.Subject = event.TypeFieldSplit, "field/"+p.was[0].UUID
	}
	return out
}
