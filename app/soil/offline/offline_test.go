package offline_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/app/soil/offline"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/stratification/layer"
	"tilth/core/stratification/plan"
	"tilth/core/stratification/zoning"
)

// rasters are surfaces by name.
type rasters map[string]layer.Surface

func (r rasters) Surface(_ context.Context, name string, _ geo.MultiPolygon) (layer.Surface, error) {
	return r[name], nil
}

// The pixels of a raster in UTM are cells, whatever datum counts as WGS84; those of another system
// need a boundary.
func TestPixelsThatAreCells(t *testing.T) {
	t.Parallel()
	source := rasters{}
	for name, epsg := range map[string]int{"utm": 32632, "etrs": 25832, "web": 3857, "british": 27700, "degrees": 4326} {
		s := layer.Surface{EPSG: epsg, OriginX: 500_000, OriginY: 5_000_000, CellX: 10, CellY: 10, Cols: 20, Rows: 20, Source: name}
		for i := range 400 {
			s.Values = append(s.Values, float64(i%20/10))
		}
		source[name] = s
	}
	zones := &offline.Zoning{Surfaces: source}
	of := func(name string, classes ...string) (offline.Answer, error) {
		p := zoning.DefaultParams()
		p.MaxZones, p.Starts = 2, 1
		return zones.Make(t.Context(), offline.Request{Rasters: []string{name}, Params: p, Classes: classes})
	}
	for _, name := range []string{"utm", "etrs"} {
		made, err := of(name, name)
		require.NoError(t, err, name)
		require.Equal(t, 32632, made.Frame.EPSG, name)
		require.Len(t, made.Result.Candidates, 1)
		require.Equal(t, 1.0, made.Result.Candidates[0].Zones[1].Means[0], name)
	}
	represented := plan.DefaultParams()
	represented.Placement, represented.Samples, represented.ZoneOffset = plan.LatinHypercube, 6, 0
	p := zoning.DefaultParams()
	p.MaxZones, p.Starts = 2, 1
	made, err := zones.Make(t.Context(), offline.Request{Rasters: []string{"utm"}, Params: p, Classes: []string{"utm"}, Plan: &represented})
	require.NoError(t, err)
	require.Equal(t, []string{"utm"}, made.Plan.Hypercube.Layers)
	require.InDelta(t, 0, made.Plan.Hypercube.Objective, 1e-9, "three points in each of two equal classes")
	for _, name := range []string{"web", "british", "degrees"} {
		_, err := of(name)
		require.True(t, fault.Is(err, fault.Invalid), "%s: %v", name, err)
		require.ErrorContains(t, err, "boundary", name)
	}
	_, err = of("utm", "soil")
	require.ErrorContains(t, err, `no raster "soil"`)
}
