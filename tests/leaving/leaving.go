// Package leaving simulates callers that leave in the middle of work, so that tests can count
// what is still done for them.
package leaving

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/effort"
)

// caller leaves after it has been checked a number of times.
type caller struct {
	context.Context
	looks int
}

func (c *caller) Err() error {
	if c.looks--; c.looks < 0 {
		return context.Canceled
	}
	return nil
}

// Stops requires that work takes more steps than one check covers, and that it ends within a
// number of steps of the check at which its caller has left.
func Stops(t *testing.T, within int64, work func(budget *effort.Budget) error) {
	t.Helper()
	whole := effort.Of(t.Context(), 0)
	require.NoError(t, work(whole))
	require.Greater(t, whole.Spent(), within, "too little work to tell")
	for looks := range 3 {
		left := effort.Of(&caller{Context: t.Context(), looks: looks}, 0)
		require.ErrorIs(t, work(left), context.Canceled)
		require.LessOrEqual(t, left.Spent(), int64(looks)*(effort.Interval+within)+within, "steps after the caller left")
	}
}

// Asks requires that work checks at least a number of times whether its caller is still there, and never again after it has
// left: when it leaves at the first, second, third, fifth or ninth check and so on, work ends with the context's error.
func Asks(t *testing.T, atLeast int, work func(ctx context.Context) error) {
	t.Helper()
	for looks := 0; ; looks += max(1, looks) {
		ctx := &caller{Context: t.Context(), looks: looks}
		err := work(ctx)
		if ctx.looks >= 0 {
			require.NoError(t, err)
			require.GreaterOrEqual(t, looks-ctx.looks, atLeast, "too little work to tell")
			return
		}
		require.ErrorIs(t, err, context.Canceled)
		require.Equal(t, -1, ctx.looks, "looks after the caller left")
	}
}
