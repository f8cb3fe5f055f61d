package soil

import (
	"context"
	"runtime"
	"slices"
	"time"

	"tilth/app"
	"tilth/app/task"
	"tilth/core/access"
	"tilth/core/audit"
	"tilth/core/effort"
	"tilth/core/event"
	"tilth/core/fault"
	"tilth/core/stratification"
	"tilth/core/stratification/generated"
	"tilth/core/stratification/layer"
	soilplan "tilth/core/stratification/plan"
	"tilth/core/stratification/zoning"
	"tilth/ports"
)

// MapJob is the kind of the jobs that make the maps of a run.
const MapJob = "stratification_maps"

const (
	// maxAtOnce is the number of cells up to which maps are made within the request: well under a
	// second for all numbers of zones.
	maxAtOnce = 6_000
	// secondChance is the delay after which the job checks whether a request that makes its own maps has made them.
	secondChance = time.Minute
	// progressEvery is the minimum interval at which the progress of a run is stored.
	progressEvery = time.Second
	// mapClaimLimit ends a run that kills its worker every time.
	mapClaimLimit = 5

	maxForgotten = 200
)

// Run does one job of [MapJob]: it makes the maps of one run.
func (m *Maps) Run(ctx context.Context, job ports.Job) error {
	return m.carryOut(ctx, &mapWork{Maps: m}, job)
}

// runNow makes the maps of a run within a request, and returns the fault if that is impossible.
func (m *Maps) runNow(ctx context.Context, run zoning.Run) error {
	w := &mapWork{Maps: m}
	if err := m.carryOut(ctx, w, ports.Job{Kind: MapJob, CompanyID: run.CompanyID, Subject: run.ID}); err != nil {
		return err
	}
	return w.refused
}

func (m *Maps) carryOut(ctx context.Context, w *mapWork, job ports.Job) error {
	runner := task.ForCompany(m.Store, m.Clock, m.IDs, m.Log)
	return task.Do(ctx, runner, task.Limits{Claims: mapClaimLimit}, w, job)
}

// mapWork makes the maps of one run, within a request or in the background.
type mapWork struct {
	*Maps
	refused error // what is wrong with the run
}

// madeZones holds the maps of a run, or the reason why there are none.
type madeZones struct {
	maps   []*zoning.Map
	reason string
}

// Lock finishes if the run is gone or done: of the request and the job, the second one finds it so.
func (w *mapWork) Lock(ctx context.Context, run task.Run[ports.Repos]) (zoning.Run, task.Next, error) {
	s, err := run.Tx.StratificationRuns.GetForUpdate(ctx, run.Scope, run.Job.Subject)
	if fault.Is(err, fault.NotFound) || err == nil && !s.Open() {
		return s, task.Finish(), nil
	}
	return s, task.Continue(), err
}

// Revive makes the maps of a failed run for the operator.
func (w *mapWork) Revive(_ context.Context, _ task.Run[ports.Repos], s *zoning.Run) (task.Next, error) {
	if s.Status != zoning.RunFailed {
		return task.Finish(), nil
	}
	s.Reason = ""
	return task.Continue(), nil
}

func (w *mapWork) Begin(ctx context.Context, run task.Run[ports.Repos], s *zoning.Run) (task.Next, error) {
	s.Status, s.UpdatedAt = zoning.RunRunning, run.Now
	return task.Continue(), run.Tx.StratificationRuns.Update(ctx, run.Scope, *s)
}

func (w *mapWork) Do(ctx context.Context, s zoning.Run) (madeZones, error) {
	made, err := w.make(ctx, s)
	if fault.Is(err, fault.Invalid) {
		w.refused = err
	}
	return made, err
}

// Same is true for every open run: its key determines what it asks for.
func (w *mapWork) Same(_, _ zoning.Run) bool { return true }

func (w *mapWork) Complete(ctx context.Context, run task.Run[ports.Repos], s *zoning.Run, made madeZones) (task.Next, error) {
	s.Status, s.Reason, s.Maps, s.UpdatedAt = zoning.RunDone, made.reason, nil, run.Now
	if err := run.Tx.StratificationMaps.Put(ctx, run.Scope, made.maps); err != nil {
		return task.Next{}, err
	}
	for _, one := range made.maps {
		s.Maps = append(s.Maps, one.Candidate.MapUUID)
	}
	if err := run.Tx.StratificationRuns.Update(ctx, run.Scope, *s); err != nil {
		return task.Next{}, err
	}
	order, err := run.Tx.StratificationOrders.Get(ctx, run.Scope, s.OrderID)
	if err != nil {
		return task.Next{}, err
	}
	by := audit.Entry{CompanyID: s.CompanyID, At: run.Now, User: &access.Named{ID: s.CreatedBy}, Operator: s.Operator, KeyID: s.KeyID}
	if err := recordGenerated(ctx, run.Tx, by, order.ID, generated.OfMaps(*s, made.maps, made.reason, order.Digest)); err != nil {
		return task.Next{}, err
	}
	return task.Finish(), run.Tx.Outbox.Add(ctx, event.Event{
		ID: w.IDs.UUID(), Type: event.TypeMapsReady, CompanyID: s.CompanyID, Subject: "stratification_order/" + order.DataUUID, At: w.Clock.Now(),
		Data: event.MapsReady{
			JobID: s.ID, OrderID: s.OrderID, AOI: order.AOI.ID, AOIUUID: order.AOI.UUID, Status: string(s.Status), MapUUIDs: s.Maps, Reason: s.Reason,
		},
	})
}

// Unavailable hands the job back: maps are made from what is stored.
func (w *mapWork) Unavailable(_ context.Context, _ task.Run[ports.Repos], _ zoning.Run, cause error) (task.Next, error) {
	return task.Next{}, cause
}

func (w *mapWork) Fail(ctx context.Context, run task.Run[ports.Repos], s zoning.Run, reason string) error {
	s.Status, s.Reason, s.Maps, s.UpdatedAt = zoning.RunFailed, reason, nil, run.Now
	return run.Tx.StratificationRuns.Update(ctx, run.Scope, s)
}

// make computes the maps of a run.
func (m *Maps) make(ctx context.Context, run zoning.Run) (madeZones, error) {
	scope := access.Own(run.CompanyID)
	var order stratification.OrderState
	var layers []layer.Layer
	err := m.Store.Read(ctx, func(ctx context.Context, tx ports.Repos) (err error) {
		if order, err = tx.StratificationOrders.Get(ctx, scope, run.OrderID); err != nil {
			return err
		}
		all, err := tx.StratificationOrders.Layers(ctx, scope, run.OrderID, true)
		for _, l := range all {
			if slices.Contains(run.Layers, l.Name) {
				layers = append(layers, l.Layer)
			}
		}
		return err
	})
	if err != nil {
		return madeZones{}, err
	}
	frame, err := order.Frame(effort.Of(ctx, 0))
	if err != nil {
		return madeZones{}, err
	}
	result, err := zoning.Zones(ctx, &frame, layers, run.Params, zoning.Work{
		Workers: runtime.GOMAXPROCS(0), Progress: m.progressReporter(ctx, scope, run),
	})
	if err != nil {
		return madeZones{}, err
	}
	if err := soilplan.Recommend(effort.Of(ctx, 0), &frame, &result); err != nil {
		return madeZones{}, err
	}
	about, now := result.About, m.Clock.Now()
	about.Synthetic = order.Synthetic
	out := madeZones{maps: make([]*zoning.Map, len(result.Candidates))}
	for i, c := range result.Candidates {
		out.maps[i] = &zoning.Map{OrderID: order.ID, AOI: order.AOI, About: about, Candidate: c, CreatedAt: now}
	}
	if len(out.maps) == 0 {
		out.reason = result.Reason
	}
	return out, nil
}

// progressReporter returns a function that stores the progress of a run at intervals.
func (m *Maps) progressReporter(ctx context.Context, scope access.Scope, run zoning.Run) func(done, total int) {
	stored := m.Clock.Now()
	return func(done, total int) {
		now := m.Clock.Now()
		if now.Sub(stored) < progressEvery {
			return
		}
		stored = now
		err := m.Store.Write(ctx, func(ctx context.Context, tx ports.Repos) error {
			current, err := tx.StratificationRuns.GetForUpdate(ctx, scope, run.ID)
			if err != nil || !current.Open() {
				return err
			}
			current.Status, current.Done, current.Total, current.UpdatedAt = zoning.RunRunning, done, total, now
			return tx.StratificationRuns.Update(ctx, scope, current)
		})
		if err != nil {
			m.Log.WarnContext(ctx, "progress of a stratification could not be stored", "job", run.ID, "error", err)
		}
	}
}

// Forget removes maps and plans that were not saved within CandidateDays, in bounded steps, and returns their number.
func (m *Maps) Forget(ctx context.Context) (int64, error) {
	before := m.Clock.Now().AddDate(0, 0, -zoning.CandidateDays)
	return app.InPieces(ctx, m.Store, maxForgotten, func(ctx context.Context, tx ports.OperatorRepos) (int64, error) {
		return tx.Maps.Prune(ctx, before, maxForgotten)
	})
}
