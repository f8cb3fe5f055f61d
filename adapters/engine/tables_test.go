package engine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/ghg"
)

func TestLoad(t *testing.T) {
	for _, id := range []string{ghg.IPCC2019, ghg.IPCC2006} {
		set, err := FactorSet(id)
		require.NoError(t, err)
		require.Len(t, set.Digest, 64)
	}
}
