package backdrop_test

import (
	"image/color"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/geo"
	"tilth/core/stratification/backdrop"
)

func square(side float64) geo.MultiPolygon {
	return geo.MultiPolygon{{{{X: 500_000, Y: 5_000_000}, {X: 500_000 + side, Y: 5_000_000}, {X: 500_000 + side, Y: 5_000_000 + side}, {X: 500_000, Y: 5_000_000 + side}, {X: 500_000, Y: 5_000_000}}}}
}

// An image holds its field with land around it, in a limited number of square pixels.
func TestAnImageHoldsItsField(t *testing.T) {
	t.Parallel()
	for side, pixels := range map[float64]int{100: 22, 995: 112, 40_000: 400} {
		m := backdrop.Around(square(side), 3)
		require.Equal(t, []int{pixels, pixels}, []int{m.Width, m.Height})
		require.Len(t, m.Bands, 3)
		require.Len(t, m.Bands[2], pixels*pixels)
		require.LessOrEqual(t, m.Box.MinY, 5_000_000-60.0)
		require.GreaterOrEqual(t, m.Box.MaxX, 500_060+side-1e-6)
		size := (m.Box.MaxX - m.Box.MinX) / float64(m.Width)
		require.InDelta(t, size, (m.Box.MaxY-m.Box.MinY)/float64(m.Height), 1e-9)
		require.Equal(t, geo.Position{X: m.Box.MinX + size/2, Y: m.Box.MaxY - 1.5*size}, m.Centre(m.Width))
	}
}

// All images share one scale of brightness, and pixels without a value let the map through.
func TestBrightnessIsTheSameInAllImages(t *testing.T) {
	t.Parallel()
	natural, grey := backdrop.Around(square(100), 3), backdrop.Around(square(100), 1)
	for i := range natural.Bands[0] {
		natural.Bands[0][i], natural.Bands[1][i], natural.Bands[2][i] = 0.1, 0.2, 0.3
		grey.Bands[0][i] = 0.2
	}
	natural.Bands[1][5] = math.NaN()
	got := backdrop.Paint([]backdrop.Image{natural, grey})
	require.Equal(t, color.NRGBA{R: 85, G: 170, B: 255, A: 255}, got[0].NRGBAAt(0, 0), "none is black")
	require.Equal(t, color.NRGBA{R: 170, G: 170, B: 170, A: 255}, got[1].NRGBAAt(3, 3))
	require.Zero(t, got[0].NRGBAAt(5, 0).A)
	for i := range grey.Bands[0] {
		grey.Bands[0][i] = []float64{0.1, 0.2, 0.3}[i%3]
	}
	alone := backdrop.Paint([]backdrop.Image{grey})[0]
	require.Equal(t, []uint8{0, 128, 255}, []uint8{alone.NRGBAAt(0, 0).R, alone.NRGBAAt(1, 0).R, alone.NRGBAAt(2, 0).R}, "grey has the contrast that there is")
	soil := backdrop.Around(square(100), 3)
	for i := range soil.Bands[0] {
		soil.Bands[0][i], soil.Bands[1][i], soil.Bands[2][i] = 0.17, 0.12, 0.09
	}
	dark := backdrop.Paint([]backdrop.Image{soil})[0].NRGBAAt(0, 0)
	require.Equal(t, []uint8{145, 102, 77}, []uint8{dark.R, dark.G, dark.B}, "bare soil alone is brown")
	require.Zero(t, backdrop.Paint([]backdrop.Image{backdrop.Around(square(100), 1)})[0].NRGBAAt(0, 0).A)
}
