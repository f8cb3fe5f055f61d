package contract

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/access"
	"tilth/core/geo"
	"tilth/tests/rig"
)

// onTheMap is a page of features.
type onTheMap struct {
	Type     string `json:"type"`
	Links    []mapLink
	Matched  *int64 `json:"numberMatched"`
	Returned int    `json:"numberReturned"`
	Features []mapFeature
}

type mapLink struct{ Href, Rel, Type string }

type mapFeature struct {
	ID       any
	Geometry *struct {
		Type        string
		Coordinates json.RawMessage
	}
	Properties map[string]any
	Links      []mapLink
}

func (p onTheMap) names() (out []string) {
	for _, f := range p.Features {
		out = append(out, f.Properties["name"].(string))
	}
	return out
}

// linked returns the address of a link as the client requests it, or an empty string if there is none.
func linked(links []mapLink, rel string) string {
	i := slices.IndexFunc(links, func(l mapLink) bool { return l.Rel == rel })
	if i < 0 {
		return ""
	}
	return links[i].Href[strings.Index(links[i].Href, "/api/"):]
}

func featuresAt(t *testing.T, c *rig.Client, address string) (out onTheMap) {
	t.Helper()
	if !strings.HasPrefix(address, "/") {
		address = "ogc/collections/" + address
	}
	got := c.Expect(200, http.MethodGet, address, nil)
	require.Equal(t, "application/geo+json", got.Header.Get("Content-Type"))
	require.NoError(t, json.Unmarshal(got.Body, &out))
	require.Equal(t, "FeatureCollection", out.Type)
	require.Equal(t, len(out.Features), out.Returned)
	for _, l := range out.Links {
		require.NotEmpty(t, l.Type)
	}
	require.NotEmpty(t, linked(out.Links, "self"))
	return out
}

func square(west, south, side float64) geo.MultiPolygon {
	return geo.MultiPolygon{{{{X: west, Y: south}, {X: west + side, Y: south}, {X: west + side, Y: south + side}, {X: west, Y: south + side}, {X: west, Y: south}}}}
}

// triangle fills the south-western half of its box.
func triangle(west, south, side float64) geo.MultiPolygon {
	return geo.MultiPolygon{{{{X: west, Y: south}, {X: west + side, Y: south}, {X: west, Y: south + side}, {X: west, Y: south}}}}
}

func collectionsOf(t *testing.T, text []byte) (out []string) {
	t.Helper()
	var all struct {
		Links       []mapLink
		Collections []struct {
			ID     string
			Links  []mapLink
			Extent *struct{ Spatial struct{ BBox [][]float64 } }
		}
	}
	require.NoError(t, json.Unmarshal(text, &all))
	require.NotEmpty(t, linked(all.Links, "self"))
	for _, c := range all.Collections {
		require.Equal(t, "/api/v1.2/ogc/collections/"+c.ID+"/items", linked(c.Links, "items"))
		out = append(out, c.ID)
	}
	return out
}

var everyCollection = []string{"farms", "fields", "cultivations", "profiles", "areas_of_interest", "zones", "sample_points", "samples"}

// Fields by name, each with a boundary except for the last.
func placedFields(t *testing.T, c *rig.Client) (farm int64, ids map[string]int64) {
	t.Helper()
	farm, ids = c.Make("farm/", map[string]any{"name": "Valley", "location": map[string]any{"type": "Point", "coordinates": []float64{-4.9, 41.7}}}), map[string]int64{}
	c.Make("farm/", map[string]any{"name": "Nowhere"})
	for _, f := range []struct {
		name string
		more map[string]any
		land geo.MultiPolygon
	}{
		{"north", map[string]any{"external_id": "N-1", "active_from": "2024-01-01", "active_to": "2024-12-31"}, square(-4.9, 41.8, 0.004)},
		{"corner", map[string]any{"active_from": "2025-03-01"}, triangle(-4.9, 41.7, 0.004)},
		{"fiji", map[string]any{"active_to": "2023-06-30"}, square(179.996, -17, 0.004)},
		{"tonga", nil, square(-180, -17, 0.004)},
		{"nowhere", nil, nil},
	} {
		body := map[string]any{"name": f.name, "farm_id": farm}
		for k, v := range f.more {
			body[k] = v
		}
		if f.land != nil {
			body["boundary"] = rig.GeoJSON(t, f.land)
		}
		ids[f.name] = c.Make("field/", body)
	}
	return farm, ids
}

func TestMapsForGIS(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		c, other := s.Company(access.RoleOwner, 0), s.Company(access.RoleOwner, 0)
		s.Subscribe(c, other)

		// A company that has nothing yet.
		require.Equal(t, everyCollection, collectionsOf(t, c.Expect(200, "GET", "ogc/collections", nil).Body))
		for _, id := range everyCollection {
			empty := featuresAt(t, c, id+"/items")
			require.Empty(t, empty.Features)
			require.Empty(t, linked(empty.Links, "next")+linked(empty.Links, "prev"))
			c.Expect(404, "GET", "ogc/collections/"+id+"/items/1", nil)
		}
		farm, ids := placedFields(t, c)
		theirs := other.Land(square(-4.9, 41.8, 0.004), "2025-01-01", "2025-12-31")

		// The entry point of clients, without the envelope.
		landing := c.Expect(200, "GET", "ogc", nil)
		var page struct{ Links []mapLink }
		require.NoError(t, json.Unmarshal(landing.Body, &page))
		for _, rel := range []string{"self", "conformance", "data"} {
			c.Expect(200, "GET", linked(page.Links, rel), nil)
		}
		require.Equal(t, "/api/v1.2/ogc/collections", linked(page.Links, "data"), "QGIS puts a slash behind it")
		for _, rel := range []string{"service-desc", "service-doc"} {
			i := slices.IndexFunc(page.Links, func(l mapLink) bool { return l.Rel == rel })
			c.Expect(200, "GET", strings.TrimPrefix(page.Links[i].Href, s.URL), nil)
		}
		require.Contains(t, string(c.Expect(200, "GET", "ogc/conformance", nil).Body), "http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/core")
		require.Contains(t, string(c.Expect(200, "GET", "ogc/collections/fields", nil).Body), `"bbox":[[-180,-17,180,41.80`)

		// All fields, each with its geometry; another company's are not included.
		all := featuresAt(t, c, "fields/items")
		require.Equal(t, []string{"north", "corner", "fiji", "tonga", "nowhere"}, all.names())
		require.EqualValues(t, 5, *all.Matched)
		require.Equal(t, "MultiPolygon", all.Features[0].Geometry.Type)
		require.Nil(t, all.Features[4].Geometry)
		c.Expect(404, "GET", fmt.Sprintf("ogc/collections/fields/items/%d", theirs.Field), nil)
		c.Expect(404, "GET", fmt.Sprintf("ogc/collections/cultivations/items/%d", theirs.Cultivation), nil)
		require.Equal(t, []string{"Valley", "Nowhere"}, featuresAt(t, c, "farms/items").names())

		// One field, with the links from it.
		one := c.Expect(200, "GET", fmt.Sprintf("ogc/collections/fields/items/%d", ids["north"]), nil)
		var f mapFeature
		require.NoError(t, json.Unmarshal(one.Body, &f))
		require.EqualValues(t, ids["north"], f.ID)
		require.Equal(t, "N-1", f.Properties["external_id"])
		for _, rel := range []string{"self", "collection", "alternate"} {
			c.Expect(200, "GET", linked(f.Links, rel), nil)
		}

		// By place: outlines count, not boxes; what has no place is everywhere.
		for box, want := range map[string][]string{
			"-5,41,-4,42":                     {"north", "corner", "nowhere"},
			"-4.899,41.701,-4.8985,41.7015":   {"corner", "nowhere"},
			"-4.8965,41.7035,-4.8961,41.7039": {"nowhere"}, // in the box of the triangle, but not in the triangle
			"-5,41.75,0,-4,41.9,100":          {"north", "nowhere"},
			"179.9,-18,180,-16":               {"fiji", "nowhere"},
			"179.999,-18,-179.99,-16":         {"fiji", "tonga", "nowhere"}, // across the antimeridian
			"-179.999,-18,-179.99,-16":        {"tonga", "nowhere"},
			"0,-18,1,-16":                     {"nowhere"},
		} {
			require.Equal(t, want, featuresAt(t, c, "fields/items?bbox="+box).names(), box)
		}
		// An area of interest of fields on both sides of 180° does not lie between them.
		var uuids []any
		for _, f := range all.Features[2:4] {
			uuids = append(uuids, f.Properties["uuid"])
		}
		c.Make(aoisPath, map[string]any{"name": "straits", "field_uuids": uuids})
		require.Equal(t, []string{"straits"}, featuresAt(t, c, "areas_of_interest/items?bbox=-179.999,-18,-179.9,-16").names())
		require.Equal(t, []string{"straits"}, featuresAt(t, c, "areas_of_interest/items?bbox=179.9,-18,-180,-16").names())
		require.Empty(t, featuresAt(t, c, "areas_of_interest/items?bbox=-170,-18,170,-16").names())
		require.Equal(t, []string{"Valley", "Nowhere"}, featuresAt(t, c, "farms/items?bbox=-5,41,-4,42").names())
		require.Equal(t, []string{"Nowhere"}, featuresAt(t, c, "farms/items?bbox=5,41,6,42").names())

		// By time, and by their properties.
		for query, want := range map[string][]string{
			"datetime=2024-06-01T00:00:00Z":                      {"north", "tonga", "nowhere"},
			"datetime=2024-12-31T23:00:00Z/2025-02-01T00:00:00Z": {"north", "tonga", "nowhere"},
			"datetime=2025-01-01/..":                             {"corner", "tonga", "nowhere"},
			"datetime=../2023-01-01":                             {"fiji", "tonga", "nowhere"},
			"datetime=/2023-01-01":                               {"fiji", "tonga", "nowhere"},
			"name=north":                                         {"north"},
			"external_id=N-1":                                    {"north"},
			fmt.Sprintf("farm_id=%d&bbox=-5,41,-4,41.75", farm):  {"corner", "nowhere"},
			"farm_id=999999":                                     nil,
		} {
			require.Equal(t, want, featuresAt(t, c, "fields/items?"+query).names(), query)
		}

		for query, names := range map[string]string{
			"bbox=1,2,3": "bbox", "bbox=1,2,3,x": "bbox", "bbox=0,50,1,40": "bbox", "bbox=0,0,0,91": "bbox", "bbox=-181,0,0,1": "bbox", "bbox=NaN,0,1,1": "bbox",
			"limit=0": "limit", "limit=-1": "limit", "limit=x": "limit", "datetime=yesterday": "datetime", "datetime=../..": "datetime", "datetime=2025-01-01/2024-01-01": "datetime",
			"datetime=2025-13-01": "datetime", "after=x": "after", "before=1.0": "before", "after=1&before=2": "before", "farm_id=x": "farm_id", "frm_id=1": "frm_id", "share=true": "share",
			"limit=1&limit=2": "limit", "bbox-crs=x": "bbox-crs",
		} {
			got := c.Expect(400, "GET", "ogc/collections/fields/items?"+query, nil).Map(t)
			require.Contains(t, got["description"], names, query)
			require.NotEmpty(t, got["code"])
			require.NotContains(t, got, "status", "a failure of the standard")
		}
		c.Expect(400, "GET", fmt.Sprintf("ogc/collections/fields/items/%d?share=true", ids["north"]), nil)
		c.Expect(400, "GET", "ogc?f=html", nil)
		c.Expect(404, "GET", "ogc/collections/tractors", nil)
		c.Expect(404, "GET", "ogc/collections/fields/items/north", nil)
		c.Expect(405, "POST", "ogc/collections/fields/items", map[string]any{})
	})
}

func TestPagesOfMapsLoseAndDoubleNothing(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		c := s.Company(access.RoleOwner, 0)
		farm := c.Make("farm/", map[string]any{"name": "f"})
		var many []map[string]any
		for i := range 23 {
			many = append(many, map[string]any{"name": fmt.Sprintf("f%02d", i), "farm_id": farm, "boundary": rig.GeoJSON(t, square(-4.9+float64(i)*0.01, 41.7, 0.004))})
		}
		c.Expect(200, "POST", "field/", many)

		// Forward, while fields are created and fields already read are deleted.
		var seen []string
		address, pages := "fields/items?limit=5&bbox=-5,41,-4,42", []string(nil)
		for n := 0; address != ""; n++ {
			page := featuresAt(t, c, address)
			require.LessOrEqual(t, len(page.Features), 5)
			seen, pages = append(seen, page.names()...), append(pages, address)
			if n < 2 {
				c.Make("field/", map[string]any{"name": fmt.Sprintf("new%d", n), "farm_id": farm, "boundary": rig.GeoJSON(t, square(-4.5, 41.5+float64(n)*0.01, 0.004))})
				c.Expect(204, "DELETE", fmt.Sprintf("field/%v/", page.Features[0].ID), nil)
			}
			address = linked(page.Links, "next")
		}
		var want []string
		for i := range 23 {
			want = append(want, fmt.Sprintf("f%02d", i))
		}
		require.Equal(t, append(want, "new0", "new1"), seen)

		// And backward, over the same features except for the two that were deleted.
		var back []string
		for address = pages[len(pages)-1]; address != ""; {
			page := featuresAt(t, c, address)
			back = append(page.names(), back...)
			address = linked(page.Links, "prev")
		}
		require.Equal(t, slices.DeleteFunc(seen, func(name string) bool { return name == "f00" || name == "f05" }), back)

		// A limit above the largest counts as the largest; a page stays the same until something changes.
		whole := c.Expect(200, "GET", "ogc/collections/fields/items?limit=1000000", nil)
		require.Contains(t, string(whole.Body), `"numberMatched":23,"numberReturned":23`)
		require.NotEmpty(t, whole.Header.Get("ETag"))
	})
}

// Keys open what their slugs allow, as a header and in the query; no link holds them.
func TestMapsByKey(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{})
	c := s.Company(access.RoleOwner, 0)
	placedFields(t, c)
	wide, _ := newKey(t, c, nil)
	narrow, _ := newKey(t, c, map[string]any{"slugs": []string{"field.view", "sample.view"}})
	half, _ := newKey(t, c, map[string]any{"slugs": []string{"cultivation.view"}})

	status, body := with(t, s, "GET", "ogc/collections/fields/items?limit=2&api_key="+wide, "")
	require.Equal(t, 200, status, body)
	require.NotContains(t, body, wide)
	require.Contains(t, body, "items?after=")
	status, body = with(t, s, "GET", "ogc/collections", "", "X-API-Key", narrow)
	require.Equal(t, 200, status, body)
	require.Equal(t, []string{"fields", "samples"}, collectionsOf(t, []byte(body)))
	status, body = with(t, s, "GET", "ogc/collections", "", "X-API-Key", wide)
	require.Equal(t, 200, status)
	require.NotContains(t, collectionsOf(t, []byte(body)), "areas_of_interest", "without the subscription")
	for path, want := range map[string]int{"farms": 403, "farms/items": 403, "farms/items/1": 403, "farms/queryables": 403, "fields": 200, "fields/items": 200, "fields/queryables": 200, "cultivations/items": 403} {
		status, body = with(t, s, "GET", "ogc/collections/"+path+"?api_key="+narrow, "")
		require.Equal(t, want, status, "%s: %s", path, body)
	}
	status, body = with(t, s, "GET", "ogc/collections/cultivations/items", "", "X-API-Key", half)
	require.Equal(t, 403, status, "boundaries are those of fields")
	require.Contains(t, body, "field.view")
	status, body = with(t, s, "GET", "ogc/", "")
	require.Equal(t, 401, status)
	require.Contains(t, body, `"code":"not_authenticated"`)
}

// The results of stratification: areas, zones, points and samples, each under its id.
func TestMapsOfSoil(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{Database: rig.SQLite(t)})
	c, other := s.Company(access.RoleOwner, 1000_00), s.Company(access.RoleOwner, 0)
	s.Subscribe(c, other)
	sampled(t, c)
	for id, kind := range map[string]string{"areas_of_interest": "MultiPolygon", "zones": "MultiPolygon", "sample_points": "Point", "samples": "Point", "cultivations": "MultiPolygon"} {
		all := featuresAt(t, c, id+"/items?limit=10000")
		require.NotEmpty(t, all.Features, id)
		require.Empty(t, featuresAt(t, other, id+"/items").Features)
		require.Len(t, featuresAt(t, c, id+"/items?bbox=-180,-90,180,90").Features, len(all.Features))
		require.Empty(t, featuresAt(t, c, id+"/items?bbox=0,0,1,1").Features, id)
		var again []mapFeature
		address, last := id+"/items?limit=1", ""
		for address != "" {
			page := featuresAt(t, c, address)
			again, last, address = append(again, page.Features...), address, linked(page.Links, "next")
		}
		require.Equal(t, all.Features, again, "one by one")
		for n := len(again); last != ""; n-- {
			page := featuresAt(t, c, last)
			require.Equal(t, again[n-1:n], page.Features, "and back")
			last = linked(page.Links, "prev")
			require.Equal(t, n == 1, last == "" || len(featuresAt(t, c, last).Features) == 0)
			if n == 1 {
				break
			}
		}
		for _, f := range all.Features {
			require.Equal(t, kind, f.Geometry.Type, id)
			address := fmt.Sprintf("ogc/collections/%s/items/%v", id, f.ID)
			if n, ok := f.ID.(float64); ok {
				address = fmt.Sprintf("ogc/collections/%s/items/%d", id, int64(n))
			}
			var one mapFeature
			require.NoError(t, json.Unmarshal(c.Expect(200, "GET", address, nil).Body, &one))
			require.Equal(t, f.Properties, one.Properties)
			other.Expect(404, "GET", address, nil)
			if alternate := linked(one.Links, "alternate"); alternate != "" {
				c.Expect(200, "GET", alternate, nil)
			}
		}
	}
	require.NotEmpty(t, featuresAt(t, c, "samples/items?status=planned&zone=1").Features)
	require.Empty(t, featuresAt(t, c, "samples/items?status=analysed").Features)
	require.Len(t, featuresAt(t, c, "samples/items?datetime=2020-01-01").Features, len(featuresAt(t, c, "samples/items").Features), "none was taken yet")
	require.Empty(t, featuresAt(t, c, "zones/items?aoi_id=999999").Features)
	farm := c.Expect(200, http.MethodGet, "farm/?page=all", nil).Data(t)["results"].([]any)[0].(map[string]any)["id"].(float64)
	for _, id := range everyCollection[1:] {
		all := featuresAt(t, c, id+"/items").Features
		require.Len(t, featuresAt(t, c, fmt.Sprintf("%s/items?farm_id=%.0f", id, farm)).Features, len(all), id)
		require.Empty(t, featuresAt(t, c, id+"/items?farm_id=999999").Features, id)
	}
}

func TestMapsOfProfiles(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		c := s.Company(access.RoleOwner, 1000_00)
		land := c.Land(rig.Archive(t).Parcels[0].Boundary, "2025-03-01", "2025-10-31")
		placed := c.Expect(200, "POST", rig.OrdersPath, land.OrderBody()).Data(t)
		got := c.Until(int64(placed["order_id"].(float64)), "active")
		latest := got.Observations[len(got.Observations)-1]
		all := featuresAt(t, c, "profiles/items")
		require.Len(t, all.Features, 1)
		require.Equal(t, latest.Date, all.Features[0].Properties["date"])
		require.InDelta(t, latest.Value, all.Features[0].Properties["value"], 1e-6)
		require.Equal(t, "MultiPolygon", all.Features[0].Geometry.Type)
		box := rig.Archive(t).Parcels[0].Boundary.Bounds()
		here := fmt.Sprintf("bbox=%f,%f,%f,%f", box.MinX, box.MinY, box.MaxX, box.MaxY)
		require.Len(t, featuresAt(t, c, "profiles/items?status=active&"+here).Features, 1)
		require.Empty(t, featuresAt(t, c, "profiles/items?bbox=0,0,1,1").Features)
		require.Len(t, featuresAt(t, c, "profiles/items?datetime="+latest.Date).Features, 1)
		require.Empty(t, featuresAt(t, c, "profiles/items?datetime=../2025-01-01").Features)

		// The field gets another boundary: the value stays where it was measured.
		c.Expect(200, "PATCH", path("field", land.Field), map[string]any{"boundary": rig.GeoJSON(t, square(1, 1, 0.004))})
		moved := featuresAt(t, c, "profiles/items?"+here)
		require.Len(t, moved.Features, 1)
		require.Equal(t, true, moved.Features[0].Properties["boundary_outdated"])
		require.Empty(t, featuresAt(t, c, "profiles/items?bbox=1,1,1.1,1.1").Features)
	})
}
