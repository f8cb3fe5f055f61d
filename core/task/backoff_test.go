package task_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/task"
)

func TestBackoffDoublesUpToItsMaximum(t *testing.T) {
	b := task.Backoff{First: 30 * time.Second, Max: 6 * time.Hour, Tries: 12}
	for try, step := range map[int]time.Duration{
		0: 30 * time.Second, 1: 30 * time.Second, 2: time.Minute, 5: 8 * time.Minute, 10: 4*time.Hour + 16*time.Minute, 11: 6 * time.Hour,
	} {
		pause, again := b.Wait(try, 0)
		require.True(t, again, "try %d", try)
		require.Equal(t, step/2, pause, "try %d", try)
	}
	_, again := b.Wait(12, 0)
	require.False(t, again)
}

func TestBackoffStaysBetweenHalfAndWholeOfItsStep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := task.Backoff{
			First: time.Duration(rapid.Int64Range(1, int64(time.Hour)).Draw(t, "first")),
			Max:   time.Duration(rapid.Int64Range(1, int64(24*time.Hour)).Draw(t, "max")), Tries: 1000,
		}
		try := rapid.IntRange(0, 999).Draw(t, "try")
		lower, _ := b.Wait(try, 0)
		pause, again := b.Wait(try, rapid.Float64Range(0, 0.999).Draw(t, "jitter"))
		require.True(t, again)
		require.LessOrEqual(t, lower, pause)
		require.LessOrEqual(t, pause, b.Max)
		require.LessOrEqual(t, pause, 2*lower+1)
	})
}
