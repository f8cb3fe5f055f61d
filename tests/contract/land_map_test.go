package contract

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/cli"
	"tilth/core/access"
	"tilth/core/geo"
	"tilth/tests/rig"
)

const (
	elevationMapsPath = "maps/elevation-map/orders/"
	soilMapsPath      = "maps/soil-map/orders/"
)

// layersOfMap returns the layers of a map by their names.
func layersOfMap(made map[string]any) map[string]map[string]any {
	out := map[string]map[string]any{}
	for _, l := range made["layers"].([]any) {
		out[l.(map[string]any)["name"].(string)] = l.(map[string]any)
	}
	return out
}

// An elevation map needs only a field, and is charged once together with all other products.
func TestAnElevationMap(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		c, other := s.Company(access.RoleOwner, 1000_00), s.Company(access.RoleOwner, 1000_00)
		outline := rig.Archive(t).Parcels[0].Boundary
		land := c.Land(outline, "2025-05-01", "2025-05-31")
		for name, value := range map[string]any{"season_id": land.Season, "date": "2025-05-01", "index_code": "NDVI", "no_of_classes": 3} {
			for _, below := range []string{"", "quote/"} {
				require.Contains(t, c.Expect(400, http.MethodPost, elevationMapsPath+below, map[string]any{"field_uuid": land.FieldUUID, name: value}).Map(t)["details"], name)
			}
		}
		quote := c.Expect(200, http.MethodPost, elevationMapsPath+"quote/", map[string]any{"field_uuid": land.FieldUUID}).Data(t)
		require.Nil(t, quote["scenes"], "no scene is looked for")
		made := mapAt(t, c, elevationMapsPath, map[string]any{"field_uuid": land.FieldUUID})
		require.Equal(t, []any{"active", true}, []any{made["status"], made["synthetic"]}, made["reason"])
		require.InDelta(t, 1000-quote["charge"].(float64), c.Wallet().Balance, 1e-9)
		layers := layersOfMap(made)
		for _, name := range []string{"elevation", "slope", "aspect", "twi"} {
			require.NotEmpty(t, layers[name]["items"], name)
			require.Nil(t, layers[name]["reason"])
		}
		at := elevationMapsPath + itoa(int64(made["order_id"].(float64))) + "/"
		require.Equal(t, "duplicate_map", c.Expect(409, http.MethodPost, elevationMapsPath, map[string]any{"field_uuid": land.FieldUUID}).Map(t)["code"])
		drawn := mapAt(t, c, elevationMapsPath, map[string]any{"field_boundary": rig.GeoJSON(t, rig.Archive(t).Parcels[1].Boundary)})
		require.Equal(t, "active", drawn["status"])
		require.Len(t, drawn["outline"], 64)
		other.Expect(404, http.MethodGet, at+"contours/", nil)
		heard, _ := listen(t, s.URL, c.Token, "", "?last_event_id=0&type=elevation_map_completed").next()
		require.Contains(t, heard.data, `"map_uuid":"`+made["map_uuid"].(string)+`"`)

		figures := c.Expect(200, http.MethodGet, at+"statistics/?layer=elevation", nil).Data(t)["layers"].([]any)[0].(map[string]any)
		require.Len(t, figures["histogram"], 20)
		var contours struct {
			Interval float64
			Method   string
			Features []struct {
				Properties struct {
					Height float64
					Items  []any
				}
				Geometry struct {
					Type        string
					Coordinates [][][2]float64
				}
			}
		}
		require.NoError(t, json.Unmarshal(c.Expect(200, http.MethodGet, at+"contours/?interval=2", nil).Body, &contours))
		require.InDelta(t, 2, contours.Interval, 0)
		require.NotEmpty(t, contours.Features)
		box := outline.Bounds()
		for _, f := range contours.Features {
			require.True(t, f.Properties.Height >= figures["min"].(float64) && f.Properties.Height <= figures["max"].(float64))
			require.Equal(t, layers["elevation"]["items"], f.Properties.Items)
			for _, line := range f.Geometry.Coordinates {
				for _, p := range line {
					require.True(t, box.Grown(1e-6).Contains(geo.Position{X: p[0], Y: p[1]}))
				}
			}
		}
		place := outline.Centroid()
		value := c.Expect(200, http.MethodGet, at+fmt.Sprintf("value/?lon=%v&lat=%v", place.X, place.Y), nil).Data(t)["values"].([]any)[0].(map[string]any)
		require.True(t, value["value"].(float64) >= figures["min"].(float64) && value["value"].(float64) <= figures["max"].(float64))
		require.Equal(t, []any{true, layers["elevation"]["items"], layers["elevation"]["method"]}, []any{value["synthetic"], value["items"], value["method"]}, "every answer says what it was made from, and how")
		require.Equal(t, layers["elevation"]["method"], figures["method"])
		require.Contains(t, contours.Method, layers["elevation"]["method"].(string)+"; contours")
		for _, none := range []string{"0.001", "0"} {
			require.Contains(t, c.Expect(400, http.MethodGet, at+"contours/?interval="+none, nil).Map(t)["details"], "interval")
		}
		c.Expect(404, http.MethodGet, at+"zones/", nil)
		for _, file := range []string{"aspect.png", "slope.svg", "twi.tif"} {
			c.Expect(200, http.MethodGet, at+"maps/"+file, nil)
		}
		c.Expect(200, http.MethodGet, at+"tiles/0/0/0.png?layer=aspect&resampling=bilinear", nil)
		c.Expect(404, http.MethodGet, at+"tiles/0/0/0.png?layer=none", nil)
		require.Equal(t, "compass", c.Expect(200, http.MethodGet, at+"style/?layer=aspect", nil).Data(t)["family"])

		// It is recomputed on the current outline.
		c.Expect(200, http.MethodPatch, path("field", land.Field), map[string]any{"boundary": rig.GeoJSON(t, scaled(outline, 0.5))})
		c.Expect(200, http.MethodPost, at+"recompute/", nil)
		rig.Eventually(t, func() bool {
			return c.Expect(200, http.MethodGet, at, nil).Data(t)["boundary_outdated"] == false
		}, 10*time.Minute, 20*time.Millisecond)
		less := c.Expect(200, http.MethodGet, at+"statistics/?layer=elevation", nil).Data(t)["layers"].([]any)[0].(map[string]any)
		require.Less(t, less["n_polygon"], figures["n_polygon"])
	})
}

// A soil map is made from the rasters that the operator registered; where none covers the field it fails and costs nothing.
func TestASoilMap(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		objects := "file:" + t.TempDir()
		s := rig.Start(t, rig.Options{Database: database, Config: func(c *cli.Config) { c.ObjectsURL = objects }})
		c := s.Company(access.RoleOwner, 1000_00)
		land := c.Land(rig.Archive(t).Parcels[0].Boundary, "2025-05-01", "2025-05-31")
		body := map[string]any{"field_uuid": land.FieldUUID}
		none := mapAt(t, c, soilMapsPath, body)
		require.Equal(t, "failed", none["status"])
		require.Contains(t, none["reason"], "tilth layer add")
		require.InDelta(t, 1000.0, c.Wallet().Available, 1e-9)

		rasters, err := filepath.Glob(filepath.Join(rig.Archive(t).Dir, "30TUM", "*", "B04.tif"))
		require.NoError(t, err)
		others, err := filepath.Glob(filepath.Join(rig.Archive(t).Dir, "30TVM", "*", "B04.tif"))
		require.NoError(t, err)
		runJSON(t, database, "layer", "add", "--name", "far_away", "--file", others[0], "--objects-url", objects)
		runJSON(t, database, "layer", "add", "--name", "clay", "--file", rasters[0], "--objects-url", objects, "--description", "Clay, g/kg")
		runJSON(t, database, "layer", "add", "--name", "soil_type", "--file", rasters[1], "--objects-url", objects, "--classes")
		made := mapAt(t, c, soilMapsPath, body)
		require.Equal(t, []any{"active", none["order_id"]}, []any{made["status"], made["order_id"]}, "the same order: %v", made["reason"])
		require.Less(t, c.Wallet().Balance, 1000.0)
		layers := layersOfMap(made)
		require.Equal(t, []any{"Clay, g/kg", "measure"}, []any{layers["clay"]["title"], layers["clay"]["kind"]})
		require.Contains(t, layers["far_away"]["reason"], "does not reach")
		require.Equal(t, "numbers", layers["soil_type"]["kind"])
		require.Len(t, layers["clay"]["checksum"], 64)
		at := soilMapsPath + itoa(int64(made["order_id"].(float64))) + "/"
		figures := c.Expect(200, http.MethodGet, at+"statistics/", nil).Data(t)["layers"].([]any)
		require.Len(t, figures, 2)
		require.NotNil(t, figures[0].(map[string]any)["mean"])
		require.Nil(t, figures[1].(map[string]any)["mean"], "names of classes have no mean")
		require.NotEmpty(t, figures[1].(map[string]any)["classes"])
		c.Expect(200, http.MethodGet, at+"maps/soil_type.png", nil)
		c.Expect(404, http.MethodGet, at+"contours/", nil)
		place := rig.Archive(t).Parcels[0].Boundary.Centroid()
		values := c.Expect(200, http.MethodGet, at+fmt.Sprintf("value/?lon=%v&lat=%v", place.X, place.Y), nil).Data(t)
		require.Contains(t, fmt.Sprint(values), "clay")
		item := c.Expect(200, http.MethodGet, "stac/collections/soil-map/items/", nil).Map(t)["features"].([]any)[0].(map[string]any)["id"].(string)
		require.Equal(t, item, c.Expect(200, http.MethodGet, "stac/collections/soil-map/items/"+item+"/", nil).Map(t)["id"])
		require.Equal(t, made["order_id"], c.Expect(200, http.MethodPost, at+"recompute/", nil).Data(t)["order_id"])
		heard, _ := listen(t, s.URL, c.Token, "", "?last_event_id=0&type=soil_map_completed").next()
		require.Contains(t, heard.data, `"layers":2`)
	})
}

// Missing files of a map are made again when someone requests one, at no charge, and are the same.
func TestFilesOfALandMapAreMadeAgain(t *testing.T) {
	t.Parallel()
	files := t.TempDir()
	s := rig.Start(t, rig.Options{Database: rig.SQLite(t), Config: func(c *cli.Config) { c.ObjectsURL = "file:" + files }})
	c := s.Company(access.RoleOwner, 1000_00)
	land := c.Land(rig.Archive(t).Parcels[0].Boundary, "2025-03-01", "2025-10-31")
	for at, body := range map[string]map[string]any{
		elevationMapsPath: {"field_uuid": land.FieldUUID}, zoningMapsPath: {"field_uuid": land.FieldUUID, "season_id": land.Season},
	} {
		made := mapAt(t, c, at, body)
		require.Equal(t, "active", made["status"], made["reason"])
		paid, order := c.Wallet(), at+itoa(int64(made["order_id"].(float64)))+"/"
		stored, err := filepath.Glob(filepath.Join(files, "maps", "*.tif"))
		require.NoError(t, err)
		require.NotEmpty(t, stored)
		for _, file := range stored {
			require.NoError(t, os.Remove(file))
		}
		layer := made["layers"].([]any)[0].(map[string]any)["name"].(string)
		require.Equal(t, "map_file_expired", c.Expect(503, http.MethodGet, order+"maps/"+layer+".tif", nil).Map(t)["code"])
		rig.Eventually(t, func() bool { return c.Do(http.MethodGet, order+"maps/"+layer+".tif", nil).Status == 200 }, 10*time.Minute, 20*time.Millisecond)
		again := c.Expect(200, http.MethodGet, order, nil).Data(t)
		require.Equal(t, []any{made["layers"], made["updated_at"]}, []any{again["layers"], again["updated_at"]}, "nothing has changed")
		require.Equal(t, paid, c.Wallet())
	}
}
