package satellite

import (
	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	"tilth/app/satellite"
	"tilth/core/vegetation"
)

// ProfilePoint is a point of a profile.
type ProfilePoint struct {
	Date  rest.Date `json:"date"`
	Value float64   `json:"value" doc:"Arithmetic mean of the index over the valid pixels."`
}

// Observation is what stands behind a point.
type Observation struct {
	Date     rest.Date `json:"date"`
	Value    float64   `json:"value"`
	Coverage float64   `json:"coverage" doc:"Valid pixels / pixels in the field."`
	NValid   int       `json:"n_valid"`
	NPolygon int       `json:"n_polygon"`
	Median   float64   `json:"median"`
	Std      float64   `json:"std" doc:"Population standard deviation."`
	Min      float64   `json:"min"`
	Max      float64   `json:"max"`
	P10      float64   `json:"p10"`
	P90      float64   `json:"p90"`
	Items    []string  `json:"items" doc:"Ids of the scenes."`
	Offsets  []Offset  `json:"offsets" doc:"Of each scene, in the order of items: what was added to its digital numbers, and what decided it."`
}

// Offset is what turned the digital numbers of a scene into reflectance.
type Offset struct {
	Item   string  `json:"item" doc:"Id of the scene."`
	Offset float64 `json:"offset" doc:"Reflectance = digital number * scale + offset."`
	Basis  string  `json:"basis" enum:"item,baseline,pixels,flag" doc:"What decided it: the catalog's item, ESA's rule by processing baseline, the pixels, or the item's flag."`
}

// Rejection is a date that is not in the profile.
type Rejection struct {
	Date     rest.Date `json:"date"`
	Reason   string    `json:"reason" enum:"cloud,nodata,partial,error,too_few"`
	Coverage float64   `json:"coverage"`
	NValid   int       `json:"n_valid"`
	NPolygon int       `json:"n_polygon"`
	Items    []string  `json:"items"`
	Note     *string   `json:"note" doc:"With the reason error: what could not be read."`
}

// Profile is an order with its series.
type Profile struct {
	ProfileOrder
	Refreshing   bool            `json:"refreshing" doc:"The archive is being searched again, as it is for a season that can still bring something and was last checked over a day ago: a later retrieve may show more."`
	Profile      []ProfilePoint  `json:"profile"`
	Smoothed     *[]ProfilePoint `json:"smoothed,omitempty" doc:"With ?smoothed=true: a value a day, from the first accepted date to the last, without gaps of more than 45 days."`
	Observations *[]Observation  `json:"observations,omitempty" doc:"With ?detail=true."`
	Rejected     *[]Rejection    `json:"rejected,omitempty" doc:"With ?detail=true."`
}

func showProfile(p satellite.Profile, detail bool) Profile {
	out := Profile{
		ProfileOrder: showOrder(p.Order), Refreshing: p.Refreshing,
		Profile: form.Each(p.Series.Observations, func(o vegetation.Observation) ProfilePoint { return ProfilePoint{rest.DateOf(o.Date), o.Value} }),
	}
	if detail {
		out.Observations = new(form.Each(p.Series.Observations, showObservation))
		out.Rejected = new(form.Each(p.Series.Rejected, func(r vegetation.Rejection) Rejection {
			return Rejection{rest.DateOf(r.Date), string(r.Reason), r.Coverage, r.NValid, r.NPolygon, r.Items, form.OrNull(r.Note)}
		}))
	}
	return out
}

func showObservation(o vegetation.Observation) Observation {
	return Observation{
		rest.DateOf(o.Date), o.Value, o.Coverage, o.NValid, o.NPolygon, o.Median, o.Std, o.Min, o.Max, o.P10, o.P90, o.Items,
		form.Each(o.Offsets, func(o vegetation.AppliedOffset) Offset { return Offset{o.Item, o.Offset, string(o.Basis)} }),
	}
}
