package render_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/render"
	"tilth/core/vegetation"
	"tilth/ports"
)

var (
	from = time.Date(2025, 3, 1, 0, 0, 0, 0, time.UTC)
	to   = time.Date(2025, 10, 31, 0, 0, 0, 0, time.UTC)
)

// seriesOf has n points, three days apart, and after every fifth a rejected date.
func seriesOf(n int, value func(i int) float64) vegetation.Series {
	s := vegetation.Series{Index: "NDVI"}
	for i := range n {
		s.Observations = append(s.Observations, vegetation.Observation{Date: from.AddDate(0, 0, 3*i), Value: value(i), Coverage: 1})
		if i%5 == 4 {
			s.Rejected = append(s.Rejected, vegetation.Rejection{Date: from.AddDate(0, 0, 3*i+1)})
		}
	}
	return s
}

func hump(n int) func(int) float64 {
	return func(i int) float64 {
		return 0.2 + 0.6*math.Sin(math.Pi*float64(i)/float64(n)) + 0.03*math.Sin(7*float64(i))
	}
}

func draw(t *testing.T, in ports.SeriesChart) string {
	t.Helper()
	in.From, in.To = from, to
	var out, picture bytes.Buffer
	require.NoError(t, render.Charts{}.DrawSeries(t.Context(), &out, ports.SVG, in))
	d := xml.NewDecoder(bytes.NewReader(out.Bytes()))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("not well-formed: %v", err)
		}
	}
	require.NoError(t, render.Charts{}.DrawSeries(t.Context(), &picture, ports.PNG, in))
	size, err := png.DecodeConfig(bytes.NewReader(picture.Bytes()))
	require.NoError(t, err)
	require.Equal(t, []int{960, 460}, []int{size.Width, size.Height})
	// A person looks at the pictures where a folder for them is named.
	if dir := os.Getenv("TILTH_PICTURES"); dir != "" {
		name := filepath.Join(dir, strings.ReplaceAll(t.Name(), "/", "_"))
		require.NoError(t, os.WriteFile(name+".svg", out.Bytes(), 0o600))
		require.NoError(t, os.WriteFile(name+".png", picture.Bytes(), 0o600))
	}
	return out.String()
}

func TestSeries(t *testing.T) {
	t.Parallel()
	var empty string
	t.Run("none", func(t *testing.T) {
		empty = draw(t, ports.SeriesChart{Series: vegetation.Series{Index: "NDVI"}, Note: "The season has not begun."})
		require.Contains(t, empty, "NDVI, 2025-03-01 to 2025-10-31: 0 dates, 0 rejected")
		require.Contains(t, empty, "The season has not begun.")
		require.Contains(t, empty, ">season<")
		for _, mark := range []string{"accepted", "smoothed", "rejected date"} {
			require.NotContains(t, empty, mark, "nothing is explained that is not there")
		}
	})
	dots := func(svg string) int { return strings.Count(svg, "<circle") }
	t.Run("one", func(t *testing.T) {
		one := draw(t, ports.SeriesChart{Title: "North", Series: seriesOf(1, hump(1)), Note: "unused"})
		require.Contains(t, one, "North – NDVI, 2025-03-01 to 2025-10-31: 1 date, 0 rejected")
		require.Equal(t, dots(empty)+1+1, dots(one), "the point and its explanation")
		require.NotContains(t, one, "unused")
		require.NotContains(t, one, "smoothed", "one point has no line")
	})
	t.Run("seventy", func(t *testing.T) {
		s := seriesOf(70, hump(70))
		drawn := draw(t, ports.SeriesChart{Title: "North", Series: s})
		require.Equal(t, dots(empty)+70+1, dots(drawn), "each point is drawn")
		for _, words := range []string{"Date (solar day)", "NDVI (no unit), mean of the field", "accepted date", "smoothed", "rejected date", "season", "14 rejected"} {
			require.Contains(t, drawn, words)
		}
		fewer := s
		fewer.Rejected = s.Rejected[:12]
		require.Equal(t, strings.Count(drawn, "<path")-2, strings.Count(draw(t, ports.SeriesChart{Title: "North", Series: fewer}), "<path"), "each rejected date is a tick")
		require.Equal(t, drawn, draw(t, ports.SeriesChart{Title: "North", Series: s}), "the same series gives the same picture")
	})
	t.Run("negative", func(t *testing.T) {
		s := seriesOf(20, func(i int) float64 { return -0.2 - 0.02*float64(i) })
		s.Synthetic = true
		drawn := draw(t, ports.SeriesChart{Series: s})
		require.Contains(t, drawn, ">-1.0<")
		require.NotContains(t, drawn, ">1.0<")
		require.Contains(t, drawn, "(synthetic)")
	})
	t.Run("large", func(t *testing.T) {
		require.Contains(t, draw(t, ports.SeriesChart{Series: seriesOf(30, func(i int) float64 { return 0.13 * float64(i) })}), ">4.0<")
	})
}

// The library writes texts as they come; a field's name is not markup.
func TestNamesAreText(t *testing.T) {
	t.Parallel()
	name := `</text><script>alert(1)</script>` + strings.Repeat("ж", 100)
	for _, in := range []ports.SeriesChart{{Title: name}, {Note: name}} {
		drawn := draw(t, in)
		require.NotContains(t, drawn, "<script")
		require.Contains(t, drawn, "&lt;script")
	}
}

func TestUnknownFormat(t *testing.T) {
	t.Parallel()
	require.Error(t, render.Charts{}.DrawSeries(t.Context(), io.Discard, "gif", ports.SeriesChart{From: from, To: to}))
}
