package contract

import (
	"net/http"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/cli"
	"tilth/core/access"
	"tilth/tests/rig"
)

// Every map product other than the index map is refused, charged and shared as that is: an empty wallet orders nothing, a second
// order costs nothing, and a grant of the product, and of no other, lets another company order on a field and see what its owner has.
func TestEveryProductOfMapsIsChargedAndShared(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		objects := "file:" + t.TempDir()
		s := rig.Start(t, rig.Options{Database: database, Config: func(c *cli.Config) { c.ObjectsURL, c.RateLimit = objects, 0 }})
		rasters, err := filepath.Glob(filepath.Join(rig.Archive(t).Dir, "30TUM", "*", "B04.tif"))
		require.NoError(t, err)
		runJSON(t, database, "layer", "add", "--name", "clay", "--file", rasters[0], "--objects-url", objects)
		for path, product := range map[string]string{zoningMapsPath: "zoning-map", elevationMapsPath: "elevation-map", soilMapsPath: "soil-map"} {
			grower, buyer, poor := s.Company(access.RoleOwner, 1000_00), s.Company(access.RoleOwner, 1000_00), s.Company(access.RoleOwner, 1)
			order := func(c *rig.Client, land rig.Land) map[string]any {
				body := map[string]any{"field_uuid": land.FieldUUID}
				if path == zoningMapsPath {
					body["season_id"] = c.Make("season/", map[string]any{"name": "s", "start_date": "2025-04-01", "end_date": "2025-08-31"})
				}
				return body
			}
			listed := func(c *rig.Client, query string) []any {
				return c.Expect(200, http.MethodGet, path+query, nil).Map(t)["data"].([]any)
			}
			own := order(poor, poor.Land(rig.Archive(t).Parcels[1].Boundary, "2025-05-01", "2025-06-30"))
			require.Equal(t, "insufficient_credit", poor.Expect(402, http.MethodPost, path, own).Map(t)["code"], product)
			require.Empty(t, listed(poor, ""), product)
			require.InDelta(t, 0.01, poor.Wallet().Available, 1e-9, "%s: nothing is held", product)

			land := grower.Land(rig.Archive(t).Parcels[0].Boundary, "2025-05-01", "2025-06-30")
			body := order(buyer, land)
			others := joined(t, grower, buyer, map[string]any{"target": "all", "slugs": []string{"field.view", "vi-map.view", "vi-map.create"}})
			require.Contains(t, buyer.Expect(400, http.MethodPost, path, body).Map(t)["details"], "field_uuid", "a grant of maps of indices gives no %s", product)
			grower.Expect(204, http.MethodDelete, others, nil)
			grant := joined(t, grower, buyer, map[string]any{"target": "all", "slugs": []string{"field.view", product + ".view", product + ".create"}})
			bought := mapAt(t, buyer, path, body)
			require.Equal(t, "active", bought["status"], "%s: %v", product, bought["reason"])
			require.Less(t, buyer.Wallet().Balance, 1000.0)
			require.InDelta(t, 1000.0, grower.Wallet().Balance, 1e-9)
			again := buyer.Expect(409, http.MethodPost, path, body).Map(t)
			require.Equal(t, []any{"duplicate_map", bought["map_uuid"]}, []any{again["code"], again["details"].(map[string]any)["map_uuid"]}, product)

			theirs := mapAt(t, grower, path, order(grower, land))
			at := path + itoa(int64(theirs["order_id"].(float64))) + "/"
			require.Len(t, listed(grower, ""), 1, product)
			require.Len(t, listed(buyer, ""), 1, product)
			require.Len(t, listed(buyer, "?share=true"), 2, product)
			buyer.Expect(404, http.MethodGet, at, nil)
			for _, below := range []string{"", "statistics/", "style/"} {
				buyer.Expect(200, http.MethodGet, at+below+"?share=true", nil)
			}
			buyer.Expect(404, http.MethodPost, at+"recompute/?share=true", nil)
			grower.Expect(204, http.MethodDelete, grant, nil)
			buyer.Expect(404, http.MethodGet, at+"?share=true", nil)
			require.Empty(t, listed(buyer, "?share=true"), product)
		}
	})
}
