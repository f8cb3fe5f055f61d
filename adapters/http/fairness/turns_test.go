package fairness

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLargeBodiesThatArriveTakePlaces(t *testing.T) {
	turns := NewTurns(2, 0.25, 0.03)
	var left func()
	for range maxLarge {
		var err error
		left, err = turns.Expect(1)
		require.NoError(t, err)
	}
	_, err := turns.Expect(1)
	require.ErrorContains(t, err, "are already waiting")
	_, err = turns.Expect(2)
	require.NoError(t, err, "another company has its own places")
	left()
	left()
	_, err = turns.Expect(1)
	require.NoError(t, err)
	require.Error(t, turns.Crowded(1), "a place is given back once")
}
