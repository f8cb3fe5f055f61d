package orders

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/identity"
	"tilth/core/assessment"
	"tilth/core/event"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/core/vegetation"
	"tilth/core/verification"
	"tilth/ports"
	"tilth/tests/rig"
)

func TestADeclaredCropIsVerifiedOrFails(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		h := settleClaimant(t, database, "Soy_Corn", zoneOfMatoGrosso)
		right := h.submit(assessment.OfField, h.field(matoGrosso, "maize").ID, "maize")
		wrong := h.submit(assessment.OfField, h.field(matoGrosso, "grass").ID, "perennial_grasses")
		require.Equal(t, verification.Pending, h.look(right).Status, "as soon as it is submitted")
		require.Equal(t, 2, h.work())
		require.Zero(t, h.work(), "a finished check is not done again")

		r := h.look(right)
		require.Equal(t, verification.Verified, r.Status, r.Text)
		require.EqualValues(t, "nearest", r.Reason)
		require.Greater(t, r.Confidence, 0.9)
		require.LessOrEqual(t, r.Confidence, 1.0)
		require.Contains(t, r.Text, "Mato Grosso", "a verdict says what the curves hold for")
		require.NotEmpty(t, r.Evidence.Model)
		seen := r.Evidence.Fields[0]
		require.Equal(t, "Soy_Corn", seen.Ranking[0].Class)
		require.Equal(t, []string{"mato-grosso", "built-in"}, []string{seen.Region, seen.CurvesVersion})
		require.True(t, seen.Series.HasEVI, "the curves have EVI, so it is looked at")
		require.Len(t, seen.Series.Dates, 46, "every eighth day of the season")
		for _, d := range seen.Series.Dates {
			ndvi, evi := h.sky.on(d.Date.Add(14 * time.Hour))
			require.InDelta(t, ndvi, d.NDVI, 2e-3)
			require.InDelta(t, evi, d.EVI, 2e-3)
		}

		f := h.look(wrong)
		require.Equal(t, verification.Failed, f.Status, f.Text)
		require.EqualValues(t, "beyond_cap", f.Reason)
		require.Equal(t, "Soy_Corn", f.Resembles(), "the answer says what the series looks like")
		require.Equal(t, "Soy_Corn", r.Resembles())
		require.Greater(t, f.Confidence, 0.9)

		told := h.events()
		require.Len(t, told, 2)
		require.Equal(t, event.VerificationCompleted{
			Assessment: right, Version: 1, Status: "verified", Reason: "nearest", CropType: "maize", Confidence: r.Confidence,
		}, told[0])
		h.write(func(tx ports.Repos) error {
			n, err := tx.Wallet.CountTransactions(h.ctx, h.scope(), ports.Query{})
			require.Zero(t, n, "a check costs nothing")
			orders, _ := tx.Orders.Count(h.ctx, h.scope(), ports.Query{})
			require.Zero(t, orders, "and orders nothing")
			return err
		})
	})
}

// TestNothingIsGuessed checks the reasons for which a check stays pending.
func TestNothingIsGuessed(t *testing.T) {
	t.Parallel()
	h := settleClaimant(t, rig.SQLite(t), "Soy_Corn", zoneElsewhere)
	outside := h.submit(assessment.OfField, h.field(elsewhere, "maize").ID, "maize")
	for name, c := range map[string]struct {
		id     int64
		reason verification.Reason
		says   string
	}{
		"another region":   {outside, "no_curve_of_place", "no curve for crop and region"},
		"a crop without":   {h.submit(assessment.OfField, h.field(matoGrosso, "wheat").ID, "winter_wheat"), "no_curve", "no curve for crop and region"},
		"no cultivation":   {h.submit(assessment.OfField, h.field(matoGrosso).ID, "maize"), verification.ReasonNoGrowing, "2024"},
		"another crop":     {h.submit(assessment.OfField, h.field(matoGrosso, "grass").ID, "maize"), verification.ReasonNoGrowing, "maize"},
		"two cultivations": {h.submit(assessment.OfField, h.field(matoGrosso, "maize", "maize").ID, "maize"), verification.ReasonSeveral, "2 cultivations"},
		"no crop declared": {h.submit(assessment.OfField, h.field(matoGrosso, "maize").ID, ""), verification.ReasonNoCrop, "no crop"},
	} {
		h.work()
		r := h.look(c.id)
		require.Equal(t, verification.Pending, r.Status, name)
		require.Equal(t, c.reason, r.Reason, "%s: %s", name, r.Text)
		require.Contains(t, strings.ToLower(r.Text), strings.ToLower(c.says), name)
		require.Zero(t, r.Confidence, name)
		require.NotNil(t, r.DecidedAt, name)
	}
	require.Contains(t, h.look(outside).Text, "Mato Grosso", "a pending one says what the curves hold for")
	require.Zero(t, h.sky.searches, "no imagery is read where nothing can be said")

	whole := h.submit(assessment.OfFarm, h.farm.ID, "maize")
	h.sky.epsg = zoneOfMatoGrosso
	h.work()
	require.Equal(t, verification.Pending, h.look(whole).Status, "a field that cannot be judged keeps the farm from a verdict")
	require.Equal(t, verification.ReasonFieldPending, h.look(whole).Reason)
	require.Contains(t, h.look(whole).Text, "5 of 6 fields")
	require.Len(t, h.look(whole).Evidence.Fields, 6)

	_, err := h.use.Restart(h.ctx, h.who, 999)
	require.True(t, fault.Is(err, fault.NotFound), "%v", err)
}

func TestFewDatesAreNoVerdict(t *testing.T) {
	t.Parallel()
	h := settleClaimant(t, rig.SQLite(t), "Soy_Corn", zoneOfMatoGrosso)
	h.season = farm.Season{Meta: h.meta, Name: "Short", StartDate: date(2024, 1, 1), EndDate: date(2024, 1, 30), HarvestYear: 2024, Kind: "other"}
	h.write(func(tx ports.Repos) error {
		return tx.Seasons.Insert(h.ctx, h.scope(), []*farm.Season{&h.season})
	})
	id := h.submit(assessment.OfField, h.field(matoGrosso, "maize").ID, "maize")
	h.work()
	r := h.look(id)
	require.Equal(t, verification.Pending, r.Status)
	require.EqualValues(t, "too_few_points", r.Reason)
	require.Len(t, r.Evidence.Fields[0].Series.Dates, 4, "what was seen is shown all the same")
}

// TestTheSourceIsOut checks that a check is tried again, does not search again for
// what it has already seen, and finally gives up.
func TestTheSourceIsOut(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		h := settleClaimant(t, database, "Soy_Corn", zoneOfMatoGrosso)
		h.field(matoGrosso, "maize")
		h.field(matoGrosso, "maize")
		id := h.submit(assessment.OfFarm, h.farm.ID, "maize")
		h.sky.outAfter = 3 // each field takes a search for NDVI and one for EVI
		require.Equal(t, 1, h.work())
		r := h.look(id)
		require.Equal(t, verification.Pending, r.Status)
		require.Equal(t, verification.ReasonSourceUnavailable, r.Reason)
		require.Nil(t, r.DecidedAt)
		require.Empty(t, h.events())
		require.Zero(t, h.work(), "it waits")

		h.sky.searches, h.sky.outAfter = 0, 0
		h.clock.set(*r.NextTryAt)
		require.Equal(t, 1, h.work())
		require.Equal(t, 2, h.sky.searches, "the first field was seen before")
		r = h.look(id)
		require.Equal(t, verification.Verified, r.Status, r.Text)
		require.Equal(t, verification.ReasonAllVerified, r.Reason)
		require.Len(t, h.events(), 1)

		// Unavailable for good: it ends, pending, and can be started again.
		h.season.EndDate = h.season.EndDate.AddDate(0, 0, 1) // what was seen belongs to another season now
		h.write(func(tx ports.Repos) error { return tx.Seasons.Update(h.ctx, h.scope(), &h.season) })
		_, err := h.use.Restart(h.ctx, h.who, id)
		require.NoError(t, err)
		h.sky.searches, h.sky.outAfter = 1, 1
		for try := 1; try <= vegetation.Retry.Tries; try++ {
			require.Equal(t, 1, h.work(), "try %d", try)
			if r = h.look(id); r.NextTryAt != nil {
				h.clock.set(*r.NextTryAt)
			}
		}
		require.Zero(t, h.work())
		require.Equal(t, verification.ReasonSourceUnavailable, r.Reason)
		require.NotNil(t, r.DecidedAt)
		require.Len(t, h.events(), 1)
	})
}

// TestACheckThatKillsItsWorkersIsGivenUp checks that it ends with a reason, that its job is
// kept, and that the operator can start it again.
func TestACheckThatKillsItsWorkersIsGivenUp(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		h := settleClaimant(t, database, "Soy_Corn", zoneOfMatoGrosso)
		id := h.submit(assessment.OfField, h.field(matoGrosso, "maize").ID, "maize")
		job := h.claim()[0]
		job.Attempt = 1000
		require.NoError(t, h.worker.Run(h.ctx, job))
		require.Equal(t, verification.ReasonBrokenOff, h.look(id).Reason)
		require.Len(t, h.events(), 1)
		require.Zero(t, h.work())
		require.NoError(t, h.db.Operate(h.ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
			kept, err := tx.Jobs.GetForUpdate(ctx, job.ID)
			require.NoError(t, err)
			require.Contains(t, kept.Failed.Reason, "interrupted")
			return tx.Jobs.Retry(ctx, job.ID, h.clock.Now())
		}))
		require.Equal(t, 1, h.work())
		require.Equal(t, verification.Verified, h.look(id).Status)
	})
}

// TestAStartWhileItRuns checks that the later start counts, and that a worker that has
// lost its lease leaves no trace.
func TestAStartWhileItRuns(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		h := settleClaimant(t, database, "Soy_Corn", zoneOfMatoGrosso)
		id := h.submit(assessment.OfField, h.field(matoGrosso, "maize").ID, "maize")
		h.sky.during = func() {
			require.Equal(t, verification.Processing, h.look(id).Status)
			_, err := h.use.Restart(h.ctx, h.who, id)
			require.NoError(t, err)
		}
		require.Equal(t, 1, h.work())
		require.Equal(t, verification.Pending, h.look(id).Status, "what the late worker found is not taken")
		require.Empty(t, h.events())
		jobs := h.claim()
		require.Len(t, jobs, 1)
		lost := jobs[0]
		lost.Lease = "gone"
		require.True(t, fault.Is(h.worker.Run(h.ctx, lost), fault.Conflict))
		require.NotEqual(t, verification.Verified, h.look(id).Status)
		require.NoError(t, h.worker.Run(h.ctx, jobs[0]))
		require.Equal(t, verification.Verified, h.look(id).Status)
		require.Len(t, h.events(), 1)

		// Only a start begins an ended check again, and the deletion of the assessment ends it.
		_, err := h.use.Restart(h.ctx, h.who, id)
		require.NoError(t, err)
		require.Equal(t, verification.Pending, h.look(id).Status)
		h.write(func(tx ports.Repos) error {
			_, err := tx.Assessments.SoftDelete(h.ctx, h.scope(), []int64{id}, h.clock.Now())
			return err
		})
		require.Equal(t, 1, h.work())
		require.Zero(t, h.work())
		require.Empty(t, h.events())
	})
}

// TestAnOrderedProfileIsTaken checks that what was already ordered is not computed again.
func TestAnOrderedProfileIsTaken(t *testing.T) {
	t.Parallel()
	h := settleClaimant(t, rig.SQLite(t), "Soy_Corn", zoneOfMatoGrosso)
	f := h.field(matoGrosso, "maize")
	order := vegetation.OrderState{
		UUID: identity.Random{}.UUID(), FieldID: f.ID, FieldUUID: f.UUID, SeasonID: h.season.ID, Index: "NDVI", Status: vegetation.Active,
		StartDate: h.season.StartDate, EndDate: h.season.EndDate, Boundary: f.Boundary.Geometry(), AreaM2: f.AreaM2(), CreatedBy: h.who.UserID, CreatedAt: later, UpdatedAt: later,
	}
	h.write(func(tx ports.Repos) error {
		require.NoError(t, tx.Orders.Insert(h.ctx, h.scope(), &order))
		for _, index := range []vegetation.IndexCode{"NDVI", "EVI"} {
			stored := vegetation.Series{Index: index}
			for at := h.season.StartDate; at.Before(h.season.EndDate); at = at.AddDate(0, 0, every) {
				ndvi, evi := h.sky.on(at)
				value := map[vegetation.IndexCode]float64{"NDVI": ndvi, "EVI": evi}[index]
				stored.Observations = append(stored.Observations, vegetation.Observation{Date: at, Value: value, Coverage: 1, NValid: 400, NPolygon: 400})
			}
			require.NoError(t, tx.Orders.PutSeries(h.ctx, h.scope(), order.ID, stored))
		}
		return nil
	})
	id := h.submit(assessment.OfField, f.ID, "maize")
	h.work()
	r := h.look(id)
	require.Equal(t, verification.Verified, r.Status, r.Text)
	require.Equal(t, order.ID, r.Evidence.Fields[0].Series.OrderID)
	require.Zero(t, h.sky.searches)
}
