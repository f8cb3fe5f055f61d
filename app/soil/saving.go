package soil

import (
	"cmp"
	"context"
	"fmt"

	"tilth/app"
	"tilth/app/external"
	"tilth/core/access"
	"tilth/core/audit"
	"tilth/core/credit"
	"tilth/core/fault"
	"tilth/core/record"
	"tilth/core/stratification"
	"tilth/core/stratification/zoning"
	"tilth/ports"
)

// saver holds what is needed to save maps and plans.
type saver app.Deps

// readyOrder returns an order whose layers exist and whose area of interest is unchanged. Faults:
// NotFound; Conflict (order_not_active, aoi_changed).
func readyOrder(ctx context.Context, tx ports.Repos, scope access.Scope, orderID int64) (stratification.OrderState, error) {
	order, err := tx.StratificationOrders.Get(ctx, scope, orderID)
	if err != nil {
		return order, err
	}
	if order.MapType == credit.ServiceSOC {
		return order, fault.Field("order",
			fmt.Sprintf("Order %d is for a map of soil carbon; maps of zones are made from an order for STR.", orderID))
	}
	if order.Status != stratification.OrderActive {
		return order, fault.Newf(fault.Conflict, "order_not_active", "Order %d is %s; maps are made from an active order.", orderID, order.Status).
			With("status", string(order.Status))
	}
	aoi, err := tx.AOIs.Get(ctx, scope, order.AOI.ID)
	if err != nil {
		return order, err
	}
	land, err := Land(ctx, tx, scope, aoi)
	if err != nil {
		return order, err
	}
	if changed := order.Changed(land); len(changed) > 0 {
		return order, fault.New(fault.Conflict, "aoi_changed",
			"The area of interest is not the one that was ordered: fields were added or removed, or have another boundary. Existing maps stay; for new ones place a new order.").
			With("field_uuids", changed)
	}
	return order, nil
}

// saving is a map or plan to be saved.
type saving struct {
	what      string // "map" or "plan"
	resource  string // in the audit trail
	id, order int64
	saved     **zoning.Saving // the record's own
	as        SaveAs
	ownName   string
	ownTag    string
	keys      ports.Keyed
	store     func() error
}

// SaveAs is the name and tag under which a map or plan is saved; if empty, its own.
type SaveAs struct {
	Name, Tag string
	record.External
}

// savedAs is the form in which the audit trail records a saving.
type savedAs struct {
	Order      int64
	Name, Tag  string
	ExternalID string
	Source     string
}

func (r saving) audited(s zoning.Saving) *savedAs {
	return &savedAs{r.order, s.Name, s.Tag, s.ExternalID, s.Source}
}

// save stores a record with a name and a tag. One that already has them stays as it is, except for its key in another
// system. Faults: Conflict (tag_taken, map_saved, plan_saved, duplicate_external_id).
func (d saver) save(ctx context.Context, tx ports.Repos, who access.Principal, r saving) error {
	if was := *r.saved; was != nil {
		if r.as.Name != "" && r.as.Name != was.Name || r.as.Tag != "" && r.as.Tag != was.Tag {
			return fault.Newf(fault.Conflict, r.what+"_saved", "The %s is saved as %q with the tag %q; saved %ss do not change.", r.what, was.Name, was.Tag, r.what)
		}
		return d.rekey(ctx, tx, who, r)
	}
	as := &zoning.Saving{Name: cmp.Or(r.as.Name, r.ownName), At: d.Clock.Now(), By: who.UserID, External: r.as.External}
	*r.saved = as
	if err := external.Take(ctx, r.keys, who.Scope(false), external.Wish{Noun: r.what, Is: as.External}); err != nil {
		return err
	}
	if err := withFreeTag(r.as.Tag, r.ownTag, func(tag string) error {
		as.Tag = tag
		return r.store()
	}); err != nil {
		return err
	}
	return tx.Audit.Add(ctx, audit.By(who, as.At).Of(audit.Create, r.resource, r.id, audit.Diff(nil, r.audited(*as))))
}

// rekey stores the key of a saved record in another system; without one the record keeps its own.
func (d saver) rekey(ctx context.Context, tx ports.Repos, who access.Principal, r saving) error {
	was := **r.saved
	if r.as.External == was.External || r.as.External == (record.External{}) {
		return nil
	}
	(*r.saved).External = r.as.External
	if err := external.Take(ctx, r.keys, who.Scope(false), external.Wish{Noun: r.what, ID: r.id, Was: was.External, Is: r.as.External}); err != nil {
		return err
	}
	if err := r.store(); err != nil {
		return err
	}
	return tx.Audit.Add(ctx, audit.By(who, d.Clock.Now()).Of(audit.Update, r.resource, r.id, audit.Diff(r.audited(was), r.audited(**r.saved))))
}

// maxName bounds the name of a map or plan, in characters.
const maxName = 255

// checkSaving refuses an invalid name or tag.
func checkSaving(parameter string, as SaveAs) error {
	f := zoning.CheckTag(parameter, as.Tag)
	f.Text("name", as.Name, maxName)
	as.External.Check(f)
	return f.Err()
}

// maxTags is the number of tags tried for a record that is saved without one.
const maxTags = 1000

// withFreeTag saves under the first tag that nothing else of the order has: only the given one or,
// without it, the rule's, or that with a number appended.
func withFreeTag(given, rule string, save func(tag string) error) error {
	if given != "" {
		return save(given)
	}
	var err error
	for n := 1; n <= maxTags; n++ {
		tag := rule
		if n > 1 {
			tag = fmt.Sprintf("%s-%d", rule, n)
		}
		err = save(tag)
		if known, ok := fault.As(err); !ok || known.Code != "tag_taken" {
			return err
		}
	}
	return err
}
