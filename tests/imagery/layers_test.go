package imagery_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/imagery/catalog"
	"tilth/app/satellite"
	"tilth/core/geo"
	"tilth/core/indexmap"
	"tilth/core/vegetation"
	"tilth/ports"
	"tilth/tests/realdata"
	"tilth/tests/season"
)

// counted is an imagery source that counts the pixels read.
type counted struct {
	ports.Imagery
	mu     sync.Mutex
	pixels int
}

func (c *counted) Read(ctx context.Context, s vegetation.Scene, b vegetation.Band, w vegetation.Window) (vegetation.Raster, error) {
	c.mu.Lock()
	c.pixels += w.Width * w.Height
	c.mu.Unlock()
	return c.Imagery.Read(ctx, s, b, w)
}

// layersOf computes the dates of a map, and returns their layers by day.
func layersOf(t *testing.T, c *satellite.Computer, req satellite.LayerRequest) (vegetation.Series, map[time.Time]indexmap.Layer) {
	t.Helper()
	var mu sync.Mutex
	out := map[time.Time]indexmap.Layer{}
	series, err := c.Layers(t.Context(), req, func(_ context.Context, l indexmap.Layer) error {
		mu.Lock()
		defer mu.Unlock()
		require.NotContains(t, out, l.Day)
		out[l.Day] = l
		return nil
	})
	require.NoError(t, err)
	return series, out
}

// On the synthetic archive every pixel of every map agrees with the bands of its scene, the dates and their figures are
// those of the profile, and no more pixels are read for them.
func TestMapsEqualTheArchiveAndTheProfile(t *testing.T) {
	t.Parallel()
	archive := season.Archive(t)
	source, err := catalog.Open(archive.Dir)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, source.Close()) })
	seen, small, dates, beside := 0, 0, 0, 0
	for _, p := range archive.Parcels {
		index, err := vegetation.ParseIndex("NDVI")
		require.NoError(t, err)
		req := satellite.SeriesRequest{Boundary: p.Boundary, From: archive.From, To: archive.To, Index: index}
		forProfile, forMap := &counted{Imagery: source}, &counted{Imagery: source}
		profile, err := (&satellite.Computer{Imagery: forProfile}).Compute(t.Context(), req)
		require.NoError(t, err)
		series, layers := layersOf(t, &satellite.Computer{Imagery: forMap}, satellite.LayerRequest{SeriesRequest: req})
		require.True(t, profile.Same(series), p.Name)
		require.Equal(t, forProfile.pixels, forMap.pixels, "%s: what is read", p.Name)
		scenes := map[string]vegetation.Scene{}
		found, err := source.Search(t.Context(), p.Boundary, archive.From.AddDate(0, 0, -1), archive.To.AddDate(0, 0, 2))
		require.NoError(t, err)
		for _, s := range found {
			scenes[s.ID] = s
		}
		for _, o := range series.Observations {
			l, ok := layers[o.Date]
			require.True(t, ok, "%s has no pixels of %s", p.Name, o.Date)
			require.Equal(t, o.Items, l.Scenes)
			require.True(t, l.Synthetic)
			figures := l.Describe()
			require.InDelta(t, o.Value, figures.Mean, 1e-9, "%s on %s", p.Name, o.Date)
			require.Equal(t, o.NValid, figures.Valid)
			require.Equal(t, o.NPolygon, figures.Pixels)
			dates++
			if series.SmallField {
				small++
			}
			if len(l.Scenes) > 1 || dates%7 != 0 { // every seventh is read pixel by pixel
				continue
			}
			in, out := pixelsAre(t, source, scenes[l.Scenes[0]], l)
			seen, beside = seen+in, beside+out
		}
	}
	require.Positive(t, small)
	require.Positive(t, beside)
	require.Greater(t, seen, 10_000)
}

// pixelsAre requires that the values of a layer are those of a scene, and returns how many it compared in the field and beside it.
func pixelsAre(t *testing.T, source ports.Imagery, s vegetation.Scene, l indexmap.Layer) (inside, beside int) {
	t.Helper()
	whole := func(band vegetation.Band) vegetation.Raster {
		grid, err := source.Grid(t.Context(), s, band)
		require.NoError(t, err)
		r, err := source.Read(t.Context(), s, band, vegetation.Window{Width: grid.Width, Height: grid.Height})
		require.NoError(t, err)
		return r
	}
	red, nir, classes := whole(vegetation.B04), whole(vegetation.B08), whole(vegetation.SCL)
	for i, v := range l.Values {
		at := l.Grid.Centre(i%l.Cols, i/l.Cols)
		if math.IsNaN(v) {
			continue
		}
		class, ok := classes.At(classes.Grid.PixelAt(at))
		require.True(t, ok && class >= 4 && class <= 7, "a pixel that is not clear")
		a, _ := red.At(red.Grid.PixelAt(at))
		b, _ := nir.At(nir.Grid.PixelAt(at))
		r, n := red.Reflectance(a), nir.Reflectance(b)
		require.InDelta(t, (n-r)/(n+r), v, 1e-12)
		if l.Inside[i] {
			inside++
		} else {
			beside++
		}
	}
	return inside, beside
}

// On real scenes, too, the map of each date has the figures of the profile.
func TestMapsOfRealScenesEqualTheProfile(t *testing.T) {
	dir := realdata.Path(t, "satellite", "s2-spain-valladolid-2019")
	raw, err := os.ReadFile(filepath.Join(dir, "field.geojson"))
	require.NoError(t, err)
	b, err := geo.ParseGeoJSON(nil, raw, geo.DefaultLimits())
	require.NoError(t, err)
	index, err := vegetation.ParseIndex("NDVI")
	require.NoError(t, err)
	req := satellite.SeriesRequest{Boundary: b.Geometry(), From: day("2019-01-01"), To: day("2019-12-31"), Index: index}
	forProfile, forMap := &counted{Imagery: openFolder(t, dir)}, &counted{Imagery: openFolder(t, dir)}
	profile, err := (&satellite.Computer{Imagery: forProfile}).Compute(t.Context(), req)
	require.NoError(t, err)
	series, layers := layersOf(t, &satellite.Computer{Imagery: forMap}, satellite.LayerRequest{SeriesRequest: req})
	require.True(t, profile.Same(series))
	require.Equal(t, forProfile.pixels, forMap.pixels)
	require.Len(t, layers, 31)
	for _, o := range series.Observations {
		l := layers[o.Date]
		require.InDelta(t, o.Value, l.Describe().Mean, 1e-9)
		require.False(t, l.Synthetic)
	}
}

// Known dates of a map are taken over without reading anything.
func TestKnownDatesOfMapsAreNotReadAgain(t *testing.T) {
	t.Parallel()
	archive := season.Archive(t)
	source, err := catalog.Open(archive.Dir)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, source.Close()) })
	index, err := vegetation.ParseIndex("NDMI")
	require.NoError(t, err)
	req := satellite.LayerRequest{SeriesRequest: satellite.SeriesRequest{Boundary: archive.Parcels[0].Boundary, From: archive.From, To: archive.From.AddDate(0, 1, 0), Index: index}}
	reads := &counted{Imagery: source}
	computer := &satellite.Computer{Imagery: reads}
	first, layers := layersOf(t, computer, req)
	require.Len(t, layers, len(first.Observations))
	require.Greater(t, len(first.Observations), 1)
	before := reads.pixels
	req.Known = first
	again, none := layersOf(t, computer, req)
	require.True(t, first.Same(again))
	require.Empty(t, none)
	require.Equal(t, before, reads.pixels)
	req.Known.Observations = first.Observations[1:] // the file of the first has expired
	again, one := layersOf(t, computer, req)
	require.True(t, first.Same(again))
	require.Len(t, one, 1)
	require.Equal(t, layers[first.Observations[0].Date].Scenes, one[first.Observations[0].Date].Scenes)
	require.Greater(t, reads.pixels, before)
}
