package contract

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/imagery/synthetic"
	"tilth/core/geo"
	"tilth/tests/rig"
)

// masked is the series of `tilth profile` by date.
func masked(t *testing.T, boundary geo.MultiPolygon, mask string) map[string]dated {
	t.Helper()
	archive := rig.Archive(t)
	outline := filepath.Join(t.TempDir(), "field.geojson")
	require.NoError(t, os.WriteFile(outline, rig.GeoJSON(t, boundary), 0o600))
	out, errOut, status := run(t, "sqlite:unused.db", "", "profile", "--catalog", archive.Dir, "--field", outline,
		"--from", archive.From.Format("2006-01-02"), "--to", archive.To.Format("2006-01-02"), "--mask", mask)
	require.Zero(t, status, errOut)
	var series struct{ Observations []dated }
	require.NoError(t, json.Unmarshal([]byte(out), &series))
	require.NotEmpty(t, series.Observations)
	byDate := map[string]dated{}
	for _, o := range series.Observations {
		byDate[o.Date] = o
	}
	return byDate
}

type dated struct {
	Date  string
	Value float64
	Valid int `json:"n_valid"`
}

// The strict mask leaves water out. Over a meadow with its pond it finds the meadow's growth
// curve; the standard mask, whose mean includes the pond, does not. Over a field without
// water the two agree with each other and with the truth of the archive.
func TestStrictMaskOnTheCommandLine(t *testing.T) {
	t.Parallel()
	archive := rig.Archive(t)
	for _, p := range archive.Parcels {
		if p.Name != synthetic.WalkField && p.Name != "Pond meadow" {
			continue
		}
		pond := p.Name == "Pond meadow"
		if pond {
			require.Greater(t, len(p.Boundary[0]), 1, "the pond is a hole")
			p.Boundary = geo.MultiPolygon{{p.Boundary[0][0]}} // with the pond
		}
		standard, strict := masked(t, p.Boundary, "standard"), masked(t, p.Boundary, "strict")
		seen := 0
		for _, row := range archive.Truth {
			date := row.Date.Format("2006-01-02")
			got, accepted := strict[date]
			if row.Parcel != p.Name || !accepted {
				continue
			}
			seen++
			require.Equal(t, row.NValid, got.Valid, "%s on %s", p.Name, date)
			if pond {
				// Classes have a resolution of 20 m: along the shore a few pixels have the class of their neighbours.
				require.InDelta(t, row.CurveNDVI, got.Value, 2.5e-3, date)
				require.Greater(t, row.CurveNDVI-standard[date].Value, 0.02, date)
				continue
			}
			require.InDelta(t, row.MeanNDVI, got.Value, 1e-9, date)
			require.Equal(t, standard[date], got)
		}
		require.Equal(t, len(strict), seen)
		require.Greater(t, seen, 20)
	}
	_, errOut, status := run(t, "sqlite:unused.db", "", "profile", "--catalog", archive.Dir, "--field", "x", "--from", "2025-03-01", "--to", "2025-04-01", "--mask", "lax")
	require.NotZero(t, status)
	require.NotEmpty(t, errOut)
}
