package soil

import (
	"testing"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/tests/plantest"
)

func TestPlansOfSampling(t *testing.T) {
	plantest.AssertLists(t, func(s *sqlstore.Session) map[string]plantest.List {
		return map[string]plantest.List{
			"samples": {
				Query: sampleRecords(s).Query, Filters: sampleTable.Filters, Private: true,
				Indexes: map[string]string{
					"plan": "ix_soil_samples_plan", "aoi": "ix_soil_samples_aoi", "status": "ix_soil_samples_status",
				},
			},
			"links": {
				Query: linkRecords(s).Query, Filters: linkView.Filters, Private: true, Indexes: map[string]string{"plan": "ix_plan_links_plan"},
			},
			"stratification orders": {
				Query: stratRecords(s).landless, Filters: stratView.Filters, Private: true, Indexes: map[string]string{"aoi": "ix_stratification_orders_aoi"},
			},
			"saved maps": {
				Query:   func(scope access.Scope) *bun.SelectQuery { return mapRecords(s).saved(scope, false) },
				Filters: mapTable.view.Filters, Private: true,
			},
			"saved plans": {
				Query:   func(scope access.Scope) *bun.SelectQuery { return planRecords(s).saved(scope, false) },
				Filters: planTable.view.Filters, Private: true,
			},
		}
	})
}
