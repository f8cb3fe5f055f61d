package contract

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/core/access"
	"tilth/tests/rig"
)

const (
	aoisPath     = "soil/aois/"
	ordersOfAOIs = "soil/stratification/orders/"
	dataOrders   = rig.DataOrdersPath
)

// An area of interest from its making to its stratification, as a client sees it.
func TestStratificationOrder(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		c, stranger := s.Company(access.RoleOwner, 100_00), s.Company(access.RoleOwner, 0)
		viewer := s.User(c.CompanyID, access.RoleViewer)
		land := c.Land(rig.Archive(t).Parcels[0].Boundary, "2025-03-01", "2025-10-31")
		body := map[string]any{"name": "North", "field_uuids": []string{land.FieldUUID}}

		// 401, then the slug, then the subscription, then 404, then the body.
		s.Anonymous().Expect(401, http.MethodPost, aoisPath, `{`)
		require.Equal(t, "permission_denied", viewer.Expect(403, http.MethodPost, aoisPath, `{`).Map(t)["code"])
		for _, path := range []string{aoisPath, aoisPath + "999/", aoisPath + "999/price/"} {
			require.Equal(t, "subscription_required", c.Expect(403, http.MethodGet, path, nil).Map(t)["code"])
		}
		require.Equal(t, "subscription_required", c.Expect(403, http.MethodPost, ordersOfAOIs, `{`).Map(t)["code"])
		require.Equal(t, "subscription_required", c.Expect(403, http.MethodPatch, aoisPath+"999/", `{`).Map(t)["code"])
		c.Expect(200, http.MethodGet, dataOrders, nil) // reading what was paid for needs no subscription
		runJSON(t, database, "subscription", "grant", "--company", itoa(c.CompanyID), "--service", "stratification")
		c.Expect(404, http.MethodPatch, aoisPath+"999/", `{`)
		c.Expect(400, http.MethodPost, aoisPath, `{`)
		refused := c.Expect(400, http.MethodPost, aoisPath, map[string]any{"field_uuids": []string{"00000000-0000-4000-8000-000000000000"}})
		require.Contains(t, string(refused.Body), "00000000-0000-4000-8000-000000000000")

		made := c.Expect(200, http.MethodPost, aoisPath, body).Data(t)
		id, uuid := itoa(int64(made["id"].(float64))), made["aoi_uuid"].(string)
		require.Equal(t, []any{map[string]any{"field_uuid": land.FieldUUID}}, made["aoi_fields"])
		require.NotContains(t, made, "total_saved_stratification_maps", "counters stand in the list alone")
		require.NotContains(t, made, "field_uuids")
		listed := c.Expect(200, http.MethodGet, aoisPath, nil).Map(t)["data"].([]any)[0].(map[string]any)
		require.EqualValues(t, 0, listed["total_saved_stratification_maps"])
		require.Equal(t, "South", c.Expect(200, http.MethodPatch, aoisPath+strings.ToUpper(uuid)+"/", map[string]any{"name": "South"}).Data(t)["name"])
		c.Expect(400, http.MethodPut, aoisPath+id+"/", map[string]any{"name": "No fields"})

		// Without a price, the message is the specification's.
		none := c.Expect(404, http.MethodGet, aoisPath+uuid+"/price/", nil).Map(t)
		require.Equal(t, "You do not have a subscription for stratification service.", none["message"])
		require.Equal(t, none["message"], c.Expect(404, http.MethodPost, ordersOfAOIs, map[string]any{"aoi_uuid": uuid}).Map(t)["message"])
		runJSON(t, database, "price", "set", "--service", "STR", "--per-ha", "100")
		price := c.Expect(200, http.MethodGet, aoisPath+uuid+"/price/", nil).Data(t)
		area := price["area"].(float64)
		require.Equal(t, c.Expect(200, http.MethodGet, "field/"+itoa(land.Field)+"/", nil).Data(t)["area_ha"], area)
		row := price["prices"].([]any)[0].(map[string]any)
		require.Equal(t, map[string]any{"map_type": "STR", "price_per_unit": 100.0, "total_price": row["total_price"], "aoi_area": area}, row)
		require.InDelta(t, area*100, row["total_price"], 0.01)

		// Too dear: nothing is stored. Then one order, its year, and its layers.
		c.Expect(402, http.MethodPost, ordersOfAOIs, map[string]any{"aoi_uuid": uuid})
		require.Empty(t, c.Expect(200, http.MethodGet, dataOrders, nil).Map(t)["data"])
		runJSON(t, database, "price", "set", "--service", "STR", "--per-ha", "1")
		c.Expect(404, http.MethodPost, ordersOfAOIs, map[string]any{"aoi_uuid": uuid, "map_type": "SOC"}) // it has no price
		c.Expect(400, http.MethodPost, ordersOfAOIs, map[string]any{"aoi_uuid": uuid, "map_type": "XYZ"})
		placed := c.Expect(200, http.MethodPost, ordersOfAOIs, map[string]any{"aoi_uuid": uuid}).Data(t)
		require.Equal(t, "pending", placed["status"])
		order := int64(placed["id"].(float64))
		again := c.Expect(409, http.MethodPost, ordersOfAOIs, map[string]any{"aoi_id": made["id"]}).Map(t)["details"].(map[string]any)
		require.Equal(t, placed["data_uuid"], again["data_uuid"])
		require.Equal(t, placed["next_allowed_date"], again["next_allowed_date"])
		done := c.UntilStratified(order, "active")
		require.True(t, done["synthetic"].(bool))
		require.InDelta(t, 100-placed["charge"].(float64), c.Wallet().Balance, 1e-9)
		layers := viewer.Expect(200, http.MethodGet, ordersOfAOIs+itoa(order)+"/layers/", nil).Data(t)["layers"].([]any)
		first, second := layers[0].(map[string]any), layers[1].(map[string]any)
		require.Equal(t, []any{"ndvi_mean", 1.0, nil}, []any{first["name"], first["valid_share"], first["dropped"]})
		require.Contains(t, second["dropped"], "two of them", "the archive holds one year")
		free := c.Expect(200, http.MethodGet, aoisPath+uuid+"/price/", nil).Data(t)["prices"].([]any)[0].(map[string]any)
		require.Equal(t, []any{0.0, 0.0}, []any{free["total_price"], free["price_per_unit"]})
		require.True(t, c.Expect(200, http.MethodGet, aoisPath+uuid+"/", nil).Data(t)["is_map_requested"].(bool))

		// Other companies, other methods, the end of the subscription, and the deletion.
		stranger.Expect(404, http.MethodGet, dataOrders+itoa(order)+"/", nil)
		for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
			c.Expect(405, method, dataOrders, `{}`)
			c.Expect(405, method, dataOrders+itoa(order)+"/", `{}`)
		}
		runJSON(t, database, "subscription", "revoke", "--company", itoa(c.CompanyID), "--service", "stratification")
		c.Expect(403, http.MethodDelete, aoisPath+uuid+"/", nil)
		c.Expect(200, http.MethodGet, dataOrders+itoa(order)+"/", nil)
		s.Subscribe(c)
		c.Expect(204, http.MethodDelete, aoisPath+uuid+"/", nil)
		c.Expect(404, http.MethodGet, dataOrders+itoa(order)+"/", nil)
		c.Expect(200, http.MethodPost, aoisPath+uuid+"/restore/", nil)
		c.Expect(200, http.MethodGet, dataOrders+itoa(order)+"/", nil)
	})
}

// kill -9 while an order is processing, then a restart: the order ends once, and is charged once.
func TestKilledWhileStratifying(t *testing.T) {
	t.Parallel()
	database, imagery := rig.SQLite(t), newGate(t)
	first := rig.StartProcess(t, database, imagery.URL)
	token := tokenOf(t, database)
	runJSON(t, database, "subscription", "grant", "--company", "1", "--service", "stratification")
	runJSON(t, database, "price", "set", "--service", "STR", "--per-ha", "1")
	c := rig.Remote(t, first.URL, token)
	land := c.Land(rig.Square(300, 0), "2024-01-01", "2024-12-31")
	aoi := c.Make(aoisPath, map[string]any{"field_uuids": []string{land.FieldUUID}})
	order := c.Make(ordersOfAOIs, map[string]any{"aoi_id": aoi})
	rig.Eventually(t, func() bool { return imagery.searches.Load() > 0 }, 10*time.Minute, 10*time.Millisecond)
	require.Positive(t, c.Wallet().Held)
	first.Kill()
	close(imagery.open)
	second := rig.StartProcess(t, database, imagery.URL)
	c = rig.Remote(t, second.URL, c.Token)
	failed := c.UntilStratified(order, "failed")
	require.Contains(t, failed["reason"], "No layer", "the archive is empty")
	require.Equal(t, rig.Wallet{Balance: 100, Available: 100}, c.Wallet())
	require.Contains(t, runJSON(t, database, "stratification", "retry", "--order", itoa(order)), "retries")
	c.UntilStratified(order, "failed")
	require.Zero(t, c.Wallet().Held)
}
