package simulate

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/tests/rig"
	"tilth/wire"
)

// maxAtRest bounds the calls of an idle server to its database in a minute: a transaction counts as two, a statement as one.
const maxAtRest = 400

// TestAnIdleServerLeavesItsDatabaseAlone starts a server that gets no requests. Commits announce the work that there is
// to do, so the server only polls from time to time.
func TestAnIdleServerLeavesItsDatabaseAlone(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		w := unstarted(t, database)
		w.start()
		ctx, stop := context.WithCancel(t.Context())
		listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
		require.NoError(t, err)
		ended := make(chan error, 1)
		go func() { ended <- w.server.Serve(ctx, wire.Listeners{Main: listener}) }()
		// A window is longer than the wait of any polling loop. The first ones may include work of the start.
		for window := 0; ; window++ {
			w.plug.arm(0, false)
			began := time.Now()
			time.Sleep(6 * time.Second)
			minutes := time.Since(began).Minutes()
			calls := float64(len(w.plug.disarm())) / minutes
			t.Logf("%.0f calls a minute", calls)
			if calls <= maxAtRest {
				break
			}
			require.Less(t, window, 5, "it never comes to rest")
		}
		stop()
		require.NoError(t, <-ended)
	})
}
