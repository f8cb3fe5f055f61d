package satellite

import (
	"math"
	"time"

	"tilth/adapters/http/member"
	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	"tilth/core/phenology"
	"tilth/core/vegetation"
)

// SmoothedPoint is a day of a smoothed line.
type SmoothedPoint struct {
	Date  member.Date `json:"date" doc:"The day."`
	Value float64     `json:"value" doc:"The line on that day."`
	Low   *float64    `json:"low" doc:"Lower limit of the band that holds the index of the field with a probability of 95 %; null where there are too few observations to tell how much they scatter."`
	High  *float64    `json:"high" doc:"Upper limit of the band."`
	Seen  bool        `json:"seen" doc:"False in a gap of more than 16 days between observations: the line is a guess there."`
}

// Smoothing states how a smoothed line was drawn.
type Smoothing struct {
	Method string  `json:"method" enum:"whittaker,savitzky_golay,harmonic,double_logistic" doc:"The requested method; default whittaker."`
	RMSE   float64 `json:"rmse" doc:"Root mean square of the differences between the observations and the line."`
	N      int     `json:"n" doc:"Number of observations."`
	Reason *string `json:"reason" doc:"Why there is no line; null: there is one."`
}

// Phenology is what the series shows about the season.
type Phenology struct {
	Threshold    float64        `json:"threshold" doc:"Share of the rise at which a season starts, and of the fall at which it ends."`
	MinAmplitude float64        `json:"min_amplitude" doc:"Least height of a peak, in units of the index."`
	MaxGap       int            `json:"max_gap" doc:"The longest gap between two observations, in days, within which a date is stated."`
	Cycles       []GrowingCycle `json:"cycles" doc:"The growing cycles, in order."`
	Reason       *string        `json:"reason" doc:"Why there is no cycle; null: there is one."`
}

// GrowingCycle is the growth and ripening of a crop.
type GrowingCycle struct {
	Start             CycleDate   `json:"start" doc:"When the line last rose above the threshold before the peak."`
	Peak              CycleDate   `json:"peak" doc:"When it was highest."`
	End               CycleDate   `json:"end" doc:"When it first fell below the threshold after the peak."`
	LengthDays        CycleFigure `json:"length_days" doc:"Days from start to end."`
	Base              CycleFigure `json:"base" doc:"Mean of the lowest values before and after the peak; only one of them where the other was not seen."`
	PeakValue         CycleFigure `json:"peak_value" doc:"The index at the peak."`
	Amplitude         CycleFigure `json:"amplitude" doc:"From the base to the peak."`
	RisePerDay        CycleFigure `json:"rise_per_day" doc:"Change of the index per day between 20 and 80 % of the rise."`
	FallPerDay        CycleFigure `json:"fall_per_day" doc:"Likewise for the fall, as a positive number."`
	Integral          CycleFigure `json:"integral" doc:"Sum of the index over the days from start to end."`
	IntegralAboveBase CycleFigure `json:"integral_above_base" doc:"Likewise for what is above the base."`
}

// CycleDate is a date of a growing cycle.
type CycleDate struct {
	Date    *member.Date  `json:"date" doc:"The day; null: not known, see reason."`
	SDDays  *float64      `json:"sd_days" doc:"Standard deviation in days, by leaving out one observation at a time; null: not known."`
	Reason  *string       `json:"reason" enum:"began_before,not_over,gap,peak_unknown" doc:"began_before: the first observation is above the threshold already, or the highest. not_over: the line has not come down to it by the last one, or is highest there; a start is then measured from the highest value so far. gap: it lies between two observations that are too far apart. peak_unknown: it is measured from a peak that lies in such a gap."`
	Between []member.Date `json:"between" doc:"With the reason gap: the observations before and after; otherwise empty."`
}

// CycleFigure is a figure of a growing cycle.
type CycleFigure struct {
	Value *float64 `json:"value" doc:"Null: not known."`
	SD    *float64 `json:"sd" doc:"Standard deviation, by leaving out one observation at a time; null: not known."`
}

// seasonParams request what a series shows about the season.
var seasonParams = []rest.Param{
	{Name: "smoothed", Type: rest.Boolean, Description: "Adds a smoothed line, with one value per day and its band of uncertainty."},
	{Name: "smoothing", Type: rest.String, Enum: form.Strings(phenology.Methods), Description: "How the smoothed line is drawn: whittaker (second differences, weighted with the coverage; the default), " +
		"savitzky_golay (polynomials of the second degree over 31 days), harmonic (waves of a year and half a year) or double_logistic (one growing cycle)."},
	{Name: "phenology", Type: rest.Boolean, Description: "Adds the growing cycles: start, peak, end, length, amplitude, rates and integrals, each with its uncertainty."},
	{Name: "threshold", Type: rest.Number, Description: "Share of the amplitude at which a season starts and ends, 0.05 to 0.95; default 0.2."},
	{Name: "min_amplitude", Type: rest.Number, Description: "Least height of a peak, in units of the index; default 0.1."},
	{Name: "max_gap", Type: rest.Integer, Description: "The longest gap between two observations, in days, within which a date is stated, 1 to 45; default 25."},
}

type seasonInput struct {
	Smoothed     bool     `query:"smoothed"`
	Smoothing    string   `query:"smoothing"`
	Phenology    bool     `query:"phenology"`
	Threshold    *float64 `query:"threshold"`
	MinAmplitude *float64 `query:"min_amplitude"`
	MaxGap       *int64   `query:"max_gap"`
}

// settings returns the settings for measuring cycles. Faults: Invalid (threshold, min_amplitude, max_gap).
func (in seasonInput) settings() (phenology.Settings, error) {
	out := phenology.DefaultSettings()
	if in.Threshold != nil {
		out.Threshold = *in.Threshold
	}
	if in.MinAmplitude != nil {
		out.MinAmplitude = *in.MinAmplitude
	}
	if in.MaxGap != nil {
		out.MaxGap = int(*in.MaxGap)
	}
	return out, out.Check().Err()
}

// showSeason adds what is requested about the season to a profile.
func (in seasonInput) showSeason(out *Profile, s vegetation.Series) error {
	settings, err := in.settings()
	if err != nil {
		return err
	}
	method, err := phenology.ParseMethod(in.Smoothing)
	if err != nil {
		return err
	}
	if in.Smoothed {
		line := phenology.FitSeries(s, method)
		days := []SmoothedPoint{}
		for _, run := range line.Runs {
			days = append(days, form.Each(run, showDay)...)
		}
		out.Smoothed, out.Smoothing = &days, &Smoothing{string(line.Method), line.RMSE, line.N, form.OrNull(line.Reason)}
	}
	if in.Phenology {
		found := phenology.Of(s, settings)
		out.Phenology = &Phenology{settings.Threshold, settings.MinAmplitude, settings.MaxGap, form.Each(found.Cycles, showCycle), form.OrNull(found.Reason)}
	}
	return nil
}

func showDay(d phenology.Day) SmoothedPoint {
	known := !math.IsNaN(d.Low)
	return SmoothedPoint{member.DateOf(d.Date), d.Value, form.If(known, d.Low), form.If(known, d.High), d.Seen}
}

func showCycle(c phenology.Cycle) GrowingCycle {
	figure := func(f phenology.Figure) CycleFigure { return CycleFigure(f) }
	return GrowingCycle{
		showMoment(c.Start), showMoment(c.Peak), showMoment(c.End), figure(c.Length), figure(c.Base), figure(c.PeakValue), figure(c.Amplitude),
		figure(c.Rise), figure(c.Fall), figure(c.Integral), figure(c.IntegralAbove),
	}
}

func showMoment(m phenology.Moment) CycleDate {
	var between []time.Time
	if m.Between != nil {
		between = m.Between[:]
	}
	return CycleDate{form.Pointed(m.Date, member.DateOf), m.SD, form.OrNull(string(m.Reason)), form.Each(between, member.DateOf)}
}
