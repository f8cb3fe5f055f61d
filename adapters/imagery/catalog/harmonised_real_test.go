package catalog_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/imagery/catalog"
	"tilth/app/satellite"
	"tilth/core/geo"
	"tilth/core/vegetation"
	"tilth/ports"
	"tilth/tests/realdata"
)

// shelf is a folder of several catalogs, one per data set.
func shelf(t *testing.T, folders ...string) *catalog.Catalog {
	t.Helper()
	dir := t.TempDir()
	var links []object
	for _, folder := range folders {
		name := filepath.Base(filepath.Dir(folder)) + filepath.Base(folder)
		require.NoError(t, os.CopyFS(filepath.Join(dir, name), os.DirFS(folder)))
		links = append(links, object{"rel": "child", "href": "./" + name + "/catalog.json"})
	}
	raw, err := json.Marshal(object{"type": "Catalog", "id": "shelf", "links": links})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "catalog.json"), raw, 0o600))
	c, err := catalog.Open(dir)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	return c
}

// adjustedMean is the mean NDVI of a scene over a field with adjusted bands, pixel by pixel from the rasters alone.
func adjustedMean(t *testing.T, imagery ports.Imagery, s vegetation.Scene, field geo.MultiPolygon, red, nir vegetation.Adjustment) float64 {
	t.Helper()
	r := whole(t, imagery, s)
	plane, err := geo.NewPlane(r[vegetation.B04].Grid.EPSG)
	require.NoError(t, err)
	footprint, err := vegetation.Cover(plane.Project(field), r[vegetation.B04].Grid)
	require.NoError(t, err)
	sum, n := 0.0, 0.0
	for _, c := range footprint.Cells {
		at := r[vegetation.B04].Grid.Centre(c.Col, c.Row)
		data := true
		number := func(b vegetation.Band) float64 {
			v, ok := r[b].At(r[b].Grid.PixelAt(at))
			data = data && ok
			return v
		}
		if !slices.Contains([]float64{4, 5, 6, 7}, number(vegetation.SCL)) {
			continue
		}
		x := red.Slope*number(vegetation.B04)*0.0001 + red.Offset
		y := nir.Slope*number(vegetation.B08)*0.0001 + nir.Offset
		if data {
			sum, n = sum+(y-x)/(y+x), n+1
		}
	}
	return sum / n
}

// The Spanish scenes as Sentinel-2A, HLS S30 and HLS L30 in one archive: a harmonised date is adjusted as its sensor needs, and
// of several on a day with the same coverage the nearest to Landsat 8 at nadir wins.
func TestTheSpanishSeriesHarmonised(t *testing.T) {
	field := spanishField(t)
	original, err := catalog.Open(realdata.Path(t, "satellite", "s2-spain-valladolid-2019"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, original.Close()) })
	ndvi, err := vegetation.ParseIndex("NDVI")
	require.NoError(t, err)
	series := func(imagery ports.Imagery, dataset vegetation.DatasetCode) vegetation.Series {
		s, err := (&satellite.Computer{Imagery: imagery}).Compute(t.Context(), satellite.SeriesRequest{
			Boundary: field, From: day("2019-01-01"), To: day("2019-12-31"), Index: ndvi, Dataset: dataset,
		})
		require.NoError(t, err)
		return s
	}
	want := series(original, vegetation.AllDatasets)

	asS2, asS30, asL30 := guises["Sentinel-2 in floating point numbers"], guises["HLS S30"], guises["HLS L30"]
	asS2.platform, asS2.nir = "sentinel-2a", "B8A"
	asS30.platform, asS30.nir, asL30.platform = "sentinel-2a", "B8A", "landsat-8"
	s2, s30, l30 := asS2.disguise(t, original, field), asS30.disguise(t, original, field), asL30.disguise(t, original, field)

	adjusted := series(shelf(t, s2), vegetation.Harmonised)
	require.Len(t, adjusted.Observations, 31)
	scenes, err := original.Search(t.Context(), field, day("2019-01-01"), day("2020-01-01"))
	require.NoError(t, err)
	for _, o := range adjusted.Observations {
		i := slices.IndexFunc(scenes, func(s vegetation.Scene) bool { return s.SensedAt.Format("2006-01-02") == o.Date.Format("2006-01-02") })
		mean := adjustedMean(t, original, scenes[i], field, vegetation.Adjustment{Slope: 0.9765, Offset: 0.0009}, vegetation.Adjustment{Slope: 0.9983, Offset: -0.0001})
		require.InDelta(t, mean, o.Value, 1e-6, "%s", o.Date)
		require.Equal(t, vegetation.SentinelL2A, o.Sensor.Dataset)
		require.Equal(t, []string{vegetation.NotNormalised}, o.Sensor.NotAdjusted)
		require.Len(t, o.Sensor.Adjusted, 2)
	}

	for _, c := range []struct {
		folders []string
		winner  vegetation.DatasetCode
	}{{[]string{s2, s30, l30}, vegetation.HLSL30}, {[]string{s30, s2}, vegetation.HLSS30}} {
		got := series(shelf(t, c.folders...), vegetation.Harmonised)
		require.Len(t, got.Observations, 31)
		for i, o := range got.Observations {
			require.Equal(t, c.winner, o.Sensor.Dataset, "%s", o.Date)
			require.Empty(t, o.Sensor.Adjusted)
			require.Empty(t, o.Sensor.NotAdjusted)
			require.InDelta(t, want.Observations[i].Value, o.Value, 1e-9)
			require.Len(t, o.Items, 1, "one data set a point")
		}
	}
	three := shelf(t, s2, s30, l30)
	for i, o := range series(three, vegetation.HLSL30).Observations {
		require.Nil(t, o.Sensor, "one data set is taken as it is")
		require.InDelta(t, want.Observations[i].Value, o.Value, 1e-9)
	}
	require.Equal(t, "No scene of the imagery archive covers the field in the season.", series(three, vegetation.LandsatC2L2).Empty())
	require.Nil(t, want.Observations[0].Sensor, "series of before are as they were")
}
