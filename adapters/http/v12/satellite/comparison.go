package satellite

import (
	"context"
	"math"
	"net/http"
	"strconv"

	"tilth/adapters/http/member"
	"tilth/adapters/http/query"
	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	"tilth/app/satellite"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/core/phenology"
)

// ProfileComparison compares a profile with others.
type ProfileComparison struct {
	OrderID   int64          `json:"order_id" doc:"The order."`
	IndexCode string         `json:"index_code" doc:"The index that is compared: that of the order."`
	Years     SeriesStanding `json:"years" doc:"Comparison with the other seasons of the same field, on the same days of the year."`
	Fields    SeriesStanding `json:"fields" doc:"Comparison with other fields of the company that have the same crop in the same season."`
	RadiusKm  float64        `json:"radius_km" doc:"How far away those fields may be."`
	Reason    *string        `json:"reason" doc:"Why there is no field to compare with; null: there is one."`
}

// SeriesStanding states how a profile compares with others.
type SeriesStanding struct {
	N           int           `json:"n" doc:"Available seasons or fields. A day is compared where at least three of them were seen on it."`
	Standing    *string       `json:"standing" enum:"usual,low,high" doc:"Standing on the latest day that could be compared: low or high where its probability is under 0.1; null: none could be."`
	Probability *float64      `json:"probability" doc:"Probability of a day at least as far from the others as the latest one, on either side, by Student's t; null: none could be compared."`
	MeanScore   *float64      `json:"mean_score" doc:"Mean of the scores of all days: it reveals a season that is a little low on every day."`
	Days        []ComparedDay `json:"days" doc:"The observation days that could be compared, in order."`
	Reason      *string       `json:"reason" doc:"Why no day could be compared; null: some could be."`
}

// ComparedDay compares a day with the same day of others.
type ComparedDay struct {
	Date       member.Date `json:"date" doc:"The day."`
	Value      float64     `json:"value" doc:"The smoothed line of the profile."`
	N          int         `json:"n" doc:"Others that were seen on the day."`
	P10        float64     `json:"p10" doc:"Tenth percentile of the others' smoothed lines."`
	Median     float64     `json:"median" doc:"Their median."`
	P90        float64     `json:"p90" doc:"Their ninetieth percentile."`
	Percentile float64     `json:"percentile" doc:"Share of the others that are below, ties counted by half, in percent."`
	Score      float64     `json:"score" doc:"Distance from the mean of the others, in standard deviations of a new value."`
}

// ProfileStanding states how a profile compares with the other seasons of its field, on the latest day that could be compared.
type ProfileStanding struct {
	OrderID     int64        `json:"order_id" doc:"The order."`
	Field       int64        `json:"field" doc:"Id of its field."`
	Season      int64        `json:"season" doc:"Id of its season."`
	IndexCode   string       `json:"index_code" doc:"The index that is compared: that of the order."`
	Seasons     int          `json:"seasons" doc:"Available other seasons of the field. A day is compared where at least three of them were seen on it."`
	Standing    *string      `json:"standing" enum:"usual,low,high" doc:"low or high where the probability is under 0.1; null, like all members that follow: no day could be compared."`
	Date        *member.Date `json:"date" doc:"The latest day that could be compared."`
	Value       *float64     `json:"value" doc:"The smoothed line of the profile on it."`
	Median      *float64     `json:"median" doc:"The median of the other seasons' smoothed lines."`
	Percentile  *float64     `json:"percentile" doc:"Share of the others that are below, ties counted by half, in percent."`
	Score       *float64     `json:"score" doc:"Distance from the mean of the others, in standard deviations of a new value; negative: the field is lower than usual."`
	Probability *float64     `json:"probability" doc:"Probability of a day at least as far from the others, on either side, by Student's t."`
	MeanScore   *float64     `json:"mean_score" doc:"Mean of the scores of all days that could be compared."`
}

const standingsPath = "profiles/vegetation-index-profile/comparisons/"

func registerComparison(a *rest.API, orders *satellite.Profiles) {
	registerStandings(a, orders)
	compare := rest.Route{
		Method: http.MethodGet, Path: ordersPath + "{id}/comparison/", OperationID: "vi_profile_order_comparison", Tag: profileTag, Noun: "order",
		Summary: "Compare a profile with other seasons and other fields", Permission: access.ProfileOrders.View.For("retrieve"),
		Description: "Whether a season is unusual: against the other seasons of the same field, and against the fields of your company that have the same crop in the same season. " +
			"Smoothed lines are compared on the days of the profile's observations, where they were seen. It also needs `cultivation.view`.",
		Query: []rest.Param{{Name: "radius_km", Type: rest.Number, Description: "How far away other fields may be, up to " + strconv.Itoa(satellite.MaxRadiusKm) +
			" km; " + strconv.Itoa(satellite.DefaultRadiusKm) + " if left out. The nearest 200 count."}},
	}
	rest.Handle(a, compare, func(ctx context.Context, c *rest.Call, in struct {
		form.ByID
		RadiusKm *float64 `query:"radius_km"`
	},
	) (ProfileComparison, error) {
		radius := float64(satellite.DefaultRadiusKm)
		if in.RadiusKm != nil {
			radius = *in.RadiusKm
		}
		if !(radius > 0 && radius <= satellite.MaxRadiusKm) {
			return ProfileComparison{}, fault.Field("radius_km", "More than 0, at most "+strconv.Itoa(satellite.MaxRadiusKm)+" km.")
		}
		found, err := orders.Compare(ctx, c.Principal(), in.ID, radius)
		return ProfileComparison{
			found.Order.ID, found.Order.Index, showStanding(found.Seasons, found.Years, found.YearsReason), showStanding(found.Fields, found.Peers, found.PeersReason), radius, form.OrNull(found.Reason),
		}, err
	})
}

func registerStandings(a *rest.API, orders *satellite.Profiles) {
	list := rest.Route{
		Method: http.MethodGet, Path: standingsPath, OperationID: "vi_profile_comparisons_list", Tag: profileTag, Permission: access.ProfileOrders.View.For("list"),
		Summary: "List which profiles are unusual for their fields",
		Description: "All active profiles that the filters select, each against the other seasons of its field, on the latest day that could be compared: " +
			"as in `years` of the comparison of a single one, for a map of many fields. In the order of ids.",
	}
	filters := []rest.Param{
		form.IDsParam,
		{Name: "field", Type: rest.Integer, Description: "Id of the field."},
		{Name: "season", Type: rest.Integer, Description: "Id of the season."},
		{Name: "farm", Type: rest.Integer, Description: "Id of the farm of the field."},
	}
	list.Query = append(query.PageParams(), filters...)
	rest.Handle(a, list, func(ctx context.Context, c *rest.Call, v rest.Values) (rest.Paginated[ProfileStanding], error) {
		found, err := orders.Standings(ctx, c.Principal(), form.QueryOf(v.Page(), filters, v))
		if err != nil {
			return rest.Paginated[ProfileStanding]{}, err
		}
		return rest.Paginate(v.Page(), rest.Map(form.Listing(found), showProfileStanding))
	})
}

func showProfileStanding(s satellite.Standing) ProfileStanding {
	years := showStanding(s.Seasons, s.Years, "")
	out := ProfileStanding{
		OrderID: s.Order.ID, Field: s.Order.FieldID, Season: s.Order.SeasonID, IndexCode: s.Order.Index, Seasons: s.Seasons,
		Standing: years.Standing, Probability: years.Probability, MeanScore: years.MeanScore,
	}
	if n := len(years.Days); n > 0 {
		last := &years.Days[n-1]
		out.Date, out.Value, out.Median, out.Percentile, out.Score = &last.Date, &last.Value, &last.Median, &last.Percentile, &last.Score
	}
	return out
}

func showStanding(n int, c phenology.Comparison, reason string) SeriesStanding {
	known := func(v float64) *float64 { return form.If(!math.IsNaN(v), v) }
	return SeriesStanding{
		n, form.OrNull(string(c.Standing)), known(c.Probability), known(c.MeanScore),
		form.Each(c.Days, func(d phenology.Compared) ComparedDay {
			return ComparedDay{member.DateOf(d.Date), d.Value, d.N, d.P10, d.Median, d.P90, d.Percentile, d.Score}
		}), form.OrNull(reason),
	}
}
