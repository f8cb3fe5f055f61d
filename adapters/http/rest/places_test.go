package rest

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLargeBodiesThatArriveTakePlaces(t *testing.T) {
	turns := newTurns(2, 0.25, 0.03)
	var left func()
	for range maxLarge {
		var err error
		left, err = turns.expect(1)
		require.NoError(t, err)
	}
	_, err := turns.expect(1)
	require.ErrorContains(t, err, "wait already")
	_, err = turns.expect(2)
	require.NoError(t, err, "another company has its own places")
	left()
	left()
	_, err = turns.expect(1)
	require.NoError(t, err)
	require.Error(t, turns.crowded(1), "a place is given back once")
}
