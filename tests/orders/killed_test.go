package orders

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/adapters/identity"
	"tilth/adapters/imagery/mapfile"
	"tilth/adapters/permission"
	"tilth/app"
	"tilth/app/events"
	"tilth/app/satellite"
	"tilth/core/credit"
	"tilth/core/fault"
	"tilth/core/vegetation"
	"tilth/ports"
	"tilth/tests/rig"
)

// errKilled is the error of a killed process, which no caller ever receives.
var errKilled = errors.New("killed")

// The fates of a process at a writing transaction.
const (
	lives     = "lives"
	dies      = "dies before it"
	rollsBack = "dies before its commit"
	commits   = "dies after its commit"
)

// mortal is a store whose process may be killed at every writing transaction.
type mortal struct {
	ports.Store
	fate func() string
}

func (m *mortal) killed(write func(inside error) error) error {
	switch m.fate() {
	case dies:
		return errKilled
	case rollsBack:
		if err := write(errKilled); err != nil {
			return err
		}
		return errKilled
	case commits:
		if err := write(nil); err != nil {
			return err
		}
		return errKilled
	default:
		return write(nil)
	}
}

func (m *mortal) Write(ctx context.Context, do func(ctx context.Context, tx ports.Repos) error) error {
	return m.killed(func(inside error) error {
		return m.Store.Write(ctx, func(ctx context.Context, tx ports.Repos) error { return errors.Join(do(ctx, tx), inside) })
	})
}

func (m *mortal) Operate(ctx context.Context, do func(ctx context.Context, tx ports.OperatorRepos) error) error {
	return m.killed(func(inside error) error {
		return m.Store.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) error { return errors.Join(do(ctx, tx), inside) })
	})
}

// leasedFor is the time for which a claimed job is leased in these tests.
const leasedFor = time.Minute

// claim takes a job that is due, if there is one.
func (w *world) claim(rt *rapid.T) []ports.Job {
	jobs, err := w.db.Queue().Claim(w.t.Context(), w.clock.Now(), leasedFor, 1)
	require.NoError(rt, err)
	return jobs
}

// machine is a company whose orders are placed, computed and given up by processes that die.
type machine struct {
	*world
	e         estate
	fates     []string // to draw from; none: every process lives
	orders    *satellite.Profiles
	worker    *satellite.ProfileWorker
	maps      *satellite.Maps
	mapper    *satellite.MapWorker
	sequencer *events.Sequencer
	store     *mortal
	lost      []ports.Job // of workers that were killed, or only seemed to be
	seen      map[vegetation.OrderRef]vegetation.Status
	met       map[string]int // how often a fate, an end or a lost lease occurred
	rt        *rapid.T
}

func newMachine(w *world, rt *rapid.T, met map[string]int) *machine {
	w.clock.move(2 * vegetation.Retry.Max)
	for jobs := w.claim(rt); len(jobs) > 0; jobs = w.claim(rt) { // left by a walk that was aborted
		w.write(func(tx ports.Repos) error { return tx.Jobs.Finish(w.t.Context(), jobs[0]) })
	}
	m := &machine{
		world: w, rt: rt, e: w.estate(credit.Amount(rapid.Int64Range(100, 400).Draw(rt, "credits")), 2, past("a"), past("b"), coming()),
		seen: map[vegetation.OrderRef]vegetation.Status{}, met: met, fates: []string{lives, lives, lives, dies, rollsBack, commits},
	}
	m.store = &mortal{Store: w.db, fate: m.fate}
	deps := app.Deps{Store: m.store, Gate: app.NewGate(permission.New(w.db), nil, nil), Clock: w.clock, IDs: identity.Random{}}
	m.orders, m.worker = &satellite.Profiles{Deps: deps}, satellite.NewProfileWorker(deps, w.computer, slog.New(slog.DiscardHandler))
	m.maps = &satellite.Maps{Deps: deps, Objects: w.files}
	m.mapper = satellite.NewMapWorker(deps, satellite.MapSources{Dates: w.computer}, w.files, mapfile.Files{}, slog.New(slog.DiscardHandler))
	m.sequencer = &events.Sequencer{Store: m.store, Clock: w.clock}
	return m
}

func (m *machine) fate() string {
	if len(m.fates) == 0 {
		return lives
	}
	fate := rapid.SampledFrom(m.fates).Draw(m.rt, "fate")
	m.met[fate]++
	return fate
}

// place orders a profile or a map, for one of two indices: a caller that orders a profile again after a failure may want another.
func (m *machine) place(*rapid.T) {
	req := request(m.rt, m.e)
	req.Index = rapid.SampledFrom([]vegetation.IndexCode{vegetation.NDVI, vegetation.EVI}).Draw(m.rt, "index")
	var err error
	if rapid.Bool().Draw(m.rt, "map") {
		m.met["map"]++
		_, err = m.maps.Place(m.t.Context(), m.e.who, satellite.MapRequest{Product: credit.VegetationIndexMap, FieldUUID: req.FieldUUID, SeasonID: req.SeasonID, Index: req.Index}, 0)
	} else {
		_, err = m.orders.Place(m.t.Context(), m.e.who, req)
	}
	require.True(m.rt, err == nil || errors.Is(err, errKilled) || fault.Is(err, fault.Conflict) || fault.Is(err, fault.PaymentRequired), "%v", err)
}

// giveUp fails the open orders of a field, as the deletion of the field does.
func (m *machine) giveUp(*rapid.T) {
	field := m.e.fields[rapid.IntRange(0, len(m.e.fields)-1).Draw(m.rt, "field")].ID
	err := m.store.Write(m.t.Context(), func(ctx context.Context, tx ports.Repos) error {
		return satellite.FailOfFields(ctx, tx, m.e.scope, []int64{field}, satellite.Ended{At: m.clock.Now(), Reason: "The field was deleted."})
	})
	require.True(m.rt, err == nil || errors.Is(err, errKilled), "%v", err)
}

// compute lets a worker do a job that is due. It draws what else happens meanwhile.
func (m *machine) compute(*rapid.T) {
	jobs := m.claim(m.rt)
	if len(jobs) == 0 {
		return
	}
	if rapid.IntRange(0, 3).Draw(m.rt, "stalls") == 0 {
		m.lost = append(m.lost, jobs[0]) // before it began
		return
	}
	m.outcome(func() {
		switch rapid.SampledFrom([]string{"", "", "", "give up", "again"}).Draw(m.rt, "meanwhile") {
		case "give up":
			m.giveUp(m.rt)
		case "again":
			m.giveUp(m.rt)
			m.place(m.rt)
		}
	})
	if err := m.work(jobs[0]); err != nil {
		require.ErrorIs(m.rt, err, errKilled)
		m.lost = append(m.lost, jobs[0])
	}
}

// work does a job, on a store whose process may be killed.
func (m *machine) work(job ports.Job) error {
	if job.Kind == satellite.VIMapJob {
		return m.mapper.Run(m.t.Context(), job)
	}
	return m.worker.Run(m.t.Context(), job)
}

// outcome draws the outcome of the computation.
func (m *machine) outcome(meanwhile func()) {
	kind := rapid.SampledFrom([]string{"success", "success", "broken", "away"}).Draw(m.rt, "outcome")
	m.computer.answer = func(index vegetation.IndexCode) (vegetation.Series, error) {
		meanwhile()
		switch kind {
		case "broken":
			return vegetation.Series{}, fault.New(fault.Invalid, "broken", "broken")
		case "away":
			return vegetation.Series{}, fault.New(fault.Unavailable, "away", "away")
		default:
			return dates(index, 2), nil
		}
	}
}

// wake lets a stalled worker continue, perhaps after so long that its job was given to
// another: then it must change nothing.
func (m *machine) wake(*rapid.T) {
	if len(m.lost) == 0 {
		return
	}
	job := m.lost[rapid.IntRange(0, len(m.lost)-1).Draw(m.rt, "job")]
	m.outcome(func() {})
	m.resume(job)
}

// resume lets a stalled worker continue with its job.
func (m *machine) resume(job ports.Job) {
	late := m.db.Queue().Renew(m.t.Context(), job, m.clock.Now().Add(leasedFor)) != nil
	before := m.picture()
	err := m.work(job)
	if !late {
		require.True(m.rt, err == nil || errors.Is(err, errKilled), "%v", err)
		return
	}
	m.met["late"]++
	require.True(m.rt, errors.Is(err, errKilled) || fault.Is(err, fault.Conflict), "%v", err)
	require.Equal(m.rt, before, m.picture(), "who lost its lease changes nothing")
}

// pass lets leases expire and tries become due.
func (m *machine) pass(*rapid.T) {
	m.clock.move(rapid.SampledFrom([]time.Duration{time.Second, leasedFor + time.Second, vegetation.Retry.Max}).Draw(m.rt, "time"))
}

// sequence assigns positions in the feed to events.
func (m *machine) sequence(*rapid.T) {
	rows, err := m.db.Relay().Pending(m.t.Context(), m.clock.Now(), 0, 100)
	require.NoError(m.rt, err)
	var batch []events.CloudEvent
	for _, row := range rows {
		batch = append(batch, events.CloudEventOf(row.Logged))
	}
	if len(batch) == 0 {
		return
	}
	_, err = m.sequencer.Place(m.t.Context(), batch)
	require.True(m.rt, err == nil || errors.Is(err, errKilled), "%v", err)
}

// rest lets every process live from now on, until no open order can be worked on. Then all workers that stalled
// continue: nearly all of them return too late, so that no run of the test goes without one that does.
func (m *machine) rest() {
	m.fates = nil
	m.computer.answer = func(index vegetation.IndexCode) (vegetation.Series, error) { return dates(index, 2), nil }
	m.clock.move(vegetation.Retry.Max)
	for jobs := m.claim(m.rt); len(jobs) > 0; jobs = m.claim(m.rt) {
		require.NoError(m.rt, m.work(jobs[0]))
	}
	for _, job := range m.lost {
		m.resume(job)
	}
	m.sequence(m.rt)
	m.check(m.rt)
	p := m.picture()
	active := 0
	for _, o := range p.orders {
		if o.Status == vegetation.Active {
			active++
		}
		require.True(m.rt, o.Status != vegetation.Pending || !o.StartDate.Before(m.clock.Now()), "only what has not begun waits: %+v", o)
		require.NotEqual(m.rt, vegetation.Processing, o.Status)
	}
	require.Len(m.rt, p.told, active, "each is told of")
}

// Whatever process dies at whatever transaction, and whichever returns too late: the orders
// follow their table of states, and books, jobs, series and events follow the orders.
func TestKilledTransactions(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		w, met := newWorld(t, database), map[string]int{}
		rapid.Check(t, func(rt *rapid.T) {
			m := newMachine(w, rt, met)
			rt.Repeat(map[string]func(*rapid.T){
				"place": m.place, "place again": m.place, "compute": m.compute, "compute more": m.compute,
				"give up": m.giveUp, "wake": m.wake, "time": m.pass, "sequence": m.sequence, "": m.check,
			})
			m.rest()
		})
		for _, what := range []string{lives, dies, rollsBack, commits, "late", "pending", "active", "failed", "map"} {
			require.Positive(t, met[what], "the walks never met %q: %v", what, met)
		}
		t.Log(met)
	})
}
