package pcg

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The numbers are those that the author's reference program prints for seed 42, sequence 54.
func TestStreamIsThePublishedGenerator(t *testing.T) {
	s := seeded(42, 54)
	for _, want := range []uint32{0xa15c02b7, 0x7b47f409, 0xba1d3330, 0x83d2f293, 0xbfa4784b, 0xcbed606e} {
		require.Equal(t, want, s.next())
	}
}

func TestStagesHaveStreamsOfTheirOwn(t *testing.T) {
	a, again, other, seed := New(7, "place"), New(7, "place"), New(7, "reserve"), New(8, "place")
	first := a.next()
	require.Equal(t, first, again.next())
	require.NotEqual(t, first, other.next())
	require.NotEqual(t, first, seed.next())
}

func TestBelowIsFairAndInBounds(t *testing.T) {
	s := New(1, "fair")
	const n, draws = 6, 60_000
	var seen [n]int
	for range draws {
		seen[s.Below(n)]++
	}
	for value, times := range seen { // five standard deviations of a fair die: 456
		require.InDelta(t, draws/n, times, 456, "%d", value)
	}
	require.Equal(t, 0, s.Below(1))
}

func TestUnitStaysBelowOne(t *testing.T) {
	s := New(1, "unit")
	sum := 0.0
	for range 10_000 {
		u := s.Unit()
		require.True(t, u >= 0 && u < 1)
		sum += u
	}
	require.InDelta(t, 0.5, sum/10_000, 0.0145) // five standard errors
}

func TestShuffleKeepsEverything(t *testing.T) {
	things := []int{0, 1, 2, 3, 4, 5, 6, 7}
	New(3, "shuffle").Shuffle(len(things), func(i, j int) { things[i], things[j] = things[j], things[i] })
	require.ElementsMatch(t, []int{0, 1, 2, 3, 4, 5, 6, 7}, things)
	require.NotEqual(t, []int{0, 1, 2, 3, 4, 5, 6, 7}, things)
}
