package plan

import (
	"fmt"
	"math"
	"slices"

	"tilth/core/effort"
	"tilth/core/list"
	"tilth/core/stratification/route"
)

// walk orders the samples along a short way through all fields, and the reserves along walks through
// the fields in the same order.
func (d *design) walk(found *layout) {
	for _, spots := range [][]spot{found.samples, found.reserves} {
		for i := range spots {
			if d.budget.Spend(1) != nil {
				return
			}
			spots[i].field = d.frame.FieldAt(spots[i].at, int(d.frame.Cells[spots[i].cell].Field))
		}
	}
	alongRoute(d.budget, d.params.Journey, found.samples, found.reserves, spot.stop)
}

func (s spot) stop() route.Stop { return route.Stop{Field: s.field, At: s.at} }

func (p Point) stop() route.Stop { return route.Stop{Field: p.Field, At: p.At} }

// alongRoute orders samples along a short way of a journey through all fields, and reserves along walks through the
// fields in the same order; reserves of fields without a sample come last.
func alongRoute[T any](budget *effort.Budget, journey Journey, samples, reserves []T, stop func(T) route.Stop) {
	reorder(samples, journey.ends().Through(budget, list.Map(samples, stop)))
	var fields []int
	for _, s := range samples {
		if f := stop(s).Field; len(fields) == 0 || fields[len(fields)-1] != f {
			fields = append(fields, f)
		}
	}
	reorder(reserves, route.Within(budget, list.Map(reserves, stop), fields))
}

func reorder[T any](things []T, order []int) {
	old := slices.Clone(things)
	for i, n := range order {
		things[i] = old[n]
	}
}

func (d *design) name(spots []spot, drawn Role) []Point {
	points := make([]Point, len(spots))
	numbers := map[string]int{}
	for i, s := range spots {
		zone, number := d.stratumOf(s), s.number
		role, at := drawn, s.at
		if s.legacy {
			role, at = RoleLegacy, s.sent
		}
		if number == 0 {
			series := d.pointID(d.params, zone, 0, role)
			numbers[series]++
			number = numbers[series]
		}
		points[i] = Point{
			ID: d.pointID(d.params, zone, number, role), Zone: zone, Number: number, Role: role,
			Field: s.field, At: s.at, LonLat: d.frame.RoundedLonLat(at), Edge: roundedDown(d.edges.distance(s.at)),
		}
	}
	return points
}

// countSteps numbers the points of each field along the walk.
func countSteps(points []Point) {
	for i := range points {
		points[i].Walk = 1
		if i > 0 && points[i-1].Field == points[i].Field && points[i-1].Role.Visited() == points[i].Role.Visited() {
			points[i].Walk = points[i-1].Walk + 1
		}
	}
}

// FieldsInOrder returns the fields of a frame that have points, in the order of the way through all fields.
// Those that have only reserves follow the others.
func (plan Plan) FieldsInOrder() (fields []int) {
	seen := map[int]bool{}
	for _, p := range plan.Points {
		if !seen[p.Field] {
			seen[p.Field] = true
			fields = append(fields, p.Field)
		}
	}
	return fields
}

// FieldOrder returns, by field, its place on the way through all fields, from 1.
func (plan Plan) FieldOrder() map[int]int {
	order := map[int]int{}
	for i, field := range plan.FieldsInOrder() {
		order[field] = i + 1
	}
	return order
}

// way returns how many kilometres a crew walks within the fields and drives between them, along the
// samples of a plan in their order, from the start of its journey to the end.
func (j Journey) way(points []Point) (walkKm, driveKm float64) {
	var stops []route.Stop
	for _, p := range points {
		if p.Role.Visited() {
			stops = append(stops, p.stop())
		}
	}
	walked, driven := j.ends().Length(stops)
	return walked / 1000, driven / 1000
}

// pointID names a point by its zone, or by the draw of its field, within the 10 characters of a GPS receiver.
func (g *ground) pointID(p Params, zone, number int, role Role) string {
	series, of := "Z", ""
	if zones := len(g.zoning.Zones); p.InStages() && zone > zones {
		series, zone = "D", zone-zones
	}
	switch role {
	case RoleReserve:
		of = "R"
	case RoleLegacy:
		of = "L"
	}
	return fmt.Sprintf("%s%d-%s%02d", series, zone, of, number)
}

// roundedDown rounds a distance down to whole centimetres.
func roundedDown(v float64) float64 { return math.Floor(v*100+1e-6) / 100 }
