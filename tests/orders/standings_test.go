package orders

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/farm"
	"tilth/core/phenology"
	"tilth/core/vegetation"
	"tilth/ports"
	"tilth/tests/rig"
)

// A list of profiles reports for each what a comparison of it alone reports, and the number of seasons where there are too few.
func TestManyProfilesAreHeldAgainstOtherSeasons(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		w := newWorld(t, database)
		var seasons []farm.Season
		for year := 2021; year <= 2025; year++ {
			seasons = append(seasons, farm.Season{Name: fmt.Sprint(year), StartDate: date(year, 3, 1), EndDate: date(year, 10, 31), HarvestYear: year, Kind: "summer"})
		}
		e := w.estate(1000_00, 3, seasons...)
		grown := map[int]float64{2021: 0.5, 2022: 0.52, 2023: 0.48, 2024: 0.51}
		for field := range e.fields {
			for at, season := range e.seasons {
				if field == 1 && at < 3 {
					continue // two seasons are too few
				}
				order, err := w.place(e, field, at)
				require.NoError(t, err)
				w.work()
				series := dates(vegetation.NDVI, 3)
				for i := range series.Observations {
					o := &series.Observations[i]
					o.Date = o.Date.AddDate(season.HarvestYear-2025, 0, 0)
					if o.Value = grown[season.HarvestYear]; season.HarvestYear == 2025 {
						o.Value = 0.5 - 0.2*float64(field)
					}
				}
				w.write(func(tx ports.Repos) error { return tx.Orders.PutSeries(t.Context(), e.scope, order.ID, series) })
			}
		}
		found, err := w.orders.Standings(t.Context(), e.who, ports.Query{Filters: []ports.Filter{{Name: "season", Value: e.seasons[4].ID}}})
		require.NoError(t, err)
		require.EqualValues(t, 3, found.Count)
		said := map[int64]phenology.Standing{}
		for one, err := range found.Each {
			require.NoError(t, err)
			alone, err := w.orders.Compare(t.Context(), e.who, one.Order.ID, 50)
			require.NoError(t, err)
			require.Equal(t, alone.Seasons, one.Seasons)
			require.Equal(t, fmt.Sprint(alone.Years), fmt.Sprint(one.Years)) // NaN where there is no standing
			said[one.Order.FieldID] = one.Years.Standing
			if one.Order.FieldID == e.fields[1].ID {
				require.Equal(t, 1, one.Seasons)
			}
		}
		require.Equal(t, map[int64]phenology.Standing{e.fields[0].ID: phenology.StandingUsual, e.fields[1].ID: "", e.fields[2].ID: phenology.StandingLow}, said)

		stranger := w.estate(0, 0)
		found, err = w.orders.Standings(t.Context(), stranger.who, ports.Query{})
		require.NoError(t, err)
		require.Zero(t, found.Count)
	})
}
