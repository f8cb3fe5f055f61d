package sample

import (
	"cmp"
	"fmt"
	"slices"

	"tilth/core/stratification/plan"
)

// Report holds the estimates from the samples of a plan between two depths.
type Report struct {
	FromCm, ToCm float64
	SOC          Estimate  // %, of the mass of fine soil, intervals weighted by their thickness
	Stock        *Estimate // t C/ha; nil where no point has a bulk density
	// Equivalent are the stocks in a reference mass of fine soil, where two intervals allow it; nil where
	// a round has no point that holds the mass.
	Equivalent        *Estimate
	EquivalentMass    float64 // t/ha; 0 where there is no reference
	EquivalentBasis   MassBasis
	WithoutSOC        []Unusable
	WithoutStock      []Unusable
	WithoutEquivalent []Unusable
	Notes             []string
}

// Round holds the samples of a plan in one round.
type Round struct {
	Plan    plan.SamplePlan
	Samples []Sample
	Land    []Land // the fields of the plan, which then has its points; nil: fields and farms are not asked for
	// Reference is that of the equivalent stocks. In a comparison the earlier round's counts.
	Reference Reference
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

// Estimate returns the estimates of a round between two depths.
//
// Faults: Invalid for values that the estimates refuse.
func (r Round) Estimate(fromCm, toCm float64, precision plan.Precision) (Report, error) {
	out := Report{FromCm: fromCm, ToCm: toCm, Notes: append(r.covers(), r.notes("")...)}
	err := out.fill([]Round{r}, func(s []Survey) (Estimate, error) { return MeanOf(s[0], precision) })
	return out, err
}

// Change returns the change from an earlier round to this one between two depths.
//
// Faults: as Difference.
func (r Round) Change(earlier Round, fromCm, toCm, confidence float64) (Report, error) {
	out := Report{FromCm: fromCm, ToCm: toCm, Notes: slices.Concat(r.covers(), earlier.notes("First round: "), r.notes("Second round: "))}
	err := out.fill([]Round{earlier, r}, func(s []Survey) (Estimate, error) { return Difference(s[0], s[1], confidence) })
	return out, err
}

// fill estimates carbon, stocks and equivalent stocks from the surveys of the rounds, as far as their
// samples allow.
func (out *Report) fill(rounds []Round, estimate func([]Survey) (Estimate, error)) (err error) {
	surveys := func(weighed bool, of func([]Profile) ([]Value, []Unusable)) (all []Survey, without []Unusable, some bool) {
		some = true
		for i, r := range rounds {
			values, unusable := of(r.profiles(weighed))
			if weighed {
				unusable = append(r.unweighed(), unusable...)
			}
			for _, u := range unusable {
				if i < len(rounds)-1 {
					u.Reason = "in the first round " + u.Reason
				}
				without = append(without, u)
			}
			all, some = append(all, r.survey(values)), some && len(values) > 0
		}
		return all, without, some
	}
	soc, without, _ := surveys(false, func(p []Profile) ([]Value, []Unusable) { return Concentrations(p, out.FromCm, out.ToCm) })
	out.WithoutSOC = without
	if out.SOC, err = estimate(soc); err != nil {
		return err
	}
	stocks, without, some := surveys(true, func(p []Profile) ([]Value, []Unusable) { return Stocks(p, out.FromCm, out.ToCm) })
	out.WithoutStock = without
	if !some {
		return nil
	}
	stock, err := estimate(stocks)
	if err != nil {
		return err
	}
	out.Stock = &stock
	mass, basis := rounds[0].Reference.mass(rounds, out.ToCm)
	if mass == 0 || out.FromCm != 0 {
		return nil
	}
	out.EquivalentMass, out.EquivalentBasis = mass, basis
	same, short, some := surveys(true, func(p []Profile) ([]Value, []Unusable) { return EquivalentStocks(p, mass) })
	if out.WithoutEquivalent = short; !some {
		return nil
	}
	equivalent, err := estimate(same)
	if err == nil {
		out.Equivalent = &equivalent
	}
	return err
}

func (r Round) survey(values []Value) Survey {
	p := r.Plan.Plan
	out := Survey{
		Map: r.Plan.Map.Candidate.MapUUID, Values: values,
		Placement: p.Params.Placement, Custom: p.IsCustom, Probability: p.ProbabilitySample, Land: r.Land,
	}
	if r.Land != nil {
		out.FieldOf = fieldsOf(p)
	}
	planned := map[int]plan.ZonePlan{}
	for _, z := range p.PerZone {
		planned[z.Zone] = z
	}
	whole := 0.0
	for _, z := range r.Plan.Map.Candidate.Zones {
		whole += z.AreaHa
		out.Zones = append(out.Zones, SurveyZone{Zone: z.Number, AreaHa: z.AreaHa, Planned: planned[z.Number].Samples})
	}
	if len(p.PerZone) > len(out.Zones) { // the zones without the land of the strata after them, and these strata
		out.Zones = nil
		for _, z := range p.PerZone {
			if z.Weight == 0 {
				continue
			}
			out.Zones = append(out.Zones, SurveyZone{Zone: z.Zone, AreaHa: z.Weight * whole, Planned: z.Samples, Draw: z.Draw, Field: drawnField(z)})
		}
	}
	return out
}

// drawnField returns the field of a draw; 0 for other strata.
func drawnField(z plan.ZonePlan) int {
	if z.Draw == 0 {
		return 0
	}
	return z.Field
}

// profiles returns the analyses by point; weighed: only of samples with a bulk density.
func (r Round) profiles(weighed bool) []Profile {
	at := map[string]int{}
	var out []Profile
	for _, s := range r.Samples {
		if s.Lab == nil || weighed && s.Lab.BulkDensity == nil || s.Role == plan.RoleLegacy {
			continue
		}
		id := cmp.Or(s.Composite, s.Point)
		i, ok := at[id]
		if !ok {
			i = len(out)
			at[id] = i
			out = append(out, Profile{Point: id, Zone: s.Zone, At: s.Planned})
		}
		d := DepthInterval{FromCm: s.Depth.FromCm(), ToCm: s.Depth.ToCm(), SOCPct: s.Lab.SOCPct}
		if s.Lab.BulkDensity != nil {
			d.BulkDensity = *s.Lab.BulkDensity
		}
		if s.Lab.CoarseFragmentsPct != nil {
			d.CoarseFragmentsPct = *s.Lab.CoarseFragmentsPct
		}
		if s.Composite == "" {
			out[i].Intervals = append(out[i].Intervals, d)
		} else {
			out[i].pool(s, d)
		}
	}
	slices.SortFunc(out, func(a, b Profile) int { return cmp.Compare(a.Point, b.Point) })
	return out
}

func (r Round) unweighed() []Unusable {
	weighed := map[string]bool{}
	for _, p := range r.profiles(true) {
		weighed[p.Point] = true
	}
	var out []Unusable
	for _, p := range r.profiles(false) {
		if !weighed[p.Point] {
			out = append(out, Unusable{p.Point, "it has no bulk density"})
		}
	}
	return out
}

// covers returns what the plan of the round covers, where it leaves land out.
func (r Round) covers() []string {
	if statement := r.Plan.Plan.Statement(); statement != "" {
		return []string{statement}
	}
	return nil
}

// notes returns the caveats about the samples themselves, each with a prefix.
func (r Round) notes(prefix string) (out []string) {
	reserves, moved := map[string]bool{}, map[string]bool{}
	missed, assumed, below := map[string]bool{}, 0, 0
	legacy := map[string]bool{}
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
		if s.Role == plan.RoleLegacy {
			legacy[s.Point] = true
			continue
		}
		if s.OutOfZone() {
			moved[s.Point] = true
		}
		if s.Lab.BulkDensity != nil && s.Lab.CoarseFragmentsPct == nil {
			assumed++
		}
		if s.Lab.SOCLimitPct != nil {
			below++
		}
	}
	note := func(n int, format string, more ...any) {
		if n > 0 {
			out = append(out, prefix+fmt.Sprintf(format, append([]any{n}, more...)...))
		}
	}
	note(len(reserves), "%d of the points are reserves, drawn in the same way; %d points were missed.", len(missed))
	note(len(moved), "%d of the points were sampled outside their zone; they count for the zone in which they were planned.")
	note(len(legacy), "%d legacy points have values. The plan did not draw them, so they are not part of the estimate.")
	note(assumed, "%d samples state no coarse fragments; they are taken to have none.")
	note(below, "%d samples hold less carbon than the laboratory can determine; half of its limit is used.")
	return out
}
