package plan

import (
	"cmp"
	"fmt"
	"slices"

	"tilth/core/fault"
	"tilth/core/stratification/internal/pcg"
)

const maxComposites = 100

func (p Params) checkComposites(fields fault.Fields) {
	b := p.CompositesPerZone
	fields.AddIf(b != 0 && (b < MinSamplesPerZone || b > maxComposites),
		"composites_per_zone", "It must be a whole number from %d to %d: one composite has no variance.", MinSamplesPerZone, maxComposites)
	fields.AddIf(b > p.MinSamplesPerZone, "composites_per_zone", "It must be at most min_samples_per_zone, %d, as every composite holds a point.", p.MinSamplesPerZone)
	fields.AddIf(p.MinSamplesPerField > 0 && b > p.MinSamplesPerField,
		"composites_per_zone", "It must be at most min_samples_per_field, %d, as every composite holds a point.", p.MinSamplesPerField)
}

// pool assigns the samples of each stratum to its composites, at random and as evenly as whole numbers allow. The order
// in which the way visits the points does not affect their composites.
func (p Params) pool(points []Point) {
	if p.CompositesPerZone == 0 {
		return
	}
	of := map[int][]int{}
	for i, point := range points {
		if point.Role == RoleSample {
			of[point.Zone] = append(of[point.Zone], i)
		}
	}
	for zone, places := range of {
		slices.SortFunc(places, func(i, j int) int {
			a, b := points[i].At, points[j].At
			return cmp.Or(cmp.Compare(a.X, b.X), cmp.Compare(a.Y, b.Y))
		})
		pcg.New(p.Seed, fmt.Sprintf("plan/composites/%d", zone)).Shuffle(len(places), func(i, j int) { places[i], places[j] = places[j], places[i] })
		for n, i := range places {
			points[i].Composite = 1 + n%p.CompositesPerZone
		}
	}
}

// CompositeID returns the id of a composite of a stratum, such as Z2-C1.
func CompositeID(zone, number int) string { return fmt.Sprintf("Z%d-C%d", zone, number) }

// CompositeID returns the id of the composite that a point is part of; empty where it is part of none.
func (p Point) CompositeID() string {
	if p.Composite == 0 {
		return ""
	}
	return CompositeID(p.Zone, p.Composite)
}

// composites returns the number of composites into which the samples of a plan are pooled.
func (plan Plan) composites() int {
	ids := map[string]bool{}
	for _, p := range plan.Points {
		if p.Composite > 0 {
			ids[p.CompositeID()] = true
		}
	}
	return len(ids)
}

// join makes a point part of the composite of its stratum with the fewest points (of several, the first).
func (plan *Plan) join(p *Point) {
	p.Composite = 0
	if plan.Params.CompositesPerZone == 0 || p.Role != RoleSample {
		return
	}
	held := make([]int, plan.Params.CompositesPerZone)
	for _, other := range plan.Points {
		if other.ID != "" && other.Zone == p.Zone && other.Composite > 0 {
			held[other.Composite-1]++
		}
	}
	p.Composite = 1 + slices.Index(held, slices.Min(held))
}

// units returns the number of units analysed for n samples of a stratum: its composites, or the samples themselves.
func (s Stratum) units(n int) int {
	if s.Composites > 0 {
		return min(n, s.Composites)
	}
	return n
}

// pooled returns the number of composites of all strata.
func pooled(strata []Stratum) (n int) {
	for _, s := range strata {
		if s.Min != none {
			n += s.Composites
		}
	}
	return n
}
