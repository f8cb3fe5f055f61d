package account_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/app/account"
	"tilth/core/access"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/ports"
	"tilth/tests/memory"
)

// fence holds two companies, the first of which has a farm to share, and a third that is neither.
type fence struct {
	*memory.World
	sharing                   *account.Sharing
	giver, receiver, stranger access.Principal
	farm                      farm.Farm
}

func newFence(t *testing.T) *fence {
	t.Helper()
	w := memory.New()
	f := &fence{World: w, sharing: &account.Sharing{Deps: w.Deps()}, giver: w.Company(1), receiver: w.Company(2), stranger: w.Company(3)}
	f.Put(func(tx ports.Repos) error { return tx.Farms.Insert(t.Context(), access.Own(1), []*farm.Farm{&f.farm}) })
	return f
}

func (f *fence) offer(t *testing.T, ends *time.Time) access.Grant {
	t.Helper()
	grant, err := f.sharing.Create(t.Context(), f.giver, account.ShareRequest{GranteeUUID: "2", Target: access.GrantFarm, FarmID: f.farm.ID, EndsOn: ends})
	require.NoError(t, err)
	require.Equal(t, access.GrantPending, grant.Status)
	require.NotEmpty(t, grant.Slugs, "the usual ones")
	return grant
}

type step = func(ctx context.Context, who access.Principal, id int64) error

// steps are the possible changes of a grant, by the resulting status.
func (f *fence) steps() map[access.GrantStatus]step {
	return map[access.GrantStatus]step{
		access.GrantAccepted: func(ctx context.Context, who access.Principal, id int64) error {
			_, err := f.sharing.Accept(ctx, who, id)
			return err
		},
		access.GrantDeclined: func(ctx context.Context, who access.Principal, id int64) error {
			_, err := f.sharing.Decline(ctx, who, id)
			return err
		},
		access.GrantRevoked: f.sharing.Revoke,
	}
}

func TestAGrantIsMovedByTheRightCompany(t *testing.T) {
	t.Parallel()
	f := newFence(t)
	for to, take := range f.steps() {
		grant := f.offer(t, nil)
		mover, other := f.receiver, f.giver
		if to == access.GrantRevoked {
			mover, other = other, mover
		}
		for _, who := range []access.Principal{other, f.stranger} {
			require.True(t, fault.Is(take(t.Context(), who, grant.ID), fault.NotFound), to)
		}
		require.True(t, fault.Is(take(t.Context(), f.User(mover.CompanyID, access.RoleViewer), grant.ID), fault.Forbidden), to)
		trail := len(f.Trail)
		require.NoError(t, take(t.Context(), mover, grant.ID))
		require.Len(t, f.Trail[trail:], 1)
		now, err := f.sharing.Retrieve(t.Context(), f.giver, grant.ID)
		require.NoError(t, err)
		require.Equal(t, to, now.Status)
		requireCode(t, "share_grant_state", take(t.Context(), mover, grant.ID)) // once is enough
		_, err = f.sharing.Retrieve(t.Context(), f.stranger, grant.ID)
		require.True(t, fault.Is(err, fault.NotFound), "%v", err)
	}
}

func TestAGrantExpires(t *testing.T) {
	t.Parallel()
	f := newFence(t)
	last := f.Clock.At.Truncate(24 * time.Hour)
	grant := f.offer(t, &last)
	require.NoError(t, f.steps()[access.GrantAccepted](t.Context(), f.receiver, grant.ID))
	seen, err := f.sharing.Retrieve(t.Context(), f.receiver, grant.ID)
	require.NoError(t, err)
	require.NotNil(t, seen.Farm)
	f.Clock.Move(24 * time.Hour)
	seen, err = f.sharing.Retrieve(t.Context(), f.receiver, grant.ID)
	require.NoError(t, err)
	require.Equal(t, access.GrantExpired, seen.Status)
	require.Nil(t, seen.Farm, "what is over shows nothing")
	requireCode(t, "share_grant_state", f.sharing.Revoke(t.Context(), f.giver, grant.ID))
}

func TestOffersThatAreRefused(t *testing.T) {
	t.Parallel()
	f := newFence(t)
	yesterday := f.Clock.At.AddDate(0, 0, -1)
	all := account.ShareRequest{GranteeUUID: "2", Target: access.GrantAll}
	for member, change := range map[string]func(r *account.ShareRequest){
		"grantee_uuid": func(r *account.ShareRequest) { r.GranteeUUID = "1" },
		"farm_id":      func(r *account.ShareRequest) { r.Target, r.FarmID = access.GrantFarm, 99 },
		"field_id":     func(r *account.ShareRequest) { r.Target, r.FieldID = access.GrantField, 99 },
		"slugs":        func(r *account.ShareRequest) { r.Slugs = []access.Slug{"farm.edit"} },
		"ends_on":      func(r *account.ShareRequest) { r.EndsOn = &yesterday },
	} {
		request := all
		change(&request)
		_, err := f.sharing.Create(t.Context(), f.giver, request)
		known, ok := fault.As(err)
		require.True(t, ok, "%s: %v", member, err)
		require.Contains(t, known.Fields, member)
	}
	_, err := f.sharing.Create(t.Context(), f.stranger, account.ShareRequest{GranteeUUID: "2", Target: access.GrantFarm, FarmID: f.farm.ID})
	require.True(t, fault.Is(err, fault.Invalid), "another company's farm: %v", err)
	require.Empty(t, f.Trail)
}
