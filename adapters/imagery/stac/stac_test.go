package stac_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"tilth/adapters/imagery/internal/cogwrite"
	"tilth/adapters/imagery/remote"
	"tilth/adapters/imagery/stac"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/vegetation"
	"tilth/tests/realdata"
)

type object = map[string]any

// api plays a STAC API and the store of its files, and records what it was asked.
type api struct {
	*httptest.Server
	mu       sync.Mutex
	searches []string // "METHOD path?query body"
	answers  []http.HandlerFunc
	files    map[string][]byte
}

func newAPI(t *testing.T, answers ...http.HandlerFunc) *api {
	t.Helper()
	a := &api{answers: answers, files: map[string][]byte{}}
	a.Server = httptest.NewServer(http.HandlerFunc(a.serve))
	t.Cleanup(a.Close)
	return a
}

func (a *api) serve(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if data, ok := a.files[r.URL.Path]; ok {
		http.ServeContent(w, r, "x.tif", time.Time{}, bytes.NewReader(data))
		return
	}
	var body bytes.Buffer
	_, _ = body.ReadFrom(r.Body)
	n := len(a.searches)
	a.searches = append(a.searches, strings.TrimSpace(r.Method+" "+r.URL.RequestURI()+" "+body.String()))
	if n >= len(a.answers) {
		http.NotFound(w, r)
		return
	}
	a.answers[n](w, r)
}

func (a *api) client(t *testing.T, collections ...string) *stac.Client {
	t.Helper()
	c, err := stac.New(a.URL+"/v1/", stac.Options{Collections: collections, Remote: remote.Options{
		Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }, Jitter: func() float64 { return 0 },
	}})
	require.NoError(t, err)
	return c
}

func answer(v any) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _ = json.NewEncoder(w).Encode(v) }
}

func pageOf(next object, items ...object) object {
	list := []object{}
	list = append(list, items...)
	links := []object{{"rel": "root", "href": "https://example.org/"}}
	if next != nil {
		next["rel"] = "next"
		links = append(links, next)
	}
	return object{"type": "FeatureCollection", "features": list, "links": links}
}

func scene(id, at, href string) object {
	return object{
		"type": "Feature", "id": id, "bbox": []float64{-5, 41, -4, 42},
		"properties": object{"datetime": at, "platform": "sentinel-2a", "grid:code": "MGRS-30TUM"},
		"assets":     object{"red": object{"href": href, "type": "image/tiff", "eo:bands": []object{{"name": "B04"}}, "raster:bands": []object{{"scale": 0.0001, "offset": -0.1, "nodata": 0}}}},
	}
}

var field = geo.MultiPolygon{{{{X: -4.5, Y: 41.5}, {X: -4.49, Y: 41.5}, {X: -4.49, Y: 41.51}, {X: -4.5, Y: 41.5}}}}

func day(s string) time.Time {
	v, err := time.Parse(time.DateOnly, s)
	if err != nil {
		panic(err)
	}
	return v
}

func search(t *testing.T, c *stac.Client) ([]string, error) {
	t.Helper()
	scenes, err := c.Search(t.Context(), field, day("2025-05-01"), day("2025-06-01"))
	ids := []string{}
	for _, s := range scenes {
		ids = append(ids, s.ID)
	}
	return ids, err
}

func TestTheQuestion(t *testing.T) {
	a := newAPI(t, answer(pageOf(nil)))
	ids, err := search(t, a.client(t))
	require.NoError(t, err)
	require.Empty(t, ids)
	method, rest, _ := strings.Cut(a.searches[0], " ")
	path, body, _ := strings.Cut(rest, " ")
	require.Equal(t, "POST", method)
	require.Equal(t, "/v1/search", path)
	require.JSONEq(t, `{"collections":["sentinel-2-c1-l2a"],"datetime":"2025-05-01T00:00:00Z/2025-06-01T00:00:00Z","limit":100,
		"sortby":[{"field":"properties.datetime","direction":"asc"}],
		"intersects":{"type":"Polygon","coordinates":[[[-4.5,41.5],[-4.49,41.5],[-4.49,41.51],[-4.5,41.5]]]}}`, body)
}

func TestAnswersAreOrderedAndCheckedAgain(t *testing.T) {
	elsewhere := scene("elsewhere", "2025-05-02T00:00:00Z", "x.tif")
	elsewhere["bbox"] = []float64{10, 41, 11, 42}
	bandless := scene("radar", "2025-05-02T00:00:00Z", "x.tif")
	bandless["assets"] = object{"vv": object{"href": "vv.tif"}}
	a := newAPI(t, answer(pageOf(nil,
		scene("c", "2025-05-09T00:00:00Z", "x.tif"), scene("b", "2025-05-02T00:00:00Z", "x.tif"), scene("a", "2025-05-02T00:00:00Z", "x.tif"),
		scene("a", "2025-05-02T00:00:00Z", "x.tif"), elsewhere, bandless,
		scene("the end", "2025-06-01T00:00:00Z", "x.tif"), scene("the start", "2025-05-01T00:00:00Z", "x.tif"), scene("before", "2025-04-30T23:59:59Z", "x.tif"),
	)))
	ids, err := search(t, a.client(t))
	require.NoError(t, err)
	require.Equal(t, []string{"the start", "a", "b", "c"}, ids)
}

// What cannot be used is reported, never absent: a date in JPEG 2000 among others, and a collection without any known band.
func TestScenesThatCannotBeUsedAreBroken(t *testing.T) {
	jp2 := scene("jp2", "2025-05-02T00:00:00Z", "B04.jp2")
	bandless := scene("radar", "2025-05-03T00:00:00Z", "x.tif")
	bandless["assets"] = object{"vv": object{"href": "vv.tif"}}
	for want, items := range map[string][]object{
		"JPEG 2000":         {scene("a", "2025-05-01T00:00:00Z", "x.tif"), jp2, bandless},
		"none of the bands": {bandless},
	} {
		scenes, err := newAPI(t, answer(pageOf(nil, items...))).client(t).Search(t.Context(), field, day("2025-05-01"), day("2025-06-01"))
		require.NoError(t, err)
		require.Contains(t, scenes[len(scenes)-1].Broken, want)
	}
}

func TestNextPageAsTheLinkSays(t *testing.T) {
	for name, tt := range map[string]struct {
		next object
		want string
	}{
		"body as it is":         {object{"method": "POST", "href": "/v1/search", "body": object{"next": "2025,x"}, "merge": false}, `POST /v1/search {"next":"2025,x"}`},
		"body with all":         {object{"method": "POST", "href": "/v1/other", "body": object{"limit": 3, "token": "next:x"}}, `POST /v1/other {"limit":3,"token":"next:x"}`},
		"GET":                   {object{"href": "/v1/search?token=a%2Cb&limit=2"}, `GET /v1/search?token=a%2Cb&limit=2`},
		"GET, said":             {object{"method": "GET", "href": "/v1/search?token=x", "body": object{"ignored": 1}}, `GET /v1/search?token=x`},
		"relative to the last":  {object{"href": "search?page=2"}, `GET /v1/search?page=2`},
		"laid over the request": {object{"method": "post", "href": "/v1/search", "body": object{"token": "x", "limit": 7}, "merge": true}, `"token":"x"`},
		"no body":               {object{"method": "POST", "href": "/v1/search?page=2"}, `"limit":100`},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAPI(t,
				answer(pageOf(tt.next, scene("b", "2025-05-03T00:00:00Z", "x.tif"))),
				answer(pageOf(nil, scene("a", "2025-05-02T00:00:00Z", "x.tif"))))
			ids, err := search(t, a.client(t))
			require.NoError(t, err)
			require.Equal(t, []string{"a", "b"}, ids)
			if strings.HasPrefix(tt.want, `"`) {
				require.Contains(t, a.searches[1], tt.want)
				require.Contains(t, a.searches[1], "sentinel-2-c1-l2a", "what the first request said is kept")
				return
			}
			require.Equal(t, tt.want, a.searches[1])
		})
	}
}

func TestAPIsThatCannotBeUsed(t *testing.T) {
	jp2 := scene("jp2", "2025-05-02T00:00:00Z", "B04.jp2")
	loop := make([]http.HandlerFunc, 150)
	for i := range loop {
		loop[i] = answer(pageOf(object{"href": "/v1/search?again"}))
	}
	for name, tt := range map[string]struct {
		answers []http.HandlerFunc
		kind    fault.Kind
		asked   int
	}{
		"not found":       {nil, fault.NotFound, 1},
		"not JSON":        {[]http.HandlerFunc{func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) }}, fault.Invalid, 1},
		"no collection":   {[]http.HandlerFunc{answer(object{"type": "Catalog"})}, fault.Invalid, 1},
		"refused":         {[]http.HandlerFunc{func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(400) }}, fault.Invalid, 1},
		"broken item":     {[]http.HandlerFunc{answer(pageOf(nil, object{"type": "Feature"}))}, fault.Invalid, 1},
		"JPEG 2000":       {[]http.HandlerFunc{answer(pageOf(nil, jp2))}, fault.Invalid, 1},
		"never ends":      {loop, fault.Invalid, 100},
		"next to nowhere": {[]http.HandlerFunc{answer(pageOf(object{"href": "ftp://example.org/"}))}, fault.Invalid, 1},
		"next without":    {[]http.HandlerFunc{answer(pageOf(object{"method": "POST"}))}, fault.Invalid, 1},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAPI(t, tt.answers...)
			_, err := search(t, a.client(t))
			require.True(t, fault.Is(err, tt.kind), "%v", err)
			require.Len(t, a.searches, tt.asked)
		})
	}
	for _, root := range []string{"", "catalog", "ftp://example.org", "https://", "file:///x"} {
		_, err := stac.New(root, stac.Options{})
		require.True(t, fault.Is(err, fault.Invalid), "%q", root)
	}
	_, err := newAPI(t).client(t).Search(t.Context(), nil, day("2025-05-01"), day("2025-06-01"))
	require.True(t, fault.Is(err, fault.Invalid), "%v", err)
}

func TestABusyAPIIsAskedAgain(t *testing.T) {
	busy := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(429) }
	half := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		_, _ = w.Write([]byte(`{"type":`))
	}
	a := newAPI(t, busy, half, answer(pageOf(nil, scene("a", "2025-05-02T00:00:00Z", "x.tif"))))
	ids, err := search(t, a.client(t))
	require.NoError(t, err)
	require.Equal(t, []string{"a"}, ids)
	require.Equal(t, a.searches[0], a.searches[2], "the body is sent each time")
}

func TestPixelsByRanges(t *testing.T) {
	img := cogwrite.Image{Bits: 16, Grid: vegetation.Grid{EPSG: 32630, OriginX: 400000, OriginY: 4600000, PixelX: 10, PixelY: 10, Width: 300, Height: 200}}
	for i := range 60000 {
		img.DN = append(img.DN, uint16(i*7919))
	}
	data, err := cogwrite.Encode(img)
	require.NoError(t, err)
	a := newAPI(t)
	a.files["/files/B04.tif"] = data
	a.answers = []http.HandlerFunc{answer(pageOf(nil, scene("a", "2025-05-02T00:00:00Z", a.URL+"/files/B04.tif"), scene("gone", "2025-05-03T00:00:00Z", a.URL+"/files/gone.tif?secret=1"), scene("s3", "2025-05-04T00:00:00Z", "s3://bucket/B04.tif")))}
	c := a.client(t)
	scenes, err := c.Search(t.Context(), field, day("2025-05-01"), day("2025-06-01"))
	require.NoError(t, err)
	grid, err := c.Grid(t.Context(), scenes[0], vegetation.B04)
	require.NoError(t, err)
	require.Equal(t, img.Grid, grid)
	got, err := c.Read(t.Context(), scenes[0], vegetation.B04, vegetation.Window{Width: 300, Height: 200})
	require.NoError(t, err)
	require.Equal(t, img.DN, got.DN)
	require.Equal(t, []float64{0.0001, -0.1}, []float64{got.Scale, got.Offset})
	_, err = c.Grid(t.Context(), scenes[1], vegetation.B04)
	require.True(t, fault.Is(err, fault.NotFound), "%v", err)
	require.ErrorContains(t, err, "gone.tif")
	require.NotContains(t, err.Error(), "secret")
	_, err = c.Grid(t.Context(), scenes[2], vegetation.B04)
	require.True(t, fault.Is(err, fault.Invalid), "%v", err)
	require.ErrorContains(t, err, "s3")
	require.Equal(t, "STAC API "+a.URL+"/v1/: sentinel-2-c1-l2a", c.Describe())
}

// cassette is a recorded exchange with a real API.
type cassette struct {
	Interactions []struct {
		Request struct {
			Body   *string
			Method string
			URI    string
		}
		Response struct{ Body struct{ String string } }
	}
}

// The recorded pages are played in order; the client must ask for the second and the
// third with exactly the bodies that were recorded.
func TestRecordedPaging(t *testing.T) {
	for file, host := range map[string]string{
		"pystac-client_cassette_planetary-computer_paging.yaml": "https://planetarycomputer.microsoft.com/api/stac/v1",
		"pystac-client_cassette_earth-search-v1_c1_filter.yaml": "https://earth-search.aws.element84.com/v1",
	} {
		t.Run(file, func(t *testing.T) {
			raw, err := os.ReadFile(realdata.Path(t, "satellite", "stac-samples", file))
			require.NoError(t, err)
			var tape cassette
			require.NoError(t, yaml.Unmarshal(raw, &tape))
			a := newAPI(t)
			var bodies []string
			for _, i := range tape.Interactions {
				if i.Request.Method != "POST" {
					continue
				}
				bodies = append(bodies, *i.Request.Body)
				text := strings.ReplaceAll(i.Response.Body.String, host, a.URL+"/v1")
				a.answers = append(a.answers, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(text)) })
			}
			require.GreaterOrEqual(t, len(bodies), 2)
			c := a.client(t)
			everywhere := geo.MultiPolygon{{{{X: -180, Y: -90}, {X: 180, Y: -90}, {X: 180, Y: 90}, {X: -180, Y: 90}, {X: -180, Y: -90}}}}
			_, err = c.Search(t.Context(), everywhere, day("2000-01-01"), day("2030-01-01"))
			// The tape ends before the API does.
			require.True(t, fault.Is(err, fault.NotFound), "%v", err)
			require.Len(t, a.searches, len(bodies)+1)
			for i, body := range bodies[1:] {
				got, ok := strings.CutPrefix(a.searches[i+1], "POST /v1/search ")
				require.True(t, ok, a.searches[i+1])
				require.JSONEq(t, body, got)
			}
		})
	}
}

// The real items of Slovenia behind a played API read as the folder of them does.
func TestRealItemsBehindAnAPI(t *testing.T) {
	dir := realdata.Path(t, "satellite", "s2-slovenia-2tiles-2023-120m")
	a := newAPI(t)
	var items []object
	names, err := filepath.Glob(filepath.Join(dir, "S2*", "*.json"))
	require.NoError(t, err)
	for _, name := range names {
		raw, err := os.ReadFile(name)
		require.NoError(t, err)
		var it object
		require.NoError(t, json.Unmarshal(raw, &it))
		for _, asset := range it["assets"].(object) {
			href, _ := asset.(object)["href"].(string)
			data, err := os.ReadFile(filepath.Join(filepath.Dir(name), href))
			if err != nil || !strings.HasSuffix(href, ".tif") {
				continue
			}
			path := fmt.Sprintf("/files/%s/%s", it["id"], href)
			a.files[path] = data
			asset.(object)["href"] = a.URL + path
		}
		items = append(items, it)
	}
	a.answers = []http.HandlerFunc{answer(pageOf(nil, items...))}
	c := a.client(t, "sentinel-2-l2a")
	near := geo.MultiPolygon{{{{X: 15.6, Y: 46.03}, {X: 15.61, Y: 46.03}, {X: 15.61, Y: 46.04}, {X: 15.6, Y: 46.03}}}}
	scenes, err := c.Search(t.Context(), near, day("2023-08-01"), day("2023-09-01"))
	require.NoError(t, err)
	require.Len(t, scenes, 10)
	for _, s := range scenes {
		for _, band := range []vegetation.Band{vegetation.B02, vegetation.B04, vegetation.B08, vegetation.SCL} {
			grid, err := c.Grid(t.Context(), s, band)
			require.NoError(t, err)
			got, err := c.Read(t.Context(), s, band, vegetation.Window{Width: grid.Width, Height: grid.Height})
			require.NoError(t, err)
			require.Zero(t, got.Offset, "applied already")
			require.Len(t, got.DN, grid.Width*grid.Height)
		}
	}
}
