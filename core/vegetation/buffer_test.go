package vegetation_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/geo"
	"tilth/core/vegetation"
)

func TestABufferTakesTheEdgesOfAFieldAway(t *testing.T) {
	t.Parallel()
	within := func(buffer float64) vegetation.Footprint {
		f, err := vegetation.CoverWithin(geo.MultiPolygon{{rectangle(0, 0, 10, 6)}}, grid10, buffer)
		require.NoError(t, err)
		return f
	}
	require.Equal(t, cover(t, rectangle(0, 0, 10, 6)), within(0), "as without a buffer")
	require.Len(t, within(5).Cells, 60, "centres lie 5 m from the edge")
	require.Len(t, within(5.1).Cells, 8*4)
	require.Len(t, within(25).Cells, 6*2)
	f := within(25.1)
	require.Empty(t, f.Cells)
	require.True(t, f.Small)
	small := within(15.1)
	require.Equal(t, 6*2, len(small.Cells))
	require.False(t, small.Small)
	hole, err := vegetation.CoverWithin(geo.MultiPolygon{{rectangle(0, 0, 10, 10), rectangle(4, 4, 6, 6)}}, grid10, 10)
	require.NoError(t, err)
	for _, c := range hole.Cells {
		require.False(t, c.Col >= 3 && c.Col < 7 && c.Row >= 3 && c.Row < 7, "the edge of a hole is an edge")
	}
}

// A pixel counts when it lies inside and no edge is nearer than the buffer: the definition, by points along the edges.
func TestABufferIsItsDefinition(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var ring geo.Ring
		corners := rapid.IntRange(3, 7).Draw(t, "corners")
		for i := range corners {
			angle, radius := 2*math.Pi*float64(i)/float64(corners), rapid.Float64Range(30, 120).Draw(t, "radius")
			ring = append(ring, geo.Position{X: grid10.OriginX + 130 + radius*math.Cos(angle), Y: grid10.OriginY - 130 + radius*math.Sin(angle)})
		}
		ring = append(ring, ring[0])
		field, buffer := geo.MultiPolygon{{ring}}, rapid.Float64Range(1, 40).Draw(t, "buffer")
		all, err := vegetation.Centres(field, grid10)
		require.NoError(t, err)
		got, err := vegetation.CoverWithin(field, grid10, buffer)
		require.NoError(t, err)
		kept := map[vegetation.Cell]bool{}
		for _, c := range got.Cells {
			kept[c] = true
		}
		const steps = 400
		for _, c := range all {
			p, nearest := grid10.Centre(c.Col, c.Row), math.Inf(1)
			for a, b := range field.Edges() {
				for i := range steps + 1 {
					s := float64(i) / steps
					nearest = min(nearest, math.Hypot(a.X+s*(b.X-a.X)-p.X, a.Y+s*(b.Y-a.Y)-p.Y))
				}
			}
			if math.Abs(nearest-buffer) > 1 { // the points of an edge lie less than a metre apart
				require.Equal(t, nearest > buffer, kept[c], "%v lies %g m from the outline", c, nearest)
			}
		}
	})
}

func TestAFieldTooNarrowForTheBufferSaysSo(t *testing.T) {
	t.Parallel()
	mask := parsed(t, "buffer:60")
	f, err := vegetation.CoverWithin(geo.MultiPolygon{{rectangle(0, 0, 10, 6)}}, grid10, mask.Buffer())
	require.NoError(t, err)
	composite := vegetation.NewComposite(f, ndvi, mask)
	require.NoError(t, composite.Screen(*layer(1000, 3000, constant(4)).View))
	r := composite.Screened(pass)
	require.Equal(t, vegetation.ReasonTooFew, r.Reason)
	require.Equal(t, "The field is too narrow for the buffer of 60 m: no pixel is left.", r.Note)
	s := vegetation.Assemble(vegetation.Reading{Index: vegetation.NDVI}, []vegetation.Outcome{{Rejection: r}})
	require.Equal(t, r.Note, s.Empty())
	require.Zero(t, s.Unread(), "another try would not help")
}

func TestTheMinimumCoverageOfAMask(t *testing.T) {
	t.Parallel()
	for text, reason := range map[string]vegetation.Reason{"coverage:0.4": "", "coverage:0.41": vegetation.ReasonCloud, "standard": vegetation.ReasonCloud} {
		mask := parsed(t, text)
		composite := vegetation.NewComposite(cover(t, rectangle(0, 0, 10, 10)), ndvi, mask)
		l := layer(1000, 3000, leftOf(4, 4, 9))
		require.NoError(t, composite.Screen(*l.View))
		screened := composite.Screened(pass)
		_, err := composite.Add(l)
		require.NoError(t, err)
		out := composite.Result(pass, []string{"a"})
		if reason == "" {
			require.Nil(t, screened)
			require.NotNil(t, out.Observation)
			continue
		}
		require.Equal(t, reason, screened.Reason, text)
		require.Equal(t, reason, out.Rejection.Reason)
	}
}
