package synthetic_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/imagery/catalog"
	"tilth/adapters/imagery/synthetic"
	"tilth/core/geo"
	"tilth/core/vegetation"
)

func openDemo(t *testing.T) *catalog.Catalog {
	t.Helper()
	c, err := catalog.Open(archive(t).Dir)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	return c
}

func scenesOver(t *testing.T, c *catalog.Catalog, boundary geo.MultiPolygon) []vegetation.Scene {
	t.Helper()
	a := archive(t)
	scenes, err := c.Search(t.Context(), boundary, a.From, a.To.AddDate(0, 0, 1))
	require.NoError(t, err)
	return scenes
}

func TestTheCatalogOfTheArchive(t *testing.T) {
	c := openDemo(t)
	scenes := scenesOver(t, c, parcel(t, "Border field").Boundary)
	require.Len(t, scenes, 98)
	west := scenesOver(t, c, parcel(t, synthetic.WalkField).Boundary)
	require.Len(t, west, 49, "this one lies in one tile")
	for i, s := range west {
		require.True(t, s.Synthetic)
		require.Equal(t, "30TUM", s.Tile)
		require.Equal(t, []string{"sentinel-2a", "sentinel-2b"}[i%2], s.Platform)
		require.Equal(t, 37, s.RelativeOrbit)
		require.Len(t, s.Bands, 8)
		baseline, offset := "03.01", 0.0
		if s.SensedAt.Month() >= 7 {
			baseline, offset = "05.11", -0.1
		}
		require.Equal(t, baseline, s.Baseline)
		for band, size := range map[vegetation.Band]int{
			vegetation.B02: 256, vegetation.B03: 256, vegetation.B04: 256, vegetation.B08: 256,
			vegetation.B05: 128, vegetation.B11: 128, vegetation.B12: 128, vegetation.SCL: 128,
		} {
			grid, err := c.Grid(t.Context(), s, band)
			require.NoError(t, err)
			pixel := 2560 / float64(size)
			require.Equal(t, vegetation.Grid{EPSG: 32630, OriginX: 397600, OriginY: 4627000, PixelX: pixel, PixelY: pixel, Width: size, Height: size}, grid)
			got, err := c.Read(t.Context(), s, band, vegetation.Window{Width: size, Height: size})
			require.NoError(t, err)
			require.False(t, slices.Contains(got.DN, 0))
			if band == vegetation.SCL {
				require.Subset(t, []uint16{3, 4, 5, 6, 8, 9}, unique(got.DN))
				continue
			}
			require.Equal(t, offset, got.Offset)
			low, high := float64(slices.Min(got.DN))*got.Scale+got.Offset, float64(slices.Max(got.DN))*got.Scale+got.Offset
			require.Greater(t, low, 0.001)
			require.Less(t, high, 0.7)
		}
	}
}

func unique(dn []uint16) []uint16 {
	sorted := slices.Clone(dn)
	slices.Sort(sorted)
	return slices.Compact(sorted)
}

func TestTheTilesAgreeWhereTheyOverlap(t *testing.T) {
	c := openDemo(t)
	scenes := scenesOver(t, c, parcel(t, "Border field").Boundary)
	for i := 0; i < len(scenes); i += 2 {
		west, east := scenes[i], scenes[i+1]
		require.Equal(t, []string{"30TUM", "30TVM"}, []string{west.Tile, east.Tile})
		require.Equal(t, west.SensedAt, east.SensedAt)
		for band := range west.Bands {
			grid, err := c.Grid(t.Context(), west, band)
			require.NoError(t, err)
			n := int(200 / grid.PixelX)
			a, err := c.Read(t.Context(), west, band, vegetation.Window{Col: grid.Width - n, Width: n, Height: grid.Height})
			require.NoError(t, err)
			b, err := c.Read(t.Context(), east, band, vegetation.Window{Width: n, Height: grid.Height})
			require.NoError(t, err)
			require.Equal(t, a, b)
		}
	}
}

// winding counts how often the rings go round p; the maker uses another rule.
func winding(m geo.MultiPolygon, p geo.Position) int {
	angle := 0.0
	for _, polygon := range m {
		for _, ring := range polygon {
			for i := 1; i < len(ring); i++ {
				ax, ay, bx, by := ring[i-1].X-p.X, ring[i-1].Y-p.Y, ring[i].X-p.X, ring[i].Y-p.Y
				angle += math.Atan2(ax*by-ay*bx, ax*bx+ay*by)
			}
		}
	}
	return int(math.Round(angle / (2 * math.Pi)))
}

// pixel is what one 10 m pixel of a day shows.
type pixel struct{ scl, red, nir float64 }

// TestTruthFromTheFiles reads the archive as any program would and finds the truth table.
func TestTruthFromTheFiles(t *testing.T) {
	c := openDemo(t)
	utm, err := geo.NewUTM(32630)
	require.NoError(t, err)
	for _, p := range archive(t).Parcels {
		shape, inside := utm.Project(p.Boundary), map[geo.Position]bool{}
		days := map[string]map[geo.Position]pixel{}
		for _, s := range scenesOver(t, c, p.Boundary) {
			day := s.SensedAt.Format("2006-01-02")
			if days[day] == nil {
				days[day] = map[geo.Position]pixel{}
			}
			collect(t, c, s, shape, inside, days[day])
		}
		for _, want := range rowsOf(t, p.Name) {
			valid, sum := 0, 0.0
			pixels := days[want.Date.Format("2006-01-02")]
			for _, v := range pixels {
				if v.scl >= 4 && v.scl <= 7 {
					valid++
					sum += (v.nir - v.red) / (v.nir + v.red)
				}
			}
			require.Equal(t, want.NPolygon, len(pixels), "%+v", want)
			require.Equal(t, want.NValid, valid, "%+v", want)
			if valid > 0 {
				require.InDelta(t, want.MeanNDVI, sum/float64(valid), 1e-12, "%+v", want)
			}
		}
	}
}

// collect adds the pixels of a scene whose centre is in the shape; inside remembers which
// are.
func collect(t *testing.T, c *catalog.Catalog, s vegetation.Scene, shape geo.MultiPolygon, inside map[geo.Position]bool, into map[geo.Position]pixel) {
	t.Helper()
	grid, err := c.Grid(t.Context(), s, vegetation.B04)
	require.NoError(t, err)
	box := shape.Bounds()
	w := vegetation.Window{Col: int(math.Floor((box.MinX - grid.OriginX) / 10)), Row: int(math.Floor((grid.OriginY - box.MaxY) / 10))}
	w.Width = int(math.Ceil((box.MaxX-grid.OriginX)/10)) - w.Col
	w.Height = int(math.Ceil((grid.OriginY-box.MinY)/10)) - w.Row
	read := func(band vegetation.Band, window vegetation.Window) vegetation.Raster {
		r, err := c.Read(t.Context(), s, band, window)
		require.NoError(t, err)
		return r
	}
	red, nir := read(vegetation.B04, w), read(vegetation.B08, w)
	scl := read(vegetation.SCL, vegetation.Window{Col: w.Col/2 - 1, Row: w.Row/2 - 1, Width: w.Width/2 + 3, Height: w.Height/2 + 3})
	for i := range red.DN {
		centre := geo.Position{X: red.Grid.OriginX + 10*float64(i%w.Width) + 5, Y: red.Grid.OriginY - 10*float64(i/w.Width) - 5}
		if red.DN[i] == red.NoData {
			continue
		}
		if _, known := inside[centre]; !known {
			inside[centre] = winding(shape, centre) != 0
		}
		if !inside[centre] {
			continue
		}
		cell := int((centre.X-scl.Grid.OriginX)/20) + scl.Grid.Width*int((scl.Grid.OriginY-centre.Y)/20)
		into[centre] = pixel{
			scl: float64(scl.DN[cell]),
			red: float64(red.DN[i])*red.Scale + red.Offset,
			nir: float64(nir.DN[i])*nir.Scale + nir.Offset,
		}
	}
}
