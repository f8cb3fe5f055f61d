package farm

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"tilth/app"
	"tilth/app/task"
	"tilth/core/access"
	"tilth/core/effort"
	"tilth/core/farm"
	"tilth/core/record"
	"tilth/ports"
)

// OverlapJob is the kind of the background checks for overlaps: one job per company.
const OverlapJob = "field_overlaps"

const (
	// overlapChunk is the number of neighbours' outlines read at a time: if all overlap, as many as are looked for.
	overlapChunk = farm.MaxOverlaps + 1
	// overlapPlaces is the number of neighbours' places that the background reads at a time.
	overlapPlaces = 1_000
)

// findOverlaps fills in which neighbours' boundaries a field overlaps. An overlap is usually a
// typing error and never a reason to refuse.
func findOverlaps(ctx context.Context, tx ports.Repos, scope access.Scope, records []*farm.Field) error {
	drawn := outlined(records)
	known, err := tx.Overlaps.Of(ctx, scope, ids(drawn, func(r *farm.Field) int64 { return r.ID }))
	for _, r := range drawn {
		r.Overlaps = known[r.ID]
	}
	return err
}

// foreseeOverlaps returns the rule that looks for overlaps where boundaries change, within a number of steps: whatever
// they do not suffice for is left to the background. The fields are compared with each other and with those near them
// before the transaction that stores them. That transaction compares nothing, because comparing can take long.
func foreseeOverlaps(deps app.Deps, steps int64) func(ctx context.Context, who access.Principal, before, after []*farm.Field) (Finish[farm.Field], error) {
	return func(ctx context.Context, who access.Principal, before, after []*farm.Field) (Finish[farm.Field], error) {
		scope := who.Scope(false)
		fields, _ := redrawn(before, after)
		found := newNeighbourhood(effort.Of(ctx, steps), outlined(fields))
		if err := found.foresee(ctx, deps.Store, scope); err != nil {
			return nil, err
		}
		return func(ctx context.Context, tx ports.Repos, _ access.Principal, before, after []*farm.Field) error {
			changed, known := redrawn(before, after)
			if len(changed) == 0 {
				return nil
			}
			if err := forgetOverlaps(ctx, tx, scope, known, deps.Clock.Now()); err != nil {
				return err
			}
			return found.keep(ctx, tx, scope, outlined(changed), deps.Clock.Now())
		}, nil
	}
}

// redrawn returns the fields whose boundaries have changed, and the ids of those that had one before.
func redrawn(before, after []*farm.Field) (changed []*farm.Field, known []int64) {
	for i, field := range after {
		switch was := before[i]; {
		case was == nil || was.Boundary == nil:
			if field.Boundary != nil {
				changed = append(changed, field)
			}
		case !field.SameBoundary(was):
			changed, known = append(changed, field), append(known, field.ID)
		}
	}
	return changed, known
}

// outlined returns the fields that have a boundary.
func outlined(fields []*farm.Field) []*farm.Field {
	return slices.DeleteFunc(slices.Clone(fields), func(f *farm.Field) bool { return f.Boundary == nil })
}

// forgetOverlaps forgets the findings about fields that are gone, or whose boundaries changed.
func forgetOverlaps(ctx context.Context, tx ports.Repos, scope access.Scope, fields []int64, at time.Time) error {
	if err := tx.Overlaps.Alone(ctx, scope); err != nil || len(fields) == 0 {
		return err
	}
	again, err := tx.Overlaps.Forget(ctx, scope, fields)
	if err != nil || !again {
		return err
	}
	return tx.Jobs.Enqueue(ctx, task.JobOn(OverlapJob, scope.Company(), scope.Company(), at))
}

// recheckOverlaps leaves the check of restored fields to the background.
func recheckOverlaps(ctx context.Context, tx ports.Repos, scope access.Scope, fields []int64, at time.Time) error {
	if err := tx.Overlaps.Alone(ctx, scope); err != nil {
		return err
	}
	return deferOverlaps(ctx, tx, scope, fields, at)
}

// deferOverlaps leaves the check of fields to the background.
func deferOverlaps(ctx context.Context, tx ports.Repos, scope access.Scope, fields []int64, at time.Time) error {
	if len(fields) == 0 {
		return nil
	}
	known, err := tx.Overlaps.Of(ctx, scope, fields)
	if err != nil {
		return err
	}
	for _, id := range fields {
		k := known[id]
		k.Pending = true
		known[id] = k
	}
	if err := tx.Overlaps.Put(ctx, scope, known); err != nil {
		return err
	}
	return tx.Jobs.Enqueue(ctx, task.JobOn(OverlapJob, scope.Company(), scope.Company(), at))
}

// putOverlaps stores which fields overlap, as pairs of their ids.
func putOverlaps(ctx context.Context, tx ports.Repos, scope access.Scope, pairs [][2]int64) error {
	if len(pairs) == 0 {
		return nil
	}
	var touched []int64
	seen := map[int64]bool{}
	for _, pair := range pairs {
		for _, id := range pair {
			if !seen[id] {
				seen[id], touched = true, append(touched, id)
			}
		}
	}
	known, err := tx.Overlaps.Of(ctx, scope, touched)
	if err != nil {
		return err
	}
	for _, pair := range pairs {
		for i, id := range pair {
			k := known[id]
			k.Add(record.Ref{ID: pair[1-i]})
			known[id] = k
		}
	}
	return tx.Overlaps.Put(ctx, scope, known)
}

// OverlapChecker checks in the background which boundaries overlap.
type OverlapChecker struct {
	app.Deps
	Log *slog.Logger
}

// overlapPieces is the number of a company's fields that are checked before other jobs have their turn.
const overlapPieces = 100

// Run does one job of [OverlapJob]. One field is checked at a time, and stored with the findings:
// whoever claims the job after a crash begins with the field that was being checked.
func (c *OverlapChecker) Run(ctx context.Context, job ports.Job) error {
	return task.Do(ctx, task.ForCompany(c.Store, c.Clock, c.IDs, c.Log), task.Limits{Pieces: overlapPieces}, overlapWork{c}, job)
}

// overlapWork checks one field after the other.
type overlapWork struct{ *OverlapChecker }

// overlapsFound are the fields found to overlap the checked one, as they were then.
type overlapsFound []*farm.Field

func (overlapWork) Lock(ctx context.Context, run task.Run[ports.Repos]) (farm.Field, task.Next, error) {
	if err := run.Tx.Overlaps.Alone(ctx, run.Scope); err != nil {
		return farm.Field{}, task.Next{}, err
	}
	id, ok, err := run.Tx.Overlaps.NextPending(ctx, run.Scope)
	if err != nil || !ok {
		return farm.Field{}, task.Finish(), err
	}
	field, err := run.Tx.Fields.Get(ctx, run.Scope, id)
	return field, task.Continue(), err
}

func (overlapWork) Begin(context.Context, task.Run[ports.Repos], *farm.Field) (task.Next, error) {
	return task.Continue(), nil
}

func (w overlapWork) Do(ctx context.Context, field farm.Field) (out overlapsFound, err error) {
	scope := access.Own(field.CompanyID)
	met := map[int64]*farm.Field{}
	load := func(ids []int64) (map[int64]farm.Field, error) {
		found, err := app.In(ctx, w.Store.Read, func(ctx context.Context, tx ports.Repos) (map[int64]farm.Field, error) {
			return tx.Fields.GetMany(ctx, scope, ids)
		})
		for id, f := range found {
			met[id] = &f
		}
		return found, err
	}
	budget := effort.Of(ctx, 0)
	for after, more := int64(0), true; more && len(out) <= farm.MaxOverlaps; {
		places, err := app.In(ctx, w.Store.Read, func(ctx context.Context, tx ports.Repos) ([]farm.Place, error) {
			return tx.Fields.Near(ctx, scope, field.Boundary.Bounds(), after, overlapPlaces)
		})
		if err != nil {
			return nil, err
		}
		if more = len(places) == overlapPlaces; more {
			after = places[len(places)-1].ID
		}
		search := overlapSearch{farm.NewComparison(budget), budget, farm.NewPlaces(places), load}
		if err := search.check(field.ID, field.Boundary); err != nil {
			return nil, err
		}
		for _, pair := range search.Pairs {
			out = append(out, met[pair[0]+pair[1]-field.ID])
		}
		clear(met)
	}
	return out, nil
}

// Same is true while the field still has the boundary that is being checked.
func (overlapWork) Same(began, current farm.Field) bool {
	return began.ID == current.ID && began.SameBoundary(&current)
}

// Complete stores the findings. If another field was changed meanwhile, that change has compared it with this one.
func (overlapWork) Complete(ctx context.Context, run task.Run[ports.Repos], s *farm.Field, found overlapsFound) (task.Next, error) {
	unchanged, err := stillThere(ctx, run, found)
	if err != nil {
		return task.Next{}, err
	}
	known, err := run.Tx.Overlaps.Of(ctx, run.Scope, []int64{s.ID})
	if err != nil {
		return task.Next{}, err
	}
	k := known[s.ID]
	k.Pending = false
	if err := run.Tx.Overlaps.Put(ctx, run.Scope, map[int64]farm.Overlaps{s.ID: k}); err != nil {
		return task.Next{}, err
	}
	var pairs [][2]int64
	for _, other := range unchanged {
		pairs = append(pairs, [2]int64{s.ID, other.ID})
	}
	if err := putOverlaps(ctx, run.Tx, run.Scope, pairs); err != nil {
		return task.Next{}, err
	}
	next, following, err := overlapWork{}.Lock(ctx, run)
	*s = next
	return following, err
}

// stillThere returns the fields that are live and still have the same boundaries. It reads only the boundaries of fields
// that were changed meanwhile, because other writers are waiting.
func stillThere(ctx context.Context, run task.Run[ports.Repos], found overlapsFound) (overlapsFound, error) {
	current, err := run.Tx.Fields.GetBare(ctx, run.Scope, ids(found, func(r *farm.Field) int64 { return r.ID }))
	if err != nil {
		return nil, err
	}
	var changed []int64
	for _, other := range found {
		if now, live := current[other.ID]; live && !now.UpdatedAt.Equal(other.UpdatedAt) {
			changed = append(changed, other.ID)
		}
	}
	read, err := run.Tx.Fields.GetMany(ctx, run.Scope, changed)
	return slices.DeleteFunc(found, func(other *farm.Field) bool {
		if again, ok := read[other.ID]; ok {
			return !again.SameBoundary(other)
		}
		_, live := current[other.ID]
		return !live
	}), err
}

// OverlapPause is the time that the check waits if the database did not answer.
const OverlapPause = time.Minute

func (overlapWork) Unavailable(_ context.Context, run task.Run[ports.Repos], _ farm.Field, _ error) (task.Next, error) {
	return task.Again(run.Now.Add(OverlapPause)), nil
}

// Fail leaves the fields as they are: a retry goes on with them.
func (overlapWork) Fail(context.Context, task.Run[ports.Repos], farm.Field, string) error { return nil }
