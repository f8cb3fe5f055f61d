package sample

import (
	"cmp"
	"fmt"
	"slices"

	"tilth/core/stratification/plan"
)

// Report is what the samples of a plan say between two depths.
type Report struct {
	FromCm, ToCm float64
	SOC          Estimate  // %, of the mass of fine soil, intervals by their thickness
	Stock        *Estimate // t C/ha; nil where no point has a bulk density
	// Equivalent are the stocks in a common mass of fine soil, where two depth intervals from the
	// surface allow it.
	Equivalent     *Estimate
	EquivalentMass float64 // t/ha
	WithoutSOC     []Unusable
	WithoutStock   []Unusable
	Notes          []string
}

// Round is the samples of a plan in one round.
type Round struct {
	Plan    plan.SamplePlan
	Samples []Sample
}

// Depths returns the range from the shallowest to the deepest analysed sample, in centimetres.
func (r Round) Depths() (fromCm, toCm float64, ok bool) {
	for _, s := range r.Samples {
		if s.Lab == nil {
			continue
		}
		if !ok || s.Depth.FromCm() < fromCm {
			fromCm = s.Depth.FromCm()
		}
		toCm, ok = max(toCm, s.Depth.ToCm()), true
	}
	return fromCm, toCm, ok
}

// Estimate returns what a round says between two depths.
//
// Faults: Invalid for values that the estimates refuse.
func (r Round) Estimate(fromCm, toCm float64, precision plan.Precision) (Report, error) {
	out := Report{FromCm: fromCm, ToCm: toCm, Notes: r.notes()}
	values, without := Concentrations(r.profiles(false), fromCm, toCm)
	out.WithoutSOC = without
	var err error
	if out.SOC, err = MeanOf(r.survey(values), precision); err != nil {
		return out, err
	}
	weighed := r.profiles(true)
	stocks, without := Stocks(weighed, fromCm, toCm)
	out.WithoutStock = append(r.unweighed(), without...)
	if len(stocks) == 0 {
		return out, nil
	}
	stock, err := MeanOf(r.survey(stocks), precision)
	if err != nil {
		return out, err
	}
	out.Stock = &stock
	if mass, ok := CommonMass(toCm, weighed); ok && fromCm == 0 {
		values, _ := EquivalentStocks(weighed, toCm, mass)
		equivalent, err := MeanOf(r.survey(values), precision)
		if err != nil {
			return out, err
		}
		out.Equivalent, out.EquivalentMass = &equivalent, mass
	}
	return out, nil
}

// Change returns the change from an earlier round to this one between two depths.
//
// Faults: as Difference.
func (r Round) Change(earlier Round, fromCm, toCm, confidence float64) (Report, error) {
	out := Report{FromCm: fromCm, ToCm: toCm}
	for _, n := range earlier.notes() {
		out.Notes = append(out.Notes, "First round: "+n)
	}
	for _, n := range r.notes() {
		out.Notes = append(out.Notes, "Second round: "+n)
	}
	before, _ := Concentrations(earlier.profiles(false), fromCm, toCm)
	after, without := Concentrations(r.profiles(false), fromCm, toCm)
	out.WithoutSOC = without
	var err error
	if out.SOC, err = Difference(earlier.survey(before), r.survey(after), confidence); err != nil {
		return out, err
	}
	first, second := earlier.profiles(true), r.profiles(true)
	before, _ = Stocks(first, fromCm, toCm)
	after, without = Stocks(second, fromCm, toCm)
	out.WithoutStock = append(r.unweighed(), without...)
	if len(before) == 0 || len(after) == 0 {
		return out, nil
	}
	stock, err := Difference(earlier.survey(before), r.survey(after), confidence)
	if err != nil {
		return out, err
	}
	out.Stock = &stock
	if mass, ok := CommonMass(toCm, first, second); ok && fromCm == 0 {
		before, _ := EquivalentStocks(first, toCm, mass)
		after, _ := EquivalentStocks(second, toCm, mass)
		equivalent, err := Difference(earlier.survey(before), r.survey(after), confidence)
		if err != nil {
			return out, err
		}
		out.Equivalent, out.EquivalentMass = &equivalent, mass
	}
	return out, nil
}

// survey makes a survey of values by the plan's design.
func (r Round) survey(values []Value) Survey {
	p := r.Plan.Plan
	out := Survey{
		Map: r.Plan.Map.Candidate.MapUUID, Values: values,
		Placement: p.Params.Placement, Custom: p.IsCustom, Probability: p.ProbabilitySample,
	}
	planned := map[int]int{}
	for _, z := range p.PerZone {
		planned[z.Zone] = z.Samples
	}
	for _, z := range r.Plan.Map.Candidate.Zones {
		out.Zones = append(out.Zones, SurveyZone{Zone: z.Number, AreaHa: z.AreaHa, Planned: planned[z.Number]})
	}
	return out
}

// profiles returns what was analysed, point by point; weighed: of samples with a bulk density
// alone. Coarse fragments that nobody stated are none.
func (r Round) profiles(weighed bool) []Profile {
	at := map[string]int{}
	var out []Profile
	for _, s := range r.Samples {
		if s.Lab == nil || weighed && s.Lab.BulkDensity == nil {
			continue
		}
		i, ok := at[s.Point]
		if !ok {
			i = len(out)
			at[s.Point] = i
			out = append(out, Profile{Point: s.Point, Zone: s.Zone, At: s.Planned})
		}
		d := DepthInterval{FromCm: s.Depth.FromCm(), ToCm: s.Depth.ToCm(), SOCPct: s.Lab.SOCPct}
		if s.Lab.BulkDensity != nil {
			d.BulkDensity = *s.Lab.BulkDensity
		}
		if s.Lab.CoarseFragmentsPct != nil {
			d.CoarseFragmentsPct = *s.Lab.CoarseFragmentsPct
		}
		out[i].Intervals = append(out[i].Intervals, d)
	}
	slices.SortFunc(out, func(a, b Profile) int { return cmp.Compare(a.Point, b.Point) })
	return out
}

// unweighed names the points of which no analysed sample has a bulk density.
func (r Round) unweighed() []Unusable {
	weighed, seen := map[string]bool{}, map[string]bool{}
	for _, p := range r.profiles(true) {
		weighed[p.Point] = true
	}
	var out []Unusable
	for _, p := range r.profiles(false) {
		if !weighed[p.Point] && !seen[p.Point] {
			seen[p.Point] = true
			out = append(out, Unusable{p.Point, "it has no bulk density"})
		}
	}
	return out
}

// notes says what to mind about the samples themselves.
func (r Round) notes() []string {
	reserves, moved := map[string]bool{}, map[string]bool{}
	missed, assumed := map[string]bool{}, 0
	for _, s := range r.Samples {
		if s.Status == StatusMissed && s.Role == plan.RoleSample {
			missed[s.Point] = true
		}
		if s.Lab == nil {
			continue
		}
		if s.Role == plan.RoleReserve {
			reserves[s.Point] = true
		}
		if s.OutOfZone() {
			moved[s.Point] = true
		}
		if s.Lab.BulkDensity != nil && s.Lab.CoarseFragmentsPct == nil {
			assumed++
		}
	}
	var out []string
	if len(reserves) > 0 {
		out = append(out, fmt.Sprintf("%d of the points are reserves, drawn in the same way; %d points were missed.", len(reserves), len(missed)))
	}
	if len(moved) > 0 {
		out = append(out, fmt.Sprintf("%d of the points were sampled outside their zone; they count for the zone in which they were planned.", len(moved)))
	}
	if assumed > 0 {
		out = append(out, fmt.Sprintf("%d samples state no coarse fragments; they are taken to have none.", assumed))
	}
	return out
}

// Concentrations returns the soil organic carbon of points between two depths, % of the mass of
// fine soil, each interval by its thickness. Points whose intervals do not fill that without gap
// or overlap are left out, with the reason.
func Concentrations(profiles []Profile, fromCm, toCm float64) (values []Value, out []Unusable) {
	for _, p := range profiles {
		intervals, reason := p.between(fromCm, toCm)
		if reason != "" {
			out = append(out, Unusable{p.Point, reason})
			continue
		}
		sum := 0.0
		for _, d := range intervals {
			sum += d.SOCPct * (d.ToCm - d.FromCm)
		}
		values = append(values, Value{Point: p.Point, Zone: p.Zone, At: p.At, Value: sum / (toCm - fromCm)})
	}
	return values, out
}
