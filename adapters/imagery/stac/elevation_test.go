package stac_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/imagery/internal/cogwrite"
	"tilth/adapters/imagery/stac"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/vegetation"
)

// An API with an elevation model: what is requested, and what becomes of the items.
func TestElevation(t *testing.T) {
	heights, err := cogwrite.Encode(cogwrite.Image{Bits: 32,
		Grid:   vegetation.Grid{EPSG: 32630, OriginX: 399_960, OriginY: 4_700_040, PixelX: 10, PixelY: 10, Width: 20, Height: 20},
		Metres: make([]float32, 400),
	})
	require.NoError(t, err)
	var asked map[string]any
	var server *httptest.Server
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/search" {
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(heights))
			return
		}
		_ = json.NewDecoder(r.Body).Decode(&asked)
		item := `{"type":"Feature","id":%q,"collection":%q,"bbox":[-4.3,42.3,-4.0,42.6],"properties":{"datetime":"2021-04-22T00:00:00Z"},"assets":{"data":{"href":%q,"file:checksum":"1220ab"}}}`
		_, _ = fmt.Fprintf(w, `{"type":"FeatureCollection","features":[`+item+`,`+item+`]}`,
			"N42W005", "cop-dem-glo-30", server.URL+"/h.tif", "other", "sentinel-2-l2a", server.URL+"/h.tif")
	}))
	defer server.Close()
	c, err := stac.New(server.URL, stac.Options{})
	require.NoError(t, err)

	utm, err := geo.NewUTM(32630)
	require.NoError(t, err)
	middle := utm.Inverse(geo.Position{X: 400_060, Y: 4_699_940})
	area := geo.MultiPolygon{{{{X: middle.X, Y: middle.Y}, {X: middle.X + 1e-4, Y: middle.Y}, {X: middle.X, Y: middle.Y + 1e-4}, {X: middle.X, Y: middle.Y}}}}
	models, err := c.Elevation(t.Context(), area)
	require.NoError(t, err)
	require.Equal(t, []any{"cop-dem-glo-30"}, asked["collections"])
	require.Len(t, models, 1)
	require.Equal(t, "N42W005", models[0].Item)
	require.Equal(t, "2021-04-22", models[0].Date)
	require.Equal(t, "1220ab", models[0].Checksum)
	require.NotEmpty(t, models[0].Values)

	far := geo.MultiPolygon{{{{X: -4.29, Y: 42.31}, {X: -4.28, Y: 42.31}, {X: -4.29, Y: 42.32}, {X: -4.29, Y: 42.31}}}}
	models, err = c.Elevation(t.Context(), far)
	require.NoError(t, err)
	require.Empty(t, models, "the footprint reaches it, the pixels do not")
}

// An API that does not know the collection holds no model; one that cannot be used says so.
func TestElevationOfOthers(t *testing.T) {
	for status, none := range map[int]bool{http.StatusNotFound: true, http.StatusBadRequest: true, http.StatusForbidden: false} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
		c, err := stac.New(server.URL, stac.Options{})
		require.NoError(t, err)
		models, err := c.Elevation(t.Context(), geo.MultiPolygon{{{{X: 0, Y: 0}, {X: 1, Y: 0}, {X: 0, Y: 1}, {X: 0, Y: 0}}}})
		require.Empty(t, models)
		require.Equal(t, none, err == nil, "status %d", status)
		require.True(t, none || fault.Is(err, fault.Unavailable))
		server.Close()
	}
}
