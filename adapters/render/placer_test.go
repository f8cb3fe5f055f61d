package render

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/render/internal/draw"
)

// Texts keep off edges, marks, other texts and the frame where there is room.
func TestTextsKeepOffWhatIsOnTheMap(t *testing.T) {
	t.Parallel()
	frame := draw.Box{Left: 100, Top: 50, Right: 500, Bottom: 350}
	room := newPlacer(frame, 1)
	edge := []draw.Point{{X: 212, Y: 50}, {X: 212, Y: 350}}
	room.line(edge[0], edge[1], coverEdge)
	var placed []draw.Box
	for _, at := range []draw.Point{{X: 195, Y: 200}, {X: 195, Y: 190}, {X: 230, Y: 200}, {X: 495, Y: 340}, {X: 104, Y: 54}} {
		room.mark(at, reserveRadius)
	}
	for _, at := range []draw.Point{{X: 195, Y: 200}, {X: 195, Y: 190}, {X: 230, Y: 200}, {X: 495, Y: 340}, {X: 104, Y: 54}} {
		b, _ := room.beside(at, 60, labelHeight)
		require.True(t, b.Right < edge[0].X || b.Left > edge[0].X, "beside %v: %v lies on the edge", at, b)
		require.InDelta(t, 60*labelHeight, b.Shared(frame), 1e-6, "beside %v: %v leaves the frame", at, b)
		for _, other := range placed {
			require.Zero(t, b.Shared(other))
		}
		placed = append(placed, b)
	}
	name := room.around(draw.Box{Left: 320, Top: 100, Right: 420, Bottom: 200}, 80, labelHeight)
	require.Less(t, name.Bottom, 100.0, "the name of a field stands above it")
	second := room.around(draw.Box{Left: 320, Top: 100, Right: 420, Bottom: 200}, 80, labelHeight)
	require.Zero(t, second.Shared(name))
}

// Where there is no room a text is placed all the same, with a line to its point.
func TestCrowdedTextsArePlacedFartherOff(t *testing.T) {
	t.Parallel()
	frame := draw.Box{Right: 300, Bottom: 300}
	room := newPlacer(frame, 1)
	at := draw.Point{X: 150, Y: 150}
	room.mark(at, reserveRadius)
	far := 0
	for range 40 {
		b, away := room.beside(at, 60, labelHeight)
		require.Positive(t, b.Shared(frame))
		if away {
			far++
		}
	}
	require.Greater(t, far, 10)
}
