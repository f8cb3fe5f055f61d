package ports

import (
	"context"

	"tilth/core/access"
	"tilth/core/stratification/sample"
)

// SoilSamples are the samples of a company. Those of a deleted area of interest are not seen.
// Filters are aoi, plan (the id of the saved plan), plan_uuid, zone, status, round, point, label
// and role, beside the common ones.
type SoilSamples interface {
	Records[sample.Sample]
	// OfPlan returns the samples of a plan in a round, by id.
	OfPlan(ctx context.Context, scope access.Scope, planID, round int64) ([]sample.Sample, error)
	// ByLabels returns those of the labels that are in the scope, by label; in a Write they are
	// locked until it ends.
	ByLabels(ctx context.Context, scope access.Scope, labels []string) (map[string]sample.Sample, error)
}
