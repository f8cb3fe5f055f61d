package stratification

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/core/geo"
)

// wheatBoundary reads the outline of the wheat field.
func wheatBoundary(t testing.TB) geo.MultiPolygon {
	t.Helper()
	raw, err := os.ReadFile(realData(t, "wheat-boundary.geojson"))
	require.NoError(t, err)
	var collection struct{ Features []json.RawMessage }
	require.NoError(t, json.Unmarshal(raw, &collection))
	b, err := geo.ParseGeoJSON(collection.Features[0], geo.DefaultLimits())
	require.NoError(t, err)
	return b.Geometry()
}

func TestWheatZones(t *testing.T) {
	f, columns := wheatFrame(t, 1)
	p := DefaultParams()
	start := time.Now()
	r, err := Zones(t.Context(), &f, wheatLayers(columns, wheatColumns...), p, Work{Workers: 2})
	require.NoError(t, err)
	t.Log(time.Since(start))
	for _, c := range r.Candidates {
		t.Logf("%d (of %d) N %d n %d rv %.4f ch %.1f s %.4f db %.3f rec %v", len(c.Zones), c.Requested, c.SamplesNeeded, c.Precision, c.RV, c.Diagnostics.CalinskiHarabasz, c.Diagnostics.Silhouette, c.Diagnostics.DaviesBouldin, c.Recommended)
	}
	t.Log(r.WeakStratification, r.SamplesWithoutZones, r.MinZoneAreaHa)
}

func TestX(t *testing.T) {
	b := wheatBoundary(t)
	start := time.Now()
	f, err := NewFrame([]geo.MultiPolygon{b}, FrameOptions{EdgeMask: 1})
	require.NoError(t, err)
	t.Log("frame", time.Since(start), len(f.Cells), len(f.fringe), f.AreaHa)
	v := make([]float64, len(f.Cells))
	w := make([]float64, len(f.Cells))
	s := newStream(1, "x")
	for i := range v {
		v[i] = float64(f.Cells[i].Row*f.Cells[i].Col) + s.unit()*1000
		w[i] = float64(f.Cells[i].Row) + s.unit()*50
	}
	start = time.Now()
	r, err := Zones(t.Context(), &f, []Layer{{Name: "a", Values: v}, {Name: "b", Values: w}}, DefaultParams(), Work{Workers: 2, Progress: func(d, n int) { t.Log(d, n, time.Since(start)) }})
	require.NoError(t, err)
	t.Log(time.Since(start))
	for _, c := range r.Candidates {
		total := 0.0
		for _, z := range c.Zones {
			total += z.AreaHa
			require.True(t, z.Geometry.IsValid())
		}
		t.Log(len(c.Zones), total-f.AreaHa)
	}
}
