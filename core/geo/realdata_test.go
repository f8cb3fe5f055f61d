package geo_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/geo"
	"tilth/tests/realdata"
)

func TestRealPivotField(t *testing.T) {
	raw, err := os.ReadFile(realdata.Path(t, "satellite", "s2-spain-valladolid-2019", "field.geojson"))
	require.NoError(t, err)
	b, err := geo.ParseGeoJSON(nil, raw, geo.DefaultLimits())
	require.NoError(t, err)
	require.InDelta(t, 23.24, b.AreaHa(), 0.005)
	require.Empty(t, b.Warnings())
	require.InDelta(t, -4.872, b.Centroid().X, 1e-3)
}

// TestRealOutlines reads real outlines of five countries. All make valid boundaries (a Danish
// one after its spike is dropped), and where a source states an area, it is near.
func TestRealOutlines(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(realdata.Path(t, "satellite", "fields"), "*.geojson"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			raw, err := os.ReadFile(file)
			require.NoError(t, err)
			var collection struct {
				Features []json.RawMessage `json:"features"`
			}
			require.NoError(t, json.Unmarshal(raw, &collection))
			require.NotEmpty(t, collection.Features)
			for i, feature := range collection.Features {
				b, err := geo.ParseGeoJSON(nil, feature, geo.DefaultLimits())
				require.NoError(t, err, "feature %d", i)
				require.NoError(t, simple(b.Geometry()).Validate())
				if stated := statedArea(t, feature); stated > 0.1 {
					require.InEpsilon(t, stated, b.AreaHa(), 0.05, "feature %d", i)
				}
			}
		})
	}
}

// statedArea returns the hectares that the Swedish, Danish and Austrian sources print on a
// feature.
func statedArea(t *testing.T, feature []byte) float64 {
	var f struct {
		Properties struct {
			Sweden  float64 `json:"faststalld"`
			Denmark float64 `json:"IMK_areal"`
			Austria float64 `json:"SL_FLAECHE_BRUTTO_HA"`
		} `json:"properties"`
	}
	require.NoError(t, json.Unmarshal(feature, &f))
	return max(f.Properties.Sweden, f.Properties.Denmark, f.Properties.Austria)
}
