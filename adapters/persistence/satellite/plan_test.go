package satellite

import (
	"testing"

	"tilth/adapters/persistence/sqlstore"
	"tilth/core/credit"
	"tilth/tests/plantest"
)

func TestPlansOfOrders(t *testing.T) {
	plantest.AssertLists(t, func(s *sqlstore.Session) map[string]plantest.List {
		return map[string]plantest.List{
			"orders": {
				Query: orderRecords(s).Query, Filters: orderFilters, Orders: orderOrders,
				Indexes: map[string]string{"status": "ix_profile_orders_status", "season": "ix_profile_orders_season"},
			},
			"maps": {
				Query: mapOrdersOf(s, credit.VegetationIndexMap).Query, Filters: mapFilters, Orders: orderOrders,
				Indexes: map[string]string{"status": "ix_map_orders_status", "season": "ix_map_orders_season", "field": "ix_map_orders_field"},
			},
		}
	})
}
