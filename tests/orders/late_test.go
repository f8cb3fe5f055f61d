package orders

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/app/satellite"
	"tilth/core/fault"
	"tilth/core/vegetation"
	"tilth/ports"
	"tilth/tests/rig"
)

// A worker stalls between its claim and its first transaction, and another postpones the
// order: the first must not show it as processing while nobody works on it.
func TestALateWorkerDoesNotBegin(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		w := newWorld(t, database)
		e := w.estate(100_00, 1, past("s"))
		order, err := w.place(e, 0, 0)
		require.NoError(t, err)
		late, err := w.db.Queue().Claim(t.Context(), w.clock.Now(), time.Minute, 1)
		require.NoError(t, err)
		require.Len(t, late, 1)
		w.clock.move(2 * time.Minute)
		w.computer.answer = func(vegetation.IndexCode) (vegetation.Series, error) {
			return vegetation.Series{}, fault.New(fault.Unavailable, "away", "away")
		}
		require.Equal(t, 1, w.work())
		require.True(t, fault.Is(w.worker.Run(t.Context(), late[0]), fault.Conflict))
		found, err := w.orders.Retrieve(t.Context(), e.who, false, order.ID)
		require.NoError(t, err)
		require.Equal(t, vegetation.Pending, found.Order.Status)
		require.NotNil(t, found.Order.NextTryAt)
		require.Equal(t, 1, w.computer.count(vegetation.NDVI), "nothing is computed for nothing")
	})
}

// An order fails and is placed again for another index while a worker computes the first:
// it becomes active with the series that was asked for last.
func TestAnOrderPlacedAgainMeanwhile(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		w := newWorld(t, database)
		e := w.estate(100_00, 1, past("s"))
		order, err := w.place(e, 0, 0)
		require.NoError(t, err)
		w.computer.answer = func(index vegetation.IndexCode) (vegetation.Series, error) {
			if index == vegetation.NDVI {
				w.write(func(tx ports.Repos) error {
					return satellite.FailOfFields(context.Background(), tx, e.scope, []int64{order.FieldID}, satellite.Ended{At: w.clock.Now(), Reason: "The field was deleted."})
				})
				again, err := w.orders.Place(t.Context(), e.who, satellite.ProfileRequest{FieldUUID: e.fields[0].UUID, SeasonID: e.seasons[0].ID, Index: vegetation.EVI})
				require.NoError(t, err)
				require.Equal(t, order.ID, again.ID)
			}
			return dates(index, 2), nil
		}
		w.work()
		found, err := w.orders.Retrieve(t.Context(), e.who, false, order.ID)
		require.NoError(t, err)
		require.Equal(t, vegetation.Active, found.Order.Status)
		require.Equal(t, string(vegetation.EVI), found.Order.Index)
		require.Len(t, found.Series.Observations, 2)
		require.Equal(t, 1, w.computer.count(vegetation.EVI))
		w.books(t, e).check(t)
	})
}
