package country_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/country"
)

func TestKnown(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"spain", "united_states", "cote_divoire", "zimbabwe"} {
		require.True(t, country.Known(key), key)
	}
	for _, key := range []string{"", "Spain", "key", "atlantis"} {
		require.False(t, country.Known(key), key)
	}
}
