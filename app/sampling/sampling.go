// Package sampling holds the use cases of what comes after a sample plan: the samples that are
// taken at its points, what the laboratory found in them, and the estimates of both.
package sampling

import (
	"context"
	"time"

	"tilth/app/farming"
	"tilth/app/gate"
	"tilth/app/listing"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/core/stratification/sample"
	"tilth/ports"
)

// mostPlanned bounds the samples of one call.
const mostPlanned = 20_000

// Sampling is the use cases of samples.
type Sampling struct {
	deps    gate.Deps
	samples *farming.Records[sample.Sample] // the samples as records
}

// New makes the use cases.
func New(deps gate.Deps, samples *farming.Records[sample.Sample]) *Sampling {
	return &Sampling{deps, samples}
}

// List gives the samples of a query. Faults: Unauthenticated, Forbidden.
func (s *Sampling) List(ctx context.Context, who access.Principal, q ports.Query) (listing.Of[sample.Sample], error) {
	return s.samples.List(ctx, who, false, q)
}

// Retrieve gives a sample. Faults: Unauthenticated, Forbidden, NotFound.
func (s *Sampling) Retrieve(ctx context.Context, who access.Principal, id int64) (sample.Sample, error) {
	return s.samples.Retrieve(ctx, who, false, id)
}

// Update changes a sample: decode is given it as it stands and answers what it shall be. Without
// another status that of the sample follows from what became known of it.
// Faults: Unauthenticated, Forbidden, NotFound, Invalid, and those of decode.
func (s *Sampling) Update(ctx context.Context, who access.Principal, id int64,
	decode func(current sample.Sample) (sample.Sample, error),
) (sample.Sample, error) {
	return s.samples.Update(ctx, who, id, func(current sample.Sample) (sample.Sample, error) {
		after, err := decode(current)
		if err != nil {
			return after, err
		}
		s.complete(who, current, &after)
		return after, nil
	})
}

// complete fills in what a change leaves to the rules: who took a sample, and when, and its state.
func (s *Sampling) complete(who access.Principal, before sample.Sample, after *sample.Sample) {
	if c := after.Collected; c != nil {
		taken := *c
		if taken.By == "" && before.Collected == nil {
			taken.By = who.Name
		}
		if taken.At.IsZero() {
			taken.At = s.deps.Clock.Now().UTC().Truncate(time.Second)
		}
		after.Collected = &taken
	}
	after.Advance(before)
}

// Request asks for the samples of a plan.
type Request struct {
	Plan   string // uuid of a saved plan
	Depths []sample.Depth
	Round  int64
}

// Planned is what a request made.
type Planned struct {
	PlanUUID string
	Round    int64
	Created  int64
	Existing int64 // were there before
}

// Plan makes the planned samples of a plan's points, reserves among them, for depth intervals;
// those that are there already stay as they are.
//
// Faults: Unauthenticated, Forbidden, NotFound (the plan); Invalid; Conflict (plan_not_saved).
func (s *Sampling) Plan(ctx context.Context, who access.Principal, req Request) (Planned, error) {
	out := Planned{PlanUUID: req.Plan, Round: req.Round}
	if err := s.deps.Gate.Require(ctx, who, access.Samples.Create); err != nil {
		return out, err
	}
	err := s.deps.Store.Write(ctx, func(ctx context.Context, tx ports.Repos) error {
		made, err := s.plan(ctx, tx, who, req)
		out.Created, out.Existing = made.Created, made.Existing
		return err
	})
	return out, err
}

func (s *Sampling) plan(ctx context.Context, tx ports.Repos, who access.Principal, req Request) (Planned, error) {
	scope := who.Scope(false)
	// The plan is locked: calls for the same plan wait for one another.
	if _, err := tx.SamplePlans.ByUUIDForUpdate(ctx, scope, req.Plan); err != nil {
		return Planned{}, err
	}
	plan, err := tx.SamplePlans.ByUUID(ctx, scope, req.Plan, true)
	if err != nil {
		return Planned{}, err
	}
	f := sample.CheckDepths(req.Depths)
	if req.Round < 1 || req.Round > sample.MaxRound {
		f.Addf("round", "A whole number from 1 to %d.", sample.MaxRound)
	}
	if n := len(plan.Plan.Points) * len(req.Depths); n > mostPlanned {
		f.Addf("depths", "That is %d samples; at most %d are made at once.", n, mostPlanned)
	}
	if err := f.Err(); err != nil {
		return Planned{}, err
	}
	if plan.Saved == nil {
		return Planned{}, fault.New(fault.Conflict, "plan_not_saved", "Save the plan first: samples are taken at the points of plans that do not change any more.")
	}
	wanted, err := sample.OfPlan(plan, req.Depths, req.Round)
	if err != nil {
		return Planned{}, err
	}
	there, err := tx.SoilSamples.OfPlan(ctx, scope, plan.ID, req.Round)
	if err != nil {
		return Planned{}, err
	}
	return s.create(ctx, tx, who, wanted, there)
}

// place is what tells the samples of a plan in a round apart.
type place struct {
	point string
	depth sample.Depth
}

// create stores the wanted samples that are not there.
func (s *Sampling) create(ctx context.Context, tx ports.Repos, who access.Principal, wanted []*sample.Sample, there []sample.Sample) (Planned, error) {
	known := map[place]bool{}
	for _, t := range there {
		known[place{t.Point, t.Depth}] = true
	}
	var changes []farming.Change[sample.Sample]
	for _, w := range wanted {
		if !known[place{w.Point, w.Depth}] {
			changes = append(changes, farming.Change[sample.Sample]{After: *w})
		}
	}
	settled, err := s.samples.Settle(ctx, tx, who, changes, false)
	if err != nil {
		return Planned{}, err
	}
	for _, made := range settled {
		if err := made.Errors.Err(); err != nil {
			return Planned{}, err // somebody gave another sample this label
		}
	}
	return Planned{Created: int64(len(changes)), Existing: int64(len(wanted) - len(changes))}, nil
}
