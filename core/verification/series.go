package verification

import (
	"time"

	"tilth/core/cropcheck"
	"tilth/core/vegetation"
)

// NewSeries joins the NDVI of a season with its EVI, which may be nil: only dates that both have count.
func NewSeries(from, to time.Time, ndvi vegetation.Series, evi *vegetation.Series) Series {
	s := Series{
		From: from, To: to, Algorithm: vegetation.Algorithm, Synthetic: ndvi.Synthetic, HasEVI: evi != nil,
		Rejected: len(ndvi.Rejected), Dates: []cropcheck.Observation{},
	}
	second := map[time.Time]float64{}
	if evi != nil {
		for _, o := range evi.Observations {
			second[o.Date] = o.Value
		}
	}
	for _, o := range ndvi.Observations {
		value, both := second[o.Date]
		if evi == nil || both {
			s.Dates = append(s.Dates, cropcheck.Observation{Date: o.Date, NDVI: o.Value, EVI: value, Coverage: o.Coverage})
		}
	}
	return s
}

// Judged records the verdict on the field.
func (f *Field) Judged(r cropcheck.Result) {
	f.Verdict, f.Reason, f.Text, f.Confidence = Status(r.Verdict), Reason(r.Reason), r.Text, r.Confidence
	f.Resembles = r.Resembles
	f.Ranking = append([]cropcheck.Ranked{}, r.Ranking...)
}
