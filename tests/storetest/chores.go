package storetest

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/app/task"
)

// testChores asserts that a chore is done once across all replicas, and is never given up.
func testChores(t *testing.T, b Backend) {
	w := newWorld(t, b)
	did, away := 0, errors.New("away")
	chore := task.Chore{Kind: "k", Every: time.Hour, Did: "things done", Do: func(context.Context) (int64, error) { did++; return 1, away }}
	chores := task.Chores{Store: w, Clock: w.clock, Log: slog.New(slog.DiscardHandler), All: []task.Chore{chore}}
	for range 3 {
		require.NoError(t, chores.Start(w.ctx), "every replica starts it")
	}
	for i := range 120 { // more often than a failing job is handed out
		jobs := w.claim(10)
		require.Len(t, jobs, 1)
		require.Equal(t, 1, jobs[0].Attempt, "each time counts for itself")
		require.NoError(t, chores.Run(w.ctx, chore, jobs[0]))
		require.Equal(t, i+1, did)
		require.Empty(t, w.claim(10))
		w.clock.move(time.Hour)
	}

	// A chore that a shutdown stops is not postponed: the next worker does it.
	ctx, stop := context.WithCancel(w.ctx)
	chore.Do = func(context.Context) (int64, error) { stop(); return 0, ctx.Err() }
	held := w.claim(1)[0]
	require.ErrorIs(t, chores.Run(ctx, chore, held), context.Canceled)
	w.clock.move(lease)
	require.Equal(t, held.ID, w.claim(1)[0].ID)
	lost(t, chores.Run(w.ctx, task.Chore{Do: func(context.Context) (int64, error) { return 0, nil }}, held))
}
