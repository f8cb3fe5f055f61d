package plans_test

import (
	"testing"

	"github.com/uptrace/bun"

	"tilth/core/access"
	"tilth/ports"
)

func TestPlansOfSampling(t *testing.T) {
	savedOf := func(drafts any) func(access.Scope) *bun.SelectQuery {
		saved := drafts.(interface {
			Saved(scope access.Scope, large bool) *bun.SelectQuery
		})
		return func(scope access.Scope) *bun.SelectQuery { return saved.Saved(scope, false) }
	}
	assertLists(t, func(r ports.Repos) map[string]list {
		orders := r.StratificationOrders.(interface {
			Landless(access.Scope) *bun.SelectQuery
		})
		return map[string]list{
			"samples": {
				of: r.SoilSamples, private: true,
				indexes: map[string]string{
					"plan": "ix_soil_samples_plan", "aoi": "ix_soil_samples_aoi", "status": "ix_soil_samples_status",
				},
			},
			"links": {of: r.PlanLinks, private: true, indexes: map[string]string{"plan": "ix_plan_links_plan"}},
			"stratification orders": {
				of: r.StratificationOrders, query: orders.Landless, private: true, indexes: map[string]string{"aoi": "ix_stratification_orders_aoi"},
			},
			"saved maps":  {of: r.StratificationMaps, query: savedOf(r.StratificationMaps), private: true},
			"saved plans": {of: r.SamplePlans, query: savedOf(r.SamplePlans), private: true},
		}
	})
}
