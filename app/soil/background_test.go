package soil_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/app/soil"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/stratification/zoning"
	"tilth/core/vegetation"
	"tilth/ports"
)

// sky is an imagery source whose scenes have one number per band everywhere.
type sky struct {
	ports.Imagery
	scenes  []vegetation.Scene
	classes map[string]uint16 // by scene
	gone    string            // scene whose files are gone
	reads   int
}

func (s *sky) Search(_ context.Context, _ geo.MultiPolygon, from, to time.Time) ([]vegetation.Scene, error) {
	return slices.DeleteFunc(slices.Clone(s.scenes), func(v vegetation.Scene) bool { return v.SensedAt.Before(from) || !v.SensedAt.Before(to) }), nil
}

func (s *sky) Grid(_ context.Context, scene vegetation.Scene, _ vegetation.Band) (vegetation.Grid, error) {
	if scene.ID == s.gone {
		return vegetation.Grid{}, fault.New(fault.NotFound, "not_found", "The file is gone.")
	}
	return vegetation.Grid{EPSG: 32632, OriginX: -20_000, OriginY: 5_500_000, PixelX: 20, PixelY: 20, Width: 30_000, Height: 30_000}, nil
}

func (s *sky) Read(_ context.Context, scene vegetation.Scene, band vegetation.Band, w vegetation.Window) (vegetation.Raster, error) {
	s.reads++
	grid, _ := s.Grid(context.Background(), vegetation.Scene{}, band)
	number := map[vegetation.Band]uint16{vegetation.B04: 1000, vegetation.B03: 2000, vegetation.B02: 3000, vegetation.B08: 4000}[band]
	if band == vegetation.SCL {
		number = s.classes[scene.ID]
	}
	return vegetation.Raster{Grid: w.Of(grid), DN: slices.Repeat([]uint16{number}, w.Width*w.Height), Scale: 1e-4}, nil
}

// The newest pass without clouds lies behind the map, in the map's own plane, also where the scenes have another.
func TestTheNewestClearPassLiesBehindAMap(t *testing.T) {
	t.Parallel()
	made := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	natural := []vegetation.Band{vegetation.B04, vegetation.B03, vegetation.B02, vegetation.B08, vegetation.SCL}
	scene := func(id string, days int, bands ...vegetation.Band) vegetation.Scene {
		s := vegetation.Scene{ID: id, Platform: "sentinel-2a", SensedAt: made.AddDate(0, 0, -days), Bands: map[vegetation.Band]bool{}}
		for _, b := range bands {
			s.Bands[b] = true
		}
		return s
	}
	broken := scene("broken", 1, natural...)
	broken.Broken = "It has no files."
	source := &sky{classes: map[string]uint16{"cloudy": 9, "clear": 4, "old": 4, "grey": 5, "later": 4}, gone: "gone", scenes: []vegetation.Scene{
		scene("grey", 700, vegetation.B08, vegetation.SCL), scene("old", 90, natural...), scene("clear", 40, natural...),
		scene("cloudy", 20, natural...), scene("gone", 10, natural...), broken, scene("later", -3, natural...),
	}}
	utm, err := geo.NewUTM(32631)
	require.NoError(t, err)
	ring := geo.Ring{{X: 690_000, Y: 5_300_000}, {X: 690_400, Y: 5_300_000}, {X: 690_400, Y: 5_300_300}, {X: 690_000, Y: 5_300_300}, {X: 690_000, Y: 5_300_000}}
	fields := []ports.ShownField{{Name: "a", Outline: utm.Unproject(geo.MultiPolygon{{ring}})}}
	m := zoning.Map{CreatedAt: made, About: zoning.About{EPSG: 32631}}
	images := soil.Backgrounds{Imagery: source}

	got, err := images.Of(t.Context(), m, fields)
	require.NoError(t, err)
	require.Equal(t, "Image of 22 March 2026, natural colours", got.About)
	require.Len(t, got.Images, 1)
	require.InDelta(t, 689_940, got.Images[0].Box.MinX, 1)
	pixels := got.Images[0].Pixels
	require.Equal(t, 52, pixels.Rect.Dx())
	require.Equal(t, []uint8{85, 170, 255, 255}, pixels.Pix[:4])
	require.Equal(t, []uint8{85, 170, 255, 255}, pixels.Pix[len(pixels.Pix)-4:])

	m.CreatedAt = made.AddDate(-1, -6, 0)
	got, err = images.Of(t.Context(), m, fields)
	require.NoError(t, err)
	require.Contains(t, got.About, "near infrared", "of the last year that has one, without the bands of colours")

	m.CreatedAt = made.AddDate(-4, 0, 0)
	got, err = images.Of(t.Context(), m, fields)
	require.NoError(t, err)
	require.Equal(t, ports.ShownImages{About: "The imagery source has no clear image of the 5 years before the map."}, got)

	reads := source.reads
	_, err = images.Of(t.Context(), m, slices.Repeat(fields, 41))
	known, ok := fault.As(err)
	require.True(t, ok)
	require.Equal(t, fault.Invalid, known.Kind)
	require.Contains(t, known.Fields, "background")
	require.Equal(t, reads, source.reads)
}
