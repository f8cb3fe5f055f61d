package clients_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/core/access"
	"tilth/tests/rig"
)

// A third-party validator finds the catalogue, collections and items valid, against the published schemas of STAC and of GeoJSON.
func TestSTACIsValid(t *testing.T) {
	t.Parallel()
	has(t, "npm", "TILTH_CLIENTS")
	in := copied(t, "../../tests/clients/stac")
	args := schemasOfSTAC(t)
	run(t, in, "npm", "ci", "--no-audit", "--no-fund")

	company := rig.Start(t, rig.Options{}).Company(access.RoleOwner, 1000_00)
	land := company.Land(rig.Archive(t).Parcels[0].Boundary, "2025-03-01", "2025-10-31")
	company.Until(int64(company.Expect(200, "POST", rig.OrdersPath, land.OrderBody()).Data(t)["order_id"].(float64)), "active")
	season := map[string]any{"field_uuid": land.FieldUUID, "season_id": land.Season}
	for product, body := range map[string]map[string]any{"vegetation-index-map": season, "zoning-map": season, "elevation-map": {"field_uuid": land.FieldUUID}} {
		at := "maps/" + product + "/orders/"
		order := rig.Itoa(int64(company.Expect(200, "POST", at, body).Data(t)["order_id"].(float64)))
		rig.Eventually(t, func() bool {
			return company.Expect(200, "GET", at+order+"/", nil).Data(t)["status"] == "active"
		}, 5*time.Minute, 50*time.Millisecond)
	}
	asked := []string{"stac/"}
	for _, id := range []string{"vegetation-index-profile", "vegetation-index-map", "zoning-map", "elevation-map", "soil-map"} {
		asked = append(asked, "stac/collections/"+id)
		if id != "soil-map" { // it has no registered raster
			asked = append(asked, "stac/collections/"+id+"/items?limit=3")
		}
	}
	for _, path := range asked {
		name := strings.NewReplacer("/", "-", "?", "-").Replace(path) + ".json"
		require.NoError(t, os.WriteFile(filepath.Join(in, name), company.Expect(200, "GET", path, nil).Body, 0o600))
		args = append(args, name)
	}
	said := run(t, in, filepath.Join(in, "node_modules/.bin/stac-node-validator"), args...)
	require.Contains(t, said, "Valid: "+rig.Itoa(int64(len(asked))))
	require.Contains(t, said, "Invalid: 0")
}

// schemasOfSTAC returns the arguments for the published schemas: in a folder of a clone of the specification, or at their address.
func schemasOfSTAC(t *testing.T) []string {
	t.Helper()
	const geojson = "https://geojson.org/schema/"
	args := []string{"--verbose", "--schemaMap", geojson + "Feature.json=node_modules/geojson-schema/Feature.json;" + geojson + "Geometry.json=node_modules/geojson-schema/Geometry.json"}
	if folder := os.Getenv("TILTH_STAC_SPEC"); folder != "" {
		return append(args, "--schemas", folder)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	ask, err := http.NewRequestWithContext(ctx, http.MethodHead, "https://schemas.stacspec.org/v1.0.0/item-spec/json-schema/item.json", nil)
	require.NoError(t, err)
	answer, err := http.DefaultClient.Do(ask)
	if err != nil {
		t.Skip("LEFT OUT: the validator of STAC, whose schemas cannot be reached. Fix: name a clone of the specification (radiantearth/stac-spec, v1.0.0) by TILTH_STAC_SPEC.")
	}
	require.NoError(t, answer.Body.Close())
	return args
}
