package soil

import (
	"context"

	"tilth/app"
	"tilth/app/soil/rounds"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/core/stratification/plan"
	"tilth/core/stratification/sample"
	"tilth/ports"
)

// EstimateRequest asks for an estimate of a plan's samples.
type EstimateRequest struct {
	Plan         string // uuid of a saved plan
	Round        int64
	FromCm, ToCm *float64 // nil: the range that was analysed
	Confidence   float64
	// Compare is the plan of an earlier round, for the same map of zones, with CompareRound; empty:
	// no change is requested.
	Compare      string
	CompareRound int64
	// ReferenceMass is that of the equivalent stocks, t/ha; nil: that of the first round of the zones.
	ReferenceMass *float64
}

// Estimated is what samples show, and the change since an earlier round.
type Estimated struct {
	Plan   plan.SamplePlan
	Round  int64
	Report sample.Report
	// Earlier and Change are set if a comparison was requested.
	Earlier *plan.SamplePlan
	Change  *sample.Report
}

// Estimate returns what the samples of a plan show, by zone and for the area, and the change since an
// earlier round. Faults: NotFound (a plan); Invalid; Conflict (no_analyses, other_zones).
func (s *Samples) Estimate(ctx context.Context, who access.Principal, req EstimateRequest) (Estimated, error) {
	out := Estimated{Round: req.Round}
	var earlier sample.Round
	round, err := app.Read(ctx, s.Deps, who, access.Samples.View, func(ctx context.Context, tx ports.Repos) (round sample.Round, err error) {
		round, err = rounds.Read(ctx, tx, who.Scope(false), req.Plan, req.Round)
		if err == nil {
			err = rounds.WithLand(ctx, tx, who.Scope(false), &round)
		}
		if err == nil && req.Compare != "" {
			earlier, err = rounds.Read(ctx, tx, who.Scope(false), req.Compare, req.CompareRound)
		}
		return round, err
	})
	if err != nil {
		return out, err
	}
	if err := req.check(); err != nil {
		return out, err
	}
	from, to, err := req.between(round)
	if err != nil {
		return out, err
	}
	out.Plan = round.Plan
	if req.ReferenceMass != nil {
		round.Reference.Mass, earlier.Reference.Mass = *req.ReferenceMass, *req.ReferenceMass
	}
	precision := round.Plan.Plan.Params.Precision
	precision.Confidence = req.Confidence
	if out.Report, err = round.Estimate(from, to, precision); err != nil || req.Compare == "" {
		return out, err
	}
	change, err := round.Change(earlier, from, to, req.Confidence)
	out.Earlier, out.Change = &earlier.Plan, &change
	return out, err
}

func (r EstimateRequest) check() error {
	f := fault.Fields{}
	if !(r.Confidence >= 0.5 && r.Confidence <= 0.999) {
		f.Add("confidence", "A number from 0.5 to 0.999.")
	}
	if m := r.ReferenceMass; m != nil && !(*m > 0 && *m <= sample.MaxReferenceMass) {
		f.Addf("reference_mass", "A number over 0, at most %g, in t/ha.", float64(sample.MaxReferenceMass))
	}
	if r.Compare == r.Plan && r.CompareRound == r.Round {
		f.Add("compare", "This is the same round; name another plan, or with compare_round another round of this one.")
	}
	return f.Err()
}

// between returns the requested depths, or else those that were analysed.
func (r EstimateRequest) between(round sample.Round) (from, to float64, err error) {
	from, to, ok := round.Depths()
	if !ok {
		return 0, 0, fault.New(fault.Conflict, "no_analyses", "No sample of the plan is analysed in this round yet.")
	}
	return depthsWithin(from, to, r.FromCm, r.ToCm)
}

// depthsWithin returns the requested depths, or else given ones. Faults: Invalid.
func depthsWithin(from, to float64, askedFrom, askedTo *float64) (float64, float64, error) {
	if askedFrom != nil {
		from = *askedFrom
	}
	if askedTo != nil {
		to = *askedTo
	}
	if !(from >= 0 && to > from && to <= sample.MaxDepthCm) {
		return 0, 0, fault.Field("depth_to", "Depths are from 0 to 300 cm, and depth_to lies below depth_from.")
	}
	return from, to, nil
}
