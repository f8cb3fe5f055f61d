package contract

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/access"
	"tilth/tests/rig"
)

// checkSTACSearch finds items of all collections at one address, with the query in the address or in a body.
func checkSTACSearch(t *testing.T, s *rig.Server, m mappedField) {
	t.Helper()
	var catalog struct {
		ConformsTo []string
		Links      []stacSearchLink
	}
	require.NoError(t, json.Unmarshal(m.Expect(200, http.MethodGet, "stac/", nil).Body, &catalog))
	require.Contains(t, catalog.ConformsTo, "https://api.stacspec.org/v1.0.0/item-search")
	at, methods := "", []string(nil)
	for _, l := range catalog.Links {
		if l.Rel == "search" {
			at, methods = l.path(), append(methods, l.Method)
		}
	}
	require.Equal(t, []string{"GET", "POST"}, methods)
	every := []string(nil)
	for _, id := range everySTACCollection {
		for _, item := range stacAt(t, m.Client, id+"/items?limit=1000").ids() {
			every = append(every, id+"/"+item)
		}
	}
	ask := func(method string, query map[string]any) (out []string) {
		t.Helper()
		link := stacSearchLink{Href: at, Method: method, Body: query}
		if method == http.MethodGet {
			link.Href += "?" + asAddress(t, query)
		}
		var matched []*int
		for link.Href != "" {
			page := searched(t, m.Client, link)
			matched = append(matched, page.Matched)
			if limit, ok := query["limit"].(int); ok {
				require.LessOrEqual(t, len(page.Features), limit)
			}
			for _, f := range page.Features {
				out = append(out, f.Collection+"/"+f.ID)
			}
			link = stacSearchLink{}
			for _, l := range page.Links {
				if l.Rel == "next" {
					require.NotEmpty(t, page.Features, "no page is empty but the first")
					link = l
				}
			}
		}
		if _, has := query["collections"]; len(matched) == 1 || has && query["ids"] == nil {
			for _, n := range matched {
				require.NotNil(t, n, "%v", query)
				require.Equal(t, len(out), *n, "%v", query)
			}
		}
		return out
	}
	third := m.profile.Observations[2].Date
	middle := m.outline.Centroid()
	box := []any{middle.X, middle.Y, middle.X + 1e-4, middle.Y + 1e-4}
	point := map[string]any{"type": "Point", "coordinates": []any{middle.X, middle.Y}}
	elsewhere := map[string]any{"type": "LineString", "coordinates": []any{[]any{10, 10}, []any{11, 11}}}
	dated, profile := "vegetation-index-map/"+itoa(m.id)+"-"+third, every[0]
	_, profileID, _ := strings.Cut(profile, "/")
	for _, c := range []struct {
		query map[string]any
		want  []string
	}{
		{map[string]any{}, every},
		{map[string]any{"limit": 3}, every},
		{map[string]any{"limit": 1, "collections": []any{"zoning-map", "vegetation-index-profile"}}, []string{profile, every[len(every)-2]}},
		{map[string]any{"collections": []any{"vegetation-index-map"}, "datetime": third}, []string{dated}},
		{map[string]any{"limit": 4, "bbox": box}, every},
		{map[string]any{"bbox": []any{10, 10, 11, 11}}, nil},
		{map[string]any{"limit": 4, "intersects": point}, every},
		{map[string]any{"intersects": elsewhere}, nil},
		{map[string]any{"ids": []any{itoa(m.id) + "-" + third, "none", "999-2025-03-01"}}, []string{dated}},
		{map[string]any{"limit": 1, "ids": []any{profileID, itoa(m.id) + "-" + third}, "collections": []any{"vegetation-index-map", "vegetation-index-profile"}}, []string{profile, dated}},
		{map[string]any{"ids": []any{itoa(m.id) + "-" + third}, "intersects": elsewhere}, nil},
	} {
		require.Equal(t, c.want, ask(http.MethodGet, c.query), "GET %v", c.query)
		require.Equal(t, c.want, ask(http.MethodPost, c.query), "POST %v", c.query)
	}
	for _, c := range []struct {
		query map[string]any
		names string
	}{
		{map[string]any{"bbox": []any{1, 2, 3, 4}, "intersects": point}, "intersects"},
		{map[string]any{"bbox": []any{3, 4, 1, 2}}, "bbox"},
		{map[string]any{"intersects": map[string]any{"type": "Point"}}, "intersects"},
		{map[string]any{"intersects": map[string]any{"type": "Polygon", "coordinates": []any{}}}, "intersects"},
		{map[string]any{"intersects": map[string]any{"type": "Polygon", "coordinates": []any{[]any{[]any{0, 0}, []any{1, 1}, []any{1, 0}, []any{0, 1}, []any{0, 0}}}}}, "intersects"},
		{map[string]any{"datetime": "yesterday"}, "datetime"},
		{map[string]any{"collections": []any{"moon-map"}}, "collections"},
		{map[string]any{"limit": 0}, "limit"},
		{map[string]any{"after": "x"}, "after"},
		{map[string]any{"after": "moon-map/1"}, "after"},
	} {
		for _, link := range []stacSearchLink{{Href: at + "?" + asAddress(t, c.query), Method: http.MethodGet}, {Href: at, Method: http.MethodPost, Body: c.query}} {
			said := m.Expect(400, link.Method, link.path(), link.body())
			require.Contains(t, said.Map(t)["description"], c.names+": ", "%s %v", link.Method, c.query)
		}
	}
	// As the dialog of QGIS 3.44 queries: times with milliseconds, and the box of the world where the map is larger.
	require.Equal(t, []string{itoa(m.id) + "-" + third}, searched(t, m.Client, stacSearchLink{Href: at + "?collections=vegetation-index-map&datetime=" + third + "T00:00:00.000Z/" + third + "T23:59:59.000Z"}).ids())
	require.Len(t, searched(t, m.Client, stacSearchLink{Href: at + "?bbox=-180,-90,180,90"}).Features, len(every))
	require.Contains(t, m.Expect(400, http.MethodGet, "stac/search?sortby=id", nil).Map(t)["description"], "sortby: ")
	for name, body := range map[string]any{"sortby": map[string]any{"sortby": []any{}}, `did you mean "collections"?`: map[string]any{"colections": []any{"soil-map"}}} {
		require.Contains(t, m.Expect(400, http.MethodPost, "stac/search", body).Map(t)["description"], name)
	}
	other := s.Company(access.RoleOwner, 0)
	require.Empty(t, searched(t, other, stacSearchLink{Href: at, Method: http.MethodPost, Body: map[string]any{}}).Features)
	key, _ := newKey(t, m.Client, map[string]any{"slugs": []string{"zoning-map.view"}})
	found := send(t, s, s.Anonymous(), http.MethodGet, "stac/search?api_key="+key, nil)
	require.Equal(t, 200, found.Status)
	require.Equal(t, 1, strings.Count(string(found.Body), `"collection":"`), "the collections that the key may see: %s", found.Body)
	require.Equal(t, 403, send(t, s, s.Anonymous(), http.MethodGet, "stac/search?collections=elevation-map&api_key="+key, nil).Status)
}

// stacSearchLink is a link that states how to request it.
type stacSearchLink struct {
	Rel, Href, Method string
	Body              map[string]any
}

// path is the address on its server.
func (l stacSearchLink) path() string { return l.Href[strings.Index(l.Href, "/api/"):] }

func (l stacSearchLink) body() any {
	if l.Method == http.MethodPost {
		return l.Body
	}
	return nil
}

type stacFound struct {
	Features []stacItem
	Links    []stacSearchLink
	Returned int  `json:"numberReturned"`
	Matched  *int `json:"numberMatched"`
}

func (f stacFound) ids() (out []string) {
	for _, item := range f.Features {
		out = append(out, item.ID)
	}
	return out
}

func searched(t *testing.T, c *rig.Client, link stacSearchLink) (out stacFound) {
	t.Helper()
	if link.Method == "" {
		link.Method = http.MethodGet
	}
	got := c.Expect(200, link.Method, link.path(), link.body())
	require.Equal(t, "application/geo+json", got.Header.Get("Content-Type"))
	require.NoError(t, json.Unmarshal(got.Body, &out))
	require.Equal(t, len(out.Features), out.Returned)
	return out
}

// asAddress writes the body of a search as the query of an address: lists with commas, a geometry as JSON.
func asAddress(t *testing.T, query map[string]any) string {
	t.Helper()
	values := url.Values{}
	for name, value := range query {
		text, ok := value.(string)
		if list, several := value.([]any); several {
			for _, one := range list {
				text += "," + fmt.Sprint(one)
			}
			text = text[1:]
		} else if !ok {
			raw, err := json.Marshal(value)
			require.NoError(t, err)
			text = string(raw)
		}
		values.Set(name, text)
	}
	return values.Encode()
}
