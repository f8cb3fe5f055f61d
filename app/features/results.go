package features

import (
	"context"

	"tilth/app"
	"tilth/app/soil"
	"tilth/core/access"
	"tilth/core/farm"
	"tilth/core/stratification/plan"
	"tilth/core/stratification/sample"
	"tilth/core/stratification/zoning"
	"tilth/core/vegetation"
	"tilth/ports"
)

// Profile is an order with the newest value of its series; nil: it has none yet.
type Profile struct {
	vegetation.OrderState
	Field  string // name; empty where the field is deleted
	Latest *vegetation.Observation
}

// Profiles returns profile orders, in the outlines that their series cover.
func (f *Features) Profiles() *Collection[vegetation.OrderState, Profile] {
	need := access.ProfileOrders.View
	return &Collection[vegetation.OrderState, Profile]{
		deps: f.Deps, needs: []access.Permission{need}, word: "order", chunk: chunkOfLand, dated: true,
		list: listed(f.Deps, need, func(tx ports.Repos) ports.ProfileOrders { return tx.Orders }),
		get: func(ctx context.Context, tx ports.Repos, scope access.Scope, id int64) (vegetation.OrderState, error) {
			return tx.Orders.Get(ctx, scope, id)
		},
		features: func(ctx context.Context, tx ports.Repos, scope access.Scope, records []vegetation.OrderState) ([][]Feature[Profile], error) {
			var ids []int64
			for _, r := range records {
				ids = append(ids, r.FieldID)
			}
			fields := map[int64]farm.Field{}
			series, err := tx.Orders.SeriesOf(ctx, scope, records)
			if err == nil && len(ids) > 0 {
				fields, err = tx.Fields.GetBare(ctx, scope, ids)
			}
			latest := map[int64]*vegetation.Observation{}
			for _, s := range series {
				if n := len(s.Series.Observations); n > 0 {
					latest[s.Order.ID] = &s.Series.Observations[n-1]
				}
			}
			return one(records, func(r vegetation.OrderState) Feature[Profile] {
				return Feature[Profile]{ID: ID{Record: r.ID}, Outline: r.Boundary, Of: Profile{r, fields[r.FieldID].Name, latest[r.ID]}}
			}), err
		},
	}
}

// Samples returns samples, at the points where they were taken, or else where they are planned.
func (f *Features) Samples() *Collection[sample.Sample, sample.Sample] {
	need := access.Samples.View
	return &Collection[sample.Sample, sample.Sample]{
		deps: f.Deps, needs: []access.Permission{need}, word: "sample", chunk: chunkOfRecords, dated: true,
		list: listed(f.Deps, need, func(tx ports.Repos) ports.SoilSamples { return tx.SoilSamples }),
		get: func(ctx context.Context, tx ports.Repos, scope access.Scope, id int64) (sample.Sample, error) {
			return tx.SoilSamples.Get(ctx, scope, id)
		},
		features: func(_ context.Context, _ ports.Repos, _ access.Scope, records []sample.Sample) ([][]Feature[sample.Sample], error) {
			return one(records, func(r sample.Sample) Feature[sample.Sample] {
				out := Feature[sample.Sample]{ID: ID{Record: r.ID}, Place: &r.Planned, Of: r}
				if r.Collected != nil && r.Collected.LonLat != nil {
					out.Place = r.Collected.LonLat
				}
				return out
			}), nil
		},
	}
}

// Zone is a zone of a saved map.
type Zone struct {
	zoning.Zone
	Map *zoning.Map
}

// Zones returns the zones of saved maps.
func (f *Features) Zones() *Collection[zoning.Map, Zone] {
	maps := &soil.Maps{Deps: f.Deps}
	return &Collection[zoning.Map, Zone]{
		deps: f.Deps, needs: []access.Permission{access.StratificationMaps.View}, word: "zone", chunk: chunkOfDrafts, parts: true,
		list: func(ctx context.Context, who access.Principal, q ports.Query) (app.List[zoning.Map], error) {
			return maps.Saved(ctx, who, false, q, true)
		},
		get: func(ctx context.Context, tx ports.Repos, scope access.Scope, id int64) (zoning.Map, error) {
			return tx.StratificationMaps.GetSaved(ctx, scope, id, true)
		},
		features: func(_ context.Context, _ ports.Repos, _ access.Scope, records []zoning.Map) ([][]Feature[Zone], error) {
			out := make([][]Feature[Zone], len(records))
			for i := range records {
				for _, zone := range records[i].Candidate.Zones {
					out[i] = append(out[i], Feature[Zone]{ID: ID{records[i].ID, zone.Number}, Outline: zone.Geometry, Of: Zone{zone, &records[i]}})
				}
			}
			return out, nil
		},
	}
}

// Point is a point of a saved sample plan.
type Point struct {
	plan.Point
	Plan *plan.SamplePlan
}

// Points returns the points of saved sample plans, numbered by their order in the plan.
func (f *Features) Points() *Collection[plan.SamplePlan, Point] {
	plans := &soil.Plans{Deps: f.Deps}
	return &Collection[plan.SamplePlan, Point]{
		deps: f.Deps, needs: []access.Permission{access.SamplePlans.View}, word: "point", chunk: chunkOfDrafts, parts: true,
		list: func(ctx context.Context, who access.Principal, q ports.Query) (app.List[plan.SamplePlan], error) {
			return plans.Saved(ctx, who, false, q, true)
		},
		get: func(ctx context.Context, tx ports.Repos, scope access.Scope, id int64) (plan.SamplePlan, error) {
			return tx.SamplePlans.GetSaved(ctx, scope, id, true)
		},
		features: func(_ context.Context, _ ports.Repos, _ access.Scope, records []plan.SamplePlan) ([][]Feature[Point], error) {
			out := make([][]Feature[Point], len(records))
			for i := range records {
				for n, point := range records[i].Plan.Points {
					out[i] = append(out[i], Feature[Point]{ID: ID{records[i].ID, n + 1}, Place: point.LonLat, Of: Point{point, &records[i]}})
				}
			}
			return out, nil
		},
	}
}
