package stac_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/imagery/internal/cogwrite"
	"tilth/adapters/imagery/remote"
	"tilth/adapters/imagery/stac"
	"tilth/core/fault"
	"tilth/core/vegetation"
	"tilth/tests/realdata"
)

func impatient(now func() time.Time) remote.Options {
	return remote.Options{
		Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }, Jitter: func() float64 { return 0 }, Now: now,
	}
}

func TestTheAddressSaysWhatToSearch(t *testing.T) {
	for address, want := range map[string]string{
		"https://earth-search.aws.element84.com/v1":                              "STAC API https://earth-search.aws.element84.com/v1: sentinel-2-c1-l2a",
		"https://example.org/collections/hls2-s30,hls2-l30":                      "STAC API https://example.org: hls2-s30, hls2-l30",
		"https://earth-search.aws.element84.com/v1/collections/sentinel-2-l2a":   "STAC API https://earth-search.aws.element84.com/v1: sentinel-2-l2a",
		"https://planetarycomputer.microsoft.com/api/stac/v1":                    "STAC API https://planetarycomputer.microsoft.com/api/stac/v1: sentinel-2-l2a",
		"https://stac.dataspace.copernicus.eu/v1/":                               "STAC API https://stac.dataspace.copernicus.eu/v1/: sentinel-2-l2a",
		"https://example.org/stac?key=1&sign_at=https%3A%2F%2Fexample.org%2Fsas": "STAC API https://example.org/stac?key=1: sentinel-2-c1-l2a",
	} {
		c, err := stac.New(address, stac.Options{})
		require.NoError(t, err)
		require.Equal(t, want, c.Describe())
	}
	c, err := stac.New("https://example.org/collections/one", stac.Options{Collections: []string{"two"}})
	require.NoError(t, err)
	require.Contains(t, c.Describe(), ": two")
	_, err = stac.New("https://example.org?sign_at=here", stac.Options{})
	require.True(t, fault.Is(err, fault.Invalid), "%v", err)
}

// vault plays a store that requires signed addresses, and the endpoint that signs.
type vault struct {
	tokens  atomic.Int64 // handed out
	refused atomic.Int64
	valid   atomic.Int64 // the token that opens, 0: none does
	life    time.Duration
	now     time.Time
	fail    bool
}

func (v *vault) wrap(next http.Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.URL.Path, "/sas/"):
			if v.fail || r.URL.Path != "/sas/sentinel-2-l2a" {
				w.WriteHeader(http.StatusNotFound)
				return
			}
			n := v.tokens.Add(1)
			_ = json.NewEncoder(w).Encode(object{"token": fmt.Sprintf("sig=%d", n), "msft:expiry": v.now.Add(v.life).Format(time.RFC3339)})
		case strings.HasPrefix(r.URL.Path, "/files/") && r.URL.Query().Get("sig") != fmt.Sprint(v.valid.Load()):
			v.refused.Add(1)
			w.WriteHeader(http.StatusForbidden)
		default:
			next.ServeHTTP(w, r)
		}
	}
}

// signing returns a client of a played Planetary Computer, and the one scene of it.
func signing(t *testing.T, v *vault) (*stac.Client, vegetation.Scene) {
	t.Helper()
	v.now, v.life = day("2025-05-01"), time.Hour
	v.valid.Store(1)
	img := cogwrite.Image{Bits: 16, DN: make([]uint16, 300*900), Grid: vegetation.Grid{EPSG: 32630, PixelX: 10, PixelY: 10, Width: 300, Height: 900}}
	random := rand.New(rand.NewPCG(1, 2)) // incompressible data leave no block in the first request
	for i := range img.DN {
		img.DN[i] = uint16(random.Uint32())
	}
	data, err := cogwrite.Encode(img)
	require.NoError(t, err)
	a := newAPI(t)
	a.Config.Handler = v.wrap(a.Config.Handler)
	a.files["/files/B04.tif"] = data
	it := scene("a", "2025-05-02T00:00:00Z", a.URL+"/files/B04.tif")
	it["collection"] = "sentinel-2-l2a"
	a.answers = []http.HandlerFunc{answer(pageOf(nil, it))}
	c, err := stac.New(a.URL+"/v1/", stac.Options{SignAt: a.URL + "/sas", Remote: impatient(func() time.Time { return v.now })})
	require.NoError(t, err)
	scenes, err := c.Search(t.Context(), field, day("2025-05-01"), day("2025-06-01"))
	require.NoError(t, err)
	return c, scenes[0]
}

func TestSignedAddresses(t *testing.T) {
	corner := func(col int) vegetation.Window { return vegetation.Window{Col: col, Row: 200, Width: 10, Height: 10} }
	var v vault
	c, s := signing(t, &v)
	read := func(col int) error {
		_, err := c.Read(t.Context(), s, vegetation.B04, corner(col))
		return err
	}
	require.NoError(t, read(0))
	require.EqualValues(t, 1, v.tokens.Load(), "one token for header and block")

	v.valid.Store(2) // the store forgets the first before its time
	require.NoError(t, read(140))
	require.EqualValues(t, 2, v.tokens.Load())
	require.EqualValues(t, 1, v.refused.Load(), "signed once more")

	v.now = v.now.Add(59 * time.Minute) // within two minutes of its end
	v.valid.Store(3)
	require.NoError(t, read(290))
	require.EqualValues(t, 3, v.tokens.Load())
	require.EqualValues(t, 1, v.refused.Load(), "renewed before it expired")

	v = vault{}
	c, s = signing(t, &v)
	v.valid.Store(0)
	_, err := c.Grid(t.Context(), s, vegetation.B04)
	require.True(t, fault.Is(err, fault.Unavailable), "a store that takes no signature is out, its files are not gone: %v", err)
	require.EqualValues(t, 2, v.refused.Load(), "once more, not for ever")
	require.NotContains(t, err.Error(), "sig=")

	v = vault{fail: true}
	c, s = signing(t, &v)
	_, err = c.Grid(t.Context(), s, vegetation.B04)
	require.True(t, fault.Is(err, fault.Unavailable), "%v", err)
	require.Zero(t, v.refused.Load(), "an unsigned address is not tried")
}

func TestAFileRefusedWithoutASignatureIsGone(t *testing.T) {
	for status, kind := range map[int]fault.Kind{401: fault.Unavailable, 403: fault.NotFound, 404: fault.NotFound, 410: fault.NotFound} {
		a := newAPI(t)
		inner := a.Config.Handler
		a.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.URL.Path, "/files/") {
				w.WriteHeader(status)
				return
			}
			inner.ServeHTTP(w, r)
		})
		a.answers = []http.HandlerFunc{answer(pageOf(nil, scene("a", "2025-05-02T00:00:00Z", a.URL+"/files/B04.tif")))}
		c := a.client(t)
		scenes, err := c.Search(t.Context(), field, day("2025-05-01"), day("2025-06-01"))
		require.NoError(t, err)
		_, err = c.Grid(t.Context(), scenes[0], vegetation.B04)
		require.True(t, fault.Is(err, kind), "%d: %v", status, err)
	}
}

// TestAPageThatFailsForGood plays an API that answers 500 to every window that holds one certain
// second, unless the window is short enough.
func TestAPageThatFailsForGood(t *testing.T) {
	bad := time.Date(2025, 5, 9, 10, 0, 0, 0, time.UTC)
	items := []object{
		scene("a", "2025-05-02T00:00:00Z", "x.tif"), scene("b", "2025-05-09T09:00:00Z", "x.tif"), scene("c", "2025-05-30T00:00:00Z", "x.tif"),
	}
	within := func(bearable time.Duration) (*api, *stac.Client) {
		a := newAPI(t)
		for range 500 {
			a.answers = append(a.answers, func(w http.ResponseWriter, _ *http.Request) {
				_, body, _ := strings.Cut(a.searches[len(a.searches)-1], "/v1/search ")
				var ask struct{ Datetime string }
				_ = json.Unmarshal([]byte(body), &ask)
				first, last, _ := strings.Cut(ask.Datetime, "/")
				from, _ := time.Parse(time.RFC3339, first)
				to, _ := time.Parse(time.RFC3339, last)
				if to.Sub(from) > bearable && !bad.Before(from) && !bad.After(to) {
					w.WriteHeader(http.StatusInternalServerError)
					return
				}
				var found []object
				for _, it := range items {
					at, _ := time.Parse(time.RFC3339, it["properties"].(object)["datetime"].(string))
					if !at.Before(from) && !at.After(to) {
						found = append(found, it)
					}
				}
				answer(pageOf(nil, found...))(w, nil)
			})
		}
		return a, a.client(t)
	}
	a, c := within(5 * 24 * time.Hour)
	ids, err := search(t, c)
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b", "c"}, ids)
	require.Len(t, a.searches, 3*5+4, "31 days, 15.5 and 7.75 fail five times each; four windows answer")

	a, c = within(0)
	_, err = search(t, c)
	require.True(t, fault.Is(err, fault.Unavailable), "a series with holes would look complete: %v", err)
	require.Less(t, len(a.searches), 40)
}

func TestAMalformedItemCostsItsDate(t *testing.T) {
	placeless := scene("placeless", "2025-05-03T10:00:00Z", "x.tif")
	delete(placeless, "bbox")
	timeless := scene("S2B_MSIL2A_20250504T105619_R094_T30TUM_20250504T140000", "", "x.tif")
	odd := scene("odd", "2025-05-05T10:00:00Z", "x.tif")
	odd["assets"] = "none"
	later := scene("later", "2025-07-03T10:00:00Z", "x.tif")
	delete(later, "bbox")
	a := newAPI(t, answer(pageOf(nil, placeless, scene("a", "2025-05-02T00:00:00Z", "x.tif"), timeless, odd, later, object{"id": "nothing"}, nil)))
	scenes, err := a.client(t).Search(t.Context(), field, day("2025-05-01"), day("2025-06-01"))
	require.NoError(t, err)
	got := []string{}
	for _, s := range scenes {
		got = append(got, fmt.Sprintf("%s %s %t", s.SensedAt.Format(time.DateOnly), s.ID, s.Broken == ""))
	}
	require.Equal(t, []string{
		"2025-05-02 a true", "2025-05-03 placeless false", "2025-05-04 " + timeless["id"].(string) + " false", "2025-05-05 odd false",
	}, got)
	require.Contains(t, scenes[1].Broken, "bbox")

	// A sound copy on another page wins.
	again := scene("placeless", "2025-05-03T10:00:00Z", "x.tif")
	for _, items := range [][]object{{placeless, again}, {again, placeless}} {
		scenes, err := newAPI(t, answer(pageOf(nil, items...))).client(t).Search(t.Context(), field, day("2025-05-01"), day("2025-06-01"))
		require.NoError(t, err)
		require.Len(t, scenes, 1)
		require.Empty(t, scenes[0].Broken)
	}
}

// The recorded items, moved to one place, are found; those of Copernicus Data Space are
// refused by name.
func TestRecordedItemsOfEveryDialect(t *testing.T) {
	for file, want := range map[string]int{
		"earth-search-v1_sentinel-2-c1-l2a_itemcollection.json":       10,
		"planetary-computer_sentinel-2-l2a_two-items.json":            2,
		"planetary-computer_sentinel-2-l2a_item_N0212.json":           1,
		"earth-search-v0_sentinel-s2-l2a-cogs_item.json":              1,
		"earth-search-v1_sentinel-2-l2a_item_boa-offset-applied.json": 1,
		"cdse-v1_sentinel-2-l2a_search_2026.json":                     0,
		"cdse-v1_sentinel-2-l2a_search_2020-N0500.json":               0,
	} {
		t.Run(file, func(t *testing.T) {
			raw, err := os.ReadFile(realdata.Path(t, "satellite", "stac-samples", file))
			require.NoError(t, err)
			var sample object
			require.NoError(t, json.Unmarshal(raw, &sample))
			items := []object{sample}
			if list, ok := sample["features"].([]any); ok {
				items = nil
				for _, it := range list {
					items = append(items, it.(object))
				}
			}
			for _, it := range items {
				delete(it, "geometry")
				it["bbox"] = []float64{-5, 41, -4, 42}
			}
			scenes, err := newAPI(t, answer(pageOf(nil, items...))).client(t).Search(t.Context(), field, day("2015-01-01"), day("2030-01-01"))
			if want == 0 {
				require.True(t, fault.Is(err, fault.Invalid), "%v", err)
				require.ErrorContains(t, err, "JPEG 2000")
				return
			}
			require.NoError(t, err)
			require.Len(t, scenes, want)
		})
	}
}
