package storms

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/cli"
	"tilth/app/operating"
	"tilth/core/access"
	"tilth/core/credit"
	"tilth/core/geo"
	"tilth/core/vegetation"
	"tilth/tests/rig"
	"tilth/wire"
)

// storm is how hard the test is.
type storm struct {
	fields      int // each is ordered for every season
	workers     int // concurrent jobs of the worker process
	kills       int // of the worker
	between     int // searches of a worker before it is killed
	serverKills []int
	callers     int // clients that order concurrently
	outage      bool
}

// The storm that the design requires, and one that is small enough for every test run: about two
// thirds of the orders have begun before the last kill, so that every kill comes in the middle of
// the work. In the large one a file is unavailable to the last worker for as long as it tries: the
// orders that need it lack its date, and report that.
var (
	wholeStorm = storm{fields: 500, workers: 32, kills: 10, between: 65, serverKills: []int{3, 7}, callers: 32, outage: true}
	smallStorm = storm{fields: 50, workers: 8, kills: 4, between: 18, serverKills: []int{2}, callers: 8}
)

const soakSeed = 20260301

// outFile is a scene of the second season, which is ordered last; outFor is the number
// of times that a request is tried (satellite design, 2: retries).
const (
	outFile = "30TUM/2025-05-30/SCL.tif"
	outFor  = 5
)

// seasons of the fields, during which the archive has both clear and cloudy days.
var seasons = []struct{ from, to string }{{"2025-04-01", "2025-04-16"}, {"2025-05-28", "2025-06-11"}}

// The fields lie in columns on the archive's western tile; the southernmost of each is
// where the source refuses every search.
const (
	west, south   = -4.2300, 41.7670
	side          = 0.00045 // degrees of latitude: 50 m, and 37 m of longitude
	stepX, stepY  = 0.0007, 0.0005
	rows          = 30
	refuseSouthOf = south + stepY/2
)

func outline(i int) geo.MultiPolygon {
	x, y := west+float64(i/rows)*stepX, south+float64(i%rows)*stepY
	return geo.MultiPolygon{{{{X: x, Y: y}, {X: x + side, Y: y}, {X: x + side, Y: y + side}, {X: x, Y: y + side}, {X: x, Y: y}}}}
}

// A thousand orders at once, a source that fails a fifth of all requests, a worker that is
// killed ten times and a server that is killed twice: every order ends, the books balance,
// and every event is heard once. TILTH_SOAK=1 runs all of it; otherwise it is a tenth.
func TestOrdersSurviveTheStorm(t *testing.T) {
	t.Parallel()
	how := smallStorm
	if os.Getenv("TILTH_SOAK") == "1" {
		how = wholeStorm
	}
	rig.EachDatabase(t, func(t *testing.T, database string) { weather(t, database, how) })
}

// farmstead is a company whose fields are ordered, while its server and its worker die.
type farmstead struct {
	t        *testing.T
	how      storm
	database string
	company  int64
	token    string
	source   *source
	fields   []land
	seasons  []int64

	mu     sync.RWMutex // held while the server is down
	server *rig.Process
}

// land is a field as it was returned.
type land struct {
	ID   int64
	UUID string
}

const credits credit.Amount = 1_000_000_00

func weather(t *testing.T, database string, how storm) {
	f := &farmstead{t: t, how: how, database: database, source: newSource(t, soakSeed, refuseSouthOf)}
	f.settle()
	f.startServer()
	f.makeLand()
	steady, restless := listen(t, f.url, f.token, 0), listen(t, f.url, f.token, how.fields/5)

	began := time.Now()
	placed := f.placeAll(began)
	f.kill()
	if how.outage {
		f.source.fail("worker", outFile, outFor)
	}
	worker := rig.StartWorker(t, f.database, f.source.address("worker"), f.settings(f.how.workers)...)
	orders := <-placed
	f.untilNoneIsOpen()
	endedIn := time.Since(began)
	require.NoError(t, worker.Terminate(), "a stop is no failure")

	active := f.checkOrders(orders)
	f.checkBooks(active)
	f.checkSeries(active)
	for _, l := range []*listener{steady, restless} {
		heard, streams := l.until(t, len(active))
		checkEvents(t, heard, active)
		t.Logf("%d events heard in %d streams", len(heard), streams)
	}
	requests, share, played := f.source.share()
	require.InDelta(t, failing, share, 0.08, "four standard deviations of the few hundred requests of the small storm")
	require.Len(t, played, len(faults), "every fault was met")
	t.Logf("%d orders ended in %s; %d requests of imagery, %.1f %% failed (%v); worker killed %d times, server %d times",
		len(orders), endedIn.Round(time.Millisecond), requests, 100*share, played, how.kills, len(how.serverKills))
}

// settle makes the company with the operator's use cases.
func (f *farmstead) settle() {
	t, ctx := f.t, f.t.Context()
	cfg, err := cli.ReadConfig(map[string]string{"TILTH_DATABASE_URL": f.database})
	require.NoError(t, err)
	opened, err := wire.Program{}.Open(ctx, cfg, slog.New(slog.DiscardHandler), true)
	require.NoError(t, err)
	defer func() { require.NoError(t, opened.Close()) }()
	company, err := opened.Operating.CreateCompany(ctx, "Storm")
	require.NoError(t, err)
	f.company = company.ID
	_, err = opened.Operating.CreateUser(ctx, operating.NewUser{CompanyID: company.ID, Email: "o@storm.example", Role: access.RoleOwner})
	require.NoError(t, err)
	_, err = opened.Operating.CreditWallet(ctx, company.ID, credits, "")
	require.NoError(t, err)
	f.token, err = opened.Operating.CreateToken(ctx, "o@storm.example", time.Hour)
	require.NoError(t, err)
}

// settings of a process: many jobs wait for the source at a time, which is what they do
// most of the time, and one client may send as many requests as it likes.
func (f *farmstead) settings(workers int) []string {
	return []string{fmt.Sprintf("TILTH_WORKERS=%d", workers), "TILTH_RATE_LIMIT=0"}
}

func (f *farmstead) startServer() {
	f.server = rig.StartProcess(f.t, f.database, f.source.address("server"), f.settings(1)...)
}

// url returns the address of the server, once there is one.
func (f *farmstead) url() string {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.server.URL
}

func (f *farmstead) client() *rig.Client { return rig.Remote(f.t, f.url(), f.token) }

func (f *farmstead) makeLand() {
	c := f.client()
	farm := c.Make("farm/", map[string]any{"name": "Farm"})
	var fields, times []any
	for i := range f.how.fields {
		fields = append(fields, map[string]any{"name": fmt.Sprint("Field ", i), "farm_id": farm, "boundary": rig.GeoJSON(f.t, outline(i))})
	}
	c.Expect(200, http.MethodPost, "field/", fields).Into(f.t, &f.fields)
	require.Len(f.t, f.fields, f.how.fields)
	for _, s := range seasons {
		times = append(times, map[string]any{"name": s.from, "start_date": s.from, "end_date": s.to})
	}
	var made []struct{ ID int64 }
	c.Expect(200, http.MethodPost, "season/", times).Into(f.t, &made)
	for _, s := range made {
		f.seasons = append(f.seasons, s.ID)
	}
}

// wish is what is ordered.
type wish struct{ field, season int }

// placeAll orders everything at once, with callers that ask again if the server dies in
// the middle, and returns the orders' ids by what was ordered.
func (f *farmstead) placeAll(began time.Time) <-chan map[wish]int64 {
	wishes := make(chan wish)
	var mu sync.Mutex
	orders := map[wish]int64{}
	var callers sync.WaitGroup
	for range f.how.callers {
		callers.Go(func() {
			for w := range wishes {
				id, err := f.place(w)
				if f.t.Context().Err() != nil {
					return
				}
				if err != nil {
					f.t.Errorf("order %+v: %v", w, err)
					continue
				}
				mu.Lock()
				orders[w] = id
				mu.Unlock()
			}
		})
	}
	done := make(chan map[wish]int64, 1)
	callers.Go(func() {
		defer close(wishes)
		for season := range seasons {
			for field := range f.how.fields {
				select {
				case wishes <- wish{field, season}:
				case <-f.t.Context().Done():
					return
				}
			}
		}
	})
	go func() {
		callers.Wait()
		f.t.Logf("%d orders placed in %s", len(orders), time.Since(began).Round(time.Millisecond))
		done <- orders
	}()
	f.t.Cleanup(callers.Wait)
	return done
}

// place orders one profile. A caller whose connection breaks does not know whether its
// order was accepted, and asks again: it must get the same order.
func (f *farmstead) place(w wish) (id int64, err error) {
	body, err := json.Marshal(map[string]any{"field_uuid": f.fields[w.field].UUID, "season_id": f.seasons[w.season]})
	if err != nil {
		return 0, err
	}
	for {
		status, answer, err := f.post(body)
		if f.t.Context().Err() != nil {
			return 0, f.t.Context().Err()
		}
		if err != nil {
			continue // the server was killed; url waits until it is back
		}
		var said struct {
			Data struct {
				OrderID int64 `json:"order_id"`
			}
			Details struct {
				OrderID int64 `json:"order_id"`
			}
		}
		if err := json.Unmarshal(answer, &said); err != nil {
			return 0, fmt.Errorf("%d: %s", status, answer)
		}
		switch status {
		case http.StatusOK:
			return said.Data.OrderID, nil
		case http.StatusConflict:
			return said.Details.OrderID, nil // a repeated request for an order that is active by now
		default:
			return 0, fmt.Errorf("%d: %s", status, answer)
		}
	}
}

func (f *farmstead) post(body []byte) (status int, answer []byte, err error) {
	req, err := http.NewRequestWithContext(f.t.Context(), http.MethodPost, f.url()+"/api/v1.2/"+rig.OrdersPath, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Authorization", "Bearer "+f.token)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = res.Body.Close() }()
	answer, err = io.ReadAll(res.Body)
	return res.StatusCode, answer, err
}

// kill starts a worker and kills it in the middle of its work, again and again, and the
// server with some of them.
func (f *farmstead) kill() {
	for n := 1; n <= f.how.kills; n++ {
		reached := f.source.after("worker", f.how.between)
		worker := rig.StartWorker(f.t, f.database, f.source.address("worker"), f.settings(f.how.workers)...)
		select {
		case <-reached:
		case <-time.After(10 * time.Minute):
			f.t.Fatalf("the worker does not work, after %d kills", n-1)
		}
		worker.Kill()
		require.NotZero(f.t, f.open(), "a kill after the work is none")
		if slices.Contains(f.how.serverKills, n) {
			f.killServer()
		}
	}
}

// killServer kills the server and starts another, while those who want to reach it wait.
func (f *farmstead) killServer() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.server.Kill()
	f.startServer()
}

// open returns the number of orders that have not ended.
func (f *farmstead) open() (n int) {
	for _, status := range []vegetation.Status{vegetation.Processing, vegetation.Pending} {
		count, err := strconv.Atoi(f.client().Expect(200, http.MethodGet, rig.OrdersPath+"?page=1&page_size=1&status="+string(status), nil).Header.Get("X-Total-Count"))
		require.NoError(f.t, err)
		n += count
	}
	return n
}

// untilNoneIsOpen waits for the leases of killed processes to expire, and for orders
// whose source was unavailable five times.
func (f *farmstead) untilNoneIsOpen() {
	rig.Eventually(f.t, func() bool { return f.open() == 0 }, 3*time.Minute, 100*time.Millisecond, "orders do not end")
}
