package route

import (
	"slices"

	"tilth/core/effort"
	"tilth/core/geo"
)

// shortWalk returns the order of a short open walk over places. It begins at the place nearest to where
// the crew comes from and always goes on to the nearest. Then pieces of it are reversed until none is
// shorter the other way (2-opt: Croes, "A Method for Solving Traveling-Salesman Problems",
// Operations Research 6 (1958) 791). The step on to where the crew goes is included; to is nil if that
// is anywhere. The beginning stays.
func shortWalk(budget *effort.Budget, places []geo.Position, from geo.Position, to *geo.Position) []int {
	if len(places) == 0 {
		return nil
	}
	w := newWalk(budget, places, onwards(budget, places, from), to)
	w.untangle()
	return w.order()
}

// corner returns the north-western corner of places.
func corner(places []geo.Position) geo.Position {
	from := places[0]
	for _, p := range places {
		from.X, from.Y = min(from.X, p.X), max(from.Y, p.Y)
	}
	return from
}

// onwards returns the order of a walk that always goes on to the nearest place; of several, to the first.
func onwards(budget *effort.Budget, places []geo.Position, from geo.Position) []int {
	left := make([]int, len(places))
	for i := range places {
		left[i] = i
	}
	order := make([]int, 0, len(places))
	for len(left) > 0 {
		// Bins that fit what is left hold few places and are seldom empty, so they serve for half of what is left.
		b := newBins(places, left)
		for range (len(left) + 1) / 2 {
			next, _ := b.nearest(budget, from)
			b.remove(next)
			order = append(order, next)
			from = places[next]
		}
		if left = b.members(); budget.Err() != nil {
			return append(order, left...)
		}
	}
	return order
}

// walk is a walk that is being shortened: a ring of places that begins and ends at the gate, where the crew goes next.
// Without such a place the gate is equally far from all places, so that the walk may end anywhere; the step from the gate to
// the first place stays.
type walk struct {
	budget *effort.Budget
	places []geo.Position // the gate's own is the last, where it has one
	gate   int
	bins   *bins
	ring   []int // places in the order of the walk, and the gate
	at     []int // of each place, and of the gate, in the ring
	first  int
	queue  []int // places whose steps may be improved
	queued []bool
}

func newWalk(budget *effort.Budget, places []geo.Position, order []int, to *geo.Position) *walk {
	n := len(places)
	w := &walk{
		budget: budget, places: places, gate: n, first: order[0],
		ring: append(append(make([]int, 0, n+1), order...), n), at: make([]int, n+1), queued: make([]bool, n+1),
	}
	if to != nil {
		w.places = append(slices.Clone(places), *to)
		order = w.ring
	}
	w.bins = newBins(w.places, order)
	for i, place := range w.ring {
		w.at[place] = i
	}
	return w
}

// anywhere reports whether the place is a gate without a place.
func (w *walk) anywhere(place int) bool { return place == len(w.places) }

func (w *walk) enqueue(place int) {
	if !w.anywhere(place) && !w.queued[place] {
		w.queued[place] = true
		w.queue = append(w.queue, place)
	}
}

// step returns the next place of the ring after a place, forwards (1) or backwards (-1).
func (w *walk) step(place, way int) int {
	return w.ring[(w.at[place]+way+len(w.ring))%len(w.ring)]
}

func (w *walk) length(a, b int) float64 {
	if w.anywhere(a) || w.anywhere(b) {
		return 0
	}
	return distance(w.places[a], w.places[b])
}

// maxGains bounds the improvements of a walk to this many per place. Random places take about one each.
const maxGains = 50

// untangle reverses pieces of the walk until none is shorter the other way. Of the two steps by which a reversal shortens
// the walk, one is shorter than the step that it replaces, so only the places that near need a look. At first, only places
// whose steps have changed are looked at again ("don't look bits": Bentley, "Fast Algorithms for Geometric Traveling
// Salesman Problems", ORSA Journal on Computing 4 (1992) 387), and then all, until nothing is found.
func (w *walk) untangle() {
	gains := maxGains * len(w.places)
	for before := -1; before != gains && gains > 0; {
		before = gains
		for _, place := range w.ring {
			w.enqueue(place)
		}
		for ; len(w.queue) > 0 && gains > 0 && w.budget.Err() == nil; w.queue = w.queue[1:] {
			place := w.queue[0]
			w.queued[place] = false
			for gains > 0 && w.budget.Err() == nil && (w.improve(place, 1) || w.improve(place, -1)) {
				gains--
			}
		}
	}
}

// improve looks for a reversal that replaces the step from a place in a direction by a shorter one, and carries it out.
func (w *walk) improve(place, way int) (improved bool) {
	next := w.step(place, way)
	if w.stays(place, next) {
		return false
	}
	long := w.length(place, next)
	w.bins.around(w.budget, w.places[place], long, func(other int) (more bool) {
		after := w.step(other, way)
		if other == place || other == next || w.stays(other, after) {
			return true
		}
		short := w.length(place, other)
		if short >= long || long+w.length(other, after)-short-w.length(next, after) <= 1e-6 { // a micrometre: less is rounding
			return true
		}
		if way > 0 {
			w.reverse(next, other)
		} else {
			w.reverse(place, after)
		}
		for _, p := range []int{place, next, other, after} {
			w.enqueue(p)
		}
		improved = true
		return false
	})
	return improved
}

// stays reports whether a step is the one between the gate and the first place, which stays.
func (w *walk) stays(a, b int) bool {
	return a == w.gate && b == w.first || b == w.gate && a == w.first
}

// reverse reverses the piece of the ring between two places or the rest of the ring, whichever is shorter; the effect is the same.
func (w *walk) reverse(from, to int) {
	n := len(w.ring)
	i, j := w.at[from], w.at[to]
	size := (j-i+n)%n + 1
	if 2*size > n {
		i, j, size = (j+1)%n, (i-1+n)%n, n-size
	}
	_ = w.budget.Spend(size) // the next place finds the error
	for range size / 2 {
		w.ring[i], w.ring[j] = w.ring[j], w.ring[i]
		w.at[w.ring[i]], w.at[w.ring[j]] = i, j
		i, j = (i+1)%n, (j-1+n)%n
	}
}

// order returns the walk from its first place.
func (w *walk) order() []int {
	way := 1
	if w.step(w.gate, 1) != w.first {
		way = -1
	}
	out := make([]int, 0, w.gate)
	for p := w.first; p != w.gate; p = w.step(p, way) {
		out = append(out, p)
	}
	return out
}
