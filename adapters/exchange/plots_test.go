package exchange_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"iter"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/exchange"
	"tilth/core/eudr"
	"tilth/core/geo"
)

// statement is a geolocation file as the EU's Information System reads it.
type statement struct {
	Type     string
	Features []struct {
		Type       string
		Properties map[string]any
		Geometry   struct {
			Type        string
			Coordinates json.RawMessage
		}
	}
}

func statementOf(t *testing.T, raw []byte) (out statement) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	require.NoError(t, decoder.Decode(&out))
	require.Equal(t, "FeatureCollection", out.Type)
	return out
}

func repeated(n int, f eudr.Feature) iter.Seq2[eudr.Feature, error] {
	return func(yield func(eudr.Feature, error) bool) {
		for range n {
			if !yield(f, nil) {
				return
			}
		}
	}
}

var outlined = eudr.Feature{
	ProducerName: "Ana \"La Vega\" Ruiz", ProducerCountry: "ES", ProductionPlace: "North",
	Outline: geo.Ring{{X: -4, Y: 41}, {X: -3.9, Y: 41}, {X: -3.9, Y: 41.1}, {X: -4, Y: 41}},
}

func TestPlotsOfAStatement(t *testing.T) {
	t.Parallel()
	point := eudr.Feature{ProducerName: "Ana", ProducerCountry: "ES", ProductionPlace: "South", Point: geo.Position{X: -4.1, Y: 41}, AreaHa: 3.25}
	var out bytes.Buffer
	require.NoError(t, exchange.PlotFiles{}.Write(t.Context(), &out, false, func(yield func(eudr.Feature, error) bool) {
		_ = yield(outlined, nil) && yield(point, nil)
	}))
	got := statementOf(t, out.Bytes())
	require.Equal(t, map[string]any{"ProducerName": `Ana "La Vega" Ruiz`, "ProducerCountry": "ES", "ProductionPlace": "North"}, got.Features[0].Properties)
	require.Equal(t, "Polygon", got.Features[0].Geometry.Type)
	require.Equal(t, "[[[-4.000000,41.000000],[-3.900000,41.000000],[-3.900000,41.100000],[-4.000000,41.000000]]]", string(got.Features[0].Geometry.Coordinates))
	require.Equal(t, 3.25, got.Features[1].Properties["Area"])
	require.Equal(t, "[-4.100000,41.000000]", string(got.Features[1].Geometry.Coordinates))
}

func TestNoPlotsAreAFileOfNone(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	require.NoError(t, exchange.PlotFiles{}.Write(t.Context(), &out, false, repeated(0, outlined)))
	require.Empty(t, statementOf(t, out.Bytes()).Features)
	require.EqualValues(t, 1, exchange.PlotFiles{}.Size().Files())
}

// What does not fit into one file goes to others, each of which is whole and small enough.
func TestLargeStatementsAreSplit(t *testing.T) {
	t.Parallel()
	long := outlined
	long.ProductionPlace = strings.Repeat("n", 10_000)
	const n = 3*eudr.MaxFileBytes/10_000 - 100
	size := exchange.PlotFiles{}.Size()
	for range n {
		require.NoError(t, size.Add(long))
	}
	require.EqualValues(t, 4, size.Files())
	var out bytes.Buffer
	require.NoError(t, exchange.PlotFiles{}.Write(t.Context(), &out, true, repeated(n, long)))
	archive, err := zip.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	require.NoError(t, err)
	require.Len(t, archive.File, 4)
	features := 0
	for _, file := range archive.File {
		require.LessOrEqual(t, file.UncompressedSize64, uint64(eudr.MaxFileBytes))
		r, err := file.Open()
		require.NoError(t, err)
		raw, err := io.ReadAll(r)
		require.NoError(t, err)
		require.Equal(t, byte('\n'), raw[len(raw)-1])
		features += bytes.Count(raw, []byte(`"Feature",`))
		require.True(t, json.Valid(raw))
	}
	require.Equal(t, n, features)
}
