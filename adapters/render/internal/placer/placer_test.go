package placer_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/render/internal/draw"
	"tilth/adapters/render/internal/placer"
)

// Sizes of marks and texts, in pixels.
const (
	markRadius = 9
	textHeight = 17.0
)

// Texts keep off edges, marks, other texts and the frame where there is room.
func TestTextsKeepOffWhatIsOnTheMap(t *testing.T) {
	t.Parallel()
	frame := draw.Box{Left: 100, Top: 50, Right: 500, Bottom: 350}
	room := placer.New(frame, markRadius)
	edge := []draw.Point{{X: 212, Y: 50}, {X: 212, Y: 350}}
	room.Line(edge[0], edge[1], placer.CoverEdge)
	var placed []draw.Box
	for _, at := range []draw.Point{{X: 195, Y: 200}, {X: 195, Y: 190}, {X: 230, Y: 200}, {X: 495, Y: 340}, {X: 104, Y: 54}} {
		room.Mark(at, markRadius)
	}
	for _, at := range []draw.Point{{X: 195, Y: 200}, {X: 195, Y: 190}, {X: 230, Y: 200}, {X: 495, Y: 340}, {X: 104, Y: 54}} {
		b, _ := room.Beside(at, 60, textHeight)
		require.True(t, b.Right < edge[0].X || b.Left > edge[0].X, "beside %v: %v lies on the edge", at, b)
		require.InDelta(t, 60*textHeight, b.Shared(frame), 1e-6, "beside %v: %v leaves the frame", at, b)
		for _, other := range placed {
			require.Zero(t, b.Shared(other))
		}
		placed = append(placed, b)
	}
	name := room.Around(draw.Box{Left: 320, Top: 100, Right: 420, Bottom: 200}, 80, textHeight)
	require.Less(t, name.Bottom, 100.0, "the name of a field stands above it")
	second := room.Around(draw.Box{Left: 320, Top: 100, Right: 420, Bottom: 200}, 80, textHeight)
	require.Zero(t, second.Shared(name))
}

// Where there is no room a text is placed all the same, with a line to its point.
func TestCrowdedTextsArePlacedFartherOff(t *testing.T) {
	t.Parallel()
	frame := draw.Box{Right: 300, Bottom: 300}
	room := placer.New(frame, markRadius)
	at := draw.Point{X: 150, Y: 150}
	room.Mark(at, markRadius)
	far := 0
	for range 40 {
		b, away := room.Beside(at, 60, textHeight)
		require.Positive(t, b.Shared(frame))
		if away {
			far++
		}
	}
	require.Greater(t, far, 10)
}
