package contract

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/cli"
	"tilth/core/access"
	"tilth/core/geo"
	"tilth/tests/rig"
	"tilth/wire"
)

// movedRaster is a band of the synthetic archive with its middle at another place of UTM zone 60 south.
func movedRaster(t *testing.T, to geo.Position) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(rig.Archive(t).Dir, "30TUM", "*", "B04.tif"))
	require.NoError(t, err)
	content, err := os.ReadFile(found[len(found)/2])
	require.NoError(t, err)
	for was, is := range map[float64]float64{397_600: math.Round(to.X) - 1280, 4_627_000: math.Round(to.Y) + 1280} {
		old := binary.LittleEndian.AppendUint64(nil, math.Float64bits(was))
		require.Equal(t, 1, bytes.Count(content, old))
		content = bytes.Replace(content, old, binary.LittleEndian.AppendUint64(nil, math.Float64bits(is)), 1)
	}
	old := binary.LittleEndian.AppendUint16([]byte{0, 12, 0, 0, 1, 0}, 32630) // the key of a projected system: 3072
	require.Equal(t, 1, bytes.Count(content, old))
	content = bytes.Replace(content, old, binary.LittleEndian.AppendUint16(old[:6:6], 32760), 1)
	file := filepath.Join(t.TempDir(), "clay.tif")
	require.NoError(t, os.WriteFile(file, content, 0o600))
	return file
}

// An area of interest of fields on both sides of 180°, of farms in two countries: from its making to the estimate.
func TestAnAreaAcrossTheAntimeridian(t *testing.T) {
	t.Parallel()
	objects, database := "file:"+t.TempDir(), rig.SQLite(t)
	s := rig.Start(t, rig.Options{Database: database, Config: func(c *cli.Config) { c.ObjectsURL = objects }})
	c := s.Company(access.RoleOwner, 1000_00)
	s.Subscribe(c)
	utm, err := geo.NewUTM(32760)
	require.NoError(t, err)
	status := cli.Run(context.Background(), wire.Program{}, []string{"layer", "add", "--name", "clay", "--file", movedRaster(t, utm.Forward(geo.Position{X: 180, Y: -17}))},
		map[string]string{"TILTH_DATABASE_URL": database, "TILTH_OBJECTS_URL": objects, "TILTH_LOG_LEVEL": "error"}, cli.Streams{Out: &strings.Builder{}, Err: os.Stderr})
	require.Zero(t, status)

	var uuids []string
	for i, country := range []string{"fiji", "tonga"} {
		west := []float64{179.996, -180}[i]
		boundary := geo.MultiPolygon{{{{X: west, Y: -17.003}, {X: west + 0.004, Y: -17.003}, {X: west + 0.004, Y: -16.998}, {X: west, Y: -16.998}, {X: west, Y: -17.003}}}}
		land := c.Land(boundary, "2025-03-01", "2025-10-31")
		c.Expect(200, http.MethodPatch, "farm/"+itoa(land.Farm)+"/", map[string]any{"country": country})
		uuids = append(uuids, land.FieldUUID)
	}
	aoi := c.Make(aoisPath, map[string]any{"name": "Taveuni", "field_uuids": uuids})
	price := c.Expect(200, http.MethodGet, aoisPath+itoa(aoi)+"/price/", nil).Data(t)
	require.InDelta(t, 2*425.7*553.3/1e4, price["area"], 0.5, "hectares of both")
	order := c.Make(ordersOfAOIs, map[string]any{"aoi_id": aoi})
	c.UntilStratified(order, "active")
	made := candidates(t, c, map[string]any{"order": order, "min_zones": 2, "max_zones": 2})
	require.NotEmpty(t, made["candidates"], "%v", made["reason"])
	zones := recommended(t, made)
	plan := c.Expect(200, http.MethodPost, plansPath+"generate/", map[string]any{
		"map_uuid": zones, "number_of_samples": 12, "placement": "spatially_balanced", "existing_points": []any{map[string]any{"lon": -179.999, "lat": -17}},
	}).Data(t)
	uuid := plan["map_uuid"].(string)
	fields := map[any]int{}
	for _, one := range plan["points"].([]any) {
		p := one.(map[string]any)
		require.LessOrEqual(t, math.Abs(p["lon"].(float64)), 180.0)
		fields[p["field_uuid"]]++
		if p["lon"].(float64) < 0 {
			fields["west"]++
		}
	}
	require.Len(t, fields, 3, "samples on both sides: %v", fields)

	var outlines struct {
		Features []struct {
			Geometry geo.MultiPolygon
		}
	}
	require.NoError(t, json.Unmarshal(c.Expect(200, http.MethodGet, mapsPath+zones+"/export/", nil).Body, &outlines))
	area := 0.0
	for _, f := range outlines.Features {
		area += geo.AreaM2(f.Geometry) / 1e4
		for i := range f.Geometry {
			b := f.Geometry[i : i+1].Bounds()
			require.Less(t, b.MaxX-b.MinX, 1.0, "cut in two at 180°")
		}
	}
	require.InEpsilon(t, price["area"], area, 1e-3)
	for _, file := range []string{
		mapsPath + zones + "/preview.png", mapsPath + zones + "/export/?format=shp", mapsPath + zones + "/export/?format=kml", plansPath + uuid + "/preview.svg",
		plansPath + uuid + "/export/?format=gpx", plansPath + uuid + "/export/?format=csv", plansPath + uuid + "/export/?format=pdf",
	} {
		c.Expect(200, http.MethodGet, file, nil)
	}
	first := plan["points"].([]any)[0].(map[string]any)
	moved := []any{map[string]any{"op": "move", "point": first["id"], "lon": first["lon"], "lat": first["lat"].(float64) + 0.00002}}
	c.Expect(200, http.MethodPost, plansPath+uuid+"/customise/", map[string]any{"operations": moved})

	c.Expect(200, http.MethodPost, plansPath+uuid+"/save/", map[string]any{})
	c.Expect(200, http.MethodPost, samplesPath, map[string]any{"plan": uuid, "depths": []any{map[string]any{"from": 0, "to": 30}}})
	table := "label;soc_pct;bulk_density_g_cm3;collected_at;lon;lat\n"
	for i, one := range c.Expect(200, http.MethodGet, samplesPath+"?plan_uuid="+uuid, nil).Map(t)["data"].([]any) {
		sample := one.(map[string]any)
		if at := sample["planned"].(map[string]any); sample["role"] == "sample" {
			lon, err := json.Marshal([]any{at["lon"], at["lat"]})
			require.NoError(t, err)
			table += sample["label"].(string) + ";" + []string{"2.0", "2.5", "3"}[i%3] + ";1.3;2026-03-01;" + strings.Trim(strings.ReplaceAll(string(lon), ",", ";"), "[]") + "\n"
		}
	}
	taken := c.Upload(samplesPath+"import/", "text/csv", strings.NewReader(table)).Data(t)
	require.EqualValues(t, 12, taken["updated"], "%v", taken)
	require.NotContains(t, string(c.Expect(200, http.MethodGet, samplesPath+"?plan_uuid="+uuid, nil).Body), `"out_of_zone":true`)
	estimate := c.Expect(200, http.MethodGet, plansPath+uuid+"/estimate/", nil).Data(t)
	require.Positive(t, estimate["stock"].(map[string]any)["total"].(map[string]any)["standard_error"])
}
