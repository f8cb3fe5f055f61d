package plan

import (
	"tilth/core/effort"
	"tilth/core/geo"
	"tilth/core/stratification/zoning"
)

// MaxPlaces is the maximum number of places in a file from which a plan is taken.
const MaxPlaces = 10_000

// Named is a place in a file, in the plane of the frame.
type Named struct {
	Name string
	At   geo.Position
}

// PlacedAt returns the whole list of points of the plan with its samples at the given places instead. A place with the name of a sample
// keeps that name, so that a plan that comes back unchanged stays the same. Reserves and legacy points stay. Places outside the zones are
// counted and skipped, since a file may also hold those of other land. The budget's error when the budget ends.
func (plan Plan) PlacedAt(budget *effort.Budget, z *zoning.Zoning, places []Named) (list []Listed, outside int, err error) {
	samples, taken := map[string]bool{}, map[string]bool{}
	for _, p := range plan.Points {
		if p.Role == RoleSample {
			samples[p.ID] = true
			continue
		}
		list = append(list, Listed{ID: p.ID, Role: p.Role, At: p.At})
	}
	for _, place := range places {
		inside := false
		for _, zone := range z.Zones {
			for _, ring := range zone.Outline.Rings() {
				if err := budget.Spend(len(ring)); err != nil {
					return nil, 0, err
				}
			}
			inside = inside || zone.Outline.Contains(place.At)
		}
		if !inside {
			outside++
			continue
		}
		l := Listed{Role: RoleSample, At: place.At}
		if samples[place.Name] && !taken[place.Name] {
			l.ID, taken[place.Name] = place.Name, true
		}
		list = append(list, l)
	}
	return list, outside, nil
}
