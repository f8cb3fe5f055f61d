package storms

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// beTheCrowd makes the test binary act as the hostile clients; its value is the plan of the siege.
const beTheCrowd = "TILTH_TEST_BE_THE_CROWD"

// plan is what the hostile clients know.
type plan struct {
	URL, Token string
	Farm       int64
	Clients    int
}

// outcome is the answers that the hostile clients got.
type outcome struct {
	Answered map[string]int
	Faults   []string // 5xx other than 503 with Retry-After
}

// crowd is the hostile clients: a process of its own, at the lowest priority, because only here
// they share the processors with the server. The test judges what they cost the server, not what
// it costs to run them.
type crowd struct {
	t     *testing.T
	cmd   *exec.Cmd
	stays io.Closer // closed to make them leave
	said  io.Reader
}

// gather sets the hostile clients on a server.
func gather(t *testing.T, p plan) *crowd {
	t.Helper()
	text, err := json.Marshal(p)
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	if nice, err := exec.LookPath("nice"); err == nil {
		cmd = exec.CommandContext(t.Context(), nice, "-n", "19", os.Args[0])
	}
	cmd.Env, cmd.Stderr = append(os.Environ(), beTheCrowd+"="+string(text)), os.Stderr
	stays, err := cmd.StdinPipe()
	require.NoError(t, err)
	said, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	return &crowd{t, cmd, stays, said}
}

// leave has all clients close their connections, and returns the answers that they got.
func (c *crowd) leave() map[string]int {
	require.NoError(c.t, c.stays.Close())
	var out outcome
	require.NoError(c.t, json.NewDecoder(c.said).Decode(&out))
	require.NoError(c.t, c.cmd.Wait())
	require.Empty(c.t, out.Faults)
	return out.Answered
}

// crowdOf is the process of the hostile clients, as many of every kind, until its input ends.
func crowdOf(text string) (status int) {
	var h hostiles
	if err := json.Unmarshal([]byte(text), &h.plan); err != nil {
		return 2
	}
	h.said.Answered = map[string]int{}
	ctx, leave := context.WithCancel(context.Background())
	var all sync.WaitGroup
	for n := range h.Clients {
		kind := kinds[n%len(kinds)]
		one := &client{hostiles: &h, kind: kind.name, from: fmt.Sprintf("10.%d.%d.1", n>>8, n&255), seed: uint64(n)}
		all.Go(func() { kind.act(ctx, one) })
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
	leave()
	all.Wait()
	if json.NewEncoder(os.Stdout).Encode(h.said) != nil {
		return 2
	}
	return 0
}

// hostiles is what the hostile clients share.
type hostiles struct {
	plan

	mu   sync.Mutex
	said outcome
}

// hear counts an answer.
func (h *hostiles) hear(kind string, status int, retryAfter string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.said.Answered[fmt.Sprintf("%s %d", kind, status)]++
	if status >= http.StatusInternalServerError && (status != http.StatusServiceUnavailable || retryAfter == "") {
		h.said.Faults = append(h.said.Faults, fmt.Sprintf("%s: %d, Retry-After %q", kind, status, retryAfter))
	}
}
