package contract

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"tilth/core/access"
	"tilth/tests/rig"
)

// stacPage is a page of items.
type stacPage struct {
	Features []stacItem
	Links    []mapLink
	Returned int `json:"numberReturned"`
}

type stacItem struct {
	Type       string
	Version    string `json:"stac_version"`
	ID         string
	Collection string
	BBox       []float64
	Geometry   map[string]any
	Properties map[string]any
	Links      []mapLink
	Assets     map[string]struct {
		Href, Type string
		Roles      []string
	}
}

func (p stacPage) ids() (out []string) {
	for _, f := range p.Features {
		out = append(out, f.ID)
	}
	return out
}

var everySTACCollection = []string{"vegetation-index-profile", "vegetation-index-map", "zoning-map", "elevation-map", "soil-map"}

// stacAt reads a page of items, and checks its content type and its count.
func stacAt(t *testing.T, c *rig.Client, address string) (out stacPage) {
	t.Helper()
	if !strings.HasPrefix(address, "/") {
		address = "stac/collections/" + address
	}
	got := c.Expect(200, http.MethodGet, address, nil)
	require.Equal(t, "application/geo+json", got.Header.Get("Content-Type"))
	require.NoError(t, json.Unmarshal(got.Body, &out))
	require.Equal(t, len(out.Features), out.Returned)
	return out
}

// published checks JSON against a schema of the specification, in the folder of a clone of its repository that TILTH_STAC_SPEC names.
func published(t *testing.T, schema string, text []byte) {
	t.Helper()
	folder := os.Getenv("TILTH_STAC_SPEC")
	if folder == "" {
		t.Log("LEFT OUT: answers held against the published schemas of STAC. Fix: name a clone of its specification (radiantearth/stac-spec, v1.0.0) by TILTH_STAC_SPEC.")
		return
	}
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(elsewhere{folder})
	compiled, err := compiler.Compile("https://schemas.stacspec.org/v1.0.0/" + schema)
	require.NoError(t, err)
	said, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	require.NoError(t, err)
	require.NoError(t, compiled.Validate(said), "%s: %s", schema, text)
}

// elsewhere loads the schemas of the specification from a folder; those of GeoJSON, which they refer to, accept everything.
type elsewhere struct{ folder string }

func (e elsewhere) Load(url string) (any, error) {
	path, ours := strings.CutPrefix(url, "https://schemas.stacspec.org/v1.0.0/")
	if !ours {
		return map[string]any{}, nil
	}
	file, err := os.Open(filepath.Join(e.folder, filepath.FromSlash(strings.TrimSuffix(path, "#"))))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return jsonschema.UnmarshalJSON(file)
}

// Finished maps and profiles are STAC items: found by time and place, page by page, by callers who may see them, with files that a link opens.
func TestSTAC(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		m := newMappedField(t, s)
		require.Equal(t, "active", mapAt(t, m.Client, "maps/elevation-map/orders/", map[string]any{"field_uuid": m.fieldUUID(t)})["status"])
		season := m.Expect(200, http.MethodGet, m.path, nil).Data(t)["season"]
		require.Equal(t, "active", mapAt(t, m.Client, zoningMapsPath, map[string]any{"field_uuid": m.fieldUUID(t), "season_id": season})["status"])

		checkSTACCatalog(t, m.Client)
		checkSTACItems(t, m)
		checkSTACSearch(t, s, m)
		checkSTACFiles(t, s, m)
		checkSTACReaders(t, s, m)
	})
}

func (m mappedField) fieldUUID(t *testing.T) string {
	t.Helper()
	return m.Expect(200, http.MethodGet, m.path, nil).Data(t)["field_uuid"].(string)
}

func checkSTACCatalog(t *testing.T, c *rig.Client) {
	t.Helper()
	root := c.Expect(200, http.MethodGet, "stac/", nil)
	published(t, "catalog-spec/json-schema/catalog.json", root.Body)
	var catalog struct {
		Type       string
		ConformsTo []string
		Links      []mapLink
	}
	require.NoError(t, json.Unmarshal(root.Body, &catalog))
	require.Equal(t, "Catalog", catalog.Type)
	require.Contains(t, catalog.ConformsTo, "https://api.stacspec.org/v1.0.0/core")
	var children []string
	for _, l := range catalog.Links {
		if l.Rel == "child" {
			children = append(children, l.Href[strings.LastIndex(l.Href, "/")+1:])
		}
	}
	require.Equal(t, everySTACCollection, children)
	var all struct{ Collections []json.RawMessage }
	require.NoError(t, json.Unmarshal(c.Expect(200, http.MethodGet, linked(catalog.Links, "data"), nil).Body, &all))
	require.Len(t, all.Collections, len(children))
	for i, id := range children {
		one := c.Expect(200, http.MethodGet, "stac/collections/"+id, nil)
		require.JSONEq(t, string(all.Collections[i]), string(one.Body))
		published(t, "collection-spec/json-schema/collection.json", one.Body)
		require.Equal(t, "Collection", one.Map(t)["type"])
		require.Equal(t, id, one.Map(t)["id"])
	}
	c.Expect(200, http.MethodGet, linked(catalog.Links, "conformance"), nil)
	require.Equal(t, "not_found", c.Expect(404, http.MethodGet, "stac/collections/other", nil).Map(t)["code"])
}

func checkSTACItems(t *testing.T, m mappedField) {
	t.Helper()
	all := stacAt(t, m.Client, "vegetation-index-map/items?limit=1000")
	require.Len(t, all.Features, len(m.profile.Observations), "an item a date")
	for i, o := range m.profile.Observations {
		f := all.Features[i]
		require.Equal(t, []any{"Feature", "1.0.0", itoa(m.id) + "-" + o.Date, "vegetation-index-map"}, []any{f.Type, f.Version, f.ID, f.Collection})
		require.Nil(t, f.Properties["datetime"])
		require.Contains(t, f.Properties, "datetime")
		require.Equal(t, o.Date+"T00:00:00Z", f.Properties["start_datetime"])
		require.InDelta(t, o.Value, f.Properties["tilth:mean"], 1e-9)
		require.Equal(t, true, f.Properties["tilth:synthetic"])
	}
	paged, at := []string(nil), "vegetation-index-map/items?limit=4&collections=vegetation-index-map" // as pystac-client requests it
	for at != "" {
		page := stacAt(t, m.Client, at)
		require.LessOrEqual(t, len(page.Features), 4)
		paged, at = append(paged, page.ids()...), linked(page.Links, "next")
	}
	require.Equal(t, all.ids(), paged, "all pages")
	third := m.profile.Observations[2].Date
	require.Equal(t, []string{itoa(m.id) + "-" + third}, stacAt(t, m.Client, "vegetation-index-map/items?datetime="+third).ids())
	require.Len(t, stacAt(t, m.Client, "vegetation-index-map/items?datetime="+third+"/..").ids(), len(all.Features)-2)
	require.Empty(t, stacAt(t, m.Client, "vegetation-index-map/items?bbox=10,10,11,11").ids())
	farm := m.Expect(200, http.MethodGet, "farm/?page=all", nil).Data(t)["results"].([]any)[0].(map[string]any)["id"].(float64)
	for _, id := range everySTACCollection {
		require.Equal(t, stacAt(t, m.Client, id+"/items?limit=9").ids(), stacAt(t, m.Client, fmt.Sprintf("%s/items?limit=9&farm=%.0f", id, farm)).ids(), id)
		require.Empty(t, stacAt(t, m.Client, id+"/items?farm=999999").ids(), id)
	}
	middle := m.outline.Centroid()
	require.Equal(t, all.ids(), stacAt(t, m.Client, fmt.Sprintf("vegetation-index-map/items?limit=1000&bbox=%f,%f,%f,%f", middle.X, middle.Y, middle.X+1e-4, middle.Y+1e-4)).ids())
	for _, id := range everySTACCollection {
		for _, f := range stacAt(t, m.Client, id+"/items?limit=3").Features {
			one := m.Expect(200, http.MethodGet, linked(f.Links, "self"), nil)
			published(t, "item-spec/json-schema/item.json", one.Body)
			require.Equal(t, f.ID, one.Map(t)["id"])
			require.Len(t, f.BBox, 4)
			require.Equal(t, "MultiPolygon", f.Geometry["type"])
			require.NotEmpty(t, f.Assets)
			require.NotEmpty(t, linked(f.Links, "collection"))
		}
	}
	for _, none := range []string{"999", itoa(m.id), itoa(m.id) + "-2025-03-02", itoa(m.id) + "-x", "-1", itoa(m.id) + "." + "9000"} {
		m.Expect(404, http.MethodGet, "stac/collections/vegetation-index-map/items/"+none, nil)
	}
	for _, wrong := range []string{"bbox=1,2", "datetime=yesterday", "limit=0", "status=failed", "after=x"} {
		m.Expect(400, http.MethodGet, "stac/collections/zoning-map/items?"+wrong, nil)
	}
}

// checkSTACFiles opens every file of an item of each collection without another credential, and nothing else.
func checkSTACFiles(t *testing.T, s *rig.Server, m mappedField) {
	t.Helper()
	opened := 0
	for _, id := range everySTACCollection[:4] {
		items := stacAt(t, m.Client, id+"/items?limit=1").Features
		require.Len(t, items, 1, id)
		thumbnails := 0
		for name, asset := range items[0].Assets {
			if strings.HasSuffix(asset.Type, "profile=cloud-optimized") {
				checkRanges(t, asset.Href)
			}
			if slices.Contains(asset.Roles, "thumbnail") {
				thumbnails++
			}
			got, err := http.Get(asset.Href) //nolint:noctx // the address of this test's own server
			require.NoError(t, err)
			require.NoError(t, got.Body.Close())
			require.Equal(t, 200, got.StatusCode, "%s of %s: %s", name, id, asset.Href)
			media, _, _ := strings.Cut(asset.Type, ";")
			require.True(t, strings.HasPrefix(got.Header.Get("Content-Type"), media), "%s of %s is %s", name, id, got.Header.Get("Content-Type"))
			opened++
		}
		require.Equal(t, 1, thumbnails, "the list of QGIS's panel shows a picture of each item of %s", id)
		expires, err := time.Parse(time.RFC3339, items[0].Properties["tilth:links_expire_at"].(string))
		require.NoError(t, err)
		require.WithinRange(t, expires, time.Now().Add(23*time.Hour), time.Now().Add(25*time.Hour))
		for _, asset := range items[0].Assets {
			_, link, _ := strings.Cut(asset.Href, "link=")
			s.Anonymous().Expect(401, http.MethodGet, "stac/?link="+link, nil)
			s.Anonymous().Expect(401, http.MethodGet, "profiles/vegetation-index-profile/orders/1/?link="+link, nil)
			s.Anonymous().Expect(401, http.MethodGet, "maps/vegetation-index-map/orders/"+itoa(m.id)+"9/style/?link="+link, nil)
		}
	}
	require.Greater(t, opened, 10)
}

// checkRanges reads a file as GDAL does: its length first, and then the bytes that it needs.
func checkRanges(t *testing.T, href string) {
	t.Helper()
	ask := func(method, wanted, tag string) (*http.Response, string) {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), method, href, nil)
		require.NoError(t, err)
		for name, value := range map[string]string{"Range": wanted, "If-Range": tag} {
			if value != "" {
				request.Header.Set(name, value)
			}
		}
		got, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		defer got.Body.Close()
		body, err := io.ReadAll(got.Body)
		require.NoError(t, err)
		return got, string(body)
	}
	got, whole := ask(http.MethodGet, "", "")
	size := len(whole)
	require.Equal(t, []any{200, "bytes", int64(size)}, []any{got.StatusCode, got.Header.Get("Accept-Ranges"), got.ContentLength})
	tag := got.Header.Get("ETag")
	for wanted, part := range map[string][2]int{"bytes=0-15": {0, 16}, "bytes=100-": {100, size}, "bytes=-7": {size - 7, size}, fmt.Sprintf("bytes=%d-%d", size-3, size+99): {size - 3, size}, "bytes=-99999999": {0, size}} {
		for _, same := range []string{"", tag} {
			got, body := ask(http.MethodGet, wanted, same)
			require.Equal(t, []any{206, fmt.Sprintf("bytes %d-%d/%d", part[0], part[1]-1, size), tag}, []any{got.StatusCode, got.Header.Get("Content-Range"), got.Header.Get("ETag")}, wanted)
			require.Equal(t, whole[part[0]:part[1]], body, wanted)
		}
	}
	for _, wanted := range []string{"bytes=0-3,9-12", "bytes=9-3", "bytes=-0", "bytes=x", "lines=0-3", "bytes=" + itoa(int64(size)) + "-"} {
		got, body := ask(http.MethodGet, wanted, "")
		require.Equal(t, 200, got.StatusCode, wanted)
		require.Equal(t, whole, body, "what is no one range of the file is passed over: %s", wanted)
	}
	got, body := ask(http.MethodGet, "bytes=0-15", `"of another time"`)
	require.Equal(t, []any{200, whole}, []any{got.StatusCode, body})
	got, body = ask(http.MethodHead, "", "")
	require.Equal(t, []any{200, int64(size), ""}, []any{got.StatusCode, got.ContentLength, body})
}

func checkSTACReaders(t *testing.T, s *rig.Server, m mappedField) {
	t.Helper()
	other := s.Company(access.RoleOwner, 0)
	item := "stac/collections/vegetation-index-map/items/" + itoa(m.id) + "-" + m.profile.Observations[0].Date
	other.Expect(404, http.MethodGet, item, nil)
	require.Empty(t, stacAt(t, other, "vegetation-index-map/items").ids())
	s.Anonymous().Expect(401, http.MethodGet, "stac/", nil)
	s.User(m.CompanyID, access.RoleViewer).Expect(200, http.MethodGet, item, nil)
	key, _ := newKey(t, m.Client, map[string]any{"slugs": []string{"vi-map.view"}})
	ask := func(path string) rig.Answer {
		return send(t, s, s.Anonymous(), http.MethodGet, path+"?api_key="+key, nil)
	}
	require.Equal(t, 200, ask(item).Status)
	require.NotContains(t, string(ask(item).Body), key, "no link holds the key")
	asPanel := send(t, s, s.Anonymous(), http.MethodGet, "stac/search?limit=1&X-API-Key="+key, nil) // as the panel of QGIS does, besides the header
	require.Equal(t, 200, asPanel.Status)
	require.NotContains(t, string(asPanel.Body), key, "no link holds the key")
	require.Equal(t, 403, ask("stac/collections/zoning-map/items").Status)
	children := strings.Count(string(ask("stac/").Body), `"child"`)
	require.Equal(t, 1, children, "the collections that the key may see")
}
