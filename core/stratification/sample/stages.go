package sample

import (
	"fmt"
	"slices"

	"tilth/core/stratification/internal/stats"
	"tilth/core/stratification/plan"
	"tilth/core/stratification/programme"
)

// staged reports whether a survey's strata are draws of fields.
func (s Survey) staged() bool { return len(s.Zones) > 0 && s.Zones[0].Draw > 0 }

// meanOfDraws estimates the mean of a survey in two stages: the mean of the means of its draws of fields, weighted equally,
// with the variance between them; see programme.MeanOfDraws. A note names each draw that is left out because it has no value.
func (e *estimator) meanOfDraws(s Survey, values [][]Value) {
	fewer := 0
	for h := range values {
		e.draw(h, values[h])
		if n := len(values[h]); n > 0 && n < s.Zones[h].Planned {
			fewer++
		}
	}
	if fewer > 0 {
		e.note("%s values of fewer points than planned. The estimate holds if the others are missing by chance.", counted(fewer, "draw of a field has", "draws of fields have"))
	}
	e.concludeDraws(s.drawNames())
}

// draw sets what is known about a draw: the mean of its points is that of its field.
func (e *estimator) draw(h int, values []Value) {
	z := &e.Zones[h]
	z.N, z.Units = len(values), len(values)
	e.N += z.N
	if z.N == 0 {
		return
	}
	mean, variance := stats.MeanAndVariance(numbers(values))
	z.Figure = &Figure{Mean: mean}
	if z.N > 1 {
		_, sd := stats.MeanAndSD(numbers(values))
		z.SD = &sd
		e.settle(h, mean, stats.OfMean(z.N, variance, z.N))
	}
}

// concludeDraws estimates the area from the draws that have a figure.
func (e *estimator) concludeDraws(name func(draw int) string) {
	var means []float64
	for _, z := range e.Zones {
		if z.Figure != nil {
			means = append(means, z.Figure.Mean)
		} else {
			e.note("%s has no sample with a value and is left out. The estimate is of the others, and holds if it is missing by chance.", name(z.Draw))
		}
	}
	for h := range e.Zones {
		e.Zones[h].Weight = 0
		if e.Zones[h].Figure != nil {
			e.Zones[h].Weight = 1 / float64(len(means))
		}
	}
	if len(means) == 0 {
		e.reason("No draw of a field has a value: there is no mean of the area.")
		return
	}
	mean, part := programme.MeanOfDraws(means)
	e.Mean, e.Total = &Figure{Mean: mean}, &Figure{Mean: mean * e.AreaHa}
	if part == nil {
		e.reason("One draw of a field has values; the variance needs two.")
	}
	if len(e.Reasons) > 0 {
		return
	}
	e.spreadOut(*part)
	e.note("The standard error is that of %d draws of fields, however many points each has.", len(means))
}

// neededDraws sets the number of samples for a precision from the variance found between draws.
func (e *estimator) neededDraws(p plan.Precision, s Survey) {
	if p.RelativeError <= 0 || e.RelativeError == nil || e.Mean.Mean <= 0 {
		return
	}
	draws, points := 0, 0
	for h, z := range e.Zones {
		draws += min(1, z.N)
		points = max(points, s.Zones[h].Planned)
	}
	se := e.Mean.Spread.SE
	needed := p.Draws(se*se*float64(draws), e.Mean.Mean)
	e.Needed = needed * points
	if *e.RelativeError > p.RelativeError {
		e.note("The relative error is %.1f %%, over the %.1f %% planned for; by the deviations found that takes %d draws of %d points.",
			100**e.RelativeError, 100*p.RelativeError, needed, points)
	}
}

// drawNames returns a function that names draws, with the field that was drawn where that is known.
func (s Survey) drawNames() func(draw int) string {
	return func(draw int) string {
		for _, z := range s.Zones {
			if z.Draw == draw && z.Field > 0 && z.Field <= len(s.Land) {
				return fmt.Sprintf("Draw %d, of %s,", draw, s.Land[z.Field-1].FieldName)
			}
			if z.Draw == draw && z.Field > 0 {
				return fmt.Sprintf("Draw %d, of field %d,", draw, z.Field)
			}
		}
		return fmt.Sprintf("Draw %d", draw)
	}
}

// drawnDomain estimates a field from its own points, which are random points of it, or a farm of several fields from the
// draws of these fields. Given their number, these draws are a sample of the farm in two stages.
func (e *estimator) drawnDomain(d *Domain, s Survey, values [][]Value, fields []int) {
	var own, means []float64
	for h, z := range s.Zones {
		if slices.Contains(fields, z.Field-1) && len(values[h]) > 0 {
			mean, _ := stats.MeanAndVariance(numbers(values[h]))
			own, means = append(own, numbers(values[h])...), append(means, mean)
		}
	}
	d.N = len(own)
	drawn := slices.ContainsFunc(s.Zones, func(z SurveyZone) bool { return slices.Contains(fields, z.Field-1) })
	switch {
	case !drawn && len(fields) == 1:
		d.Reason = "The field was not drawn: the draws of others speak for it in the mean of the area."
		return
	case !drawn:
		d.Reason = "None of the farm's fields was drawn: the draws of others speak for them in the mean of the area."
		return
	case d.N == 0:
		d.Reason = "Too few: no point has a value."
		return
	}
	mean, variance := stats.MeanAndVariance(own)
	part, few := stats.OfMean(len(own), variance, len(own)), "Too few: one point has a value; a standard error needs two."
	enough := len(own) > 1
	if len(fields) > 1 {
		var between *stats.Part
		mean, between = programme.MeanOfDraws(means)
		if between != nil {
			part = *between
		}
		enough, few = between != nil, "Too few: one draw of its fields has values; a standard error needs two."
	}
	d.Figure, d.Total = &Figure{Mean: mean}, &Figure{Mean: mean * d.AreaHa}
	switch {
	case !e.designed:
		d.Reason = e.Reasons[0]
	case !enough:
		d.Reason = few
	default:
		d.Figure.Spread = spread(mean, part.Variance, part.DF, e.Confidence)
		d.Total.Spread = d.Figure.Spread.times(d.AreaHa)
	}
}

// changeOfDraws estimates the change between two rounds of which one or both are in two stages. Rounds of the same
// draws are paired by draw: the change of a draw is that at its points of both rounds or, without any, the difference of
// its means. The variance is that between draws, which includes the covariance of the rounds. Otherwise the rounds are
// independent samples of the same area, and their variances add up.
func (e *estimator) changeOfDraws(first, second Survey, before, after [][]Value) error {
	same := slices.EqualFunc(first.Zones, second.Zones, func(a, b SurveyZone) bool { return a.Draw == b.Draw && a.Field == b.Field })
	if !same {
		return e.changeOfMeans(first, second)
	}
	unpaired, others := 0, 0
	for h := range before {
		both := overlapOf(before[h], after[h])
		z := &e.Zones[h]
		switch z.Pairs = len(both.changes); {
		case z.Pairs > 0:
			z.Paired = true
			others += min(1, len(both.before)+len(both.after))
			e.draw(h, both.changes)
		case len(before[h]) > 0 && len(after[h]) > 0:
			earlier, _ := stats.MeanAndVariance(numbers(both.before))
			later, _ := stats.MeanAndVariance(numbers(both.after))
			z.Figure, z.N = &Figure{Mean: later - earlier}, min(len(both.before), len(both.after))
			e.N += z.N
			unpaired++
		}
	}
	if others > 0 {
		e.note("%s points of one round alone; the change there is that at the points of both.", counted(others, "draw of a field has", "draws of fields have"))
	}
	if unpaired > 0 {
		e.note("%s no point of both rounds; the change there is the difference of the means.", counted(unpaired, "draw of a field has", "draws of fields have"))
	}
	e.concludeDraws(second.drawNames())
	return nil
}

// changeOfMeans estimates the change between two independent rounds.
func (e *estimator) changeOfMeans(first, second Survey) error {
	p := plan.Precision{Confidence: e.Confidence}
	first.Land, second.Land = nil, nil
	before, err := MeanOf(first, p)
	if err != nil {
		return err
	}
	after, err := MeanOf(second, p)
	if err != nil {
		return err
	}
	e.Zones = nil
	e.N = min(before.N, after.N)
	e.note("The rounds are of other draws of fields, or one is drawn in two stages and the other by zones: they count as independent samples.")
	for i, round := range []Estimate{before, after} {
		for _, n := range round.Notes {
			e.note("%s round: %s", []string{"First", "Second"}[i], n)
		}
		if round.Mean == nil || round.Mean.Spread == nil {
			e.Reasons = append(e.Reasons, round.Reasons...)
		}
	}
	if before.Mean == nil || after.Mean == nil {
		return nil
	}
	mean := after.Mean.Mean - before.Mean.Mean
	e.Mean, e.Total = &Figure{Mean: mean}, &Figure{Mean: mean * e.AreaHa}
	if len(e.Reasons) == 0 {
		e.spreadOut(stats.Sum(before.Mean.Spread.part(), after.Mean.Spread.part()))
	}
	return nil
}

func (s *Spread) part() stats.Part { return stats.Part{Variance: s.SE * s.SE, DF: s.DF} }
