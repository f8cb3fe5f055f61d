package render_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/render"
	"tilth/core/vegetation"
)

var (
	from = time.Date(2025, 3, 1, 0, 0, 0, 0, time.UTC)
	to   = time.Date(2025, 10, 31, 0, 0, 0, 0, time.UTC)
)

func draw(t *testing.T, s vegetation.Series) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, render.SeriesSVG(&out, s, from, to))
	d := xml.NewDecoder(bytes.NewReader(out.Bytes()))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return out.String()
		} else if err != nil {
			t.Fatalf("not well-formed: %v", err)
		}
	}
}

func TestSeriesSVG(t *testing.T) {
	t.Parallel()
	s := vegetation.Series{Index: "NDVI", Synthetic: true}
	for i := range 20 {
		s.Observations = append(s.Observations, vegetation.Observation{Date: from.AddDate(0, 0, 10*i), Value: 0.3 + 0.02*float64(i)})
	}
	empty := draw(t, vegetation.Series{Index: "NDVI"})
	drawn := draw(t, s)
	require.Contains(t, drawn, "NDVI: 20 dates, 0 rejected (synthetic)")
	require.Contains(t, empty, "NDVI: 0 dates, 0 rejected")
	require.Equal(t, strings.Count(empty, "<circle")+20, strings.Count(drawn, "<circle"), "each point is drawn")
	require.Equal(t, drawn, draw(t, s), "the same series gives the same picture")

	s.Rejected = []vegetation.Rejection{{Date: from.AddDate(0, 0, 3)}, {Date: from.AddDate(0, 0, 8)}}
	require.Equal(t, strings.Count(drawn, "<path")+2, strings.Count(draw(t, s), "<path"), "each rejected date is a tick")
}
