package plan

import (
	"fmt"
	"time"

	"tilth/core/stratification"
	"tilth/core/stratification/zoning"
)

// SamplePlan is a plan of the samples of a map: a candidate for CandidateDays, or saved for
// good. It does not change; what is changed by hand is another plan.
type SamplePlan struct {
	ID        int64
	CompanyID int64
	OrderID   int64
	Map       zoning.Map // that it is of, without labels and outlines
	AOI       stratification.AOIRef
	Plan      Plan // its points are there only where the whole plan was asked for
	CreatedAt time.Time
	Saved     *zoning.Saving // nil: a candidate
}

// shortAllocations are the allocations in the tags of plans.
var shortAllocations = map[Allocation]string{Proportional: "prop", Neyman: "ney", CostOptimal: "cost", Equal: "eq", Given: "given"}

// DefaultTag is the tag of a plan that is saved without one.
func DefaultTag(p Plan) string {
	tag := fmt.Sprintf("k%d-n%d-%s", len(p.PerZone), p.Samples, shortAllocations[p.Params.settled().Allocation])
	if p.IsCustom {
		tag += "-custom"
	}
	return tag
}
