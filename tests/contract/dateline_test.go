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

// corner is the upper left corner of a tile of the synthetic archive, and of the land that the tests place below it.
var corner = geo.Position{X: 397_600, Y: 4_627_000}

// relocated is a file of that tile with its corner at another place, in UTM zone 60 south.
func relocated(t *testing.T, content []byte, to geo.Position) []byte {
	t.Helper()
	for was, is := range map[float64]float64{corner.X: to.X, corner.Y: to.Y} {
		old := binary.LittleEndian.AppendUint64(nil, math.Float64bits(was))
		require.Equal(t, 1, bytes.Count(content, old))
		content = bytes.Replace(content, old, binary.LittleEndian.AppendUint64(nil, math.Float64bits(is)), 1)
	}
	old := binary.LittleEndian.AppendUint16([]byte{0, 12, 0, 0, 1, 0}, 32630) // the key of a projected coordinate system: 3072
	require.Equal(t, 1, bytes.Count(content, old))
	return bytes.Replace(content, old, binary.LittleEndian.AppendUint16(old[:6:6], 32760), 1)
}

// movedRaster is a band of the synthetic archive with its middle at another place, in UTM zone 60 south.
func movedRaster(t *testing.T, to geo.Position) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(rig.Archive(t).Dir, "30TUM", "*", "B04.tif"))
	require.NoError(t, err)
	content, err := os.ReadFile(found[len(found)/2])
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "clay.tif")
	require.NoError(t, os.WriteFile(file, relocated(t, content, geo.Position{X: math.Round(to.X) - 1280, Y: math.Round(to.Y) + 1280}), 0o600))
	return file
}

// An area of interest with fields on both sides of 180°, of farms in two countries: from its creation to the estimate.
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

// movedArchive is a tile of the synthetic archive, with its bands of NDVI, whose corner is at another place, in UTM zone 60 south.
func movedArchive(t *testing.T, utm geo.UTM, to geo.Position) string {
	t.Helper()
	archive, folder := rig.Archive(t).Dir, t.TempDir()
	document := func(file string) (out map[string]any) {
		raw, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(bytes.ReplaceAll(raw, []byte("30TUM"), []byte("60KZE")), &out))
		return out
	}
	write := func(name string, v any) {
		raw, ok := v.([]byte)
		if !ok {
			var err error
			raw, err = json.Marshal(v)
			require.NoError(t, err)
		}
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(folder, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), raw, 0o600))
	}
	const size = 2560
	tile := utm.Unproject(geo.MultiPolygon{rectangle(to, 0, 0, size, size)})
	box := tile.InOnePiece().Bounds()
	footprint, err := tile.InOnePiece().OnGlobe(nil)
	require.NoError(t, err)
	require.Len(t, footprint, 2, "on both sides of 180°")
	items, err := filepath.Glob(filepath.Join(archive, "30TUM", "*", "*.json"))
	require.NoError(t, err)
	links := []any{}
	for _, file := range items {
		item := document(file)
		item["geometry"], item["bbox"] = footprint, []float64{box.MinX, box.MinY, box.MaxX - 360, box.MaxY}
		item["properties"].(map[string]any)["proj:epsg"] = 32760
		day := "60KZE/" + filepath.Base(filepath.Dir(file)) + "/"
		for name, one := range item["assets"].(map[string]any) {
			asset := one.(map[string]any)
			band := strings.TrimPrefix(asset["href"].(string), "./")
			if band != "B04.tif" && band != "B08.tif" && band != "SCL.tif" {
				delete(item["assets"].(map[string]any), name)
				continue
			}
			transform := asset["proj:transform"].([]any)
			transform[2], transform[5] = to.X, to.Y
			content, err := os.ReadFile(filepath.Join(filepath.Dir(file), band))
			require.NoError(t, err)
			write(day+band, relocated(t, content, to))
		}
		name := day + strings.ReplaceAll(filepath.Base(file), "30TUM", "60KZE")
		write(name, item)
		links = append(links, map[string]any{"rel": "item", "href": "./" + name})
	}
	collection, catalog := document(filepath.Join(archive, "collection.json")), document(filepath.Join(archive, "catalog.json"))
	collection["links"] = links
	catalog["links"] = []any{map[string]any{"rel": "child", "href": "./collection.json"}}
	write("collection.json", collection)
	write("catalog.json", catalog)
	return folder
}

// rectangle returns a rectangle some metres to the right of a corner and below it.
func rectangle(at geo.Position, left, top, right, bottom float64) geo.Polygon {
	return geo.Polygon{{
		{X: at.X + left, Y: at.Y - bottom}, {X: at.X + right, Y: at.Y - bottom}, {X: at.X + right, Y: at.Y - top}, {X: at.X + left, Y: at.Y - top}, {X: at.X + left, Y: at.Y - bottom},
	}}
}

// ndviOf returns the grids and the NDVI layers of areas of interest, each of several fields that are rectangles below a corner.
func ndviOf(t *testing.T, imagery string, utm geo.UTM, at geo.Position, areas ...[]geo.Polygon) (grids []any, layers []map[string]any) {
	t.Helper()
	s := rig.Start(t, rig.Options{Imagery: imagery})
	c := s.Company(access.RoleOwner, 1000_00)
	s.Subscribe(c)
	for _, fields := range areas {
		var uuids []string
		for _, field := range fields {
			for i := range field[0] {
				field[0][i].X += at.X
				field[0][i].Y += at.Y
			}
			boundary, err := utm.Unproject(geo.MultiPolygon{field}).Rounded(8).OnGlobe(nil)
			require.NoError(t, err)
			require.Len(t, boundary, 1, "a field lies on one side")
			uuids = append(uuids, c.Land(boundary, "2025-03-01", "2025-10-31").FieldUUID)
		}
		order := c.Make(ordersOfAOIs, map[string]any{"aoi_id": c.Make(aoisPath, map[string]any{"name": "Both sides", "field_uuids": uuids})})
		c.UntilStratified(order, "active")
		made := c.Expect(200, http.MethodGet, ordersOfAOIs+itoa(order)+"/layers/", nil).Data(t)
		grids, layers = append(grids, made["epsg"]), append(layers, made["layers"].([]any)[0].(map[string]any))
	}
	return grids, layers
}

// The NDVI of land on both sides of 180° is that of the same pixels elsewhere, whichever of the two UTM zones its grid is in.
func TestLayersOfImageryAcrossTheAntimeridian(t *testing.T) {
	t.Parallel()
	home, err := geo.NewUTM(32630)
	require.NoError(t, err)
	utm, err := geo.NewUTM(32760)
	require.NoError(t, err)
	middle := utm.Forward(geo.Position{X: 180, Y: -17})
	// A whole number of pixels of both widths from the old place: the cells of a grid of zone 60 contain the same pixels.
	moved := geo.Position{X: corner.X + 20*math.Round((middle.X-1280-corner.X)/20), Y: corner.Y + 20*math.Round((middle.Y+1280-corner.Y)/20)}
	areas := func() [][]geo.Polygon {
		east := func() geo.Polygon { return rectangle(geo.Position{}, 1310, 300, 1860, 800) }
		return [][]geo.Polygon{
			{rectangle(geo.Position{}, 500, 600, 1250, 1100), east()}, // most of it in the east of zone 60
			{rectangle(geo.Position{}, 1000, 600, 1250, 1100), east()},
		}
	}
	_, want := ndviOf(t, "", home, corner, areas()...)
	grids, got := ndviOf(t, movedArchive(t, utm, moved), utm, moved, areas()...)
	require.Equal(t, []any{32760.0, 32701.0}, grids)
	for i, apart := range []float64{1e-9, 2e-3} { // cells of zone 1 lie askew to the pixels of zone 60
		require.Equal(t, []any{"ndvi_mean", nil, 1.0}, []any{got[i]["name"], got[i]["dropped"], got[i]["valid_share"]})
		for _, figure := range []string{"mean", "sd"} {
			require.InEpsilon(t, want[i][figure], got[i][figure], apart, "%s of area %d", figure, i)
		}
		for _, member := range []string{"years", "dates"} {
			require.Equal(t, want[i]["provenance"].(map[string]any)[member], got[i]["provenance"].(map[string]any)[member])
		}
	}
}
