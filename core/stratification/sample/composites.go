package sample

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"tilth/core/geo"
	"tilth/core/stratification/internal/stats"
	"tilth/core/stratification/plan"
)

// CompositeLabel returns the label on the bag of the composite that a sample is part of, such as P7-Z2-C1-0-30; empty where
// it is part of none.
func (s *Sample) CompositeLabel() string {
	if s.Composite == "" {
		return ""
	}
	of := *s
	of.Point = s.Composite
	return of.DefaultLabel()
}

// Bag returns the label on the bag into which the soil of a sample goes: that of its composite, or its own.
func (s *Sample) Bag() string { return cmp.Or(s.CompositeLabel(), s.Label) }

var compositeLabels = regexp.MustCompile(`^P(\d{1,18})(-r\d+)?-Z\d+-C\d+-[0-9.]+-[0-9.]+$`)

// PlanOfComposite returns the id of the plan in the label of a composite; false for any other text.
func PlanOfComposite(label string) (planID int64, ok bool) {
	parts := compositeLabels.FindStringSubmatch(label)
	if parts == nil {
		return 0, false
	}
	planID, err := strconv.ParseInt(parts[1], 10, 64)
	return planID, err == nil
}

// CheckComposite returns what is wrong with the composite of a sample, where the samples of each zone are pooled into
// perZone composites; empty where nothing is wrong.
func (s *Sample) CheckComposite(perZone int) string {
	for n := range perZone {
		if s.Composite == plan.CompositeID(s.Zone, n+1) && s.Role != plan.RoleLegacy {
			return ""
		}
	}
	switch {
	case s.Composite == "":
		return ""
	case perZone == 0:
		return "The plan of the sample does not pool samples into composites."
	case s.Role == plan.RoleLegacy:
		return "Legacy points are not part of composites."
	}
	return fmt.Sprintf("The composites of the sample's zone are %s to %s.", plan.CompositeID(s.Zone, 1), plan.CompositeID(s.Zone, perZone))
}

// pooled reports whether a value is that of a composite.
func (v Value) pooled() bool { return len(v.Places) > 0 }

// points returns the number of points of which a value is the mean.
func (v Value) points() int { return max(1, len(v.Places)) }

// pooled reports whether values of a survey are those of composites.
func (s Survey) pooled() bool {
	for _, v := range s.Values {
		if v.pooled() {
			return true
		}
	}
	return false
}

// moments returns the mean of the points of a zone and the variance between points, from the values of b points or
// composites. A composite is the mean of the points that were dealt to it at random, so that its variance is S²/n_k,
//
//	ȳ = Σ n_k y_k / n    s² = Σ n_k (y_k - ȳ)² / (b-1)    V(ȳ) = s²/n    f = b-1
//
// which is the mean square between random groups, and unbiased for groups of unlike size as well (Wolter, "Introduction to
// Variance Estimation" (2007), chapter 2, on random groups; Snedecor and Cochran, "Statistical Methods" (1989), section
// 13.2, on the mean square between classes of unlike size). With equal sizes V is the variance between composites over b.
func moments(values []Value) (mean, variance float64, points int) {
	for _, v := range values {
		points += v.points()
	}
	if points == len(values) {
		mean, variance = stats.MeanAndVariance(numbers(values))
		return mean, variance, points
	}
	for _, v := range values {
		mean += float64(float64(v.points())*v.Value) / float64(points)
	}
	if len(values) > 1 {
		for _, v := range values {
			variance += float64(float64(v.points())*(v.Value-mean)*(v.Value-mean)) / float64(len(values)-1)
		}
	}
	return mean, variance, points
}

// composites returns the number of composites into which the samples of a zone are pooled; 0 where they are not.
func (z ZoneEstimate) composites() int {
	if z.Pooled {
		return z.Units
	}
	return 0
}

// pool enters the analysis of a sample in the profile of its composite, which has one result in each interval.
func (p *Profile) pool(s Sample, d DepthInterval) {
	if !slices.Contains(p.Places, s.Planned) {
		p.Places = append(p.Places, s.Planned)
	}
	for _, known := range p.Intervals {
		if known == d {
			return
		}
		if known.FromCm == d.FromCm && known.ToCm == d.ToCm {
			p.Wrong = fmt.Sprintf("its samples have different results between %g and %g cm; import that of the composite under its label", d.FromCm, d.ToCm)
			return
		}
	}
	p.Intervals = append(p.Intervals, d)
}

// samePoints reports whether two values are of the same point, or of composites of the same points.
func samePoints(a, b Value) bool {
	if !a.pooled() && !b.pooled() {
		return geo.Distance(a.At, b.At) <= samePlace
	}
	if len(a.Places) != len(b.Places) {
		return false
	}
	used := make([]bool, len(b.Places))
	for _, at := range a.Places {
		found := false
		for i, other := range b.Places {
			if found = !used[i] && geo.Distance(at, other) <= samePlace; found {
				used[i] = true
				break
			}
		}
		if !found {
			return false
		}
	}
	return true
}

// noPooledDomains is the reason why fields and farms have no estimate where samples are pooled.
const noPooledDomains = "The samples are pooled into composites, whose soil may be of several fields. Fix: for estimates by field and farm, sample without composites."

// notePooled adds notes on what the values of composites are.
func (e *estimator) notePooled(s Survey) {
	composites, points := 0, 0
	for _, v := range s.Values {
		if v.pooled() {
			composites++
			points += v.points()
		}
	}
	if composites == 0 {
		return
	}
	e.note("%d composites hold the soil of %d points, dealt to them at random; each counts by its points, and the standard error is that between composites.", composites, points)
	if s.Probability && s.Placement == plan.SpatiallyBalanced {
		e.note("Composites do not say how alike neighbours are: the standard error is that of random points, which is too large for spatially balanced ones.")
	}
}
