package imagery_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/app/satellite"
	"tilth/app/soil"
	"tilth/core/geo"
	"tilth/core/stratification"
	"tilth/core/stratification/zoning"
	"tilth/core/vegetation"
	"tilth/ports"
	"tilth/tests/realdata"
)

// noRasters is a store in which the operator registered nothing.
type noRasters struct{ ports.Store }

func (noRasters) Read(context.Context, func(context.Context, ports.Repos) error) error {
	return nil
}

type inSpring time.Time

func (c inSpring) Now() time.Time { return time.Time(c) }

// The layers of a real field of 2019, five cells of which are recomputed pixel by pixel.
func TestSpanishLayers(t *testing.T) {
	dir := realdata.Path(t, "satellite", "s2-spain-valladolid-2019")
	raw, err := os.ReadFile(filepath.Join(dir, "field.geojson"))
	require.NoError(t, err)
	b, err := geo.ParseGeoJSON(nil, raw, geo.DefaultLimits())
	require.NoError(t, err)
	imagery := openFolder(t, dir)
	p := soil.LayerPreparer{
		Imagery: &satellite.Computer{Imagery: imagery}, Covariates: &soil.Covariates{Store: noRasters{}, Elevations: imagery.(ports.Elevations)}, Clock: inSpring(time.Date(2020, 5, 1, 0, 0, 0, 0, time.UTC)),
	}
	order := stratification.OrderState{Land: []stratification.Land{{FieldUUID: "a", Geometry: b.Geometry()}}}
	made, err := p.Prepare(t.Context(), order)
	require.NoError(t, err)
	again, err := p.Prepare(t.Context(), order)
	require.NoError(t, err)
	require.Equal(t, made, again, "whatever the order in which the passes came")
	require.Len(t, made.Layers, 2)
	mean := made.Layers[0]
	require.Equal(t, []int{2019}, mean.Provenance.Years)
	require.Equal(t, 31, mean.Provenance.Dates, "those of the profile")
	require.Len(t, mean.Provenance.Scenes, 31)
	require.NotEmpty(t, made.Layers[1].Dropped)
	require.Greater(t, mean.ValidShare, 0.99)

	order.Grid = made.Grid
	frame, err := order.Frame(nil)
	require.NoError(t, err)
	scenes, err := imagery.Search(t.Context(), b.Geometry(), time.Date(2019, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC))
	require.NoError(t, err)
	for i := 7; i < len(frame.Cells); i += len(frame.Cells) / 5 {
		var values []float64
		for _, s := range vegetation.Deduplicate(scenes) {
			if v, ok := pixelNDVI(t, imagery, s, frame.Centre(i)); ok && slices.Contains(mean.Provenance.Scenes, s.ID) {
				values = append(values, v)
			}
		}
		slices.Sort(values)
		h := 0.95 * float64(len(values)-1)
		at := int(h)
		want := values[at] + (h-float64(at))*(values[min(at+1, len(values)-1)]-values[at])
		require.InDelta(t, want, mean.Values[i], 1e-6, "cell %d of %d values", i, len(values))
	}
	t.Logf("%d cells, NDVI %.3f ± %.3f", len(frame.Cells), mean.Mean, mean.SD)
}

// pixelNDVI reads the three bands at one point.
func pixelNDVI(t *testing.T, imagery ports.Imagery, s vegetation.Scene, at geo.Position) (float64, bool) {
	t.Helper()
	read := func(band vegetation.Band) (vegetation.Raster, float64, bool) {
		grid, err := imagery.Grid(t.Context(), s, band)
		require.NoError(t, err)
		col, row := grid.PixelAt(at)
		r, err := imagery.Read(t.Context(), s, band, vegetation.Window{Col: col, Row: row, Width: 1, Height: 1})
		require.NoError(t, err)
		dn, ok := r.At(0, 0)
		return r, dn, ok
	}
	_, class, ok := read(vegetation.SCL)
	if !ok || !vegetation.MaskStandard.Keeps(vegetation.Class(class)) {
		return 0, false
	}
	red, r, okRed := read(vegetation.B04)
	nir, n, okNIR := read(vegetation.B08)
	x, y := nir.Reflectance(n), red.Reflectance(r)
	v := (x - y) / (x + y)
	return v, okRed && okNIR && !math.IsNaN(v)
}

// The image of a real field; of its scenes the archive has no visible band but red.
func TestSpanishImage(t *testing.T) {
	dir := realdata.Path(t, "satellite", "s2-spain-valladolid-2019")
	raw, err := os.ReadFile(filepath.Join(dir, "field.geojson"))
	require.NoError(t, err)
	b, err := geo.ParseGeoJSON(nil, raw, geo.DefaultLimits())
	require.NoError(t, err)
	images := soil.Backgrounds{Imagery: openFolder(t, dir)}
	m := zoning.Map{CreatedAt: time.Date(2020, 5, 1, 0, 0, 0, 0, time.UTC), About: zoning.About{EPSG: 32630}}
	got, err := images.Of(t.Context(), m, []ports.ShownField{{Name: "Pivot", Outline: b.Geometry()}})
	require.NoError(t, err)
	require.Equal(t, "Image of 28 December 2019, near infrared", got.About)
	values := 0
	for i := 3; i < len(got.Images[0].Pixels.Pix); i += 4 {
		if got.Images[0].Pixels.Pix[i] > 0 {
			values++
		}
	}
	require.InDelta(t, 2322, values, 60, "the pixels that the archive holds are those of the field")
}
