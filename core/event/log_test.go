package event_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/event"
)

func TestPositions(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Int64Range(0, 1<<62).Draw(t, "a"), rapid.Int64Range(0, 1<<62).Draw(t, "b")
		back, ok := event.ParsePosition(event.FormatPosition(a))
		require.True(t, ok)
		require.Equal(t, a, back)
		require.Equal(t, a < b, event.FormatPosition(a) < event.FormatPosition(b), "as text they sort as numbers do")
	})
	for _, bad := range []string{"", "-1", "+1", "x", "1.5", "00000000000000000001", "9999999999999999999"} {
		_, ok := event.ParsePosition(bad)
		require.False(t, ok, bad)
	}
}

func TestBoundsHold(t *testing.T) {
	t.Parallel()
	b := event.Bounds{Last: 9, Pruned: 4}
	for position, held := range map[int64]bool{-1: false, 3: false, 4: true, 9: true, 10: false} {
		require.Equal(t, held, b.Holds(position), position)
	}
	require.True(t, event.Bounds{}.Holds(0), "a feed without events has lost none")
}

func TestKinds(t *testing.T) {
	t.Parallel()
	require.Len(t, event.Types(), len(event.Kinds()))
	for _, k := range event.Kinds() {
		require.True(t, event.Known(k.Type))
		require.NotEmpty(t, k.Meaning)
		require.NotNil(t, k.Payload)
	}
	require.False(t, event.Known(event.TypeWebhookTest), "nobody subscribes to tests")
}
