package plan

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"tilth/core/fault"
	"tilth/core/stratification/internal/stats"
	"tilth/core/stratification/programme"
)

// Stages asks for a plan in two stages: fields are drawn with replacement, each with a chance in proportion to its
// area, and at each draw points are drawn at random in the field. The zones of the map are not strata of such a plan.
type Stages struct {
	Draws  int `json:",omitzero"` // of a field; 0: as many as the change, the budget or the precision requires
	Points int `json:",omitzero"` // at a draw; 0: the optimum by the costs
	// ShareBetween is the share of the variance CV² that lies between fields; not used with pilot samples.
	ShareBetween float64
	Pilot        *StagesPilot `json:",omitempty"`
}

// StagesPilot summarises earlier samples of fields: their mean, and the standard deviations between the means of fields
// and between places of a field.
type StagesPilot struct{ Mean, Between, Within float64 }

// defaultShareBetween is a judgement: farms, soils and crops differ between fields as much as places within them do.
const defaultShareBetween = 0.5

// DefaultStages returns the default choices of the method.
func DefaultStages() Stages { return Stages{ShareBetween: defaultShareBetween} }

// The bounds of a plan in two stages.
const (
	minDraws         = 2 // one draw has no variance
	maxDraws         = 999
	maxPointsPerDraw = 100
)

// InStages reports whether a plan is drawn in two stages.
func (p Params) InStages() bool { return p.Stages != nil }

// checkStages refuses stages out of range, and choices that do not go with a plan in two stages.
func (p Params) checkStages(fields fault.Fields) {
	if !p.InStages() {
		return
	}
	const instead = "A plan in two stages (stages) has stages.draws times stages.points_per_field samples: send those, or leave them out."
	fields.AddIf(p.Samples != 0, "number_of_samples", instead)
	fields.AddIf(p.HaPerSample != 0, "ha_per_sample", instead)
	const noStrata = "It cannot be used with stages, where zones are not strata: leave it out."
	fields.AddIf(p.MinSamplesPerZone != DefaultParams().MinSamplesPerZone, "min_samples_per_zone", noStrata)
	fields.AddIf(p.MinSamplesPerField != 0, "min_samples_per_field", "It cannot be used with stages, which do not visit every field: send stages.points_per_field, or leave stages out.")
	fields.AddIf(p.Allocation != "" && p.Allocation != Proportional || len(p.PerZone) > 0, "allocation", noStrata)
	fields.AddIf(p.CompositesPerZone != 0, "composites_per_zone", "It cannot be used with stages, which analyse every sample: leave one of them out.")
	fields.AddIf(len(p.Cost) > 0, "cost", "It cannot be used with stages: send costs.")
	fields.AddIf(len(p.Pilot) > 0, "pilot", "It cannot be used with stages: send stages.mean, stages.sd_between and stages.sd_within.")
	fields.AddIf(p.Edge == EdgeStratum, "edge", "With stages it must be %s: a field has no strata.", ExcludeEdge)
	fields.AddIf(p.Placement != StratifiedRandom, "placement", "With stages it must be %s: points are drawn at random within a field.", StratifiedRandom)
	fields.AddIf(p.Precision.Population != 0 || p.Precision.DesignEffect != 0, "stages", "They can be used only with unlimited land and their own variance.")
	fields.Nest("stages", p.Stages.check(p.Costs))
}

func (s Stages) check(c Costs) fault.Fields {
	fields := fault.Fields{}
	fields.AddIf(s.Draws != 0 && (s.Draws < minDraws || s.Draws > maxDraws), "draws", "It must be a whole number from %d to %d: one draw has no variance.", minDraws, maxDraws)
	fields.AddIf(s.Points < 0 || s.Points > maxPointsPerDraw, "points_per_field", "It must be a whole number from 1 to %d.", maxPointsPerDraw)
	fields.AddIf(s.Draws*s.Points > maxSamples, "draws", "A plan has at most %d samples.", maxSamples)
	fields.AddIf(s.Points == 0 && (c.PerField+c.PerKm <= 0 || c.each() <= 0),
		"points_per_field", "Send it, or costs with per_field (or per_km) and per_point (or per_composite) over 0, from which it follows.")
	if s.Pilot == nil {
		fields.Within("share_between", s.ShareBetween, 0.01, 1)
		return fields
	}
	fields.AddIf(!(s.Pilot.Mean > 0) || !stats.Finite(s.Pilot.Mean), "mean", "It must be a number over 0, as the error is relative to it.")
	for name, v := range map[string]float64{"sd_between": s.Pilot.Between, "sd_within": s.Pilot.Within} {
		fields.AddIf(!(v >= 0) || !stats.Finite(v), name, "It must be a number of 0 or more.")
	}
	fields.AddIf(s.Pilot.Between == 0 && (s.Points == 0 || s.Pilot.Within == 0), "sd_between", "It must be over 0, unless points_per_field and an sd_within over 0 are sent.")
	return fields
}

// spread returns what is assumed about fields, and the mean to which that relates: from pilot samples, or in units of the mean.
func (p Params) spread() (s programme.Stages, mean float64) {
	if pilot := p.Stages.Pilot; pilot != nil {
		return programme.Stages{Between: pilot.Between, Within: pilot.Within}, pilot.Mean
	}
	b := p.Stages.ShareBetween
	return programme.Stages{Between: p.CV * math.Sqrt(b), Within: p.CV * math.Sqrt(1-b)}, 1
}

// fromPilot reports whether the standard deviations are those of pilot samples.
func (p Params) fromPilot() bool { return len(p.Pilot) > 0 || p.InStages() && p.Stages.Pilot != nil }

// Staged holds what is specific to a plan in two stages.
type Staged struct {
	Draws   int
	Points  int     // at a draw
	Optimum float64 // points at a draw by the costs, before rounding; 0 where the number was sent
	Needed  int     // draws of that many points for Params.Precision
	Spread  programme.Stages
	Mean    float64
	Fields  []StagedField // all of the area of interest, in its order: the sample represents those that are not drawn as well
}

// StagedField is a field of a plan in two stages.
type StagedField struct {
	UUID    string // empty where it is not known
	AreaHa  float64
	Chance  float64 // of being taken by a draw; 0: it has no room for the points of a draw
	Draws   []int   // numbers of the draws that took it, from 1
	LeftOut bool    // it has no room
}

// sized sets the points at a draw and the number of draws. Faults: Invalid where a budget pays for too few.
func (p Params) sized(of land) (out Staged, err error) {
	out.Spread, out.Mean = p.spread()
	if out.Points = p.Stages.Points; out.Points == 0 {
		each := p.Costs.PerField + float64(p.Costs.PerKm*of.between/math.Max(float64(len(of.parts)), 1))
		out.Optimum = math.Min(out.Spread.Optimum(each, p.Costs.each()), maxPointsPerDraw)
		out.Points = programme.Points(out.Optimum, maxPointsPerDraw)
	}
	upper := min(maxDraws, maxSamples/out.Points)
	out.Needed = p.Precision.Draws(out.Spread.PerDraw(out.Points), out.Mean)
	name := "relative_error"
	switch {
	case p.Stages.Draws > 0:
		out.Draws, name = p.Stages.Draws, "stages"
	case p.Costs.Budget > 0:
		name = "costs"
		of.perDraw = out.Points
		out.Draws = sort.Search(upper, func(n int) bool {
			return p.Costs.of((n+1)*out.Points, (n+1)*out.Points, of.visited(n+1), of.wayKm(n+1)) > p.Costs.Budget
		})
		if out.Draws < minDraws {
			return out, fault.Field("costs", fmt.Sprintf("The budget pays for %d draws of %d points; %d draws are needed.", out.Draws, out.Points, minDraws))
		}
	case p.Monitoring.Change > 0:
		name = "change"
		out.Draws = minDraws + sort.Search(maxDraws, func(n int) bool {
			return p.detectableBy(out.Spread, minDraws+n, out.Spread.PerDraw(out.Points)).Change <= p.Monitoring.Change*within
		})
	default:
		out.Draws = out.Needed
	}
	if out.Draws > upper {
		return out, fault.Field(name, fmt.Sprintf("A plan has at most %d draws and %d samples; with %d points per draw it needs more. Send more points_per_field, or ask for less.", maxDraws, maxSamples, out.Points))
	}
	return out, nil
}

// Draws returns the smallest number of draws of fields that reach the precision for a mean, given the variance of a draw:
//
//	t(1-α/2, n-1) √(V/n) ≤ r·mean
//
// It may be more than a plan can have.
func (p Precision) Draws(perDraw, mean float64) int {
	reached := func(n int) bool { return p.ofDraws(n, perDraw, mean) <= p.RelativeError*within }
	// The quantile takes longest with many degrees of freedom, and few draws are usual.
	upper := minDraws
	for upper < math.MaxInt32 && !reached(upper) {
		upper = min(2*upper, math.MaxInt32)
	}
	return minDraws + sort.Search(upper-minDraws, func(n int) bool { return reached(minDraws + n) })
}

// ofDraws returns half the width of the interval for a mean, divided by the mean, with n draws of fields.
func (p Precision) ofDraws(n int, perDraw, mean float64) float64 {
	part := programme.OfDraws(n, perDraw)
	return stats.StudentQuantile(p.Confidence, part.DF) * math.Sqrt(part.Variance) / mean
}

// detectableBy returns the smallest change that draws of fields detect, given the variance of a draw. Changes are taken to
// vary between fields and within them as the measured quantity does.
func (p Params) detectableBy(s programme.Stages, draws int, perDraw float64) Detection {
	m := p.Monitoring
	scale := m.scale(p.fromPilot())
	if m.SD > 0 {
		scale = m.SD / s.SD()
	}
	return m.seen(programme.OfDraws(draws, perDraw*scale*scale), s.SD()*scale, p.Precision.Confidence)
}

// edges names the land from whose edges points keep the offset.
func (p Params) edges() string {
	if p.InStages() {
		return "fields"
	}
	return "zones and fields"
}

// visits counts the fields in which points are sampled.
func visits(points []Point) int {
	seen := map[int]bool{}
	for _, p := range points {
		if p.Role.Visited() {
			seen[p.Field] = true
		}
	}
	return len(seen)
}

// DrawnFields returns the number of fields that were drawn.
func (s Staged) DrawnFields() int {
	n := 0
	for _, f := range s.Fields {
		n += min(1, len(f.Draws))
	}
	return n
}

// NameFields sets the uuids of the fields of a plan in two stages, in the order of the area of interest.
func (plan *Plan) NameFields(uuids []string) {
	if plan.Staged == nil {
		return
	}
	staged := *plan.Staged
	staged.Fields = slices.Clone(staged.Fields)
	for i, uuid := range uuids {
		if i < len(staged.Fields) {
			staged.Fields[i].UUID = uuid
		}
	}
	plan.Staged = &staged
}

// SharedOut names in words the zones or draws among which the samples of a plan are shared out.
func (plan Plan) SharedOut() string {
	if plan.Staged != nil {
		return fmt.Sprintf("%d draws of %d fields", plan.Staged.Draws, plan.Staged.DrawnFields())
	}
	if plan.Zones() == 1 {
		return "1 zone"
	}
	return fmt.Sprintf("%d zones", plan.Zones())
}
