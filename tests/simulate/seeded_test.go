package simulate

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/app/events"
	farmapp "tilth/app/farm"
	outlinesapp "tilth/app/farm/outlines"
	ghgapp "tilth/app/ghg"
	"tilth/app/idempotency"
	"tilth/app/satellite"
	"tilth/app/soil"
	"tilth/core/access"
	"tilth/core/credit"
	"tilth/core/event"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/vegetation"
	"tilth/ports"
	"tilth/tests/memory"
	"tilth/tests/rig"
)

// TestSeededWorlds runs use cases in worlds whose disk, clock and network fail by plan: a seed determines
// a plan, and a model judges every answer. TILTH_SEED=n replays one seed, TILTH_SIMULATE=1 runs many.
func TestSeededWorlds(t *testing.T) {
	t.Parallel()
	first, seeds := uint64(1), uint64(50)
	if os.Getenv("TILTH_SIMULATE") == "1" {
		seeds = 500
	}
	if text := os.Getenv("TILTH_SEED"); text != "" {
		seed, err := strconv.ParseUint(text, 10, 64)
		require.NoError(t, err)
		first, seeds = seed, 1
	}
	for seed := first; seed < first+seeds; seed++ {
		synctest.Test(t, func(t *testing.T) {
			t.Logf("TILTH_SEED=%d go test -run TestSeededWorlds ./tests/simulate replays this world", seed)
			newPlanned(t, seed).live(300)
		})
		if t.Failed() {
			return
		}
	}
}

// errDisk is the error of a failed write.
var errDisk = fault.New(fault.Unavailable, "database_unavailable", "The database does not answer.")

// planned is a company in a world that fails by plan.
type planned struct {
	*memory.World
	t        *testing.T
	plan     *rand.Rand
	calm     bool // nothing fails any more
	profiles *satellite.Profiles
	farms    *farmapp.Records[farm.Farm]
	worker   *satellite.ProfileWorker
	imports  *importing
	hooks    *posting
	soil     *surveying
	readings *deriving
	ghg      *assessing
	once     *idempotency.Once
	owner    access.Principal
	keys     int

	// The model: what the company has been told.
	price    credit.Amount
	fields   []order
	credited credit.Amount
	made     int64 // farms
}

// order is a field, its season and what the model knows about its order.
type order struct {
	field  farm.Field
	season int64
	id     int64
	status vegetation.Status // empty: there is none
}

func newPlanned(t *testing.T, seed uint64) *planned {
	w := memory.New()
	p := &planned{World: w, t: t, plan: rand.New(rand.NewPCG(seed, 0)), owner: w.Company(1)}
	deps := w.Deps()
	deps.Store = idempotency.Guard(disk{w, p})
	p.profiles = &satellite.Profiles{Deps: deps}
	p.farms = farmapp.NewFarms(deps)
	p.once = idempotency.New(deps.Store, &w.Clock)
	p.worker = satellite.NewProfileWorker(deps, network{p}, slog.New(slog.DiscardHandler))
	boundary, err := geo.NewBoundary(nil, rig.Square(100, 0), geo.DefaultLimits())
	require.NoError(t, err)
	p.fields = make([]order, 8)
	for i := range p.fields {
		season := farm.Season{StartDate: time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC), EndDate: time.Date(2024, 12, 31, 0, 0, 0, 0, time.UTC)}
		f := &p.fields[i].field
		*f = farm.Field{UUID: fmt.Sprint("field-", i), Boundary: &boundary}
		w.Put(func(tx ports.Repos) error {
			return errors.Join(tx.Fields.Insert(t.Context(), access.Own(1), []*farm.Field{f}), tx.Seasons.Insert(t.Context(), access.Own(1), []*farm.Season{&season}))
		})
		p.fields[i].season = season.ID
	}
	p.imports, p.hooks, p.soil = newImporting(p, deps), newPosting(p, deps), newSurveying(p, deps)
	p.readings = &deriving{planned: p, asked: map[asked]bool{}}
	p.ghg = newAssessing(p, deps, seed%5 == 0) // a run costs as much as many other steps
	p.price = credit.Charge(credit.DefaultProfilePrice, p.fields[0].field.AreaM2())
	return p
}

// happens reports whether something of a probability happens, by the plan.
func (p *planned) happens(probability float64) bool {
	return !p.calm && p.plan.Float64() < probability
}

// disk is a store that fails before, within and after a transaction, and runs some twice.
type disk struct {
	*memory.World
	p *planned
}

func (d disk) Write(ctx context.Context, do func(ctx context.Context, tx ports.Repos) error) error {
	last := idempotency.BeforeCommit(func(context.Context, ports.Repos) error { return nil })
	return unsure(ctx, d.p, d.World.Write, do, last)
}

func (d disk) Operate(ctx context.Context, do func(ctx context.Context, tx ports.OperatorRepos) error) error {
	return unsure(ctx, d.p, d.World.Operate, do, func(context.Context, ports.OperatorRepos) error { return nil })
}

// unsure is a write that fails by plan; last runs before a commit.
func unsure[T any](ctx context.Context, p *planned, write func(context.Context, func(context.Context, T) error) error, do, last func(context.Context, T) error) error {
	if p.happens(0.05) {
		return errDisk
	}
	if p.happens(0.1) { // a lost race: what was done is rolled back, and done again
		race := errors.New("lost race")
		if err := write(ctx, func(ctx context.Context, tx T) error { return errors.Join(do(ctx, tx), race) }); !errors.Is(err, race) {
			return err
		}
	}
	err := write(ctx, func(ctx context.Context, tx T) error {
		if err := do(ctx, tx); err != nil {
			return err
		}
		if err := last(ctx, tx); err != nil {
			return err
		}
		if p.happens(0.05) {
			return errDisk // the commit fails
		}
		return ctx.Err()
	})
	if err == nil && p.happens(0.05) {
		return errDisk // it was committed, but the caller does not learn of it
	}
	return err
}

func (d disk) Read(ctx context.Context, do func(ctx context.Context, tx ports.Repos) error) error {
	if d.p.happens(0.03) {
		return errDisk
	}
	return d.World.Read(ctx, do)
}

// network is a source of imagery that answers, fails, refuses or hangs.
type network struct{ p *planned }

func (n network) Compute(ctx context.Context, req satellite.SeriesRequest) (vegetation.Series, error) {
	if n.p.happens(0.15) { // it hangs; a caller with a deadline leaves
		select {
		case <-time.After(time.Hour):
		case <-ctx.Done():
			return vegetation.Series{}, ctx.Err()
		}
	}
	switch {
	case n.p.happens(0.2):
		return vegetation.Series{}, errors.New("no route to host")
	case n.p.happens(0.1):
		return vegetation.Series{}, fault.New(fault.Invalid, "no_imagery", "There is no imagery.")
	}
	return vegetation.Series{Index: req.Index.Code, Mask: req.Mask, Dataset: req.Dataset, Observations: make([]vegetation.Observation, 2)}, nil
}

// live runs use cases and judges each, and then lets all work end.
func (p *planned) live(steps int) {
	for range steps {
		switch p.plan.IntN(11 + len(p.ghg.reports)) {
		case 0, 1:
			p.place(&p.fields[p.plan.IntN(len(p.fields))])
		case 2, 3:
			p.work()
		case 4:
			if p.plan.IntN(4) == 0 {
				p.Credit(1, p.price)
				p.credited += p.price
			}
		case 5: // time passes, or the clock is set back
			p.Clock.Move(time.Duration(p.plan.IntN(40)-10) * time.Minute)
		case 6:
			p.farm()
		case 7:
			p.imports.start()
		case 8:
			p.hooks.publish()
		case 9:
			p.soil.place()
		case 10:
			p.readings.look()
		case 11:
			p.ghg.write()
		case 12, 13:
			p.ghg.submit()
		}
		p.judge()
	}
	p.calm = true
	for range 1000 {
		if p.hooks.relay(); len(p.Jobs) == 0 {
			break
		}
		p.Clock.Move(time.Hour)
		p.work()
		p.judge()
	}
	require.Empty(p.t, p.Jobs, "the work does not end")
	for _, f := range p.fields {
		require.NotContains(p.t, []vegetation.Status{vegetation.Pending, vegetation.Processing}, f.status, "an order is forgotten")
	}
	p.imports.judgeEnd()
	p.hooks.judgeEnd()
	p.soil.judgeEnd()
	p.readings.judgeEnd()
	p.ghg.judgeEnd()
}

// ask makes a request under a key of its own, again until there is an answer, and then once more:
// the answer must be the same.
func (p *planned) ask(use func(ctx context.Context) (id int64, err error)) (status int, id int64) {
	p.keys++
	do := func(ctx context.Context) (ports.Answer, bool) {
		id, err := use(ctx)
		known, _ := fault.As(err)
		body, status := []byte(strconv.FormatInt(id, 10)), 200
		switch {
		case err == nil:
		case known == nil || known.Kind == fault.Unavailable || known.Kind == fault.Internal:
			status = 503
		case known.Kind == fault.PaymentRequired:
			status = 402
		default:
			status = 409
		}
		return ports.Answer{Status: status, Header: map[string]string{}, Body: body}, status != 503
	}
	var first *ports.Answer
	for {
		got, _, err := p.once.Do(p.t.Context(), p.owner, fmt.Sprint("key-", p.keys), "d", do)
		switch {
		case err != nil || got.Status == 503: // repeated under its key
		case first == nil:
			first = &got
		default:
			require.Equal(p.t, *first, got, "a key has one answer")
			id, err := strconv.ParseInt(string(got.Body), 10, 64)
			require.NoError(p.t, err)
			return got.Status, id
		}
	}
}

// farm creates a farm; only its key keeps it from being made twice.
func (p *planned) farm() {
	status, _ := p.ask(func(ctx context.Context) (int64, error) {
		made, err := p.farms.Create(ctx, p.owner, []farmapp.Draft[farm.Farm]{{Record: farm.Farm{Name: "Farm"}}}, false)
		if err != nil {
			return 0, err
		}
		return made[0].ID, nil
	})
	require.Equal(p.t, 200, status)
	p.made++
}

// place orders a profile, and judges the answer.
func (p *planned) place(of *order) {
	wallet := p.wallet()
	status, id := p.ask(func(ctx context.Context) (int64, error) {
		placed, err := p.profiles.Place(ctx, p.owner, satellite.ProfileRequest{FieldUUID: of.field.UUID, SeasonID: of.season, Index: vegetation.NDVI})
		return placed.ID, err
	})
	switch of.status {
	case vegetation.Active:
		require.Equal(p.t, 409, status)
	case vegetation.Pending, vegetation.Processing:
		require.Equal(p.t, 200, status)
		require.Equal(p.t, of.id, id)
	default:
		if wallet.Available() < p.price {
			require.Equal(p.t, 402, status)
			return
		}
		require.Equal(p.t, 200, status)
		require.True(p.t, of.id == 0 || of.id == id, "a failed order is taken up again")
		of.id, of.status = id, vegetation.Processing
	}
}

// work runs the jobs that are due, each for at most a minute: then its process is killed.
func (p *planned) work() {
	p.hooks.relay()
	_, _ = p.soil.worker.Sweep(p.t.Context()) // what fails is swept the next time
	for _, job := range p.Claim() {
		ctx, cancel := context.WithTimeout(p.t.Context(), time.Minute)
		_ = map[string]func(context.Context, ports.Job) error{ // what fails is handed out again
			satellite.ProfileJob: p.worker.Run, outlinesapp.ImportJob: p.imports.intake.Run, farmapp.OverlapJob: p.imports.overlaps.Run,
			events.WebhookJob: p.hooks.courier.Run, soil.OrderJob: p.soil.worker.Run, satellite.IndexJob: p.worker.RunIndex,
			ghgapp.CompletenessJob: p.ghg.use.Run, ports.JobVerification: p.ghg.verified,
		}[job.Kind](ctx, job)
		cancel()
	}
}

func (p *planned) wallet() (out credit.Wallet) {
	p.Put(func(tx ports.Repos) (err error) {
		out, err = tx.Wallet.Get(p.t.Context(), access.Own(1))
		return err
	})
	return out
}

// judge compares the world with the model: orders move forward and never back, and each has one
// charge, one event and, while it is open, its job.
func (p *planned) judge() {
	var open, active credit.Amount
	completed := map[int64]int{}
	for _, e := range p.Events {
		if done, ok := e.Data.(event.ProfileCompleted); ok {
			completed[done.OrderID]++
		}
	}
	for i := range p.fields {
		f := &p.fields[i]
		if f.id == 0 {
			continue
		}
		var now vegetation.OrderState
		p.Put(func(tx ports.Repos) (err error) {
			now, err = tx.Orders.Get(p.t.Context(), access.Own(1), f.id)
			return err
		})
		if f.status == vegetation.Active || f.status == vegetation.Failed {
			require.Equal(p.t, f.status, now.Status, "an order that has ended changes")
		}
		f.status = now.Status
		switch now.Status {
		case vegetation.Active:
			active += p.price
			require.Equal(p.t, 1, completed[f.id], "an order completes once")
		case vegetation.Pending, vegetation.Processing:
			open += p.price
			require.True(p.t, p.waits(satellite.ProfileJob, f.id), "an open order has a job")
			require.Zero(p.t, completed[f.id])
		}
	}
	into := int64(len(p.imports.farms()))
	p.Put(func(tx ports.Repos) error {
		farms, err := tx.Farms.Count(p.t.Context(), access.Own(1), ports.Query{})
		require.Equal(p.t, p.made+into, farms, "a farm is made once")
		return err
	})
	p.imports.judge()
	p.hooks.judge()
	p.readings.judge()
	p.ghg.judge()
	surveyed, surveying := p.soil.judge()
	active, open = active+surveyed, open+surveying
	wallet := p.wallet()
	require.Equal(p.t, p.credited-active, wallet.Balance)
	require.Equal(p.t, open, wallet.Held)
}

func (p *planned) waits(kind string, subject int64) bool {
	for _, job := range p.Jobs {
		if job.Kind == kind && job.Subject == subject {
			return true
		}
	}
	return false
}
