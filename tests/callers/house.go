// Package callers simulates the people of a company at work over HTTP: they create, order, assess, submit, import,
// delete and make keys. They repeat each request under its key until it is answered, and know afterwards which records
// must exist. It is for tests that break servers under them.
package callers

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
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

const (
	credits = 100_000_00
	// patience is the time that a caller waits for a response before it tries again.
	patience = 20 * time.Second
	// pause is the time between two tries.
	pause = 5 * time.Millisecond
)

// House is a company with its callers.
type House struct {
	Company int64
	Token   string // of its owner

	t        *testing.T
	database string
	url      func() string // of a server; it may wait until there is one
	farm     int64         // for the fields of all callers
	load     Load
	seasons  []int64

	all                        sync.WaitGroup
	done                       atomic.Bool
	answered, repeated, broken atomic.Int64

	records  sync.Mutex
	made     map[string]map[int64]bool // ids by the path that lists them
	keys     []string
	ordered  int               // fields with at least one order
	deleted  []int64           // farms
	files    map[string]string // attached files, by their paths
	imports  int               // fields that imports made
	imported int               // files
}

// Settle makes a company with credit in a database.
func Settle(t *testing.T, database string) *House {
	t.Helper()
	h := &House{t: t, database: database, made: map[string]map[int64]bool{}, files: map[string]string{}}
	cfg, err := cli.ReadConfig(map[string]string{"TILTH_DATABASE_URL": database})
	require.NoError(t, err)
	opened, err := wire.Program{}.Open(t.Context(), cfg, slog.New(slog.DiscardHandler), true)
	require.NoError(t, err)
	defer func() { require.NoError(t, opened.Close()) }()
	company, err := opened.Operating.CreateCompany(t.Context(), "Callers")
	require.NoError(t, err)
	h.Company = company.ID
	_, err = opened.Operating.CreateUser(t.Context(), operating.NewUser{CompanyID: company.ID, Email: "o@callers.example", Role: access.RoleOwner})
	require.NoError(t, err)
	_, err = opened.Operating.CreditWallet(t.Context(), company.ID, credits, "")
	require.NoError(t, err)
	h.Token, err = opened.Operating.CreateToken(t.Context(), "o@callers.example", 24*time.Hour)
	require.NoError(t, err)
	return h
}

// Load is the work of the callers.
type Load struct {
	Callers int // up to 14: there is no land for more
	Seed    uint64
	// Seasons is the number of orders per field, up to 12. If it is more than one, callers mostly order and delete.
	Seasons int
	// Pause is the time that a caller waits between two things.
	Pause time.Duration
}

// span returns the days of season i, in which the archive sees each field: half of April, then one of the single
// months, then two months.
func span(i int) (from, to string) {
	switch {
	case i == 0:
		return "2025-04-01", "2025-04-16"
	case i <= 8:
		first := time.Date(2025, time.Month(2+i), 1, 0, 0, 0, 0, time.UTC)
		return first.Format(time.DateOnly), first.AddDate(0, 1, -1).Format(time.DateOnly)
	default:
		first := time.Date(2025, time.Month(3+2*(i-9)), 1, 0, 0, 0, 0, time.UTC)
		return first.Format(time.DateOnly), first.AddDate(0, 2, -1).Format(time.DateOnly)
	}
}

// Begin sets callers to work, each in an order that the seed determines. url returns the address of a server, any of several.
func (h *House) Begin(url func() string, load Load) {
	h.t.Helper()
	h.url, h.load = url, load
	c := rig.Remote(h.t, url(), h.Token)
	h.farm = c.Make("farm/", map[string]any{"name": "Home"})
	for i := range load.Seasons {
		from, to := span(i)
		h.seasons = append(h.seasons, c.Make("season/", map[string]any{"name": fmt.Sprint("Season ", i), "start_date": from, "end_date": to}))
	}
	for n := range load.Callers {
		h.all.Go(func() { (&caller{house: h, n: n, random: rand.New(rand.NewPCG(load.Seed, uint64(n)))}).work() })
	}
}

// Await waits until that many more requests are answered.
func (h *House) Await(answers int) {
	h.t.Helper()
	until := h.answered.Load() + int64(answers)
	rig.Eventually(h.t, func() bool { return h.answered.Load() >= until || h.t.Failed() }, 10*time.Minute, time.Millisecond, "nobody is answered")
}

// Linger waits until that many more requests are answered, at most for a time: all callers may end up waiting for something that is unavailable.
func (h *House) Linger(answers int, longest time.Duration) {
	h.t.Helper()
	until := h.answered.Load() + int64(answers)
	for end := time.Now().Add(longest); h.answered.Load() < until && time.Now().Before(end) && !h.t.Failed(); {
		time.Sleep(pause)
	}
}

// End lets every caller finish its current work, and stops them.
func (h *House) End() {
	h.t.Helper()
	h.done.Store(true)
	h.all.Wait()
	require.False(h.t, h.t.Failed())
}

// Made returns how many records of a list were acknowledged.
func (h *House) Made(list string) int {
	h.records.Lock()
	defer h.records.Unlock()
	return len(h.made[list])
}

// Done counts what was done so far.
func (h *House) Done() Done {
	h.records.Lock()
	defer h.records.Unlock()
	return Done{Orders: len(h.made[rig.OrdersPath]), Assessments: len(h.made["ghg/assessments/"]), Deletes: len(h.deleted), Imports: h.imported}
}

// Done counts what was done, by kind.
type Done struct{ Orders, Assessments, Deletes, Imports int }

// Less reports whether any of its counts is lower than the other's.
func (d Done) Less(than Done) bool {
	return d.Orders < than.Orders || d.Assessments < than.Assessments || d.Deletes < than.Deletes || d.Imports < than.Imports
}

// String summarizes the requests.
func (h *House) String() string {
	return fmt.Sprintf("%d requests answered, %d of them answered again with the same bytes; %d tries broke", h.answered.Load(), h.repeated.Load(), h.broken.Load())
}

// note keeps what was acknowledged.
func (h *House) note(list string, id int64) {
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

// send sends a request under a key until it is answered, and then once more if repeat is set.
func (h *House) send(method, key, path, media string, body []byte, repeat bool) (status int, answer []byte, ok bool) {
	for {
		var err error
		status, answer, err = h.try(method, key, path, media, body)
		if h.t.Failed() || h.t.Context().Err() != nil {
			return 0, nil, false
		}
		if err == nil && !busy(status, answer) {
			break
		}
		h.broken.Add(1)
		time.Sleep(pause)
	}
	h.answered.Add(1)
	if repeat {
		again, same, err := h.try(method, key, path, media, body)
		if err == nil && !busy(again, same) {
			h.repeated.Add(1)
			if again != status || !bytes.Equal(same, answer) {
				h.t.Errorf("%s was answered with %d %s, and again with %d %s", path, status, answer, again, same)
			}
		}
	}
	return status, answer, true
}

// busy reports whether a response asks the caller to try again.
func busy(status int, answer []byte) bool {
	return status == http.StatusServiceUnavailable || status == http.StatusConflict && bytes.Contains(answer, []byte("request_in_progress"))
}

func (h *House) try(method, key, path, media string, body []byte) (int, []byte, error) {
	ctx, cancel := context.WithTimeout(h.t.Context(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, h.url()+"/api/v1.2/"+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Authorization", "Bearer "+h.Token)
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
