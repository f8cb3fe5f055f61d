package plan

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/stratification/frame"
	soillayer "tilth/core/stratification/layer"
	"tilth/core/stratification/seed"
	"tilth/core/stratification/zoning"
)

// A recommended map takes the plan that a request without choices asks for; where zones are too
// narrow for it, the recommendation states the offset with which it can be made.
func TestRecommendedMapsTakeTheDefaultPlan(t *testing.T) {
	g := frame.GridCells{CellSize: 10}
	for i := range 400 { // 40 m × 1 km
		g.Places = append(g.Places, [2]int32{int32(i / 100), int32(i % 100)})
	}
	f, _, err := frame.OfCells(g, nil, 0)
	require.NoError(t, err)
	made := func(value func(c frame.Cell) bool) *zoning.Candidate {
		l := soillayer.Layer{Name: "a", Values: make([]float64, len(f.Cells))}
		for i, c := range f.Cells {
			if value(c) {
				l.Values[i] = 1
			}
		}
		p := zoning.DefaultParams()
		p.MaxZones, p.SpatialWeight, p.Starts = 2, 0, 1
		r, err := zoning.Zones(t.Context(), &f, []soillayer.Layer{l}, p, zoning.Work{})
		require.NoError(t, err)
		require.NoError(t, Recommend(nil, &f, &r))
		require.Len(t, r.Candidates, 1)
		require.True(t, r.Candidates[0].Recommended)
		return &r.Candidates[0]
	}
	defaults := func(c *zoning.Candidate) Params {
		p := DefaultParams()
		p.Scope = c.MapUUID
		return p.Seeded(seed.Choice{})
	}

	across := made(func(c frame.Cell) bool { return c.Col >= 50 })
	require.Nil(t, across.Needs)
	_, err = New(nil, &f, &across.Zoning, defaults(across))
	require.NoError(t, err)

	along := made(func(c frame.Cell) bool { return c.Row >= 2 })
	require.NotNil(t, along.Needs, "no cell's centre is 10 m from the edges of a zone 20 m wide")
	require.Equal(t, 5, along.Needs.MaxOffset)
	require.Contains(t, along.Needs.Message, "With an offset of 5 m they fit.")
	p := defaults(along)
	_, err = New(nil, &f, &along.Zoning, p)
	require.ErrorContains(t, err, along.Needs.Message)
	p.ZoneOffset = along.Needs.MaxOffset
	_, err = New(nil, &f, &along.Zoning, p)
	require.NoError(t, err)
}
