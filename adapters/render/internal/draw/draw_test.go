package draw_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/render/internal/draw"
	"tilth/ports"
)

// painted returns the pixels of a picture of 100 × 100.
func painted(t *testing.T, paint func(draw.Canvas)) image.Image {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, draw.Picture(nil, &out, ports.PNG, draw.Size{Width: 100, Height: 100}, paint))
	picture, err := png.Decode(&out)
	require.NoError(t, err)
	return picture
}

// dark counts the pixels of a box that are closer to black than to white.
func dark(picture image.Image, box image.Rectangle) (n int) {
	for x := box.Min.X; x < box.Max.X; x++ {
		for y := box.Min.Y; y < box.Max.Y; y++ {
			if color.GrayModel.Convert(picture.At(x, y)).(color.Gray).Y < 128 {
				n++
			}
		}
	}
	return n
}

func TestShapesCoverTheirPixels(t *testing.T) {
	t.Parallel()
	all := image.Rect(0, 0, 100, 100)
	ring := func(from, to float64) []draw.Point {
		return []draw.Point{{from, from}, {to, from}, {to, to}, {from, to}}
	}
	hole := []draw.Point{{40, 40}, {40, 60}, {60, 60}, {60, 40}}
	for name, c := range map[string]struct {
		paint func(draw.Canvas)
		dark  int
	}{
		"a line":               {func(c draw.Canvas) { c.Line(10, 50, 60, 50, draw.Ink, 4) }, 50 * 4},
		"an edge with corners": {func(c draw.Canvas) { c.Path([][]draw.Point{ring(20, 80)}, true, draw.Style{Edge: draw.Ink, Width: 2}) }, 62*62 - 58*58},
		"an area with a hole":  {func(c draw.Canvas) { c.Path([][]draw.Point{ring(20, 80), hole}, true, draw.Style{Fill: draw.Ink}) }, 60*60 - 20*20},
		"partly outside":       {func(c draw.Canvas) { c.Path([][]draw.Point{ring(-50, 10)}, true, draw.Style{Fill: draw.Ink}) }, 100},
		"wholly outside":       {func(c draw.Canvas) { c.Write("text", 500, -500, draw.Title) }, 0},
		"no point, no colour": {func(c draw.Canvas) {
			c.Path(nil, true, draw.Style{Fill: draw.Ink})
			c.Circle(draw.Point{}, 9, draw.Style{})
		}, 0},
	} {
		require.Equal(t, c.dark, dark(painted(t, c.paint), all), name)
	}
}

// A text stands on its baseline, or along it upwards.
func TestTextsStandWhereTheyAreMeasured(t *testing.T) {
	t.Parallel()
	width := int(draw.Measure("HHH", draw.Title)) + 1
	level := painted(t, func(c draw.Canvas) { c.Write("HHH", 10, 50, draw.Title) })
	require.Positive(t, dark(level, image.Rect(10, 30, 10+width, 50)))
	require.Equal(t, dark(level, image.Rect(0, 0, 100, 100)), dark(level, image.Rect(10, 30, 10+width, 50)), "nothing beside it")
	turned := painted(t, func(c draw.Canvas) { c.Text("HHH", draw.Point{X: 50, Y: 90}, draw.Title, true) })
	require.InDelta(t, dark(level, level.Bounds()), dark(turned, image.Rect(30, 90-width, 50, 90)), 8)
}

func TestUnknownFormat(t *testing.T) {
	t.Parallel()
	require.Error(t, draw.Picture(nil, io.Discard, "gif", draw.Size{Width: 10, Height: 10}, func(draw.Canvas) {}))
}
