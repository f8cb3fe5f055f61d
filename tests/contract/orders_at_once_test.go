package contract

import (
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/tests/rig"
)

// Many callers place the same order at once, alone and in batches, and another product of the same field: each order
// exists once, all callers get an answer, and the field is charged once.
func TestOrdersOfAFieldAtOnce(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		c := s.Company("owner", 1000_00)
		land := c.Land(rig.Archive(t).Parcels[0].Boundary, "2025-05-01", "2025-05-31")
		order := map[string]any{"field_uuid": land.FieldUUID, "season_id": land.Season}
		charge := c.Expect(200, "POST", rig.OrdersPath+"quote/", order).Data(t)["charge"]
		before := c.Wallet().Available
		var all sync.WaitGroup
		for range 3 {
			for path, body := range map[string]any{rig.OrdersPath: order, rig.OrdersPath + "batch/": []any{order}, "maps/elevation-map/orders/": map[string]any{"field_uuid": land.FieldUUID}} {
				all.Go(func() {
					// A late caller may find an existing profile.
					if a := c.Do("POST", path, body); a.Status != http.StatusOK && a.Status != http.StatusConflict {
						t.Errorf("%s: %d %s", path, a.Status, a.Body)
					}
				})
			}
		}
		all.Wait()
		for _, path := range []string{rig.OrdersPath, "maps/elevation-map/orders/"} {
			var there []struct{ ID int64 }
			c.Expect(200, "GET", path, nil).Into(t, &there)
			require.Len(t, there, 1, path)
		}
		require.InDelta(t, charge, before-c.Wallet().Available, 1e-9)
	})
}
