package country_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/country"
)

func TestEveryCountryHasABox(t *testing.T) {
	t.Parallel()
	for _, key := range country.Keys() {
		_, known := country.Near(key, 0, 0, 0)
		require.True(t, known, key)
	}
	_, known := country.Near("atlantis", 0, 0, 0)
	require.False(t, known)
}

func TestNear(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		key           string
		lon, lat      float64
		near, swapped bool
	}{
		{"austria", 16.4, 48.2, true, false}, {"denmark", 14.9, 55.1, true, false}, {"netherlands", 5.1, 52.1, true, false}, {"sweden", 13.5, 55.6, true, false},
		{"brazil", -45.5, -12.2, true, false}, {"united_states", -156.5, 20.8, true, false}, {"france", 55.5, -21.1, true, false}, {"russia", 39, 45, true, true},
		{"kiribati", -175, 0, true, false}, {"kiribati", 0, 0, false, false}, {"kenya", 36.8, -1.3, true, false}, {"cameroon", 10, 6, true, true},
	} {
		near, _ := country.Near(c.key, c.lon, c.lat, 3)
		require.Equal(t, c.near, near, "%+v", c)
		swapped, _ := country.Near(c.key, c.lat, c.lon, 3)
		require.Equal(t, c.swapped, swapped, "%+v", c)
	}
}
