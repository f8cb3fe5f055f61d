package orders

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/app/satellite"
	"tilth/core/fault"
	"tilth/core/vegetation"
	"tilth/ports"
	"tilth/tests/rig"
)

func choose(t *testing.T, mask string) vegetation.Choice {
	t.Helper()
	m, err := vegetation.ParseMask(mask)
	require.NoError(t, err)
	return vegetation.Choice{Mask: &m}
}

// Twenty callers who request a mask, in whatever words, share one computation; it costs nothing, and leaves the order as it is.
func TestManyAskForAMaskAndItIsComputedOnce(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		w := newWorld(t, database)
		e := w.estate(100_00, 1, past("s"))
		order := w.active(e)
		own := w.computer.count(vegetation.NDVI)
		w.pool()
		words := []string{"strict,dilate:1", "out:11,10,9,8,7,6,3,2,1,dilate:1"}
		for _, a := range w.twentyAsk(e, order, func(i int) vegetation.Choice { return choose(t, words[i%2]) }) {
			require.Equal(t, []any{vegetation.Active, "NDVI strict,dilate:1 all"}, []any{a.Order.Status, a.Order.Reading().String()})
			require.Len(t, a.Series.Observations, 3)
		}
		require.Equal(t, own+1, w.computer.count(vegetation.NDVI))
		again, err := w.orders.Retrieve(t.Context(), e.who, false, order.ID)
		require.NoError(t, err)
		require.Equal(t, order, again.Order)
	})
}

// The number of readings of an order is bounded, even for concurrent callers; existing readings stay readable.
func TestTheReadingsOfAnOrderAreBounded(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		w := newWorld(t, database)
		e := w.estate(100_00, 1, past("s"))
		order := w.active(e)
		const asked = vegetation.MaxReadings + 6
		errs := make([]error, asked)
		var asking sync.WaitGroup
		for i := range asked {
			asking.Go(func() {
				_, errs[i] = w.orders.RetrieveReading(t.Context(), e.who, false, order.ID, choose(t, fmt.Sprintf("buffer:%d", i+1)), 0)
			})
		}
		asking.Wait()
		refused := 0
		for i, err := range errs {
			if err == nil {
				continue
			}
			f, ok := fault.As(err)
			require.True(t, ok)
			require.Equal(t, []any{fault.Conflict, "limit_reached"}, []any{f.Kind, f.Code}, "%d", i)
			refused++
		}
		require.Equal(t, asked-vegetation.MaxReadings, refused)
		for w.work() > 0 {
		}
		active := 0
		for i, err := range errs {
			if err != nil {
				continue
			}
			found, err := w.orders.RetrieveReading(t.Context(), e.who, false, order.ID, choose(t, fmt.Sprintf("buffer:%d", i+1)), 0)
			require.NoError(t, err)
			require.Equal(t, vegetation.Active, found.Order.Status)
			active++
		}
		require.Equal(t, vegetation.MaxReadings, active)
		_, err := w.orders.RetrieveReading(t.Context(), e.who, false, order.ID, choose(t, "standard"), 0)
		require.NoError(t, err, "its own is none of them")
	})
}

// A job that was queued before there were readings knows only its index.
func TestAJobOfBeforeReadings(t *testing.T) {
	t.Parallel()
	w := newWorld(t, rig.SQLite(t))
	e := w.estate(100_00, 1, past("s"))
	order := w.active(e)
	require.NoError(t, w.db.Write(t.Context(), func(ctx context.Context, tx ports.Repos) error {
		d := vegetation.NewDerivation(order, vegetation.Reading{Index: vegetation.EVI}, w.clock.Now())
		if err := tx.Orders.PutDerivation(ctx, e.scope, d); err != nil {
			return err
		}
		return tx.Jobs.Enqueue(ctx, ports.Job{
			Kind: satellite.IndexJob, Key: fmt.Sprint(order.ID, ":EVI"), CompanyID: order.CompanyID, Subject: order.ID, RunAt: w.clock.Now(),
		})
	}))
	require.Equal(t, 1, w.work())
	require.Equal(t, vegetation.Active, w.ask(e, order, vegetation.EVI, 0).Order.Status)
	require.Equal(t, 1, w.computer.count(vegetation.EVI))
}

// A reading without an accepted date reports why, and does not end the order.
func TestAReadingWithoutAPointSaysWhy(t *testing.T) {
	t.Parallel()
	w := newWorld(t, rig.SQLite(t))
	e := w.estate(100_00, 1, past("s"))
	order := w.active(e)
	w.computer.answer = func(x vegetation.IndexCode) (vegetation.Series, error) {
		return vegetation.Series{Index: x, Rejected: []vegetation.Rejection{{Date: date(2025, 4, 1), Reason: vegetation.ReasonTooFew, Note: "The field is too narrow for the buffer of 60 m: no pixel is left."}}}, nil
	}
	_, err := w.orders.RetrieveReading(t.Context(), e.who, false, order.ID, choose(t, "buffer:60"), 0)
	require.NoError(t, err)
	w.work()
	found, err := w.orders.RetrieveReading(t.Context(), e.who, false, order.ID, choose(t, "buffer:60"), 0)
	require.NoError(t, err)
	require.Equal(t, vegetation.Failed, found.Order.Status)
	require.Equal(t, "The field is too narrow for the buffer of 60 m: no pixel is left.", found.Order.Reason)
	require.Len(t, found.Series.Rejected, 1)
}
