package storms

import (
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/cli"
	"tilth/app/operating"
	"tilth/core/access"
	"tilth/tests/rig"
	"tilth/wire"
)

// siege is how hard the siege is.
type siege struct {
	clients int
	lasts   time.Duration
	timed   bool // the machine has nothing else to do
}

// The siege of `make hostile`, on the program as it is built, and a tenth of it for every test
// run, where the machine is busy and the test binary is the program: times are not judged there.
var (
	wholeSiege = siege{clients: 1000, lasts: time.Minute, timed: true}
	smallSiege = siege{clients: 100, lasts: 5 * time.Second}
)

const (
	maxMemory    = 512 << 20
	maxSlower    = 5 // maximum ratio of the 99th percentile under siege to the quiet median
	recoverIn    = 10 * time.Second
	honestPause  = 25 * time.Millisecond // between its requests, to stay below its limit
	quietSample  = 100
	recoverySize = 40
)

func TestHostileClients(t *testing.T) {
	how := smallSiege
	if os.Getenv("TILTH_HOSTILE") == "1" {
		how = wholeSiege
	}
	binary := besieged(t, how)
	t.Run("sqlite", func(t *testing.T) {
		inMemory(t, how)
		besiege(t, how, binary, rig.SQLite(t))
	})
	t.Run("postgres", func(t *testing.T) {
		inMemory(t, how)
		besiege(t, how, binary, rig.PostgreSQL(t))
	})
}

// inMemory puts the files of a test that judges times into memory, if the machine has a folder for that:
// the test measures the effect of the clients, not the pauses of a disk, which occur in quiet times too.
func inMemory(t *testing.T, how siege) {
	const folder = "/dev/shm"
	if info, err := os.Stat(folder); how.timed && err == nil && info.IsDir() {
		t.Setenv("TMPDIR", folder)
	}
}

// besiege sets hostile clients on a server while a company works, before, during and after.
func besiege(t *testing.T, how siege, binary, database string) {
	honest, hostile := settle(t, database, "Honest"), settle(t, database, "Hostile")
	server := rig.StartCommand(t, exec.Command(binary, "serve"), database, rig.Archive(t).Dir,
		"TILTH_TRUSTED_PROXIES=127.0.0.1", "TILTH_OBJECTS_URL=file:"+t.TempDir(), "TILTH_LOG_LEVEL=error", "TILTH_PASSWORD_MEMORY=64",
		"GOGC=", "GOMEMLIMIT=") // its memory is judged as users run it
	company := &company{t: t, url: server.URL, token: honest}
	company.settle()

	quiet := company.work(quietSample, 0)
	hostileFarm := rig.Remote(t, server.URL, hostile).Make("farm/", map[string]any{"name": "Trap"})
	crowd := gather(t, plan{server.URL, hostile, hostileFarm, how.clients})
	busy := company.work(0, how.lasts)
	answered := crowd.leave()
	left := time.Now()
	recovered := company.work(recoverySize, 0)
	company.untilReady()
	recovery, median, slow := time.Since(left), quiet.percentile(50), busy.percentile(99)
	t.Logf("quiet median %s, 99th percentile %s; under siege median %s, 99th percentile %s (%.1f quiet medians) over %d requests (%v); recovered after %s. %d clients had %v",
		median, quiet.percentile(99), busy.percentile(50), slow, float64(slow)/float64(median), len(busy.times), busy.statuses, recovery, how.clients, answered)
	if how.timed {
		require.Less(t, slow, maxSlower*median, "hostile clients hold the company")
		require.Less(t, recovery, recoverIn, "it takes too long to recover")
	}
	require.Equal(t, map[int]int{http.StatusOK: recoverySize}, recovered.statuses)
	require.NoError(t, server.Terminate(), "nothing is left that holds the server")
	if usage, ok := server.Cmd.ProcessState.SysUsage().(*syscall.Rusage); ok && runtime.GOOS == "linux" && !watched {
		t.Logf("at most %d MB of memory", usage.Maxrss>>10)
		require.Less(t, usage.Maxrss<<10, int64(maxMemory)) // Linux counts in KB
	}
}

// besieged returns the program to besiege.
func besieged(t *testing.T, how siege) string {
	t.Helper()
	if !how.timed {
		return os.Args[0]
	}
	binary := filepath.Join(t.TempDir(), "tilth")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "tilth/wire/tilth")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return binary
}

// settle makes a company with an owner and returns the owner's token.
func settle(t *testing.T, database, name string) string {
	t.Helper()
	ctx := t.Context()
	cfg, err := cli.ReadConfig(map[string]string{"TILTH_DATABASE_URL": database})
	require.NoError(t, err)
	opened, err := wire.Program{}.Open(ctx, cfg, slog.New(slog.DiscardHandler), true)
	require.NoError(t, err)
	defer func() { require.NoError(t, opened.Close()) }()
	made, err := opened.Operating.CreateCompany(ctx, name)
	require.NoError(t, err)
	email := name + "@example.org"
	_, err = opened.Operating.CreateUser(ctx, operating.NewUser{CompanyID: made.ID, Email: email, Role: access.RoleOwner})
	require.NoError(t, err)
	token, err := opened.Operating.CreateToken(ctx, email, time.Hour)
	require.NoError(t, err)
	return token
}

// company works honestly: it reads its lists and its fields, and writes.
type company struct {
	t          *testing.T
	url, token string
	farm       int64
}

// shift is the outcome of some work.
type shift struct {
	times    []time.Duration
	statuses map[int]int
}

func (s shift) percentile(n int) time.Duration {
	slices.Sort(s.times)
	return s.times[min(len(s.times)-1, len(s.times)*n/100)]
}

func (c *company) client() *rig.Client {
	return rig.Remote(c.t, c.url, c.token)
}

func (c *company) settle() {
	c.farm = c.client().Make("farm/", map[string]any{"name": "Farm"})
	var fields []any
	for n := range 50 {
		fields = append(fields, map[string]any{"name": fmt.Sprint("Field ", n), "farm_id": c.farm, "boundary": circle(n, 30)})
	}
	c.client().Expect(http.StatusOK, http.MethodPost, "field/", fields)
}

// work sends requests one after another, a number of them or for a time.
func (c *company) work(requests int, lasts time.Duration) shift {
	out := shift{statuses: map[int]int{}}
	until := time.Now().Add(lasts)
	pace := time.NewTicker(honestPause)
	defer pace.Stop()
	for n := 0; n < requests || requests == 0 && time.Now().Before(until); n++ {
		<-pace.C
		method, path, body := http.MethodGet, "field/", any(nil)
		switch n % 4 {
		case 1:
			path = fmt.Sprintf("farm/%d/", c.farm)
		case 2:
			method, path, body = http.MethodPost, "farm/", map[string]any{"name": "Another"}
		}
		began := time.Now()
		a := c.client().Do(method, path, body)
		out.times = append(out.times, time.Since(began))
		out.statuses[a.Status]++
		if a.Status != http.StatusOK && (a.Status != http.StatusServiceUnavailable || a.Header.Get("Retry-After") == "") {
			c.t.Errorf("%s %s: %d %s", method, path, a.Status, a.Body)
		}
	}
	return out
}

// untilReady waits until the server reports that it is ready.
func (c *company) untilReady() {
	client := &http.Client{Timeout: time.Minute}
	rig.Eventually(c.t, func() bool {
		res, err := client.Get(c.url + "/readyz")
		return err == nil && res.Body.Close() == nil && res.StatusCode == http.StatusOK
	}, time.Minute, 50*time.Millisecond)
}
