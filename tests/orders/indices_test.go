package orders

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/app/satellite"
	"tilth/core/fault"
	"tilth/core/vegetation"
	"tilth/ports"
	"tilth/tests/rig"
)

// far is a wait that no test reaches.
const far = time.Minute

func (w *world) ask(e estate, order vegetation.OrderState, code vegetation.IndexCode, wait time.Duration) satellite.Profile {
	w.t.Helper()
	found, err := w.orders.RetrieveReading(w.t.Context(), e.who, false, order.ID, vegetation.Choice{Index: code}, wait)
	require.NoError(w.t, err)
	require.Equal(w.t, string(code), found.Order.Index)
	return found
}

// twentyAsk returns the answers of twenty callers who ask at the same time, each with its own choice.
func (w *world) twentyAsk(e estate, order vegetation.OrderState, choice func(i int) vegetation.Choice) []satellite.Profile {
	answers := make([]satellite.Profile, 20)
	var asking sync.WaitGroup
	for i := range answers {
		chosen := choice(i)
		asking.Go(func() {
			answers[i], _ = w.orders.RetrieveReading(context.Background(), e.who, false, order.ID, chosen, far)
		})
	}
	asking.Wait()
	return answers
}

func TestManyAskForAnIndexAndItIsComputedOnce(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		w := newWorld(t, database)
		e := w.estate(100_00, 1, past("s"))
		order := w.active(e)
		var before int64
		w.read(func(tx ports.Repos) (err error) {
			before, err = tx.Wallet.CountTransactions(t.Context(), e.scope, ports.Query{})
			return err
		})
		// All ask before any worker runs, so all of them find it missing.
		for range 5 {
			require.Equal(t, vegetation.Processing, w.ask(e, order, vegetation.EVI, 0).Order.Status)
		}
		w.pool()
		for _, a := range w.twentyAsk(e, order, func(int) vegetation.Choice { return vegetation.Choice{Index: vegetation.EVI} }) {
			require.Equal(t, vegetation.Active, a.Order.Status)
			require.Equal(t, dates(vegetation.EVI, 3).Profile(), a.Series.Profile())
		}
		require.Equal(t, 1, w.computer.count(vegetation.EVI))
		for _, x := range vegetation.Indices() {
			for range 2 {
				require.Len(t, w.ask(e, order, x.Code, far).Series.Observations, 3, x.Code)
			}
			require.Equal(t, 1, w.computer.count(x.Code), x.Code)
		}
		w.read(func(tx ports.Repos) error {
			after, err := tx.Wallet.CountTransactions(t.Context(), e.scope, ports.Query{})
			require.Equal(t, before, after, "an index costs nothing")
			return err
		})
		// The order itself is unchanged.
		own, err := w.orders.Retrieve(t.Context(), e.who, false, order.ID)
		require.NoError(t, err)
		require.Equal(t, order, own.Order)
	})
}

func TestAnIndexThatCannotBeComputed(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		w := newWorld(t, database)
		e := w.estate(100_00, 1, past("s"))
		order := w.active(e)
		answer := w.computer.answer

		// A permanent failure: the reason is given, and there is no other try until a day later.
		w.computer.answer = func(vegetation.IndexCode) (vegetation.Series, error) {
			return vegetation.Series{}, fault.New(fault.Invalid, "imagery", "The archive is broken.")
		}
		require.Equal(t, vegetation.Processing, w.ask(e, order, vegetation.NBR, 0).Order.Status)
		require.Equal(t, 1, w.work())
		for range 3 {
			failed := w.ask(e, order, vegetation.NBR, far)
			require.Equal(t, vegetation.Failed, failed.Order.Status)
			require.Equal(t, "The archive is broken.", failed.Order.Reason)
			require.Empty(t, failed.Series.Observations)
			require.Zero(t, w.work())
		}
		require.Equal(t, 1, w.computer.count(vegetation.NBR))
		w.clock.move(vegetation.DeriveAgain)
		w.computer.answer = answer
		require.Equal(t, vegetation.Processing, w.ask(e, order, vegetation.NBR, 0).Order.Status)
		w.work()
		require.Equal(t, vegetation.Active, w.ask(e, order, vegetation.NBR, 0).Order.Status)

		// The source is unavailable: tried again, less and less often, and not for ever.
		w.computer.answer = func(vegetation.IndexCode) (vegetation.Series, error) {
			return vegetation.Series{}, fault.New(fault.Unavailable, "imagery", "away").Because(errors.New("no route"))
		}
		w.ask(e, order, vegetation.NDMI, 0)
		for range vegetation.Retry.Tries {
			require.Equal(t, vegetation.Processing, w.ask(e, order, vegetation.NDMI, 0).Order.Status)
			require.Equal(t, 1, w.work())
			require.Zero(t, w.work(), "the next try waits")
			w.clock.move(vegetation.Retry.Max)
		}
		failed := w.ask(e, order, vegetation.NDMI, far)
		require.Equal(t, vegetation.Failed, failed.Order.Status)
		require.Contains(t, failed.Order.Reason, "could not be reached")
		require.Equal(t, vegetation.Retry.Tries, w.computer.count(vegetation.NDMI))
	})
}

func TestAnOrderThatIsNotActiveHasNoIndex(t *testing.T) {
	t.Parallel()
	w := newWorld(t, rig.SQLite(t))
	e := w.estate(100_00, 1, coming())
	order, err := w.place(e, 0, 0)
	require.NoError(t, err)
	w.work()
	found := w.ask(e, order, vegetation.EVI, far)
	require.Equal(t, vegetation.Pending, found.Order.Status)
	require.Contains(t, found.Order.Reason, "has not begun")
	require.Empty(t, found.Series.Observations)
	require.Zero(t, w.work())
	require.Zero(t, w.computer.count(vegetation.EVI))
}

// The archive has received a date since: the stored series is returned at once, and
// recomputed after the answer.
func TestAnIndexFollowsItsOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, rig.SQLite(t))
	e := w.estate(100_00, 1, past("s"))
	order := w.active(e)
	w.ask(e, order, vegetation.EVI, 0)
	w.work()
	refresh := func(n int) {
		w.clock.move(25 * time.Hour)
		w.computer.answer = func(index vegetation.IndexCode) (vegetation.Series, error) { return dates(index, n), nil }
		w.write(func(tx ports.Repos) error {
			s, err := tx.Orders.GetForUpdate(t.Context(), e.scope, order.ID)
			require.NoError(t, err)
			now := w.clock.Now()
			s.LastCheckedAt = &now
			require.NoError(t, tx.Orders.Update(t.Context(), e.scope, s))
			return tx.Orders.PutSeries(t.Context(), e.scope, order.ID, dates(vegetation.NDVI, n))
		})
	}
	refresh(3)
	require.Len(t, w.ask(e, order, vegetation.EVI, 0).Series.Observations, 3)
	require.Zero(t, w.work(), "nothing new")
	refresh(4)
	old := w.ask(e, order, vegetation.EVI, far)
	require.Equal(t, vegetation.Active, old.Order.Status)
	require.Len(t, old.Series.Observations, 3)
	require.Equal(t, 1, w.work())
	require.Len(t, w.ask(e, order, vegetation.EVI, 0).Series.Observations, 4)
	require.Zero(t, w.work())
	require.Equal(t, 2, w.computer.count(vegetation.EVI))
}

// A worker is killed while it has a job: another one does it, and the first can no longer store anything.
func TestAKilledWorkerLosesNothing(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		w := newWorld(t, database)
		e := w.estate(100_00, 1, past("s"))
		order := w.active(e)
		w.ask(e, order, vegetation.EVI, 0)
		lost, err := w.db.Queue().Claim(t.Context(), w.clock.Now(), time.Minute, 1)
		require.NoError(t, err)
		require.Len(t, lost, 1)
		require.Zero(t, w.work())
		w.clock.move(2 * time.Minute)
		require.Equal(t, 1, w.work())
		w.computer.answer = func(index vegetation.IndexCode) (vegetation.Series, error) { return dates(index, 9), nil }
		require.True(t, fault.Is(w.worker.RunIndex(t.Context(), lost[0]), fault.Conflict))
		require.Len(t, w.ask(e, order, vegetation.EVI, 0).Series.Observations, 3)
	})
}

func TestWaitingEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t, rig.SQLite(t))
	e := w.estate(100_00, 1, past("s"))
	order := w.active(e)
	require.Equal(t, vegetation.Processing, w.ask(e, order, vegetation.EVI, time.Millisecond).Order.Status)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := w.orders.RetrieveReading(ctx, e.who, false, order.ID, vegetation.Choice{Index: vegetation.EVI}, far)
	require.ErrorIs(t, err, context.Canceled)
	_, err = w.orders.RetrieveReading(t.Context(), e.who, false, order.ID+1, vegetation.Choice{Index: vegetation.EVI}, far)
	require.True(t, fault.Is(err, fault.NotFound))
	stranger := w.estate(0, 0)
	_, err = w.orders.RetrieveReading(t.Context(), stranger.who, false, order.ID, vegetation.Choice{Index: vegetation.EVI}, far)
	require.True(t, fault.Is(err, fault.NotFound))
}
