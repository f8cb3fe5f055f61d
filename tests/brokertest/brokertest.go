// Package brokertest runs NATS servers with JetStream, alone or as a cluster, in the process of a test, and stops and
// restarts them.
package brokertest

import (
	"net/url"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"tilth/tests/freeport"
)

const patience = time.Minute

// Broker is a server at one address, with one folder, whether it runs or not.
type Broker struct {
	URL string

	t       testing.TB
	options server.Options
	running *server.Server
}

// Start starts a server. It is stopped when the test ends.
func Start(t testing.TB) *Broker {
	t.Helper()
	b := &Broker{t: t, options: server.Options{
		Host: "127.0.0.1", Port: freePort(t), JetStream: true, StoreDir: t.TempDir(), NoSigs: true,
		JetStreamMaxMemory: 64 << 20, JetStreamMaxStore: 4 << 30,
	}}
	b.Restart()
	t.Cleanup(b.Stop)
	return b
}

// StartCluster starts servers that form one cluster. They are stopped when the test ends.
func StartCluster(t testing.TB, n int) []*Broker {
	t.Helper()
	out, routes := make([]*Broker, n), []*url.URL{}
	for i := range out {
		port := freePort(t)
		routes = append(routes, &url.URL{Scheme: "nats", Host: freeport.Address(port)})
		out[i] = &Broker{t: t, options: server.Options{
			ServerName: "node-" + strconv.Itoa(i), Host: "127.0.0.1", Port: freePort(t), JetStream: true, StoreDir: t.TempDir(), NoSigs: true,
			JetStreamMaxMemory: 64 << 20, JetStreamMaxStore: 4 << 30,
			Cluster: server.ClusterOpts{Name: "tests", Host: "127.0.0.1", Port: port},
		}}
	}
	for _, b := range out {
		b.options.Routes = routes
		b.Restart()
		t.Cleanup(b.Stop)
	}
	deadline := time.Now().Add(patience)
	for !slices.ContainsFunc(out, func(b *Broker) bool { return b.running.JetStreamIsLeader() }) {
		require.True(t, time.Now().Before(deadline), "the cluster of NATS has no leader")
		time.Sleep(10 * time.Millisecond)
	}
	return out
}

func freePort(t testing.TB) int {
	t.Helper()
	port, err := freeport.Find(t.Context())
	require.NoError(t, err)
	return port
}

// Restart starts a stopped server again, with its stored data.
func (b *Broker) Restart() {
	b.t.Helper()
	options := b.options
	running, err := server.NewServer(&options)
	require.NoError(b.t, err)
	trouble := &log{}
	running.SetLoggerV2(trouble, false, false, false)
	running.Start()
	require.True(b.t, running.ReadyForConnections(patience), "NATS does not answer: %s", trouble)
	b.running = running
	b.URL = (&url.URL{Scheme: "nats", Host: running.Addr().String()}).String()
}

// Stop stops the server; its folder stays.
func (b *Broker) Stop() {
	if b.running == nil {
		return
	}
	b.running.Shutdown()
	b.running.WaitForShutdown()
	b.running = nil
}

// Client returns a client of the server, which is closed when the test ends.
func (b *Broker) Client() jetstream.JetStream {
	b.t.Helper()
	conn, err := nats.Connect(b.URL, nats.MaxReconnects(-1), nats.ReconnectWait(10*time.Millisecond))
	require.NoError(b.t, err)
	b.t.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	require.NoError(b.t, err)
	return js
}
