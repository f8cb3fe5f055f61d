package contract

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/tests/rig"
)

// names returns a member of every record of a list, in the order of the list.
func names[T any](t *testing.T, c *rig.Client, list, member string) []T {
	t.Helper()
	var out []T
	for _, r := range c.Expect(200, "GET", list, nil).Data(t)["results"].([]any) {
		out = append(out, r.(map[string]any)[member].(T))
	}
	return out
}

func TestListsAreOrderedAndNarrowed(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		c := s.Company("owner", 0)
		var farms []any
		for _, name := range []string{"beta", "Alpha", "gamma", "alpha", "Ärger", "ZZ_top 50%"} {
			farms = append(farms, map[string]any{"name": name, "external_id": "key " + name})
		}
		c.Expect(200, "POST", "farm/", farms)
		require.Equal(t, []string{"Alpha", "alpha", "beta", "gamma", "ZZ_top 50%", "Ärger"}, names[string](t, c, "farm/?ordering=name", "name"), "ties by id")
		require.Equal(t, []string{"Ärger", "ZZ_top 50%", "gamma", "beta", "alpha", "Alpha"}, names[string](t, c, "farm/?ordering=-name", "name"))
		require.Equal(t, []string{"alpha", "Alpha"}, names[string](t, c, "farm/?ordering=name,-id&page_size=2", "name"))
		require.Equal(t, []string{"ZZ_top 50%", "Ärger"}, names[string](t, c, "farm/?ordering=-created_at&page_size=2", "name"), "one transaction, so ties")
		require.Equal(t, []string{"Ärger"}, names[string](t, c, "farm/?search="+url.QueryEscape("äRG"), "name"))
		require.Equal(t, []string{"ZZ_top 50%"}, names[string](t, c, "farm/?search="+url.QueryEscape("p 50%"), "name"))
		require.Equal(t, []string{"gamma"}, names[string](t, c, "farm/?external_id=key%20gamma", "name"))
		require.Empty(t, names[string](t, c, "farm/?external_id=KEY%20gamma", "name"))
		for _, bad := range []string{"ordering=colour", "ordering=", "ordering=name,,id", "updated_since=yesterday"} {
			a := c.Expect(400, "GET", "farm/?"+bad, nil).Map(t)
			require.Contains(t, a["details"], strings.SplitN(bad, "=", 2)[0], bad)
		}

		// What was written after a moment, and nothing else.
		all := c.Expect(200, "GET", "farm/?page=all", nil).Data(t)["results"].([]any)
		since, err := time.Parse(time.RFC3339Nano, all[0].(map[string]any)["updated_at"].(string))
		require.NoError(t, err)
		after := "updated_since=" + url.QueryEscape(since.Add(time.Microsecond).Format(time.RFC3339Nano))
		require.Empty(t, names[string](t, c, "farm/?"+after, "name"))
		id := int64(all[2].(map[string]any)["id"].(float64))
		c.Expect(200, "PATCH", path("farm", id), `{"city":"x"}`)
		require.Equal(t, []string{"gamma"}, names[string](t, c, "farm/?"+after, "name"))

		for i, side := range []float64{300, 100, 200} {
			c.Make("field/", map[string]any{"name": itoa(int64(i)), "farm_id": id, "boundary": rig.GeoJSON(t, rig.Square(side, i))})
		}
		c.Make("field/", map[string]any{"name": "none", "farm_id": id})
		require.Equal(t, []string{"none", "1", "2", "0"}, names[string](t, c, "field/?ordering=area_ha", "name"))
		for _, dates := range [][2]string{{"2025-03-01", "2025-09-01"}, {"2024-10-01", "2025-07-01"}, {"2025-01-01", "2025-12-31"}} {
			c.Make("season/", map[string]any{"name": dates[0], "start_date": dates[0], "end_date": dates[1]})
		}
		require.Equal(t, []string{"2024-10-01", "2025-01-01", "2025-03-01"}, names[string](t, c, "season/?ordering=start_date", "start_date"))
		require.Equal(t, []string{"2025-12-31", "2025-09-01", "2025-07-01"}, names[string](t, c, "season/?ordering=-end_date", "end_date"))

		// The pages of an ordered list together are the list.
		whole := names[string](t, c, "farm/?ordering=-name&page=all", "name")
		var paged []string
		for n := int64(1); n <= 3; n++ {
			paged = append(paged, names[string](t, c, "farm/?ordering=-name&page_size=2&page="+itoa(n), "name")...)
		}
		require.Equal(t, whole, paged)
		crops := names[string](t, c, "crop/?ordering=-name&page=all", "name")
		require.True(t, slices.IsSortedFunc(crops, func(a, b string) int { return strings.Compare(b, a) }))
	})
}

func TestCultivationsAndOrdersAreSearched(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		c := s.Company("owner", 1000_00)
		land := c.Land(rig.Square(300, 0), "2025-01-01", "2025-12-31")
		for search, want := range map[string]int{"wheat": 1, "FIELD": 1, "season": 1, "maize": 0} {
			require.EqualValues(t, want, c.Expect(200, "GET", "cultivation/?ordering=-updated_at&search="+search, nil).Data(t)["count"], search)
		}
		c.Expect(200, "POST", rig.OrdersPath, land.OrderBody())
		for query, want := range map[string]int{
			"search=fiel": 1, "search=meadow": 0, "ordering=-start_date,id": 1, "updated_since=2000-01-01T00:00:00Z": 1, "updated_since=2999-01-01T00:00:00Z": 0,
		} {
			var orders []json.RawMessage
			c.Expect(200, "GET", rig.OrdersPath+"?"+query, nil).Into(t, &orders)
			require.Len(t, orders, want, query)
		}
	})
}

func TestFieldsAsGeoJSON(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		c := s.Company("owner", 0)
		const geo = "application/geo+json"
		empty := send(t, s, c, "GET", "field/", nil, "Accept", geo)
		require.JSONEq(t, `{"type":"FeatureCollection","features":[]}`, string(empty.Body))
		land := c.Land(rig.Square(300, 0), "2025-01-01", "2025-12-31")
		c.Make("field/", map[string]any{"name": "<bare> & plain", "farm_id": land.Farm})

		a := send(t, s, c, "GET", "field/?ordering=-id", nil, "Accept", geo)
		require.Equal(t, 200, a.Status, "%s", a.Body)
		require.Equal(t, geo, a.Header.Get("Content-Type"))
		require.Equal(t, "2", a.Header.Get("X-Total-Count"))
		collection := a.Map(t)
		require.Equal(t, "FeatureCollection", collection["type"])
		features := collection["features"].([]any)
		require.Len(t, features, 2)
		require.Nil(t, features[0].(map[string]any)["geometry"])
		field := features[1].(map[string]any)
		require.Equal(t, "Feature", field["type"])
		require.EqualValues(t, land.Field, field["id"])
		shown := c.Expect(200, "GET", path("field", land.Field), nil).Data(t)
		require.Equal(t, shown["boundary"], field["geometry"])
		require.Equal(t, shown["bbox"], field["bbox"])
		properties := field["properties"].(map[string]any)
		require.NotContains(t, properties, "boundary", "the geometry is the boundary")
		require.Equal(t, shown["area_ha"], properties["area_ha"])
		require.Equal(t, shown["farm"], properties["farm"])

		named := c.Do("GET", "field/?ordering=-id&format=geojson", nil)
		require.Equal(t, geo, named.Header.Get("Content-Type"))
		require.JSONEq(t, string(a.Body), string(named.Body), "an address chooses the form, for tools that send no header")
		require.Contains(t, named.Header.Get("Link"), "format=geojson", "on every page")
		require.NotContains(t, send(t, s, c, "GET", "field/?format=json", nil, "Accept", geo).Map(t), "features", "the address counts more than the header")
		require.Contains(t, string(c.Expect(400, "GET", "field/?format=kml", nil).Body), "json, geojson")
		require.Equal(t, geo, c.Do("GET", path("field", land.Field)+"?format=geojson", nil).Header.Get("Content-Type"))

		page := send(t, s, c, "GET", "field/?page_size=1&search=plain", nil, "Accept", geo)
		require.Len(t, page.Map(t)["features"], 1)
		require.Equal(t, 404, send(t, s, c, "GET", "field/?page=9", nil, "Accept", geo).Status)
		require.Equal(t, 400, send(t, s, c, "GET", "field/?farm=x", nil, "Accept", geo).Status)

		one := send(t, s, c, "GET", path("field", land.Field), nil, "Accept", geo)
		require.Equal(t, geo, one.Header.Get("Content-Type"))
		require.Equal(t, field["geometry"], one.Map(t)["geometry"])
		require.Equal(t, 304, send(t, s, c, "GET", path("field", land.Field), nil, "Accept", geo, "If-None-Match", one.Header.Get("ETag")).Status)
		require.Equal(t, 200, send(t, s, c, "PATCH", path("field", land.Field), `{"notes":"x"}`, "If-Match", one.Header.Get("ETag")).Status)
		require.Equal(t, 404, send(t, s, s.Company("owner", 0), "GET", path("field", land.Field), nil, "Accept", geo).Status)
	})
}
