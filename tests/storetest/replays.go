package storetest

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
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
	one := ports.Replay{
		Key: "k", Digest: "d", AnsweredAt: now,
		Answer: ports.Answer{Status: 200, Header: map[string]string{"Content-Type": "x"}, Body: []byte{0, 1, 0xff}},
	}
	get := func(tx ports.Repos, scope access.Scope) *ports.Replay {
		got, ok, err := tx.Replays.Get(w.ctx, scope, "k")
		require.NoError(t, err)
		if !ok {
			return nil
		}
		return &got
	}
	w.write(func(tx ports.Repos) error {
		require.Nil(t, get(tx, scope))
		require.NoError(t, tx.Replays.Put(w.ctx, scope, one, now))
		require.Equal(t, &one, get(tx, scope))
		require.Nil(t, get(tx, w.theirs.scope), "a key is a company's own")
		require.NoError(t, tx.Replays.Put(w.ctx, w.theirs.scope, one, now))

		second := one
		second.Digest, second.AnsweredAt, second.Answer.Body = "e", now.Add(time.Hour), []byte("later")
		err := tx.Replays.Put(w.ctx, scope, second, now.Add(-time.Second))
		require.Equal(t, ports.CodeAnswered, codeOf(t, err))
		require.Equal(t, &one, get(tx, scope))
		require.NoError(t, tx.Replays.Put(w.ctx, scope, second, now), "what has expired gives way")
		require.Equal(t, &second, get(tx, scope))
		return nil
	})
	w.operate(func(tx ports.OperatorRepos) error {
		for before, want := range map[time.Time]int64{now: 0, now.Add(time.Second): 1} {
			n, err := tx.Replays.Purge(w.ctx, before, 10)
			require.NoError(t, err)
			require.Equal(t, want, n)
		}
		return nil
	})
}

func codeOf(t *testing.T, err error) string {
	f, ok := fault.As(err)
	require.True(t, ok, "%v", err)
	return f.Code
}

// caller makes requests under keys, whose effect is a farm.
type caller struct {
	*world
	t        *testing.T
	guarded  ports.Store
	requests *idempotency.Once
	who      access.Principal
}

func newCaller(t *testing.T, b Backend) *caller {
	w := newWorld(t, b)
	guarded := idempotency.Guard(w.Database)
	return &caller{w, t, guarded, idempotency.New(guarded, w.clock), access.Principal{UserID: w.ours.user.ID, CompanyID: w.ours.scope.Company()}}
}

func (c *caller) effect(ctx context.Context) error {
	return c.guarded.Write(ctx, func(ctx context.Context, tx ports.Repos) error {
		f := farm.Farm{Meta: c.meta(c.ours), Name: "effect"}
		return tx.Farms.Insert(ctx, c.ours.scope, []*farm.Farm{&f})
	})
}

// effects counts the effects that a context sees.
func (c *caller) effects(ctx context.Context) (n int64) {
	require.NoError(c.t, c.guarded.Read(ctx, func(ctx context.Context, tx ports.Repos) (err error) {
		n, err = tx.Farms.Count(ctx, c.ours.scope, ports.Query{})
		return err
	}))
	return n - 1
}

var done = ports.Answer{Status: 200, Header: map[string]string{"ETag": "x"}, Body: []byte("done")}

func (c *caller) final(ctx context.Context) (ports.Answer, bool) {
	require.NoError(c.t, c.effect(ctx))
	return done, true
}

func (c *caller) never(context.Context) (ports.Answer, bool) {
	require.Fail(c.t, "carried out twice")
	return ports.Answer{}, false
}

// carriedOut makes a request that is carried out and then repeated, and checks the number of its effects.
func (c *caller) carriedOut(key string, effects int64) {
	c.t.Helper()
	for _, repeated := range []bool{false, true} {
		do := c.final
		if repeated {
			do = c.never
		}
		a, replayed, err := c.requests.Do(c.ctx, c.who, key, "d", do)
		require.NoError(c.t, err)
		require.Equal(c.t, repeated, replayed)
		require.Equal(c.t, done, a)
		require.Equal(c.t, effects, c.effects(c.ctx))
	}
}

// testOnce checks the promise of app/idempotency wherever a request can end.
func testOnce(t *testing.T, b Backend) {
	c := newCaller(t, b)
	c.carriedOut("answered", 1)
	_, _, err := c.requests.Do(c.ctx, c.who, "answered", "other", c.never)
	require.Equal(t, "idempotency_key_reused", codeOf(t, err))

	// Without a final answer nothing has happened, even if the effect was carried out.
	for _, ends := range []func(ctx context.Context) (ports.Answer, bool){
		func(context.Context) (ports.Answer, bool) { return ports.Answer{Status: 503}, false },
		func(ctx context.Context) (ports.Answer, bool) {
			require.Error(t, c.guarded.Write(ctx, func(context.Context, ports.Repos) error { return errors.New("no") }))
			return ports.Answer{Status: 500}, false
		},
		func(ctx context.Context) (ports.Answer, bool) {
			require.NoError(t, c.effect(ctx))
			require.EqualValues(t, 2, c.effects(ctx), "what answers sees the effect")
			require.EqualValues(t, 1, c.effects(c.ctx), "and nobody else")
			return ports.Answer{Status: 500}, false
		},
	} {
		a, replayed, err := c.requests.Do(c.ctx, c.who, "ended", "d", ends)
		require.NoError(t, err)
		require.False(t, replayed)
		require.GreaterOrEqual(t, a.Status, 500)
		require.EqualValues(t, 1, c.effects(c.ctx))
	}
	require.Panics(t, func() {
		_, _, _ = c.requests.Do(c.ctx, c.who, "ended", "d", func(ctx context.Context) (ports.Answer, bool) {
			require.NoError(t, c.effect(ctx))
			panic("between the effect and the answer")
		})
	})
	left, leave := context.WithCancel(c.ctx)
	_, _, err = c.requests.Do(left, c.who, "ended", "d", func(ctx context.Context) (ports.Answer, bool) {
		require.NoError(t, c.effect(ctx))
		leave()
		return done, true
	})
	require.ErrorIs(t, err, context.Canceled)
	c.carriedOut("ended", 2)

	// A refusal is an answer, even one that rolls back what was written before.
	_, _, err = c.requests.Do(c.ctx, c.who, "refused", "d", func(ctx context.Context) (ports.Answer, bool) {
		require.Error(t, c.guarded.Write(ctx, func(ctx context.Context, _ ports.Repos) error { return errors.New("refused") }))
		return ports.Answer{Status: 409, Header: map[string]string{}}, true
	})
	require.NoError(t, err)
	a, replayed, err := c.requests.Do(c.ctx, c.who, "refused", "d", c.never)
	require.NoError(t, err)
	require.True(t, replayed)
	require.Equal(t, 409, a.Status)

	// After a day the key is free, and the answers are purged.
	c.clock.move(idempotency.Kept + time.Minute)
	n, err := c.requests.Purge(c.ctx)
	require.NoError(t, err)
	require.EqualValues(t, 3, n)
	c.carriedOut("answered", 3)
	c.clock.move(idempotency.Kept)
	c.carriedOut("answered", 4) // even if it was not purged
}

// testOnceTogether checks that only one of several requests with the same key has an effect.
func testOnceTogether(t *testing.T, b Backend) {
	c := newCaller(t, b)

	// In one process they take turns, and a caller that leaves stops waiting.
	var carried sync.Mutex
	answers := together(8, func(int) error {
		_, _, err := c.requests.Do(c.ctx, c.who, "together", "d", func(ctx context.Context) (ports.Answer, bool) {
			require.True(t, carried.TryLock(), "two at a time")
			defer carried.Unlock()
			return c.final(ctx)
		})
		return err
	})
	for _, err := range answers {
		require.NoError(t, err)
	}
	require.EqualValues(t, 1, c.effects(c.ctx))
	_, _, err := c.requests.Do(c.ctx, c.who, "under way", "d", func(context.Context) (ports.Answer, bool) {
		left, leave := context.WithCancel(c.ctx)
		leave()
		_, _, err := c.requests.Do(left, c.who, "under way", "d", c.never)
		require.ErrorIs(t, err, context.Canceled)
		return done, true
	})
	require.NoError(t, err)

	// Of two processes the second to commit has no effect, and returns the answer of the first.
	other := idempotency.New(c.guarded, c.clock)
	a, replayed, err := c.requests.Do(c.ctx, c.who, "two", "d", func(ctx context.Context) (ports.Answer, bool) {
		_, replayed, err := other.Do(c.ctx, c.who, "two", "d", c.final)
		require.NoError(t, err)
		require.False(t, replayed)
		require.NoError(t, c.effect(ctx))
		return ports.Answer{Status: 201, Header: map[string]string{}}, true
	})
	require.NoError(t, err)
	require.True(t, replayed)
	require.Equal(t, done, a)
	require.EqualValues(t, 2, c.effects(c.ctx))
	all := together(8, func(int) error {
		a, _, err := idempotency.New(c.guarded, c.clock).Do(c.ctx, c.who, "many", "d", c.final)
		require.Equal(t, done, a)
		return err
	})
	for _, err := range all {
		require.NoError(t, err)
	}
	require.EqualValues(t, 3, c.effects(c.ctx))

	// A callback that loses a race runs again, before its answer is made.
	runs, answered := 0, 0
	_, _, err = c.requests.Do(c.ctx, c.who, "raced", "d", func(ctx context.Context) (ports.Answer, bool) {
		require.NoError(t, c.guarded.Write(ctx, func(ctx context.Context, tx ports.Repos) error {
			f := farm.Farm{Meta: c.meta(c.ours), Name: "raced"}
			if err := tx.Farms.Insert(ctx, c.ours.scope, []*farm.Farm{&f}); err != nil {
				return err
			}
			if runs++; runs < 3 {
				return &pgconn.PgError{Code: "40001"}
			}
			return nil
		}))
		answered++
		return done, true
	})
	require.NoError(t, err)
	require.Equal(t, 3, runs)
	require.Equal(t, 1, answered)
	require.EqualValues(t, 4, c.effects(c.ctx))

	// A request that writes after its effect is a mistake, which neither hangs nor commits.
	for _, again := range []func(ctx context.Context) error{
		c.effect,
		func(ctx context.Context) error { return c.effect(idempotency.Apart(ctx)) },
		func(ctx context.Context) error {
			return c.guarded.Operate(ctx, func(context.Context, ports.OperatorRepos) error { return nil })
		},
	} {
		_, _, err = c.requests.Do(c.ctx, c.who, "twice", "d", func(ctx context.Context) (ports.Answer, bool) {
			require.NoError(t, c.effect(ctx))
			require.Equal(t, "two_effects", codeOf(t, again(ctx)))
			return ports.Answer{Status: 500}, false
		})
		require.NoError(t, err)
	}
	require.EqualValues(t, 4, c.effects(c.ctx))

	// What is written apart stays even if the request fails, and may be followed by an effect.
	_, _, err = c.requests.Do(c.ctx, c.who, "apart", "d", func(ctx context.Context) (ports.Answer, bool) {
		require.NoError(t, c.effect(idempotency.Apart(ctx)))
		require.NoError(t, c.effect(ctx))
		return ports.Answer{Status: 500}, false
	})
	require.NoError(t, err)
	require.EqualValues(t, 5, c.effects(c.ctx))
}
