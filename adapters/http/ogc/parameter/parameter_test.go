package parameter_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/http/ogc/parameter"
	"tilth/app/features"
	"tilth/core/geo"
)

func TestParseSpan(t *testing.T) {
	t.Parallel()
	at := func(text string) *time.Time {
		moment, err := time.Parse(time.RFC3339, text)
		require.NoError(t, err)
		return &moment
	}
	for text, want := range map[string][2]*time.Time{
		"2025-03-01T12:00:00Z":                        {at("2025-03-01T12:00:00Z"), at("2025-03-01T12:00:00Z")},
		"2025-03-01t12:00:00z":                        {at("2025-03-01T12:00:00Z"), at("2025-03-01T12:00:00Z")},
		"2025-03-01T12:00:00+02:00/..":                {at("2025-03-01T10:00:00Z"), nil},
		"/2025-03-01T12:00:00Z":                       {nil, at("2025-03-01T12:00:00Z")},
		"2025-03-01T00:00:00Z/2025-03-02T00:00:00.5Z": {at("2025-03-01T00:00:00Z"), at("2025-03-02T00:00:00.5Z")},
		"2025-03-01":                                  {at("2025-03-01T00:00:00Z"), at("2025-03-01T23:59:59.999999Z")},
		"2025-03-01/2025-03-01":                       {at("2025-03-01T00:00:00Z"), at("2025-03-01T23:59:59.999999Z")},
	} {
		got := parameter.ParseSpan(text)
		require.NotNil(t, got, text)
		for i, end := range []*time.Time{got.From, got.To} {
			require.Equal(t, want[i] == nil, end == nil, text)
			require.True(t, end == nil || end.Equal(*want[i]), "%s: %v", text, end)
		}
	}
	for _, text := range []string{"", "..", "/", "../..", "2025", "2025-13-01", "2025-03-02/2025-03-01", "a/b", "2025-03-01/2025-03-02/2025-03-03", "2025-03-01T12:00:00"} {
		require.Nil(t, parameter.ParseSpan(text), text)
	}
}

func TestParseID(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]features.ID{"7": {Record: 7}, "7.3": {Record: 7, Part: 3}, "9223372036854775807": {Record: 1<<63 - 1}} {
		got, ok := parameter.ParseID(text)
		require.True(t, ok, text)
		require.Equal(t, want, got)
		require.Equal(t, text, parameter.TextOf(got))
	}
	for _, text := range []string{"", "0", "-1", "+1", "7.", "7.0", ".3", "7.3.1", "7.-3", "x", "9223372036854775808", "7.99999999999"} {
		_, ok := parameter.ParseID(text)
		require.False(t, ok, text)
	}
}

func TestParseBox(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]geo.Box{
		"1,2,3,4":          {{MinX: 1, MinY: 2, MaxX: 3, MaxY: 4}},
		" 1, 2, 3 ,4":      {{MinX: 1, MinY: 2, MaxX: 3, MaxY: 4}},
		"1,2,-5,3,4,1e9":   {{MinX: 1, MinY: 2, MaxX: 3, MaxY: 4}},
		"-180,-90,180,90":  {{MinX: -180, MinY: -90, MaxX: 180, MaxY: 90}},
		"170,-20,-170,-10": {{MinX: 170, MinY: -20, MaxX: 180, MaxY: -10}, {MinX: -180, MinY: -20, MaxX: -170, MaxY: -10}},
		"":                 nil,
		"1,2,3":            nil,
		"1,2,3,4,5":        nil,
		"1,5,3,4":          nil,
		"1,2,3,91":         nil,
		"-181,2,3,4":       nil,
		"NaN,2,3,4":        nil,
		"Inf,2,3,4":        nil,
		"a,b,c,d":          nil,
	} {
		require.Equal(t, want, parameter.ParseBox(text), text)
	}
}
