package route

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/effort"
	"tilth/core/geo"
	"tilth/core/stratification/internal/pcg"
)

func scattered(n int, side float64, random *pcg.Stream) []geo.Position {
	places := make([]geo.Position, n)
	for i := range places {
		places[i] = geo.Position{X: side * random.Unit(), Y: side * random.Unit()}
	}
	return places
}

func length(places []geo.Position, order []int) (sum float64) {
	for i := 1; i < len(order); i++ {
		sum += distance(places[order[i-1]], places[order[i]])
	}
	return sum
}

func TestShortWalk(t *testing.T) {
	var places []geo.Position
	random := pcg.New(4, "walk")
	for range 60 {
		places = append(places, geo.Position{X: 1000 * random.Unit(), Y: 1000 * random.Unit()})
	}
	order := shortWalk(nil, places, corner(places), nil)
	sorted := slices.Clone(order)
	slices.Sort(sorted)
	for i, n := range sorted {
		require.Equal(t, i, n)
	}
	// The shortest tour of n random places of a square of area A is about 0.7124 √(nA)
	// (Beardwood, Halton and Hammersley 1959); the edge adds about a tenth.
	require.Less(t, length(places, order), 1.25*0.7124*math.Sqrt(60*1e6))
	for i := 1; i < len(order)-1; i++ {
		for j := i + 1; j < len(order); j++ {
			other := slices.Clone(order)
			slices.Reverse(other[i : j+1])
			require.GreaterOrEqual(t, length(places, other), length(places, order)-1e-3, "no piece is shorter the other way round")
		}
	}
	require.Equal(t, []int{0}, shortWalk(nil, places[:1], places[0], nil))
	require.Empty(t, shortWalk(nil, nil, geo.Position{}, nil))
}

// A walk passes every place once, from the place nearest to where the crew comes from. No piece of it is shorter the other
// way round, even where places coincide or lie in a line; the way on to where the crew goes is part of it.
func TestPropertyWalksHaveNoShorterPiece(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var places []geo.Position
		width, height := rapid.IntRange(0, 40).Draw(t, "width"), rapid.IntRange(0, 40).Draw(t, "height")
		for range rapid.IntRange(1, 40).Draw(t, "n") {
			places = append(places, geo.Position{X: float64(rapid.IntRange(0, width).Draw(t, "x")), Y: float64(rapid.IntRange(0, height).Draw(t, "y"))})
		}
		var to *geo.Position
		if rapid.Bool().Draw(t, "to") {
			to = &geo.Position{X: float64(rapid.IntRange(-20, 60).Draw(t, "to x")), Y: float64(rapid.IntRange(-20, 60).Draw(t, "to y"))}
		}
		order := shortWalk(nil, places, corner(places), to)
		sorted := slices.Clone(order)
		slices.Sort(sorted)
		for i, n := range sorted {
			require.Equal(t, i, n)
		}
		require.Equal(t, len(places), len(order))
		require.Equal(t, allPairs(places)[0], order[0])
		whole := func(order []int) float64 {
			if to == nil {
				return length(places, order)
			}
			return length(places, order) + distance(places[order[len(order)-1]], *to)
		}
		for i := 1; i < len(order); i++ {
			for j := i + 1; j < len(order); j++ {
				other := slices.Clone(order)
				slices.Reverse(other[i : j+1])
				require.GreaterOrEqual(t, whole(other), whole(order)-1e-3)
			}
		}
	})
}

// allPairs returns a walk for which all pairs of steps are compared, until no reversal shortens it.
func allPairs(places []geo.Position) []int {
	var order []int
	from, left := geo.Position{X: math.Inf(1), Y: math.Inf(-1)}, map[int]bool{}
	for i, p := range places {
		from.X, from.Y, left[i] = min(from.X, p.X), max(from.Y, p.Y), true
	}
	for range places {
		next := -1
		for i, p := range places {
			if left[i] && (next < 0 || distance(from, p) < distance(from, places[next])) {
				next = i
			}
		}
		delete(left, next)
		order, from = append(order, next), places[next]
	}
	at := func(i int) geo.Position { return places[order[i]] }
	for changed := true; changed; {
		changed = false
		for i := 1; i < len(order)-1; i++ {
			for j := i + 1; j < len(order); j++ {
				gain := distance(at(i-1), at(i)) - distance(at(i-1), at(j))
				if j < len(order)-1 {
					gain += distance(at(j), at(j+1)) - distance(at(i), at(j+1))
				}
				if gain > 1e-6 {
					slices.Reverse(order[i : j+1])
					changed = true
				}
			}
		}
	}
	return order
}

// Walks for which only near places are compared are as short as those for which all are.
func TestShortWalksAreAsShortAsThoseOfAllPairs(t *testing.T) {
	t.Parallel()
	random := pcg.New(9, "walks")
	for _, n := range []int{10, 40, 160} {
		near, all := 0.0, 0.0
		for range 200 * 40 / n {
			places := scattered(n, 1000, random)
			near += length(places, shortWalk(nil, places, corner(places), nil))
			all += length(places, allPairs(places))
		}
		t.Logf("%d places: %.4f of the length", n, near/all)
		require.Less(t, near/all, 1.0)
	}
}

// A walk of twice as many places takes little more than twice the steps, however they lie in their field.
func TestWalksGrowWithTheirPlaces(t *testing.T) {
	t.Parallel()
	for name, shape := range map[string]func(p geo.Position) geo.Position{
		"square": func(p geo.Position) geo.Position { return p },
		"line":   func(p geo.Position) geo.Position { return geo.Position{X: p.X} },
		"rows":   func(p geo.Position) geo.Position { return geo.Position{X: math.Round(p.X), Y: math.Round(p.Y/40) * 40} },
		"two pieces": func(p geo.Position) geo.Position {
			return geo.Position{X: p.X + 5000*math.Round(p.Y/1000), Y: p.Y}
		},
		"a dense corner": func(p geo.Position) geo.Position {
			return geo.Position{X: p.X * p.X / 1000, Y: p.Y * p.Y / 1000}
		},
	} {
		steps := func(n int) (sum float64) {
			for seed := range uint64(8) {
				places := scattered(n, 1000, pcg.New(seed, "grow"))
				for i := range places {
					places[i] = shape(places[i])
				}
				budget := effort.Of(t.Context(), 0)
				shortWalk(budget, places, corner(places), nil)
				sum += float64(budget.Spent())
			}
			return sum / 8
		}
		few, many := steps(1250), steps(2500)
		t.Logf("%s: %.0f steps for a place, %.2f times those of half as many", name, many/2500, many/few)
		require.Less(t, many/few, 3.2, "%s: all pairs take 4 times the steps", name)
		require.Less(t, many/2500, 1200.0, "%s: all pairs are 1250 steps for a place in each of some ten passes", name)
	}
}
