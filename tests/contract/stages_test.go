package contract

import (
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/access"
	"tilth/core/geo"
	"tilth/tests/rig"
)

// programme returns the two-stage plan of four fields of unequal area.
func programme(t *testing.T, c *rig.Client) (plan map[string]any, order int64) {
	t.Helper()
	var fields []string
	b := rig.Archive(t).Parcels[0].Boundary.Bounds()
	ends := []float64{0, 0.4, 0.7, 0.85, 1} // of adjacent fields
	for i := range 4 {
		west, east := b.MinX+ends[i]*(b.MaxX-b.MinX), b.MinX+ends[i+1]*(b.MaxX-b.MinX)
		outline := geo.MultiPolygon{{{{X: west, Y: b.MinY}, {X: east, Y: b.MinY}, {X: east, Y: b.MaxY}, {X: west, Y: b.MaxY}, {X: west, Y: b.MinY}}}}
		fields = append(fields, c.Land(outline, "2025-03-01", "2025-10-31").FieldUUID)
	}
	aoi := c.Make(aoisPath, map[string]any{"field_uuids": fields, "name": "Programme"})
	order = c.Make(ordersOfAOIs, map[string]any{"aoi_id": aoi})
	c.UntilStratified(order, "active")
	maps := c.Expect(200, http.MethodPost, mapsPath+"generate/", map[string]any{"order": order, "min_zones": 2, "max_zones": 2, "min_zone_area": 0.05}).Data(t)
	uuid := maps["candidates"].([]any)[0].(map[string]any)["map_uuid"]
	generate := func(also map[string]any) map[string]any {
		body := map[string]any{"map_uuid": uuid, "zone_offset": 5, "seed_phrase": "Ten old oaks stand here", "stages": map[string]any{"draws": 5, "points_per_field": 2}}
		for name, value := range also {
			body[name] = value
		}
		return body
	}
	for member, value := range map[string]any{
		"number_of_samples": 12, "min_samples_per_field": 3, "edge": "stratum", "placement": "spatially_balanced", "allocation": "equal",
		"stages": map[string]any{"draws": 1, "points_per_field": 2},
	} {
		refused := c.Expect(400, http.MethodPost, plansPath+"generate/", generate(map[string]any{member: value})).Map(t)
		require.Contains(t, refused["details"], member)
	}
	half := map[string]any{"stages": map[string]any{"draws": 5, "points_per_field": 2, "mean": 60, "sd_within": 9}}
	require.Contains(t, string(c.Expect(400, http.MethodPost, plansPath+"generate/", generate(half)).Body), "sd_between")
	plan = c.Expect(200, http.MethodPost, plansPath+"generate/", generate(nil)).Data(t)
	require.Equal(t, plan, c.Expect(200, http.MethodPost, plansPath+"generate/", generate(nil)).Data(t))
	return plan, order
}

// analyseDraws sends the laboratory's table of a round and returns the values, in %, by point; points for which of
// returns 0 have none.
func analyseDraws(s survey, round int, of func(draw, place int, role string) float64) map[string]float64 {
	out := map[string]float64{}
	var table strings.Builder
	table.WriteString("Sample ID;SOC [%];BD [g/cm3];Stones [%]\n")
	for point, row := range s.soils(round) {
		draw, place := 0, 0
		_, err := fmt.Sscanf(strings.Replace(point, "-R", "-9", 1), "D%d-%d", &draw, &place)
		require.NoError(s.t, err, point)
		if v := of(draw, place, row["role"].(string)); v > 0 {
			fmt.Fprintf(&table, "%s;%.3f;1.3;0\n", row["label"], v)
			out[point] = v
		}
	}
	answer := s.c.Upload(samplesPath+"import/", "text/csv", strings.NewReader(table.String()))
	require.Equal(s.t, 200, answer.Status, "%s", answer.Body)
	return out
}

// ofDraws returns the means of values by draw, and the mean of these with its standard error.
func ofDraws(values map[string]float64) (byDraw map[int]float64, mean, se float64) {
	byDraw, n := map[int]float64{}, map[int]float64{}
	for point, v := range values {
		draw := 0
		_, _ = fmt.Sscanf(point, "D%d-", &draw)
		byDraw[draw] = (byDraw[draw]*n[draw] + v) / (n[draw] + 1)
		n[draw]++
	}
	draws, squares := float64(len(byDraw)), 0.0
	for _, v := range byDraw {
		mean += v / draws
	}
	for _, v := range byDraw {
		squares += (v - mean) * (v - mean)
	}
	return byDraw, mean, math.Sqrt(squares / draws / (draws - 1))
}

// A programme in two stages over HTTP: which fields are drawn, two rounds of samples with a replaced point and a
// missing draw, and the estimates and the change that follow from its draws.
func TestPlanInTwoStages(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		server := rig.Start(t, rig.Options{Database: database})
		c := server.Company(access.RoleOwner, 1000_00)
		server.Subscribe(c)
		plan, order := programme(t, c)
		metadata := plan["metadata"].(map[string]any)
		stages := metadata["stages"].(map[string]any)
		require.EqualValues(t, 10, metadata["number_of_samples"])
		require.Equal(t, true, metadata["probability_sample"])
		drawn, chances := map[string]bool{}, 0.0
		for _, f := range stages["fields"].([]any) {
			field := f.(map[string]any)
			chances += field["chance"].(float64)
			drawn[field["field_uuid"].(string)] = len(field["draws"].([]any)) > 0
		}
		require.InDelta(t, 1, chances, 1e-9)
		visited := map[string]bool{}
		for _, p := range plan["points"].([]any) {
			visited[p.(map[string]any)["field_uuid"].(string)] = true
		}
		for uuid, was := range drawn {
			require.Equal(t, was, visited[uuid], uuid)
		}
		require.Len(t, visited, int(stages["fields_drawn"].(float64)))
		require.Contains(t, metadata["coverage"].(map[string]any)["statement"], "fields were drawn, in 5 draws")

		s := survey{t: t, c: c, plan: plan["map_uuid"].(string)}
		saved := c.Expect(200, http.MethodPost, plansPath+s.plan+"/save/", map[string]any{}).Data(t)
		require.Equal(t, []any{"d5-m2", fmt.Sprintf("10 samples in 5 draws of %d fields", len(visited))}, []any{saved["plan_tag"], saved["name"]})
		for round, day := range map[int]string{1: "2019-03-01", 2: "2024-03-01"} {
			c.Expect(200, http.MethodPost, samplesPath, map[string]any{"plan": s.plan, "round": round, "sampled_on": day, "depths": []any{map[string]any{"from": 0, "to": 30}}})
		}
		value := func(draw, place int) float64 { return 1 + 0.1*float64(draw*draw%7) + 0.05*float64(place%3) }
		before := analyseDraws(s, 1, func(draw, place int, role string) float64 {
			if role != "sample" {
				return 0
			}
			return value(draw, place)
		})
		after := analyseDraws(s, 2, func(draw, place int, role string) float64 { // draw 4 is missing, D2-01 replaced
			if draw == 4 || (role != "sample" || draw == 2 && place == 1) && (draw != 2 || place != 901) {
				return 0
			}
			return value(draw, place) + 0.02*float64(draw)
		})
		changes := map[string]float64{}
		for point, v := range after {
			if earlier, ok := before[point]; ok {
				changes[point] = v - earlier
			}
		}
		estimate := c.Expect(200, http.MethodGet, plansPath+s.plan+"/estimate/?round=2&confidence=0.95&compare="+s.plan+"&compare_round=1", nil).Data(t)
		held := func(what map[string]any, values map[string]float64, df float64) {
			t.Helper()
			byDraw, mean, se := ofDraws(values)
			area := what["aoi"].(map[string]any)
			require.InDelta(t, mean, area["mean"], 1e-9)
			require.InDelta(t, se, area["standard_error"], 1e-9)
			require.EqualValues(t, df, area["degrees_of_freedom"])
			for _, z := range what["zones"].([]any) {
				if draw := z.(map[string]any); draw["mean"] != nil {
					require.InDelta(t, byDraw[int(draw["draw"].(float64))], draw["mean"], 1e-9)
				}
			}
			require.Contains(t, fmt.Sprint(what["notes"]), "Draw 4, of ")
			require.Empty(t, what["reasons"])
		}
		soc := estimate["soc"].(map[string]any)
		held(soc, after, 3)
		held(estimate["change"].(map[string]any)["soc"].(map[string]any), changes, 3)
		for _, f := range soc["fields"].([]any) {
			field := f.(map[string]any)
			if !drawn[field["field_uuid"].(string)] {
				require.Contains(t, field["reason"], "not drawn")
				require.Nil(t, field["mean"])
			}
		}
		require.Contains(t, string(c.Expect(200, http.MethodGet, plansPath+s.plan+"/estimate/export/", nil).Body), "\ndraw,5,")
		listed := c.Expect(200, http.MethodGet, ordersOfAOIs+itoa(order)+"/generated/", nil).Map(t)["data"].([]any)
		require.EqualValues(t, 5, listed[0].(map[string]any)["outcome"].(map[string]any)["draws"])
		sheet := c.Expect(200, http.MethodGet, plansPath+s.plan+"/export/?format=pdf", nil)
		require.True(t, strings.HasPrefix(string(sheet.Body), "%PDF"))
	})
}
