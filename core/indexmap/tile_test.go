package indexmap_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/indexmap"
)

// tileAt returns the tile of a zoom that holds a place.
func tileAt(lonlat geo.Position, z, size int) indexmap.Tile {
	m := geo.ToWebMercator(lonlat)
	half := geo.ToWebMercator(geo.Position{X: 180}).X
	n := math.Ldexp(1, z) / (2 * half)
	return indexmap.Tile{Z: z, X: int((m.X + half) * n), Y: int((half - m.Y) * n), Size: size}
}

func sampled(t *testing.T, l *indexmap.Layer, tile indexmap.Tile, how indexmap.Sampling) map[int]float64 {
	t.Helper()
	out := map[int]float64{}
	require.NoError(t, l.Sample(tile, how, func(at int, v float64) {
		_, twice := out[at]
		require.False(t, twice)
		out[at] = v
	}))
	return out
}

// numbered is a layer in which each pixel has its own number, with a hole and a pixel that is not the field's.
func numbered(epsg int, x, y float64, cols, rows int) *indexmap.Layer {
	values := make([]float64, cols*rows)
	for i := range values {
		values[i] = float64(i)
	}
	l := layerOf(cols, values...)
	l.Grid.EPSG, l.Grid.OriginX, l.Grid.OriginY = epsg, x, y
	l.Values[cols+2], l.Inside[cols+3] = nan, false
	return l
}

// Every pixel of a tile has the value of the layer's pixel that holds its middle, computed one by one: at every zoom,
// on both hemispheres, in planes of any kind, and over the antimeridian.
func TestTilesHoldTheLayersPixels(t *testing.T) {
	for name, l := range map[string]*indexmap.Layer{
		"north":        numbered(32630, 352_000, 4_612_000, 60, 44),
		"south":        numbered(32736, 700_000, 9_900_000, 60, 44),
		"polar":        numbered(32633, 400_000, 8_700_000, 60, 44),
		"antimeridian": numbered(32701, 166_000, 8_000_000, 60, 44), // its western part is in the east
		"laea":         numbered(3035, 3_900_000, 3_100_000, 60, 44),
	} {
		plane, err := geo.NewPlane(l.Grid.EPSG)
		require.NoError(t, err)
		middle := plane.Inverse(l.Grid.Centre(l.Cols/2, l.Rows/2))
		middle.X = geo.Turned(middle.X, 0)
		for _, z := range []int{0, 1, 5, 9, 11, 13, 14, 15, 16, 18, 20, indexmap.MaxZoom} {
			tile := tileAt(middle, z, 256)
			got := sampled(t, l, tile, indexmap.Sampling{})
			half := geo.ToWebMercator(geo.Position{X: 180}).X
			m := 2 * half / math.Ldexp(256, z)
			wrong, count := 0, 0
			for i := z % 2; i < 256*256; i += 5 { // enough of them
				at := geo.Position{X: -half + (float64(tile.X*256+i%256)+0.5)*m, Y: half - (float64(tile.Y*256+i/256)+0.5)*m}
				lonlat := geo.FromWebMercator(at)
				if math.Abs(math.Remainder(lonlat.X-middle.X, 360)) > 3 || math.Abs(lonlat.Y-middle.Y) > 3 {
					_, any := got[i]
					require.False(t, any, "%s: far from the layer", name)
					continue
				}
				p, err := l.At(lonlat)
				require.NoError(t, err)
				v, ok := got[i]
				count++
				if want := p.Inside && !math.IsNaN(p.Value); want != ok || ok && v != p.Value {
					wrong++
				}
			}
			// On the edge of a pixel of the layer a place may fall to either side.
			require.LessOrEqual(t, wrong, count/2000, "%s, zoom %d", name, z)
			if z >= 14 {
				require.NotEmpty(t, got, "%s, zoom %d", name, z)
			}
		}
	}
}

// Tiles fit: four tiles of a zoom show what one of the zoom below shows with twice the pixels.
func TestTilesHaveNoSeam(t *testing.T) {
	l := numbered(32630, 352_000, 4_612_000, 90, 71)
	utm, err := geo.NewUTM(32630)
	require.NoError(t, err)
	for _, how := range []indexmap.Sampling{{}, {Bilinear: true}, {Margin: true}} {
		for _, z := range []int{12, 15, 17} {
			big := tileAt(utm.Inverse(l.Grid.Centre(45, 35)), z, 512)
			one, four := sampled(t, l, big, how), map[int]float64{}
			for k := range 4 {
				part := sampled(t, l, indexmap.Tile{Z: z + 1, X: 2*big.X + k%2, Y: 2*big.Y + k/2, Size: 256}, how)
				for at, v := range part {
					four[(at/256+256*(k/2))*512+at%256+256*(k%2)] = v
				}
			}
			require.NotEmpty(t, one)
			wrong := 0
			for at := range 512 * 512 {
				a, ok := one[at]
				b, also := four[at]
				if ok != also || math.Abs(a-b) > 0.2 {
					wrong++
				}
			}
			require.LessOrEqual(t, wrong, len(one)/1000, "%+v at zoom %d", how, z)
		}
	}
}

// Between the middles of pixels the bilinear value is that of a plane where the layer is one, and stays among those around it
// at the edges.
func TestBilinearTiles(t *testing.T) {
	l := numbered(32630, 352_000, 4_612_000, 40, 40)
	l.Values[42], l.Inside[43] = 42, true
	utm, err := geo.NewUTM(32630)
	require.NoError(t, err)
	tile := tileAt(utm.Inverse(l.Grid.Centre(20, 20)), 18, 256)
	smooth, steps := sampled(t, l, tile, indexmap.Sampling{Bilinear: true}), sampled(t, l, tile, indexmap.Sampling{})
	require.Len(t, smooth, len(steps), "the same pixels are shown")
	for at, v := range smooth {
		require.InDelta(t, steps[at], v, 20.6, "half a pixel to the side, and half a row of 40")
	}
	values := map[float64]bool{}
	for _, v := range smooth {
		values[math.Round(v*100)] = true
	}
	require.Greater(t, len(values), 10*len(steps)/100)
}

func TestTilesBesideTheLayer(t *testing.T) {
	l := numbered(32630, 352_000, 4_612_000, 10, 10)
	for _, tile := range []indexmap.Tile{{Z: 16, X: 0, Y: 0, Size: 256}, {Z: 22, X: 1<<22 - 1, Y: 1<<22 - 1, Size: 512}, {Z: 1, X: 1, Y: 1, Size: 256}} {
		require.Empty(t, sampled(t, l, tile, indexmap.Sampling{Margin: true}), tile.String())
	}
}

func TestTilesThatThereAreNot(t *testing.T) {
	l := numbered(32630, 352_000, 4_612_000, 10, 10)
	for tile, field := range map[indexmap.Tile]string{
		{Z: -1, Size: 256}: "z", {Z: 23, Size: 256}: "z", {Z: 3, X: 8, Size: 256}: "x", {Z: 3, X: -1, Size: 256}: "x", {Z: 0, Y: 1, Size: 512}: "y", {Z: 0, Size: 257}: "size",
	} {
		err := l.Sample(tile, indexmap.Sampling{}, nil)
		require.True(t, fault.Is(err, fault.Invalid))
		require.ErrorContains(t, err, field, fmt.Sprint(tile))
	}
}

func BenchmarkTile(b *testing.B) {
	l := numbered(32630, 352_000, 4_612_000, 90, 71)
	utm, err := geo.NewUTM(32630)
	require.NoError(b, err)
	style := indexmap.StyleOf(l.Index)
	for _, z := range []int{13, 15, 17} {
		tile := tileAt(utm.Inverse(l.Grid.Centre(45, 35)), z, 256)
		b.Run(fmt.Sprint(z), func(b *testing.B) {
			pixels := make([]uint8, 256*256)
			for b.Loop() {
				require.NoError(b, l.Sample(tile, indexmap.Sampling{}, func(at int, v float64) { pixels[at], _ = style.Shade(v) }))
			}
		})
	}
}
