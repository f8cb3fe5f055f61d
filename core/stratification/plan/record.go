package plan

import (
	"fmt"
	"time"

	"tilth/core/stratification"
	"tilth/core/stratification/zoning"
)

// SamplePlan is a plan of the samples of a map: a candidate for CandidateDays, or saved for good.
// It is immutable; changes by hand make another plan.
type SamplePlan struct {
	ID        int64
	CompanyID int64
	OrderID   int64
	Map       zoning.Map // without labels and outlines
	AOI       stratification.AOIRef
	Plan      Plan // with its points only where the whole plan was requested
	CreatedAt time.Time
	Saved     *zoning.Saving // nil: a candidate
}

// Weight returns the approximate number of bytes that a plan takes.
func (p *SamplePlan) Weight() int { return 256 * len(p.Plan.Points) }

// shortAllocations are the names of the allocations in the tags of plans.
var shortAllocations = map[Allocation]string{Proportional: "prop", Neyman: "ney", CostOptimal: "cost", Equal: "eq", Given: "given"}

// DefaultTag returns the tag of a plan that is saved without one.
func DefaultTag(p Plan) string {
	if p.Staged != nil {
		return fmt.Sprintf("d%d-m%d", p.Staged.Draws, p.Staged.Points) + map[bool]string{true: "-custom"}[p.IsCustom]
	}
	tag := fmt.Sprintf("k%d-n%d-%s", p.Zones(), p.Samples, shortAllocations[p.Params.settled().Allocation])
	if p.IsCustom {
		tag += "-custom"
	}
	return tag
}
