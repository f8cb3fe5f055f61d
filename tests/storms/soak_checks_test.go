package storms

import (
	"context"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/identity"
	"tilth/adapters/imagery/catalog"
	"tilth/adapters/persistence"
	"tilth/app/events"
	"tilth/app/satellite"
	"tilth/core/access"
	"tilth/core/credit"
	"tilth/core/event"
	"tilth/core/vegetation"
	"tilth/ports"
	"tilth/tests/rig"
)

// store opens the database of the test beside its programs.
func (f *farmstead) store() *persistence.Database {
	db, err := persistence.Open(f.t.Context(), f.database, persistence.Options{Clock: identity.Clock{}, IDs: identity.Random{}})
	require.NoError(f.t, err)
	f.t.Cleanup(func() { require.NoError(f.t, db.Close()) })
	return db
}

// checkOrders checks that each wish became one order, and that each order ended as its
// field requires. It returns the active ones by their ids.
func (f *farmstead) checkOrders(placed map[wish]int64) map[int64]vegetation.OrderState {
	t, scope := f.t, access.Own(f.company)
	require.Len(t, placed, f.how.fields*len(seasons))
	active, ends := map[int64]vegetation.OrderState{}, map[vegetation.Status]int{}
	require.NoError(t, f.store().Read(t.Context(), func(ctx context.Context, tx ports.Repos) error {
		n, err := tx.Orders.Count(ctx, scope, ports.Query{})
		require.NoError(t, err)
		require.EqualValues(t, len(placed), n, "one order for each wish")
		for w, id := range placed {
			o, err := tx.Orders.Get(ctx, scope, id)
			require.NoError(t, err)
			require.Equal(t, f.fields[w.field].ID, o.FieldID)
			require.Equal(t, f.seasons[w.season], o.SeasonID)
			ends[o.Status]++
			if o.Boundary.Bounds().MinY < refuseSouthOf {
				require.Equal(t, vegetation.Failed, o.Status)
				require.Contains(t, o.Reason, "does not accept the request")
			} else {
				require.Equal(t, vegetation.Active, o.Status, o.Reason)
				active[id] = o
			}
			waits, err := tx.Jobs.Waits(ctx, "vi_profile", rig.Itoa(id))
			require.NoError(t, err)
			require.False(t, waits, "an order that ended has no job")
		}
		return nil
	}))
	require.Len(t, ends, 2, "both ends are met: %v", ends)
	t.Logf("%d active, %d failed", ends[vegetation.Active], ends[vegetation.Failed])
	return active
}

// checkBooks adds up the ledger line by line.
func (f *farmstead) checkBooks(active map[int64]vegetation.OrderState) {
	t, scope := f.t, access.Own(f.company)
	good := map[int64]bool{} // fields with a profile
	for _, o := range active {
		good[o.FieldID] = true
	}
	balance, held, captured := credit.Amount(0), map[int64]credit.Amount{}, map[int64]int{}
	require.NoError(t, f.store().Read(t.Context(), func(ctx context.Context, tx ports.Repos) error {
		for line, err := range tx.Wallet.Transactions(ctx, scope, ports.Query{}) {
			require.NoError(t, err)
			require.Positive(t, line.Amount)
			switch line.Kind {
			case credit.Credit:
				balance += line.Amount
			case credit.Hold:
				held[line.FieldID] += line.Amount
			case credit.Release:
				require.False(t, good[line.FieldID], "what succeeds is not released")
				held[line.FieldID] -= line.Amount
			case credit.Capture:
				require.True(t, good[line.FieldID], "what fails is not charged")
				balance, held[line.FieldID] = balance-line.Amount, held[line.FieldID]-line.Amount
				captured[line.FieldID]++
			default:
				t.Errorf("a transaction of kind %s", line.Kind)
			}
		}
		wallet, err := tx.Wallet.Get(ctx, scope)
		require.NoError(t, err)
		entries, reserved, err := tx.Wallet.Sum(ctx, scope)
		require.NoError(t, err)
		require.Equal(t, []credit.Amount{entries, reserved}, []credit.Amount{wallet.Balance, wallet.Held}, "the wallet is the sum of its entries")
		require.Equal(t, balance, wallet.Balance, "and that of its transactions")
		require.Zero(t, wallet.Held)
		return nil
	}))
	for field, amount := range held {
		require.Zero(t, amount, "held for field %d", field)
	}
	require.Len(t, captured, len(good), "a capture for each field that succeeded")
	for field, n := range captured {
		require.Equal(t, 1, n, "field %d is charged once", field)
	}
	shown := f.client().Wallet()
	require.EqualValues(t, balance, math.Round(shown.Balance*100), "what a client sees")
	require.Zero(t, shown.Held)
}

// every is the distance between the series that are computed again, one in ten.
const every = 10

// checkSeries computes some of the series again, from the files and undisturbed: a date lost to a
// fault would show. Only a date whose file was unavailable for all its tries is missing, and its
// series states this; such series are all computed again.
func (f *farmstead) checkSeries(active map[int64]vegetation.OrderState) {
	t := f.t
	files, err := catalog.Open(f.source.dir)
	require.NoError(t, err)
	ndvi, err := vegetation.ParseIndex(string(vegetation.NDVI))
	require.NoError(t, err)
	computer, db, points, lost := satellite.Computer{Imagery: files}, f.store(), 0, 0
	for i, id := range slices.Sorted(maps.Keys(active)) {
		o := active[id]
		var got vegetation.Series
		require.NoError(t, db.Read(t.Context(), func(ctx context.Context, tx ports.Repos) (err error) {
			got, err = tx.Orders.Series(ctx, access.Own(f.company), id, o.Reading())
			return err
		}))
		unread := unreadDates(t, got)
		lost += len(unread)
		if i%every != 0 && len(unread) == 0 {
			continue
		}
		want, err := computer.Compute(t.Context(), satellite.SeriesRequest{Boundary: o.Boundary, From: o.StartDate, To: o.EndDate, Index: ndvi})
		require.NoError(t, err)
		want, got = without(want, unread), without(got, unread)
		require.True(t, want.Same(got), "order %d: %+v instead of %+v", id, got, want)
		points += len(want.Observations)
	}
	require.Positive(t, points)
	require.True(t, lost > 0 || !f.how.outage, "the outage was not noticed")
	require.Less(t, lost, len(active)/20, "a file is tried more than once")
	t.Logf("%d dates could not be read", lost)
}

// unreadDates returns the dates of a series whose files were unavailable, each of which must have a note.
func unreadDates(t *testing.T, s vegetation.Series) (dates []time.Time) {
	for _, r := range s.Rejected {
		if r.Reason == vegetation.ReasonError {
			require.NotEmpty(t, r.Note)
			dates = append(dates, r.Date)
		}
	}
	return dates
}

// without leaves dates out of a series.
func without(s vegetation.Series, dates []time.Time) vegetation.Series {
	out := func(day time.Time) bool { return slices.ContainsFunc(dates, day.Equal) }
	s.Observations = slices.DeleteFunc(slices.Clone(s.Observations), func(o vegetation.Observation) bool { return out(o.Date) })
	s.Rejected = slices.DeleteFunc(slices.Clone(s.Rejected), func(r vegetation.Rejection) bool { return out(r.Date) })
	return s
}

// checkEvents checks that one event of each active order was heard, in the order of the feed.
func checkEvents(t *testing.T, heard []events.CloudEvent, active map[int64]vegetation.OrderState) {
	t.Helper()
	require.Len(t, heard, len(active))
	ids, orders := map[string]bool{}, map[int64]bool{}
	for i, e := range heard {
		require.Equal(t, event.TypeProfileCompleted, e.Type)
		require.Equal(t, event.FormatPosition(int64(i+1)), e.Sequence, "in order, without a gap")
		require.False(t, ids[e.ID], "event %s is heard twice", e.ID)
		ids[e.ID] = true
		var told event.ProfileCompleted
		require.NoError(t, json.Unmarshal(e.Data, &told))
		require.Contains(t, active, told.OrderID)
		require.False(t, orders[told.OrderID], "order %d is told of twice", told.OrderID)
		orders[told.OrderID] = true
		require.Equal(t, active[told.OrderID].UUID, told.ProfileUUID)
	}
}
