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

// maxAtRest is how many calls to its database an idle server makes in a minute: transactions count as two, statements as one.
const maxAtRest = 400

// TestAnIdleServerLeavesItsDatabaseAlone starts a server that nobody asks for anything. What there is to do is announced by
// commits, so that it only looks from time to time.
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
		// A window is longer than any loop waits that looks all the time. The first ones may see the start's own work.
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
