package assessment

import (
	"math"
	"slices"
	"strings"
	"time"

	"tilth/core/ghg"
)

// Members of the section soil that name two rounds of sampling.
const (
	keySamplePlan  = "sample_plan"
	keySampleRound = "sample_round"
	keySincePlan   = "since_plan"
	keySinceRound  = "since_round"
)

// Limits of a measured change.
const (
	// SampledDepthCm is the depth of the stock of soil carbon in every method.
	SampledDepthCm = 30.0
	maxRound       = 100
	maxUUID        = 36
	minSampledYear = 1.0 // between two rounds: below it, seasons differ more than years
	maxSampledAge  = 5   // years from the later round to the assessment year
	daysPerYear    = 365.25
)

func samplingFields() []Field {
	return []Field{
		text(keySamplePlan, "Sample plan", maxUUID).mustWhen(keyCarbonMethod, ghg.SoilMeasured).about("map_uuid of the saved sample plan of the later round."),
		integer(keySampleRound, "Round of sampling", "", 1, maxRound).usual(1.0),
		text(keySincePlan, "Earlier sample plan", maxUUID).about("The plan of the earlier round; the same plan when not given."),
		integer(keySinceRound, "Earlier round of sampling", "", 1, maxRound).usual(1.0),
	}
}

// Sampling names two rounds of sampling.
type Sampling struct {
	Plan, Since           string
	PlanRound, SinceRound int64
}

// SamplingOf returns the rounds that the section soil names; ok is false where it names none.
func SamplingOf(sheet Sheet) (s Sampling, ok bool) {
	soil := sheet.first(secSoil)
	if s.Plan = soil.text(keySamplePlan); s.Plan == "" {
		return s, false
	}
	if s.Since = soil.text(keySincePlan); s.Since == "" {
		s.Since = s.Plan
	}
	s.PlanRound, s.SinceRound = int64(soil.numberOr(keySampleRound, 1)), int64(soil.numberOr(keySinceRound, 1))
	return s, true
}

// Sampled is what the rounds that an assessment names show about its land.
type Sampled struct {
	Sampling
	Unknown string // the member that names no saved plan of the company; empty: both exist
	Refused string // why the rounds have no change between them; empty: they have one
	// FieldIDs are the fields of the area of interest, AssessedIDs those of the assessment, both ascending.
	FieldIDs, AssessedIDs []int64
	AreaHa                float64
	Earlier, Later        time.Time // mean days of the sampling; zero where no sample states when it was taken
	Basis                 string    // stock, or equivalent_soil_mass
	Mean, Low, High       *float64  // t C/ha over the top 30 cm; nil where the samples do not allow them
	Reasons               []string  // why there is no interval
}

// problems returns the reasons why the change cannot be that of an assessment.
func (s *Sampled) problems(a *Assessment) []Finding {
	const code, plan, earlier = "sampling_unfit", secSoil + "." + keySamplePlan, secSoil + "." + keySincePlan
	var out findings
	switch {
	case s.Unknown != "":
		out.add("not_found", secSoil+"."+s.Unknown, "No saved sample plan of your company has this UUID; give the map_uuid of one.")
		return out
	case s.Plan == s.Since && s.PlanRound == s.SinceRound:
		out.add(code, secSoil+"."+keySinceRound, "This is the same round twice; name an earlier one, or since_plan.")
		return out
	case s.Refused != "":
		out.add(code, earlier, "%s", s.Refused)
		return out
	case !slices.Equal(s.FieldIDs, s.AssessedIDs):
		out.add(code, plan, "The area of interest of the plan does not cover the same fields as the assessment; assess its fields, or sample an area of interest of the assessed fields.")
	case s.Mean == nil:
		out.add(code, plan, "The rounds have no stock from 0 to %g cm at their points; analyse carbon and bulk density of that depth in both.", SampledDepthCm)
	case s.Low == nil || s.High == nil:
		out.add(code, plan, "The sampling design gives no interval for the change; sample again with a plan of random points. %s", strings.Join(s.Reasons, " "))
	}
	if area, wrong := a.AreaHa(); len(wrong) == 0 && (area > s.AreaHa*areaTolerance || area < s.AreaHa/areaTolerance) {
		out.add(code, keyArea, "%.4g ha are grown, but %.4g ha are sampled; the two may differ by 10 %%.", area, s.AreaHa)
	}
	s.period(&out, a.Year)
	return out
}

// period checks that the two rounds are at least a year apart, around the assessment year or shortly before it.
func (s *Sampled) period(out *findings, year *int) {
	const code = "sampling_unfit"
	later, earlier := secSoil+"."+keySampleRound, secSoil+"."+keySinceRound
	switch {
	case s.Later.IsZero():
		out.add(code, later, "No analysed sample of this round states when it was collected; give collected_at of the samples.")
	case s.Earlier.IsZero():
		out.add(code, earlier, "No analysed sample of this round states when it was collected; give collected_at of the samples.")
	case s.years() < minSampledYear:
		out.add(code, earlier, "The rounds of %s and %s are less than a year apart in this order; name an earlier round.",
			s.Earlier.Format(time.DateOnly), s.Later.Format(time.DateOnly))
	case year == nil:
	case s.Earlier.Year() > *year:
		out.add(code, earlier, "The rounds begin in %d, after the assessment year %d; name rounds around that year.", s.Earlier.Year(), *year)
	case s.Later.Year()+maxSampledAge < *year:
		out.add(code, later, "The rounds end in %d, more than %d years before the assessment year %d; sample again.", s.Later.Year(), maxSampledAge, *year)
	}
}

func (s *Sampled) years() float64 { return s.Later.Sub(s.Earlier).Hours() / 24 / daysPerYear }

// change is the form in which the snapshot holds a change without problems.
func (s *Sampled) change() *ghg.MeasuredChange {
	return &ghg.MeasuredChange{
		Plan: s.Plan, Round: s.PlanRound, SincePlan: s.Since, SinceRound: s.SinceRound,
		Since: s.Earlier.Format(time.DateOnly), Until: s.Later.Format(time.DateOnly), Years: math.Round(s.years()*1e4) / 1e4,
		AreaHa: s.AreaHa, DepthCm: SampledDepthCm, Basis: s.Basis, Change: *s.Mean, Low: *s.Low, High: *s.High,
	}
}

// samplingObstacles returns the problems of the sampling where the section soil takes the measured change.
func (a *Assessment) samplingObstacles(sheet Sheet, facts Facts) []Finding {
	if _, named := SamplingOf(sheet); !named || sheet.first(secSoil).text(keyCarbonMethod) != ghg.SoilMeasured {
		return nil // a plan that is not named is reported as a required field
	}
	if facts.Sampled == nil {
		return []Finding{{"sampling_unfit", secSoil + "." + keyCarbonMethod, "The samples of the named rounds are not available here; choose another method."}}
	}
	return facts.Sampled.problems(a)
}

// sampled puts the measured change into the snapshot; one that is named beside another method and does not fit is left
// out with a warning.
func (n *normaliser) sampled(a *Assessment, facts Facts) {
	if facts.Sampled == nil || n.in.Soil.Class == "" {
		return
	}
	problems := facts.Sampled.problems(a)
	if len(problems) == 0 {
		if n.in.Soil.Carbon == nil {
			n.in.Soil.Carbon = new(ghg.SoilCarbon)
		}
		n.in.Soil.Carbon.Measured = facts.Sampled.change()
		return
	}
	if n.sheet.first(secSoil).text(keyCarbonMethod) != ghg.SoilMeasured {
		for _, p := range problems {
			n.warnings.add(p.Code, p.Path, "The measured change of soil carbon is not shown. %s", p.Message)
		}
	}
}
