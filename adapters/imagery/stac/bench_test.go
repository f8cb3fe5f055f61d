package stac_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/imagery/remote"
	"tilth/adapters/imagery/stac"
	"tilth/ports"
)

// catalogue answers every search with 400 items of 12 kB, 100 per page, as public catalogues of Sentinel-2 have them for a
// year in a cell of half a degree, and counts what it sends.
type catalogue struct {
	*httptest.Server
	searches, pages, bytes atomic.Int64
}

func newCatalogue(b *testing.B) *catalogue {
	items := make([]object, 100)
	for i := range items {
		items[i] = scene(fmt.Sprint("S2A_30TUM_", i), "2025-05-03T00:00:00Z", "x.tif")
		items[i]["properties"].(object)["description"] = strings.Repeat("x", 11_500)
	}
	c := &catalogue{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page := r.URL.Query().Get("page")
		if c.pages.Add(1); page == "" {
			c.searches.Add(1)
		}
		var next object
		if following, more := map[string]string{"": "2", "2": "3", "3": "4"}[page]; more {
			next = object{"href": c.URL + "/v1/search?page=" + following, "method": http.MethodGet}
		}
		raw, err := json.Marshal(pageOf(next, items...))
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		c.bytes.Add(int64(len(raw)))
		_, _ = w.Write(raw)
	}))
	b.Cleanup(c.Close)
	return c
}

// BenchmarkADayOfWatching searches once for the scenes of 10,000 watched fields of four cells and two seasons, as the checks of a
// day do in a process, and reports what that costs the catalogue; alone is the cost of a field that shares nothing.
func BenchmarkADayOfWatching(b *testing.B) {
	const fields = 10_000
	c := newCatalogue(b)
	watch := func(ctx context.Context, client *stac.Client, n int) {
		x, y := -4.999+float64(n%2)*0.5+float64(n/2%50)*0.009, 41.001+float64(n/100%2)*0.5+float64(n/200)*0.009
		from := day("2025-03-01").AddDate(n/5000, 0, 0)
		_, err := client.Search(ctx, square(x, y), from, from.AddDate(0, 8, 0))
		require.NoError(b, err)
	}
	client := func() *stac.Client {
		client, err := stac.New(c.URL+"/v1/", stac.Options{Remote: remote.Options{Now: func() time.Time { return day("2026-06-02") }}})
		require.NoError(b, err)
		return client
	}
	for b.Loop() {
		c.searches.Store(0)
		c.bytes.Store(0)
		own, shared := client(), ports.SharingSearches(b.Context())
		for n := range fields {
			watch(shared, own, n)
		}
	}
	searches, bytes := c.searches.Load(), c.bytes.Load()
	c.bytes.Store(0)
	watch(b.Context(), client(), 0)
	b.ReportMetric(float64(searches), "searches/day")
	b.ReportMetric(float64(bytes)/1e6, "MB/day")
	b.ReportMetric(float64(c.bytes.Load())*fields/1e6, "MB/day-alone")
}
