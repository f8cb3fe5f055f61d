package geo_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/geo"
)

// What is written reads back the same, with or without the spaces that PostgreSQL puts in.
func TestStoredGeometryReadsBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		position := rapid.Custom(func(t *rapid.T) geo.Position {
			return geo.Position{X: rapid.Float64().Draw(t, "x"), Y: rapid.Float64().Draw(t, "y")}
		})
		ring := rapid.Map(rapid.SliceOf(position), func(p []geo.Position) geo.Ring { return p })
		polygon := rapid.Map(rapid.SliceOf(ring), func(r []geo.Ring) geo.Polygon { return r })
		written := geo.MultiPolygon(rapid.SliceOfN(polygon, 1, 3).Draw(t, "parts"))
		raw, err := json.Marshal(written)
		require.NoError(t, err)
		var spaced bytes.Buffer
		require.NoError(t, json.Indent(&spaced, raw, "", " "))
		for _, text := range [][]byte{raw, spaced.Bytes()} {
			var read geo.MultiPolygon
			require.NoError(t, read.UnmarshalJSON(text))
			again, err := json.Marshal(read)
			require.NoError(t, err)
			require.Equal(t, string(raw), string(again))
		}
	})
}

func TestBrokenStoredGeometry(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{``, `null`, `{"type":"Polygon"}`, `{"type":"Polygon","coordinates":null}`, `{"type":"Polygon","coordinates":[1,2]}`,
		`{"type":"Polygon","coordinates":[[[1,"2"]]]}`, `{"type":"Polygon","coordinates":[[[1]]]}`, `{"type":"Polygon","coordinates":[[[1,2]`,
		`{"type":"Polygon","coordinates":[[[1,1e999]]]}`, `{"type":"MultiPolygon","coordinates":[[[1,2]]]}`} {
		var m geo.MultiPolygon
		require.Error(t, m.UnmarshalJSON([]byte(bad)), bad)
	}
}

// BenchmarkStoredGeometry compares the reading of an outline of 350 positions with the tokens of encoding/json.
func BenchmarkStoredGeometry(b *testing.B) {
	ring := make(geo.Ring, 350)
	for i := range ring {
		ring[i] = geo.Position{X: -4.8 + float64(i)*1.23456789e-5, Y: 41.7 + float64(i)*9.87654321e-6}
	}
	raw, err := json.Marshal(geo.MultiPolygon{{ring}})
	require.NoError(b, err)
	b.Run("tilth", func(b *testing.B) {
		for b.Loop() {
			var m geo.MultiPolygon
			require.NoError(b, m.UnmarshalJSON(raw))
		}
	})
	b.Run("tokens", func(b *testing.B) {
		for b.Loop() {
			dec := json.NewDecoder(bytes.NewReader(raw))
			for n := 0; ; n++ {
				if _, err := dec.Token(); err != nil { // the end
					require.Greater(b, n, 4*350)
					break
				}
			}
		}
	})
}
