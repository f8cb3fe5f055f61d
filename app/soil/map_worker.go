package soil

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"time"

	"tilth/core/access"
	"tilth/core/fault"
	"tilth/core/stratification"
	"tilth/core/stratification/layer"
	"tilth/core/stratification/zoning"
	"tilth/ports"
)

// The kinds of the jobs of this package: one makes the maps of a run, the other forgets what
// was not saved.
const (
	MapJob    = "stratification_maps"
	ForgetJob = "stratification_forget"
)

const (
	// maxAtOnce is the number of cells up to which maps are made within the request: well
	// under a second for all numbers of zones.
	maxAtOnce = 6_000
	// secondChance is how long after a request that makes its maps itself the job looks
	// whether they are there.
	secondChance = time.Minute
	// progressEvery bounds how often the progress of a run is stored.
	progressEvery = time.Second
	// mapClaimLimit ends a run that kills its worker every time.
	mapClaimLimit = 5

	forgetEvery  = time.Hour
	maxForgotten = 200
)

// Run makes the maps of one run. It may be killed at any moment: what it made is stored in one
// transaction with the event and the end of the job, while the job's lease is held.
func (m *Maps) Run(ctx context.Context, job ports.Job) error {
	scope := access.Own(job.CompanyID)
	var run zoning.Run
	err := m.deps.Store.Write(ctx, func(ctx context.Context, tx ports.Repos) (err error) {
		run, err = tx.StratificationRuns.GetForUpdate(ctx, scope, job.Subject)
		if fault.Is(err, fault.NotFound) || err == nil && !run.Open() {
			run = zoning.Run{}
			return tx.Jobs.Finish(ctx, job)
		}
		if err != nil {
			return err
		}
		if job.Attempt > mapClaimLimit {
			run.Status, run.Reason, run.UpdatedAt = zoning.RunFailed, "The computation was broken off too often.", m.deps.Clock.Now()
			if err := tx.StratificationRuns.Update(ctx, scope, run); err != nil {
				return err
			}
			run = zoning.Run{}
			return tx.Jobs.Finish(ctx, job)
		}
		run.Status, run.UpdatedAt = zoning.RunRunning, m.deps.Clock.Now()
		return tx.StratificationRuns.Update(ctx, scope, run)
	})
	if err != nil || run.ID == 0 {
		return err
	}
	return m.carryOut(ctx, scope, run, &job)
}

// carryOut makes the maps of a run and stores what came of it; job is nil within a request.
// What is wrong with the maps ends the run, what is wrong with the world is given back.
func (m *Maps) carryOut(ctx context.Context, scope access.Scope, run zoning.Run, job *ports.Job) error {
	made, failure := m.make(ctx, scope, run)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var known *fault.Error
	if failure != nil && !(errors.As(failure, &known) && known.Kind == fault.Invalid) {
		return failure
	}
	err := m.deps.Store.Write(ctx, func(ctx context.Context, tx ports.Repos) error {
		return m.settle(ctx, tx, scope, run.ID, job, made, known)
	})
	if err == nil && job == nil && known != nil && known.Code != noZones {
		return known // whoever waits for the maps is told at once
	}
	return err
}

// make computes the maps of a run.
func (m *Maps) make(ctx context.Context, scope access.Scope, run zoning.Run) ([]*zoning.Map, error) {
	var order stratification.OrderState
	var layers []layer.Layer
	err := m.deps.Store.Read(ctx, func(ctx context.Context, tx ports.Repos) (err error) {
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
		return nil, err
	}
	frame, err := order.Frame()
	if err != nil {
		return nil, err
	}
	result, err := zoning.Zones(ctx, &frame, layers, run.Params, zoning.Work{
		Workers: runtime.GOMAXPROCS(0), Progress: m.progressReporter(ctx, scope, run),
	})
	if err != nil {
		return nil, err
	}
	about, now := zoning.AboutOf(result, &frame, order.Synthetic), m.deps.Clock.Now()
	out := make([]*zoning.Map, len(result.Candidates))
	for i, c := range result.Candidates {
		out[i] = &zoning.Map{OrderID: order.ID, AOI: order.AOI, About: about, Candidate: c, CreatedAt: now}
	}
	if len(out) == 0 {
		return nil, fault.New(fault.Invalid, noZones, result.Reason)
	}
	return out, nil
}

// noZones is the code of a run that is done without a map.
const noZones = "no_zones"

// progressReporter returns a function that stores the progress of a run now and then.
func (m *Maps) progressReporter(ctx context.Context, scope access.Scope, run zoning.Run) func(done, total int) {
	told := m.deps.Clock.Now()
	return func(done, total int) {
		now := m.deps.Clock.Now()
		if now.Sub(told) < progressEvery {
			return
		}
		told = now
		err := m.deps.Store.Write(ctx, func(ctx context.Context, tx ports.Repos) error {
			current, err := tx.StratificationRuns.GetForUpdate(ctx, scope, run.ID)
			if err != nil || !current.Open() {
				return err
			}
			current.Status, current.Done, current.Total, current.UpdatedAt = zoning.RunRunning, done, total, now
			return tx.StratificationRuns.Update(ctx, scope, current)
		})
		if err != nil {
			m.log.WarnContext(ctx, "progress of a stratification could not be stored", "job", run.ID, "error", err)
		}
	}
}

// settle stores the maps of a run, tells of them, and ends the job. Whoever comes second, the
// request or the job, finds the run done.
func (m *Maps) settle(ctx context.Context, tx ports.Repos, scope access.Scope, id int64, job *ports.Job, made []*zoning.Map, failure *fault.Error) error {
	finish := func() error {
		if job == nil {
			return nil
		}
		return tx.Jobs.Finish(ctx, *job)
	}
	run, err := tx.StratificationRuns.GetForUpdate(ctx, scope, id)
	if fault.Is(err, fault.NotFound) || err == nil && !run.Open() {
		return finish()
	}
	if err != nil {
		return err
	}
	run.Status, run.Reason, run.Maps, run.UpdatedAt = zoning.RunDone, "", nil, m.deps.Clock.Now()
	if failure != nil {
		run.Reason = failure.Message
		if failure.Code != noZones {
			run.Status = zoning.RunFailed
		}
	}
	if err := tx.StratificationMaps.Put(ctx, scope, made); err != nil {
		return err
	}
	for _, one := range made {
		run.Maps = append(run.Maps, one.Candidate.MapUUID)
	}
	if err := tx.StratificationRuns.Update(ctx, scope, run); err != nil {
		return err
	}
	if run.Status == zoning.RunDone {
		order, err := tx.StratificationOrders.Get(ctx, scope, run.OrderID)
		if err != nil {
			return err
		}
		if err := tx.Outbox.Add(ctx, m.readyEvent(run, order)); err != nil {
			return err
		}
	}
	return finish()
}

// StartForgetting puts the job that forgets old candidates into the queue, where it stays: one
// for all replicas.
func (m *Maps) StartForgetting(ctx context.Context) error {
	return m.deps.Store.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
		return tx.Jobs.Enqueue(ctx, ports.Job{Kind: ForgetJob, Key: "all", RunAt: m.deps.Clock.Now()})
	})
}

// Forget removes maps and plans that were not saved in CandidateDays, in bounded steps.
func (m *Maps) Forget(ctx context.Context, job ports.Job) error {
	now := m.deps.Clock.Now()
	return m.deps.Store.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
		n, err := tx.Maps.Prune(ctx, now.AddDate(0, 0, -zoning.CandidateDays), maxForgotten)
		if err != nil {
			return err
		}
		next := now.Add(forgetEvery)
		if n >= maxForgotten {
			next = now
		}
		return tx.Jobs.Postpone(ctx, job, next)
	})
}
