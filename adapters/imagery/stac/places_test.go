package stac_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/imagery/remote"
	"tilth/adapters/imagery/stac"
	"tilth/core/geo"
	"tilth/core/vegetation"
	"tilth/ports"
)

// square is a field of a thousandth of a degree.
func square(x, y float64) geo.MultiPolygon {
	return geo.MultiPolygon{{{{X: x, Y: y}, {X: x + 0.001, Y: y}, {X: x + 0.001, Y: y + 0.001}, {X: x, Y: y + 0.001}, {X: x, Y: y}}}}
}

// sharing is a client with a clock that moves.
func (a *api) sharing(t *testing.T, now *time.Time) *stac.Client {
	t.Helper()
	c, err := stac.New(a.URL+"/v1/", stac.Options{Remote: remote.Options{
		Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }, Jitter: func() float64 { return 0 }, Now: func() time.Time { return *now },
	}})
	require.NoError(t, err)
	return c
}

func ids(t *testing.T, scenes []vegetation.Scene, err error) (out []string) {
	t.Helper()
	require.NoError(t, err)
	for _, s := range scenes {
		out = append(out, s.ID)
	}
	return out
}

func repeated(one http.HandlerFunc, times int) (out []http.HandlerFunc) {
	for range times {
		out = append(out, one)
	}
	return out
}

// Ten thousand watched fields in four cells and two seasons cost eight searches an hour, and each finds what it would have found
// alone.
func TestFieldsOfAPlaceShareASearch(t *testing.T) {
	west := scene("west", "2025-05-02T00:00:00Z", "x.tif")
	west["bbox"] = []float64{-5, 41, -4.75, 42}
	before := scene("before", "2025-04-20T00:00:00Z", "x.tif")
	page := answer(pageOf(nil, scene("all", "2025-05-03T00:00:00Z", "x.tif"), west, before))
	answers := repeated(page, 40)
	a, alone := newAPI(t, answers...), newAPI(t, answers...)
	now := day("2025-06-02")
	c, shared := a.sharing(t, &now), ports.SharingSearches(t.Context())
	const fields = 10_000
	for n := range fields {
		x, y := -4.999+float64(n%2)*0.5+float64(n/2%50)*0.009, 41.001+float64(n/100%2)*0.5+float64(n/200)*0.009
		from := day("2025-05-01").AddDate(0, 0, -10*(n%3)) // the first, and in April
		scenes, err := c.Search(shared, square(x, y), from, day("2025-06-01"))
		got := ids(t, scenes, err)
		if n%500 == 0 {
			scenes, err := alone.client(t).Search(t.Context(), square(x, y), from, day("2025-06-01"))
			require.Equal(t, ids(t, scenes, err), got)
		}
		require.Contains(t, got, "all")
	}
	require.Len(t, a.searches, 8)
	require.Contains(t, a.searches[0], `"coordinates":[[[-5,41],[-4.5,41],[-4.5,41.5],[-5,41.5],[-5,41]]]`)

	// An hour later the searches are made anew.
	now = now.Add(time.Hour)
	_, err := c.Search(shared, square(-4.4, 41.1), day("2025-05-01"), day("2025-06-01"))
	require.NoError(t, err)
	require.Len(t, a.searches, 9)
}

// A search that is not marked, crosses the edge of a cell, or spans years is made on its own.
func TestSearchesOfTheirOwn(t *testing.T) {
	a := newAPI(t, repeated(answer(pageOf(nil, scene("all", "2025-05-03T00:00:00Z", "x.tif"))), 10)...)
	now := day("2025-06-02")
	c, shared := a.sharing(t, &now), ports.SharingSearches(t.Context())
	for n, ask := range []struct {
		ctx      context.Context
		boundary geo.MultiPolygon
		from     string
	}{
		{t.Context(), square(-4.4, 41.1), "2025-05-01"},
		{t.Context(), square(-4.4, 41.1), "2025-05-01"},
		{shared, square(-4.5005, 41.1), "2025-05-01"},
		{shared, square(-4.5005, 41.1), "2025-05-01"},
		{shared, square(-4.4, 41.1), "2023-05-01"},
		{shared, square(-4.4, 41.1), "2023-05-01"},
	} {
		_, err := c.Search(ask.ctx, ask.boundary, day(ask.from), day("2025-06-01"))
		require.NoError(t, err)
		require.Len(t, a.searches, n+1)
	}
}

// It is unknown which fields of the place an unreadable item belongs to: each field searches on its own, and reports the item.
func TestAPlaceWithABrokenItem(t *testing.T) {
	broken := scene("broken", "2025-05-03T00:00:00Z", "x.tif")
	broken["geometry"] = "a place"
	a := newAPI(t, repeated(answer(pageOf(nil, broken)), 10)...)
	now := day("2025-06-02")
	c := a.sharing(t, &now)
	for n := range 3 {
		scenes, err := c.Search(ports.SharingSearches(t.Context()), square(-4.4, 41.1), day("2025-05-01"), day("2025-06-01"))
		require.NoError(t, err)
		require.NotEmpty(t, scenes[0].Broken)
		require.Len(t, a.searches, n+2, fmt.Sprint("the place once, and the field ", n))
	}
}
