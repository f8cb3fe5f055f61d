package satellite

import (
	"context"
	"slices"

	"tilth/app/task"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/core/indexmap"
	"tilth/core/vegetation"
	"tilth/ports"
)

// The kinds of the jobs that bring an active map up to date, or make files that have expired again; and that make it anew on the
// outline that its field has now.
const (
	MapRefreshJob   = "vi_map_refresh"
	MapRecomputeJob = "vi_map_recompute"
)

// RunRefresh does one job of [MapRefreshJob].
func (w *MapWorker) RunRefresh(ctx context.Context, job ports.Job) error {
	return task.Do(ctx, w.runner, refreshLimits, mapRefresh{w}, job)
}

// RunRecompute does one job of [MapRecomputeJob].
func (w *MapWorker) RunRecompute(ctx context.Context, job ports.Job) error {
	return task.Do(ctx, w.runner, refreshLimits, mapRecompute{mapRefresh{w}}, job)
}

// mapRefresh brings the dates of a map up to date.
type mapRefresh struct{ *MapWorker }

// refreshedMap is a map with its dates as they were when its refresh began.
type refreshedMap struct {
	Map
	search  bool                 // the archive may hold something new
	outline farm.BoundaryVersion // of the field today; of a recomputation only
}

// Lock finishes where there is no map (any more).
func (mapRefresh) Lock(ctx context.Context, run task.Run[ports.Repos]) (s refreshedMap, next task.Next, err error) {
	s.Order, err = viMaps.repo(run.Tx).GetForUpdate(ctx, run.Scope, run.Job.Subject)
	if fault.Is(err, fault.NotFound) || err == nil && s.Order.Status != vegetation.Active { // its field is no longer shared
		return s, task.Finish(), nil
	}
	if err == nil && s.Order.Map.Day == nil {
		s.search, err = viMaps.refreshable(ctx, run.Tx, s.Order, run.Now)
	}
	return s, task.Continue(), err
}

// Begin reads the dates.
func (mapRefresh) Begin(ctx context.Context, run task.Run[ports.Repos], s *refreshedMap) (_ task.Next, err error) {
	s.Series, s.Files, err = run.Tx.Maps.Of(viMaps.code).Dates(ctx, run.Scope, s.Order.ID)
	return task.Continue(), err
}

// Do works on what is new, and on dates whose files are gone. A map that had a date is not emptied. A refresh fails no order, so
// any failure is tried again.
func (w mapRefresh) Do(ctx context.Context, s refreshedMap) (made, error) {
	known, gone, err := w.kept(ctx, s.Map)
	if err != nil {
		return made{}, again(err)
	}
	if !s.search && !gone {
		return made{series: s.Series, files: s.Files}, nil
	}
	if s.Order.Map.Day != nil {
		known = vegetation.Series{} // it holds one of its dates alone
	}
	out, err := w.layers(ctx, s.Order, known, s.Files)
	if err == nil && out.series.Empty() != "" {
		err = fault.New(fault.Unavailable, "refresh", "The archive has no usable acquisition of the field left.")
	}
	return out, again(err)
}

// again has whatever failed be tried again.
func again(err error) error {
	if err == nil {
		return nil
	}
	return fault.New(fault.Unavailable, "refresh", "The map could not be refreshed.").Because(err)
}

// kept returns the dates of a map whose files are there, and whether any is not.
func (w mapRefresh) kept(ctx context.Context, m Map) (vegetation.Series, bool, error) {
	var expired []indexmap.File
	for _, f := range m.Files {
		object, err := w.objects.Open(ctx, f.Object)
		if fault.Is(err, fault.NotFound) {
			expired = append(expired, f)
			continue
		}
		if err != nil {
			return m.Series, false, err
		}
		if err := object.Close(); err != nil {
			return m.Series, false, err
		}
	}
	out := m.Series
	out.Observations = slices.DeleteFunc(slices.Clone(out.Observations), func(o vegetation.Observation) bool {
		return slices.ContainsFunc(expired, func(f indexmap.File) bool { return f.Day.Equal(o.Date) })
	})
	return out, len(expired) > 0, nil
}

// Same is false where the map was made anew, or searched for, meanwhile.
func (mapRefresh) Same(began, current refreshedMap) bool {
	a, b := began.Order.LastCheckedAt, current.Order.LastCheckedAt
	return began.outline.ID == current.outline.ID && began.Order.BoundaryID == current.Order.BoundaryID && a != nil && b != nil && a.Equal(*b)
}

func (w mapRefresh) Complete(ctx context.Context, run task.Run[ports.Repos], s *refreshedMap, result made) (task.Next, error) {
	order := vegetation.RehydrateOrder(s.Order)
	before, _, err := run.Tx.Maps.Of(viMaps.code).Dates(ctx, run.Scope, s.Order.ID)
	if err != nil {
		return task.Next{}, err
	}
	changed := !result.series.Same(before)
	if s.search || changed {
		if err := order.Refreshed(run.Now, result.series, changed); err != nil {
			return task.Next{}, err
		}
	}
	return w.settle(ctx, run, order.State(), result, changed)
}

// settle stores a map with its dates, with its event where they have changed.
func (w mapRefresh) settle(ctx context.Context, run task.Run[ports.Repos], order vegetation.OrderState, result made, changed bool) (task.Next, error) {
	if err := viMaps.repo(run.Tx).Update(ctx, run.Scope, order); err != nil {
		return task.Next{}, err
	}
	if err := viMaps.put(ctx, run.Tx, run.Scope, order.ID, result); err != nil || !changed {
		return task.Finish(), err
	}
	return task.Finish(), run.Tx.Outbox.Add(ctx, viMaps.done(w.runner.IDs.UUID(), order, result.series, run.Now))
}

// Unavailable keeps the map as it is. After the last try the refresh is left to the next who looks.
func (mapRefresh) Unavailable(_ context.Context, run task.Run[ports.Repos], _ refreshedMap, _ error) (task.Next, error) {
	if wait, more := vegetation.RefreshRetry.Wait(run.Job.Attempt, run.Jitter); more {
		return task.Again(run.Now.Add(wait)), nil
	}
	return task.Finish(), nil
}

// Fail leaves the refresh to the next who looks.
func (w mapRefresh) Fail(ctx context.Context, run task.Run[ports.Repos], _ refreshedMap, reason string) error {
	w.runner.Log.WarnContext(ctx, "the refresh of a map is left to the next who looks", "order", run.Job.Subject, "reason", reason)
	return nil
}

// mapRecompute makes the dates of a map anew on the outline of today.
type mapRecompute struct{ mapRefresh }

// Lock finishes where the map is not to be made anew (any more).
func (w mapRecompute) Lock(ctx context.Context, run task.Run[ports.Repos]) (s refreshedMap, next task.Next, err error) {
	if s, next, err = w.mapRefresh.Lock(ctx, run); err != nil || s.Order.Status != vegetation.Active {
		return s, next, err
	}
	s.outline, err = viMaps.outlineFor(ctx, run.Tx, run.Scope, s.Order)
	if fault.Is(err, fault.NotFound) || fault.Is(err, fault.Conflict) {
		return s, task.Finish(), nil
	}
	return s, next, err
}

// Do makes the dates on the outline of today. A map without a date there replaces none.
func (w mapRecompute) Do(ctx context.Context, s refreshedMap) (made, error) {
	s.Order.Boundary = s.outline.Boundary
	out, err := w.layers(ctx, s.Order, vegetation.Series{}, nil)
	if err != nil {
		return out, again(err)
	}
	if reason := out.series.Empty(); reason != "" {
		return out, fault.New(fault.Invalid, "no_point", reason)
	}
	return out, nil
}

func (w mapRecompute) Complete(ctx context.Context, run task.Run[ports.Repos], s *refreshedMap, result made) (task.Next, error) {
	order := vegetation.RehydrateOrder(s.Order)
	if err := order.Redraw(run.Now, result.series, s.outline.ID, s.outline.Boundary); err != nil {
		return task.Next{}, err
	}
	before, _, err := run.Tx.Maps.Of(viMaps.code).Dates(ctx, run.Scope, s.Order.ID)
	if err != nil {
		return task.Next{}, err
	}
	return w.settle(ctx, run, order.State(), result, !result.series.Same(before))
}
