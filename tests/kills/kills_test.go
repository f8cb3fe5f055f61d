// Package kills kills a server under mixed load, again and again, and holds that nothing which was
// acknowledged is lost and nothing is there twice.
package kills

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/cli"
	"tilth/app/operating"
	"tilth/core/access"
	"tilth/tests/rig"
	"tilth/wire"
)

func TestMain(m *testing.M) { rig.Main(m) }

const (
	seed    = 20261123
	callers = 6
	between = 12 // answers on average between two kills
	credits = 100_000_00
)

// A server is killed again and again while callers create, order, assess, submit, import and make keys,
// each request under a key and repeated until it is answered. TILTH_KILLS says how often.
func TestKilledUnderMixedLoad(t *testing.T) {
	t.Parallel()
	kills := 5
	if n, err := strconv.Atoi(os.Getenv("TILTH_KILLS")); err == nil {
		kills = n
	}
	rig.EachDatabase(t, func(t *testing.T, database string) {
		h := settle(t, database)
		h.start()
		var all sync.WaitGroup
		for n := range callers {
			all.Go(func() { (&caller{house: h, n: n, random: rand.New(rand.NewPCG(seed, uint64(n)))}).work() })
		}
		random := rand.New(rand.NewPCG(seed, callers))
		for range kills {
			until := h.answered.Load() + int64(1+random.IntN(2*between))
			require.Eventually(t, func() bool { return h.answered.Load() >= until || t.Failed() }, 10*time.Minute, time.Millisecond, "nobody is answered")
			h.kill()
		}
		h.done.Store(true)
		all.Wait()
		require.False(t, t.Failed())
		h.check()
		t.Logf("%d kills, %d requests answered, %d of them answered again with the same bytes; %d tries broke",
			kills, h.answered.Load(), h.repeated.Load(), h.broken.Load())
	})
}

// house is a company and the server that is killed.
type house struct {
	t        *testing.T
	database string
	objects  string
	token    string
	farm     int64 // for the fields of all callers
	season   int64

	mu     sync.RWMutex // held while the server is away
	server *rig.Process

	done                       atomic.Bool
	answered, repeated, broken atomic.Int64

	records sync.Mutex
	made    map[string]map[int64]bool // ids by the path that lists them
	keys    []string
	imports int // fields that imports made
}

func settle(t *testing.T, database string) *house {
	h := &house{t: t, database: database, objects: t.TempDir(), made: map[string]map[int64]bool{}}
	cfg, err := cli.ReadConfig(map[string]string{"TILTH_DATABASE_URL": database})
	require.NoError(t, err)
	opened, err := wire.Program{}.Open(t.Context(), cfg, slog.New(slog.DiscardHandler), true)
	require.NoError(t, err)
	defer func() { require.NoError(t, opened.Close()) }()
	company, err := opened.Operating.CreateCompany(t.Context(), "Kills")
	require.NoError(t, err)
	_, err = opened.Operating.CreateUser(t.Context(), operating.NewUser{CompanyID: company.ID, Email: "o@kills.example", Role: access.RoleOwner})
	require.NoError(t, err)
	_, err = opened.Operating.CreditWallet(t.Context(), company.ID, credits, "")
	require.NoError(t, err)
	h.token, err = opened.Operating.CreateToken(t.Context(), "o@kills.example", 24*time.Hour)
	require.NoError(t, err)
	return h
}

func (h *house) start() {
	h.server = rig.StartProcess(h.t, h.database, rig.Archive(h.t).Dir, "TILTH_RATE_LIMIT=0", "TILTH_LOG_LEVEL=error", "TILTH_OBJECTS_URL=file:"+h.objects)
	if h.farm == 0 {
		c := rig.Remote(h.t, h.server.URL, h.token)
		h.farm = c.Make("farm/", map[string]any{"name": "Home"})
		h.season = c.Make("season/", map[string]any{"name": "2025", "start_date": "2025-04-01", "end_date": "2025-04-16"})
	}
}

func (h *house) kill() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.server.Kill()
	h.start()
}

func (h *house) url() string {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.server.URL
}

// note keeps what was acknowledged.
func (h *house) note(list string, id int64) {
	h.records.Lock()
	defer h.records.Unlock()
	if h.made[list] == nil {
		h.made[list] = map[int64]bool{}
	}
	if h.made[list][id] {
		h.t.Errorf("%s %d was acknowledged twice", list, id)
	}
	h.made[list][id] = true
}

// post sends a request under a key until it is answered, and some of them once more.
func (h *house) post(key, path, media string, body []byte, repeat bool) (status int, answer []byte, ok bool) {
	for {
		var err error
		status, answer, err = h.try(key, path, media, body)
		if h.t.Failed() || h.t.Context().Err() != nil {
			return 0, nil, false
		}
		busy := status == http.StatusServiceUnavailable || status == http.StatusConflict && bytes.Contains(answer, []byte("request_in_progress"))
		if err != nil || busy {
			h.broken.Add(1)
			continue // the server was killed; url waits until it is back
		}
		break
	}
	h.answered.Add(1)
	if repeat {
		again, same, err := h.try(key, path, media, body)
		if err == nil && again != http.StatusServiceUnavailable {
			h.repeated.Add(1)
			if again != status || !bytes.Equal(same, answer) {
				h.t.Errorf("%s was answered with %d %s, and again with %d %s", path, status, answer, again, same)
			}
		}
	}
	return status, answer, true
}

func (h *house) try(key, path, media string, body []byte) (int, []byte, error) {
	req, err := http.NewRequestWithContext(h.t.Context(), http.MethodPost, h.url()+"/api/v1.2/"+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Authorization", "Bearer "+h.token)
	req.Header.Set("Content-Type", media)
	req.Header.Set("Idempotency-Key", key)
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = res.Body.Close() }()
	answer, err := io.ReadAll(res.Body)
	return res.StatusCode, answer, err
}

func (c *caller) key() string {
	c.asked++
	return fmt.Sprintf("%d-%d", c.n, c.asked)
}
