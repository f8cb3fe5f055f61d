package contract

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/core/geo"
	"tilth/tests/rig"
)

// scaled is a rectangle about the middle of an outline; its sides are those of the outline's box times by.
func scaled(m geo.MultiPolygon, by float64) geo.MultiPolygon {
	box := m.Bounds()
	x, y, w, h := (box.MinX+box.MaxX)/2, (box.MinY+box.MaxY)/2, by*(box.MaxX-box.MinX)/2, by*(box.MaxY-box.MinY)/2
	return geo.MultiPolygon{{{{X: x - w, Y: y - h}, {X: x + w, Y: y - h}, {X: x + w, Y: y + h}, {X: x - w, Y: y + h}, {X: x - w, Y: y - h}}}}
}

// When an outline changes, its series stays until it is recomputed, which costs nothing; the earlier series is kept.
func TestASeriesIsRecomputedOnTheOutlineOfToday(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		c := s.Company("owner", 1000_00)
		parcel := rig.Archive(t).Parcels[0].Boundary
		land := c.Land(scaled(parcel, 0.5), "2025-05-01", "2025-05-31")
		order := int64(c.Expect(200, "POST", rig.OrdersPath, land.OrderBody()).Data(t)["order_id"].(float64))
		c.Until(order, "active")
		at := rig.OrdersPath + itoa(order) + "/"
		first, paid := c.Expect(200, "GET", at, nil).Data(t), c.Wallet()
		require.Equal(t, false, first["boundary_outdated"])
		require.Len(t, first["profile"], int(first["points"].(float64)))
		require.Equal(t, first["profile"].([]any)[0].(map[string]any)["date"], first["first_date"])

		c.Expect(200, "PATCH", path("field", land.Field), map[string]any{"boundary": rig.GeoJSON(t, scaled(parcel, 0.3))})
		require.Equal(t, true, c.Expect(200, "GET", at, nil).Data(t)["boundary_outdated"])
		for query, count := range map[string]int{"?boundary_outdated=true": 1, "?boundary_outdated=false": 0, "?farm=" + itoa(land.Farm): 1, "?farm=999999": 0} {
			var list []map[string]any
			c.Expect(200, "GET", rig.OrdersPath+query, nil).Into(t, &list)
			require.Len(t, list, count, query)
		}
		other := s.Company("owner", 0)
		other.Expect(404, "POST", at+"recompute/", nil)
		c.Expect(404, "POST", rig.OrdersPath+"999999/recompute/", nil)
		require.Equal(t, "active", c.Expect(200, "POST", at+"recompute/", nil).Data(t)["status"])
		var again map[string]any
		rig.Eventually(t, func() bool {
			again = c.Expect(200, "GET", at, nil).Data(t)
			return again["boundary_outdated"] == false
		}, 10*time.Minute, 20*time.Millisecond)
		require.NotEqual(t, first["boundary_id"], again["boundary_id"])
		require.NotEqual(t, first["profile"], again["profile"])
		require.Equal(t, paid, c.Wallet(), "it costs nothing")

		on := "?boundary_id=" + itoa(int64(first["boundary_id"].(float64)))
		earlier := c.Expect(200, "GET", at+on, nil).Data(t)
		require.Equal(t, first["profile"], earlier["profile"])
		require.Equal(t, true, earlier["boundary_outdated"])
		c.Expect(200, "GET", at+"chart.svg"+on, nil)
		c.Expect(404, "GET", at+"?boundary_id=999999", nil)
		c.Expect(404, "GET", at+on+"&index_code=EVI", nil)
		c.Expect(400, "GET", at+"?boundary_id=x", nil)
		other.Expect(404, "GET", at+on, nil)

		c.Expect(200, "PATCH", path("field", land.Field), map[string]any{"boundary": rig.GeoJSON(t, scaled(parcel, 0.6))})
		refused := c.Expect(409, "POST", at+"recompute/", nil).Map(t)
		require.Equal(t, "boundary_too_different", refused["code"])
		details := refused["details"].(map[string]any)
		require.InEpsilon(t, 1.44, details["area_ha"].(float64)/details["charged_area_ha"].(float64), 1e-2)

		// A series that has yet to be computed is not recomputed.
		later := c.Make("season/", map[string]any{"name": "later", "start_date": "2099-01-01", "end_date": "2099-12-31"})
		waiting := int64(c.Expect(200, "POST", rig.OrdersPath, map[string]any{"field_uuid": land.FieldUUID, "season_id": later}).Data(t)["order_id"].(float64))
		c.Until(waiting, "pending")
		require.Equal(t, "order_state", c.Expect(409, "POST", rig.OrdersPath+itoa(waiting)+"/recompute/", nil).Map(t)["code"])
	})
}

// An order whose season brings no accepted point fails with its reason, costs nothing and may be placed again.
func TestNoPointNoCharge(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		c := s.Company("owner", 1000_00)
		land := c.Land(rig.Square(100, 0), "2025-05-01", "2025-05-31")
		order := int64(c.Expect(200, "POST", rig.OrdersPath, land.OrderBody()).Data(t)["order_id"].(float64))
		failed := c.Until(order, "failed")
		require.Equal(t, "No scene of the imagery archive covers the field in the season.", *failed.Reason)
		require.Equal(t, rig.Wallet{Balance: 1000, Held: 0, Available: 1000}, c.Wallet())
		again := c.Expect(200, "POST", rig.OrdersPath, land.OrderBody()).Data(t)
		require.Equal(t, []any{float64(order), "processing"}, []any{again["order_id"], again["status"]})
		c.Until(order, "failed")
		require.Equal(t, rig.Wallet{Balance: 1000, Held: 0, Available: 1000}, c.Wallet())
	})
}
