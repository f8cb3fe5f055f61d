package catalog_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/imagery/catalog"
	"tilth/core/geo"
	"tilth/core/vegetation"
	"tilth/tests/realdata"
)

var everywhere = geo.MultiPolygon{{{{X: -179, Y: -85}, {X: 179, Y: -85}, {X: 179, Y: 85}, {X: -179, Y: 85}, {X: -179, Y: -85}}}}

func realScenes(t *testing.T, name string) (*catalog.Catalog, []vegetation.Scene) {
	t.Helper()
	c, err := catalog.Open(realdata.Path(t, "satellite", name))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	scenes, err := c.Search(t.Context(), everywhere, day("2000-01-01"), day("2100-01-01"))
	require.NoError(t, err)
	return c, scenes
}

func TestEveryRealBandDecodes(t *testing.T) {
	for name, tt := range map[string]struct {
		scenes, bands, epsg int
		scl                 bool
		noData              uint16
	}{
		"s2-spain-valladolid-2019":              {33, 3, 32630, true, 0},
		"s2-belgium-haspengouw-2020-21-monthly": {12, 9, 32631, false, 65535},
		"s2-slovenia-2tiles-2023-120m":          {10, 4, 32633, true, 0},
	} {
		t.Run(name, func(t *testing.T) {
			c, scenes := realScenes(t, name)
			require.Len(t, scenes, tt.scenes)
			for _, s := range scenes {
				require.Len(t, s.Bands, tt.bands, s.ID)
				require.Equal(t, tt.scl, s.Bands[vegetation.SCL])
				require.False(t, s.Synthetic)
				for band := range s.Bands {
					grid, err := c.Grid(t.Context(), s, band)
					require.NoError(t, err)
					require.Equal(t, tt.epsg, grid.EPSG)
					got, err := c.Read(t.Context(), s, band, vegetation.Window{Width: grid.Width, Height: grid.Height})
					require.NoError(t, err)
					require.Equal(t, grid, got.Grid)
					require.Equal(t, tt.noData, got.NoData)
					require.True(t, got.HasNoData)
					if band == vegetation.SCL {
						require.Equal(t, 1.0, got.Scale)
					} else {
						require.Equal(t, 0.0001, got.Scale)
					}
					require.Zero(t, got.Offset, "all of these are harmonised")
				}
			}
		})
	}
}

func TestSlovenianItemsAreTwoTilesOnTheirOwnGrids(t *testing.T) {
	c, scenes := realScenes(t, "s2-slovenia-2tiles-2023-120m")
	tiles := map[string]int{}
	for _, s := range scenes {
		tiles[s.Tile]++
		require.Contains(t, []int{79, 122}, s.RelativeOrbit, s.ID)
		require.Regexp(t, "^sentinel-2[ab]$", s.Platform)
		require.Equal(t, "05.09", s.Baseline)
		grid, err := c.Grid(t.Context(), s, vegetation.B04)
		require.NoError(t, err)
		require.Equal(t, 250, grid.Width, "of the file, not of the item")
		require.Equal(t, 120.0, grid.PixelX)
	}
	require.Equal(t, map[string]int{"33TWL": 5, "33TWM": 5}, tiles)
}

// The mean NDVI of everything that the clipped Spanish rasters hold is the reference's:
// the rasters hold exactly the pixels of the field.
func TestSpanishMeansByTheWay(t *testing.T) {
	c, scenes := realScenes(t, "s2-spain-valladolid-2019")
	all := vegetation.Window{Width: 56, Height: 57}
	red, err := c.Read(t.Context(), scenes[0], vegetation.B04, all)
	require.NoError(t, err)
	nir, err := c.Read(t.Context(), scenes[0], vegetation.B08, all)
	require.NoError(t, err)
	sum, n := 0.0, 0
	for i := range red.DN {
		if red.DN[i] == red.NoData || nir.DN[i] == nir.NoData {
			continue
		}
		r, v := float64(red.DN[i]), float64(nir.DN[i])
		sum, n = sum+(v-r)/(v+r), n+1
	}
	require.Equal(t, 2322, n)
	require.Less(t, math.Abs(sum/float64(n)-0.28341581), 1e-8, "2019-01-27 of reference/spain_ndvi.csv")
}
