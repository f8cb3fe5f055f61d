package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/cli"
	"tilth/tests/bench/floor"
	"tilth/tests/rig"
)

// beTheFloor makes a test binary act as the floor over the database that it names.
const beTheFloor = "TILTH_BENCH_FLOOR"

func serveFloor(database string) error {
	handler, err := floor.Handler(context.Background(), database)
	if err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("ready at http://%s\n", listener.Addr())
	return (&http.Server{Handler: handler, ReadHeaderTimeout: time.Second}).Serve(listener)
}

const (
	floorFields  = 10_000 // that the company has
	floorRounds  = 9      // turns; the median counts
	floorSlice   = time.Second
	floorClients = 4
	floorBulk    = 100
)

// errand is a request that is sent repeatedly.
type errand struct {
	name, method, path string
	body               []byte
}

// rival is a server in a comparison, with its own request for one errand.
type rival struct {
	name    string
	process *rig.Process
	errand  errand // a path without a leading slash is below the program's interface
	auth    string
}

// BenchmarkFloor compares the program with the floor on fields without boundaries, which measure the rules and not the
// geometry. Each is a process of its own over a database of its own; they take turns of a second under four clients,
// and the median of the turns counts. With TILTH_BENCH_PEERS the same records on PocketBase and on Django REST
// framework take turns with them. The processor time is that of the server and, on PostgreSQL, of the database's
// processes, until both rest: deferred work counts too. The time of the clients, which share the machine, is not
// included. A ratio of 1 means as fast as the other.
func BenchmarkFloor(b *testing.B) {
	binary := filepath.Join(b.TempDir(), "tilth")
	out, err := exec.Command("make", "-C", "../..", "build", "BIN="+binary).CombinedOutput()
	require.NoError(b, err, string(out))
	for name, open := range map[string]func(testing.TB) string{"sqlite": rig.SQLite, "postgres": rig.PostgreSQL} {
		b.Run(name, func(b *testing.B) {
			database, own := open(b), open(b) // work that the program does after its responses must not cost the floor
			limits := []string{"TILTH_RATE_LIMIT=0", "TILTH_COMPANY_RATE_LIMIT=0"}
			token, farm, field := settle(b, database)
			floorToken, _, _ := settle(b, own)
			program := rig.StartCommand(b, exec.Command(binary, "serve"), database, rig.Archive(b).Dir, limits...)
			bare := rig.StartCommand(b, exec.Command(os.Args[0]), own, "", beTheFloor+"="+own)
			peer := startPeer(b, name)
			one := map[string]any{"name": "New", "farm_id": farm, "soil_type": "loam", "notes": "bench"}
			errands := []errand{
				{"retrieve", "GET", fmt.Sprintf("field/%d/", field), nil},
				{"list", "GET", "field/", nil},
				{"create", "POST", "field/", marshal(b, one)},
				{"bulk", "POST", "field/", marshal(b, slices.Repeat([]any{one}, floorBulk))},
			}
			backends := backendsOf(b, database)
			for _, e := range errands {
				b.Run(e.name, func(b *testing.B) {
					rivals := []rival{{"floor", bare, e, "Bearer " + floorToken}}
					if peer != nil {
						rivals = append(rivals, peer.rival(b, e.name))
					}
					rivals = append(rivals, rival{"tilth", program, e, "Bearer " + token})
					for b.Loop() {
						compare(b, rivals, backends)
					}
				})
			}
		})
	}
}

func marshal(b *testing.B, v any) []byte {
	raw, err := json.Marshal(v)
	require.NoError(b, err)
	return raw
}

// settle makes a company with fields, and returns a token of its owner, its farm and one of its fields.
func settle(b *testing.B, database string) (token string, farm, field int64) {
	s := rig.Start(b, rig.Options{Database: database, Config: func(c *cli.Config) { c.RateLimit = 0 }})
	c := s.Company("owner", 0)
	farm = c.Make("farm/", map[string]any{"name": "Farm"})
	var made []struct{ ID int64 }
	for i := range floorFields / 1000 {
		bulk := make([]any, 1000)
		for j := range bulk {
			bulk[j] = map[string]any{"name": fmt.Sprintf("Field %d", i*1000+j), "farm_id": farm}
		}
		c.Expect(200, http.MethodPost, "field/", bulk).Into(b, &made)
	}
	s.Stop()
	_, err := openSQL(b, database).Exec("ANALYZE")
	require.NoError(b, err)
	return c.Token, farm, made[500].ID
}

// send sends the errand once and returns the answer.
func (r rival) send(client *http.Client) ([]byte, error) {
	path := r.errand.path
	if !strings.HasPrefix(path, "/") {
		path = "/api/v1.2/" + path
	}
	req, err := http.NewRequestWithContext(context.Background(), r.errand.method, r.process.URL+path, bytes.NewReader(r.errand.body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", r.auth)
	req.Header.Set("Content-Type", "application/json")
	res, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK && res.StatusCode != http.StatusCreated {
		err = fmt.Errorf("%s: %s: %s", r.name, res.Status, raw)
	}
	return raw, err
}

// turn is what a server did in one time slice.
type turn struct {
	rate           float64 // requests a second
	server, engine float64 // microseconds of processor time per request: of the server, of the database's processes
	p99            float64 // milliseconds
}

// compare has rivals take turns; the last is compared with each of the others.
func compare(b *testing.B, rivals []rival, backends func() time.Duration) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: floorClients}}
	turns := make([][]turn, len(rivals))
	for round := range floorRounds + 1 {
		for i, r := range rivals {
			took := takeTurn(b, client, r, backends)
			if round > 0 { // the first warms up
				turns[i] = append(turns[i], took)
			}
		}
	}
	median := func(server int, of func(turn) float64) float64 {
		values := make([]float64, floorRounds)
		for i, t := range turns[server] {
			values[i] = of(t)
		}
		slices.Sort(values)
		return values[floorRounds/2]
	}
	rate := func(t turn) float64 { return t.rate }
	spent := func(t turn) float64 { return t.server + t.engine }
	last := len(rivals) - 1
	for i, r := range rivals {
		if i < last {
			b.ReportMetric(median(last, rate)/median(i, rate), "x-"+r.name+"-requests")
			b.ReportMetric(median(i, spent)/median(last, spent), "x-"+r.name+"-processor")
		}
		b.ReportMetric(median(i, func(t turn) float64 { return t.server }), "us-"+r.name)
		b.ReportMetric(median(i, func(t turn) float64 { return t.engine }), "us-engine-"+r.name)
		b.ReportMetric(median(i, func(t turn) float64 { return t.p99 }), "ms-p99-"+r.name)
	}
}

func takeTurn(b *testing.B, client *http.Client, r rival, backends func() time.Duration) turn {
	var all sync.WaitGroup
	times := make([][]float64, floorClients)
	spent := func() time.Duration {
		return spentBy(b, r.process.Cmd.Process.Pid) + spentBelow(b, r.process.Cmd.Process.Pid)
	}
	server, engine, began := spent(), backends(), time.Now()
	for i := range times {
		all.Go(func() {
			for time.Since(began) < floorSlice {
				started := time.Now()
				if _, err := r.send(client); err != nil {
					b.Error(err)
					return
				}
				times[i] = append(times[i], float64(time.Since(started).Microseconds())/1000)
			}
		})
	}
	all.Wait()
	took := time.Since(began)
	rest(spent, backends)
	server, engine = spent()-server, backends()-engine
	each := slices.Sorted(slices.Values(slices.Concat(times...)))
	require.NotEmpty(b, each)
	n := float64(len(each))
	return turn{
		rate: n / took.Seconds(), p99: each[len(each)*99/100],
		server: float64(server.Microseconds()) / n, engine: float64(engine.Microseconds()) / n,
	}
}

// restFor is longer than the time for which the program waits before it chains what was committed.
const restFor = time.Second

// rest waits until a server and its database have done their deferred work.
func rest(spent, backends func() time.Duration) {
	for range 30 {
		before := spent() + backends()
		time.Sleep(restFor)
		if spent()+backends()-before < restFor/50 {
			return
		}
	}
}

// ticks is the number of clock ticks per second in which Linux counts the time of a process.
const ticks = 100

// statOf returns the fields of /proc/PID/stat that follow the name of the process.
func statOf(b *testing.B, pid int) []string {
	stat, err := readStat(pid)
	require.NoError(b, err, "the time of processors is read from Linux's /proc")
	return stat
}

func readStat(pid int) ([]string, error) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(raw), ") ")
	return strings.Fields(rest), err
}

// spentBy returns the processor time of a process.
func spentBy(b *testing.B, pid int) time.Duration { return spentOf(b, statOf(b, pid)) }

func spentOf(b *testing.B, stat []string) time.Duration {
	var sum int64
	for _, field := range stat[11:13] { // utime, stime
		n, err := strconv.ParseInt(field, 10, 64)
		require.NoError(b, err)
		sum += n
	}
	return time.Duration(sum) * time.Second / ticks
}

// backendsOf returns a function that sums the processor time of the processes of a PostgreSQL server on this machine.
// For SQLite, which has none, it returns 0.
func backendsOf(b *testing.B, database string) func() time.Duration {
	if strings.HasPrefix(database, "sqlite:") {
		return func() time.Duration { return 0 }
	}
	var pid int
	require.NoError(b, openSQL(b, database).QueryRow("SELECT pg_backend_pid()").Scan(&pid))
	if _, err := os.Stat(fmt.Sprintf("/proc/%d/stat", pid)); err != nil {
		b.Log("the database is not on this machine: the time of its processes is not measured")
		return func() time.Duration { return 0 }
	}
	parent, err := strconv.Atoi(statOf(b, pid)[1])
	require.NoError(b, err)
	return func() time.Duration { return spentBelow(b, parent) }
}

// spentBelow returns the processor time of the processes that a process started.
func spentBelow(b *testing.B, parent int) (sum time.Duration) {
	entries, err := os.ReadDir("/proc")
	require.NoError(b, err)
	for _, entry := range entries {
		child, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		if stat, err := readStat(child); err == nil && stat[1] == strconv.Itoa(parent) { // the file of a process that has ended cannot be read
			sum += spentOf(b, stat)
		}
	}
	return sum
}
