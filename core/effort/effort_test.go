package effort_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/effort"
)

func TestABudgetEndsAtItsLastStep(t *testing.T) {
	b := effort.Of(t.Context(), 10)
	require.NoError(t, b.Spend(10))
	require.ErrorIs(t, b.Spend(1), effort.ErrSpent)
	require.ErrorIs(t, b.Spend(0), effort.ErrSpent, "what is spent stays spent")
	require.EqualValues(t, 11, b.Spent())
}

func TestABudgetEndsWithItsCaller(t *testing.T) {
	ctx, leave := context.WithCancel(t.Context())
	b := effort.Of(ctx, 0)
	require.NoError(t, b.Spend(1))
	leave()
	more := 0
	for ; b.Spend(1) == nil; more++ {
	}
	require.Less(t, more, effort.Interval)
	require.ErrorIs(t, b.Spend(effort.Interval), context.Canceled)
	require.ErrorIs(t, b.Err(), context.Canceled)
	require.ErrorIs(t, b.Context().Err(), context.Canceled)
	require.ErrorIs(t, effort.Of(ctx, 0).Spend(1), context.Canceled, "a new one ends at its first step")
}

func TestNoBudgetHasNoEnd(t *testing.T) {
	var b *effort.Budget
	require.NoError(t, b.Spend(1<<40))
	require.Zero(t, b.Spent())
	require.NoError(t, b.Err())
	require.NoError(t, b.Context().Err())
}
