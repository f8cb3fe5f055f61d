package satellite

import (
	"context"
	"slices"

	"tilth/app/task"
	"tilth/core/credit"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/core/indexmap"
	"tilth/core/vegetation"
	"tilth/ports"
)

// mapRefresh brings the contents of a map up to date.
type mapRefresh struct{ mapWork }

// refreshedMap is a map with its contents when its refresh began.
type refreshedMap struct {
	order   vegetation.OrderState
	stock   made
	search  bool                 // the archive may have something new
	follows bool                 // the profile of the field has found something new
	outline farm.BoundaryVersion // the field's present boundary; only for a recomputation
}

// Lock finishes if the map does not exist or is not active (any more).
func (w mapRefresh) Lock(ctx context.Context, run task.Run[ports.Repos]) (s refreshedMap, next task.Next, err error) {
	s.order, err = w.repo(run.Tx).GetForUpdate(ctx, run.Scope, run.Job.Subject)
	if fault.Is(err, fault.NotFound) || err == nil && s.order.Status != vegetation.Active { // not found: its field is no longer shared
		return s, task.Finish(), nil
	}
	if err == nil && s.order.Map.Day == nil {
		s.search, err = w.refreshable(ctx, run.Tx, s.order, run.Now)
	}
	if err == nil && w.dated() && s.order.Map.Day == nil {
		s.follows, err = behind(ctx, run, s.order)
		s.search = s.search || s.follows
	}
	return s, task.Continue(), err
}

// maxFollowing is the number of maps that follow a profile: those of all indices with some masks.
const maxFollowing = 100

// followMaps queues the refresh of the maps for the season of a watched profile.
func followMaps(ctx context.Context, run task.Run[ports.Repos], profile vegetation.OrderState) error {
	p, jobs := mapOf(credit.VegetationIndexMap), []ports.Job(nil)
	season := []ports.Filter{{Name: "field", Value: profile.FieldID}, {Name: "season", Value: profile.SeasonID}}
	for order, err := range run.Tx.Maps.Of(p.code).Each(ctx, run.Scope, activeOf(maxFollowing, season...)) {
		if err != nil {
			return err
		}
		jobs = append(jobs, task.JobOn(p.job+MapRefreshing, order.CompanyID, order.ID, run.Now))
	}
	return run.Tx.Jobs.TryEnqueue(ctx, jobs...)
}

// behind reports whether the profile for the field and season of a map has changed since the map was last checked.
func behind(ctx context.Context, run task.Run[ports.Repos], order vegetation.OrderState) (bool, error) {
	if order.FieldID == 0 || order.LastCheckedAt == nil {
		return false, nil
	}
	profile, err := run.Tx.Orders.Find(ctx, run.Scope, order.FieldID, order.SeasonID)
	if fault.Is(err, fault.NotFound) {
		return false, nil
	}
	return err == nil && profile.Status == vegetation.Active && profile.UpdatedAt.After(*order.LastCheckedAt), err
}

// Begin reads the existing contents.
func (w mapRefresh) Begin(ctx context.Context, run task.Run[ports.Repos], s *refreshedMap) (_ task.Next, err error) {
	s.stock, err = w.product.stock(ctx, run.Tx, run.Scope, s.order.ID)
	return task.Continue(), err
}

// Do works on what is new, and on dates and layers whose files are gone. A map that had any is not emptied. A refresh fails no order, so
// any failure is retried.
func (w mapRefresh) Do(ctx context.Context, s refreshedMap) (made, error) {
	gone, err := w.gone(ctx, s.stock)
	if err != nil {
		return made{}, again(err)
	}
	if !s.search && len(gone) == 0 {
		return s.stock, nil
	}
	out, err := w.renew(ctx, s, gone)
	if err == nil && out.empty() != "" {
		err = fault.New(fault.Unavailable, "refresh", "The sources no longer have anything of the field that can be used.")
	}
	return out, again(err)
}

// renew makes what is new, and remakes what is gone.
func (w mapRefresh) renew(ctx context.Context, s refreshedMap, gone []string) (made, error) {
	if !w.dated() {
		return w.layered(ctx, s.order)
	}
	if at := s.order.LastCheckedAt; s.follows || s.search && at != nil && w.runner.Clock.Now().Sub(*at) >= sharesAfter {
		out, err := w.redated(ports.SharingSearches(ctx), s, gone)
		if err != nil || !s.follows || !out.same(s.stock) {
			return out, err
		}
		// The search shared for this place, perhaps by another process, is older than what the profile found.
	}
	return w.redated(ctx, s, gone)
}

// redated makes the new dates, and remakes those that are gone.
func (w mapRefresh) redated(ctx context.Context, s refreshedMap, gone []string) (made, error) {
	known := s.stock.series
	known.Observations = slices.DeleteFunc(slices.Clone(known.Observations), func(o vegetation.Observation) bool {
		return slices.ContainsFunc(s.stock.files, func(f indexmap.File) bool { return f.Day.Equal(o.Date) && slices.Contains(gone, f.Object) })
	})
	if s.order.Map.Day != nil {
		known = vegetation.Series{} // it holds only one of its dates
	}
	return w.layers(ctx, s.order, known, s.stock.files)
}

// again turns any failure into one that is retried.
func again(err error) error {
	if err == nil {
		return nil
	}
	return fault.New(fault.Unavailable, "refresh", "The map could not be refreshed.").Because(err)
}

// gone returns the files of a map that no longer exist.
func (w mapRefresh) gone(ctx context.Context, m made) (out []string, err error) {
	for _, name := range m.objects() {
		object, err := w.objects.Open(ctx, name)
		if fault.Is(err, fault.NotFound) {
			out = append(out, name)
			continue
		}
		if err != nil {
			return out, err
		}
		if err := object.Close(); err != nil {
			return out, err
		}
	}
	return out, nil
}

// objects returns the names of the files of a map.
func (m made) objects() (out []string) {
	for _, f := range m.files {
		out = append(out, f.Object)
	}
	for _, l := range m.layers {
		if l.Object != "" {
			out = append(out, l.Object)
		}
	}
	return out
}

// Same is false if the map was remade, or the archive searched for it, meanwhile.
func (mapRefresh) Same(began, current refreshedMap) bool {
	a, b := began.order.LastCheckedAt, current.order.LastCheckedAt
	return began.outline.ID == current.outline.ID && began.order.BoundaryID == current.order.BoundaryID && a != nil && b != nil && a.Equal(*b)
}

func (w mapRefresh) Complete(ctx context.Context, run task.Run[ports.Repos], s *refreshedMap, result made) (task.Next, error) {
	order := vegetation.RehydrateOrder(s.order)
	before, err := w.product.stock(ctx, run.Tx, run.Scope, s.order.ID)
	if err != nil {
		return task.Next{}, err
	}
	changed := !result.same(before)
	if s.search || changed {
		if err := result.refreshed(&order, run.Now, changed); err != nil {
			return task.Next{}, err
		}
	}
	return w.settle(ctx, run, order.State(), result, changed)
}

// settle stores a map with its contents, and with its event if these have changed.
func (w mapRefresh) settle(ctx context.Context, run task.Run[ports.Repos], order vegetation.OrderState, result made, changed bool) (task.Next, error) {
	if err := w.repo(run.Tx).Update(ctx, run.Scope, order); err != nil {
		return task.Next{}, err
	}
	if err := w.put(ctx, run.Tx, run.Scope, order.ID, result); err != nil || !changed {
		return task.Finish(), err
	}
	return task.Finish(), run.Tx.Outbox.Add(ctx, w.done(w.runner.IDs.UUID(), order, result, run.Now))
}

// Unavailable keeps the map as it is. After the last try the refresh is left to the next caller who looks.
func (mapRefresh) Unavailable(_ context.Context, run task.Run[ports.Repos], _ refreshedMap, _ error) (task.Next, error) {
	if wait, more := vegetation.RefreshRetry.Wait(run.Job.Attempt, run.Jitter); more {
		return task.Again(run.Now.Add(wait)), nil
	}
	return task.Finish(), nil
}

// Fail leaves the refresh to the next caller who looks.
func (w mapRefresh) Fail(ctx context.Context, run task.Run[ports.Repos], _ refreshedMap, reason string) error {
	w.runner.Log.WarnContext(ctx, "the refresh of a map is left to the next request", "order", run.Job.Subject, "reason", reason)
	return nil
}

// mapRecompute remakes a map on the field's present outline.
type mapRecompute struct{ mapRefresh }

// Lock finishes if the map is not to be remade (any more).
func (w mapRecompute) Lock(ctx context.Context, run task.Run[ports.Repos]) (s refreshedMap, next task.Next, err error) {
	if s, next, err = w.mapRefresh.Lock(ctx, run); err != nil || s.order.Status != vegetation.Active {
		return s, next, err
	}
	s.outline, err = w.outlineFor(ctx, run.Tx, run.Scope, s.order)
	if fault.Is(err, fault.NotFound) || fault.Is(err, fault.Conflict) {
		return s, task.Finish(), nil
	}
	return s, next, err
}

// Do makes the map on the present outline. A map that would be empty there replaces none.
func (w mapRecompute) Do(ctx context.Context, s refreshedMap) (made, error) {
	s.order.Boundary = s.outline.Boundary
	out, err := w.make(ctx, s.order)
	if err != nil {
		return out, again(err)
	}
	if reason := out.empty(); reason != "" {
		return out, fault.New(fault.Invalid, "no_point", reason)
	}
	return out, nil
}

func (w mapRecompute) Complete(ctx context.Context, run task.Run[ports.Repos], s *refreshedMap, result made) (task.Next, error) {
	order := vegetation.RehydrateOrder(s.order)
	if err := result.redraw(&order, run.Now, s.outline.ID, s.outline.Boundary); err != nil {
		return task.Next{}, err
	}
	before, err := w.product.stock(ctx, run.Tx, run.Scope, s.order.ID)
	if err != nil {
		return task.Next{}, err
	}
	return w.settle(ctx, run, order.State(), result, !result.same(before))
}
