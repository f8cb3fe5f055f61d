package plan

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"tilth/core/effort"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/stratification/frame"
	"tilth/core/stratification/internal/stats"
	"tilth/core/stratification/zoning"
)

// Change is a change of a point by hand.
type Change string

// The changes.
const (
	Move   Change = "move"
	Add    Change = "add"
	Delete Change = "delete"
	Swap   Change = "swap" // a sample and a reserve of its zone change roles
)

// Operation is one change of a plan.
type Operation struct {
	Change Change
	Point  string       // ID of the point that is moved or deleted, or of the sample that is swapped
	With   string       // Swap: ID of the reserve
	Role   Role         // Add: RoleSample where empty
	At     geo.Position // Move, Add: in the frame's plane
}

// Listed is a point of a whole list sent instead of operations.
type Listed struct {
	ID   string // empty: a new point
	Role Role   // empty: unchanged or, for a new point, RoleSample
	At   geo.Position
}

// unmoved is the distance, in metres, from its old place up to which a point counts as not moved: its
// position may have been converted to degrees and back.
const unmoved = 0.05

// OperationsFor returns the operations that turn a plan's points into those of a list: missing
// points are deleted, points without an ID added, and samples that become reserves swapped with
// reserves of their zone that become samples.
//
// Faults: Invalid for unknown or repeated IDs, and for roles that change without a counterpart.
func OperationsFor(plan Plan, list []Listed) ([]Operation, error) {
	fields := fault.Fields{}
	given, places := map[string]Listed{}, plan.places()
	var out []Operation
	for i, l := range list {
		_, known := places[l.ID]
		switch {
		case l.ID == "":
			out = append(out, Operation{Change: Add, Role: l.Role, At: l.At})
		case !known:
			fields.Addf("points", "Item %d: the plan has no point %q. Leave the id out to add a point.", i+1, l.ID)
		default:
			if _, twice := given[l.ID]; twice {
				fields.Addf("points", "Item %d: the point %s is listed twice.", i+1, l.ID)
			}
			given[l.ID] = l
		}
	}
	up, down := map[int][]string{}, map[int][]string{} // by zone: reserves that become samples, and the reverse
	for _, p := range plan.Points {
		l, ok := given[p.ID]
		if !ok {
			out = append(out, Operation{Change: Delete, Point: p.ID})
			continue
		}
		if distance(l.At, p.At) > unmoved {
			out = append(out, Operation{Change: Move, Point: p.ID, At: l.At})
		}
		if l.Role != "" && l.Role != p.Role && (l.Role == RoleLegacy || p.Role == RoleLegacy) {
			fields.Addf("points", "%s: a legacy point remains one, and no other point can become one.", p.ID)
			continue
		}
		if l.Role != "" && l.Role != p.Role {
			if p.Role == RoleSample {
				down[p.Zone] = append(down[p.Zone], p.ID)
			} else {
				up[p.Zone] = append(up[p.Zone], p.ID)
			}
		}
	}
	var swaps []Operation
	for h := 1; h <= len(plan.PerZone); h++ {
		if len(up[h]) != len(down[h]) {
			fields.Addf("points", "Zone %d: a sample can become a reserve only in exchange for a reserve of the zone that becomes a sample. Otherwise delete the point, or add one.", h)
			continue
		}
		for i, id := range down[h] {
			swaps = append(swaps, Operation{Change: Swap, Point: id, With: up[h][i]})
		}
	}
	return append(swaps, out...), fields.Err() // swaps first, while points are still in their old zones
}

func distance(a, b geo.Position) float64 { return math.Hypot(a.X-b.X, a.Y-b.Y) }

// places returns the places of the points among a plan's, by ID.
func (plan Plan) places() map[string]int {
	out := make(map[string]int, len(plan.Points))
	for i, p := range plan.Points {
		out[p.ID] = i
	}
	return out
}

// Customise derives a plan from another one by hand. Points keep their IDs unless they move to
// another zone; IDs are not reused. A point moved or added has a chosen place, so the plan is no
// longer a probability sample; a swap with a reserve, which was drawn in the same way, keeps it
// one, and so does deleting.
//
// Points nearer to an edge than the offset or to each other than the plan's distance, and zones
// with fewer samples than the minimum, are accepted as concerns: the person in the field knows the reason.
//
// Faults: Invalid for operations on unknown points, points outside the area of interest, zones left
// without a sample, and too many points. The budget's error when the budget ends; each edge or
// point compared is one of its steps.
func Customise(budget *effort.Budget, f *frame.Frame, z *zoning.Zoning, base Plan, operations []Operation) (Plan, error) {
	if err := checkZoning(f, z); err != nil {
		return Plan{}, err
	}
	if len(operations) == 0 {
		return Plan{}, fault.Field("operations", "There is nothing to change.")
	}
	_, mean, err := strataOf(z.Zones, base.Params)
	if err != nil {
		return Plan{}, err
	}
	c := &customising{ground: &ground{budget: budget, frame: f.Indexed(), zoning: z, edges: newEdgeIndex(f, base.Params.bounded(z))}, own: base.own(), last: map[string]int{}, places: base.places()}
	c.plan = base
	c.plan.Params = base.Params.settled()
	c.plan.Points = slices.Clone(base.Points)
	c.plan.Concerns, c.plan.Hypercube = nil, nil
	for _, p := range base.Points {
		c.last[c.series(p.Zone, p.Role)] = max(c.last[c.series(p.Zone, p.Role)], p.Number)
	}
	fields := fault.Fields{}
	for i, o := range operations {
		if budget.Spend(1) != nil {
			break
		}
		if problem := c.apply(o); problem != "" {
			fields.Addf("operations", "Operation %d: %s", i+1, problem)
		}
	}
	if err := cmp.Or(budget.Err(), fields.Err()); err != nil {
		return Plan{}, err
	}
	c.plan.Points = slices.DeleteFunc(c.plan.Points, func(p Point) bool { return p.ID == "" })
	c.plan.IsCustom, c.plan.BasedOn = true, base.PlanUUID
	c.plan.PlanUUID = customUUID(base.PlanUUID, operations)
	c.arrange()
	if err := c.judge(); err != nil {
		return Plan{}, err
	}
	eligible := base.PerZone
	c.plan.sumUp(len(z.Zones), base.strata(), mean)
	for h := range c.plan.PerZone {
		c.plan.PerZone[h].Eligible, c.plan.PerZone[h].EligibleHa, c.plan.PerZone[h].StripHa = eligible[h].Eligible, eligible[h].EligibleHa, eligible[h].StripHa
	}
	c.plan.overBudget()
	c.plan.legacyConcerns()
	return c.plan, nil
}

// customising is a custom plan under construction.
type customising struct {
	*ground
	plan   Plan           // a point that was deleted has no ID
	places map[string]int // of the points, by ID
	last   map[string]int // highest number used, by series
	own    map[int]int    // the stratum of each field that is a stratum of its own
}

func (c *customising) series(zone int, role Role) string { return fmt.Sprint(zone, role) }

func (c *customising) apply(o Operation) (problem string) {
	if o.Change == Add {
		return c.addPoint(o)
	}
	i, ok := c.places[o.Point]
	if !ok {
		return fmt.Sprintf("the plan has no point %q.", o.Point)
	}
	switch o.Change {
	case Move:
		if c.plan.Points[i].Role == RoleLegacy {
			return fmt.Sprintf("%s is a legacy point, which stays where it is; delete it if it is not wanted.", o.Point)
		}
		return c.movePoint(i, o.At)
	case Delete:
		delete(c.places, o.Point)
		c.plan.Points[i] = Point{}
	case Swap:
		j, ok := c.places[o.With]
		if !ok {
			return fmt.Sprintf("the plan has no point %q to swap with.", o.With)
		}
		sample, reserve := &c.plan.Points[i], &c.plan.Points[j]
		if sample.Role != RoleSample || reserve.Role != RoleReserve || sample.Zone != reserve.Zone {
			return fmt.Sprintf("%s must be a sample, and %s a reserve of the same zone.", o.Point, o.With)
		}
		sample.Role, reserve.Role = RoleReserve, RoleSample
		sample.Composite, reserve.Composite = 0, sample.Composite
	default:
		return fmt.Sprintf("%q is not one of %s, %s, %s, %s.", o.Change, Move, Add, Delete, Swap)
	}
	return ""
}

func (c *customising) addPoint(o Operation) (problem string) {
	if o.Role == "" {
		o.Role = RoleSample
	}
	if o.Role != RoleSample && o.Role != RoleReserve {
		return fmt.Sprintf("the role must be %s or %s.", RoleSample, RoleReserve)
	}
	if len(c.places) >= 2*maxSamples {
		return "the plan has as many points as a plan can have."
	}
	if c.plan.Staged != nil {
		return "the points of a plan in two stages belong to draws of fields: swap one with a reserve, move or delete it."
	}
	p := Point{Role: o.Role, ByHand: true}
	if problem := c.locate(&p, o.At); problem != "" {
		return problem
	}
	c.plan.join(&p)
	c.plan.Points = append(c.plan.Points, p)
	c.rename(len(c.plan.Points) - 1)
	c.plan.ProbabilitySample = false
	return ""
}

// movePoint moves a point, and renames it where that takes it to another zone.
func (c *customising) movePoint(i int, to geo.Position) (problem string) {
	p := &c.plan.Points[i]
	zone := p.Zone
	if problem := c.locate(p, to); problem != "" {
		return problem
	}
	if p.Zone != zone {
		c.plan.join(p)
		c.rename(i)
	}
	p.ByHand = true
	c.plan.ProbabilitySample = false
	return ""
}

// rename sets the name of a point to the next of its zone and role.
func (c *customising) rename(i int) {
	p := &c.plan.Points[i]
	delete(c.places, p.ID)
	key := c.series(p.Zone, p.Role)
	c.last[key]++
	p.Number = c.last[key]
	p.ID = c.pointID(c.plan.Params, p.Zone, p.Number, p.Role)
	c.places[p.ID] = i
}

// locate sets the zone and field of a place and its distance to the edges.
func (c *customising) locate(p *Point, at geo.Position) (problem string) {
	if !stats.Finite(at.X) || !stats.Finite(at.Y) {
		return "the point has no position."
	}
	sent := c.frame.RoundedLonLat(at) // before the rounding to centimetres, which can change its last decimal
	at = centimetres(at)
	stratum, field := p.Zone, p.Field
	p.Zone = 0
	for _, zone := range c.zoning.Zones {
		for _, ring := range zone.Outline.Rings() {
			_ = c.budget.Spend(len(ring)) // the next operation finds the error
		}
		if zone.Outline.Contains(at) {
			p.Zone = zone.Number
			break
		}
	}
	if p.Zone == 0 {
		return "the point lies outside the area of interest."
	}
	p.Field = c.frame.FieldAt(at, 0)
	if problem := c.stays(p, at, stratum, field); problem != "" {
		return problem
	}
	if own := c.own[p.Field]; own > 0 {
		p.Zone = own
	}
	p.At, p.LonLat, p.Edge = at, sent, roundedDown(c.edges.distance(at))
	if c.plan.Params.Edge == EdgeStratum && p.Edge < float64(c.plan.Params.ZoneOffset) {
		p.Zone = len(c.zoning.Zones) + 1
	}
	return ""
}

// arrange puts the points in walking order, samples before reserves.
func (c *customising) arrange() {
	var samples, reserves []Point
	for _, p := range c.plan.Points {
		if p.Role.Visited() {
			samples = append(samples, p)
		} else {
			reserves = append(reserves, p)
		}
	}
	alongRoute(c.budget, c.plan.Params.Journey, samples, reserves, Point.stop)
	c.plan.Points = append(samples, reserves...)
	countSteps(c.plan.Points)
}

// note adds a concern.
func (c *customising) note(code string, zone int, point, format string, args ...any) {
	c.plan.Concerns = append(c.plan.Concerns, Concern{code, zone, point, fmt.Sprintf(format, args...)})
}

// judge refuses zones without a sample and collects the concerns.
func (c *customising) judge() error {
	fields := fault.Fields{}
	samples, inField := make([]int, len(c.plan.PerZone)+1), make([]int, len(c.frame.Fields))
	for _, p := range c.plan.Points {
		if p.Role == RoleSample {
			samples[p.Zone]++
			inField[p.Field]++
		}
	}
	for h := 1; h < len(samples); h++ {
		switch n, lower := samples[h], c.plan.Params.floor(c.plan.PerZone[h-1]); {
		case lower == none, c.plan.PerZone[h-1].Draw > 0:
		case n == 0:
			fields.Addf("operations", "Zone %d is left without a sample.", h)
		case n < lower:
			c.note("few_samples", h, "", "Zone %d has %d samples, fewer than the %d required.", h, n, lower)
		}
	}
	c.judgeDraws(samples, fields)
	for field, n := range inField {
		if lower := c.plan.Params.MinSamplesPerField; n < lower && c.own[field] == 0 {
			c.note("few_samples", 0, "", "Field %d has %d samples, fewer than the %d required.", field+1, n, lower)
		}
	}
	earlier := newCrowd(c.plan.MinDistanceUsed, nil)
	for _, p := range c.plan.Points {
		if offset := float64(c.plan.Params.ZoneOffset); p.Edge < offset-0.01 && c.plan.Params.Edge != EdgeStratum {
			c.note("inside_offset", p.Zone, p.ID, "%s lies %.1f m from the edge of its zone or field, inside the offset of %g m.", p.ID, p.Edge, offset)
		}
		nearest, lower, looked := earlier.nearest(p.At)
		if err := c.budget.Spend(1 + looked); err != nil {
			return err
		}
		if nearest >= 0 {
			c.note("too_close", p.Zone, p.ID, "%s lies %.1f m from %s, nearer than %.1f m.", p.ID, lower, c.plan.Points[nearest].ID, c.plan.MinDistanceUsed)
		}
		earlier.add(p.At)
	}
	return fields.Err()
}
