package cli

import (
	"math"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"tilth/core/phenology"
	"tilth/core/vegetation"
)

// seasonFlags ask for what a series says about the season.
type seasonFlags struct {
	smoothed, phenology bool
	smoothing           string
	settings            phenology.Settings
}

func (f *seasonFlags) add(to *pflag.FlagSet) {
	f.settings = phenology.DefaultSettings()
	to.BoolVar(&f.smoothed, "smoothed", false, "add a smoothed line with its band of uncertainty (json)")
	to.StringVar(&f.smoothing, "smoothing", string(phenology.Whittaker), "how the line is smoothed: "+strings.Join(each(phenology.Methods, func(m phenology.Method) string { return string(m) }), ", "))
	to.BoolVar(&f.phenology, "phenology", false, "add the growing cycles: start, peak and end (json)")
	to.Float64Var(&f.settings.Threshold, "threshold", f.settings.Threshold, "share of the amplitude at which a season starts and ends")
	to.Float64Var(&f.settings.MinAmplitude, "min-amplitude", f.settings.MinAmplitude, "smallest height of a peak, in units of the index")
	to.IntVar(&f.settings.MaxGap, "max-gap", f.settings.MaxGap, "largest gap between two observations, in days, in which a date is still stated")
}

// season returns what is asked for of a season, in the names of the interface.
func (f *seasonFlags) season(s vegetation.Series) (record, error) {
	method, err := phenology.ParseMethod(f.smoothing)
	if err == nil {
		err = f.settings.Check().Err()
	}
	if err != nil {
		return nil, err
	}
	var out record
	if f.smoothed {
		line := phenology.FitSeries(s, method)
		days := []record{}
		for _, run := range line.Runs {
			days = append(days, each(run, dayRecord)...)
		}
		out = append(out, record{
			{"smoothed", days}, {"smoothing", record{{"method", line.Method}, {"rmse", line.RMSE}, {"n", line.N}, {"reason", optional(line.Reason)}}},
		}...)
	}
	if f.phenology {
		found := phenology.Of(s, f.settings)
		out = append(out, record{{"phenology", record{
			{"threshold", f.settings.Threshold}, {"min_amplitude", f.settings.MinAmplitude}, {"max_gap", f.settings.MaxGap},
			{"cycles", each(found.Cycles, cycleRecord)}, {"reason", optional(found.Reason)},
		}}}...)
	}
	return out, nil
}

func dayRecord(d phenology.Day) record {
	limit := func(v float64) any {
		if math.IsNaN(v) {
			return nil
		}
		return v
	}
	return record{{"date", d.Date.Format(time.DateOnly)}, {"value", d.Value}, {"low", limit(d.Low)}, {"high", limit(d.High)}, {"seen", d.Seen}}
}

func cycleRecord(c phenology.Cycle) record {
	figure := func(f phenology.Figure) record { return record{{"value", f.Value}, {"sd", f.SD}} }
	return record{
		{"start", momentRecord(c.Start)}, {"peak", momentRecord(c.Peak)}, {"end", momentRecord(c.End)},
		{"length_days", figure(c.Length)}, {"base", figure(c.Base)}, {"peak_value", figure(c.PeakValue)}, {"amplitude", figure(c.Amplitude)},
		{"rise_per_day", figure(c.Rise)}, {"fall_per_day", figure(c.Fall)}, {"integral", figure(c.Integral)}, {"integral_above_base", figure(c.IntegralAbove)},
	}
}

func momentRecord(m phenology.Moment) record {
	date, between := any(nil), []string{}
	if m.Date != nil {
		date = m.Date.Format(time.DateOnly)
	}
	if m.Between != nil {
		between = append(between, m.Between[0].Format(time.DateOnly), m.Between[1].Format(time.DateOnly))
	}
	return record{{"date", date}, {"sd_days", m.SD}, {"reason", optional(string(m.Reason))}, {"between", between}}
}
