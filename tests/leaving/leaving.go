// Package leaving has callers who leave in the middle of work, so that tests count what is still
// done for them.
package leaving

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/effort"
)

// caller leaves after a number of looks.
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

// Stops requires that work takes more steps than one look covers, and that it ends within a number
// of steps of the look at which its caller has left.
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
