package satellite_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/app/satellite"
	"tilth/core/access"
	"tilth/core/credit"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/list"
	"tilth/core/vegetation"
	"tilth/ports"
	"tilth/tests/memory"
)

// shop is a company with a field and two seasons that orders profiles.
type shop struct {
	*memory.World
	t             *testing.T
	profiles      *satellite.Profiles
	owner         access.Principal
	field         farm.Field
	first, second farm.Season
	price         credit.Amount // of a profile of the field
}

func newShop(t *testing.T) *shop {
	t.Helper()
	w := memory.New()
	s := &shop{World: w, t: t, profiles: &satellite.Profiles{Deps: w.Deps()}, owner: w.Company(1)}
	boundary, err := geo.NewBoundary(nil, field, geo.DefaultLimits())
	require.NoError(t, err)
	s.field = farm.Field{UUID: "north", Boundary: &boundary}
	year := func(y int) farm.Season {
		return farm.Season{StartDate: time.Date(y, 1, 1, 0, 0, 0, 0, time.UTC), EndDate: time.Date(y, 12, 31, 0, 0, 0, 0, time.UTC)}
	}
	s.first, s.second = year(2024), year(2025)
	s.put(func(tx ports.Repos) error { return tx.Fields.Insert(t.Context(), s.scope(), []*farm.Field{&s.field}) })
	s.put(func(tx ports.Repos) error {
		return tx.Seasons.Insert(t.Context(), s.scope(), []*farm.Season{&s.first, &s.second})
	})
	s.price = credit.Charge(credit.DefaultProfilePrice, s.field.AreaM2())
	return s
}

func (s *shop) scope() access.Scope               { return s.owner.Scope(false) }
func (s *shop) put(do func(tx ports.Repos) error) { s.t.Helper(); s.Put(do) }
func (s *shop) request(of farm.Season) satellite.ProfileRequest {
	return satellite.ProfileRequest{FieldUUID: s.field.UUID, SeasonID: of.ID, Index: vegetation.NDVI}
}

func (s *shop) place(of farm.Season) (vegetation.OrderState, error) {
	return s.profiles.Place(s.t.Context(), s.owner, s.request(of))
}

// fail ends open orders, as a worker that gives up does.
func (s *shop) fail(ids ...int64) {
	s.t.Helper()
	s.put(func(tx ports.Repos) error {
		refs := list.Map(ids, func(id int64) vegetation.OrderRef {
			return vegetation.OrderRef{Product: credit.VegetationIndexProfile, ID: id}
		})
		return satellite.FailOrders(s.t.Context(), tx, s.scope(), refs, satellite.Ended{At: s.Clock.At, Reason: "no imagery"})
	})
}

// holds requires the wallet to have a balance, of which an amount is held.
func (s *shop) holds(balance, held credit.Amount) {
	s.t.Helper()
	wallet, err := s.profiles.Wallet(s.t.Context(), s.owner)
	require.NoError(s.t, err)
	require.Equal(s.t, []credit.Amount{balance, held}, []credit.Amount{wallet.Balance, wallet.Held})
}

func TestAnOrderIsPlacedOnce(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.Credit(1, 5*s.price)
	quote, err := s.profiles.Quote(t.Context(), s.owner, s.request(s.first))
	require.NoError(t, err)
	require.Equal(t, satellite.Quote{Charge: s.price, Available: 5 * s.price}, quote)
	order, err := s.place(s.first)
	require.NoError(t, err)
	require.Equal(t, vegetation.Processing, order.Status)
	require.Equal(t, s.field.AreaM2(), order.AreaM2)
	again, err := s.place(s.first)
	require.NoError(t, err)
	require.Equal(t, order.ID, again.ID)
	s.holds(5*s.price, s.price)
	require.Len(t, s.Ledger(), 1)
	require.Len(t, s.Jobs, 1)
	require.Len(t, s.Trail, 1)
	quote, err = s.profiles.Quote(t.Context(), s.owner, s.request(s.first))
	require.NoError(t, err)
	require.Equal(t, order.ID, quote.Duplicate.ID)
	require.Zero(t, quote.Charge)
}

func TestAFieldIsHeldForOnce(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.Credit(1, s.price)
	first, err := s.place(s.first)
	require.NoError(t, err)
	second, err := s.place(s.second)
	require.NoError(t, err, "the field's second order costs nothing")
	require.NotEqual(t, first.ID, second.ID)
	s.holds(s.price, s.price)
	s.fail(first.ID)
	s.holds(s.price, s.price) // the hold passes to the second order
	s.fail(second.ID, first.ID)
	s.holds(s.price, 0)

	s.Clock.Move(time.Hour)
	revived, err := s.place(s.first)
	require.NoError(t, err)
	require.Equal(t, first.ID, revived.ID, "a failed order is taken up again")
	require.Equal(t, vegetation.Processing, revived.Status)
	s.holds(s.price, s.price)
	require.Equal(t, satellite.Reorder, s.Trail[len(s.Trail)-1].Action)
	kinds := []credit.Kind{}
	for _, line := range s.Ledger() {
		kinds = append(kinds, line.Kind)
	}
	require.Equal(t, []credit.Kind{credit.Hold, credit.Release, credit.Hold}, kinds)
}

func TestOrdersThatAreRefused(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	bare := farm.Field{UUID: "bare"}
	s.put(func(tx ports.Repos) error { return tx.Fields.Insert(t.Context(), s.scope(), []*farm.Field{&bare}) })
	viewer, stranger := s.User(1, access.RoleViewer), s.Company(2)
	nowhere, bareField, never := s.request(s.first), s.request(s.first), s.request(s.first)
	nowhere.FieldUUID, bareField.FieldUUID, never.SeasonID = "nowhere", bare.UUID, 99
	for name, c := range map[string]struct {
		who  access.Principal
		ask  satellite.ProfileRequest
		want fault.Kind
	}{
		"no credit":         {s.owner, s.request(s.first), fault.PaymentRequired},
		"no permission":     {viewer, s.request(s.first), fault.Forbidden},
		"another's field":   {stranger, s.request(s.first), fault.Invalid},
		"an unknown field":  {s.owner, nowhere, fault.Invalid},
		"no boundary":       {s.owner, bareField, fault.Invalid},
		"an unknown season": {s.owner, never, fault.NotFound},
		"nobody signed in":  {access.Principal{}, s.request(s.first), fault.Unauthenticated},
	} {
		_, err := s.profiles.Place(t.Context(), c.who, c.ask)
		require.True(t, fault.Is(err, c.want), "%s: %v", name, err)
	}
	require.Empty(t, s.Ledger())
	require.Empty(t, s.Jobs)
	require.Empty(t, s.Trail)
	list, err := s.profiles.List(t.Context(), s.owner, false, ports.Query{})
	require.NoError(t, err)
	require.Zero(t, list.Count, "what is refused leaves no order")

	active := vegetation.OrderState{FieldID: s.field.ID, SeasonID: s.first.ID, Status: vegetation.Active}
	s.put(func(tx ports.Repos) error { return tx.Orders.Insert(t.Context(), s.scope(), &active) })
	_, err = s.place(s.first)
	known, ok := fault.As(err)
	require.True(t, ok, "%v", err)
	require.Equal(t, "duplicate_profile", known.Code)
}
