package contract

import (
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/cli"
	"tilth/tests/rig"
)

// With a PostgreSQL that hangs, every request is answered with an error and no caller waits
// without end; when it is back, so is the server.
func TestHungDatabase(t *testing.T) {
	t.Parallel()
	between := newFreezer(t, rig.PostgreSQL(t))
	s := rig.Start(t, rig.Options{Database: between.address, Config: func(c *cli.Config) {
		c.StatementTimeout, c.PoolWait = 5*time.Second, 5*time.Second
	}})
	c := s.Company("owner", 0)
	require.Equal(t, http.StatusOK, c.Insist("GET", "farm/", nil).Status)
	client := &http.Client{Timeout: 10 * time.Minute}
	ready := func() int {
		res, err := client.Get(s.URL + "/readyz")
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		return res.StatusCode
	}
	rig.Eventually(t, func() bool { return ready() == http.StatusOK }, 10*time.Minute, 50*time.Millisecond)

	between.freeze()
	var all sync.WaitGroup
	answers := make([]rig.Answer, 30) // more than the pool has connections
	for i := range answers {
		all.Go(func() { answers[i] = c.Do(http.MethodGet, "farm/", nil) })
	}
	all.Wait()
	for _, a := range answers {
		require.Equal(t, http.StatusServiceUnavailable, a.Status, "%s", a.Body)
		require.NotEmpty(t, a.Header.Get("Retry-After"))
	}
	require.Equal(t, http.StatusServiceUnavailable, ready())

	between.thaw()
	rig.Eventually(t, func() bool {
		return c.Do(http.MethodGet, "farm/", nil).Status == http.StatusOK && ready() == http.StatusOK
	}, 10*time.Minute, 50*time.Millisecond)
}

// A request gives up long before the limits of the database are reached, and what it had begun is rolled back.
func TestARequestDoesNotHangWithItsDatabase(t *testing.T) {
	t.Parallel()
	between := newFreezer(t, rig.PostgreSQL(t))
	s := rig.Start(t, rig.Options{Database: between.address, Config: func(c *cli.Config) {
		c.RequestTimeout, c.StatementTimeout, c.PoolWait = 2*time.Second, 10*time.Minute, 10*time.Minute
	}})
	c := s.Company("owner", 0)
	require.Equal(t, http.StatusOK, c.Insist("GET", "farm/", nil).Status)
	between.freeze()
	var all sync.WaitGroup
	answers := make([]rig.Answer, 30) // more than the pool has connections
	for i := range answers {
		all.Go(func() {
			if i%2 == 0 {
				answers[i] = c.Do(http.MethodGet, "farm/", nil)
				return
			}
			answers[i] = c.Do(http.MethodPost, "farm/", map[string]any{"name": "f"})
		})
	}
	all.Wait() // waiting for the database would take ten minutes
	for _, a := range answers {
		require.Equal(t, http.StatusServiceUnavailable, a.Status, "%s", a.Body)
		require.NotEmpty(t, a.Header.Get("Retry-After"))
	}
	between.thaw()
	back := c.Insist(http.MethodGet, "farm/", nil)
	require.Equal(t, http.StatusOK, back.Status)
	require.EqualValues(t, 0, back.Data(t)["count"], "nothing is there that was answered with 503")
}

// freezer stands between the program and its database, and can stop passing anything on.
type freezer struct {
	address string
	mu      sync.Mutex
	thawed  chan struct{} // closed while it passes on
}

func newFreezer(t *testing.T, database string) *freezer {
	t.Helper()
	u, err := url.Parse(database)
	require.NoError(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	f := &freezer{thawed: make(chan struct{})}
	close(f.thawed)
	behind := u.Host
	u.Host = listener.Addr().String()
	f.address = u.String()
	go func() {
		for {
			front, err := listener.Accept()
			if err != nil {
				return
			}
			back, err := net.Dial("tcp", behind)
			if err != nil {
				_ = front.Close()
				continue
			}
			go f.pass(front, back)
			go f.pass(back, front)
		}
	}()
	return f
}

func (f *freezer) pass(from, to net.Conn) {
	defer func() { _ = to.Close() }()
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		f.mu.Lock()
		thawed := f.thawed
		f.mu.Unlock()
		<-thawed
		if _, failed := to.Write(buffer[:n]); failed != nil || err != nil {
			_, _ = io.Copy(io.Discard, from)
			return
		}
	}
}

func (f *freezer) freeze() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.thawed = make(chan struct{})
}

func (f *freezer) thaw() {
	f.mu.Lock()
	defer f.mu.Unlock()
	close(f.thawed)
}
