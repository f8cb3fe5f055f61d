package simulate

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/app"
	"tilth/app/soil"
	"tilth/core/access"
	"tilth/core/credit"
	"tilth/core/event"
	"tilth/core/fault"
	"tilth/core/stratification"
	"tilth/core/stratification/layer"
	"tilth/ports"
)

// surveying is areas of interest of a planned world that are ordered to be surveyed, by a source that answers, fails,
// refuses or hangs. An order with layers is charged once, a failed one never, and its area can be ordered again.
type surveying struct {
	*planned
	orders *soil.Orders
	worker *soil.OrderWorker
	areas  []area
}

// area is an area of interest and what the model knows about its latest order.
type area struct {
	id     int64
	order  int64 // 0: there is none
	status stratification.OrderStatus
	failed []int64
}

func newSurveying(p *planned, deps app.Deps) *surveying {
	s := &surveying{planned: p, orders: &soil.Orders{Deps: deps}, areas: make([]area, 3)}
	s.worker = &soil.OrderWorker{Deps: deps, Layers: s, Log: slog.New(slog.DiscardHandler)}
	p.Subscribe(1)
	p.Price(credit.ServiceSTR, credit.DefaultProfilePrice)
	for i := range s.areas {
		field := p.fields[i].field
		aoi := stratification.AOI{UUID: fmt.Sprint("area-", i), Name: "Area", Fields: []stratification.AOIField{{ID: field.ID, UUID: field.UUID}}}
		p.Put(func(tx ports.Repos) error {
			return tx.AOIs.Insert(p.t.Context(), access.Own(1), []*stratification.AOI{&aoi})
		})
		s.areas[i].id = aoi.ID
	}
	return s
}

// Prepare implements soil.LayerSource.
func (s *surveying) Prepare(ctx context.Context, _ stratification.OrderState) (layer.Prepared, error) {
	if s.happens(0.15) { // it hangs; a caller with a deadline leaves
		select {
		case <-time.After(time.Hour):
		case <-ctx.Done():
			return layer.Prepared{}, ctx.Err()
		}
	}
	switch {
	case s.happens(0.2):
		return layer.Prepared{}, errors.New("no route to host")
	case s.happens(0.1):
		return layer.Prepared{}, fault.New(fault.Invalid, "no_layers", "There are no layers.")
	}
	return layer.Prepared{}, nil
}

// place orders the layers of an area, and judges the answer.
func (s *surveying) place() {
	of := &s.areas[s.plan.IntN(len(s.areas))]
	wallet := s.wallet()
	status, id := s.ask(func(ctx context.Context) (int64, error) {
		placed, err := s.orders.Place(ctx, s.owner, soil.OrderRequest{AOIID: of.id})
		return placed.ID, err
	})
	switch {
	case of.order != 0 && of.status != stratification.OrderFailed:
		require.Equal(s.t, 409, status, "an area is ordered once a year")
	case wallet.Available() < s.price:
		require.Equal(s.t, 402, status)
	default:
		require.Equal(s.t, 200, status)
		require.NotContains(s.t, append(of.failed, 0), id, "it is another order")
		if of.order != 0 {
			of.failed = append(of.failed, of.order)
		}
		of.order, of.status = id, stratification.OrderPending
	}
}

// judge compares the orders with the model, and returns the cost of those that ended well and of those that are open.
func (s *surveying) judge() (active, open credit.Amount) {
	completed := map[int64]int{}
	for _, e := range s.Events {
		if done, ok := e.Data.(event.StratificationCompleted); ok {
			completed[done.OrderID]++
		}
	}
	for i := range s.areas {
		of := &s.areas[i]
		for _, id := range of.failed {
			require.Equal(s.t, stratification.OrderFailed, s.state(id).Status, "an order that has failed changes")
			require.Zero(s.t, completed[id])
		}
		if of.order == 0 {
			continue
		}
		now := s.state(of.order)
		require.Equal(s.t, s.price, now.Charge)
		if of.status == stratification.OrderActive || of.status == stratification.OrderFailed {
			require.Equal(s.t, of.status, now.Status, "an order that has ended changes")
		}
		switch of.status = now.Status; now.Status {
		case stratification.OrderActive:
			active += now.Charge
			require.Equal(s.t, 1, completed[of.order], "an order completes once")
		case stratification.OrderFailed:
			require.Zero(s.t, completed[of.order])
		default:
			open += now.Charge
			require.True(s.t, s.waits(soil.OrderJob, of.order), "an open order has a job")
			require.Zero(s.t, completed[of.order])
		}
	}
	return active, open
}

func (s *surveying) state(id int64) (out stratification.OrderState) {
	s.Put(func(tx ports.Repos) (err error) {
		out, err = tx.StratificationOrders.GetForUpdate(s.t.Context(), access.Own(1), id)
		return err
	})
	return out
}

func (s *surveying) judgeEnd() {
	for _, of := range s.areas {
		require.NotContains(s.t, []stratification.OrderStatus{stratification.OrderPending, stratification.OrderProcessing}, of.status, "an order is forgotten")
	}
}
