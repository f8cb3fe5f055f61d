package satellite

import (
	"testing"

	"tilth/adapters/persistence/sqlstore"
	"tilth/tests/plantest"
)

func TestPlansOfOrders(t *testing.T) {
	plantest.AssertLists(t, func(s *sqlstore.Session) map[string]plantest.List {
		return map[string]plantest.List{
			"orders": {
				Query: orderRecords(s).Query, Filters: orderFilters, Orders: orderOrders,
				Indexes: map[string]string{"status": "ix_profile_orders_status", "season": "ix_profile_orders_season"},
			},
		}
	})
}
