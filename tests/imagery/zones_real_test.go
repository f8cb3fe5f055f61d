package imagery_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/render"
	"tilth/app/satellite"
	"tilth/app/satellite/fieldlayers"
	"tilth/app/soil"
	"tilth/core/credit"
	"tilth/core/geo"
	"tilth/core/vegetation"
	"tilth/ports"
	"tilth/tests/realdata"
)

// The zones of a real field of 2019: together they are the field, and their peaks are those of its pixels. The archive
// has no elevation model, and an elevation map reports that. With TILTH_PICTURES the map is drawn into that folder.
func TestSpanishZones(t *testing.T) {
	dir := realdata.Path(t, "satellite", "s2-spain-valladolid-2019")
	raw, err := os.ReadFile(filepath.Join(dir, "field.geojson"))
	require.NoError(t, err)
	b, err := geo.ParseGeoJSON(nil, raw, geo.DefaultLimits())
	require.NoError(t, err)
	imagery := openFolder(t, dir)
	z := fieldlayers.Zoning{Imagery: &satellite.Computer{Imagery: imagery}, Clock: inSpring(time.Date(2020, 5, 1, 0, 0, 0, 0, time.UTC))}
	order := vegetation.OrderState{
		Product: credit.ZoningMap, Boundary: b.Geometry(), Index: "NDVI", StartDate: time.Date(2019, 3, 1, 0, 0, 0, 0, time.UTC), EndDate: time.Date(2019, 9, 30, 0, 0, 0, 0, time.UTC),
	}
	made, none, err := z.Make(t.Context(), order)
	require.NoError(t, err)
	require.Empty(t, none)
	again, _, err := z.Make(t.Context(), order)
	require.NoError(t, err)
	require.Equal(t, made[0].Layer, again[0].Layer, "whatever the order in which the passes came")
	zones := made[0]
	require.Len(t, zones.Zones, 3)
	require.Contains(t, zones.Notes[0], "a single season")
	require.False(t, zones.Synthetic)
	ha := 0.0
	for i, zone := range zones.Zones {
		ha += zone.AreaHa
		if i > 0 {
			require.Greater(t, zone.Mean, zones.Zones[i-1].Mean)
		}
	}
	require.InDelta(t, b.AreaHa(), ha, 1e-3)
	require.Len(t, zones.Seasons, 1, "the archive has nothing of earlier years")
	require.InDelta(t, made[2].Pixels.Describe().Mean, zones.Seasons[0].Mean, 1e-9)
	if folder := os.Getenv("TILTH_PICTURES"); folder != "" {
		var picture bytes.Buffer
		require.NoError(t, render.Charts{}.DrawLayer(t.Context(), &picture, ports.PNG, ports.ShownLayer{
			Layer: zones.Pixels, Field: ports.ShownField{Name: "Valladolid", Outline: b.Geometry()}, Style: zones.Pixels.Style(), About: &zones.Layer,
		}))
		require.NoError(t, os.WriteFile(filepath.Join(folder, "spanish-zones.png"), picture.Bytes(), 0o600))
	}

	land := &fieldlayers.Elevation{Covariates: &soil.Covariates{Store: noRasters{}, Elevations: imagery.(ports.Elevations)}}
	order.Product = credit.ElevationMap
	layers, none, err := land.Make(context.Background(), order)
	require.NoError(t, err)
	require.Empty(t, layers)
	require.Contains(t, none, "no elevation model")
}
