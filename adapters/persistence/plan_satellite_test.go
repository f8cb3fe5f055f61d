package persistence

import (
	"testing"
)

func TestPlansOfOrders(t *testing.T) {
	assertListPlans(t, func(s *session) map[string]plannedList {
		return map[string]plannedList{
			"orders": {
				Query: orders{s}.query, Filters: orderFilters, Orders: orderOrders,
				Indexes: map[string]string{"status": "ix_profile_orders_status", "season": "ix_profile_orders_season"},
			},
		}
	})
}
