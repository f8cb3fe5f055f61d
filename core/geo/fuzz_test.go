package geo_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/fault"
	"tilth/core/geo"
)

// FuzzParseGeoJSON asserts that no document makes the reader panic, that a refusal has one
// message, and that what is accepted is valid to the oracle and reads back the same.
func FuzzParseGeoJSON(f *testing.F) {
	for _, seed := range []string{
		`{"type":"Polygon","coordinates":[` + square + `,` + inner + `]}`,
		`{"type":"MultiPolygon","coordinates":[[` + square + `],[[[10.01,50.01],[10.02,50.01],[10.02,50.02],[10.01,50.01]]]]}`,
		`{"type":"Feature","geometry":{"type":"Polygon","coordinates":[[[10,50,1],[10.01,50],[10.01,50.01]]]}}`,
		`{"type":"Polygon","coordinates":[[[10,50],[10.01,50.01],[10.01,50],[10,50.01],[10,50]]]}`,
		`{"type":"Polygon","coordinates":[[[1e999,-0],[null,[]],{}]]}`,
		`{"type":"Polygon","coordinates":[[[[[[[[[[`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		b, err := geo.ParseGeoJSON(nil, raw, geo.DefaultLimits())
		if err != nil {
			require.NotEmpty(t, messageOf(t, err))
			return
		}
		require.NoError(t, simple(b.Geometry()).Validate())
		again, err := json.Marshal(b.Geometry())
		require.NoError(t, err)
		back, err := geo.ParseGeoJSON(nil, again, geo.DefaultLimits())
		require.NoError(t, err)
		require.Equal(t, b, back)
	})
}

// FuzzParseLine asserts that no document makes the reader panic, that a refusal names the line, and that every line that is read
// cuts a field into valid parts.
func FuzzParseLine(f *testing.F) {
	for _, seed := range []string{
		`{"type":"LineString","coordinates":[[10.005,49],[10.005,51]]}`,
		`{"type":"LineString","coordinates":[[10,50,3],[10.01,50.01],[10.01,50],[10,50.01]]}`,
		`{"type":"LineString","coordinates":[[10,50]]}`, `{"type":"LineString","coordinates":[[1e999,-0],[null,[]],{}]}`,
		`{"type":"Polygon","coordinates":[]}`, `{"type":"LineString"}`, `[`,
	} {
		f.Add([]byte(seed))
	}
	field, err := geo.ParseGeoJSON(nil, []byte(`{"type":"Polygon","coordinates":[`+square+`,`+inner+`]}`), geo.DefaultLimits())
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, raw []byte) {
		line, err := geo.ParseLine(raw, 100)
		if err != nil {
			found, ok := fault.As(err)
			require.True(t, ok)
			require.Contains(t, found.Fields, geo.LineField)
			return
		}
		parts, err := geo.Cut(nil, field.Geometry(), line)
		require.NoError(t, err)
		for _, p := range parts {
			require.True(t, geo.MultiPolygon{p}.IsValid())
		}
	})
}
