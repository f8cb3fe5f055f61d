package imagery_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/imagery/mapfile"
	"tilth/app/satellite"
	"tilth/core/geo"
	"tilth/core/indexmap"
	"tilth/core/vegetation"
	"tilth/tests/realdata"
)

// The mean of every date of a map equals the profile's on the same pixels: to 1e-9 for the computed numbers, and to
// 1e-6 for the GeoTIFF that people download.
func TestMapsOfRealScenesHaveTheMeansOfProfiles(t *testing.T) {
	spanish, err := os.ReadFile(filepath.Join(realdata.Path(t, "satellite", "s2-spain-valladolid-2019"), "field.geojson"))
	require.NoError(t, err)
	boundary, err := geo.ParseGeoJSON(nil, spanish, geo.DefaultLimits())
	require.NoError(t, err)
	for _, c := range []struct {
		folder, from, to string
		field            geo.MultiPolygon
	}{
		{"s2-spain-valladolid-2019", "2019-01-01", "2019-12-31", boundary.Geometry()},
		{"s2-belgium-haspengouw-2020-21-monthly", "2020-11-01", "2021-10-31", outlines(t)["p4"]},
		{slovenia, "2023-08-10", "2023-08-20", rectangle(t, 32633, 550000, 5086000, 556000, 5099000)}, // over two tiles
	} {
		index, err := vegetation.ParseIndex("NDVI")
		require.NoError(t, err)
		var keeping sync.Mutex
		layers := map[time.Time][]indexmap.Layer{}
		computer := satellite.Computer{Imagery: openFolder(t, realdata.Path(t, "satellite", c.folder))}
		series, err := computer.Layers(t.Context(), satellite.LayerRequest{SeriesRequest: satellite.SeriesRequest{
			Boundary: c.field, From: day(c.from), To: day(c.to), Index: index, Mask: vegetation.MaskStandard,
		}}, func(_ context.Context, l indexmap.Layer) error {
			keeping.Lock()
			defer keeping.Unlock()
			layers[l.Day] = append(layers[l.Day], l)
			return nil
		})
		require.NoError(t, err)
		require.NotEmpty(t, series.Observations, c.folder)
		for _, o := range series.Observations {
			require.Len(t, layers[o.Date], 1, "%s on %s", c.folder, o.Date)
			l := layers[o.Date][0]
			s := l.Describe()
			require.InDelta(t, o.Value, s.Mean, 1e-9, "%s on %s", c.folder, o.Date)
			require.Equal(t, [2]int{o.NValid, o.NPolygon}, [2]int{s.Valid, s.Pixels})
			var file bytes.Buffer
			require.NoError(t, mapfile.Files{}.WriteGeoTIFF(&file, l))
			given, err := mapfile.Files{}.ReadLayer(t.Context(), bytes.NewReader(file.Bytes()), int64(file.Len()))
			require.NoError(t, err)
			require.InDelta(t, o.Value, given.Describe().Mean, 1e-6)
		}
		t.Logf("%s: the means of %d dates agree", c.folder, len(series.Observations))
	}
}
