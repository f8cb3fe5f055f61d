package plans_test

import (
	"testing"

	"tilth/core/credit"
	"tilth/ports"
)

func TestPlansOfOrders(t *testing.T) {
	assertLists(t, func(r ports.Repos) map[string]list {
		return map[string]list{
			"orders": {
				of: r.Orders, ordered: true,
				indexes: map[string]string{"status": "ix_profile_orders_status", "season": "ix_profile_orders_season"},
			},
			"maps": {
				of: r.Maps.Of(credit.VegetationIndexMap), ordered: true,
				indexes: map[string]string{"status": "ix_map_orders_status", "season": "ix_map_orders_season", "field": "ix_map_orders_field"},
			},
		}
	})
}
