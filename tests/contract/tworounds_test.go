package contract

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/imagery/cog"
	"tilth/core/access"
	"tilth/core/geo"
	"tilth/core/vegetation"
	"tilth/tests/realdata"
	"tilth/tests/rig"
)

// survey is two rounds of sampling of a plan, over HTTP.
type survey struct {
	t       *testing.T
	c       *rig.Client
	plan    string
	weights map[int]float64 // of the strata
}

// soils returns the planned samples of a round by point.
func (s survey) soils(round int) map[string]map[string]any {
	s.t.Helper()
	out := map[string]map[string]any{}
	for _, r := range s.c.Expect(200, http.MethodGet, fmt.Sprintf("%s?plan_uuid=%s&round=%d", samplesPath, s.plan, round), nil).Map(s.t)["data"].([]any) {
		row := r.(map[string]any)
		out[row["point"].(string)] = row
	}
	return out
}

// stockOfPct is the stock per per cent of carbon in the soil of a point: with a bulk density of 1.3, 1 % is 39 t C/ha down to 30 cm.
const stockOfPct = 1.3 * 30

// carbonOf returns the carbon of a point in g/kg, to a tenth: the later round has about 1 g/kg more.
func carbonOf(zone, place, round int) float64 {
	g := 10 + 2*float64(zone) + 1.5*math.Sin(float64(7*place+zone)) + float64(round-1)*(1+0.2*math.Cos(float64(5*place)))
	return math.Round(10*g) / 10
}

// analyse sends the laboratory's table of a round, without dates, and returns the stocks by point.
func (s survey) analyse(round int, leave, also map[string]bool) map[string]float64 {
	s.t.Helper()
	out := map[string]float64{}
	var table strings.Builder
	table.WriteString("Sample ID;SOC [g/kg];BD [kg/m3];Stones [%]\n")
	for point, row := range s.soils(round) {
		if leave[point] || row["role"] != "sample" && !also[point] {
			continue
		}
		zone, place := 0, 0
		_, err := fmt.Sscanf(strings.Replace(point, "-R", "-9", 1), "Z%d-%d", &zone, &place)
		require.NoError(s.t, err, point)
		g := carbonOf(zone, place, round)
		fmt.Fprintf(&table, "%s;%s;1300;0\n", row["label"], strings.Replace(fmt.Sprint(g), ".", ",", 1))
		out[point] = g / 10 * stockOfPct
	}
	answer := s.c.Upload(samplesPath+"import/", "text/csv", strings.NewReader(table.String()))
	require.Equal(s.t, 200, answer.Status, "%s", answer.Body)
	require.EqualValues(s.t, len(out), answer.Data(s.t)["updated"])
	return out
}

// surveyed returns the saved plan of a field with the strip along its edges as a stratum, with samples of two rounds.
func surveyed(t *testing.T, c *rig.Client, land rig.Land) (s survey, aoi, order int64) {
	t.Helper()
	s = survey{t: t, c: c, weights: map[int]float64{}}
	aoi = c.Make(aoisPath, map[string]any{"field_uuids": []string{land.FieldUUID}, "name": "Pivot"})
	order = c.Make(ordersOfAOIs, map[string]any{"aoi_id": aoi})
	c.UntilStratified(order, "active")
	maps := c.Expect(200, http.MethodPost, "soil/stratification/maps/generate/", map[string]any{"order": order, "min_zones": 2, "max_zones": 2}).Data(t)
	plan := c.Expect(200, http.MethodPost, "soil/stratification/sample-plan/generate/", map[string]any{
		"map_uuid": maps["candidates"].([]any)[0].(map[string]any)["map_uuid"], "number_of_samples": 18, "edge": "stratum", "min_samples_per_zone": 4, "seed": 1,
	}).Data(t)
	s.plan = plan["map_uuid"].(string)
	strata := plan["metadata"].(map[string]any)["per_zone"].([]any)
	for _, z := range strata {
		zone := z.(map[string]any)
		s.weights[int(zone["zone"].(float64))] = zone["weight"].(float64)
	}
	require.Equal(t, true, strata[2].(map[string]any)["edge"])
	c.Expect(200, http.MethodPost, "soil/stratification/sample-plan/"+s.plan+"/save/", map[string]any{})
	for round, day := range map[int]string{1: "2019-03-01", 2: "2024-03-01"} {
		c.Expect(200, http.MethodPost, samplesPath, map[string]any{"plan": s.plan, "round": round, "sampled_on": day, "depths": []any{map[string]any{"from": 0, "to": 30}}})
	}
	return s, aoi, order
}

// The chain over two rounds on a real field, from its imagery to the line of an assessment. Between the rounds one
// point is replaced by its reserve, one is missed, and another is added; the strip along the edges is a stratum.
func TestTwoRoundsOfValladolid(t *testing.T) {
	t.Parallel()
	folder := realdata.Path(t, "satellite", "s2-spain-valladolid-2019")
	outline, err := os.ReadFile(filepath.Join(folder, "field.geojson"))
	require.NoError(t, err)
	boundary, err := geo.ParseGeoJSON(nil, outline, geo.DefaultLimits())
	require.NoError(t, err)
	database := rig.SQLite(t)
	server := rig.Start(t, rig.Options{Database: database, Imagery: folder})
	c := server.Company(access.RoleOwner, 1000_00)
	server.Subscribe(c)
	runJSON(t, database, "price", "set", "--service", "SOC", "--per-ha", "2")
	land := c.Land(boundary.Geometry(), "2019-01-01", "2019-12-31")
	s, aoi, order := surveyed(t, c, land)
	paid := c.Wallet()
	carbon := map[string]any{"aoi_id": aoi, "map_type": "SOC"}
	refused := c.Expect(409, http.MethodPost, ordersOfAOIs, carbon).Map(t)
	require.Equal(t, "samples_missing", refused["code"])
	require.NotEmpty(t, refused["details"].(map[string]any)["missing"])
	require.Equal(t, paid, c.Wallet(), "no money moved")

	before := s.analyse(1, nil, nil)
	c.Expect(200, http.MethodPatch, samplesPath+itoa(int64(s.soils(2)["Z1-01"]["id"].(float64)))+"/", map[string]any{"status": "missed"})
	after := s.analyse(2, map[string]bool{"Z1-01": true, "Z2-01": true}, map[string]bool{"Z1-R01": true, "Z3-R01": true})
	estimate := c.Expect(200, http.MethodGet, "soil/stratification/sample-plan/"+s.plan+
		"/estimate/?round=2&compare="+s.plan+"&compare_round=1&confidence=0.95", nil).Data(t)
	change := s.checkChange(estimate["change"].(map[string]any)["stock"].(map[string]any), before, after)

	// The change is the line of soil carbon of an assessment of the field.
	body := plainWheat(t)
	body["resource_type"], body["resource_id"] = "field", land.Field
	body["soil"] = map[string]any{"soil_class": "high_activity_clay", "carbon_method": "measured", "sample_plan": s.plan, "sample_round": 2}
	body["growing_area"] = map[string]any{"value": estimate["area_ha"], "unit": "ha"}
	id, _ := assess(t, c, body)
	report := c.Expect(200, http.MethodGet, assessmentAt(id)+"impact-report/", nil).Data(t)
	soil := report["soil_carbon"].(map[string]any)
	require.Equal(t, "measured", soil["method"])
	estimates := soil["estimates"].([]any)
	used := estimates[len(estimates)-1].(map[string]any)
	for member, of := range map[string]string{"change_t_c_ha_yr": "mean", "low": "low", "high": "high"} {
		require.InDelta(t, change[of].(float64)/(1827/365.25), used[member], 1e-4, of)
	}
	require.Equal(t, "soil_carbon", report["removals_by_source"].([]any)[0].(map[string]any)["label"])
	c.Expect(200, http.MethodPost, assessmentAt(id)+"submit/", nil)

	s.orderCarbon(carbon, order, boundary.Geometry())
}

// checkChange compares a change between the rounds with the pairs, and returns the change of the area.
func (s survey) checkChange(stock map[string]any, before, after map[string]float64) map[string]any {
	t := s.t
	t.Helper()
	zones, area := stock["zones"].([]any), stock["aoi"].(map[string]any)
	require.Len(t, zones, 3, "two zones and the strip along the edges")
	mean := 0.0
	for _, z := range zones {
		zone := z.(map[string]any)
		number := int(zone["zone"].(float64))
		sum, pairs := 0.0, 0
		for point, later := range after {
			if earlier, ok := before[point]; ok && strings.HasPrefix(point, fmt.Sprintf("Z%d-", number)) {
				sum, pairs = sum+later-earlier, pairs+1
			}
		}
		require.Equal(t, true, zone["paired"], number)
		require.EqualValues(t, pairs, zone["pairs"], number)
		within := 1e-9
		if number == 1 {
			within = 0.1 // the replaced point counts with its share of the variance
			require.EqualValues(t, pairs+1, zone["n"])
		}
		require.InDelta(t, sum/float64(pairs), zone["mean"], within, number)
		require.InDelta(t, s.weights[number], zone["weight"], 1e-9, number)
		mean += s.weights[number] * zone["mean"].(float64)
	}
	require.Empty(t, stock["reasons"])
	require.InDelta(t, mean, area["mean"], 1e-9)
	require.InDelta(t, 3.9, mean, 0.4, "1 g/kg is 3.9 t C/ha")
	require.Less(t, area["standard_error"], 0.3, "as of pairs; independent samples of these values have 1.5 or so")
	require.Less(t, area["low"], mean)
	require.Greater(t, area["high"], mean)
	return area
}

// orderCarbon orders the map of soil carbon of the newest round, and reads it in all its forms.
func (s survey) orderCarbon(carbon map[string]any, strata int64, field geo.MultiPolygon) {
	t, c := s.t, s.c
	t.Helper()
	balance := c.Wallet().Balance
	quote := c.Expect(200, http.MethodGet, aoisPath+itoa(carbon["aoi_id"].(int64))+"/price/", nil).Data(t)
	price := quote["charges"].([]any)[1].(map[string]any)
	require.Equal(t, []any{"SOC", 2.0}, []any{price["map_type"], price["price_per_unit"]})
	id := c.Make(ordersOfAOIs, carbon)
	done := c.UntilStratified(id, "active")
	require.Equal(t, []any{"SOC", price["total_price"]}, []any{done["map_type"], done["charge"]})
	require.Equal(t, map[string]any{"plan": s.plan, "round": 2.0, "depth_from_cm": 0.0, "depth_to_cm": 30.0, "confidence": 0.9}, done["soc"])
	require.InDelta(t, balance-done["charge"].(float64), c.Wallet().Balance, 1e-9)
	require.Zero(t, c.Wallet().Held)
	c.Expect(400, http.MethodPost, "soil/stratification/maps/generate/", map[string]any{"order": id})

	path := ordersOfAOIs + itoa(id) + "/carbon/"
	c.Expect(404, http.MethodGet, ordersOfAOIs+itoa(strata)+"/carbon/", nil)
	made := c.Expect(200, http.MethodGet, path, nil).Data(t)
	estimate := c.Expect(200, http.MethodGet, "soil/stratification/sample-plan/"+s.plan+"/estimate/?round=2", nil).Data(t)["stock"].(map[string]any)
	require.Equal(t, estimate["aoi"], made["aoi"].(map[string]any)["stock"])
	require.Equal(t, estimate["total"], made["total"])
	zones := made["zones"].([]any)
	stocks := [3]map[float32]bool{{}, {}, {}} // mean, low, high
	for h, z := range zones {
		zone := z.(map[string]any)
		require.Equal(t, h == 2, zone["edge"])
		for band, member := range []string{"mean", "low", "high"} {
			v := zone["stock"].(map[string]any)[member].(float64)
			require.InDelta(t, estimate["zones"].([]any)[h].(map[string]any)[member], v, 1e-12)
			stocks[band][float32(v)] = true
		}
	}

	var collection struct {
		Features []struct {
			Properties map[string]any
			Geometry   geo.MultiPolygon
		}
	}
	require.NoError(t, json.Unmarshal(c.Expect(200, http.MethodGet, path+"export/", nil).Body, &collection))
	require.Len(t, collection.Features, 3)
	whole := 0.0
	for h, f := range collection.Features {
		require.True(t, f.Geometry.IsValid(), "stratum %d", h+1)
		require.InDelta(t, zones[h].(map[string]any)["area_ha"], geo.AreaM2(f.Geometry)/1e4, 0.5, "stratum %d", h+1)
		require.Contains(t, f.Properties, "stock_high_t_c_ha")
		whole += geo.AreaM2(f.Geometry)
	}
	require.InEpsilon(t, geo.AreaM2(field), whole, 1e-3, "the strata are the field")
	tif := filepath.Join(t.TempDir(), "carbon.tif")
	require.NoError(t, os.WriteFile(tif, c.Expect(200, http.MethodGet, path+"export/?format=tif", nil).Body, 0o600))
	source, err := cog.FromFile(tif)
	require.NoError(t, err)
	for band, known := range stocks {
		numbers, err := cog.OpenNumbers(t.Context(), source, "carbon.tif", band+1)
		require.NoError(t, err)
		grid := numbers.Grid()
		got, err := numbers.Read(t.Context(), vegetation.Window{Width: grid.Width, Height: grid.Height})
		require.NoError(t, err)
		cells := 0
		for _, v := range got.Values {
			if !math.IsNaN(v) {
				require.True(t, known[float32(v)], "%g is of no zone", v)
				cells++
			}
		}
		require.InEpsilon(t, geo.AreaM2(field)/100, float64(cells), 0.01, "cells of 10 m")
		utm, err := geo.NewUTM(grid.EPSG)
		require.NoError(t, err)
		box := utm.Project(field).Bounds()
		require.InDelta(t, box.MinX, grid.OriginX, 20)
		require.InDelta(t, box.MaxY, grid.OriginY, 20)
	}
	require.Contains(t, string(c.Expect(200, http.MethodGet, path+"preview.svg", nil).Body), "edges")
	require.Contains(t, string(c.Expect(200, http.MethodGet, path+"export/?format=csv", nil).Body), "stock_low_t_c_ha")
}
