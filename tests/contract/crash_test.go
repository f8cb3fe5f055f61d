package contract

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/cli"
	"tilth/app/satellite"
	"tilth/tests/rig"
	"tilth/wire"
)

func TestMain(m *testing.M) { rig.MainWithoutLeaks(m) }

// gate is an imagery source that hangs while it is shut, and is an empty STAC API when open.
type gate struct {
	*httptest.Server
	searches atomic.Int64
	open     chan struct{}
}

func newGate(t *testing.T) *gate {
	g := &gate{open: make(chan struct{})}
	g.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.searches.Add(1)
		select {
		case <-g.open:
			w.Header().Set("Content-Type", "application/geo+json")
			_, _ = fmt.Fprint(w, `{"type":"FeatureCollection","features":[],"links":[]}`)
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(func() { g.CloseClientConnections(); g.Close() })
	return g
}

// kill -9 while an order is processing, then a restart: the order becomes active and
// the credit is captured once.
func TestKilledWhileProcessing(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		imagery := newGate(t)
		first := rig.StartProcess(t, database, imagery.URL)
		c := rig.Remote(t, first.URL, tokenOf(t, database))
		land := c.Land(rig.Archive(t).Parcels[0].Boundary, "2025-05-01", "2025-05-31")
		placed := c.Expect(200, "POST", rig.OrdersPath, land.OrderBody()).Data(t)
		order := int64(placed["order_id"].(float64))
		rig.Eventually(t, func() bool { return imagery.searches.Load() > 0 }, 10*time.Minute, 10*time.Millisecond)
		held := c.Wallet()
		require.Positive(t, held.Held)

		first.Kill()
		close(imagery.open)

		second := rig.StartProcess(t, database, rig.Archive(t).Dir)
		c = rig.Remote(t, second.URL, c.Token)
		profile := c.Until(order, "active")
		require.NotEmpty(t, profile.Profile)
		after := c.Wallet()
		require.Zero(t, after.Held)
		require.InDelta(t, held.Available, after.Balance, 1e-9, "the credit is captured once")
	})
}

// On SIGTERM a server releases its jobs at once: the next one need not wait for the lease to expire.
func TestStoppedWhileProcessing(t *testing.T) {
	t.Parallel()
	database, imagery := rig.SQLite(t), newGate(t)
	first := rig.StartProcess(t, database, imagery.URL)
	c := rig.Remote(t, first.URL, tokenOf(t, database))
	land := c.Land(rig.Archive(t).Parcels[0].Boundary, "2025-05-01", "2025-05-31")
	order := int64(c.Expect(200, "POST", rig.OrdersPath, land.OrderBody()).Data(t)["order_id"].(float64))
	rig.Eventually(t, func() bool { return imagery.searches.Load() > 0 }, 10*time.Minute, 10*time.Millisecond)
	require.NoError(t, first.Terminate(), "a stop is no failure")
	stopped := time.Now()
	close(imagery.open)
	queue := newPublisher(t, database).db.QueueOf(satellite.ProfileJob)
	free, err := queue.Claim(t.Context(), stopped, time.Minute, 1)
	require.NoError(t, err)
	require.Len(t, free, 1, "the lease stands")
	require.NoError(t, queue.Return(t.Context(), free[0], stopped))
	second := rig.StartProcess(t, database, rig.Archive(t).Dir)
	rig.Remote(t, second.URL, c.Token).Until(order, "active")
}

// run runs a command of the program and returns its output.
func run(t testing.TB, database string, stdin string, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	var out, errOut strings.Builder
	status = cli.Run(context.Background(), wire.Program{}, args, map[string]string{
		"TILTH_DATABASE_URL": database, "TILTH_OBJECTS_URL": rig.ObjectsOf(t, database), "TILTH_LOG_LEVEL": "error", "TILTH_ADDR": "127.0.0.1:0", "TILTH_IMAGERY_URL": rig.Archive(t).Dir,
		"TILTH_PASSWORD_MEMORY": "12", // a hash of 64 MiB takes 0.3 s, and so does each sign-in
	}, cli.Streams{In: strings.NewReader(stdin), Out: &out, Err: &errOut})
	return out.String(), errOut.String(), status
}

func runJSON(t testing.TB, database string, args ...string) map[string]any {
	t.Helper()
	out, errOut, status := run(t, database, "", append(args, "--json")...)
	require.Zero(t, status, errOut)
	var m map[string]any
	require.NoError(t, json.Unmarshal([]byte(out), &m), out)
	return m
}

// tokenOf makes a company with an owner and credit with the command line, as an operator would.
func tokenOf(t testing.TB, database string) string {
	t.Helper()
	company := itoa(int64(runJSON(t, database, "company", "create", "--name", "Crash "+filepath.Base(t.Name()))["id"].(float64)))
	runJSON(t, database, "user", "create", "--company", company, "--email", "owner@crash.example", "--role", "owner")
	runJSON(t, database, "wallet", "credit", "--company", company, "--amount", "100")
	return runJSON(t, database, "token", "create", "--user", "owner@crash.example")["access"].(string)
}
