package replicas

import (
	"encoding/json"
	"errors"
	"maps"
	"math/rand/v2"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"tilth/core/event"
	"tilth/tests/brokertest"
	"tilth/tests/callers"
	"tilth/tests/rig"
	"tilth/tests/s3test"
)

const (
	seed     = 20261126
	replicas = 3
	nodes    = 3
)

// clocks are how far the replicas' clocks are ahead: further apart than those of machines that synchronize theirs, but by less than a lease.
var clocks = [replicas]time.Duration{0, 20 * time.Second, -20 * time.Second}

// storm is how hard the test is.
type storm struct {
	load    callers.Load
	faults  int           // one after another
	between int           // answers on average between the beginning and the end of each
	silence time.Duration // how long there is no broker, in the middle
	paused  time.Duration // how long one replica is paused at least, at the end
	least   callers.Done
}

// The full storm, and one that is small enough for every run of the tests.
var (
	great = storm{
		load: callers.Load{Callers: 14, Seed: seed, Seasons: 12}, faults: 100, between: 70, silence: 2 * time.Minute, paused: 90 * time.Second,
		least: callers.Done{Orders: 10_000, Assessments: 500, Deletes: 2_000, Imports: 200},
	}
	small = storm{load: callers.Load{Callers: 6, Seed: seed, Seasons: 1}, faults: 5, between: 8}
)

// Callers are at work on three replicas, while replicas are killed and paused, their network is cut, PostgreSQL
// crashes, nodes of the broker are lost, and the bucket is unavailable. TILTH_CLUSTER=1 runs the full storm.
func TestReplicasLoseNothing(t *testing.T) { // not parallel: it crashes the database
	how := small
	if os.Getenv("TILTH_CLUSTER") == "1" {
		how = great
	}
	c := build(t, rig.PostgreSQL(t))
	h := callers.Settle(t, c.database)
	for i := range c.replicas {
		c.start(i)
	}
	h.Begin(c.url, how.load)
	random, began, times := rand.New(rand.NewPCG(seed, replicas)), time.Now(), map[string]int{}
	await := func() { h.Await(1 + random.IntN(2*how.between)) }
	for n := range how.faults {
		f := c.faults()[random.IntN(len(c.faults()))]
		times[f.name]++
		end := f.begin(random)
		if f.needed {
			h.Linger(1+random.IntN(2*how.between), longestAway)
		} else {
			await()
		}
		end()
		if n == how.faults/2 && how.silence > 0 {
			c.silence(how.silence, await)
		}
	}
	if how.paused > 0 {
		c.pauseFor(how.paused, await)
	}
	for h.Done().Less(how.least) {
		await()
	}
	h.End()
	h.Check()
	c.checkEvents(h)
	for _, r := range c.replicas {
		require.NoError(t, r.process.Terminate())
	}
	h.CheckChains()
	t.Logf("%d replicas, %d nodes of NATS, %s: %v; %+v, %s", replicas, nodes, time.Since(began).Round(time.Second), sorted(times), h.Done(), h)
}

// sorted formats how often each thing was taken away.
func sorted(times map[string]int) string {
	text, _ := json.Marshal(times) //nolint:errchkjson // keys in order
	return string(text)
}

// cluster is an installation.
type cluster struct {
	t        *testing.T
	database string
	archive  string
	objects  string
	bucket   *rig.Cable // shared by all replicas
	brokers  []*brokertest.Broker
	replicas []*replica
}

// replica is one program, with its own network to the database.
type replica struct {
	wire    *rig.Cable
	address string // of the database, over the wire
	admin   string // where it exposes its metrics

	mu      sync.RWMutex // held while it is unavailable
	process *rig.Process
}

func build(t *testing.T, database string) *cluster {
	durable(t, database)
	c := &cluster{t: t, database: database, archive: rig.Archive(t).Dir, brokers: brokertest.StartCluster(t, nodes)}
	store := s3test.Start(t)
	c.bucket = rig.NewCable(t, strings.TrimPrefix(store.Endpoint, "http://"))
	c.objects = s3test.AddressAt("http://"+c.bucket.Address(), "cluster")
	for range replicas {
		u, err := url.Parse(database)
		require.NoError(t, err)
		r := &replica{wire: rig.NewCable(t, u.Host), admin: rig.FreeAddr(t)}
		u.Host = r.wire.Address()
		r.address = u.String()
		c.replicas = append(c.replicas, r)
	}
	return c
}

func (c *cluster) start(i int) {
	c.t.Helper()
	var servers []string
	for _, b := range c.brokers {
		servers = append(servers, b.URL)
	}
	c.replicas[i].process = rig.StartProcess(c.t, c.replicas[i].address, c.archive,
		"TILTH_RATE_LIMIT=0", "TILTH_LOG_LEVEL=error", "TILTH_OBJECTS_URL="+c.objects, rig.ClockAhead+"="+clocks[i].String(), "TILTH_ADMIN_ADDR="+c.replicas[i].admin,
		"TILTH_STATEMENT_TIMEOUT=5s", // a paused replica holds its locks for twice as long
		"TILTH_BROKER_URL="+strings.Join(servers, ","), "TILTH_BROKER_COPIES=3")
}

// url returns the address of an available replica.
func (c *cluster) url() string {
	for {
		r := c.replicas[rand.IntN(replicas)]
		if r.mu.TryRLock() {
			defer r.mu.RUnlock()
			return r.process.URL
		}
	}
}

// fault is something that can be taken away; begin returns a function that brings it back.
type fault struct {
	name   string
	begin  func(random *rand.Rand) (end func())
	needed bool // callers that need it wait for it, in the end all of them
}

// longestAway bounds the time for which something that is needed is unavailable.
const longestAway = 30 * time.Second

func (c *cluster) faults() []fault {
	one := func(random *rand.Rand) (int, *replica) { i := random.IntN(replicas); return i, c.replicas[i] }
	return []fault{
		{name: "killed", begin: func(random *rand.Rand) func() {
			i, r := one(random)
			r.mu.Lock()
			r.process.Kill()
			return func() { c.start(i); r.mu.Unlock() }
		}},
		{name: "paused", begin: func(random *rand.Rand) func() {
			_, r := one(random)
			return c.pause(r)
		}},
		{name: "cut off", begin: func(random *rand.Rand) func() {
			_, r := one(random)
			r.wire.Set(true)
			return func() { r.wire.Set(false) }
		}},
		{name: "crash of the database", begin: func(*rand.Rand) func() { c.crash(); return func() {} }},
		{name: "node lost", begin: func(random *rand.Rand) func() {
			b := c.brokers[random.IntN(nodes)]
			b.Stop()
			return b.Restart
		}},
		{name: "bucket away", begin: func(*rand.Rand) func() {
			c.bucket.Set(true)
			return func() { c.bucket.Set(false) }
		}, needed: true},
	}
}

// pause suspends a replica, with the locks it holds and the requests it has begun.
func (c *cluster) pause(r *replica) (end func()) {
	r.mu.Lock()
	require.NoError(c.t, r.process.Cmd.Process.Signal(syscall.SIGSTOP))
	return func() {
		require.NoError(c.t, r.process.Cmd.Process.Signal(syscall.SIGCONT))
		r.mu.Unlock()
	}
}

// pauseFor pauses a replica for longer than its leases and its transactions last, while the others continue.
func (c *cluster) pauseFor(long time.Duration, await func()) {
	end := c.pause(c.replicas[0])
	for until := time.Now().Add(long); time.Now().Before(until); {
		await()
	}
	end()
	await()
}

// silence stops the whole broker for a time: requests are answered all the same.
func (c *cluster) silence(long time.Duration, await func()) {
	for _, b := range c.brokers {
		b.Stop()
	}
	for until := time.Now().Add(long); time.Now().Before(until); {
		await()
	}
	for _, b := range c.brokers {
		b.Restart()
	}
}

// checkEvents asserts that the stream that other systems read holds one completion event for each order.
func (c *cluster) checkEvents(h *callers.House) {
	t := c.t
	var stream jetstream.Stream
	whileTheyChoose(t, "no stream", func() (err error) {
		stream, err = c.brokers[0].Client().Stream(t.Context(), "tilth")
		return err
	})
	orders, subject := h.Made(rig.OrdersPath), "tilth."+rig.Itoa(h.Company)+"."+event.TypeProfileCompleted
	rig.Eventually(t, func() bool {
		info, err := stream.Info(t.Context(), jetstream.WithSubjectFilter(subject))
		return err == nil && info.State.Subjects[subject] >= uint64(orders)
	}, 10*time.Minute, 50*time.Millisecond, "events do not arrive")
	var consumer jetstream.Consumer
	whileTheyChoose(t, "no consumer", func() (err error) {
		consumer, err = stream.CreateOrUpdateConsumer(t.Context(), jetstream.ConsumerConfig{FilterSubject: subject, AckPolicy: jetstream.AckNonePolicy})
		return err
	})
	told := map[int64]int{}
	for n := uint64(0); n < consumer.CachedInfo().NumPending; n++ {
		var m jetstream.Msg
		whileTheyChoose(t, "no message", func() (err error) {
			m, err = consumer.Next(jetstream.FetchMaxWait(time.Minute))
			if err != nil && !errors.Is(err, nats.ErrNoResponders) { // the message may be on its way, and lost if requested again
				require.NoError(t, err)
			}
			return err
		})
		var said struct {
			Data struct {
				OrderID int64 `json:"order_id"`
			}
		}
		require.NoError(t, json.Unmarshal(m.Data(), &said))
		told[said.Data.OrderID]++
	}
	require.Len(t, told, orders)
	require.Equal(t, []int{1}, slices.Compact(slices.Sorted(maps.Values(told))), "each order once")
}

// whileTheyChoose repeats what the nodes of the broker refuse while they elect a leader.
func whileTheyChoose(t testing.TB, what string, do func() error) {
	t.Helper()
	rig.Eventually(t, func() bool { return do() == nil }, time.Minute, 50*time.Millisecond, what)
}
