package mapview_test

import (
	"bytes"
	"context"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/app/satellite/mapview"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/indexmap"
	"tilth/core/vegetation"
	"tilth/ports"
)

// scenes is an archive of the scenes of one day, whose bands are all on the grid of the rig's map, a pixel wider.
type scenes struct {
	ports.Imagery
	of   []vegetation.Scene
	days [2]time.Time // of the last search
}

func (a *scenes) Search(_ context.Context, _ geo.MultiPolygon, from, to time.Time) ([]vegetation.Scene, error) {
	a.days = [2]time.Time{from, to}
	return a.of, nil
}

var wider = vegetation.Grid{EPSG: 32630, OriginX: 499_990, OriginY: 4_600_010, PixelX: 10, PixelY: 10, Width: 8, Height: 4}

func (a *scenes) Grid(context.Context, vegetation.Scene, vegetation.Band) (vegetation.Grid, error) {
	return wider, nil
}

// Read returns 100 for B02, 200 for B03 and so on, and one more for each column.
func (a *scenes) Read(_ context.Context, _ vegetation.Scene, b vegetation.Band, w vegetation.Window) (vegetation.Raster, error) {
	out := vegetation.Raster{Grid: w.Of(wider), Scale: 0.001, HasNoData: true}
	level := map[vegetation.Band]uint16{vegetation.B02: 100, vegetation.B03: 200, vegetation.B04: 300, vegetation.B08: 500}[b]
	for i := range w.Width * w.Height {
		out.DN = append(out.DN, level+uint16(w.Col+i%w.Width))
	}
	return out, nil
}

func scene(id string, bands ...vegetation.Band) vegetation.Scene {
	out := vegetation.Scene{ID: id, Bands: map[vegetation.Band]bool{}}
	for _, b := range bands {
		out.Bands[b] = true
	}
	return out
}

// A date is shown in the colours of its own scenes, with the same stretch on every date.
func TestADateInTheColoursOfItsScenes(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	archive := &scenes{of: []vegetation.Scene{scene("of another pass", vegetation.B02), scene("s", vegetation.B02, vegetation.B03, vegetation.B04, vegetation.B08)}}
	r.views.Imagery = archive
	draw := func(look mapview.Look) (*indexmap.Photo, error) {
		_, write, err := r.views.Picture(t.Context(), r.who, r.ask(3), ports.PNG, look)
		if err == nil {
			err = write(new(bytes.Buffer))
		}
		if err != nil {
			return nil, err
		}
		return r.drawn[len(r.drawn)-1].(ports.ShownLayer).Photo, nil
	}
	for style, want := range map[string][3]float64{"true-colour": {0.301, 0.201, 0.101}, "false-colour": {0.501, 0.301, 0.201}} {
		got, err := draw(mapview.Look{Style: style})
		require.NoError(t, err)
		require.Equal(t, style, got.Code)
		for n := range want {
			require.Len(t, got.Reflectances[n], 12)
			require.InDelta(t, want[n], got.Reflectances[n][0], 1e-12, "%s %s", style, got.Bands[n])
			require.InDelta(t, want[n]+0.005, got.Reflectances[n][5], 1e-12, "also where the index has no value")
		}
	}
	require.True(t, archive.days[0].Before(day(3)) && archive.days[1].After(day(4)))
	index, err := draw(mapview.Look{})
	require.NoError(t, err)
	require.Nil(t, index)

	archive.of = []vegetation.Scene{scene("s", vegetation.B04, vegetation.B08)}
	_, err = draw(mapview.Look{Style: "true-colour"})
	f := faultOf(t, err)
	require.Equal(t, fault.Conflict, f.Kind)
	require.Equal(t, []any{"map_colours", "bands", []string{"B03", "B02"}}, []any{f.Code, f.Details["reason"], f.Details["missing"]})
	archive.of = nil
	_, err = draw(mapview.Look{Style: "false-colour"})
	require.Equal(t, "gone", faultOf(t, err).Details["reason"])
	low := 0.1
	for _, look := range []mapview.Look{{Style: "sepia"}, {Style: "true-colour", Low: &low}, {Style: "true-colour", Classes: 3, Method: indexmap.Quantile}} {
		_, _, err := r.views.Picture(t.Context(), r.who, r.ask(3), ports.PNG, look)
		require.True(t, fault.Is(err, fault.Invalid), "%v", err)
	}
	_, write, err := r.views.Picture(t.Context(), r.who, r.ask(20), ports.PNG, mapview.Look{Style: "true-colour"})
	require.NoError(t, err)
	require.True(t, fault.Is(write(io.Discard), fault.Unavailable), "its file has expired")
}
