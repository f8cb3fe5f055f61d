package soil

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"tilth/app"
	"tilth/app/idempotency"
	"tilth/app/task"
	"tilth/core/access"
	"tilth/core/effort"
	"tilth/core/fault"
	"tilth/core/stratification"
	"tilth/core/stratification/layer"
	"tilth/core/stratification/seed"
	"tilth/core/stratification/zoning"
	"tilth/ports"
)

// Maps holds the use cases of maps of zones.
type Maps struct {
	app.Deps
	Log *slog.Logger
}

// MapRequest asks for maps from an order.
type MapRequest struct {
	OrderID int64
	Layers  []string // empty: all layers of the order
	Params  zoning.Params
	Seed    seed.Choice
}

// MadeMaps is a run with the maps it made.
type MadeMaps struct {
	zoning.Run
	Candidates []zoning.Map // without labels and outlines; those that still exist
}

// Generate makes the maps of an order: within the request if there are few cells, else in the background.
// The same parameters, including the seed, give the same maps, which are made once. Faults: NotFound (the
// order); Invalid (parameters, layers); Conflict (order_not_active, aoi_changed).
func (m *Maps) Generate(ctx context.Context, who access.Principal, req MapRequest) (MadeMaps, error) {
	if err := m.Gate.Require(ctx, who, access.StratificationMaps.Create); err != nil {
		return MadeMaps{}, err
	}
	// A repeat of the request finds the run, and its maps if they were made.
	ctx = idempotency.Apart(ctx)
	run, small, err := m.begin(ctx, who, req)
	if known, ok := fault.As(err); ok && known.Code == "run_exists" {
		run, small, err = m.begin(ctx, who, req) // another request was first; its run exists now
	}
	if err != nil {
		return MadeMaps{}, err
	}
	if small && run.Open() {
		// The queued job is a second chance, in case this process ends before the maps exist.
		if err := m.runNow(ctx, run); err != nil {
			return MadeMaps{}, err
		}
	}
	return m.made(ctx, who.Scope(false), run.ID)
}

// begin stores the run that a request asks for, or finds it, and returns whether its maps are made within the
// request. Faults: those of Generate; Conflict (run_exists) where another request stored it in between.
func (m *Maps) begin(ctx context.Context, who access.Principal, req MapRequest) (run zoning.Run, small bool, err error) {
	run, err = app.In(ctx, m.Store.Write, func(ctx context.Context, tx ports.Repos) (run zoning.Run, err error) {
		order, err := readyOrder(ctx, tx, who.Scope(false), req.OrderID)
		if err != nil {
			return run, err
		}
		draft, cells, err := m.draft(ctx, tx, who, order, req)
		if err != nil {
			return run, err
		}
		small = cells <= maxAtOnce
		return m.take(ctx, tx, who.Scope(false), draft, small)
	})
	return run, small, err
}

// draft makes the run that a request asks for, after checking its parameters, and returns the
// number of cells that its layers cover.
func (m *Maps) draft(ctx context.Context, tx ports.Repos, who access.Principal, order stratification.OrderState, req MapRequest) (zoning.Run, int, error) {
	var none zoning.Run
	layers, err := tx.StratificationOrders.Layers(ctx, who.Scope(false), order.ID, false)
	if err != nil {
		return none, 0, err
	}
	names, err := chosenLayers(layers, req.Layers)
	if err != nil {
		return none, 0, err
	}
	p := req.Params
	p.Scope = order.DataUUID
	if err := WithSeed(p.Check(names), req.Seed); err != nil {
		return none, 0, err
	}
	p = p.Seeded(req.Seed)
	frame, err := order.Frame(effort.Of(ctx, 0))
	if err != nil {
		return none, 0, err
	}
	now := m.Clock.Now()
	return zoning.Run{
		OrderID: order.ID, Key: zoning.RunKey(order.Digest, names, p), Layers: names, Params: p,
		Status: zoning.RunQueued, CreatedBy: who.UserID, Operator: who.Operator, KeyID: who.KeyID, CreatedAt: now, UpdatedAt: now,
	}, len(frame.Cells), nil
}

// chosenLayers returns the names of the layers to use, in the order's order.
func chosenLayers(layers []layer.PreparedLayer, asked []string) ([]string, error) {
	fields := fault.Fields{}
	there := map[string]string{} // by name, why a layer cannot be used
	var names []string
	for _, l := range layers {
		there[l.Name] = l.Dropped
		if l.Dropped == "" && (len(asked) == 0 || slices.Contains(asked, l.Name)) {
			names = append(names, l.Name)
		}
	}
	seen := map[string]bool{}
	for _, name := range asked {
		dropped, ok := there[name]
		switch {
		case !ok:
			fields.Addf("layers", "The order has no layer %q; it has %s.", name, strings.Join(slices.Sorted(maps.Keys(there)), ", "))
		case dropped != "":
			fields.Addf("layers", "The layer %q cannot be used: %s.", name, dropped)
		case seen[name]:
			fields.Addf("layers", "The layer %q occurs twice.", name)
		}
		seen[name] = true
	}
	if err := fields.Err(); err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fault.New(fault.Invalid, "no_usable_layers", "The order has no layer that can be used.").With("dropped", there)
	}
	return names, nil
}

// take stores a run with its job, or returns the existing one with its key. A run that failed, or
// whose maps are gone, is resumed.
func (m *Maps) take(ctx context.Context, tx ports.Repos, scope access.Scope, draft zoning.Run, small bool) (zoning.Run, error) {
	run, err := tx.StratificationRuns.Find(ctx, scope, draft.OrderID, draft.Key)
	switch {
	case fault.Is(err, fault.NotFound):
		run = draft
		if err := tx.StratificationRuns.Insert(ctx, scope, &run); err != nil {
			return run, err
		}
	case err != nil:
		return run, err
	case run.Open():
		return run, nil
	default:
		if run, err = tx.StratificationRuns.GetForUpdate(ctx, scope, run.ID); err != nil || run.Open() {
			return run, err // open: another request resumed it before this one had the lock
		}
		there, err := m.candidates(ctx, tx, scope, run)
		if err != nil || run.Status == zoning.RunDone && len(there) == len(run.Maps) {
			return run, err
		}
		run.Status, run.Done, run.Reason, run.UpdatedAt = zoning.RunQueued, 0, "", draft.UpdatedAt
		run.CreatedBy, run.Operator, run.KeyID = draft.CreatedBy, draft.Operator, draft.KeyID
		if err := tx.StratificationRuns.Update(ctx, scope, run); err != nil {
			return run, err
		}
	}
	at := draft.UpdatedAt
	if small {
		at = at.Add(secondChance)
	}
	return run, tx.Jobs.Enqueue(ctx, task.JobOn(MapJob, scope.Company(), run.ID, at))
}

// Job returns a run. Faults: NotFound.
func (m *Maps) Job(ctx context.Context, who access.Principal, id int64) (MadeMaps, error) {
	if err := m.Gate.Require(ctx, who, access.StratificationMaps.View); err != nil {
		return MadeMaps{}, err
	}
	return m.made(ctx, who.Scope(false), id)
}

func (m *Maps) made(ctx context.Context, scope access.Scope, id int64) (MadeMaps, error) {
	return app.In(ctx, m.Store.Read, func(ctx context.Context, tx ports.Repos) (out MadeMaps, err error) {
		if out.Run, err = tx.StratificationRuns.Get(ctx, scope, id); err != nil {
			return out, err
		}
		out.Candidates, err = m.candidates(ctx, tx, scope, out.Run)
		return out, err
	})
}

// candidates returns the maps of a run that still exist.
func (m *Maps) candidates(ctx context.Context, tx ports.Repos, scope access.Scope, run zoning.Run) ([]zoning.Map, error) {
	var out []zoning.Map
	for _, uuid := range run.Maps { // seven at most
		one, err := tx.StratificationMaps.ByUUID(ctx, scope, uuid, false)
		if fault.Is(err, fault.NotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, nil
}

// Save stores a map for good, with a name and a tag. A map that is saved already stays as it is. Faults:
// NotFound, Invalid; Conflict (tag_taken, map_saved).
func (m *Maps) Save(ctx context.Context, who access.Principal, uuid string, as SaveAs) (zoning.Map, error) {
	return app.Write(ctx, m.Deps, who, access.StratificationMaps.Create, func(ctx context.Context, tx ports.Repos) (zoning.Map, error) {
		return saver(m.Deps).saveMap(ctx, tx, who, uuid, as)
	})
}

func (d saver) saveMap(ctx context.Context, tx ports.Repos, who access.Principal, uuid string, as SaveAs) (zoning.Map, error) {
	scope := who.Scope(false)
	found, err := tx.StratificationMaps.ByUUID(ctx, scope, uuid, false)
	if err != nil {
		return found, err
	}
	if err := checkSaving("map_tag", as); err != nil {
		return found, err
	}
	// The order is locked, so that its maps and plans are saved one after the other.
	if _, err := tx.StratificationOrders.GetForUpdate(ctx, scope, found.OrderID); err != nil {
		return found, err
	}
	if found, err = tx.StratificationMaps.ByUUIDForUpdate(ctx, scope, uuid); err != nil {
		return found, err
	}
	k := len(found.Candidate.Zones)
	err = d.save(ctx, tx, who, saving{
		what: "map", resource: access.StratificationMaps.Name, keys: tx.StratificationMaps, id: found.ID, order: found.OrderID, saved: &found.Saved,
		as: as, ownName: fmt.Sprintf("%d zones", k), ownTag: zoning.DefaultTag(k),
		store: func() error { return tx.StratificationMaps.Save(ctx, scope, found) },
	})
	return found, err
}

// Saved lists the saved maps; filters are order, aoi and map_tag.
func (m *Maps) Saved(ctx context.Context, who access.Principal, shared bool, q ports.Query, outlines bool) (app.List[zoning.Map], error) {
	return app.ReadList(ctx, m.Deps, app.Ask{Who: who, Need: access.StratificationMaps.View, Shared: shared}, q,
		func(ctx context.Context, tx ports.Repos, scope access.Scope) (int64, error) {
			return tx.StratificationMaps.CountSaved(ctx, scope, q)
		},
		func(ctx context.Context, tx ports.Repos, scope access.Scope, q ports.Query) iter.Seq2[zoning.Map, error] {
			return tx.StratificationMaps.EachSaved(ctx, scope, q, outlines)
		})
}

// Retrieve returns a saved map. Faults: NotFound.
func (m *Maps) Retrieve(ctx context.Context, who access.Principal, shared bool, id int64, outlines bool) (zoning.Map, error) {
	return app.Read(ctx, m.Deps, who, access.StratificationMaps.View, func(ctx context.Context, tx ports.Repos) (zoning.Map, error) {
		return tx.StratificationMaps.GetSaved(ctx, who.Scope(shared), id, outlines)
	})
}

// Whole returns a map, candidate or saved, with its labels and outlines, for files and pictures, and its
// order. Faults: NotFound.
func (m *Maps) Whole(ctx context.Context, who access.Principal, uuid string) (found zoning.Map, order stratification.OrderState, err error) {
	found, err = app.Read(ctx, m.Deps, who, access.StratificationMaps.View, func(ctx context.Context, tx ports.Repos) (found zoning.Map, err error) {
		found, order, err = wholeMap(ctx, tx, who.Scope(false), uuid)
		return found, err
	})
	return found, order, err
}

// wholeMap returns a map in full, and its order.
func wholeMap(ctx context.Context, tx ports.Repos, scope access.Scope, uuid string) (zoning.Map, stratification.OrderState, error) {
	found, err := tx.StratificationMaps.ByUUID(ctx, scope, uuid, true)
	if err != nil {
		return found, stratification.OrderState{}, err
	}
	order, err := tx.StratificationOrders.Get(ctx, scope, found.OrderID)
	return found, order, err
}
