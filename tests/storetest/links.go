package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/core/access"
	"tilth/core/fault"
	"tilth/core/record"
	"tilth/core/stratification/link"
	"tilth/ports"
)

// Links: seen and revoked only by their company, found by whoever holds the paper, and removed with their plan.
func testPlanLinks(t *testing.T, b Backend) {
	w := newWorld(t, b)
	plan, now := w.plan(), w.clock.Now()
	made := func(kind link.Kind, round int64) link.Link {
		l := link.New(kind, plan.ID, round, w.ids.Secret(), now)
		l.CreatedBy = &record.Ref{ID: w.ours.user.ID, Name: w.ours.user.Name}
		w.write(func(tx ports.Repos) error { return tx.PlanLinks.Insert(w.ctx, w.ours.scope, &l) })
		l.PlanUUID = plan.Plan.PlanUUID
		return l
	}
	first, later, sheet := made(link.Label, 1), made(link.Label, 1), made(link.Sheet, 1)
	made(link.Label, 2)
	w.read(func(tx ports.Repos) error {
		got, err := tx.PlanLinks.Get(w.ctx, w.ours.scope, first.ID)
		require.NoError(t, err)
		got.CreatedAt, got.ExpiresAt = got.CreatedAt.UTC(), got.ExpiresAt.UTC()
		first.CreatedAt, first.ExpiresAt = first.CreatedAt.UTC(), first.ExpiresAt.UTC()
		require.Equal(t, first, got)
		got, err = tx.PlanLinks.Latest(w.ctx, w.ours.scope, first)
		require.NoError(t, err)
		require.Equal(t, later.ID, got.ID)
		for filter, want := range map[ports.Filter]int{
			{Name: "kind", Value: "field_sheet"}: 1, {Name: "plan", Value: plan.ID}: 4, {Name: "plan_uuid", Value: plan.Plan.PlanUUID}: 4, {Name: "plan", Value: plan.ID + 1}: 0,
		} {
			require.Len(t, collect(t, tx.PlanLinks.Each(w.ctx, w.ours.scope, ports.Query{Filters: []ports.Filter{filter}})), want, "%v", filter)
		}
		for _, foreign := range []access.Scope{w.theirs.scope, access.SharedWith(w.ours.scope.Company()), {}} {
			_, err = tx.PlanLinks.Get(w.ctx, foreign, first.ID)
			require.True(t, fault.Is(err, fault.NotFound))
			_, err = tx.PlanLinks.Latest(w.ctx, foreign, first)
			require.True(t, fault.Is(err, fault.NotFound))
			require.Empty(t, collect(t, tx.PlanLinks.Each(w.ctx, foreign, ports.Query{})))
		}
		return nil
	})
	w.write(func(tx ports.Repos) error {
		require.True(t, fault.Is(tx.PlanLinks.Revoke(w.ctx, w.theirs.scope, later.ID, now), fault.NotFound))
		require.NoError(t, tx.PlanLinks.Revoke(w.ctx, w.ours.scope, later.ID, now))
		require.True(t, fault.Is(tx.PlanLinks.Revoke(w.ctx, w.ours.scope, later.ID, now), fault.NotFound), "it is revoked")
		got, err := tx.PlanLinks.Latest(w.ctx, w.ours.scope, first)
		require.Equal(t, first.ID, got.ID)
		return err
	})
	byID := func(id int64) (got link.Link, err error) {
		w.operate(func(tx ports.OperatorRepos) error {
			got, err = tx.PlanLinks.ByID(w.ctx, id)
			return nil
		})
		return got, err
	}
	got, err := byID(later.ID)
	require.NoError(t, err)
	require.Equal(t, later.Secret, got.Secret)
	require.NotNil(t, got.RevokedAt)
	_, err = byID(sheet.ID + 100)
	require.True(t, fault.Is(err, fault.NotFound))

	// A plan that nobody saved is forgotten with its links, and the links of a deleted area of interest are not found.
	other := w.plan()
	plan = other
	lasting := made(link.Sheet, 1)
	w.write(func(tx ports.Repos) error {
		_, err := tx.AOIs.SoftDelete(w.ctx, w.ours.scope, []int64{other.AOI.ID}, now)
		return err
	})
	_, err = byID(lasting.ID)
	require.True(t, fault.Is(err, fault.NotFound), "%v", err)
	w.operate(func(tx ports.OperatorRepos) error {
		_, err := tx.Maps.Prune(w.ctx, now.Add(time.Hour), 100)
		return err
	})
	_, err = byID(first.ID)
	require.True(t, fault.Is(err, fault.NotFound), "%v", err)
}
