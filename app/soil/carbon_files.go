package soil

import (
	"context"
	"fmt"
	"io"
	"slices"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/effort"
	"tilth/core/fault"
	"tilth/core/stratification"
	"tilth/core/stratification/frame"
	"tilth/core/stratification/plan"
	"tilth/core/stratification/zoning"
	"tilth/ports"
)

// CarbonMap returns an order with the map of soil carbon that it made. Faults: NotFound, also for an order
// of another map type; Conflict (order_not_active).
func (o *Orders) CarbonMap(ctx context.Context, who access.Principal, id int64) (stratification.OrderState, error) {
	order, err := o.Retrieve(ctx, who, id)
	switch {
	case err != nil:
	case order.Carbon == nil:
		err = fault.Missing("map of soil carbon")
	case order.Status != stratification.OrderActive:
		err = fault.Newf(fault.Conflict, "order_not_active", "Order %d is %s; its map is made when it is active.", id, order.Status).With("status", string(order.Status))
	}
	return order, err
}

// CarbonFile returns the map of soil carbon of an order: svg or png as a picture in a layout, else as a file of that
// format. Faults: those of CarbonMap.
func (f *MapFiles) CarbonFile(ctx context.Context, who access.Principal, id int64, format, layout string) (MapFile, error) {
	order, err := f.Orders.CarbonMap(ctx, who, id)
	if err != nil {
		return MapFile{}, err
	}
	m := *order.Carbon
	scope := who.Scope(false)
	of, on, err := f.Plans.ground(ctx, scope, m.ZonesUUID)
	if err != nil {
		return MapFile{}, err
	}
	sampled, err := app.In(ctx, f.Maps.Store.Read, func(ctx context.Context, tx ports.Repos) (plan.SamplePlan, error) {
		return tx.SamplePlans.ByUUID(ctx, scope, m.PlanUUID, false)
	})
	if err != nil {
		return MapFile{}, err
	}
	strata, err := sampled.Plan.Strata(effort.Of(ctx, 0), on, &of.Candidate.Zoning)
	if err == nil && m.Edge {
		err = outlineStrata(effort.Of(ctx, 0), on, &of.Candidate.Zoning, strata)
	}
	if err != nil {
		return MapFile{}, err
	}
	shown := ports.ShownCarbon{Carbon: m, Frame: on, Strata: strata}
	if shown.ShownMap, err = f.shown(ctx, who, of, order); err != nil {
		return MapFile{}, err
	}
	shown.Layout = layout
	shown.Stem = fmt.Sprintf("%s-soc-%g-%g-r%d", fileName(of.AOI), m.FromCm, m.ToCm, m.Round)
	return MapFile{Stem: shown.Stem, Write: func(w io.Writer) error {
		if picture(format) {
			return f.Pictures.DrawCarbon(ctx, w, format, shown)
		}
		return f.Exports.WriteCarbon(w, format, shown)
	}}, nil
}

// outlineStrata sets the outlines of zones to those in which they were sampled, without the strip along their edges, and
// appends the strip after them.
func outlineStrata(budget *effort.Budget, on *frame.Frame, z *zoning.Zoning, strata []int32) error {
	k := len(z.Zones)
	outlines := frame.NewOutliner(on).Outlines(budget, strata, k+1)
	z.Zones = append(slices.Clone(z.Zones), zoning.Zone{Number: k + 1})
	for h, outline := range outlines {
		shown, err := on.RoundedOutline(budget, outline)
		if err != nil {
			return err
		}
		z.Zones[h].Outline, z.Zones[h].Geometry = outline, shown
	}
	return budget.Err()
}
