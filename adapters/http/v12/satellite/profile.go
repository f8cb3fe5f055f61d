package satellite

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"tilth/adapters/http/member"
	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	"tilth/app/satellite"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/core/vegetation"
	"tilth/ports"
)

// ProfilePoint is a point of a profile.
type ProfilePoint struct {
	Date  member.Date `json:"date" doc:"Day of the observation, in solar time at the field."`
	Value float64     `json:"value" doc:"Arithmetic mean of the index over the valid pixels."`
	// Sensor is an addition to the specification.
	Sensor *Sensor `json:"sensor,omitempty" doc:"For a harmonised series: where the point comes from, and what was adjusted."`
}

// Sensor describes the source of a harmonised point.
type Sensor struct {
	Dataset     string       `json:"dataset" doc:"The data set of the archive that the scenes belong to."`
	Platform    string       `json:"platform" doc:"The satellite, as sentinel-2a."`
	Adjusted    []Adjustment `json:"adjusted" doc:"What was done to the bands: slope * reflectance + offset."`
	Source      *string      `json:"source" doc:"Where the coefficients come from."`
	NotAdjusted []string     `json:"not_adjusted" doc:"Bands of the index whose spectral response is not that of Landsat 8, and brdf where the angles of view and sun are not normalised."`
}

// Adjustment is a linear adjustment of a band.
type Adjustment struct {
	Band   string  `json:"band" doc:"The band, by its role in the index."`
	Slope  float64 `json:"slope" doc:"What reflectance is multiplied by."`
	Offset float64 `json:"offset" doc:"What is then added, in reflectance."`
}

func showSensor(s vegetation.Sensor) Sensor {
	return Sensor{
		string(s.Dataset), s.Platform,
		form.Each(s.Adjusted, func(a vegetation.Adjustment) Adjustment { return Adjustment{string(a.Band), a.Slope, a.Offset} }),
		form.OrNull(s.Source), append([]string{}, s.NotAdjusted...),
	}
}

// Observation has the data behind a point.
type Observation struct {
	Date       member.Date    `json:"date" doc:"Day of the observation, in solar time at the field."`
	Value      float64        `json:"value" doc:"Arithmetic mean of the index over the valid pixels."`
	Coverage   float64        `json:"coverage" doc:"Valid pixels / pixels in the field."`
	NValid     int            `json:"n_valid" doc:"Pixels with a value."`
	NPolygon   int            `json:"n_polygon" doc:"Pixels of the field."`
	Median     float64        `json:"median" doc:"Median of the index over the valid pixels."`
	Std        float64        `json:"std" doc:"Population standard deviation."`
	Min        float64        `json:"min" doc:"Smallest index of a valid pixel."`
	Max        float64        `json:"max" doc:"Largest index of a valid pixel."`
	P10        float64        `json:"p10" doc:"10th percentile of the index, linear between the values."`
	P90        float64        `json:"p90" doc:"90th percentile of the index, linear between the values."`
	Histogram  []HistogramBin `json:"histogram" doc:"Distribution of the index over the valid pixels: the bins of 0.05 that are not empty, the outermost at -20 and 20. Empty where the series was made by an older release."`
	Entropy    *float64       `json:"entropy" doc:"Shannon's entropy of the histogram, in bits: 0 where all pixels lie in one bin; null without a histogram."`
	ShareBelow *float64       `json:"share_below" doc:"Share of the valid pixels, 0 to 1, whose index is below the value of ?below=, by the histogram; null where it was not requested, or without a histogram."`
	Items      []string       `json:"items" doc:"Ids of the scenes."`
	Offsets    []Offset       `json:"offsets" doc:"For each scene, in the order of items: what was added to its digital numbers, and on what basis."`
}

// HistogramBin is a bin of a histogram.
type HistogramBin struct {
	Low   float64 `json:"low" doc:"Lower bound of the index."`
	High  float64 `json:"high" doc:"Upper bound of the index."`
	Share float64 `json:"share" doc:"Share of the valid pixels, 0 to 1."`
}

// Offset is the offset with which the digital numbers of a scene became reflectance.
type Offset struct {
	Item   string  `json:"item" doc:"Id of the scene."`
	Offset float64 `json:"offset" doc:"Reflectance = digital number * scale + offset."`
	Basis  string  `json:"basis" enum:"item,file,baseline,dataset,flag,pixels" doc:"The basis: the catalog's item, the file's own tags, ESA's rule by processing baseline, the rule of the data set, the item's flag, or the pixels, which contradict what the metadata say."`
}

// Rejection is a date that is not in the profile.
type Rejection struct {
	Date     member.Date `json:"date" doc:"Day of the observation, in solar time at the field."`
	Reason   string      `json:"reason" enum:"cloud,nodata,partial,error,too_few" doc:"The first that applies. error: a file is broken, missing or lacks a band. nodata: no pixel of the field has data. partial: the data cover less of the field than the mask's minimum coverage. cloud: the mask left less than that. too_few: fewer than ten clear pixels have a value, or too small a share."`
	Coverage float64     `json:"coverage" doc:"Valid pixels / pixels in the field."`
	NValid   int         `json:"n_valid" doc:"Pixels with a value; clear pixels where the bands were not read."`
	NPolygon int         `json:"n_polygon" doc:"Pixels of the field."`
	Items    []string    `json:"items" doc:"Ids of the scenes."`
	Note     *string     `json:"note" doc:"With the reason error: what could not be read."`
}

// Profile is an order with its series.
type Profile struct {
	ProfileOrder
	Refreshing   bool             `json:"refreshing" doc:"The archive is being searched again, as it is for a season that can still have new dates and was last checked over a day ago: a later retrieve may show more."`
	Profile      []ProfilePoint   `json:"profile" doc:"Accepted dates, oldest first; empty until there are any."`
	Smoothed     *[]SmoothedPoint `json:"smoothed,omitempty" doc:"With ?smoothed=true: one value per day, from the first accepted date to the last, without gaps of more than 45 days."`
	Smoothing    *Smoothing       `json:"smoothing,omitempty" doc:"With ?smoothed=true: how the line was drawn."`
	Phenology    *Phenology       `json:"phenology,omitempty" doc:"With ?phenology=true: the growing cycles of the series."`
	Observations *[]Observation   `json:"observations,omitempty" doc:"With ?detail=true."`
	Rejected     *[]Rejection     `json:"rejected,omitempty" doc:"With ?detail=true."`
	Warnings     []ProfileWarning `json:"warnings" doc:"Doubts about the series."`
}

// ProfileWarning is a doubt about a series.
type ProfileWarning struct {
	Code    string `json:"code" enum:"offset_by_pixels" doc:"offset_by_pixels: on some dates the pixels contradict what the archive says about their offset, and were used instead."`
	Message string `json:"message" doc:"The doubt, for people."`
}

func showProfile(p satellite.Profile, detail bool, below *float64) Profile {
	out := Profile{
		ProfileOrder: showOrder(p.Order), Refreshing: p.Refreshing,
		Warnings: form.Each(p.Series.Warnings(), func(w vegetation.Warning) ProfileWarning { return ProfileWarning(w) }),
		Profile: form.Each(p.Series.Observations, func(o vegetation.Observation) ProfilePoint {
			return ProfilePoint{member.DateOf(o.Date), o.Value, form.Pointed(o.Sensor, showSensor)}
		}),
	}
	if detail {
		out.Observations = new(form.Each(p.Series.Observations, func(o vegetation.Observation) Observation { return showObservation(o, below) }))
		out.Rejected = new(form.Each(p.Series.Rejected, showRejection))
	}
	return out
}

func showRejection(r vegetation.Rejection) Rejection {
	return Rejection{member.DateOf(r.Date), string(r.Reason), r.Coverage, r.NValid, r.NPolygon, r.Items, form.OrNull(r.Note)}
}

func showObservation(o vegetation.Observation, below *float64) Observation {
	known := func(v float64) *float64 { return form.If(!math.IsNaN(v), v) }
	var lower *float64
	if below != nil {
		lower = known(o.Histogram.Below(*below))
	}
	bins := form.Each(o.Histogram, func(b vegetation.Bin) HistogramBin {
		low, high, share := b.Range()
		return HistogramBin{low, high, share}
	})
	return Observation{
		member.DateOf(o.Date), o.Value, o.Coverage, o.NValid, o.NPolygon, o.Median, o.Std, o.Min, o.Max, o.P10, o.P90, bins, known(o.Histogram.Entropy()), lower, o.Items,
		form.Each(o.Offsets, func(o vegetation.AppliedOffset) Offset { return Offset{o.Item, o.Offset, string(o.Basis)} }),
	}
}

var indexParam = rest.Param{Name: "index_code", Type: rest.String, Description: "The series of this index instead of the one that was ordered; its case does not matter."}

var maskParam = rest.Param{Name: "mask", Type: rest.String, Description: "The series with this mask instead of the ordered one: standard, strict or out:3,8,9 (the classes that are left out), and after it any of " +
	"fmask:6,7 and qa_pixel:9 (bits that are left out too), dilate:2 (pixels of the mask), buffer:10 (metres along the outline), coverage:0.8 (minimum) and cloud:40 (percent), separated by commas."}

var datasetText = strings.Join(vegetation.DatasetChoices(), ", ") + "."

var datasetParam = rest.Param{Name: "dataset", Type: rest.String, Description: "The series of this data set of the imagery archive instead of the ordered one: " + datasetText}

var outlineParam = rest.Param{Name: "boundary_id", Type: rest.Integer, Description: "The stored series on this outline of the field, such as the one before it was recomputed; 404 where there is none."}

// waitingText describes how a series in another reading is answered.
var waitingText = "`?index_code=`, `?mask=` and `?dataset=` select another reading of the same order, at no charge; what is left out is as it was ordered. It is computed once, when it is first requested, " +
	"kept up to date with the order, and made again with it (`recompute`); an order has at most " + strconv.Itoa(vegetation.MaxReadings) + " in addition to its own (409 `limit_reached`). " +
	"The request waits for it up to " + strconv.Itoa(int(satellite.IndexWait.Seconds())) + " seconds, or as long as a `Prefer: wait=` header says, if that is less. " +
	"One that is not ready by then is answered with the status `processing`, an empty profile and `Retry-After`; one that cannot be computed with `failed` and the " +
	"reason: it may be requested again a day later. An order that is not active is answered with its own status and an empty profile."

const retryLater = 5 // seconds

type profileInput struct {
	form.SharedByID
	readingInput
	BoundaryID int64 `query:"boundary_id" minimum:"1"`
}

type readingInput struct {
	IndexCode string `query:"index_code"`
	Mask      string `query:"mask"`
	Dataset   string `query:"dataset"`
}

// choice returns the requested reading. Faults: Invalid (index_code, mask, dataset).
func (in readingInput) choice() (vegetation.Choice, error) {
	return chosen(form.OrNull(in.IndexCode), form.OrNull(in.Mask), form.OrNull(in.Dataset))
}

// chosen returns a choice from texts; nil ones choose nothing. Faults: Invalid, for all wrong fields.
func chosen(index, mask, dataset *string) (c vegetation.Choice, err error) {
	wrong := fault.Fields{}
	note := func(err error) {
		if f, ok := fault.As(err); ok {
			wrong.Merge(f.Fields)
		}
	}
	if index != nil {
		x, err := vegetation.ParseIndex(*index)
		note(err)
		c.Index = x.Code
	}
	if mask != nil {
		m, err := vegetation.ParseMask(*mask)
		note(err)
		c.Mask = &m
	}
	if dataset != nil {
		d, err := vegetation.ParseDataset(*dataset)
		note(err)
		c.Dataset = &d
	}
	return c, wrong.Err()
}

// waitGiven returns how long a caller wants to wait (RFC 7240, section 4.3), at most the limit for all callers.
func waitGiven(c *rest.Call) time.Duration {
	for preference := range strings.SplitSeq(c.Header("Prefer"), ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(preference), "=")
		if seconds, err := strconv.ParseUint(value, 10, 16); err == nil && strings.EqualFold(name, "wait") {
			return c.Patience(min(satellite.IndexWait, time.Duration(seconds)*time.Second))
		}
	}
	return c.Patience(satellite.IndexWait)
}

// retrieved returns an order with the requested series: its own, or that of another reading.
func retrieved(ctx context.Context, c *rest.Call, orders *satellite.Profiles, in profileInput) (satellite.Profile, error) {
	choice, err := in.choice()
	if err != nil {
		return satellite.Profile{}, err
	}
	if in.BoundaryID != 0 {
		return orders.RetrieveOn(ctx, c.Principal(), in.Share, in.ID, in.BoundaryID, choice)
	}
	if choice.IsZero() {
		return orders.Retrieve(ctx, c.Principal(), in.Share, in.ID)
	}
	found, err := orders.RetrieveReading(ctx, c.Principal(), in.Share, in.ID, choice, waitGiven(c))
	sayLater(c, found.Order)
	return found, err
}

// sayLater tells the caller when to ask again for a series that is being computed.
func sayLater(c *rest.Call, order vegetation.OrderState) {
	if order.Status == vegetation.Processing {
		c.SetHeader("Retry-After", strconv.Itoa(retryLater))
	}
}

var profileFiles = []struct{ name, format, summary, description string }{
	{"chart.svg", ports.SVG, "The profile as a picture, SVG", chartText},
	{"chart.png", ports.PNG, "The profile as a picture, PNG", chartText},
	{"export.csv", ports.CSV, "The profile as a table, CSV", seriesTableText},
	{"export.xlsx", ports.XLSX, "The profile as a table, a workbook", seriesTableText},
}

const seriesTableText = "One line per date, accepted and rejected ones in chronological order: " +
	"date, value, status, reason, coverage, n_valid, n_polygon, median, std, min, max, p10, p90, items (separated by spaces), mask, dataset; for a harmonised series also sensor, adjusted (band:slope:offset) and not_adjusted. " +
	"A rejected date has its reason, but neither a value nor statistics."

const chartText = "The accepted dates as points, the smoothed line, the rejected dates as ticks on the axis, the season shaded. " +
	"Where there is no accepted date, the picture says why."

func registerProfileFiles(a *rest.API, files *satellite.ProfileFiles) {
	for _, kind := range profileFiles {
		route := rest.Route{
			Method: http.MethodGet, Path: ordersPath + "{id}/" + kind.name, OperationID: "vi_profile_order_" + strings.ReplaceAll(kind.name, ".", "_"),
			Summary: kind.summary, Description: kind.description + "\n\n" + waitingText, Tag: profileTag, Noun: "order",
			Permission: access.ProfileOrders.View.For("retrieve"), Query: []rest.Param{form.ShareParam, indexParam, maskParam, datasetParam, outlineParam}, Media: form.Media(kind.format),
			Faults: []int{http.StatusConflict}, Links: true,
		}
		rest.Handle(a, route, func(ctx context.Context, c *rest.Call, in profileInput) (rest.Raw, error) {
			choice, err := in.choice()
			if err != nil {
				return rest.Raw{}, err
			}
			file, err := files.File(ctx, c.Principal(), satellite.ProfileFileRequest{
				Shared: in.Share, ID: in.ID, Choice: choice, Format: kind.format, Wait: waitGiven(c), BoundaryID: in.BoundaryID,
			})
			sayLater(c, file.Order)
			if slices.Contains(form.Tables, kind.format) {
				name := fmt.Sprintf("profile-%d-%s", in.ID, strings.ToLower(file.Order.Index))
				return form.Download(name, kind.format, file.Write), err
			}
			return form.Picture(c, kind.format, file.Write), err
		})
	}
}
