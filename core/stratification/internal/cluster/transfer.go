package cluster

import "math"

func (l *lloyd) reassign() (changed bool) {
	upper, next := 0.0, 0.0 // the two longest moves of centres
	furthest := int32(-1)
	for h, way := range l.moved {
		if way > upper {
			upper, next, furthest = way, upper, int32(h)
		} else if way > next {
			next = way
		}
	}
	for i, own := range l.labels {
		back := upper
		if own == furthest {
			back = next
		}
		up, low := l.upper[i]+l.moved[own]+slack, l.lower[i]-back-slack
		if bound := max(low, l.gap[own]-slack); up > bound {
			row := l.points.Row(i)
			up = math.Sqrt(SquaredDistance(row, l.centres.Row(int(own))))
			if up >= bound {
				if l.budget.Spend(l.k) != nil {
					return false
				}
				h, lower, second := l.centres.nearestTwo(row)
				up, low = math.Sqrt(lower), math.Sqrt(second)
				if h != own {
					l.move(i, h)
					changed = true
				}
			}
		}
		l.upper[i], l.lower[i] = up, low
	}
	return changed
}

// transfer passes once over the points and moves each to another centre where that lowers the sum
// of squares, taking into account that both centres move with it: removing a point from a group of
// n lowers its sum by n/(n-1) d², adding it raises the other's by n/(n+1) d² (Hartigan and Wong, R1
// and R2).
func (l *lloyd) transfer() {
	if l.budget.Err() != nil {
		return
	}
	l.recentreAll()
	for i := range l.points.N {
		if l.budget.Spend(l.k) != nil {
			return
		}
		own := int(l.labels[i])
		if l.count[own] < 2 {
			continue
		}
		row, n := l.points.Row(i), float64(l.count[own])
		gain := SquaredDistance(row, l.centres.Row(own)) * (n / (n - 1))
		best, lower := own, gain
		for h := range l.k {
			if h == own {
				continue
			}
			m := float64(l.count[h])
			if cost := SquaredDistance(row, l.centres.Row(h)) * (m / (m + 1)); cost < lower {
				best, lower = h, cost
			}
		}
		// Gains within rounding would depend on the order of sums.
		if best != own && gain-lower > slack*gain {
			l.move(i, int32(best))
			l.recentre(own)
			l.recentre(best)
		}
	}
}

// recentre moves a centre to the mean of its points, if it has any.
func (l *lloyd) recentre(h int) { Divide(l.centres.Row(h), l.sums.Row(h), l.count[h]) }

func (l *lloyd) recentreAll() {
	l.addUp()
	for h := range l.k {
		l.recentre(h)
	}
}

// slack keeps the bounds on the safe side of rounding.
const slack = 1e-12
