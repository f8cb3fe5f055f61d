package rounds

import (
	"context"

	"tilth/core/access"
	"tilth/core/geo"
	"tilth/core/stratification/frame"
	"tilth/core/stratification/sample"
	"tilth/ports"
)

// WithLand adds the fields of a round's plan with their farms and the points in them, for estimates by field and
// farm. Names are the present ones; a field that is gone is shown by its uuid. Faults: NotFound.
func WithLand(ctx context.Context, tx ports.Repos, scope access.Scope, round *sample.Round) error {
	whole, err := tx.SamplePlans.ByUUID(ctx, scope, round.Plan.Plan.PlanUUID, true)
	if err != nil {
		return err
	}
	round.Plan = whole
	order, err := tx.StratificationOrders.Get(ctx, scope, whole.OrderID)
	if err != nil {
		return err
	}
	ids := make([]int64, len(order.Land))
	for i, l := range order.Land {
		ids[i] = l.FieldID
	}
	fields, err := tx.Fields.GetMany(ctx, scope, ids)
	if err != nil {
		return err
	}
	var owners []int64
	for _, f := range fields {
		owners = append(owners, f.Farm.ID)
	}
	farms, err := tx.Farms.GetMany(ctx, scope, owners)
	if err != nil {
		return err
	}
	round.Land = make([]sample.Land, len(order.Land))
	for i, l := range order.Land {
		land := sample.Land{FieldUUID: l.FieldUUID, FieldName: l.FieldUUID, AreaHa: geo.AreaM2(l.Geometry) / frame.M2PerHectare}
		if f, ok := fields[l.FieldID]; ok {
			land.FieldName = f.Name
			land.FarmID, land.FarmName = f.Farm.ID, farms[f.Farm.ID].Name
		}
		round.Land[i] = land
	}
	return nil
}
