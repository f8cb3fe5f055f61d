package soil

import (
	"context"
	"time"

	"tilth/app"
	farmapp "tilth/app/farm"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/core/stratification/sample"
	"tilth/ports"
)

// maxPlanned bounds the samples of one call.
const maxPlanned = 20_000

// Samples is the use cases of samples.
type Samples struct {
	deps    app.Deps
	samples *farmapp.Records[sample.Sample] // the samples as records
}

// NewSamples makes the use cases.
func NewSamples(deps app.Deps, samples *farmapp.Records[sample.Sample]) *Samples {
	return &Samples{deps, samples}
}

// List returns the samples of a query. Faults: Unauthenticated, Forbidden.
func (s *Samples) List(ctx context.Context, who access.Principal, q ports.Query) (app.List[sample.Sample], error) {
	return s.samples.List(ctx, who, false, q)
}

// Retrieve returns a sample. Faults: Unauthenticated, Forbidden, NotFound.
func (s *Samples) Retrieve(ctx context.Context, who access.Principal, id int64) (sample.Sample, error) {
	return s.samples.Retrieve(ctx, who, false, id)
}

// Update changes a sample: decode is given it as it stands and answers what it shall be. Without
// another status that of the sample follows from what became known of it.
// Faults: Unauthenticated, Forbidden, NotFound, Invalid, and those of decode.
func (s *Samples) Update(ctx context.Context, who access.Principal, id int64,
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
func (s *Samples) complete(who access.Principal, before sample.Sample, after *sample.Sample) {
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

// SampleRequest asks for the samples of a plan.
type SampleRequest struct {
	Plan   string // uuid of a saved plan
	Depths []sample.Depth
	Round  int64
}

// PlannedSamples is what a request made.
type PlannedSamples struct {
	PlanUUID string
	Round    int64
	Created  int64
	Existing int64 // were there before
}

// Plan makes the planned samples of a plan's points, reserves among them, for depth intervals;
// those that are there already stay as they are.
//
// Faults: Unauthenticated, Forbidden, NotFound (the plan); Invalid; Conflict (plan_not_saved).
func (s *Samples) Plan(ctx context.Context, who access.Principal, req SampleRequest) (PlannedSamples, error) {
	out := PlannedSamples{PlanUUID: req.Plan, Round: req.Round}
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

func (s *Samples) plan(ctx context.Context, tx ports.Repos, who access.Principal, req SampleRequest) (PlannedSamples, error) {
	scope := who.Scope(false)
	// The plan is locked: calls for the same plan wait for one another.
	if _, err := tx.SamplePlans.ByUUIDForUpdate(ctx, scope, req.Plan); err != nil {
		return PlannedSamples{}, err
	}
	plan, err := tx.SamplePlans.ByUUID(ctx, scope, req.Plan, true)
	if err != nil {
		return PlannedSamples{}, err
	}
	f := sample.CheckDepths(req.Depths)
	if req.Round < 1 || req.Round > sample.MaxRound {
		f.Addf("round", "A whole number from 1 to %d.", sample.MaxRound)
	}
	if n := len(plan.Plan.Points) * len(req.Depths); n > maxPlanned {
		f.Addf("depths", "That is %d samples; at most %d are made at once.", n, maxPlanned)
	}
	if err := f.Err(); err != nil {
		return PlannedSamples{}, err
	}
	if plan.Saved == nil {
		return PlannedSamples{}, fault.New(fault.Conflict, "plan_not_saved", "Save the plan first: samples are taken at the points of plans that do not change any more.")
	}
	wanted, err := sample.OfPlan(plan, req.Depths, req.Round)
	if err != nil {
		return PlannedSamples{}, err
	}
	there, err := tx.SoilSamples.OfPlan(ctx, scope, plan.ID, req.Round)
	if err != nil {
		return PlannedSamples{}, err
	}
	return s.create(ctx, tx, who, wanted, there)
}

// samplePlace is what tells the samples of a plan in a round apart.
type samplePlace struct {
	point string
	depth sample.Depth
}

// create stores the wanted samples that are not there.
func (s *Samples) create(ctx context.Context, tx ports.Repos, who access.Principal, wanted []*sample.Sample, there []sample.Sample) (PlannedSamples, error) {
	known := map[samplePlace]bool{}
	for _, t := range there {
		known[samplePlace{t.Point, t.Depth}] = true
	}
	var changes []farmapp.Change[sample.Sample]
	for _, w := range wanted {
		if !known[samplePlace{w.Point, w.Depth}] {
			changes = append(changes, farmapp.Change[sample.Sample]{After: *w})
		}
	}
	settled, err := s.samples.Settle(ctx, tx, who, changes, false)
	if err != nil {
		return PlannedSamples{}, err
	}
	for _, made := range settled {
		if err := made.Errors.Err(); err != nil {
			return PlannedSamples{}, err // somebody gave another sample this label
		}
	}
	return PlannedSamples{Created: int64(len(changes)), Existing: int64(len(wanted) - len(changes))}, nil
}
