package orders

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/identity"
	"tilth/app"
	cropcheckapp "tilth/app/ghg/cropcheck"
	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/vegetation"
	"tilth/core/verification"
	"tilth/ports"
	"tilth/tests/rig"
)

// order stores an active profile of a field and the season, which shows what grows under the sky, more or less lush.
func (h *claimant) order(f farm.Field, lush float64) {
	h.Helper()
	order := vegetation.OrderState{
		UUID: identity.Random{}.UUID(), FieldID: f.ID, FieldUUID: f.UUID, SeasonID: h.season.ID, Index: "NDVI", Status: vegetation.Active,
		StartDate: h.season.StartDate, EndDate: h.season.EndDate, Boundary: f.Boundary.Geometry(), AreaM2: f.AreaM2(), CreatedBy: h.who.UserID, CreatedAt: later, UpdatedAt: later,
	}
	stored := vegetation.Series{Index: "NDVI"}
	for at := h.season.StartDate; at.Before(h.season.EndDate); at = at.AddDate(0, 0, every) {
		value, _ := h.sky.on(at)
		stored.Observations = append(stored.Observations, vegetation.Observation{Date: at, Value: 0.3 + (1+lush)*(value-0.3), Coverage: 1, NValid: 400, NPolygon: 400})
	}
	h.write(func(tx ports.Repos) error {
		require.NoError(h, tx.Orders.Insert(h.ctx, h.scope(), &order))
		return tx.Orders.PutSeries(h.ctx, h.scope(), order.ID, stored)
	})
}

// TestOwnCurvesVerify checks that curves of a company's own fields apply to that company where those of the region do
// not, and only until they are removed.
func TestOwnCurvesVerify(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		h := settleClaimant(t, database, "Soy_Corn", zoneElsewhere)
		curves := &cropcheckapp.Curves{Deps: app.Deps{Store: h.db, Gate: app.NewGate(everyone{}, nil, nil), Clock: h.clock}}
		near := func(i int) geo.Position { return geo.Position{X: elsewhere.X + 0.02*float64(i), Y: elsewhere.Y} }
		_, err := curves.Make(h.ctx, h.who, false)
		known, ok := fault.As(err)
		require.True(t, ok, "%v", err)
		require.Equal(t, "too_few_labelled", known.Code)
		for i := range 12 {
			h.order(h.field(near(i), "wheat"), 0.05*float64(i%5-2))
		}
		h.order(h.field(near(12), "wheat", "maize"), 0) // it is unknown which of them it shows
		h.field(near(13), "wheat")                      // nothing was ordered
		preview, err := curves.Make(h.ctx, h.who, true)
		require.NoError(t, err)
		require.Zero(t, preview.ID)
		require.Equal(t, map[string]int{"several_crops": 1, "no_active_profile": 1}, preview.LeftOut)
		require.Equal(t, []string{"t-wheat"}, preview.Set.Classes())
		require.Equal(t, 12, preview.Figures.Classes[0].Samples)
		require.Greater(t, preview.Figures.Classes[0].Verified, 8)

		field := h.field(elsewhere, "wheat")
		id := h.submit(assessment.OfField, field.ID, "winter_wheat")
		h.work()
		require.EqualValues(t, "no_curve_of_place", h.look(id).Reason, "a preview is not in force")

		made, err := curves.Make(h.ctx, h.who, false)
		require.NoError(t, err)
		listed, err := curves.List(h.ctx, h.who)
		require.NoError(t, err)
		require.Len(t, listed, 1)
		require.Equal(t, made.Set, listed[0].Set, "as they were made")
		require.Equal(t, made.Figures, listed[0].Figures)
		_, err = h.use.Restart(h.ctx, h.who, id)
		require.NoError(t, err)
		h.work()
		r := h.look(id)
		require.Equal(t, verification.Verified, r.Status, r.Text)
		require.Equal(t, "t-wheat", r.Resembles())
		require.Equal(t, "own", r.Evidence.Fields[0].Region)
		require.Equal(t, []string{"NDVI"}, indicesOf(r))

		others := access.Principal{UserID: h.who.UserID, CompanyID: h.who.CompanyID + 1}
		listed, err = curves.List(h.ctx, others)
		require.NoError(t, err)
		require.Empty(t, listed)
		require.True(t, fault.Is(curves.Remove(h.ctx, others, made.ID), fault.NotFound))
		require.NoError(t, curves.Remove(h.ctx, h.who, made.ID))
		require.True(t, fault.Is(curves.Remove(h.ctx, h.who, made.ID), fault.NotFound))
		_, err = h.use.Restart(h.ctx, h.who, id)
		require.NoError(t, err)
		h.work()
		require.EqualValues(t, "no_curve_of_place", h.look(id).Reason)
	})
}

func indicesOf(r verification.Record) []string {
	if r.Evidence.Fields[0].Series.HasEVI {
		return []string{"NDVI", "EVI"}
	}
	return []string{"NDVI"}
}
