package contract

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/tests/rig"
)

const seriesPath = "profiles/vegetation-index-profile/series/"

// Many orders are placed at once, and their series are read as one file.
func TestManyOrdersAndTheirSeries(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		c := s.Company("owner", 1000_00)
		archive := rig.Archive(t)
		land := c.Land(archive.Parcels[0].Boundary, "2025-05-01", "2025-06-30")
		uuids := []any{land.FieldUUID}
		for i := 1; i < 4; i++ {
			field := map[string]any{"name": fmt.Sprint(i), "farm_id": land.Farm, "boundary": rig.GeoJSON(t, archive.Parcels[i].Boundary)}
			uuids = append(uuids, c.Expect(200, "POST", "field/", field).Data(t)["uuid"])
		}
		var orders []any
		for _, uuid := range uuids {
			orders = append(orders, map[string]any{"field_uuid": uuid, "season_id": land.Season})
		}
		quoted := c.Expect(200, "POST", rig.OrdersPath+"quote/", orders[0]).Data(t)
		require.Positive(t, quoted["scenes"])
		nowhere := c.Expect(200, "POST", "field/", map[string]any{"name": "far", "farm_id": land.Farm, "boundary": rig.GeoJSON(t, rig.Square(100, 0))}).Data(t)["uuid"]
		require.Equal(t, 0.0, c.Expect(200, "POST", rig.OrdersPath+"quote/", map[string]any{"field_uuid": nowhere, "season_id": land.Season}).Data(t)["scenes"])

		bad := append(orders, orders[0], map[string]any{"field_uuid": "00000000-0000-4000-8000-000000000000", "season_id": land.Season},
			map[string]any{"field_uuid": uuids[0], "season_id": 999999}, map[string]any{"field_uuid": uuids[0], "season_id": land.Season, "index_code": "XYZ"},
			map[string]any{"field_uuid": "north"})
		before := c.Wallet()
		preview := c.Expect(200, "POST", rig.OrdersPath+"batch/?preview=true", bad).Data(t)
		require.Equal(t, true, preview["preview"])
		require.Equal(t, before, c.Wallet())
		c.Expect(404, "GET", rig.OrdersPath+"1/", nil)
		placed := c.Expect(200, "POST", rig.OrdersPath+"batch/", bad).Data(t)
		require.Equal(t, preview["charge"], placed["charge"])
		require.InDelta(t, placed["charge"], before.Available-c.Wallet().Available, 1e-9)
		require.Equal(t, quoted["charge"], placed["items"].([]any)[0].(map[string]any)["charge"])
		items := placed["items"].([]any)
		for i, one := range preview["items"].([]any) {
			would, is := one.(map[string]any), maps.Clone(items[i].(map[string]any))
			is["order_id"] = nil
			require.Equal(t, is, would, "a preview says what happens, but for the ids")
		}
		var got []string
		ids := map[float64]bool{}
		for i, one := range items {
			item := one.(map[string]any)
			require.EqualValues(t, i, item["index"])
			got = append(got, fmt.Sprint(item["verdict"], " ", item["code"]))
			if id, ok := item["order_id"].(float64); ok {
				ids[id] = true
			}
		}
		require.Equal(t, []string{
			"create <nil>", "create <nil>", "create <nil>", "create <nil>", "skip order_open", "fail validation_failed", "fail season_unresolved", "fail validation_failed",
			"fail validation_failed",
		}, got)
		require.Len(t, ids, 4)
		last := items[8].(map[string]any)
		require.Contains(t, last["errors"], "field_uuid")
		require.NotContains(t, last["message"], "map[")
		c.Expect(400, "POST", rig.OrdersPath+"batch/", orders[0])
		c.Expect(400, "POST", rig.OrdersPath+"batch/", make([]map[string]any, 1001))
		c.Expect(400, "POST", rig.OrdersPath+"batch/", []any{})
		for id := range ids {
			c.Until(int64(id), "active")
		}

		lines := strings.Split(strings.TrimSpace(string(c.Expect(200, "GET", seriesPath+"?season="+itoa(land.Season), nil).Body)), "\n")
		require.Len(t, lines, 4)
		points := 0
		for _, line := range lines {
			var one map[string]any
			require.NoError(t, json.Unmarshal([]byte(line), &one))
			shown := c.Expect(200, "GET", rig.OrdersPath+itoa(int64(one["order_id"].(float64)))+"/", nil).Data(t)
			profile := one["profile"].([]any)
			require.Len(t, profile, len(shown["profile"].([]any)))
			require.Equal(t, shown["profile"].([]any)[0].(map[string]any)["value"], profile[0].(map[string]any)["value"])
			require.Equal(t, shown["boundary_id"], one["boundary_id"])
			points += len(profile)
		}
		rows, err := csv.NewReader(strings.NewReader(string(c.Expect(200, "GET", seriesPath+"?format=csv", nil).Body))).ReadAll()
		require.NoError(t, err)
		require.Len(t, rows, points+1)
		var collection struct{ Features []map[string]any }
		require.NoError(t, json.Unmarshal(c.Expect(200, "GET", seriesPath+"?format=geojson&field="+itoa(land.Field), nil).Body, &collection))
		require.Len(t, collection.Features, 1)
		first := c.Expect(200, "GET", rig.OrdersPath+itoa(int64(items[0].(map[string]any)["order_id"].(float64)))+"/", nil).Data(t)
		require.Equal(t, first["profile"].([]any)[0].(map[string]any)["value"], collection.Features[0]["properties"].(map[string]any)[first["first_date"].(string)])

		for query, want := range map[string]int{"?farm=" + itoa(land.Farm): 4, "?farm=999999": 0, "?index_code=EVI": 0, "?index_code=ndvi": 4, "?share=true": 0} {
			body := strings.TrimSpace(string(c.Expect(200, "GET", seriesPath+query, nil).Body))
			require.Len(t, strings.Fields(strings.ReplaceAll(body, "\n", " ")), want, query)
		}
		c.Expect(400, "GET", seriesPath+"?format=shp", nil)
		c.Expect(400, "GET", seriesPath+"?index_code=XYZ", nil)
		require.Empty(t, s.Company("owner", 0).Expect(200, "GET", seriesPath, nil).Body)
	})
}
