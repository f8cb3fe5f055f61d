package labtable

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"tilth/core/fault"
	"tilth/core/stratification/sample"
)

// Repeats resolves labels that occur in several rows. Rows that state the same count once. If mean is set, other
// rows are merged: their measured values are averaged, and of everything else the first statement counts.
// Otherwise each of them is refused.
func Repeats(rows []Row, mean bool) {
	of := map[string][]int{}
	for i, r := range rows {
		if r.Label != "" {
			of[r.Label] = append(of[r.Label], i)
		}
	}
	for label, places := range of {
		if len(places) < 2 {
			continue
		}
		first := &rows[places[0]]
		same, sound := true, true
		for _, i := range places {
			same = same && reflect.DeepEqual(rows[i].Says, first.Says)
			sound = sound && len(rows[i].Errors) == 0
		}
		named := strings.ReplaceAll(strings.Trim(fmt.Sprint(places), "[]"), " ", ", ")
		switch {
		case sound && same:
			instead(rows, places, "says the same as row %d.")
		case sound && mean:
			first.Says = meanOf(rows, places)
			first.Remarks = append(first.Remarks, fmt.Sprintf("It is the mean of rows %s.", named))
			instead(rows, places, "is in the mean of row %d.")
		default:
			for _, i := range places {
				rows[i].Errors.Addf("label", "%q occurs in rows %s, which differ. Fix: leave out all but one, or take their mean (repeats=mean).", label, named)
			}
		}
	}
}

// instead makes the first of the rows stand for the others.
func instead(rows []Row, places []int, why string) {
	for _, i := range places[1:] {
		rows[i].Instead = places[0]
		rows[i].Remarks = append(rows[i].Remarks, "It "+fmt.Sprintf(why, places[0]))
	}
}

func meanOf(rows []Row, places []int) Says {
	var out Says
	said := func(of func(Says) *float64) (values []float64) {
		for _, i := range places {
			if v := of(rows[i].Says); v != nil {
				values = append(values, *v)
			}
		}
		return values
	}
	mean := func(values []float64) *float64 {
		if len(values) == 0 {
			return nil
		}
		sum := 0.0
		for _, v := range values {
			sum += v
		}
		sum /= float64(len(values))
		return &sum
	}
	carbon := said(func(s Says) *float64 { return s.SOCPct })
	out.SOCPct = mean(carbon)
	if limits := said(func(s Says) *float64 { return s.SOCLimitPct }); len(limits) == len(carbon) {
		out.SOCLimitPct = mean(limits) // every result is below its limit
	}
	out.BulkDensity = mean(said(func(s Says) *float64 { return s.BulkDensity }))
	out.Fragments = mean(said(func(s Says) *float64 { return s.Fragments }))
	for _, i := range slices.Backward(places) { // the first statement is set last, so that it counts
		s := rows[i].Says
		over(&out.Status, s.Status)
		over(&out.Notes, s.Notes)
		over(&out.At, s.At)
		over(&out.AccuracyM, s.AccuracyM)
		over(&out.CollectedAt, s.CollectedAt)
		over(&out.CollectedBy, s.CollectedBy)
		over(&out.Method, s.Method)
		over(&out.Ref, s.Ref)
		over(&out.AnalysedAt, s.AnalysedAt)
	}
	return out
}

// Apply returns the sample as changed by the row; what the row does not state stays. For a sample that nobody has
// collected, a row without a date takes the day of the sample's round.
//
// Faults: Invalid with the field where neither the row nor the round has a date.
func (r Row) Apply(current sample.Sample) (after sample.Sample, remarks []string, wrong fault.Fields) {
	s := r.Says
	after, wrong = current, fault.Fields{}
	over(&after.Status, s.Status)
	over(&after.Notes, s.Notes)
	after.Lab = s.analysis(current.Lab)
	if s.Taken || s.At != nil || s.AccuracyM != nil || s.CollectedAt != nil || s.CollectedBy != "" || after.Lab != nil && current.Collected == nil {
		c := sample.Collected{}
		if current.Collected != nil {
			c = *current.Collected
		}
		over(&c.LonLat, s.At)
		over(&c.AccuracyM, s.AccuracyM)
		over(&c.By, s.CollectedBy)
		if s.CollectedAt != nil {
			c.At = *s.CollectedAt
		}
		switch day := current.SampledOn; {
		case !c.At.IsZero():
		case day != nil:
			c.At = *day
			remarks = append(remarks, fmt.Sprintf("collected_at: the day of round %d, %s, is used.", current.Round, day.Format(time.DateOnly)))
		default:
			wrong.Addf("collected_at", "No date states when the sample was taken. Fix: add a column collected_at, or state the day of round %d (sampled_on).", current.Round)
		}
		after.Collected = &c
	}
	after.Advance(current)
	return after, remarks, wrong
}

// Pooling returns what is wrong with a row in terms of composites. of holds the sample with the row's label, or the samples of the composite
// with that label that were not missed, or else its first. A composite has no place, and the result for pooled soil is that of the composite.
func (r Row) Pooling(of []sample.Sample) fault.Fields {
	wrong := fault.Fields{}
	if of[0].Label != r.Label {
		wrong.AddIf(of[0].Status == sample.StatusMissed, "label", "All samples of the composite %s were missed.", r.Label)
		wrong.AddIf(r.Says.At != nil || r.Says.AccuracyM != nil, "lon", "A composite has no place. Fix: send places under the labels of its samples.")
		return wrong
	}
	says := r.Says.SOCPct != nil || r.Says.BulkDensity != nil || r.Says.Fragments != nil
	if says && of[0].Composite != "" && !reflect.DeepEqual(r.Says.analysis(of[0].Lab), of[0].Lab) {
		wrong.Addf("label", "The soil of %s is in the composite %s, whose result applies to it. Fix: send the result under that label.", r.Label, of[0].CompositeLabel())
	}
	return wrong
}

// analysis returns a laboratory's result as changed by a row.
func (s Says) analysis(known *sample.Lab) *sample.Lab {
	if s.SOCPct == nil && s.BulkDensity == nil && s.Fragments == nil && s.AnalysedAt == nil && s.Method == "" && s.Ref == "" {
		return known
	}
	l := sample.Lab{SOCPct: -1} // without a share of carbon there is no analysis: the rules refuse this one
	if known != nil {
		l = *known
	}
	if s.SOCPct != nil {
		l.SOCPct, l.SOCLimitPct = *s.SOCPct, s.SOCLimitPct
	}
	over(&l.BulkDensity, s.BulkDensity)
	over(&l.CoarseFragmentsPct, s.Fragments)
	over(&l.Method, s.Method)
	over(&l.Ref, s.Ref)
	over(&l.At, s.AnalysedAt)
	return &l
}

// over sets what a row states; what the row leaves out stays.
func over[T comparable](at *T, said T) {
	if said != *new(T) {
		*at = said
	}
}
