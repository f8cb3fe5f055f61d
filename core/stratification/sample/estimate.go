package sample

import (
	"fmt"
	"math"

	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/list"
	"tilth/core/stratification/internal/stats"
	"tilth/core/stratification/plan"
)

// Value is a measurement at a point of a plan.
type Value struct {
	Point string
	Zone  int          // of the planned point, wherever the sample was taken
	At    geo.Position // planned longitude, latitude; identifies the point in two rounds
	Value float64
	// Places are those of the points of a composite; nil for a point.
	Places []geo.Position
}

// SurveyZone is a zone of a survey.
type SurveyZone struct {
	Zone    int
	AreaHa  float64
	Planned int // samples; 0 where it is not known
	Draw    int // number, from 1, of the draw of a field that the stratum is; 0: it is not one
	Field   int // number, from 1, of the field that was drawn
}

// Survey is one round of measurements by a plan.
type Survey struct {
	Map    string // id of the map of zones
	Zones  []SurveyZone
	Values []Value
	// How the places were chosen.
	Placement   plan.Placement
	Custom      bool // points were changed by hand
	Probability bool // Plan.ProbabilitySample
	// Land holds the fields, and FieldOf the number of each point's field, from 1; without them there are no Fields and Farms.
	Land    []Land
	FieldOf map[string]int
}

// Spread is the uncertainty of an estimate.
type Spread struct {
	SE        float64 // standard error
	Low, High float64 // interval at the requested confidence
	DF        float64 // degrees of freedom of its Student quantile
}

// Figure is an estimate.
type Figure struct {
	Mean   float64
	Spread *Spread // nil where the design has none
}

// ZoneEstimate is the estimate of a zone's mean.
type ZoneEstimate struct {
	Zone   int
	Draw   int // as in SurveyZone, like Field
	Field  int
	N      int // points; Units of them or of their composites have values
	Units  int
	Pooled bool     // the values are those of composites
	Weight float64  // share of the area; of a draw its share of the draws with values
	SD     *float64 // between points; nil for fewer than 2
	Figure *Figure  // nil where there is no value
	Paired bool     // of a change: by the same points in both rounds, at least two
	Pairs  int      // of a change: points of both rounds, where it is paired
}

// Estimate is the result of a survey for its zones and the area of interest.
type Estimate struct {
	Zones         []ZoneEstimate
	N             int
	Confidence    float64
	AreaHa        float64
	Mean          *Figure  // of the area, per unit of the values; nil where a zone has no value
	Total         *Figure  // mean times area, so t C for values in t C/ha
	RelativeError *float64 // reached: half the interval's width over the mean
	// Needed is the number of samples for the requested precision with the measured deviations; or 0.
	Needed  int
	Fields  []Domain // in the order of the survey's land
	Farms   []Domain
	Reasons []string // why there is no spread by the design; empty where there is one
	Notes   []string // caveats
}

// MeanOf estimates the means of the zones and of the area, by the design: the mean of stratified
// random sampling and its variance (Cochran, "Sampling Techniques" (1977), sections 5.3 to 5.5),
//
//	mean = Σ w_h ȳ_h    V = Σ w_h² s_h²/n_h    interval: mean ± t(f) √V
//	f = V² / Σ (w_h² s_h²/n_h)²/(n_h-1)
//
// with Satterthwaite's degrees of freedom ("An Approximate Distribution of Estimates of Variance
// Components", Biometrics Bulletin 2 (1946) 110; Cochran, equation 5.16), because with n-H of them the
// intervals of unlike zones are too narrow. There is no correction for finite populations, because the places of
// land are unlimited. If precision has a relative error, it is compared with the result.
//
// Faults: Invalid for values that are not numbers, unknown zones, and points with two values.
func MeanOf(s Survey, precision plan.Precision) (Estimate, error) {
	values, err := s.byZone()
	if err != nil {
		return Estimate{}, err
	}
	e := s.begin(precision.Confidence, s.reasons(""))
	if s.staged() {
		e.meanOfDraws(s, values)
		e.domainsOf(s, values)
		e.neededDraws(precision, s)
		return e.Estimate, nil
	}
	parts := make([]stats.Part, len(s.Zones))
	for h := range s.Zones {
		parts[h] = e.zone(h, values[h])
		if n, planned := e.Zones[h].N, s.Zones[h].Planned; n < planned {
			e.note("Zone %d has values of %d of its %d samples. The estimate holds if the others are missing by chance.",
				s.Zones[h].Zone, n, planned)
		}
	}
	e.notePlacement()
	e.notePooled(s)
	e.domainsOf(s, values)
	e.noteDomains()
	e.conclude(parts)
	e.check(precision)
	return e.Estimate, nil
}

func (s Survey) byZone() ([][]Value, error) {
	fields := fault.Fields{}
	at, seen := map[int]int{}, map[string]bool{}
	for h, z := range s.Zones {
		at[z.Zone] = h
		fields.AddIf(!(z.AreaHa > 0), "zones", "Zone %d has no area.", z.Zone)
	}
	out := make([][]Value, len(s.Zones))
	for _, v := range s.Values {
		h, ok := at[v.Zone]
		switch {
		case !ok:
			fields.Addf("values", "%s: there is no zone %d.", v.Point, v.Zone)
			continue
		case !stats.Finite(v.Value):
			fields.Addf("values", "%s: the value is not a number.", v.Point)
		case seen[v.Point]:
			fields.Addf("values", "%s has two values; take their mean, or leave one out.", v.Point)
		}
		seen[v.Point] = true
		out[h] = append(out[h], v)
	}
	return out, fields.Err()
}

// estimator is an estimate under construction.
type estimator struct {
	Estimate
	designed bool // the design has standard errors
	local    bool // by localMean
}

// local reports whether a survey's points are spread so evenly that its variance is a local one.
func (s Survey) local() bool {
	return s.Probability && s.Placement == plan.SpatiallyBalanced && !s.pooled()
}

// meanPart returns the variance of the mean of points of a zone.
func (e *estimator) meanPart(values []Value) stats.Part {
	if e.local {
		return localMean(values)
	}
	_, variance, points := moments(values)
	return stats.OfMean(points, variance, len(values))
}

// begin returns an estimate without figures; reasons state why the design has no standard error.
func (s Survey) begin(confidence float64, reasons []string) *estimator {
	e := &estimator{designed: len(reasons) == 0}
	e.Confidence, e.Reasons, e.local = confidence, reasons, s.local()
	for _, z := range s.Zones {
		e.AreaHa += z.AreaHa
	}
	e.Zones = list.Map(s.Zones, func(z SurveyZone) ZoneEstimate {
		return ZoneEstimate{Zone: z.Zone, Draw: z.Draw, Field: z.Field, Weight: z.AreaHa / e.AreaHa}
	})
	return e
}

// reasons returns why a survey's design has no standard error; the prefix names the survey.
func (s Survey) reasons(prefix string) []string {
	why := "The points are not a probability sample"
	switch {
	case s.Probability:
		return nil
	case s.Placement == plan.Coverage:
		why = "The points were placed for an even coverage, not drawn at random"
	case s.Placement == plan.LatinHypercube:
		why = "The points were chosen to represent layers (a Latin hypercube), not drawn at random"
	case s.Custom:
		why = "Points were moved or added by hand"
	}
	return []string{prefix + why + ": the design has no standard error."}
}

func (e *estimator) note(format string, args ...any) {
	e.Notes = append(e.Notes, fmt.Sprintf(format, args...))
}

func (e *estimator) reason(format string, args ...any) {
	e.Reasons = append(e.Reasons, fmt.Sprintf(format, args...))
}

func (e *estimator) notePlacement() {
	if e.local {
		e.note("The points are spatially balanced; the standard error is that of the variance between neighbours, continued to the distances that they leave out.")
	}
}

func numbers(values []Value) []float64 {
	return list.Map(values, func(v Value) float64 { return v.Value })
}

func (e *estimator) zone(h int, values []Value) stats.Part {
	z := &e.Zones[h]
	mean, variance, points := moments(values)
	z.N, z.Units, z.Pooled = points, len(values), points > len(values)
	e.N += z.N
	if z.Units == 0 {
		e.reason("Zone %d has no value: there is no mean of the area.", z.Zone)
		return stats.Part{}
	}
	if z.Units == 1 {
		z.Figure = &Figure{Mean: mean}
		e.reason("Zone %d has one value; its variance needs two.", z.Zone)
		return stats.Part{}
	}
	sd := math.Sqrt(variance)
	z.SD = &sd
	c := e.meanPart(values)
	e.settle(h, mean, c)
	return c
}

// settle sets the mean of a zone, and its spread where the design has one.
func (e *estimator) settle(h int, mean float64, c stats.Part) {
	e.Zones[h].Figure = &Figure{Mean: mean}
	if e.designed {
		e.Zones[h].Figure.Spread = spread(mean, c.Variance, c.DF, e.Confidence)
	}
}

func spread(mean, variance, df, confidence float64) *Spread {
	se := math.Sqrt(variance)
	half := 0.0
	if se > 0 {
		half = stats.StudentQuantile(confidence, df) * se
	}
	return &Spread{SE: se, Low: mean - half, High: mean + half, DF: df}
}

// conclude estimates the area from the zones.
func (e *estimator) conclude(parts []stats.Part) {
	mean := 0.0
	weighted := make([]stats.Part, len(parts))
	for h, z := range e.Zones {
		if z.Figure == nil {
			return
		}
		mean += float64(z.Weight * z.Figure.Mean)
		weighted[h] = stats.Part{Variance: z.Weight * z.Weight * parts[h].Variance, DF: parts[h].DF}
	}
	e.Mean, e.Total = &Figure{Mean: mean}, &Figure{Mean: mean * e.AreaHa}
	if len(e.Reasons) > 0 {
		return
	}
	e.spreadOut(stats.Sum(weighted...))
}

// spreadOut sets the spread of the mean and the total of the area.
func (e *estimator) spreadOut(whole stats.Part) {
	mean := e.Mean.Mean
	s := spread(mean, whole.Variance, whole.DF, e.Confidence)
	e.Mean.Spread = s
	e.Total.Spread = s.times(e.AreaHa)
	if mean != 0 {
		relative := (s.High - s.Low) / 2 / math.Abs(mean)
		e.RelativeError = &relative
	}
}

// effect returns the variance of the mean divided by that of as many random points; 0 where these do not vary.
func (e *estimator) effect() float64 {
	random := 0.0
	for _, z := range e.Zones {
		random += float64(z.Weight * z.Weight * *z.SD * *z.SD / float64(z.N))
	}
	if random == 0 {
		return 0
	}
	return e.Mean.Spread.SE * e.Mean.Spread.SE / random
}

func (e *estimator) check(p plan.Precision) {
	if p.RelativeError <= 0 || e.RelativeError == nil || e.Mean.Mean <= 0 {
		return
	}
	strata := list.Map(e.Zones, func(z ZoneEstimate) plan.Stratum {
		return plan.Stratum{Weight: z.Weight, SD: *z.SD, Composites: z.composites()}
	})
	p.Student = true // the interval is one of Student's
	if e.local {
		p.DesignEffect = e.effect()
	}
	e.Needed = p.Needed(strata, e.Mean.Mean, plan.Proportional, plan.MinSamplesPerZone)
	if *e.RelativeError > p.RelativeError {
		e.note("The relative error is %.1f %%, over the %.1f %% planned for; by the deviations found that takes %d samples.",
			100**e.RelativeError, 100*p.RelativeError, e.Needed)
	}
}
