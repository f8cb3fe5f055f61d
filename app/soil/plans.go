package soil

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/audit"
	"tilth/core/effort"
	"tilth/core/event"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/list"
	"tilth/core/stratification"
	"tilth/core/stratification/frame"
	"tilth/core/stratification/generated"
	"tilth/core/stratification/layer"
	soilplan "tilth/core/stratification/plan"
	"tilth/core/stratification/seed"
	"tilth/core/stratification/zoning"
	"tilth/ports"
)

// Plans holds the use cases of sample plans.
type Plans struct {
	app.Deps
	Places ports.PlaceFiles
}

// PlanRequest asks for a plan for a map, candidate or saved.
type PlanRequest struct {
	MapUUID  string
	Params   soilplan.Params
	Seed     seed.Choice
	Existing []geo.Position // WGS84: points from which others keep their distance
	// Start and End are where the route begins and ends, WGS84; nil: anywhere.
	Start, End *geo.Position
	Legacy     []geo.Position // WGS84: points that are kept
	// LegacyPlan is the uuid of a plan whose points are also kept; empty: none.
	LegacyPlan string
}

// Generate makes a plan. The same parameters, including the seed, give the same plan. Faults: NotFound (the
// map); Invalid (parameters; the code not_enough_room states what there is room for).
func (p *Plans) Generate(ctx context.Context, who access.Principal, req PlanRequest) (soilplan.SamplePlan, error) {
	if err := p.Gate.Require(ctx, who, access.SamplePlans.Create); err != nil {
		return soilplan.SamplePlan{}, err
	}
	found, frame, err := p.ground(ctx, who.Scope(false), req.MapUUID)
	if err != nil {
		return soilplan.SamplePlan{}, err
	}
	params := req.Params
	params.Scope = req.MapUUID
	if params.Existing, err = inPlane(frame, "existing_points", req.Existing); err != nil {
		return soilplan.SamplePlan{}, err
	}
	if params.Journey, err = Journey(frame, req.Start, req.End); err != nil {
		return soilplan.SamplePlan{}, err
	}
	if params.Legacy, err = p.legacy(ctx, who.Scope(false), frame, req); err != nil {
		return soilplan.SamplePlan{}, err
	}
	if err := WithSeed(params.Check(len(found.Candidate.Zones)), req.Seed); err != nil {
		return soilplan.SamplePlan{}, err
	}
	layers, err := p.layers(ctx, who.Scope(false), found, &params)
	if err != nil {
		return soilplan.SamplePlan{}, err
	}
	plan, err := soilplan.New(effort.Of(ctx, 0), frame, &found.Candidate.Zoning, params.Seeded(req.Seed), layers...)
	if err != nil {
		return soilplan.SamplePlan{}, err
	}
	if plan.Staged != nil {
		uuids, err := p.Fields(ctx, who, soilplan.SamplePlan{OrderID: found.OrderID})
		if err != nil {
			return soilplan.SamplePlan{}, err
		}
		plan.NameFields(uuids)
	}
	return p.store(ctx, who, found, plan)
}

// ground returns a map with its labels and outlines, and the frame it lies on.
func (p *Plans) ground(ctx context.Context, scope access.Scope, uuid string) (zoning.Map, *frame.Frame, error) {
	var order stratification.OrderState
	found, err := app.In(ctx, p.Store.Read, func(ctx context.Context, tx ports.Repos) (found zoning.Map, err error) {
		found, order, err = wholeMap(ctx, tx, scope, uuid)
		return found, err
	})
	if err != nil {
		return found, nil, err
	}
	frame, err := order.Frame(effort.Of(ctx, 0))
	return found, &frame, err
}

// layers returns the layers of a plan's hypercube with their values, and names them in its parameters: those
// requested, or else those of its map. Other placements have none. Faults: Invalid (layers).
func (p *Plans) layers(ctx context.Context, scope access.Scope, of zoning.Map, params *soilplan.Params) ([]layer.Layer, error) {
	if params.Placement != soilplan.LatinHypercube {
		return nil, nil
	}
	prepared, err := app.In(ctx, p.Store.Read, func(ctx context.Context, tx ports.Repos) ([]layer.PreparedLayer, error) {
		return tx.StratificationOrders.Layers(ctx, scope, of.OrderID, true)
	})
	if err != nil {
		return nil, err
	}
	if len(params.Layers) == 0 {
		params.Layers = list.Map(of.About.Used(), func(l zoning.LayerUse) string { return l.Name })
	}
	if params.Layers, err = chosenLayers(prepared, params.Layers); err != nil {
		return nil, err
	}
	return layer.Prepared{Layers: prepared}.Usable(), nil
}

// legacy returns the points that a plan keeps, in the plane of its frame. Faults: Invalid (legacy_points, legacy_plan).
func (p *Plans) legacy(ctx context.Context, scope access.Scope, f *frame.Frame, req PlanRequest) ([]geo.Position, error) {
	kept := slices.Clone(req.Legacy)
	if req.LegacyPlan != "" {
		earlier, err := app.In(ctx, p.Store.Read, func(ctx context.Context, tx ports.Repos) (soilplan.SamplePlan, error) {
			return tx.SamplePlans.ByUUID(ctx, scope, req.LegacyPlan, true)
		})
		if fault.Is(err, fault.NotFound) {
			return nil, fault.Field("legacy_plan", "There is no plan of that map_uuid.")
		}
		if err != nil {
			return nil, err
		}
		for _, point := range earlier.Plan.Points {
			if point.Role.Visited() && point.LonLat != nil {
				kept = append(kept, *point.LonLat)
			}
		}
	}
	return inPlane(f, "legacy_points", kept)
}

// inPlane returns places converted to the plane of a frame.
func inPlane(f *frame.Frame, parameter string, lonlat []geo.Position) ([]geo.Position, error) {
	var out []geo.Position
	for i, at := range lonlat {
		plane, ok := f.FromLonLat(at)
		if !ok || !(at.X >= -180 && at.X <= 180 && at.Y >= -90 && at.Y <= 90) {
			return nil, fault.Field(parameter, fmt.Sprintf("Point %d is not a longitude and latitude in degrees.", i+1))
		}
		out = append(out, plane)
	}
	return out, nil
}

// Journey returns a journey between places on WGS84, which may be nil.
func Journey(f *frame.Frame, start, end *geo.Position) (out soilplan.Journey, err error) {
	if out.Start, err = terminus(f, "start", start); err != nil {
		return out, err
	}
	out.End, err = terminus(f, "end", end)
	return out, err
}

func terminus(f *frame.Frame, parameter string, lonlat *geo.Position) (*soilplan.Terminus, error) {
	if lonlat == nil {
		return nil, nil
	}
	at, err := inPlane(f, parameter, []geo.Position{*lonlat})
	if err != nil {
		return nil, err
	}
	return &soilplan.Terminus{At: at[0], LonLat: *lonlat}, nil
}

// store stores a plan as a candidate, records it and publishes its event.
func (p *Plans) store(ctx context.Context, who access.Principal, of zoning.Map, plan soilplan.Plan) (soilplan.SamplePlan, error) {
	scope, now := who.Scope(false), p.Clock.Now()
	record := soilplan.SamplePlan{OrderID: of.OrderID, Map: of, AOI: of.AOI, Plan: plan, CreatedAt: now}
	err := p.Store.Write(ctx, func(ctx context.Context, tx ports.Repos) error {
		if _, err := tx.StratificationMaps.ByUUIDForUpdate(ctx, scope, record.Map.Candidate.MapUUID); err != nil {
			return err // forgotten in between; of two requests for the same plan the second one finds it
		}
		was, err := tx.SamplePlans.ByUUID(ctx, scope, plan.PlanUUID, false)
		if err == nil && was.Saved != nil {
			record = was
			record.Plan = plan
			return nil
		}
		if err != nil && !fault.Is(err, fault.NotFound) {
			return err
		}
		known := err == nil
		if err := tx.SamplePlans.Put(ctx, scope, &record); err != nil || known {
			return err
		}
		if err := recordGenerated(ctx, tx, audit.By(who, now), of.OrderID, generated.OfPlan(record)); err != nil {
			return err
		}
		return tx.Outbox.Add(ctx, event.Event{
			ID: p.IDs.UUID(), Type: event.TypePlanReady, CompanyID: record.CompanyID, Subject: "sample_plan/" + record.Plan.PlanUUID, At: record.CreatedAt,
			Data: event.PlanReady{
				OrderID: record.OrderID, AOI: record.AOI.ID, AOIUUID: record.AOI.UUID, MapUUID: record.Plan.PlanUUID, ZonesUUID: record.Map.Candidate.MapUUID,
				Samples: record.Plan.Samples, IsCustom: record.Plan.IsCustom,
			},
		})
	})
	return record, err
}

// PlanEdit is a manual change of a plan: operations, or the whole list of points. Places are WGS84.
type PlanEdit struct {
	Operations []soilplan.Operation
	Points     []soilplan.Listed // nil: operations are given
}

// Customise derives a plan manually from another one, candidate or saved. Faults: NotFound; Invalid
// (operations, points).
func (p *Plans) Customise(ctx context.Context, who access.Principal, uuid string, edit PlanEdit) (soilplan.SamplePlan, error) {
	var none soilplan.SamplePlan
	base, of, frame, err := p.based(ctx, who, uuid)
	if err != nil {
		return none, err
	}
	operations, err := edit.on(frame, base.Plan)
	if err != nil {
		return none, err
	}
	plan, err := soilplan.Customise(effort.Of(ctx, 0), frame, &of.Candidate.Zoning, base.Plan, operations)
	if err != nil {
		return none, err
	}
	return p.store(ctx, who, of, plan)
}

// based returns the plan from which another is to be derived, its map, and the frame of that map.
func (p *Plans) based(ctx context.Context, who access.Principal, uuid string) (base soilplan.SamplePlan, of zoning.Map, on *frame.Frame, err error) {
	base, err = app.Read(ctx, p.Deps, who, access.SamplePlans.Create, func(ctx context.Context, tx ports.Repos) (soilplan.SamplePlan, error) {
		return tx.SamplePlans.ByUUID(ctx, who.Scope(false), uuid, true)
	})
	if err != nil {
		return base, of, nil, err
	}
	of, on, err = p.ground(ctx, who.Scope(false), base.Map.Candidate.MapUUID)
	return base, of, on, err
}

// on returns the operations of an edit in the plane of a frame.
func (e PlanEdit) on(f *frame.Frame, base soilplan.Plan) ([]soilplan.Operation, error) {
	if e.Points == nil {
		operations := slices.Clone(e.Operations)
		for i, o := range operations {
			if o.Change != soilplan.Move && o.Change != soilplan.Add {
				continue
			}
			at, err := inPlane(f, "operations", []geo.Position{o.At})
			if err != nil {
				return nil, fault.Field("operations", fmt.Sprintf("Operation %d: its place is not a longitude and latitude in degrees.", i+1))
			}
			operations[i].At = at[0]
		}
		return operations, nil
	}
	list := slices.Clone(e.Points)
	for i := range list {
		at, err := inPlane(f, "points", []geo.Position{list[i].At})
		if err != nil {
			return nil, fault.Field("points", fmt.Sprintf("Point %d is not a longitude and latitude in degrees.", i+1))
		}
		list[i].At = at[0]
	}
	return soilplan.OperationsFor(base, list)
}

// Save stores a plan for good, with a name and a tag; its map is saved with it where it was not. Faults:
// NotFound, Invalid; Conflict (tag_taken, plan_saved).
func (p *Plans) Save(ctx context.Context, who access.Principal, uuid string, as SaveAs) (soilplan.SamplePlan, error) {
	return app.Write(ctx, p.Deps, who, access.SamplePlans.Create, func(ctx context.Context, tx ports.Repos) (soilplan.SamplePlan, error) {
		return p.save(ctx, tx, who, uuid, as)
	})
}

func (p *Plans) save(ctx context.Context, tx ports.Repos, who access.Principal, uuid string, as SaveAs) (soilplan.SamplePlan, error) {
	scope := who.Scope(false)
	found, err := tx.SamplePlans.ByUUID(ctx, scope, uuid, false)
	if err != nil {
		return found, err
	}
	if err := checkSaving("plan_tag", as); err != nil {
		return found, err
	}
	if _, err := saver(p.Deps).saveMap(ctx, tx, who, found.Map.Candidate.MapUUID, SaveAs{}); err != nil { // this locks the order
		return found, err
	}
	if found, err = tx.SamplePlans.ByUUIDForUpdate(ctx, scope, uuid); err != nil {
		return found, err
	}
	err = saver(p.Deps).save(ctx, tx, who, saving{
		what: "plan", resource: access.SamplePlans.Name, keys: tx.SamplePlans, id: found.ID, order: found.OrderID, saved: &found.Saved,
		as: as, ownTag: soilplan.DefaultTag(found.Plan),
		ownName: fmt.Sprintf("%d samples in %s", found.Plan.Samples, found.Plan.SharedOut()),
		store:   func() error { return tx.SamplePlans.Save(ctx, scope, found) },
	})
	return found, err
}

// Saved lists the saved plans; filters are order, aoi, stratification_map, map_tag and plan_tag.
func (p *Plans) Saved(ctx context.Context, who access.Principal, shared bool, q ports.Query, points bool) (app.List[soilplan.SamplePlan], error) {
	return app.ReadList(ctx, p.Deps, app.Ask{Who: who, Need: access.SamplePlans.View, Shared: shared}, q,
		func(ctx context.Context, tx ports.Repos, scope access.Scope) (int64, error) {
			return tx.SamplePlans.CountSaved(ctx, scope, q)
		},
		func(ctx context.Context, tx ports.Repos, scope access.Scope, q ports.Query) iter.Seq2[soilplan.SamplePlan, error] {
			return tx.SamplePlans.EachSaved(ctx, scope, q, points)
		})
}

// Retrieve returns a saved plan. Faults: NotFound.
func (p *Plans) Retrieve(ctx context.Context, who access.Principal, shared bool, id int64, points bool) (soilplan.SamplePlan, error) {
	return app.Read(ctx, p.Deps, who, access.SamplePlans.View, func(ctx context.Context, tx ports.Repos) (soilplan.SamplePlan, error) {
		return tx.SamplePlans.GetSaved(ctx, who.Scope(shared), id, points)
	})
}

// Whole returns a plan, candidate or saved, with its points, its map and its order, for files and pictures.
// Faults: NotFound.
func (p *Plans) Whole(ctx context.Context, who access.Principal, uuid string) (plan soilplan.SamplePlan, of zoning.Map, order stratification.OrderState, err error) {
	if err := p.Gate.Require(ctx, who, access.SamplePlans.View); err != nil {
		return plan, of, order, err
	}
	err = p.Store.Read(ctx, func(ctx context.Context, tx ports.Repos) (err error) {
		if plan, err = tx.SamplePlans.ByUUID(ctx, who.Scope(false), uuid, true); err != nil {
			return err
		}
		of, order, err = wholeMap(ctx, tx, who.Scope(false), plan.Map.Candidate.MapUUID)
		return err
	})
	return plan, of, order, err
}

// Fields returns the uuids of the fields of a plan's order, in the order in which the points of the
// plan refer to them. Faults: NotFound.
func (p *Plans) Fields(ctx context.Context, who access.Principal, plan soilplan.SamplePlan) ([]string, error) {
	return app.In(ctx, p.Store.Read, func(ctx context.Context, tx ports.Repos) (out []string, err error) {
		order, err := tx.StratificationOrders.Get(ctx, who.Scope(false), plan.OrderID)
		for _, l := range order.Land {
			out = append(out, l.FieldUUID)
		}
		return out, err
	})
}
