package soil_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	farmapp "tilth/app/farm"
	"tilth/app/satellite"
	"tilth/app/soil"
	"tilth/core/access"
	"tilth/core/credit"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/stratification"
	"tilth/ports"
	"tilth/tests/memory"
)

// estate is a subscribed company with two fields and an area of interest over the first.
type estate struct {
	*memory.World
	t      *testing.T
	aois   *soil.AOIs
	orders *soil.Orders
	owner  access.Principal
	aoi    stratification.AOI
	price  credit.Amount // of an order of the area
}

func newEstate(t *testing.T) *estate {
	t.Helper()
	w := memory.New()
	e := &estate{World: w, t: t, aois: soil.NewAOIs(w.Deps()), orders: &soil.Orders{Deps: w.Deps()}, owner: w.Company(1)}
	w.Subscribe(1)
	w.Price(credit.ServiceSTR, 1_00)
	field := func(uuid string, lon float64) *farm.Field {
		ring := geo.Ring{{X: lon, Y: 45}, {X: lon + 0.01, Y: 45}, {X: lon + 0.01, Y: 45.01}, {X: lon, Y: 45.01}, {X: lon, Y: 45}}
		boundary, err := geo.NewBoundary(nil, geo.MultiPolygon{{ring}}, geo.DefaultLimits())
		require.NoError(t, err)
		return &farm.Field{UUID: uuid, Boundary: &boundary}
	}
	near, far, bare := field("near", 9), field("far", 19), &farm.Field{UUID: "bare"}
	w.Put(func(tx ports.Repos) error {
		return tx.Fields.Insert(t.Context(), e.owner.Scope(false), []*farm.Field{near, far, bare})
	})
	e.price = credit.Charge(1_00, near.AreaM2())
	made, err := e.create("near")
	require.NoError(t, err)
	e.aoi = made
	return e
}

func (e *estate) create(uuids ...string) (out stratification.AOI, err error) {
	e.t.Helper()
	draft := stratification.AOI{Name: "Area"}
	for _, uuid := range uuids {
		draft.Fields = append(draft.Fields, stratification.AOIField{UUID: uuid})
	}
	made, err := e.aois.Create(e.t.Context(), e.owner, []farmapp.Draft[stratification.AOI]{{Record: draft}}, false)
	if err == nil {
		out = made[0]
	}
	return out, err
}

func (e *estate) place(who access.Principal) (stratification.OrderState, error) {
	return e.orders.Place(e.t.Context(), who, soil.OrderRequest{AOIID: e.aoi.ID})
}

// holds requires the company to have a balance, of which an amount is held.
func (e *estate) holds(balance, held credit.Amount) {
	e.t.Helper()
	wallet, err := (&satellite.Profiles{Deps: e.Deps()}).Wallet(e.t.Context(), e.owner)
	require.NoError(e.t, err)
	require.Equal(e.t, []credit.Amount{balance, held}, []credit.Amount{wallet.Balance, wallet.Held})
}

func code(t *testing.T, err error) string {
	t.Helper()
	known, ok := fault.As(err)
	require.True(t, ok, "%v", err)
	return known.Code
}

func TestAreasOfInterestNeedASubscriptionAndNearFieldsWithABoundary(t *testing.T) {
	t.Parallel()
	e := newEstate(t)
	for name, uuids := range map[string][]string{"unknown": {"nowhere"}, "no boundary": {"bare"}, "too far": {"near", "far"}} {
		_, err := e.create(uuids...)
		known, ok := fault.As(err)
		require.True(t, ok, "%s: %v", name, err)
		require.Contains(t, known.Fields, "field_uuids", name)
	}
	_, err := e.aois.List(t.Context(), e.Company(2), false, ports.Query{})
	require.True(t, fault.Is(err, fault.Forbidden), "no subscription: %v", err)
	e.Subscribe(2)
	stranger := e.User(2, access.RoleOwner)
	_, err = e.aois.Retrieve(t.Context(), stranger, false, e.aoi.ID)
	require.True(t, fault.Is(err, fault.NotFound), "%v", err)
	_, err = e.place(stranger)
	require.True(t, fault.Is(err, fault.Invalid), "%v", err)
}

func TestAnOrderOfAnAreaIsPlacedOnceAYear(t *testing.T) {
	t.Parallel()
	e := newEstate(t)
	_, err := e.place(e.owner)
	require.Equal(t, "insufficient_credit", code(t, err))
	require.Empty(t, e.Jobs)
	e.Credit(1, 3*e.price)
	_, err = e.place(e.User(1, access.RoleViewer))
	require.True(t, fault.Is(err, fault.Forbidden), "%v", err)
	order, err := e.place(e.owner)
	require.NoError(t, err)
	require.Equal(t, stratification.OrderPending, order.Status)
	require.Equal(t, e.price, order.Charge)
	e.holds(3*e.price, e.price)
	require.Len(t, e.Jobs, 1)
	_, err = e.place(e.owner)
	require.Equal(t, "order_within_year", code(t, err))
	e.holds(3*e.price, e.price)

	require.NoError(t, e.aois.Delete(t.Context(), e.owner, e.aoi.ID))
	e.holds(3*e.price, 0) // deleting an area fails its open order, and releases the hold
	e.Clock.Move(time.Hour)
	_, err = e.aois.Restore(t.Context(), e.owner, e.aoi.ID)
	require.NoError(t, err)
	_, err = e.place(e.owner)
	require.NoError(t, err, "a failed order does not count for the year")
	e.holds(3*e.price, e.price)
}

func TestOrdersThatNameNothing(t *testing.T) {
	t.Parallel()
	e := newEstate(t)
	for member, request := range map[string]soil.OrderRequest{
		"aoi_id":   {},
		"aoi_uuid": {AOIID: e.aoi.ID, AOIUUID: e.aoi.UUID},
		"map_type": {AOIID: e.aoi.ID, MapType: "XYZ"},
		"plan":     {AOIID: e.aoi.ID, Carbon: soil.CarbonRequest{Plan: "of carbon"}},
		"round":    {AOIID: e.aoi.ID, MapType: credit.ServiceSOC, Carbon: soil.CarbonRequest{Round: 2}},
	} {
		_, err := e.orders.Place(t.Context(), e.owner, request)
		known, ok := fault.As(err)
		require.True(t, ok, "%s: %v", member, err)
		require.Contains(t, known.Fields, member)
	}
	_, err := e.orders.Place(t.Context(), e.owner, soil.OrderRequest{AOIUUID: e.aoi.UUID})
	require.Equal(t, "insufficient_credit", code(t, err))
}

// besides is a store that runs a function of the test before each write, and gives the write a context that
// has ended: whatever counts its steps in the transaction stops.
type besides struct {
	ports.Store
	begin func()
}

func (b besides) Write(ctx context.Context, do func(ctx context.Context, tx ports.Repos) error) error {
	b.begin()
	ctx, over := context.WithCancel(ctx)
	over()
	return b.Store.Write(ctx, do)
}

// The union of an order's fields is computed while no transaction is open, from the land as it is ordered.
func TestTheLandOfAnOrderIsMeasuredBesideItsTransaction(t *testing.T) {
	t.Parallel()
	e := newEstate(t)
	e.Credit(1, 3*e.price)
	changes := 2
	e.orders.Store = besides{e.orders.Store, func() {
		if changes--; changes < 0 {
			return
		}
		e.Put(func(tx ports.Repos) error {
			scope := e.owner.Scope(false)
			field, err := tx.Fields.Get(t.Context(), scope, e.aoi.FieldIDs()[0])
			require.NoError(t, err)
			ring := slices.Clone(field.Boundary.Geometry()[0][0])
			ring[1].X += 0.001 * float64(changes+1)
			after, err := geo.NewBoundary(nil, geo.MultiPolygon{{ring}}, geo.DefaultLimits())
			require.NoError(t, err)
			field.Boundary = &after
			return tx.Fields.Update(t.Context(), scope, &field)
		})
	}}
	quote, err := e.orders.Price(t.Context(), e.owner, e.aoi.ID)
	require.NoError(t, err)
	order, err := e.place(e.owner)
	require.NoError(t, err)
	require.Negative(t, changes, "the land changed twice before it was ordered")
	require.NotEqual(t, quote.AreaM2, order.AreaM2)
	area, err := stratification.AreaM2(nil, order.Land)
	require.NoError(t, err)
	require.Equal(t, area, order.AreaM2)
}
