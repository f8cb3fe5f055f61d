package ghg

import (
	"context"
	"slices"
	"time"

	"tilth/app/soil/rounds"
	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/fault"
	"tilth/core/stratification"
	"tilth/core/stratification/sample"
	"tilth/ports"
)

// sampledConfidence is that of all ranges of a report.
const sampledConfidence = 0.95

// maySample returns why a caller may not name rounds of sampling; nil where it may. Whoever names them shows the change
// between them to all who read the assessment. It is asked before a transaction, which holds a connection already.
func (a *Assessments) maySample(ctx context.Context, who access.Principal) error {
	return a.Gate.Require(ctx, who, access.Samples.View)
}

// named returns the refusal where an edit names rounds of sampling that were not named before.
func (e *assessmentEdit) named(refusal error) error {
	now, ok := assessment.SamplingOf(e.after.Sheet)
	if was, _ := assessment.SamplingOf(e.before.Sheet); !ok || now == was {
		return nil
	}
	return refusal
}

// sampled looks up the rounds of sampling that an assessment names, and what changed between them. What is not there, or
// does not allow a change, is a part of the result; nil where none is named.
func sampled(ctx context.Context, tx ports.Repos, scope access.Scope, whole *Whole) (*assessment.Sampled, error) {
	named, ok := assessment.SamplingOf(whole.Sheet)
	if !ok {
		return nil, nil
	}
	out := &assessment.Sampled{Sampling: named}
	later, err := rounds.Read(ctx, tx, scope, named.Plan, named.PlanRound)
	if fault.Is(err, fault.NotFound) {
		out.Unknown = "sample_plan"
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	earlier, err := rounds.Read(ctx, tx, scope, named.Since, named.SinceRound)
	if fault.Is(err, fault.NotFound) {
		out.Unknown = "since_plan"
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	if err := sampledLand(ctx, tx, scope, whole, later, out); err != nil {
		return nil, err
	}
	out.Earlier, out.Later = meanDay(earlier.Samples), meanDay(later.Samples)
	change, err := later.Change(earlier, 0, assessment.SampledDepthCm, sampledConfidence)
	if known, refused := fault.As(err); refused && known.Kind != fault.Internal {
		out.Refused = known.Message
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	out.AreaHa = change.SOC.AreaHa
	estimate := change.Stock
	if out.Basis = "stock"; change.Equivalent != nil && change.Equivalent.Mean != nil {
		estimate, out.Basis = change.Equivalent, "equivalent_soil_mass"
	}
	if estimate == nil || estimate.Mean == nil {
		return out, nil
	}
	out.Mean, out.Reasons = &estimate.Mean.Mean, estimate.Reasons
	if s := estimate.Mean.Spread; s != nil {
		out.Low, out.High = &s.Low, &s.High
	}
	return out, nil
}

// sampledLand fills in the fields of the area of interest and those that are assessed.
func sampledLand(ctx context.Context, tx ports.Repos, scope access.Scope, whole *Whole, later sample.Round, out *assessment.Sampled) (err error) {
	aoi, err := tx.AOIs.Get(ctx, scope, later.Plan.AOI.ID)
	if fault.Is(err, fault.NotFound) {
		aoi, err = stratification.AOI{}, nil // deleted: its fields are none that are assessed
	}
	if err != nil {
		return err
	}
	for _, f := range aoi.Fields {
		out.FieldIDs = append(out.FieldIDs, f.ID)
	}
	out.AssessedIDs = []int64{whole.ResourceID}
	if whole.ResourceType == assessment.OfFarm {
		if out.AssessedIDs, err = tx.Fields.IDsOfFarm(ctx, scope, whole.ResourceID); err != nil {
			return err
		}
	}
	slices.Sort(out.FieldIDs)
	slices.Sort(out.AssessedIDs)
	return nil
}

// meanDay is the mean of the days on which analysed samples were taken; zero where none says so.
func meanDay(samples []sample.Sample) time.Time {
	var days, n int64
	for _, s := range samples {
		if s.Lab != nil && s.Collected != nil && !s.Collected.At.IsZero() {
			days, n = days+s.Collected.At.Unix()/secondsOfADay, n+1
		}
	}
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(days/n*secondsOfADay, 0).UTC()
}

const secondsOfADay = 24 * 60 * 60
