package heap

import (
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
)

// Garbage has room beside what is kept, less of it where much is kept or there is little memory.
func TestRoomForGarbage(t *testing.T) {
	t.Parallel()
	const mb = 1 << 20
	for _, c := range []struct {
		memory, kept uint64
		percent      int
	}{
		{16 << 30, 0, 300},
		{16 << 30, 15 * mb, 300},
		{16 << 30, 48 * mb, 200},
		{16 << 30, 96 * mb, 100},
		{16 << 30, 2 << 30, 100},
		{0, 48 * mb, 200},
		{256 * mb, 16 * mb, 200},
		{64 * mb, 16 * mb, 100},
	} {
		require.Equal(t, c.percent, garbagePercent(c.kept, garbageRoom(c.memory)), "%+v", c)
	}
}

func TestMemoryThatIsThere(t *testing.T) {
	t.Parallel()
	require.Less(t, memoryThere(), uint64(1)<<50, "a limit that is none is none")
}

// While a long list is answered, garbage is collected as often as by Go's own rule; while nothing serves, nothing is set.
func TestLongListsAreLean(t *testing.T) {
	Lean()() // nothing serves: nothing is set
	h := &heap{room: maxGarbage}
	defer debug.SetGCPercent(debug.SetGCPercent(usualPercent))
	serving.Store(h)
	defer serving.Store(nil)
	h.adjust()
	roomy := h.percent
	require.GreaterOrEqual(t, roomy, usualPercent)
	first, second := Lean(), Lean()
	require.Equal(t, usualPercent, h.percent)
	first()
	require.Equal(t, usualPercent, h.percent, "another list is answered")
	h.room = 1 << 40
	second()
	require.Equal(t, maxPercent, h.percent)
}
