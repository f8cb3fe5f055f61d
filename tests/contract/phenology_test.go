package contract

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/imagery/synthetic"
	"tilth/tests/rig"
)

type cycleDate struct {
	Date    *string
	SDDays  *float64 `json:"sd_days"`
	Reason  *string
	Between []string
}

type season struct {
	Phenology *struct {
		Threshold float64
		Reason    *string
		Cycles    []struct {
			Start, Peak, End cycleDate
			LengthDays       struct{ Value *float64 } `json:"length_days"`
			Amplitude        struct{ Value *float64 }
		}
	}
	Smoothed []struct {
		Date      string
		Value     float64
		Low, High *float64
		Seen      bool
	}
	Smoothing struct {
		Method string
		Reason *string
	}
}

// seasonOfCurve compares the dates of a profile with the growth curve of its parcel: within three days where they are stated.
func seasonOfCurve(t *testing.T, c *rig.Client, order int64, p synthetic.Parcel) {
	t.Helper()
	var got season
	c.Expect(200, "GET", fmt.Sprintf("%s%d/?phenology=true&smoothed=true", rig.OrdersPath, order), nil).Into(t, &got)
	require.NotEmpty(t, got.Smoothed)
	require.Equal(t, "whittaker", got.Smoothing.Method)
	if p.Crop == "fallow" {
		require.Empty(t, got.Phenology.Cycles, p.Name)
		require.NotNil(t, got.Phenology.Reason)
		return
	}
	require.Len(t, got.Phenology.Cycles, 1, p.Name)
	cycle := got.Phenology.Cycles[0]
	top, best := 0.0, 0.0
	for day := 1.0; day <= 365; day += 0.1 {
		if v := ndvi(p.Curve, day); v > top {
			top, best = v, day
		}
	}
	near := func(name string, told cycleDate, want float64) {
		if told.Date == nil {
			require.NotNil(t, told.Reason, "%s %s", p.Name, name)
			return
		}
		date, err := time.Parse(time.DateOnly, *told.Date)
		require.NoError(t, err)
		require.InDelta(t, want, float64(date.YearDay()), 3, "%s %s", p.Name, name)
		require.NotNil(t, told.SDDays, "%s %s", p.Name, name)
	}
	seenOn := func(date string) float64 { // the lowest observed values are on the first and the last day
		day, err := time.Parse(time.DateOnly, date)
		require.NoError(t, err)
		return ndvi(p.Curve, float64(day.YearDay()))
	}
	low, high := seenOn(got.Smoothed[0].Date), seenOn(got.Smoothed[len(got.Smoothed)-1].Date)
	cross := func(from, to, level float64) float64 {
		day, step := from, math.Copysign(0.01, to-from)
		for ndvi(p.Curve, day) > level && day > 0 && day < 366 {
			day += step
		}
		return day
	}
	near("start", cycle.Start, cross(best, 1, low+0.2*(top-low)))
	near("end", cycle.End, cross(best, 365, high+0.2*(top-high)))
	near("peak", cycle.Peak, best)
}

func ndvi(c synthetic.Curve, day float64) float64 {
	up, down := 1/(1+math.Exp(-c.Rise*(day-c.Green))), 1/(1+math.Exp(c.Fall*(day-c.Ripe)))
	return c.Base + (c.Peak-c.Base)*(up+down-1)
}

// Invalid parameters of a season are named, on one order.
func TestSeasonParameters(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, seasonParameters)
}

func seasonParameters(t *testing.T, database string) {
	s := rig.Start(t, rig.Options{Database: database})
	c := s.Company("owner", 1000_00)
	archive := rig.Archive(t)
	land := c.Land(archive.Parcels[1].Boundary, archive.From.Format(time.DateOnly), archive.To.Format(time.DateOnly))
	order := int64(c.Expect(200, "POST", rig.OrdersPath, land.OrderBody()).Data(t)["order_id"].(float64))
	c.Until(order, "active")
	path := fmt.Sprintf("%s%d/", rig.OrdersPath, order)
	for _, query := range []string{"?phenology=true&threshold=1", "?phenology=true&min_amplitude=0", "?phenology=true&max_gap=90", "?smoothed=true&smoothing=loess", "?phenolog=true"} {
		c.Expect(400, "GET", path+query, nil)
	}
	for _, method := range []string{"whittaker", "savitzky_golay", "harmonic", "double_logistic"} {
		var got season
		c.Expect(200, "GET", path+"?smoothed=true&smoothing="+method, nil).Into(t, &got)
		require.Equal(t, method, got.Smoothing.Method)
		require.Nil(t, got.Smoothing.Reason, method)
		require.NotEmpty(t, got.Smoothed, method)
		for _, d := range got.Smoothed {
			require.LessOrEqual(t, *d.Low, d.Value)
			require.GreaterOrEqual(t, *d.High, d.Value)
		}
	}
	early, late := season{}, season{}
	c.Expect(200, "GET", path+"?phenology=true&threshold=0.1", nil).Into(t, &early)
	c.Expect(200, "GET", path+"?phenology=true&threshold=0.5", nil).Into(t, &late)
	require.Less(t, *early.Phenology.Cycles[0].Start.Date, *late.Phenology.Cycles[0].Start.Date)
	var detailed struct {
		Observations []struct {
			Value, Min, Max float64
			NValid          int `json:"n_valid"`
			Histogram       []struct{ Low, High, Share float64 }
			Entropy         *float64
			ShareBelow      *float64 `json:"share_below"`
		}
	}
	c.Expect(200, "GET", path+"?detail=true&below=0.5", nil).Into(t, &detailed)
	require.NotEmpty(t, detailed.Observations)
	for _, o := range detailed.Observations {
		sum, mean := 0.0, 0.0
		for _, b := range o.Histogram {
			sum, mean = sum+b.Share, mean+b.Share*(b.Low+b.High)/2
			require.True(t, b.High >= o.Min && b.Low <= o.Max)
		}
		require.InDelta(t, 1, sum, 1e-3)
		require.InDelta(t, o.Value, mean, 0.025+1e-3)
		require.GreaterOrEqual(t, *o.Entropy, 0.0)
		switch {
		case o.Max < 0.5:
			require.InDelta(t, 1, *o.ShareBelow, 1e-9)
		case o.Min >= 0.55:
			require.Zero(t, *o.ShareBelow)
		}
	}
	require.Contains(t, string(c.Expect(404, "GET", path+"monitor/", nil).Body), "This profile is not watched. Fix: POST its rules here")
	watching := c.Expect(200, "POST", path+"monitor/", map[string]any{}).Data(t)
	require.Len(t, watching["rules"], 3)
	watching = c.Expect(200, "POST", path+"monitor/", map[string]any{"rules": []any{
		map[string]any{"kind": "drop", "change": 0.1, "days": 20}, map[string]any{"kind": "no_start", "by": "2025-02-01"},
	}}).Data(t)
	require.NotEmpty(t, watching["alerts"], "the maize had not started by February, and ripened since")
	require.Equal(t, watching["alerts"], c.Expect(200, "GET", path+"monitor/", nil).Data(t)["alerts"])
	c.Expect(200, "POST", path+"monitor/", map[string]any{"rules": watching["rules"]})
	for _, rules := range []any{[]any{}, []any{map[string]any{"kind": "hail"}}, []any{map[string]any{"kind": "drop", "change": 0.1}}, []any{map[string]any{"kind": "no_start", "by": "2025-02-01", "days": 3}}} {
		c.Expect(400, "POST", path+"monitor/", map[string]any{"rules": rules})
	}
	const monitors = "profiles/vegetation-index-profile/monitors/"
	listed := func(query string) float64 {
		return c.Expect(200, "GET", monitors+query, nil).Data(t)["count"].(float64)
	}
	require.EqualValues(t, 1, listed("?alerted=true"))
	require.Zero(t, listed("?alerted=false"))
	require.EqualValues(t, 1, listed(fmt.Sprintf("?id=%d,999", order)))
	many := recordsOf(t, c.Expect(200, "POST", monitors, map[string]any{"order_ids": []any{order, order}, "rules": []any{map[string]any{"kind": "low_percentile", "percentile": 5}}}))
	require.Len(t, many, 1)
	require.Empty(t, many[0]["alerts"])
	require.EqualValues(t, 1, listed("?alerted=false"))
	c.Expect(404, "POST", monitors, map[string]any{"order_ids": []any{order, 999_999}})
	stranger := s.Company("owner", 0)
	stranger.Expect(404, "POST", monitors, map[string]any{"order_ids": []any{order}})
	require.Zero(t, stranger.Expect(200, "GET", monitors, nil).Data(t)["count"])
	stranger.Expect(404, "GET", path+"monitor/", nil)
	stranger.Expect(404, "POST", path+"monitor/", map[string]any{})
	require.Contains(t, string(c.Expect(404, "DELETE", fmt.Sprintf("%s?id=%d,999999", monitors, order), nil).Body), `"ids":[999999]`)
	stranger.Expect(404, "DELETE", fmt.Sprintf("%s?id=%d", monitors, order), nil)
	require.EqualValues(t, 1, listed(""), "all or none")
	c.Expect(204, "DELETE", fmt.Sprintf("%s?id=%d", monitors, order), nil)
	c.Expect(404, "DELETE", path+"monitor/", nil)
	c.Expect(200, "POST", path+"monitor/", map[string]any{})
	c.Expect(204, "DELETE", path+"monitor/", nil)
	plain := c.Expect(200, "GET", path, nil).Data(t)
	require.NotContains(t, plain, "phenology")
	require.NotContains(t, plain, "smoothing")
}

// A field is compared with others that have its crop in its season: the fallow one ranks low among them.
func TestFieldsAreCompared(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		archive := rig.Archive(t)
		c := s.Company("owner", 1000_00)
		farm := c.Make("farm/", map[string]any{"name": "Farm"})
		period := c.Make("season/", map[string]any{"name": "S", "start_date": archive.From.Format(time.DateOnly), "end_date": archive.To.Format(time.DateOnly)})
		const crop = 29 // winter wheat
		orders := map[string]int64{}
		for _, p := range archive.Parcels {
			field := c.Expect(200, "POST", "field/", map[string]any{"name": p.Name, "farm_id": farm, "boundary": rig.GeoJSON(t, p.Boundary)}).Data(t)
			if p.Name != "Border field" {
				c.Make("cultivation/", map[string]any{"field_id": field["id"], "season_id": period, "crop_id": crop})
			}
			placed := c.Expect(200, "POST", rig.OrdersPath, map[string]any{"field_uuid": field["uuid"], "season_id": period}).Data(t)
			orders[p.Name] = int64(placed["order_id"].(float64))
		}
		for _, p := range archive.Parcels {
			c.Until(orders[p.Name], "active")
		}
		compare := func(name, query string) (out struct {
			Years, Fields struct {
				N        int
				Standing *string
				Days     []struct {
					N          int
					Score      float64
					Percentile float64
				}
				Reason *string
			}
			Reason *string
		}) {
			c.Expect(200, "GET", fmt.Sprintf("%s%d/comparison/%s", rig.OrdersPath, orders[name], query), nil).Into(t, &out)
			return out
		}
		fallow := compare("Mill fallow", "")
		require.Equal(t, len(archive.Parcels)-2, fallow.Fields.N)
		require.NotEmpty(t, fallow.Fields.Days)
		lowest := 0.0
		for _, d := range fallow.Fields.Days {
			lowest = min(lowest, d.Score)
		}
		require.Less(t, lowest, -1.0)
		require.Zero(t, fallow.Years.N)
		require.Nil(t, fallow.Years.Standing)
		require.Nil(t, fallow.Reason)
		require.Nil(t, fallow.Fields.Reason)
		require.Contains(t, *fallow.Years.Reason, "at least 3 other seasons")

		require.NotNil(t, compare("Border field", "").Reason, "no cultivation says what grows there")
		require.Zero(t, compare("Mill fallow", "?radius_km=0.01").Fields.N)
		c.Expect(400, "GET", fmt.Sprintf("%s%d/comparison/?radius_km=0", rig.OrdersPath, orders["Mill fallow"]), nil)
		stranger := s.Company("owner", 0)
		stranger.Expect(404, "GET", fmt.Sprintf("%s%d/comparison/", rig.OrdersPath, orders["Mill fallow"]), nil)

		const standings = "profiles/vegetation-index-profile/comparisons/"
		var page struct {
			Count   int
			Results []struct {
				OrderID  int64 `json:"order_id"`
				Seasons  int
				Standing *string
				Score    *float64
			}
		}
		c.Expect(200, "GET", fmt.Sprintf("%s?season=%d", standings, period), nil).Into(t, &page)
		require.Equal(t, len(archive.Parcels), page.Count)
		require.Zero(t, page.Results[0].Seasons)
		require.Nil(t, page.Results[0].Standing)
		require.Nil(t, page.Results[0].Score)
		stranger.Expect(200, "GET", standings, nil).Into(t, &page)
		require.Zero(t, page.Count)
	})
}
