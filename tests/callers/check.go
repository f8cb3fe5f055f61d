package callers

import (
	"bytes"
	"encoding/json"
	"math"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/cli"
	"tilth/tests/rig"
	"tilth/wire"
)

// Check compares the records with what was acknowledged, once the background work is done.
func (h *House) Check() {
	t, c := h.t, rig.Remote(h.t, h.url(), h.Token)
	for _, status := range []string{"processing", "pending"} {
		rig.Eventually(t, func() bool { return len(recordsOf(t, c, rig.OrdersPath+"?page=all&status="+status)) == 0 }, 10*time.Minute, 50*time.Millisecond, "orders do not end")
	}
	more := map[string]int{"farm/": 1, "field/": h.imports}
	for list, ids := range h.made {
		there := recordsOf(t, c, list+"?page=all")
		require.True(t, len(there) == len(ids)+more[list] || list == keysPath, "%s: %d are there of %d: each once", list, len(there), len(ids)+more[list])
		for id := range ids {
			status, ok := there[id]
			require.True(t, ok, "%s %d was acknowledged", list, id)
			if list == rig.OrdersPath && status != "active" {
				t.Fatalf("order %d is %s: %s", id, status, c.Do(http.MethodGet, rig.OrdersPath+rig.Itoa(id)+"/", nil).Body)
			}
			if list == "ghg/assessments/" {
				require.Equal(t, "submitted", status)
			}
		}
	}
	h.checkBooks(c)
	for _, key := range h.keys {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.url()+"/api/v1.2/farm/?page_size=1", nil)
		require.NoError(t, err)
		req.Header.Set("X-API-Key", key)
		res, err := http.DefaultTransport.RoundTrip(req)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		require.Equal(t, http.StatusOK, res.StatusCode, "a key that was handed out works")
	}
	for path, content := range h.files {
		require.Equal(t, content, string(c.Expect(http.StatusOK, http.MethodGet, path, nil).Body))
	}
	farms := recordsOf(t, c, "farm/?page=all")
	for _, id := range h.deleted {
		require.NotContains(t, farms, id)
		c.Expect(http.StatusNotFound, http.MethodGet, "farm/"+rig.Itoa(id)+"/", nil)
	}
}

// CheckChains verifies the ledger and the audit trail, when no server runs any more.
func (h *House) CheckChains() {
	h.t.Helper()
	for _, chain := range []string{"ledger", "audit"} {
		var out bytes.Buffer
		env := map[string]string{"TILTH_DATABASE_URL": h.database, "TILTH_LOG_LEVEL": "error"}
		status := cli.Run(h.t.Context(), wire.Program{}, []string{"verify", chain}, env, cli.Streams{Out: &out, Err: &out})
		require.Zero(h.t, status, out.String())
	}
}

// recordsOf returns the states of the records of a list, by id.
func recordsOf(t *testing.T, c *rig.Client, list string) map[int64]string {
	t.Helper()
	var data json.RawMessage
	c.Insist(http.MethodGet, list, nil).Into(t, &data)
	var page struct{ Results json.RawMessage }
	if json.Unmarshal(data, &page) == nil {
		data = page.Results
	}
	var found []struct {
		ID      int64
		OrderID int64 `json:"order_id"`
		Status  string
	}
	require.NoError(t, json.Unmarshal(data, &found), "%s", data)
	out := map[int64]string{}
	for _, r := range found {
		out[max(r.ID, r.OrderID)] = r.Status
	}
	require.Len(t, out, len(found))
	return out
}

// checkBooks checks that each field that was ordered was charged once, and that nothing else was.
func (h *House) checkBooks(c *rig.Client) {
	var lines []struct {
		Kind   string
		Amount float64
		Order  *int64 `json:"order_id"`
	}
	c.Expect(200, http.MethodGet, "wallet/transactions/?page=all", nil).Into(h.t, &lines)
	kinds, spent := map[string]int{}, 0.0
	for _, line := range lines {
		kinds[line.Kind]++
		if line.Kind == "capture" {
			spent += line.Amount
		}
	}
	require.Equal(h.t, map[string]int{"credit": 1, "hold": h.ordered, "capture": h.ordered}, kinds)
	wallet := c.Wallet()
	require.EqualValues(h.t, credits, math.Round(100*(wallet.Balance+spent)))
	require.Zero(h.t, wallet.Held)
}
