// Package plan plans the samples of a map of zones: how many, in which zone, at which places and in
// which order, and changes of a plan by hand. It knows no sample that was taken.
package plan

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"tilth/core/effort"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/list"
	"tilth/core/stratification/frame"
	"tilth/core/stratification/internal/stats"
	"tilth/core/stratification/layer"
	"tilth/core/stratification/seed"
	"tilth/core/stratification/zoning"
)

// Version names the rules by which points are placed and named, as zoning.AlgorithmVersion names those of maps.
const Version = "plan-3"

// Placement is the way to choose the places of samples within zones.
type Placement string

// The placements. The first two are probability samples, whose measurements may be expanded to the
// zone by the design alone. The points of Coverage are chosen to lie evenly, without regard to the layers.
const (
	StratifiedRandom  Placement = "stratified_random"
	SpatiallyBalanced Placement = "spatially_balanced"
	Coverage          Placement = "coverage"
	// LatinHypercube chooses places that represent the layers; see cube.
	LatinHypercube Placement = "latin_hypercube"
)

// Placements lists the placements.
var Placements = []Placement{StratifiedRandom, SpatiallyBalanced, Coverage, LatinHypercube}

// Probability reports whether a placement draws every place of a zone with the same chance
// (approximately, where points keep a distance).
func (p Placement) Probability() bool { return p == StratifiedRandom || p == SpatiallyBalanced }

// shuffled reports whether a placement tries the places of a zone in a random order; a hypercube begins that way.
func (p Placement) shuffled() bool { return p == StratifiedRandom || p == LatinHypercube }

// The bounds of a plan.
const (
	MaxZoneOffset     = 100 // metres
	maxMinDistance    = 1000.0
	maxExisting       = 10_000
	DefaultDistance   = -1 // of Params.MinDistance: two cells
	defaultZoneRoom   = 10 // metres: one Sentinel-2 pixel
	defaultReserve    = 0.20
	MinSamplesPerZone = 2 // one sample has no variance
	distanceDecimals  = 2 // of easting and northing: centimetres
)

// Params are the choices of a sample plan. DefaultParams returns the method's own.
type Params struct {
	// The number of samples is set by Samples, HaPerSample, Monitoring.Change or Costs.Budget or, where all
	// are 0, by what Precision needs; each zone has at least MinSamplesPerZone.
	Samples           int
	HaPerSample       float64
	Monitoring        Monitoring
	Costs             Costs
	Precision         Precision
	CV, Rho2          float64 // as in zoning.Params; ignored where there are pilot samples
	MinSamplesPerZone int
	// MinSamplesPerField is the minimum of every field; 0: none. See share.
	MinSamplesPerField int `json:",omitzero"`
	// CompositesPerZone is the number of composites into which the samples of each stratum are pooled for the laboratory;
	// 0: each sample is analysed by itself. See pool.
	CompositesPerZone int `json:",omitzero"`
	// Stages draws fields first; nil: every field is land of its zones.
	Stages *Stages `json:",omitempty"`

	// Allocation may be empty: Neyman with pilot samples and Proportional without.
	Allocation Allocation
	PerZone    map[int]int     // by zone, for the allocation Given
	Cost       map[int]float64 // of a sample by zone, for CostOptimal
	Pilot      map[int]Pilot   // by zone: of every zone, or of none

	Placement    Placement
	Layers       []string `json:",omitzero"` // names of those of a LatinHypercube; none: all that New is given
	Edge         Edge
	ZoneOffset   int     // metres from the edges of zones and fields, 0 to MaxZoneOffset
	MinDistance  float64 // metres between points, whatever their zones; DefaultDistance: two cells
	ReserveShare float64 // of the samples of a zone, at least 1; 0: no reserve
	Journey      Journey `json:",omitzero" audit:"-"` // of the way along the samples
	// Existing are points in the frame's plane from which new ones keep their distance.
	Existing []geo.Position `audit:"-"`
	// Legacy are points in the frame's plane that are kept and sampled again; new ones are placed around them.
	Legacy []geo.Position `json:",omitzero" audit:"-"`
	Seed   uint64         `audit:"-"` // up to seed.Max
	// Origin states where the seed comes from. Seeded sets both.
	Origin seed.Origin `json:",omitzero" audit:"-"`
	// Scope is the id of the plan's map. It is part of the plan's id.
	Scope string `audit:"-"`
}

// DefaultParams returns the default choices of the method.
func DefaultParams() Params {
	p := zoning.DefaultParams()
	return Params{
		Precision:  Precision{Confidence: p.Confidence, RelativeError: p.RelativeError, Student: true},
		Monitoring: DefaultMonitoring(),
		CV:         p.CV, Rho2: p.Rho2, MinSamplesPerZone: p.MinSamplesPerZone,
		Placement:  StratifiedRandom,
		Edge:       ExcludeEdge,
		ZoneOffset: defaultZoneRoom, MinDistance: DefaultDistance, ReserveShare: defaultReserve,
	}
}

// Role is the purpose of a point.
type Role string

// The roles of points.
const (
	RoleSample  Role = "sample"
	RoleReserve Role = "reserve" // replaces a sample of its zone that cannot be taken
	RoleLegacy  Role = "legacy"  // existed before the plan, which did not draw it: sampled, but not part of estimates
)

// Visited reports whether a point of the role is sampled in any case.
func (r Role) Visited() bool { return r != RoleReserve }

// Point is a place of a plan.
type Point struct {
	ID     string // Z2-07, Z2-R01 for a reserve: unique in the plan, at most 10 characters
	Zone   int
	Number int // within zone and role, as in the ID
	Role   Role
	Field  int // index of the frame's field in which it lies
	// Walk is the place in the walk through the samples of the field (or its reserves), from 1; see
	// Plan.FieldOrder.
	Walk int
	// Composite is the number, within the stratum, of the composite that a sample is part of; 0: none.
	Composite int           `json:",omitzero"`
	At        geo.Position  // easting and northing in the frame's plane, whole centimetres
	LonLat    *geo.Position // WGS84 with 7 decimals; nil where the frame has no EPSG
	Edge      float64       // metres to the nearest edge of a zone or field
	ByHand    bool          // moved or added by hand, not drawn
}

// ZonePlan is the summary of a plan for a zone.
type ZonePlan struct {
	Zone         int
	Field        int  `json:",omitzero"` // number, from 1, of a field that is a stratum, after the zones and the strip, or was drawn; 0: no field
	Draw         int  `json:",omitzero"` // number, from 1, of the draw of the field in a first stage; 0: it was not drawn
	Edge         bool // the strip along the edges of all zones, a stratum of its own after them
	Samples      int
	Reserves     int
	Weight       float64 // share of the area
	SD           float64 // as assumed, in the unit of the pilot samples or relative to the mean
	Eligible     int     // cells that may hold a point
	EligibleHa   float64
	StripHa      float64 // nearer to an edge than the offset: not sampled
	ExpectedMean float64 // by pilot samples; 1 without
}

// Concern is a doubt about a plan that is accepted nonetheless.
type Concern struct {
	Code    string // inside_offset, too_close, few_samples, few_reserves
	Zone    int
	Point   string // its ID; empty where the zone is meant
	Message string
}

// Plan is a sample plan. Plans are immutable: Customise derives a new one.
type Plan struct {
	PlanUUID  string // derived from the map, the parameters and the seed, or from the plan it is based on
	Params    Params
	Points    []Point // samples along a short way through all fields, then the reserves, the fields in the same order
	PerZone   []ZonePlan
	Samples   int
	Reserves  int
	Legacy    int     `json:",omitzero"` // points that are kept besides the samples
	Pooled    int     `json:",omitzero"` // number of composites into which the samples are pooled; 0: they are not
	FromPilot bool    // the standard deviations are those of pilot samples, not assumed
	Staged    *Staged `json:",omitempty"` // nil: the plan is not drawn in two stages
	// MinDistanceUsed is the requested distance of points, or less where there was no room.
	MinDistanceUsed float64
	// ExpectedRelativeError is half the width of the interval expected for the mean, divided by the mean. It may
	// exceed that of Params.Precision where this did not set the number of samples.
	ExpectedRelativeError float64
	Detection             Detection
	Covered               Covered
	Hypercube             *Hypercube `json:",omitzero"` // nil for other placements, and for plans changed by hand
	WayKm                 float64    // along the samples in their order, DriveKm included
	DriveKm               float64    // of it between fields; see route.Circuity
	WayEstimateKm         float64    // before the points were known, where a budget set their number
	Cost                  float64    // by Params.Costs
	SamplesNeeded         int        // for Params.Precision, by the plan's allocation (Given: Proportional)
	ProbabilitySample     bool
	// ZoneOffsetAchieved is the smallest distance of a sample to an edge, in metres.
	ZoneOffsetAchieved float64
	Concerns           []Concern
	IsCustom           bool
	BasedOn            string // id of the plan from which a custom one derives
	AlgorithmVersion   string
}

// Check refuses choices out of range, under the interface's names, for a map of that many zones.
func (p Params) Check(zones int) error {
	fields := fault.Fields{}
	fields.AddIf(p.Samples < 0 || p.Samples > maxSamples, "number_of_samples", "It must be a whole number from 1 to %d.", maxSamples)
	fields.AddIf(p.HaPerSample < 0 || !stats.Finite(p.HaPerSample), "ha_per_sample", "It must be a number over 0, or 0 for none.")
	fields.AddIf(p.Samples != 0 && p.HaPerSample != 0, "ha_per_sample", "Send number_of_samples or ha_per_sample, not both.")
	fixed := p.Samples != 0 || p.HaPerSample != 0 || p.Allocation == Given || p.InStages() && p.Stages.Draws > 0
	fields.Nest("change", p.Monitoring.check(fixed || p.Costs.Budget > 0))
	fields.Nest("costs", p.Costs.check(fixed))
	fields.Within("confidence", p.Precision.Confidence, 0.5, 0.999)
	fields.Within("relative_error", p.Precision.RelativeError, 0.001, 1)
	fields.Within("cv", p.CV, 0.001, 10)
	fields.Within("rho2", p.Rho2, 0, 1)
	fields.Within("min_samples_per_zone", float64(p.MinSamplesPerZone), MinSamplesPerZone, 1000)
	fields.AddIf(p.Precision.Population < 0, "population", "It must be a whole number, 0 for unlimited land.")
	if e := p.Precision.DesignEffect; e != 0 {
		fields.Within("design_effect", e, 0.01, 100)
	}
	fields.AddIf(!slices.Contains(Allocations, p.settled().Allocation), "allocation", "It must be one of %v.", Allocations)
	fields.AddIf((p.Allocation == Given) != (len(p.PerZone) > 0),
		"per_zone", "The numbers of samples by zone and the allocation %q go together.", Given)
	p.checkCosts(fields, zones+p.Edge.strata())
	p.checkPlaces(fields)
	p.checkFields(fields)
	p.checkStages(fields)
	p.Journey.check(fields)
	p.checkEdge(fields)
	p.checkHypercube(fields)
	p.checkComposites(fields)
	return fields.Err()
}

func (p Params) checkPlaces(fields fault.Fields) {
	fields.AddIf(!slices.Contains(Placements, p.Placement), "placement", "It must be one of %v.", Placements)
	fields.AddIf(p.ZoneOffset < 0 || p.ZoneOffset > MaxZoneOffset,
		"zone_offset", "It must be a whole number of metres from 0 to %d.", MaxZoneOffset)
	fields.AddIf(p.MinDistance != DefaultDistance && !(p.MinDistance >= 0 && p.MinDistance <= maxMinDistance),
		"min_distance", "It must be a number of metres from 0 to %g.", maxMinDistance)
	fields.AddIf(!(p.ReserveShare >= 0 && p.ReserveShare <= 1), "reserve_share", "It must be a number from 0 to 1.")
	fields.AddIf(len(p.Existing) > maxExisting, "existing_points", "There can be at most %d.", maxExisting)
	for i, at := range p.Existing {
		if !stats.Finite(at.X) || !stats.Finite(at.Y) {
			fields.Addf("existing_points", "Point %d has no position.", i+1)
			break
		}
	}
	fields.AddIf(len(p.Legacy) > maxLegacy, "legacy_points", "There can be at most %d.", maxLegacy)
	fields.AddIf(slices.ContainsFunc(p.Legacy, func(at geo.Position) bool { return !stats.Finite(at.X) || !stats.Finite(at.Y) }), "legacy_points", "A point has no position.")
	fields.Merge(seed.Of(p.Seed).Check())
}

// New makes the sample plan of a map of zones: how many samples, how many in each zone, and where.
// Of the zones it uses number, share, RV and outline; of the layers, a Latin hypercube uses those that it names.
//
// Faults: Invalid for parameters out of range and, with the code not_enough_room and the available
// room, where the zones do not hold the points. The budget's error when the budget ends; each
// distance computed is one of its steps.
func New(budget *effort.Budget, f *frame.Frame, z *zoning.Zoning, p Params, layers ...layer.Layer) (Plan, error) {
	if err := checkZoning(f, z); err != nil {
		return Plan{}, err
	}
	p = p.settled()
	if err := p.Check(len(z.Zones)); err != nil {
		return Plan{}, err
	}
	if err := p.Journey.near(f); err != nil {
		return Plan{}, err
	}
	covariates, err := p.covariates(layers, len(f.Cells))
	if err != nil {
		return Plan{}, err
	}
	strata, mean, err := strataOf(z.Zones, p)
	if err != nil {
		return Plan{}, err
	}
	g, err := newGround(budget, f, z, p)
	if err != nil {
		return Plan{}, err
	}
	d := &design{ground: g, params: p, strata: strata, mean: mean, layers: covariates}
	if d.kept, err = d.legacy(); err != nil {
		return Plan{}, err
	}
	found, err := d.place(p.ZoneOffset)
	if errors.Is(err, errNoRoom) {
		return Plan{}, d.noRoom(found)
	}
	if err != nil {
		return Plan{}, err
	}
	plan := Plan{
		PlanUUID: planUUID(z, p), Params: p, FromPilot: p.fromPilot(), Staged: d.staged,
		MinDistanceUsed: found.apart, ProbabilitySample: p.Placement.Probability(), AlgorithmVersion: Version, Hypercube: found.hypercube,
	}
	found.samples = append(found.samples, d.kept...)
	d.walk(&found)
	if err := budget.Err(); err != nil {
		return Plan{}, err
	}
	plan.Points = append(d.name(found.samples, RoleSample), d.name(found.reserves, RoleReserve)...)
	p.pool(plan.Points)
	countSteps(plan.Points)
	plan.sumUp(len(z.Zones), d.strataOfPlan(), mean)
	if p.Costs.Budget > 0 {
		plan.WayEstimateKm = d.wayEstimate(plan.Samples)
	}
	plan.overBudget()
	plan.legacyConcerns()
	d.describe(&plan, found)
	return plan, nil
}

func (p Params) settled() Params {
	switch {
	case p.Allocation != "":
	case len(p.Pilot) > 0:
		p.Allocation = Neyman
	default:
		p.Allocation = Proportional
	}
	if p.Monitoring == (Monitoring{}) { // a plan that was made before this was a choice
		p.Monitoring = DefaultMonitoring()
	}
	return p
}

// checkZoning refuses a map of another frame.
func checkZoning(f *frame.Frame, z *zoning.Zoning) error {
	if len(z.Labels) != len(f.Cells) || len(z.Zones) == 0 {
		return fault.Field("map_uuid", "The map does not fit the area of interest.")
	}
	for i, zone := range z.Zones {
		if zone.Number != i+1 || len(zone.Outline) == 0 {
			return fault.Field("map_uuid", fmt.Sprintf("Zone %d of the map has no outline.", i+1))
		}
	}
	return nil
}

// sumUp counts a plan's points by stratum and computes the expected precision. A stratum after the zones
// that is not a field, or a draw of one, is the strip along their edges.
func (plan *Plan) sumUp(zones int, strata []Stratum, mean float64) {
	plan.Samples, plan.Reserves, plan.Legacy = 0, 0, 0
	plan.ZoneOffsetAchieved = math.Inf(1)
	plan.PerZone = make([]ZonePlan, len(strata))
	for h, s := range strata {
		plan.PerZone[h] = ZonePlan{Zone: h + 1, Field: s.Field, Draw: s.Draw, Edge: h >= zones && s.Field == 0, Weight: s.Weight, SD: s.SD, ExpectedMean: 1}
		if pilot, ok := plan.Params.Pilot[h+1]; ok {
			plan.PerZone[h].ExpectedMean = pilot.Mean
		}
	}
	for _, point := range plan.Points {
		zone := &plan.PerZone[point.Zone-1]
		if point.Role == RoleLegacy {
			plan.Legacy++
			continue
		}
		if point.Role == RoleReserve {
			zone.Reserves++
			plan.Reserves++
			continue
		}
		zone.Samples++
		plan.Samples++
		plan.ZoneOffsetAchieved = min(plan.ZoneOffsetAchieved, point.Edge)
	}
	walkKm, driveKm := plan.Params.Journey.way(plan.Points)
	plan.WayKm, plan.DriveKm = walkKm+driveKm, driveKm
	plan.Pooled = plan.composites()
	plan.Cost = plan.Params.Costs.of(plan.Samples+plan.Legacy, cmp.Or(plan.Pooled, plan.Samples)+plan.Legacy, float64(visits(plan.Points)), plan.WayKm)
	p := plan.Params.Precision
	if s := plan.Staged; s != nil {
		draws, variance := plan.perDraw()
		plan.ExpectedRelativeError = p.ofDraws(draws, variance, s.Mean)
		plan.Detection = plan.Params.detectableBy(s.Spread, draws, variance)
		plan.SamplesNeeded = s.Needed * s.Points
		return
	}
	samples := list.Map(plan.PerZone, func(z ZonePlan) int { return z.Samples })
	plan.ExpectedRelativeError = p.expected(strata, mean, samples)
	m := plan.Params.Monitoring
	plan.Detection = m.detectable(m.ofChange(strata, plan.FromPilot), p.Confidence, samples)
	plan.SamplesNeeded = p.Needed(strata, mean, plan.Params.Allocation, plan.Params.MinSamplesPerZone)
}
