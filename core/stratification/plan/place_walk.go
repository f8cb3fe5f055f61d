package plan

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"tilth/core/effort"
	"tilth/core/geo"
)

// walk orders spots along a short walk through each field, the fields in their order.
func (d *design) walk(spots []spot) {
	for i := range spots {
		if d.budget.Spend(1) != nil {
			return
		}
		spots[i].field = d.frame.FieldAt(spots[i].at, int(d.frame.Cells[spots[i].cell].Field))
	}
	walkFields(d.budget, spots, func(s spot) (int, geo.Position) { return s.field, s.at })
}

// walkFields orders things by field, and within a field along a short walk from the north-west.
func walkFields[T any](budget *effort.Budget, things []T, of func(T) (field int, at geo.Position)) {
	slices.SortStableFunc(things, func(a, b T) int {
		fieldA, atA := of(a)
		fieldB, atB := of(b)
		return cmp.Or(cmp.Compare(fieldA, fieldB), cmp.Compare(atB.Y, atA.Y), cmp.Compare(atA.X, atB.X))
	})
	for from := 0; from < len(things); {
		field, _ := of(things[from])
		to := from
		var places []geo.Position
		for ; to < len(things); to++ {
			f, at := of(things[to])
			if f != field {
				break
			}
			places = append(places, at)
		}
		old := slices.Clone(things[from:to])
		for i, n := range shortWalk(budget, places) {
			things[from+i] = old[n]
		}
		from = to
	}
}

func (d *design) name(spots []spot, role Role) []Point {
	points := make([]Point, len(spots))
	numbers := map[int]int{}
	for i, s := range spots {
		zone, number := d.stratum(s.cell), s.number
		if number == 0 {
			numbers[zone]++
			number = numbers[zone]
		}
		points[i] = Point{
			ID: pointID(zone, number, role), Zone: zone, Number: number, Role: role,
			Field: s.field, At: s.at, LonLat: d.frame.RoundedLonLat(s.at), Edge: roundedDown(d.edges.distance(s.at)),
		}
	}
	countSteps(points)
	return points
}

// countSteps numbers the points of each field along the walk.
func countSteps(points []Point) {
	for i := range points {
		points[i].Walk = 1
		if i > 0 && points[i-1].Field == points[i].Field && points[i-1].Role == points[i].Role {
			points[i].Walk = points[i-1].Walk + 1
		}
	}
}

// pointID names a point within the 10 characters of a GPS receiver.
func pointID(zone, number int, role Role) string {
	if role == RoleReserve {
		return fmt.Sprintf("Z%d-R%02d", zone, number)
	}
	return fmt.Sprintf("Z%d-%02d", zone, number)
}

// roundedDown rounds a distance down to whole centimetres.
func roundedDown(v float64) float64 { return math.Floor(v*100+1e-6) / 100 }
