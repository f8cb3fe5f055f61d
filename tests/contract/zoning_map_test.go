package contract

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"image/png"
	"math"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/imagery/mapfile"
	"tilth/core/access"
	"tilth/core/geo"
	"tilth/core/indexmap"
	"tilth/tests/rig"
)

const zoningMapsPath = "maps/zoning-map/orders/"

// A zoning map is ordered and charged as an index map is, and states which seasons it is made from.
func TestAZoningMap(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		c, other := s.Company(access.RoleOwner, 1000_00), s.Company(access.RoleOwner, 1000_00)
		outline := rig.Archive(t).Parcels[0].Boundary
		land := c.Land(outline, "2025-03-01", "2025-10-31")
		body := map[string]any{"field_uuid": land.FieldUUID, "season_id": land.Season, "no_of_classes": 4}
		quote := c.Expect(200, http.MethodPost, zoningMapsPath+"quote/", body).Data(t)
		require.Positive(t, quote["charge"])
		made := mapAt(t, c, zoningMapsPath, body)
		require.Equal(t, "active", made["status"], made["reason"])
		require.InDelta(t, 1000-quote["charge"].(float64), c.Wallet().Balance, 1e-9)
		require.Equal(t, []any{"zoning_map", "NDVI", true, 1.0}, []any{made["product"], made["index_code"], made["synthetic"], made["seasons_found"]})
		require.Contains(t, made["warnings"].([]any)[0], "a single season")
		season := made["seasons"].([]any)[0].(map[string]any)
		require.Equal(t, []any{"2025-03-01", "2025-10-31", true}, []any{season["start_date"], season["end_date"], season["used"]})
		require.NotEmpty(t, season["items"])
		zones, ha := made["zones"].([]any), 0.0
		require.GreaterOrEqual(t, len(zones), 2)
		for i, one := range zones {
			z := one.(map[string]any)
			require.EqualValues(t, i+1, z["number"])
			if ha += z["area_ha"].(float64); i > 0 {
				require.Greater(t, z["mean"], zones[i-1].(map[string]any)["mean"])
			}
		}
		require.InDelta(t, geo.AreaM2(outline)/10_000, ha, 1e-3, "together the zones are the field")

		at := zoningMapsPath + itoa(int64(made["order_id"].(float64))) + "/"
		again := c.Expect(409, http.MethodPost, zoningMapsPath, body).Map(t)
		require.Equal(t, "duplicate_map", again["code"])
		require.Equal(t, made["map_uuid"], again["details"].(map[string]any)["map_uuid"])
		index := mapOf(t, c, map[string]any{"field_uuid": land.FieldUUID, "season_id": land.Season})
		require.Equal(t, "active", index["status"])
		require.InDelta(t, 1000-quote["charge"].(float64), c.Wallet().Balance, 1e-9, "a field is charged once over all products")
		other.Expect(404, http.MethodGet, at, nil)
		other.Expect(404, http.MethodGet, at+"zones/", nil)
		c.Expect(404, http.MethodGet, viMapsPath+itoa(int64(made["order_id"].(float64)))+"/", nil)
		viewer := s.User(c.CompanyID, "viewer")
		viewer.Expect(200, http.MethodGet, at, nil)
		require.Equal(t, "zoning-map.create", viewer.Expect(403, http.MethodPost, zoningMapsPath, body).Map(t)["details"].(map[string]any)["required_permission"])
		heard, _ := listen(t, s.URL, c.Token, "", "?last_event_id=0&type=zoning_map_completed").next()
		require.Contains(t, heard.data, `"map_uuid":"`+made["map_uuid"].(string)+`"`)
		require.NotEmpty(t, c.Expect(200, http.MethodGet, "audit/?resource=zoning-map", nil).Map(t)["data"])

		checkZoneSheets(t, c, at, outline, len(zones))
		checkZoneFiles(t, c, at, len(zones))
	})
}

// checkZoneSheets looks at the layers as pictures, tiles, files and figures.
func checkZoneSheets(t *testing.T, c *rig.Client, at string, outline geo.MultiPolygon, zones int) {
	t.Helper()
	for _, layer := range []string{"zones", "mean", "peak_2025"} {
		_, err := png.DecodeConfig(bytes.NewReader(c.Expect(200, http.MethodGet, at+"maps/"+layer+".png", nil).Body))
		require.NoError(t, err)
	}
	drawing := string(c.Expect(200, http.MethodGet, at+"maps/zones.svg", nil).Body)
	for _, text := range []string{"Zones;", "SYNTHETIC", "Zone 1: ", "WARNING"} {
		require.True(t, strings.Contains(drawing, text), "the picture does not say %q", text)
	}
	file := c.Expect(200, http.MethodGet, at+"maps/zones.tif", nil)
	l, err := mapfile.Files{}.ReadLayer(t.Context(), bytes.NewReader(file.Body), int64(len(file.Body)))
	require.NoError(t, err)
	require.Equal(t, []any{"zones", indexmap.Numbers, true}, []any{l.Subject.Name, l.Subject.Kind, l.Synthetic})
	for i, inside := range l.Inside {
		require.Equal(t, inside, !math.IsNaN(l.Values[i]))
	}
	missing := c.Expect(404, http.MethodGet, at+"maps/slope.png", nil).Map(t)
	require.Equal(t, "map_layer", missing["code"])
	require.Contains(t, missing["details"].(map[string]any)["layers"], "zones")
	require.Contains(t, c.Expect(400, http.MethodGet, at+"maps/zones.png?classes=3", nil).Map(t)["details"], "classes")
	place := outline.Centroid()
	values := c.Expect(200, http.MethodGet, at+fmt.Sprintf("value/?lon=%v&lat=%v", place.X, place.Y), nil).Data(t)["values"].([]any)
	require.Equal(t, "zones", values[0].(map[string]any)["layer"])
	require.Equal(t, true, values[0].(map[string]any)["in_field"])
	figures := c.Expect(200, http.MethodGet, at+"statistics/", nil).Data(t)["layers"].([]any)
	require.Len(t, figures[0].(map[string]any)["classes"], zones)
	require.Nil(t, figures[0].(map[string]any)["mean"], "numbers of zones have no mean")
	require.InDelta(t, 0, figures[1].(map[string]any)["mean"], 1e-6, "the field lies as much above itself as below")
	require.Equal(t, "numbers", c.Expect(200, http.MethodGet, at+"style/", nil).Data(t)["kind"])
	require.Equal(t, "active", c.Expect(200, http.MethodPost, at+"recompute/", nil).Data(t)["status"], "what is there stays until it is made anew")
	link := c.Expect(200, http.MethodPost, at+"links/", map[string]any{}).Data(t)
	tile := strings.NewReplacer("{z}", "0", "{x}", "0", "{y}", "0").Replace(link["tiles"].(string))
	answer, err := http.Get(tile)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Equal(t, 200, answer.StatusCode)
}

// checkZoneFiles reads the zones in every format, and the prescription.
func checkZoneFiles(t *testing.T, c *rig.Client, at string, zones int) {
	t.Helper()
	rates := []string{"180", "160", "140", "120", "100", "90", "80"}[:zones]
	var found struct {
		Items    []string
		Method   string
		Features []struct {
			Properties struct {
				Zone int
				Rate *float64
				Unit string
			}
			Geometry struct{ Type string }
		}
	}
	require.NoError(t, json.Unmarshal(c.Expect(200, http.MethodGet, at+"zones/?rates="+strings.Join(rates, ","), nil).Body, &found))
	require.Len(t, found.Features, zones)
	require.NotEmpty(t, found.Items)
	require.Contains(t, found.Method, "k-means")
	require.InDelta(t, 180.0, *found.Features[0].Properties.Rate, 0)
	require.Equal(t, "kg/ha", found.Features[0].Properties.Unit)
	require.Contains(t, string(c.Expect(200, http.MethodGet, at+"zones/?format=kml", nil).Body), "<name>Zone 1</name>")
	require.Contains(t, c.Expect(400, http.MethodGet, at+"zones/?rates=1", nil).Map(t)["details"], "rates")
	require.Contains(t, c.Expect(400, http.MethodGet, at+"zones/?rates=a,b", nil).Map(t)["details"], "rates")
	shapes := unzipped(t, c.Expect(200, http.MethodGet, at+"zones/?format=shp", nil).Body)
	require.Len(t, shapes, 5)

	task := unzipped(t, c.Expect(200, http.MethodGet, at+"zones/?format=isoxml&unit=l/ha&rates="+strings.Join(rates, ","), nil).Body)
	var data struct {
		Task struct {
			Field string `xml:"E,attr"`
			Zones []struct {
				Code int `xml:"A,attr"`
				Set  struct {
					DDI   string `xml:"A,attr"`
					Value int    `xml:"B,attr"`
				} `xml:"PDV"`
			} `xml:"TZN"`
			Grid struct {
				Cols   int `xml:"E,attr"`
				Rows   int `xml:"F,attr"`
				Length int `xml:"H,attr"`
				Type   int `xml:"I,attr"`
			} `xml:"GRD"`
		} `xml:"TSK"`
	}
	require.NoError(t, xml.Unmarshal([]byte(task["TASKDATA/TASKDATA.XML"]), &data))
	require.Len(t, data.Task.Zones, zones+1, "and what lies beside them")
	require.Zero(t, data.Task.Zones[0].Set.Value)
	require.Equal(t, "0001", data.Task.Zones[1].Set.DDI)
	require.Equal(t, 1_800_000, data.Task.Zones[1].Set.Value, "180 l/ha are 18,000 mm³/m², counted in hundredths")
	grid := task["TASKDATA/GRD00001.bin"]
	require.Len(t, grid, data.Task.Grid.Cols*data.Task.Grid.Rows)
	require.Equal(t, []int{len(grid), 1}, []int{data.Task.Grid.Length, data.Task.Grid.Type})
	codes := map[byte]bool{}
	for _, code := range []byte(grid) {
		codes[code] = true
	}
	require.Len(t, codes, zones+1)
}

// Errors in an order of a zoning map are named; a field without a usable season costs nothing.
func TestZoningMapsThatCannotBe(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{Database: rig.SQLite(t)})
	c := s.Company(access.RoleOwner, 1000_00)
	land := c.Land(rig.Archive(t).Parcels[0].Boundary, "2025-03-01", "2025-10-31")
	for name, body := range map[string]map[string]any{
		"season_id":     {"field_uuid": land.FieldUUID},
		"no_of_classes": {"field_uuid": land.FieldUUID, "season_id": land.Season, "no_of_classes": 8},
		"date":          {"field_uuid": land.FieldUUID, "season_id": land.Season, "date": "2025-06-01"},
	} {
		require.Contains(t, c.Expect(400, http.MethodPost, zoningMapsPath, body).Map(t)["details"], name)
	}
	empty := c.Make("season/", map[string]any{"name": "before the archive", "start_date": "2019-03-01", "end_date": "2019-10-31"})
	failed := mapAt(t, c, zoningMapsPath, map[string]any{"field_uuid": land.FieldUUID, "season_id": empty})
	require.Equal(t, "failed", failed["status"])
	require.Contains(t, failed["reason"], "0 acquisitions")
	require.InDelta(t, 1000.0, c.Wallet().Available, 1e-9)
	coming := c.Make("season/", map[string]any{"name": "to come", "start_date": "2099-03-01", "end_date": "2099-10-31"})
	waits := mapAt(t, c, zoningMapsPath, map[string]any{"field_uuid": land.FieldUUID, "season_id": coming})
	require.Equal(t, []any{"pending", "The season has not begun."}, []any{waits["status"], waits["reason"]})
}
