package persistence

import (
	"testing"

	"github.com/uptrace/bun"

	"tilth/core/access"
)

func TestPlansOfSampling(t *testing.T) {
	assertListPlans(t, func(s *session) map[string]plannedList {
		return map[string]plannedList{
			"samples": {
				Query: sampleRecords(s).query, Filters: sampleTable.filters, Private: true,
				Indexes: map[string]string{
					"plan": "ix_soil_samples_plan", "aoi": "ix_soil_samples_aoi", "status": "ix_soil_samples_status",
				},
			},
			"stratification orders": {
				Query:   func(scope access.Scope) *bun.SelectQuery { return where(strats{s}.selected(false), visible(scope)...) },
				Filters: stratFilters, Private: true, Indexes: map[string]string{"aoi": "ix_stratification_orders_aoi"},
			},
			"saved maps": {
				Query: func(scope access.Scope) *bun.SelectQuery {
					return columns(zoneMaps{s}.selected(scope), false, false).Where("t.saved_at IS NOT NULL")
				},
				Filters: mapFilters, Private: true,
			},
			"saved plans": {
				Query: func(scope access.Scope) *bun.SelectQuery {
					return samplePlans{s}.filled(samplePlans{s}.selected(scope), false).Where("t.saved_at IS NOT NULL")
				},
				Filters: planFilters, Private: true,
			},
		}
	})
}
