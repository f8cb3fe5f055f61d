package contract

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"tilth/adapters/cli"
	"tilth/tests/rig"
)

// countAlone makes the test binary run only one test: allocations are counted per process.
const countAlone = "TILTH_COUNT_ALLOCATIONS"

// TestAllocationsOfRequests bounds the allocations of requests, without those of the client and of net/http, which a
// bare handler with the same response makes too. The bounds are a quarter above the counts: 443, 873 and 588 (SQLite,
// Go 1.26).
func TestAllocationsOfRequests(t *testing.T) {
	if os.Getenv(countAlone) == "" {
		t.Parallel()
		cmd := exec.Command(os.Args[0], "-test.run=^TestAllocationsOfRequests$", "-test.v")
		cmd.Env = append(os.Environ(), countAlone+"=1")
		said, err := cmd.CombinedOutput()
		require.NoError(t, err, string(said))
		t.Logf("%s", said)
		return
	}
	// The worker and the relay are left out: they do something every second, which would be counted against a request on a slow disk.
	s := rig.Start(t, rig.Options{Config: func(c *cli.Config) { c.RateLimit, c.CompanyRateLimit, c.Roles = 0, 0, "api" }})
	c := s.Company("owner", 0)
	farm := c.Make("farm/", map[string]any{"name": "Farm"})
	one := map[string]any{"name": "Field", "farm_id": farm}
	c.Expect(200, "POST", "field/", slices.Repeat([]any{one}, 20))
	first := rig.Itoa(c.Make("field/", one))
	for _, request := range []struct {
		name, method, path string
		body               any
		bound              int
	}{
		{"retrieve", "GET", "field/" + first + "/", nil, 555},
		{"list of 10", "GET", "field/", nil, 1090},
		{"create", "POST", "field/", one, 735},
	} {
		sent, err := json.Marshal(request.body)
		require.NoError(t, err)
		ask := func(url string) []byte {
			req, err := http.NewRequestWithContext(t.Context(), request.method, url+"/api/v1.2/"+request.path, bytes.NewReader(sent))
			require.NoError(t, err)
			req.Header.Set("Authorization", "Bearer "+c.Token)
			req.Header.Set("Content-Type", "application/json")
			res, err := http.DefaultTransport.RoundTrip(req)
			require.NoError(t, err)
			raw, err := io.ReadAll(res.Body)
			require.NoError(t, errors.Join(err, res.Body.Close()))
			require.Equal(t, http.StatusOK, res.StatusCode, "%s", raw)
			return raw
		}
		answer := ask(s.URL)
		bare := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(answer)
		}))
		n := allocations(func() { ask(s.URL) }) - allocations(func() { ask(bare.URL) })
		bare.Close()
		t.Logf("%s: %d allocations", request.name, n)
		assert.LessOrEqual(t, n, request.bound, request.name)
	}
}

// allocations returns the number of allocations of the process per run of do: the smallest of several counts, which has
// none of the background.
func allocations(do func()) int {
	const counts, runs = 4, 10
	var before, after runtime.MemStats
	var out []int
	for range counts {
		runtime.ReadMemStats(&before)
		for range runs {
			do()
		}
		runtime.ReadMemStats(&after)
		out = append(out, int(after.Mallocs-before.Mallocs)/runs)
	}
	return slices.Min(out)
}
