package plan

import (
	"tilth/core/effort"
	"tilth/core/fault"
	"tilth/core/stratification/frame"
	"tilth/core/stratification/seed"
	"tilth/core/stratification/zoning"
)

// Recommend recommends, among the maps of a call of Zones, one that takes the default plan: that of
// DefaultParams with its own seed. Where none does, the recommended map states what it needs. The
// error is that of the budget.
func Recommend(budget *effort.Budget, f *frame.Frame, r *zoning.Result) error {
	return r.RecommendPlannable(func(c *zoning.Candidate) (*zoning.PlanNeeds, error) {
		p := DefaultParams()
		p.Scope = c.MapUUID
		_, err := New(budget, f, &c.Zoning, p.Seeded(seed.Choice{}))
		known, refused := fault.As(err)
		if err == nil || !refused || known.Code != noRoomCode {
			return nil, err
		}
		needs := &zoning.PlanNeeds{Message: known.Message, MaxOffset: -1}
		if largest, ok := known.Details["max_offset"].(int); ok {
			needs.MaxOffset = largest
		}
		return needs, nil
	})
}
