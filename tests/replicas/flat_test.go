package replicas

import (
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"tilth/tests/callers"
	"tilth/tests/rig"
)

// most is the maximum that a replica may hold, whatever is requested from it; connections are those of all replicas, of the
// budget of each, and the test's own. The amount of memory also depends on the race detector, so only its growth is checked.
var most = map[string]float64{"memory (MB)": math.Inf(1), "goroutines": 400, "handles": 150, "connections": replicas*22 + 1}

// grown is the maximum ratio of a figure's median to its earlier median, and slack is what never counts as growth.
const grown = 1.25

var slack = map[string]float64{"memory (MB)": 32, "goroutines": 40, "handles": 20, "connections": 8}

// Under load a replica holds no more than it may, and under constant load none of it grows: its memory, goroutines,
// handles and connections in the last third of the time are those of the second third. TILTH_CLUSTER=1 runs ten
// minutes, which show growth; a shorter run only checks the bounds.
func TestNothingGrowsUnderLoad(t *testing.T) { // not parallel to the other, which crashes the database
	rounds, every, load := 6, time.Duration(0), callers.Load{Callers: 6, Seed: seed, Seasons: 1}
	great := os.Getenv("TILTH_CLUSTER") == "1"
	if great {
		rounds, every, load = 120, 5*time.Second, callers.Load{Callers: 14, Seed: seed, Seasons: 12, Pause: 700 * time.Millisecond}
	}
	c := build(t, rig.PostgreSQL(t))
	h := callers.Settle(t, c.database)
	for i := range c.replicas {
		c.start(i)
	}
	h.Begin(c.url, load)
	seen := map[string][]float64{}
	for range rounds {
		h.Await(5)
		for until := time.Now().Add(every); time.Now().Before(until); {
			h.Await(5)
		}
		for name, value := range c.figures() {
			kind, _, _ := strings.Cut(name, " of ")
			require.LessOrEqual(t, value, most[kind], name)
			seen[name] = append(seen[name], value)
		}
	}
	h.End()
	h.Check()
	require.Len(t, seen, 3*replicas+1)
	for name, values := range seen {
		middle := func(part []float64) float64 { return slices.Sorted(slices.Values(part))[len(part)/2] }
		before, after := middle(values[rounds/3:2*rounds/3]), middle(values[2*rounds/3:])
		t.Logf("%s: %.0f, then %.0f", name, before, after)
		kind, _, _ := strings.Cut(name, " of ")
		require.True(t, !great || after <= max(grown*before, before+slack[kind]), name)
	}
}

// figures returns what the replicas hold now.
func (c *cluster) figures() map[string]float64 {
	t, out := c.t, map[string]float64{}
	for i, r := range c.replicas {
		pid := r.process.Cmd.Process.Pid
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		require.NoError(t, err)
		handles, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
		require.NoError(t, err)
		out[fmt.Sprint("memory (MB) of ", i)] = figure(t, string(status), "VmRSS:") / 1024
		out[fmt.Sprint("handles of ", i)] = float64(len(handles))
		out[fmt.Sprint("goroutines of ", i)] = figure(t, c.metrics(r), "go_goroutines ")
	}
	conn, err := pgx.Connect(t.Context(), c.database)
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(t.Context())) }()
	var open float64
	require.NoError(t, conn.QueryRow(t.Context(), "SELECT count(*)::float8 FROM pg_stat_activity WHERE datname = current_database()").Scan(&open))
	out["connections of all"] = open
	return out
}

// figure reads the number after a name at the beginning of a line.
func figure(t *testing.T, text, name string) float64 {
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			value, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			require.NoError(t, err)
			return value
		}
	}
	t.Fatalf("there is no %s in %s", name, text)
	return 0
}

// metrics returns the metrics of a replica.
func (c *cluster) metrics(r *replica) string {
	req, err := http.NewRequestWithContext(c.t.Context(), http.MethodGet, "http://"+r.admin+"/metrics", nil)
	require.NoError(c.t, err)
	res, err := http.DefaultClient.Do(req)
	require.NoError(c.t, err)
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	require.NoError(c.t, err)
	return string(text)
}
