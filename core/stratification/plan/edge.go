package plan

import (
	"math"
	"slices"

	"tilth/core/effort"
	"tilth/core/fault"
	"tilth/core/list"
	"tilth/core/stratification/frame"
	"tilth/core/stratification/zoning"
)

// Edge is the treatment of the strip that lies nearer to the edges of zones and fields than the offset.
type Edge string

// The treatments of the strip.
const (
	ExcludeEdge Edge = "exclude" // no point lies in it; the empty Edge means the same
	EdgeStratum Edge = "stratum" // it is sampled as a stratum of its own, numbered after the zones
)

// Edges lists the treatments of the strip.
var Edges = []Edge{ExcludeEdge, EdgeStratum}

// strata returns the number of strata that the strip makes.
func (e Edge) strata() int {
	if e == EdgeStratum {
		return 1
	}
	return 0
}

func (p Params) checkEdge(fields fault.Fields) {
	fields.AddIf(p.Edge != "" && !slices.Contains(Edges, p.Edge), "edge", "It must be one of %v.", Edges)
	fields.AddIf(p.Edge == EdgeStratum && p.ZoneOffset == 0, "edge", "Without a zone_offset there is no strip along the edges.")
	fields.AddIf(p.Edge == EdgeStratum && p.Placement == Coverage, "edge", "A strip has no even coverage; choose another placement.")
}

// stratum returns the number of the stratum in which a cell is sampled.
func (d *design) stratum(cell int32) int {
	if d.params.Edge == EdgeStratum && d.clearance[cell] < room(d.params.ZoneOffset) {
		return len(d.zoning.Zones) + 1
	}
	if own := d.own[int(d.frame.Cells[cell].Field)]; own > 0 {
		return own
	}
	return int(d.zoning.Labels[cell])
}

// addEdge makes the strip a stratum: its cells leave the zones, whose weights fall by as much. Its
// variance is taken to be that of the zones, weighted by their shares of the strip.
func (d *design) addEdge(to *layout, offset int) {
	cells, strip := make([]float64, len(d.strata)), []int32(nil)
	for i, label := range d.zoning.Labels {
		cells[label-1]++
		if c := d.clearance[i]; c >= edgeRoom && c < room(offset) {
			strip = append(strip, int32(i))
		}
	}
	to.eligible = append(to.eligible, strip)
	edge, squares := Stratum{Cost: d.params.Cost[len(d.strata)+1], Composites: d.params.CompositesPerZone}, 0.0
	d.shared = slices.Clone(d.strata)
	for h := range d.shared {
		s := &d.shared[h]
		lost := s.Weight * (1 - float64(len(to.eligible[h]))/math.Max(cells[h], 1))
		s.Weight -= lost
		edge.Weight += lost
		squares += float64(lost * s.SD * s.SD)
	}
	if edge.Weight > 0 {
		edge.SD = math.Sqrt(squares / edge.Weight)
	}
	d.shared = append(d.shared, edge)
}

// Zones returns the number of the plan's zones; the strata numbered after them are not zones.
func (plan Plan) Zones() int {
	n := len(plan.PerZone) - plan.Params.Edge.strata() - len(plan.own())
	if plan.Staged != nil {
		n -= plan.Staged.Draws
	}
	return n
}

// strata returns the strata as given in a plan's summary.
func (plan Plan) strata() []Stratum {
	return list.Map(plan.PerZone, func(z ZonePlan) Stratum {
		return Stratum{Weight: z.Weight, SD: z.SD, Cost: plan.Params.Cost[z.Zone], Field: z.Field, Draw: z.Draw, Min: plan.Params.floor(z), Composites: plan.Params.CompositesPerZone}
	})
}

// Strata returns the stratum in which a plan samples each cell of a map: its zone (also for a plan in two stages) or a stratum numbered after the
// zones, which is the strip along the edges or a field. The error is the budget's, or that of outlines that cannot be measured.
func (plan Plan) Strata(budget *effort.Budget, f *frame.Frame, z *zoning.Zoning) ([]int32, error) {
	if len(plan.PerZone) == len(z.Zones) || plan.Staged != nil {
		return z.Labels, nil
	}
	g, err := newGround(budget, f, z, plan.Params)
	if err != nil {
		return nil, err
	}
	d := design{ground: g, params: plan.Params, own: plan.own()}
	out := make([]int32, len(z.Labels))
	for i := range out {
		out[i] = int32(d.stratum(int32(i)))
	}
	return out, nil
}
