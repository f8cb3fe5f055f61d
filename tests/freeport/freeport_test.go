package freeport_test

import (
	"fmt"
	"net"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/tests/freeport"
)

// A restarted server finds its port still free: the kernel assigns it to no connection.
func TestThePortIsNotOfThoseThatTheKernelChoosesFrom(t *testing.T) {
	t.Parallel()
	lowest := 49152
	if text, err := os.ReadFile("/proc/sys/net/ipv4/ip_local_port_range"); err == nil {
		_, err = fmt.Sscan(string(text), &lowest)
		require.NoError(t, err)
	}
	lowest = max(lowest, 32000) // a kernel that chooses from lower ports leaves no room below
	for range 100 {
		port, err := freeport.Find(t.Context())
		require.NoError(t, err)
		require.Less(t, port, lowest)
		listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", freeport.Address(port))
		require.NoError(t, err)
		require.NoError(t, listener.Close())
	}
}
