package orders

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	farmapp "tilth/app/farm"
	"tilth/app/soil"
	"tilth/core/access"
	"tilth/core/credit"
	"tilth/core/event"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/core/stratification"
	"tilth/core/stratification/layer"
	"tilth/ports"
	"tilth/tests/rig"
)

func codeOf(t *testing.T, err error) string {
	t.Helper()
	f, ok := fault.As(err)
	require.True(t, ok, "%v", err)
	return f.Code
}

// The charge of an order is held, the order is prepared, the charge is captured, the layers
// are frozen; a year has to pass before the next order, which costs nothing more.
func TestOrder(t *testing.T) {
	rig.EachDatabase(t, func(t *testing.T, database string) {
		w := newSoilWorld(t, database)
		e := w.estate(1000_00)
		quote, err := w.orders.Price(t.Context(), e.who, e.aoi.ID)
		require.NoError(t, err)
		require.Equal(t, []soil.Price{{MapType: "STR", PerHa: 10_00, Total: credit.Charge(10_00, quote.AreaM2)}}, quote.Prices)
		require.InDelta(t, 18e4, quote.AreaM2, 2e3, "two fields of 9 ha")

		placed, err := w.place(e)
		require.NoError(t, err)
		require.Equal(t, stratification.OrderPending, placed.Status)
		wallet, _ := w.books(e)
		require.Equal(t, quote.Prices[0].Total, wallet.Held)

		_, err = w.place(e)
		require.Equal(t, "order_within_year", codeOf(t, err), "an open order counts")
		free, err := w.orders.Price(t.Context(), e.who, e.aoi.ID)
		require.NoError(t, err)
		require.Equal(t, []soil.Price{{MapType: "STR"}}, free.Prices)

		w.clock.move(5 * time.Second)
		require.Equal(t, 1, w.work())
		done := w.order(e, placed.ID)
		require.Equal(t, stratification.OrderActive, done.Status)
		seconds, ok := done.TotalTime()
		require.True(t, ok)
		require.Zero(t, seconds)
		wallet, lines := w.books(e)
		require.Equal(t, credit.Wallet{CompanyID: e.who.CompanyID, Balance: 1000_00 - placed.Charge}, wallet)
		require.Equal(t, []credit.Kind{credit.Hold, credit.Capture}, lines)
		require.Equal(t, []string{event.TypeStratificationCompleted}, w.events(e))

		w.clock.set(time.Date(2027, 2, 28, 23, 59, 59, 0, time.UTC))
		_, err = w.place(e)
		require.Equal(t, "order_within_year", codeOf(t, err))
		f, _ := fault.As(err)
		require.Equal(t, "2027-03-01", f.Details["next_allowed_date"])
		require.Equal(t, placed.DataUUID, f.Details["data_uuid"])
		w.clock.move(time.Second)
		again, err := w.place(e)
		require.NoError(t, err)
		require.Zero(t, again.Charge, "the area was paid for")
		w.work()
		_, lines = w.books(e)
		require.Len(t, lines, 2, "a charge of nothing leaves no line")
	})
}

// The layers are read back as they were prepared, to the bit, together with their frame.
func TestLayersAreFrozen(t *testing.T) {
	rig.EachDatabase(t, func(t *testing.T, database string) {
		w := newSoilWorld(t, database)
		e := w.estate(1000_00)
		placed, err := w.place(e)
		require.NoError(t, err)
		want, err := flat(placed)
		require.NoError(t, err)
		_, layers, err := w.orders.Layers(t.Context(), e.who, placed.ID)
		require.NoError(t, err)
		require.Empty(t, layers)
		w.work()
		var got []layer.PreparedLayer
		require.NoError(t, w.db.Read(t.Context(), func(ctx context.Context, tx ports.Repos) (err error) {
			got, err = tx.StratificationOrders.Layers(ctx, e.scope, placed.ID, true)
			return err
		}))
		require.Equal(t, want.Layers, got)
		done := w.order(e, placed.ID)
		require.Equal(t, want.Digest, done.Digest)
		frame, err := done.Frame(nil)
		require.NoError(t, err)
		require.Equal(t, want.Digest, layer.NewPrepared(&frame, got, nil).Digest)

		// A field is deleted: the order keeps its land, and reports that the area changed.
		require.Empty(t, done.Changed(done.Land))
		require.Equal(t, []string{e.fields[1].UUID}, done.Changed(done.Land[:1]))
		stranger := w.estate(0)
		_, _, err = w.orders.Layers(t.Context(), stranger.who, placed.ID)
		require.True(t, fault.Is(err, fault.NotFound))
	})
}

// Any number of concurrent orders result in one order and one charge.
func TestConcurrentOrders(t *testing.T) {
	rig.EachDatabase(t, func(t *testing.T, database string) {
		w := newSoilWorld(t, database)
		e := w.estate(1000_00)
		var group sync.WaitGroup
		errs := make([]error, 8)
		for i := range errs {
			group.Go(func() { _, errs[i] = w.place(e) })
		}
		group.Wait()
		accepted := 0
		for _, err := range errs {
			if err == nil {
				accepted++
				continue
			}
			require.Equal(t, "order_within_year", codeOf(t, err))
		}
		require.Equal(t, 1, accepted)
		_, lines := w.books(e)
		require.Equal(t, []credit.Kind{credit.Hold}, lines)
		w.work()
		_, lines = w.books(e)
		require.Equal(t, []credit.Kind{credit.Hold, credit.Capture}, lines)
	})
}

func TestRefusedOrders(t *testing.T) {
	rig.EachDatabase(t, func(t *testing.T, database string) {
		w := newSoilWorld(t, database)
		poor, other := w.estate(1_00), w.estate(1000_00)
		ctx := t.Context()
		_, err := w.place(poor)
		require.True(t, fault.Is(err, fault.PaymentRequired))
		_, lines := w.books(poor)
		require.Empty(t, lines)
		for name, req := range map[string]soil.OrderRequest{
			"aoi_id":   {},
			"aoi_uuid": {AOIID: other.aoi.ID, AOIUUID: other.aoi.UUID},
			"map_type": {AOIID: other.aoi.ID, MapType: "XYZ"},
		} {
			_, err := w.orders.Place(ctx, other.who, req)
			f, ok := fault.As(err)
			require.True(t, ok)
			require.Equal(t, fault.Invalid, f.Kind)
			require.Contains(t, f.Fields, name)
		}
		_, err = w.orders.Place(ctx, other.who, soil.OrderRequest{AOIUUID: poor.aoi.UUID})
		require.True(t, fault.Is(err, fault.Invalid), "another company's area: %v", err)
		require.NoError(t, w.op.Unsubscribe(ctx, other.who.CompanyID, access.Stratification))
		_, err = w.place(other)
		require.Equal(t, "subscription_required", codeOf(t, err))
		yesterday := time.Date(2026, 2, 28, 0, 0, 0, 0, time.UTC)
		_, err = w.op.Subscribe(ctx, other.who.CompanyID, access.Stratification, &yesterday)
		require.Error(t, err)
		today := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
		_, err = w.op.Subscribe(ctx, other.who.CompanyID, access.Stratification, &today)
		require.NoError(t, err)
		placed, err := w.place(other)
		require.NoError(t, err, "its last day is covered")
		w.clock.move(24 * time.Hour)
		_, err = w.orders.Price(ctx, other.who, other.aoi.ID)
		require.Equal(t, "subscription_required", codeOf(t, err))
		require.Equal(t, placed.ID, w.order(other, placed.ID).ID, "what was paid for stays readable")
	})
}

// A failed order releases its charge, does not count for the year, and may be retried by the
// operator three times.
func TestFailedOrders(t *testing.T) {
	rig.EachDatabase(t, func(t *testing.T, database string) {
		w := newSoilWorld(t, database)
		e := w.estate(1000_00)
		w.preparer.answer = func(stratification.OrderState) (layer.Prepared, error) {
			return layer.Prepared{}, fault.New(fault.Invalid, "no_usable_layers", "Nothing there.")
		}
		placed, err := w.place(e)
		require.NoError(t, err)
		w.work()
		require.Equal(t, "Nothing there.", w.order(e, placed.ID).Reason)
		wallet, _ := w.books(e)
		require.Equal(t, credit.Wallet{CompanyID: e.who.CompanyID, Balance: 1000_00}, wallet)
		for range stratification.MaxRetries {
			retried, err := w.op.RetryStratification(t.Context(), placed.ID)
			require.NoError(t, err)
			require.Equal(t, stratification.OrderProcessing, retried.Status)
			wallet, _ = w.books(e)
			require.Equal(t, placed.Charge, wallet.Held)
			_, err = w.op.RetryStratification(t.Context(), placed.ID)
			require.Equal(t, "order_state", codeOf(t, err))
			w.work()
		}
		_, err = w.op.RetryStratification(t.Context(), placed.ID)
		require.Equal(t, "retries_used", codeOf(t, err))
		require.Equal(t, []string{event.TypeStratificationFailed, event.TypeStratificationFailed, event.TypeStratificationFailed, event.TypeStratificationFailed}, w.events(e))

		w.preparer.answer = flat
		second, err := w.place(e)
		require.NoError(t, err, "a failed order does not count")
		require.Equal(t, placed.Charge, second.Charge)
		w.work()
		wallet, _ = w.books(e)
		require.Equal(t, credit.Wallet{CompanyID: e.who.CompanyID, Balance: 1000_00 - second.Charge}, wallet)
	})
}

// The order waits for an unavailable source; a killed worker leaves its job to the next one; an
// order that takes too long fails, and a worker that returns late changes nothing.
func TestInterruptions(t *testing.T) {
	rig.EachDatabase(t, func(t *testing.T, database string) {
		w := newSoilWorld(t, database)
		e := w.estate(1000_00)
		out := errors.New("no route to host")
		w.preparer.answer = func(stratification.OrderState) (layer.Prepared, error) {
			return layer.Prepared{}, out
		}
		placed, err := w.place(e)
		require.NoError(t, err)
		require.Equal(t, 1, w.work())
		require.Equal(t, stratification.OrderPending, w.order(e, placed.ID).Status)
		require.Zero(t, w.work(), "not before its time")

		// Killed: the context ends in the middle, and the lease expires.
		w.clock.move(time.Hour)
		ctx, kill := context.WithCancel(t.Context())
		w.preparer.answer = func(o stratification.OrderState) (layer.Prepared, error) { kill(); return flat(o) }
		job, ok := w.claim()
		require.True(t, ok)
		require.ErrorIs(t, w.worker.Run(ctx, job), context.Canceled)
		require.Equal(t, stratification.OrderProcessing, w.order(e, placed.ID).Status)

		// It takes too long, and is swept; the late worker finds it failed.
		w.clock.move(2 * time.Minute)
		late, ok := w.claim()
		require.True(t, ok)
		n, err := w.worker.Sweep(t.Context())
		require.NoError(t, err)
		require.Zero(t, n)
		w.preparer.answer = func(o stratification.OrderState) (layer.Prepared, error) {
			w.clock.move(stratification.ProcessingLimit)
			n, err := w.worker.Sweep(t.Context())
			require.NoError(t, err)
			require.EqualValues(t, 1, n)
			return flat(o)
		}
		require.NoError(t, w.worker.Run(t.Context(), late))
		done := w.order(e, placed.ID)
		require.Equal(t, stratification.OrderFailed, done.Status)
		require.Contains(t, done.Reason, "30 minutes")
		wallet, lines := w.books(e)
		require.Equal(t, credit.Wallet{CompanyID: e.who.CompanyID, Balance: 1000_00}, wallet)
		require.Equal(t, []credit.Kind{credit.Hold, credit.Release}, lines)
		require.Zero(t, w.work(), "the job is done with")
	})
}

// Deleting the area fails an open order, releases its charge and hides the order; after a
// restore both are back.
func TestDeletedArea(t *testing.T) {
	rig.EachDatabase(t, func(t *testing.T, database string) {
		w := newSoilWorld(t, database)
		e := w.estate(1000_00)
		placed, err := w.place(e)
		require.NoError(t, err)
		require.NoError(t, w.aois.Delete(t.Context(), e.who, e.aoi.ID))
		wallet, _ := w.books(e)
		require.Zero(t, wallet.Held)
		_, err = w.orders.Retrieve(t.Context(), e.who, placed.ID)
		require.True(t, fault.Is(err, fault.NotFound))
		_, err = w.op.RetryStratification(t.Context(), placed.ID)
		require.True(t, fault.Is(err, fault.NotFound))
		require.Equal(t, 1, w.work(), "the job finds nothing to do")
		back, err := w.aois.Restore(t.Context(), e.who, e.aoi.ID)
		require.NoError(t, err)
		require.Equal(t, e.aoi.Fields, back.Fields)
		require.True(t, back.MapRequested)
		require.Equal(t, stratification.OrderFailed, w.order(e, placed.ID).Status)
	})
}

// The errors of areas of interest, by name.
func TestAreasOfInterest(t *testing.T) {
	rig.EachDatabase(t, func(t *testing.T, database string) {
		w := newSoilWorld(t, database)
		e, stranger := w.estate(0), w.estate(0)
		first, second := e.fields[0].UUID, e.fields[1].UUID
		var bare farm.Field
		require.NoError(t, w.db.Write(t.Context(), func(ctx context.Context, tx ports.Repos) error {
			bare = e.fields[0]
			bare.Boundary, bare.UUID = nil, "00000000-0000-4000-8000-00000000000b"
			return tx.Fields.Insert(ctx, e.scope, []*farm.Field{&bare})
		}))
		for name, c := range map[string]struct {
			uuids []string
			names string
		}{
			"none":      {nil, "1 to 500"},
			"twice":     {[]string{first, second, first}, first},
			"strangers": {[]string{first, stranger.fields[0].UUID}, stranger.fields[0].UUID},
			"unknown":   {[]string{"00000000-0000-4000-8000-000000000000"}, "00000000-0000-4000-8000-000000000000"},
			"bare":      {[]string{bare.UUID}, "no boundary"},
			"too many":  {make([]string, stratification.MaxFields+1), "1 to 500"},
		} {
			draft := farmapp.Draft[stratification.AOI]{}
			for _, uuid := range c.uuids {
				draft.Record.Fields = append(draft.Record.Fields, stratification.AOIField{UUID: uuid})
			}
			_, err := w.aois.Create(t.Context(), e.who, []farmapp.Draft[stratification.AOI]{draft}, false)
			f, ok := fault.As(err)
			require.True(t, ok, name)
			require.Equal(t, fault.Invalid, f.Kind, name)
			require.Contains(t, f.Fields["field_uuids"].([]string)[0], c.names, name)
		}
		// The given sequence of fields is kept, and overlaps count once.
		turned := w.aoi(e, e.fields[1], e.fields[0])
		require.Equal(t, []string{second, first}, turned.FieldUUIDs())
		_, err := w.aois.Retrieve(t.Context(), stranger.who, false, turned.ID)
		require.True(t, fault.Is(err, fault.NotFound))
		land := []stratification.Land{{FieldUUID: "a", Geometry: rig.Square(300, 0)}, {FieldUUID: "b", Geometry: rig.Square(300, 0)}}
		both, err := stratification.AreaM2(nil, land)
		require.NoError(t, err)
		one, err := stratification.AreaM2(nil, land[:1])
		require.NoError(t, err)
		require.Equal(t, one, both)
	})
}
