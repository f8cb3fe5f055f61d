package route

import (
	"slices"

	"tilth/core/effort"
	"tilth/core/geo"
)

// leg is the visit of a field within a chain: where its walk comes in and goes out.
type leg struct {
	visit   int
	in, out geo.Position
	back    bool // the stops of the visit are taken from the last to the first
}

func (l leg) turned() leg { return leg{l.visit, l.out, l.in, !l.back} }

// chain is a way through all fields. Drives between them are compared by their straight lines: a
// common factor does not change which is shorter.
type chain struct {
	budget *effort.Budget
	ends   Ends // with From, the first leg stays
	legs   []leg
	gains  int // how many more times it may be shortened
}

// maxPiece is the number of legs that are moved together.
const maxPiece = 3

// rounding is the number of metres by which a way must be shorter to count as such.
const rounding = 1e-6

// drive returns the straight line from the leg at a place of the chain to the next; after the last leg, to where the way
// ends, or 0 where that is anywhere. Before the first leg it is 0 too.
func (c *chain) drive(i int) float64 {
	if i < 0 {
		return 0
	}
	return c.onFrom(c.legs[i].out, i+1)
}

// onFrom returns the straight line from a place to the leg at a place of the chain or, after the last leg, to where the way ends.
func (c *chain) onFrom(p geo.Position, i int) float64 {
	if i == len(c.legs) {
		return c.ends.fromLast(p)
	}
	return distance(p, c.legs[i].in)
}

// movable returns the place of the first leg that may be moved.
func (c *chain) movable() int {
	if c.ends.From != nil {
		return 1
	}
	return 0
}

// shorten turns pieces of the chain around (2-opt: Croes 1958, see shortWalk) and moves pieces of up to
// three legs elsewhere (or-opt: Or, "Traveling Salesman-Type Combinatorial Problems and Their Relation
// to the Logistics of Regional Blood Banking", Northwestern University 1976), until neither makes
// it shorter.
func (c *chain) shorten() {
	c.gains = maxGains * len(c.legs)
	for before := -1; before != c.gains && c.gains > 0 && c.budget.Err() == nil; {
		before = c.gains
		for i := c.movable(); i < len(c.legs); i++ {
			if c.budget.Spend((maxPiece+1)*len(c.legs)) != nil {
				return
			}
			c.turn(i)
			for size := 1; size <= maxPiece && i+size <= len(c.legs); size++ {
				c.move(i, i+size-1)
			}
		}
	}
}

// turn reverses the pieces that begin at a leg where that makes the chain shorter.
func (c *chain) turn(i int) {
	for j := i; j < len(c.legs) && c.gains > 0; j++ {
		change := -c.drive(i-1) - c.drive(j)
		if i > 0 {
			change += distance(c.legs[i-1].out, c.legs[j].out)
		}
		change += c.onFrom(c.legs[i].in, j+1)
		if change < -rounding {
			turnAround(c.legs[i : j+1])
			c.gains--
		}
	}
}

func turnAround(piece []leg) {
	slices.Reverse(piece)
	for i := range piece {
		piece[i] = piece[i].turned()
	}
}

// move moves a piece of the chain to where it makes the chain shortest, either way around.
func (c *chain) move(i, j int) {
	gain := c.drive(i-1) + c.drive(j)
	if i > 0 {
		gain -= c.onFrom(c.legs[i-1].out, j+1)
	}
	shortest, to, turned := -rounding, 0, false
	for k := c.movable() - 1; k < len(c.legs) && c.gains > 0; k++ { // after leg k
		if k >= i-1 && k <= j {
			continue
		}
		for _, turn := range []bool{false, true} {
			in, out := c.legs[i].in, c.legs[j].out
			if turn {
				in, out = out, in
			}
			change := -gain - c.drive(k)
			if k >= 0 {
				change += distance(c.legs[k].out, in)
			}
			if change < shortest {
				change += c.onFrom(out, k+1)
			}
			if change < shortest {
				shortest, to, turned = change, k+1, turn
			}
		}
	}
	if shortest == -rounding {
		return
	}
	c.gains--
	piece := slices.Clone(c.legs[i : j+1])
	if turned {
		turnAround(piece)
	}
	c.legs = slices.Delete(c.legs, i, j+1)
	if to > j {
		to -= len(piece)
	}
	c.legs = slices.Insert(c.legs, to, piece...)
}

// walk orders the stops of each field along a walk from where the field before is left towards the next field.
func (c *chain) walk(all []visit) {
	for k := range c.legs {
		l := &c.legs[k]
		v := &all[l.visit]
		switch {
		case k == 0 && c.ends.From != nil:
			v.arrange(shortWalk(c.budget, v.places, *c.ends.From, &c.legs[1].in))
		case k == 0: // begins anywhere: backwards from the next field
			walk := shortWalk(c.budget, v.places, c.legs[1].in, nil)
			slices.Reverse(walk)
			v.arrange(walk)
		case k+1 < len(c.legs):
			v.arrange(shortWalk(c.budget, v.places, c.legs[k-1].out, &c.legs[k+1].in))
		default:
			v.arrange(shortWalk(c.budget, v.places, c.legs[k-1].out, c.ends.To))
		}
		*l = leg{visit: l.visit, in: v.places[0], out: v.places[len(v.places)-1]}
	}
}

// stops returns the numbers of the stops along the chain.
func (c *chain) stops(all []visit) (order []int) {
	for _, l := range c.legs {
		stops := slices.Clone(all[l.visit].stops)
		if l.back {
			slices.Reverse(stops)
		}
		order = append(order, stops...)
	}
	return order
}
