package contract

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/vegetation"
	"tilth/tests/rig"
)

// An order carries its own mask and data set; other masks and data sets are further readings of it, at no charge.
func TestReadingsOfAnOrder(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		c := s.Company("owner", 1000_00)
		land := c.Land(rig.Archive(t).Parcels[0].Boundary, "2025-05-01", "2025-06-30")
		plain := land.OrderBody()
		for member, bad := range map[string]any{"mask": "blue", "dataset": "sentinel-1", "index_code": "LAI"} {
			body := land.OrderBody()
			body[member] = bad
			for _, path := range []string{"", "quote/"} {
				refused := c.Expect(400, "POST", rig.OrdersPath+path, body).Map(t)
				require.Contains(t, refused["details"], member, path)
			}
			items := c.Expect(200, "POST", rig.OrdersPath+"batch/", []any{body}).Data(t)["items"].([]any)
			require.Contains(t, items[0].(map[string]any)["errors"], member)
		}
		with := land.OrderBody()
		with["mask"], with["dataset"] = "dilate:1,strict", nil
		require.Contains(t, c.Expect(400, "POST", rig.OrdersPath, with).Map(t)["details"], "mask", "strict may only come first")
		with["mask"], with["dataset"] = "strict,dilate:1", "sentinel-2-l2a"
		id := int64(c.Expect(200, "POST", rig.OrdersPath, with).Data(t)["order_id"].(float64))
		c.Until(id, "active")
		c.Expect(409, "POST", rig.OrdersPath, plain)
		path := rig.OrdersPath + itoa(id) + "/"
		own := c.Expect(200, "GET", path, nil).Data(t)
		require.Equal(t, []any{"strict,dilate:1", "sentinel-2-l2a", "NDVI"}, []any{own["mask"], own["dataset"], own["index_code"]})
		charged := c.Wallet().Balance

		read := func(query string) map[string]any {
			t.Helper()
			got := c.Expect(200, "GET", path+query, nil).Data(t)
			require.Equal(t, "active", got["status"], query)
			return got
		}
		standard := read("?mask=standard&dataset=all&detail=true")
		require.Equal(t, []any{"standard", "all", "NDVI"}, []any{standard["mask"], standard["dataset"], standard["index_code"]})
		require.GreaterOrEqual(t, len(standard["profile"].([]any)), len(own["profile"].([]any)), "a mask that leaves less out accepts no fewer dates")
		evi := read("?index_code=EVI")
		require.Equal(t, []any{"strict,dilate:1", "sentinel-2-l2a", "EVI"}, []any{evi["mask"], evi["dataset"], evi["index_code"]}, "what is left open is as ordered")
		buffered := read("?mask=out:1,2,3,8,9,10,11,buffer:20,coverage:0.90&detail=true")
		require.Equal(t, "standard,buffer:20,coverage:0.9", buffered["mask"])
		require.Less(t, pixelsOf(t, buffered), pixelsOf(t, standard), "the buffer takes pixels away")

		harmonised := read("?dataset=harmonised&mask=standard")
		require.Equal(t, "harmonised", harmonised["dataset"])
		for _, p := range harmonised["profile"].([]any) {
			sensor := p.(map[string]any)["sensor"].(map[string]any)
			require.Equal(t, "sentinel-2-l2a", sensor["dataset"])
			require.Contains(t, sensor["not_adjusted"], "brdf")
		}
		require.NotContains(t, standard["profile"].([]any)[0], "sensor", "points of other readings are as the specification has them")
		narrow := c.Expect(200, "GET", path+"?mask=buffer:500", nil).Data(t)
		require.Equal(t, []any{"failed", "The field is too narrow for the buffer of 500 m: no pixel is left."}, []any{narrow["status"], narrow["reason"]})
		none := c.Expect(200, "GET", path+"?dataset=hls-l30", nil).Data(t)
		require.Equal(t, []any{"failed", "No scene of the imagery archive covers the field in the season."}, []any{none["status"], none["reason"]})
		clouds := c.Expect(200, "GET", path+"?mask=cloud:40", nil).Data(t)
		require.Equal(t, "failed", clouds["status"])
		require.Contains(t, clouds["reason"], "The scene has no cloud probability")

		wrong := c.Expect(400, "GET", path+"?index_code=LAI&mask=blue&dataset=sentinel-1", nil).Map(t)["details"].(map[string]any)
		for member, allowed := range map[string]string{"index_code": "NDVI, GNDVI", "mask": "Write standard, strict or out:", "dataset": "all, sentinel-2-l2a, hls-s30, hls-l30, landsat-c2-l2, harmonised"} {
			require.Contains(t, wrong[member].([]any)[0], allowed)
		}
		c.Expect(404, "GET", path+"?mask=strict&boundary_id=999999", nil)
		s.Company("owner", 0).Expect(404, "GET", path+"?mask=strict", nil)

		rows := table(t, c.Expect(200, "GET", path+"export.csv?mask=standard&dataset=all", nil))
		require.Equal(t, []string{"standard", "all"}, []string{rows[0]["mask"], rows[0]["dataset"]})
		for query, mask := range map[string]string{"": "strict,dilate:1", "?mask=standard&dataset=all": "standard"} {
			var line map[string]any
			require.NoError(t, json.Unmarshal(c.Expect(200, "GET", seriesPath+query, nil).Body, &line))
			require.Equal(t, mask, line["mask"])
		}
		require.Empty(t, strings.TrimSpace(string(c.Expect(200, "GET", seriesPath+"?mask=coverage:0.7", nil).Body)), "no order has it stored")
		c.Expect(400, "GET", seriesPath+"?mask=blue", nil)
		require.InDelta(t, charged, c.Wallet().Balance, 0, "readings cost nothing")

		// There are seven; further ones are refused once the order has the maximum.
		for i := range vegetation.MaxReadings - 7 {
			c.Expect(200, "GET", fmt.Sprint(path, "?mask=buffer:", i+1, ".5"), nil)
		}
		refused := c.Expect(409, "GET", path+"?mask=buffer:99", nil).Map(t)
		require.Equal(t, "limit_reached", refused["code"])
		require.EqualValues(t, vegetation.MaxReadings, refused["details"].(map[string]any)["limit"])
		read("?mask=standard&dataset=all")
	})
}

// pixelsOf returns the number of pixels of the field that count.
func pixelsOf(t *testing.T, profile map[string]any) float64 {
	t.Helper()
	observations := profile["observations"].([]any)
	require.NotEmpty(t, observations)
	return observations[0].(map[string]any)["n_polygon"].(float64)
}
