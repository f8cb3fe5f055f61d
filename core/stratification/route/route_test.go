package route

import (
	"cmp"
	"context"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/effort"
	"tilth/core/geo"
	"tilth/core/stratification/internal/pcg"
)

// programme returns a made-up programme: farms within a square of 70 km, with fields of up to 20 ha around them that are
// numbered in the order of entry, which does not follow the land, and three to six places in each.
func programme(fields int, random *pcg.Stream) (stops []Stop) {
	var farms []geo.Position
	for range 40 {
		farms = append(farms, geo.Position{X: 70_000 * random.Unit(), Y: 70_000 * random.Unit()})
	}
	for field := range fields {
		farm := farms[random.Below(len(farms))]
		middle := geo.Position{X: farm.X + 4000*(random.Unit()-0.5), Y: farm.Y + 4000*(random.Unit()-0.5)}
		for range 3 + random.Below(4) {
			stops = append(stops, Stop{field, geo.Position{X: middle.X + 450*(random.Unit()-0.5), Y: middle.Y + 450*(random.Unit()-0.5)}})
		}
	}
	return stops
}

func straight(stops []Stop) (km float64) {
	for i := 1; i < len(stops); i++ {
		km += distance(stops[i-1].At, stops[i].At) / 1000
	}
	return km
}

// lowerBound returns a lower bound of the length of any way through places: that of a minimal tree over them and an
// imagined place without distance to any, whose degrees are brought towards two by prices on the places (Held and
// Karp, "The Traveling-Salesman Problem and Minimum Spanning Trees: Part II", Mathematical Programming 1 (1971) 6).
func lowerBound(places []geo.Position, rounds int) (upper float64) {
	n := len(places) // the imagined place has the number n
	price := make([]float64, n+1)
	away := make([]float64, n*n)
	for i, p := range places {
		for j, q := range places {
			away[i*n+j] = distance(p, q)
		}
	}
	step := 0.0
	for round := range rounds {
		degree, from, near, in := make([]int, n+1), make([]int, n+1), make([]float64, n+1), make([]bool, n+1)
		for i := range near {
			near[i] = math.Inf(1)
		}
		total, last := 0.0, 0
		in[0] = true
		for range n - 1 { // Prim, over all but the imagined place
			best, row := -1, away[last*n:]
			for i := range n {
				if in[i] {
					continue
				}
				if d := row[i] + price[last] + price[i]; d < near[i] {
					near[i], from[i] = d, last
				}
				if best < 0 || near[i] < near[best] {
					best = i
				}
			}
			in[best], last = true, best
			total += near[best]
			degree[best]++
			degree[from[best]]++
		}
		ends := make([]int, n)
		for i := range ends {
			ends[i] = i
		}
		slices.SortFunc(ends, func(i, j int) int { return cmp.Compare(price[i], price[j]) })
		for _, end := range ends[:2] {
			total += price[end] + price[n]
			degree[end]++
			degree[n]++
		}
		for _, p := range price {
			total -= 2 * p
		}
		upper = max(upper, total)
		if round == 0 {
			step = total / float64(n) / 2
		}
		for i := range price {
			price[i] += step * float64(degree[i]-2)
		}
		step *= 0.95
	}
	return upper
}

// The way through a programme is near the shortest possible one, which need not even visit the fields one by one. In the
// order in which the fields were entered it is many times as long.
func TestTheWayThroughAProgrammeIsNearTheShortest(t *testing.T) {
	t.Parallel()
	stops := programme(292, pcg.New(14, "programme"))
	order := Ends{}.Through(nil, stops)
	way := at(stops, order)
	places := make([]geo.Position, len(stops))
	for i, s := range stops {
		places[i] = s.At
	}
	entered, shortest := straight(at(stops, Within(nil, stops, nil))), lowerBound(places, 60)/1000
	t.Logf("%d places in 292 fields: %.1f km, %.3f of the bound; %.0f km in the order of entry", len(stops), straight(way), straight(way)/shortest, entered)
	require.Less(t, straight(way), 1.1*shortest)
	require.Less(t, straight(way), entered/10)

	walked, driven := Ends{}.Length(way)
	require.InDelta(t, straight(way), (walked+driven/Circuity)/1000, 1e-6)
	requireWhole(t, stops, order)

	again := slices.Clone(stops)
	slices.Reverse(again)
	require.Equal(t, way, at(again, Ends{}.Through(nil, again)), "the order in which the stops are sent does not matter")
}

// requireWhole checks that an order has every stop once, and the stops of a field one after the other.
func requireWhole(t require.TestingT, stops []Stop, order []int) {
	sorted := slices.Sorted(slices.Values(order))
	require.Len(t, sorted, len(stops))
	for i, n := range sorted {
		require.Equal(t, i, n)
	}
	seen := map[int]bool{}
	for i, n := range order {
		field := stops[n].Field
		if i == 0 || stops[order[i-1]].Field != field {
			require.False(t, seen[field], "field %d is visited twice", field)
			seen[field] = true
		}
	}
}

// No field is better visited at another place of the way, or the other way around, even where fields lie in a line or
// coincide.
func TestPropertyNoFieldIsBetterVisitedElsewhere(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var stops []Stop
		height := rapid.IntRange(0, 60).Draw(t, "height")
		fields := rapid.IntRange(2, 12).Draw(t, "fields")
		for field := range fields {
			x, y := rapid.IntRange(0, 60).Draw(t, "x"), rapid.IntRange(0, height).Draw(t, "y")
			for range rapid.IntRange(1, 4).Draw(t, "places") {
				stops = append(stops, Stop{7 * field, geo.Position{
					X: float64(x + rapid.IntRange(0, 5).Draw(t, "dx")), Y: float64(y + rapid.IntRange(0, 5).Draw(t, "dy")),
				}})
			}
		}
		order := Ends{}.Through(nil, stops)
		requireWhole(t, stops, order)
		way := at(stops, order)
		for _, other := range elsewhere(way) {
			require.GreaterOrEqual(t, straight(other), straight(way)-1e-6)
		}
	})
}

// elsewhere returns a way with each of its fields moved to each other place, and turned around.
func elsewhere(way []Stop) (out [][]Stop) {
	var fields [][]Stop
	for i, s := range way {
		if i == 0 || way[i-1].Field != s.Field {
			fields = append(fields, nil)
		}
		fields[len(fields)-1] = append(fields[len(fields)-1], s)
	}
	for i := range fields {
		rest := slices.Delete(slices.Clone(fields), i, i+1)
		turned := slices.Clone(fields[i])
		slices.Reverse(turned)
		for k := range fields {
			out = append(out, slices.Concat(slices.Insert(slices.Clone(rest), k, fields[i])...), slices.Concat(slices.Insert(slices.Clone(rest), k, turned)...))
		}
	}
	return out
}

// A way through the largest area of interest takes steps in proportion to its number of fields squared, and ends with its caller.
func TestAWayEndsWithItsCaller(t *testing.T) {
	t.Parallel()
	steps := func(fields int) float64 {
		budget := effort.Of(t.Context(), 0)
		Ends{}.Through(budget, programme(fields, pcg.New(3, "grow")))
		return float64(budget.Spent())
	}
	few, many := steps(250), steps(500)
	t.Logf("%.0f steps a pair of 500 fields, %.2f times those of half as many fields", many/250_000, many/few)
	require.Less(t, many/few, 8.0, "each pass takes 4 times the steps")
	require.Less(t, many/250_000, 400.0)

	ctx, leave := context.WithCancel(t.Context())
	leave()
	budget := effort.Of(ctx, 0)
	Ends{}.Through(budget, programme(500, pcg.New(3, "grow")))
	require.ErrorIs(t, budget.Err(), context.Canceled)
	require.Less(t, float64(budget.Spent()), many/10)
}

// A way from a start begins in the field nearest to it and is no longer than any other order of the rest, also there and
// back. The drives to the first place and from the last count.
func TestPropertyTheWayFromAStart(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		place := func(what string) geo.Position {
			return geo.Position{X: float64(rapid.IntRange(0, 90).Draw(t, what)), Y: float64(rapid.IntRange(0, 90).Draw(t, what))}
		}
		var stops []Stop
		for field := range rapid.IntRange(1, 9).Draw(t, "fields") {
			for range rapid.IntRange(1, 3).Draw(t, "places") {
				stops = append(stops, Stop{field, place("stop")})
			}
		}
		from := place("from")
		ends := Ends{From: &from}
		if rapid.Bool().Draw(t, "back") {
			ends.To = &from
		}
		order := ends.Through(nil, stops)
		requireWhole(t, stops, order)
		way := at(stops, order)
		nearest := math.Inf(1)
		ofFirst := math.Inf(1)
		for _, s := range stops {
			nearest = min(nearest, distance(from, s.At))
			if s.Field == way[0].Field {
				ofFirst = min(ofFirst, distance(from, s.At))
			}
		}
		require.InDelta(t, nearest, ofFirst, 0)
		long := func(way []Stop) float64 {
			_, driven := ends.Length(way)
			_, between := Ends{}.Length(way)
			home := 0.0
			if ends.To != nil {
				home = distance(way[len(way)-1].At, from)
			}
			require.InDelta(t, Circuity*(distance(from, way[0].At)+home), driven-between, 1e-9)
			return driven/Circuity + 1000*straight(way) - between/Circuity
		}
		for _, other := range elsewhere(way) {
			if other[0] == way[0] {
				require.GreaterOrEqual(t, long(other), long(way)-1e-6)
			}
		}
		slices.Reverse(stops)
		require.Equal(t, way, at(stops, ends.Through(nil, stops)), "the order in which the stops are sent does not matter")
	})
}

func TestFieldsComeInTheOrderAskedFor(t *testing.T) {
	place := func(field int, x, y float64) Stop { return Stop{field, geo.Position{X: x, Y: y}} }
	stops := []Stop{place(0, 0, 0), place(5, 0, 0), place(2, 9, 0), place(2, 0, 9), place(1, 0, 0)}
	require.Equal(t, []int{3, 2, 0, 4, 1}, Within(nil, stops, []int{2, 0}), "others behind, and each from its north-west")
	require.Empty(t, Ends{}.Through(nil, nil))
	require.Equal(t, []int{0}, Ends{}.Through(nil, stops[:1]))
}
