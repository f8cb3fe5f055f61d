package imagery_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/exchange"
	"tilth/adapters/imagery/cog"
	"tilth/core/geo"
	"tilth/core/stratification/carbon"
	"tilth/core/stratification/frame"
	"tilth/core/vegetation"
	"tilth/ports"
)

// A GeoTIFF of a map of soil carbon has each cell's figures in their place, even for fields far apart: between them
// there are tiles without a cell, which the file stores once.
func TestCarbonOfFieldsFarApart(t *testing.T) {
	land := []geo.MultiPolygon{rectangle(t, 32630, 300_000, 4_600_000, 300_300, 4_600_200), rectangle(t, 32630, 312_000, 4_588_000, 312_150, 4_588_400)}
	f, err := frame.New(nil, land, frame.Options{CellSize: 10})
	require.NoError(t, err)
	in := ports.ShownCarbon{Frame: &f, Strata: make([]int32, len(f.Cells))}
	in.Carbon.Zones = []carbon.Zone{{Stock: carbon.Figure{Mean: 51.5, Low: 49, High: 54}}, {Stock: carbon.Figure{Mean: 62, Low: 60.25, High: 63.75}}}
	for i, c := range f.Cells {
		in.Strata[i] = (c.Row+c.Col)%2 + 1
	}
	var file bytes.Buffer
	require.NoError(t, exchange.StratificationFiles{}.WriteCarbon(&file, ports.GeoTIFF, in))
	require.Less(t, file.Len(), 50_000, "%d × %d cells", f.Rows, f.Cols)
	path := filepath.Join(t.TempDir(), "carbon.tif")
	require.NoError(t, os.WriteFile(path, file.Bytes(), 0o600))
	source, err := cog.FromFile(path)
	require.NoError(t, err)
	for band, of := range []func(carbon.Figure) float64{
		func(f carbon.Figure) float64 { return f.Mean }, func(f carbon.Figure) float64 { return f.Low }, func(f carbon.Figure) float64 { return f.High },
	} {
		numbers, err := cog.OpenNumbers(t.Context(), source, "carbon.tif", band+1)
		require.NoError(t, err)
		grid := numbers.Grid()
		require.Equal(t, []any{32630, f.OriginX, f.OriginY, 10.0, f.Cols, f.Rows}, []any{grid.EPSG, grid.OriginX, grid.OriginY, grid.PixelX, grid.Width, grid.Height})
		got, err := numbers.Read(t.Context(), vegetation.Window{Width: grid.Width, Height: grid.Height})
		require.NoError(t, err)
		known := 0
		for _, v := range got.Values {
			if v == v {
				known++
			}
		}
		require.Equal(t, len(f.Cells), known)
		for i, c := range f.Cells {
			require.InDelta(t, of(in.Carbon.Zones[in.Strata[i]-1].Stock), got.Values[int(c.Row)*grid.Width+int(c.Col)], 1e-5)
		}
	}
}
