package storetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/app/idempotency"
	"tilth/core/access"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/ports"
)

func testReplays(t *testing.T, b Backend) {
	w := newWorld(t, b)
	scope, now := w.ours.scope, kept(w.clock.Now())
	claim := ports.Replay{Key: "k", Digest: "d", Token: "t1", ClaimedAt: now, LeaseUntil: now.Add(time.Minute)}
	lost := func(err error) {
		t.Helper()
		f, ok := fault.As(err)
		require.True(t, ok, "%v", err)
		require.Equal(t, "claim_lost", f.Code)
	}
	answer := ports.Answer{Status: 200, Header: map[string]string{"Content-Type": "x"}, Body: []byte{0, 1, 0xff}}
	w.write(func(tx ports.Repos) error {
		_, ok, err := tx.Replays.Get(w.ctx, scope, "k")
		require.NoError(t, err)
		require.False(t, ok)
		require.NoError(t, tx.Replays.Claim(w.ctx, scope, claim, ""))
		lost(tx.Replays.Claim(w.ctx, scope, claim, ""))
		require.NoError(t, tx.Replays.Claim(w.ctx, w.theirs.scope, claim, ""), "a key is a company's own")
		got, ok, err := tx.Replays.Get(w.ctx, scope, "k")
		require.NoError(t, err)
		require.True(t, ok)
		require.Equal(t, claim, got)

		second := claim
		second.Token = "t2"
		lost(tx.Replays.Claim(w.ctx, scope, second, "t0"))
		require.NoError(t, tx.Replays.Claim(w.ctx, scope, second, "t1"))
		lost(tx.Replays.Executed(w.ctx, scope, "k", "t1", now))
		lost(tx.Replays.Answered(w.ctx, scope, "k", "t1", answer, now))
		require.NoError(t, tx.Replays.Executed(w.ctx, scope, "k", "t2", now))
		require.NoError(t, tx.Replays.Release(w.ctx, scope, "k", "t2"), "what was executed is not forgotten")
		require.NoError(t, tx.Replays.Answered(w.ctx, scope, "k", "t2", answer, now))
		got, _, err = tx.Replays.Get(w.ctx, scope, "k")
		require.NoError(t, err)
		require.True(t, got.Executed)
		require.Equal(t, &answer, got.Answer)

		require.NoError(t, tx.Replays.Release(w.ctx, w.theirs.scope, "k", "t1"))
		_, ok, err = tx.Replays.Get(w.ctx, w.theirs.scope, "k")
		require.False(t, ok)
		return err
	})
	w.operate(func(tx ports.OperatorRepos) error {
		n, err := tx.Replays.Purge(w.ctx, now)
		require.NoError(t, err)
		require.Zero(t, n)
		n, err = tx.Replays.Purge(w.ctx, now.Add(time.Second))
		require.EqualValues(t, 1, n)
		return err
	})
}

// testOnce holds the promise of app/once at each point where a request can end.
func testOnce(t *testing.T, b Backend) {
	w := newWorld(t, b)
	guarded := idempotency.Guard(w.Database, w.clock)
	requests := &idempotency.Once{Store: w.Database, Clock: w.clock, IDs: w.ids}
	who := access.Principal{UserID: w.ours.user.ID, CompanyID: w.ours.scope.Company()}
	effect := func(ctx context.Context) error {
		return guarded.Write(ctx, func(ctx context.Context, tx ports.Repos) error {
			f := farm.Farm{Meta: w.meta(w.ours), Name: "effect"}
			return tx.Farms.Insert(ctx, w.ours.scope, []*farm.Farm{&f})
		})
	}
	effects := func() (n int) {
		w.read(func(tx ports.Repos) error {
			n = len(collect(t, tx.Farms.Each(w.ctx, w.ours.scope, ports.Query{}))) - 1
			return nil
		})
		return n
	}
	final := func(ctx context.Context) (ports.Answer, bool) {
		require.NoError(t, effect(ctx))
		return ports.Answer{Status: 200, Header: map[string]string{}, Body: []byte("done")}, true
	}
	never := func(context.Context) (ports.Answer, bool) {
		require.Fail(t, "carried out twice")
		return ports.Answer{}, false
	}
	code := func(err error) string {
		f, ok := fault.As(err)
		require.True(t, ok, "%v", err)
		return f.Code
	}

	// Answered: the answer is given again, for a day.
	a, again, err := requests.Do(w.ctx, who, "answered", "d", final)
	require.NoError(t, err)
	require.False(t, again)
	a2, again, err := requests.Do(w.ctx, who, "answered", "d", never)
	require.NoError(t, err)
	require.True(t, again)
	require.Equal(t, a, a2)
	_, _, err = requests.Do(w.ctx, who, "answered", "other", never)
	require.Equal(t, "idempotency_key_reused", code(err))
	require.Equal(t, 1, effects())

	// Failed before the effect: it may be repeated at once.
	_, _, err = requests.Do(w.ctx, who, "failed", "d", func(context.Context) (ports.Answer, bool) { return ports.Answer{Status: 503}, false })
	require.NoError(t, err)
	_, again, err = requests.Do(w.ctx, who, "failed", "d", final)
	require.NoError(t, err)
	require.False(t, again)
	require.Equal(t, 2, effects())

	// The effect was rolled back: so was its mark.
	_, _, err = requests.Do(w.ctx, who, "rolled back", "d", func(ctx context.Context) (ports.Answer, bool) {
		require.Error(t, guarded.Write(ctx, func(context.Context, ports.Repos) error { return errors.New("no") }))
		return ports.Answer{Status: 500}, false
	})
	require.NoError(t, err)
	_, _, err = requests.Do(w.ctx, who, "rolled back", "d", final)
	require.NoError(t, err)
	require.Equal(t, 3, effects())

	// Crashed between the effect and the answer: never again.
	require.Panics(t, func() {
		_, _, _ = requests.Do(w.ctx, who, "crashed", "d", func(ctx context.Context) (ports.Answer, bool) {
			require.NoError(t, effect(ctx))
			panic("crash")
		})
	})
	w.clock.move(2 * time.Minute)
	_, _, err = requests.Do(w.ctx, who, "crashed", "d", never)
	require.Equal(t, "answer_lost", code(err))
	require.Equal(t, 4, effects())

	// Outlived its lease and lost the key to a repeat: it cannot commit any more.
	_, _, err = requests.Do(w.ctx, who, "slow", "d", func(slow context.Context) (ports.Answer, bool) {
		w.clock.move(2 * time.Minute)
		_, _, err := requests.Do(w.ctx, who, "slow", "d", final)
		require.NoError(t, err)
		require.Equal(t, "claim_lost", code(effect(slow)))
		return ports.Answer{Status: 409}, true
	})
	require.NoError(t, err)
	require.Equal(t, 5, effects())
	a, again, err = requests.Do(w.ctx, who, "slow", "d", never)
	require.NoError(t, err)
	require.True(t, again)
	require.Equal(t, 200, a.Status, "the answer is that of the request that had the effect")

	// While one is under way another waits, and a caller who leaves waits no longer.
	_, _, err = requests.Do(w.ctx, who, "under way", "d", func(context.Context) (ports.Answer, bool) {
		left, leave := context.WithCancel(w.ctx)
		leave()
		_, _, err := requests.Do(left, who, "under way", "d", never)
		require.ErrorIs(t, err, context.Canceled)
		return ports.Answer{Status: 200, Header: map[string]string{}}, true
	})
	require.NoError(t, err)

	// After a day the key is free, and the answers are purged.
	w.clock.move(idempotency.Kept + time.Minute)
	n, err := requests.Purge(w.ctx)
	require.NoError(t, err)
	require.EqualValues(t, 6, n)
	_, again, err = requests.Do(w.ctx, who, "answered", "other", final)
	require.NoError(t, err)
	require.False(t, again)
	require.Equal(t, 6, effects())
}
