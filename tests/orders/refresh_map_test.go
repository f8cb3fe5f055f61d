package orders

import (
	"log/slog"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/identity"
	"tilth/adapters/imagery/mapfile"
	"tilth/adapters/objects"
	"tilth/app"
	"tilth/app/satellite"
	"tilth/core/credit"
	"tilth/core/event"
	"tilth/core/indexmap"
	"tilth/core/monitoring"
	"tilth/core/vegetation"
	"tilth/ports"
	"tilth/tests/rig"
)

// A map follows the archive as a profile does: dates that did not change are not read again. A file that has expired is
// made again for the next caller that requests it. None of it is charged.
func TestAMapFollowsTheArchiveAndItsFilesAreMadeAgain(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		h := settle(t, database, "2025-05-05", "2025-05-20")
		files, err := objects.Open("file:" + t.TempDir())
		require.NoError(t, err)
		deps := app.Deps{Store: h.db, Gate: app.NewGate(everyone{}, nil, nil), Clock: h.clock, IDs: identity.Random{}}
		orders := &satellite.Maps{Deps: deps, Objects: files}
		layer := func(of indexmap.File) (indexmap.Layer, error) {
			object, err := files.Open(h.ctx, of.Object)
			if err != nil {
				return indexmap.Layer{}, err
			}
			defer object.Close()
			return mapfile.Files{}.ReadLayer(h.ctx, object, object.Size())
		}
		worker := satellite.NewMapWorker(deps, satellite.MapSources{Dates: h.computer}, files, mapfile.Files{}, slog.New(slog.DiscardHandler))
		spent := func() (w credit.Wallet) {
			h.write(func(tx ports.Repos) (err error) {
				w, err = tx.Wallet.Get(h.ctx, h.scope())
				return err
			})
			return w
		}
		before := spent()
		placed, err := orders.Place(h.ctx, h.who, satellite.MapRequest{Product: credit.VegetationIndexMap, FieldUUID: h.field.UUID, SeasonID: h.season.ID, Index: vegetation.NDVI}, 0)
		require.NoError(t, err)
		require.NoError(t, worker.Run(h.ctx, h.claim(satellite.VIMapJob)))
		retrieve := func() satellite.Map {
			m, err := orders.Retrieve(h.ctx, h.who, credit.VegetationIndexMap, false, placed.ID)
			require.NoError(t, err)
			return m
		}
		first := retrieve()
		require.Equal(t, vegetation.Active, first.Order.Status, first.Order.Reason)
		require.False(t, first.Refreshing)
		require.True(t, h.retrieve().Series.Same(first.Series), "the dates of the profile")
		require.Len(t, first.Files, 2)
		require.Equal(t, before, spent(), "the field was charged for the profile")
		types, _ := h.told()
		require.Equal(t, []string{event.TypeVIMapCompleted}, types)
		for i, o := range first.Series.Observations {
			read, err := layer(first.Files[i])
			require.NoError(t, err)
			figures := read.Describe()
			require.InDelta(t, o.Value, figures.Mean, 1e-9)
			require.Equal(t, o.NValid, figures.Valid)
			require.Equal(t, first.Files[i].Day, read.Day)
		}

		// A new scene is read, and nothing of the others.
		h.shelf.Hold("2025-05-05", "2025-05-20", "2025-05-30")
		h.clock.move(25 * time.Hour)
		clear(h.imagery.read)
		require.True(t, retrieve().Refreshing)
		require.NoError(t, worker.Run(h.ctx, h.claim(satellite.VIMapJob+satellite.MapRefreshing)))
		second := retrieve()
		require.False(t, second.Refreshing)
		require.Len(t, second.Files, 3)
		require.Equal(t, first.Files, second.Files[:2])
		require.Equal(t, []string{second.Series.Observations[2].Items[0]}, slices.Sorted(maps.Keys(h.imagery.read)))
		types, _ = h.told()
		require.Equal(t, []string{event.TypeVIMapCompleted}, types, "its dates have changed")

		// Only the missing file is made again, identical to the byte.
		require.NoError(t, files.Remove(h.ctx, second.Files[1].Object))
		clear(h.imagery.read)
		require.NoError(t, orders.Remake(h.ctx, second.Order))
		require.True(t, retrieve().Refreshing)
		require.NoError(t, worker.Run(h.ctx, h.claim(satellite.VIMapJob+satellite.MapRefreshing)))
		_, err = layer(second.Files[1])
		require.NoError(t, err)
		third := retrieve()
		require.Equal(t, second.Files, third.Files)
		require.Equal(t, second.Order, third.Order)
		require.Equal(t, second.Series.Observations[1].Items, slices.Sorted(maps.Keys(h.imagery.read)))
		types, _ = h.told()
		require.Empty(t, types, "nothing has changed")
		require.Equal(t, before, spent())

		// What the profile of a watched field finds also appears in its maps, unrequested and although they were checked less than a day ago.
		_, err = h.orders.Watch(h.ctx, h.who, h.order, []monitoring.Rule{{Kind: monitoring.Drop, Change: 0.9, Days: 14}})
		require.NoError(t, err)
		h.shelf.Hold("2025-05-05", "2025-05-20", "2025-05-30", "2025-06-09")
		h.clock.move(20 * time.Hour)
		require.False(t, retrieve().Refreshing)
		queued, err := h.orders.LookForDue(h.ctx)
		require.NoError(t, err)
		require.EqualValues(t, 1, queued)
		h.clock.move(monitoring.SweepEvery)
		require.NoError(t, h.refresh.Run(h.ctx, h.claim(satellite.RefreshJob)))
		clear(h.imagery.read)
		require.NoError(t, worker.Run(h.ctx, h.claim(satellite.VIMapJob+satellite.MapRefreshing)))
		second = retrieve()
		require.Len(t, second.Files, 4)
		require.Len(t, h.imagery.read, 1)
		types, _ = h.told()
		require.ElementsMatch(t, []string{event.TypeProfileUpdated, event.TypeVIMapCompleted}, types)
		require.Equal(t, before, spent())

		// While the archive is unavailable, the map stays as it is.
		h.imagery.out = true
		require.NoError(t, files.Remove(h.ctx, second.Files[0].Object))
		require.NoError(t, orders.Remake(h.ctx, second.Order))
		require.NoError(t, worker.Run(h.ctx, h.claim(satellite.VIMapJob+satellite.MapRefreshing)))
		require.True(t, retrieve().Refreshing, "it is tried again")
		require.Equal(t, second.Order, retrieve().Order)
		_, err = orders.Forget(h.ctx)
		require.NoError(t, err)
	})
}
