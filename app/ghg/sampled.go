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

// sampledConfidence is the confidence level of all ranges in a report.
const sampledConfidence = 0.95

// maySample returns the refusal if a caller may not name rounds of sampling; nil if it may. Naming them shows the change
// between them to everybody who reads the assessment. It is called before a transaction, which already holds a connection.
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

// sampled looks up the rounds of sampling that an assessment names, and the change between them. The result states what
// is missing, or does not allow a comparison; it is nil if no round is named.
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

// sampledLand fills in the fields of the area of interest and the assessed fields.
func sampledLand(ctx context.Context, tx ports.Repos, scope access.Scope, whole *Whole, later sample.Round, out *assessment.Sampled) (err error) {
	aoi, err := tx.AOIs.Get(ctx, scope, later.Plan.AOI.ID)
	if fault.Is(err, fault.NotFound) {
		aoi, err = stratification.AOI{}, nil // deleted: none of its fields are assessed
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

// meanDay returns the mean of the days on which analysed samples were taken; zero if none has a day.
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
