package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// testCertificates checks that one server at a time fetches, and that a server that died does not block the others for good.
func testCertificates(t *testing.T, b Backend) {
	w := newWorld(t, b)
	store := w.Certificates()
	lease := func(holder string) bool {
		t.Helper()
		now := w.clock.Now()
		taken, err := store.Lease(w.ctx, "x", holder, now, now.Add(time.Minute))
		require.NoError(t, err)
		return taken
	}
	require.True(t, lease("first"))
	require.False(t, lease("second"))
	require.True(t, lease("first"), "again by the same")
	require.NoError(t, store.Release(w.ctx, "x", "second"))
	require.False(t, lease("second"), "nobody releases what another holds")
	require.NoError(t, store.Put(w.ctx, "x", []byte("content")))
	require.False(t, lease("second"), "content changes no lease")
	require.NoError(t, store.Release(w.ctx, "x", "first"))
	require.True(t, lease("second"))
	w.clock.move(time.Minute)
	require.True(t, lease("first"), "its holder died")

	content, err := store.Get(w.ctx, "x")
	require.NoError(t, err)
	require.Equal(t, "content", string(content))
	require.NoError(t, store.Delete(w.ctx, "x"))
	require.NoError(t, store.Delete(w.ctx, "x"))
	content, err = store.Get(w.ctx, "x")
	require.NoError(t, err)
	require.Nil(t, content)
}
