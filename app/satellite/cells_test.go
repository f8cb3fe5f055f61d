package satellite_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/app/satellite"
	"tilth/core/fault"
	"tilth/core/vegetation"
)

// The cells of the field, on a grid whose blocks of 512 columns meet in its middle.
func TestCells(t *testing.T) {
	const shift = 512 - 40 // columns: the field begins at 20, its middle lies at 40
	on := vegetation.Grid{EPSG: 32632, OriginX: grid.OriginX - 10*shift, OriginY: grid.OriginY, PixelX: 10, PixelY: 10, Width: 600, Height: 200}
	var cells []vegetation.Cell
	for row := 20; row < 40; row++ {
		for col := 20; col < 60; col++ {
			cells = append(cells, vegetation.Cell{Col: col + shift, Row: row, Weight: 1})
		}
	}
	gone := newTile("gone", "2023-08-20T10:00:00Z", all(4), 3000)
	gone.broken = map[vegetation.Band]error{vegetation.B08: fault.New(fault.NotFound, "gone", "The file is gone.")}
	a := newArchive(
		newTile("clear", "2023-08-02T10:00:00Z", all(4), 3000),
		newTile("cloud", "2023-08-05T10:00:00Z", all(9), 3000),
		newTile("east", "2023-08-08T10:00:00Z", westOf(20, 9, 4), 9000),
		newTile("sliver", "2023-08-11T10:00:00Z", westOf(28, 9, 4), 9000),
		gone,
	)
	req := request(t)
	reader, err := (&satellite.Computer{Imagery: a}).Cells(t.Context(), satellite.CellRequest{
		Boundary: field, Grid: on, Cells: cells, From: req.From, To: req.To, Index: req.Index,
	})
	require.NoError(t, err)
	require.Equal(t, 5, reader.Passes())
	got := map[string]satellite.CellDate{}
	require.NoError(t, reader.Each(t.Context(), func(d satellite.CellDate) { got[d.Scenes[0]] = d }))
	require.Len(t, got, 2, "cloudy dates, and one whose file is gone, are left out")
	for i, c := range cells {
		require.InDelta(t, 0.5, got["clear"].Values[i], 1e-9)
		if c.Col-shift < 40 {
			require.True(t, math.IsNaN(got["east"].Values[i]))
		} else {
			require.InDelta(t, 0.8, got["east"].Values[i], 1e-9)
		}
	}
	require.Equal(t, []string{"clear"}, got["clear"].Scenes)
	require.Zero(t, a.read["cloud B04"]+a.read["cloud B08"], "no band is read of what is cloudy")
	require.Equal(t, 2, a.read["clear B08"], "a block at a time")
	require.Equal(t, 1, a.read["east B08"], "the western block is cloudy")
	require.Less(t, a.upper, 30*30, "and no more than the block")

	a.outage = fault.New(fault.Unavailable, "away", "Away.")
	_, err = (&satellite.Computer{Imagery: a}).Cells(t.Context(), satellite.CellRequest{Boundary: field, Grid: on, Cells: cells, From: req.From, To: req.To, Index: req.Index})
	require.True(t, fault.Is(err, fault.Unavailable))
}
