package imagery_test

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/app/satellite"
	"tilth/app/satellite/fieldlayers"
	"tilth/core/credit"
	"tilth/core/fieldmap"
	"tilth/core/geo"
	"tilth/core/vegetation"
	"tilth/ports"
	"tilth/tests/season"
)

// threeYears is the demo's archive with the two years before its own: the same scenes one and two years earlier, on
// land whose west is poor in every year, and whose east is poor only in the earlier years.
type threeYears struct {
	ports.Imagery
	field geo.Box // in the plane of the scenes
}

// earlier precedes the number of years in the id of a scene that is shown earlier.
const earlier = "-earlier-"

func (a threeYears) Search(ctx context.Context, boundary geo.MultiPolygon, from, to time.Time) (out []vegetation.Scene, err error) {
	for years := range 3 {
		found, err := a.Imagery.Search(ctx, boundary, from.AddDate(years, 0, 0), to.AddDate(years, 0, 0))
		if err != nil {
			return nil, err
		}
		for _, s := range found {
			s.ID += earlier + string(rune('0'+years))
			s.SensedAt = s.SensedAt.AddDate(-years, 0, 0)
			out = append(out, s)
		}
	}
	return out, nil
}

// poor is how much lower the digital numbers of the near infrared are where a crop is poor.
const poor = 900

func (a threeYears) Read(ctx context.Context, s vegetation.Scene, band vegetation.Band, window vegetation.Window) (vegetation.Raster, error) {
	r, err := a.Imagery.Read(ctx, s, band, window)
	if err != nil || band != vegetation.B08 {
		return r, err
	}
	r.DN = append([]uint16(nil), r.DN...)
	for i := range r.DN {
		switch at := a.third(r.Grid.Centre(i%r.Grid.Width, i/r.Grid.Width)); {
		case at == 0, at == 2 && !strings.HasSuffix(s.ID, earlier+"0"):
			r.DN[i] -= poor
		}
	}
	return r, nil
}

// third returns the third of the field that a place is in, from the west.
func (a threeYears) third(p geo.Position) int {
	return int(math.Floor(3 * (p.X - a.field.MinX) / (a.field.MaxX - a.field.MinX)))
}

// Zones of three seasons show what all of them have in common: what was poor in two years ranks between what is always
// poor and what never is, and its peaks change from year to year. In the last season alone it is as good as the middle.
func TestZonesOfSeveralSeasons(t *testing.T) {
	t.Parallel()
	made := season.Archive(t)
	outline := made.Parcels[0].Boundary
	plane, err := geo.NewUTM(32630)
	require.NoError(t, err)
	years := threeYears{openFolder(t, made.Dir), plane.Project(outline).Bounds()}
	season := vegetation.OrderState{
		Product: credit.ZoningMap, Boundary: outline, Index: "NDVI", Map: vegetation.MapTerms{Classes: 3},
		StartDate: time.Date(2025, 3, 1, 0, 0, 0, 0, time.UTC), EndDate: time.Date(2025, 10, 31, 0, 0, 0, 0, time.UTC),
	}
	clock := inSpring(time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC))
	zoned := func(imagery ports.Imagery) []fieldmap.Made {
		z := fieldlayers.Zoning{Imagery: &satellite.Computer{Imagery: imagery}, Clock: clock}
		layers, none, err := z.Make(t.Context(), season)
		require.NoError(t, err)
		require.Empty(t, none)
		return layers
	}
	layers := zoned(years)
	require.Equal(t, []string{"zones", "mean", "stability", "peak_2025", "peak_2024", "peak_2023"}, names(layers))
	zones := layers[0]
	require.Len(t, zones.Zones, 3)
	require.Len(t, zones.Seasons, 3)
	for i, s := range zones.Seasons {
		require.True(t, s.Used)
		require.Equal(t, 2025-i, s.Start.Year())
		require.Equal(t, zones.Seasons[0].Dates, s.Dates, "the same days were clear")
		require.InDelta(t, layers[3+i].Pixels.Describe().Mean, s.Mean, 1e-9)
	}
	for _, note := range zones.Notes {
		require.NotContains(t, note, "a single season")
	}
	west, east, middle := zones.Zones[0], zones.Zones[1], zones.Zones[2]
	require.Less(t, west.Mean, east.Mean)
	require.Less(t, east.Mean, middle.Mean)
	require.InDelta(t, 2, east.Std/west.Std, 0.4, "against the field it changes by twice as much as those that make the rest of it")
	require.InDelta(t, 2, east.Std/middle.Std, 0.4)
	require.Less(t, east.Peaks[1], east.Peaks[0]-0.03)
	require.InDelta(t, west.Peaks[0], west.Peaks[1], 0.01)

	right, all := 0, 0
	for i, v := range zones.Pixels.Values {
		if !zones.Pixels.Inside[i] {
			continue
		}
		at := years.third(zones.Pixels.Grid.Centre(i%zones.Pixels.Cols, i/zones.Pixels.Cols))
		if all++; v == []float64{1, 3, 2}[min(2, max(0, at))] {
			right++
		}
	}
	require.Greater(t, float64(right)/float64(all), 0.95, "%d of %d pixels", right, all)
	require.Equal(t, layers[0].Layer, zoned(years)[0].Layer, "the same imagery makes the same zones")
}

func names(layers []fieldmap.Made) (out []string) {
	for _, l := range layers {
		out = append(out, l.Name)
	}
	return out
}
