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

// chain is a way through all fields. Drives between them are compared by their straight lines: one
// factor for all does not change which is shorter.
type chain struct {
	budget *effort.Budget
	legs   []leg
	gains  int // how many more times it may be shortened
}

// maxPiece is the number of legs that are moved together.
const maxPiece = 3

// rounding is how many metres shorter a way has to be to count as such.
const rounding = 1e-6

// drive is the straight line from the leg at a place of the chain to the next; 0 before the first
// and behind the last, as the way may begin and end anywhere.
func (c *chain) drive(i int) float64 {
	if i < 0 || i+1 >= len(c.legs) {
		return 0
	}
	return distance(c.legs[i].out, c.legs[i+1].in)
}

// shorten turns pieces of the chain around (2-opt: Croes 1958, see shortWalk) and moves pieces of up to
// three legs elsewhere (or-opt: Or, "Traveling Salesman-Type Combinatorial Problems and Their Relation
// to the Logistics of Regional Blood Banking", Northwestern University 1976), until neither makes
// it shorter.
func (c *chain) shorten() {
	c.gains = maxGains * len(c.legs)
	for before := -1; before != c.gains && c.gains > 0 && c.budget.Err() == nil; {
		before = c.gains
		for i := range c.legs {
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

// turn turns the pieces that begin at a leg around where that is shorter.
func (c *chain) turn(i int) {
	for j := i; j < len(c.legs) && c.gains > 0; j++ {
		change := -c.drive(i-1) - c.drive(j)
		if i > 0 {
			change += distance(c.legs[i-1].out, c.legs[j].out)
		}
		if j+1 < len(c.legs) {
			change += distance(c.legs[i].in, c.legs[j+1].in)
		}
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
	if i > 0 && j+1 < len(c.legs) {
		gain -= distance(c.legs[i-1].out, c.legs[j+1].in)
	}
	shortest, to, turned := -rounding, 0, false
	for k := -1; k < len(c.legs) && c.gains > 0; k++ { // behind leg k
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
			if k+1 < len(c.legs) && change < shortest {
				change += distance(out, c.legs[k+1].in)
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

// walk orders the stops of each field along a walk from where the one before is left towards the next.
func (c *chain) walk(all []visit) {
	for k := range c.legs {
		l := &c.legs[k]
		v := &all[l.visit]
		switch {
		case k == 0: // begins anywhere: backwards from the next field
			walk := shortWalk(c.budget, v.places, c.legs[1].in, nil)
			slices.Reverse(walk)
			v.arrange(walk)
		case k+1 < len(c.legs):
			v.arrange(shortWalk(c.budget, v.places, c.legs[k-1].out, &c.legs[k+1].in))
		default:
			v.arrange(shortWalk(c.budget, v.places, c.legs[k-1].out, nil))
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
