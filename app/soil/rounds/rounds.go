// Package rounds reads rounds of sampling, for estimates and for assessments.
package rounds

import (
	"context"
	"slices"

	"tilth/core/access"
	"tilth/core/stratification/plan"
	"tilth/core/stratification/sample"
	"tilth/ports"
)

// maxPlans bounds the number of plans for a map of zones that are searched for the first round.
const maxPlans = 100

// Read returns the samples of a saved plan in a round, and those of the first round of its zones:
// round 1 of the first saved plan of the map whose samples have a bulk density. Faults: NotFound (the
// plan).
func Read(ctx context.Context, tx ports.Repos, scope access.Scope, uuid string, number int64) (sample.Round, error) {
	found, err := tx.SamplePlans.ByUUID(ctx, scope, uuid, false)
	if err != nil {
		return sample.Round{}, err
	}
	out := sample.Round{Plan: found}
	if out.Samples, err = tx.SoilSamples.OfPlan(ctx, scope, found.ID, number); err != nil {
		return out, err
	}
	out.Reference.First, err = first(ctx, tx, scope, found)
	return out, err
}

func first(ctx context.Context, tx ports.Repos, scope access.Scope, of plan.SamplePlan) ([]sample.Sample, error) {
	var plans []int64
	q := ports.Query{Filters: []ports.Filter{{Name: "stratification_map", Value: of.Map.ID}}, Limit: maxPlans}
	for p, err := range tx.SamplePlans.EachSaved(ctx, scope, q, false) {
		if err != nil {
			return nil, err
		}
		plans = append(plans, p.ID)
	}
	for _, id := range plans {
		samples, err := tx.SoilSamples.OfPlan(ctx, scope, id, 1)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(samples, func(s sample.Sample) bool { return s.Lab != nil && s.Lab.BulkDensity != nil }) {
			return samples, nil
		}
	}
	return nil, nil
}
