package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/core/access"
	"tilth/core/fault"
	"tilth/ports"
)

func testKeys(t *testing.T, b Backend) {
	w := newWorld(t, b)
	ends := w.clock.Now().Add(time.Hour)
	key := access.APIKey{
		User: access.Named(w.ours.user), Name: "k", Prefix: "p", Hash: "h1", Slugs: []string{"farm.view", "*.edit"},
		ExpiresAt: &ends, CreatedAt: w.clock.Now(),
	}
	plain := access.APIKey{User: access.Named(w.ours.user), Name: "plain", Prefix: "q", Hash: "h2", CreatedAt: w.clock.Now()}
	w.write(func(tx ports.Repos) error {
		require.NoError(t, tx.Keys.Insert(w.ctx, w.ours.scope, &key))
		return tx.Keys.Insert(w.ctx, w.ours.scope, &plain)
	})
	w.read(func(tx ports.Repos) error {
		require.Equal(t, []access.APIKey{key, plain}, collect(t, tx.Keys.Each(w.ctx, w.ours.scope, ports.Query{})), "as they were made")
		require.Equal(t, []access.APIKey{plain}, collect(t, tx.Keys.Each(w.ctx, w.ours.scope, ports.Query{Limit: 1, Offset: 1})))
		for _, scope := range []access.Scope{w.theirs.scope, access.SharedWith(w.ours.scope.Company()), {}} {
			require.Empty(t, collect(t, tx.Keys.Each(w.ctx, scope, ports.Query{})))
			_, err := tx.Keys.Get(w.ctx, scope, key.ID)
			require.True(t, fault.Is(err, fault.NotFound))
		}
		n, err := tx.Keys.Count(w.ctx, w.ours.scope, ports.Query{})
		require.EqualValues(t, 2, n)
		return err
	})
	err := w.Write(w.ctx, func(ctx context.Context, tx ports.Repos) error {
		return tx.Keys.Revoke(ctx, w.theirs.scope, key.ID, w.clock.Now())
	})
	require.True(t, fault.Is(err, fault.NotFound))
	again := key
	err = w.Write(w.ctx, func(ctx context.Context, tx ports.Repos) error { return tx.Keys.Insert(ctx, w.ours.scope, &again) })
	require.True(t, fault.Is(err, fault.Conflict), "a hash is one key's")

	w.write(func(tx ports.Repos) error { return tx.Keys.Revoke(w.ctx, w.ours.scope, key.ID, w.clock.Now()) })
	w.read(func(tx ports.Repos) error {
		_, err := tx.Keys.Get(w.ctx, w.ours.scope, key.ID)
		require.True(t, fault.Is(err, fault.NotFound))
		require.Equal(t, []access.APIKey{plain}, collect(t, tx.Keys.Each(w.ctx, w.ours.scope, ports.Query{})))
		return nil
	})
	w.operate(func(tx ports.OperatorRepos) error {
		found, err := tx.Keys.ByHash(w.ctx, "h1")
		require.NoError(t, err)
		require.NotNil(t, found.RevokedAt, "whoever shows it is told apart from who makes one up")
		_, err = tx.Keys.ByHash(w.ctx, "h3")
		require.True(t, fault.Is(err, fault.NotFound))
		return nil
	})
}

func testGrants(t *testing.T, b Backend) {
	w := newWorld(t, b)
	third := w.settle("Third")
	var from, to access.Party
	w.read(func(tx ports.Repos) error {
		for e, party := range map[*estate]*access.Party{&w.ours: &from, &w.theirs: &to} {
			*party = access.Party{ID: e.scope.Company(), Name: e.name}
		}
		_, err := tx.Grants.Party(w.ctx, "nobody")
		require.True(t, fault.Is(err, fault.NotFound))
		return nil
	})
	w.operate(func(tx ports.OperatorRepos) error {
		for _, party := range []*access.Party{&from, &to} {
			company, err := tx.Accounts.Company(w.ctx, party.ID)
			require.NoError(t, err)
			party.UUID = company.UUID
		}
		return nil
	})
	creator, today := access.Named(w.ours.user), date(2026, 3, 1)
	farm := access.Named{ID: w.ours.farm.ID, Name: w.ours.farm.Name}
	grant := access.Grant{
		Grantor: from, Grantee: to, Target: access.GrantFarm, Farm: &farm, Slugs: access.DefaultGrantSlugs(), Status: access.GrantPending,
		EndsOn: &today, CreatedAt: w.clock.Now(), UpdatedAt: w.clock.Now(), CreatedBy: &creator,
	}
	w.write(func(tx ports.Repos) error {
		found, err := tx.Grants.Party(w.ctx, to.UUID)
		require.Equal(t, to, found)
		require.NoError(t, err)
		return tx.Grants.Insert(w.ctx, w.ours.scope, &grant)
	})
	count := func(scope access.Scope, q ports.GrantQuery) int64 {
		var n int64
		w.read(func(tx ports.Repos) (err error) {
			n, err = tx.Grants.Count(w.ctx, scope, q)
			require.Len(t, collect(t, tx.Grants.Each(w.ctx, scope, q)), int(n))
			return err
		})
		return n
	}
	for _, e := range []estate{w.ours, w.theirs} {
		w.read(func(tx ports.Repos) error {
			got, err := tx.Grants.Get(w.ctx, e.scope, grant.ID)
			require.Equal(t, grant, got)
			return err
		})
	}
	for _, scope := range []access.Scope{third.scope, access.SharedWith(to.ID), {}} {
		require.Zero(t, count(scope, ports.GrantQuery{}))
		err := w.Write(w.ctx, func(ctx context.Context, tx ports.Repos) error {
			_, err := tx.Grants.GetForUpdate(ctx, scope, grant.ID)
			require.True(t, fault.Is(err, fault.NotFound))
			return tx.Grants.SetStatus(ctx, scope, grant.ID, access.GrantAccepted, w.clock.Now())
		})
		require.True(t, fault.Is(err, fault.NotFound))
	}
	require.EqualValues(t, 1, count(w.ours.scope, ports.GrantQuery{Given: true}))
	require.Zero(t, count(w.ours.scope, ports.GrantQuery{Received: true}))
	require.EqualValues(t, 1, count(w.theirs.scope, ports.GrantQuery{Received: true, Farm: farm.ID, Status: access.GrantPending}))
	require.Zero(t, count(w.theirs.scope, ports.GrantQuery{Field: w.ours.field.ID}))

	w.write(func(tx ports.Repos) error {
		return tx.Grants.SetStatus(w.ctx, w.theirs.scope, grant.ID, access.GrantAccepted, w.clock.Now())
	})
	require.Equal(t, []int64{w.ours.farm.ID}, w.lookAcross(w.theirs).Farms, "what the repository stores is what the scope reads")
	w.clock.move(24 * time.Hour)
	require.Empty(t, w.lookAcross(w.theirs).Farms)
	require.Zero(t, count(w.theirs.scope, ports.GrantQuery{Status: access.GrantAccepted}))
	require.EqualValues(t, 1, count(w.theirs.scope, ports.GrantQuery{Status: access.GrantExpired}))
}
