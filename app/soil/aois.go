package soil

import (
	"context"
	"fmt"
	"time"

	"tilth/app"
	farmapp "tilth/app/farm"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/core/record"
	"tilth/core/stratification"
	"tilth/ports"
)

// AOIs holds the use cases of areas of interest. All of them need a subscription.
type AOIs struct {
	*farmapp.Records[stratification.AOI]
	deps app.Deps
}

// NewAOIs makes the use cases.
func NewAOIs(deps app.Deps) *AOIs {
	return &AOIs{deps: deps, Records: farmapp.NewRecords(deps, farmapp.Rules[stratification.AOI]{
		Access: access.AOIs,
		Repo:   func(tx ports.Repos) ports.Records[stratification.AOI] { return tx.AOIs },
		Meta:   func(r *stratification.AOI) *record.Meta { return &r.Meta },
		Check:  (*stratification.AOI).Check,
		Init:   func(r *stratification.AOI, ids ports.IDs) { r.UUID = ids.UUID() },
		Relate: relateAOIs,
		Change: func(_ context.Context, _ ports.Repos, _ access.Scope, before, after *stratification.AOI) error {
			after.UUID = before.UUID
			return nil
		},
		Remove: removeAOIs,
	})}
}

func removeAOIs(ctx context.Context, tx ports.Repos, scope access.Scope, records []*stratification.AOI, at time.Time) error {
	for _, r := range records {
		open, err := tx.StratificationOrders.OpenOf(ctx, scope, r.ID)
		if err == nil {
			err = FailOrders(ctx, tx, scope, open, at, "The area of interest was deleted.")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Resolve returns the id of an area of interest by its uuid, deleted or not, to a caller who has the
// permission for what is to be done with it. Faults: NotFound.
func (a *AOIs) Resolve(ctx context.Context, who access.Principal, shared bool, need access.Permission, uuid string) (int64, error) {
	return app.Read(ctx, a.deps, who, need, func(ctx context.Context, tx ports.Repos) (int64, error) {
		return tx.AOIs.IDOf(ctx, who.Scope(shared), uuid)
	})
}

// relateAOIs finds the fields of areas of interest: the company's own, live, with a boundary,
// and near enough to each other.
func relateAOIs(ctx context.Context, tx ports.Repos, scope access.Scope, records []*stratification.AOI) ([]fault.Fields, error) {
	var uuids []string
	for _, r := range records {
		uuids = append(uuids, r.FieldUUIDs()...)
	}
	found, err := tx.Fields.GetManyByUUID(ctx, scope, uuids)
	out := make([]fault.Fields, len(records))
	for i, r := range records {
		out[i] = fault.Fields{}
		var land []stratification.Land
		for j := range r.Fields {
			uuid := r.Fields[j].UUID
			switch field, ok := found[uuid]; {
			case !ok:
				out[i].Add("field_uuids", fmt.Sprintf("No field of your company has the uuid %q.", uuid))
			case field.Boundary == nil:
				out[i].Add("field_uuids", fmt.Sprintf("The field %s has no boundary; give it one first.", uuid))
			default:
				r.Fields[j].ID = field.ID
				land = append(land, stratification.Land{FieldID: field.ID, FieldUUID: uuid, Geometry: field.Boundary.Geometry()})
			}
		}
		if len(out[i]) == 0 {
			out[i].Merge(stratification.CheckReach(land))
		}
	}
	return out, err
}
