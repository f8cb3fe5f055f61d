// Package route orders places of several fields along a short way: the fields one after the other, and
// the places within each. It knows no roads.
package route

import (
	"cmp"
	"math"
	"slices"

	"tilth/core/effort"
	"tilth/core/geo"
)

// Circuity is the factor by which a drive between fields counts as longer than the straight line. Roads of whole
// countries are 1.2 to 1.6 times as long as the straight lines (Ballou, Rahardja and Sakai, "Selected
// country circuity factors for road travel distance estimation", Transportation Research Part A 36 (2002)
// 843); the figure is a judgement.
const Circuity = 1.3

// Stop is a place to go to.
type Stop struct {
	Field int
	At    geo.Position // metres in a plane
}

// Ends are the places where a way starts and ends; nil: it begins at its first stop, or ends at its last.
type Ends struct{ From, To *geo.Position }

// Length returns how many metres a crew walks within fields, in straight lines, and drives between
// them, along stops in their order, from one end to the other.
func (e Ends) Length(stops []Stop) (walked, driven float64) {
	if len(stops) > 0 {
		driven = float64(Circuity * (e.toFirst(stops[0].At) + e.fromLast(stops[len(stops)-1].At)))
	}
	for i := 1; i < len(stops); i++ {
		away := distance(stops[i-1].At, stops[i].At)
		if stops[i-1].Field == stops[i].Field {
			walked += away
		} else {
			driven += float64(Circuity * away)
		}
	}
	return walked, driven
}

func (e Ends) toFirst(p geo.Position) float64 {
	if e.From == nil {
		return 0
	}
	return distance(*e.From, p)
}

func (e Ends) fromLast(p geo.Position) float64 {
	if e.To == nil {
		return 0
	}
	return distance(p, *e.To)
}

func distance(a, b geo.Position) float64 { return math.Hypot(a.X-b.X, a.Y-b.Y) }

// visit holds the stops of one field.
type visit struct {
	field  int
	stops  []int // numbers of the stops, in their order
	places []geo.Position
	middle geo.Position // the mean of the places
}

// visits groups stops by field: fields by their number, stops from north to south.
func visits(stops []Stop) (out []visit) {
	sorted := make([]int, len(stops))
	for i := range sorted {
		sorted[i] = i
	}
	slices.SortStableFunc(sorted, func(i, j int) int {
		a, b := stops[i], stops[j]
		return cmp.Or(cmp.Compare(a.Field, b.Field), cmp.Compare(b.At.Y, a.At.Y), cmp.Compare(a.At.X, b.At.X))
	})
	for _, i := range sorted {
		if n := len(out); n == 0 || out[n-1].field != stops[i].Field {
			out = append(out, visit{field: stops[i].Field})
		}
		v := &out[len(out)-1]
		v.stops, v.places = append(v.stops, i), append(v.places, stops[i].At)
	}
	for k := range out {
		v := &out[k]
		for _, p := range v.places {
			v.middle.X += p.X / float64(len(v.places))
			v.middle.Y += p.Y / float64(len(v.places))
		}
	}
	return out
}

// arrange puts the stops of a field into the order of a walk.
func (v *visit) arrange(walk []int) {
	stops, places := slices.Clone(v.stops), slices.Clone(v.places)
	for i, n := range walk {
		v.stops[i], v.places[i] = stops[n], places[n]
	}
}

// Within returns the numbers of the stops field by field: the given fields in their order, then the others by
// their number. The stops of a field follow a short walk from the north-west.
func Within(budget *effort.Budget, stops []Stop, fields []int) (order []int) {
	all := visits(stops)
	rank := func(v visit) int {
		if at := slices.Index(fields, v.field); at >= 0 {
			return at
		}
		return len(fields)
	}
	slices.SortStableFunc(all, func(a, b visit) int { return cmp.Compare(rank(a), rank(b)) })
	for _, v := range all {
		v.arrange(shortWalk(budget, v.places, corner(v.places), nil))
		order = append(order, v.stops...)
	}
	return order
}

// maxRounds bounds how often walks and drives are fitted to each other. Programmes take about three.
const maxRounds = 6

// Through returns the numbers of the stops along a short way through all fields, each visited once. A
// way through one field begins in its north-west. If From is given, the first field is the one with the stop nearest
// to it, and a way through one field begins there. If the budget ends, the order is arbitrary.
//
// The order of the fields is at first a tour from field to nearest field, by the middles of their stops, that
// is then shortened (chain). After that, two steps alternate as long as the whole gets shorter: walks within
// the fields, from where the field before is left towards the next, and the order of the fields by the ends
// of their walks.
func (e Ends) Through(budget *effort.Budget, stops []Stop) (order []int) {
	all := visits(stops)
	if len(all) == 0 {
		return nil
	}
	if len(all) == 1 {
		from := corner(all[0].places)
		if e.From != nil {
			from = *e.From
		}
		all[0].arrange(shortWalk(budget, all[0].places, from, e.To))
		return all[0].stops
	}
	middles := make([]geo.Position, len(all))
	for i, v := range all {
		middles[i] = v.middle
	}
	c := chain{budget: budget, ends: e}
	for _, i := range e.first(budget, all, middles) {
		c.legs = append(c.legs, leg{visit: i, in: middles[i], out: middles[i]})
	}
	c.shorten()
	shortest := math.Inf(1)
	for range maxRounds {
		c.walk(all)
		c.shorten()
		way := c.stops(all)
		walked, driven := e.Length(at(stops, way))
		if budget.Err() != nil || walked+driven > shortest-0.01 { // a centimetre: less is rounding
			break
		}
		shortest, order = walked+driven, way
	}
	if order == nil {
		order = c.stops(all)
	}
	return order
}

// first returns the fields in an order that always goes on to the nearest.
func (e Ends) first(budget *effort.Budget, all []visit, middles []geo.Position) []int {
	if e.From == nil {
		return onwards(budget, middles, corner(middles))
	}
	nearest, shortest := 0, math.Inf(1)
	for i, v := range all {
		for _, p := range v.places {
			if away := distance(*e.From, p); away < shortest {
				nearest, shortest = i, away
			}
		}
	}
	order := onwards(budget, middles, middles[nearest])
	at := slices.Index(order, nearest) // 0, unless fields share a middle
	return append([]int{nearest}, slices.Delete(order, at, at+1)...)
}

func at(stops []Stop, order []int) []Stop {
	out := make([]Stop, len(order))
	for i, n := range order {
		out[i] = stops[n]
	}
	return out
}
