// Package refresh_test checks the refresh of profiles as a whole: the use cases over both
// databases and a folder of imagery that changes, with a clock that is moved and a count of
// every pixel read.
package refresh_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/identity"
	"tilth/adapters/imagery/catalog"
	"tilth/adapters/persistence"
	"tilth/app"
	"tilth/app/satellite"
	"tilth/core/access"
	"tilth/core/credit"
	"tilth/core/event"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/record"
	"tilth/core/vegetation"
	"tilth/ports"
	"tilth/tests/rig"
)

func TestMain(m *testing.M) { rig.Main(m) }

// counted is an imagery source that counts the scenes of which pixels are read, and that
// can be out.
type counted struct {
	ports.Imagery
	mu    sync.Mutex
	read  map[string]bool
	out   bool
	stall func() // called before a search, where set
}

func (c *counted) Search(ctx context.Context, boundary geo.MultiPolygon, from, to time.Time) ([]vegetation.Scene, error) {
	if c.stall != nil {
		c.stall()
	}
	if c.out {
		return nil, fault.New(fault.Unavailable, "imagery_unavailable", "The source is out.")
	}
	return c.Imagery.Search(ctx, boundary, from, to)
}

func (c *counted) Read(ctx context.Context, s vegetation.Scene, b vegetation.Band, w vegetation.Window) (vegetation.Raster, error) {
	c.mu.Lock()
	c.read[s.ID] = true
	c.mu.Unlock()
	return c.Imagery.Read(ctx, s, b, w)
}

type everyone struct{}

func (everyone) Allowed(context.Context, access.Principal, access.Slug) (bool, error) {
	return true, nil
}

type clock struct{ now time.Time }

func (c *clock) Now() time.Time { return c.now }

// farmhouse is a company with a field whose season is being watched.
type farmhouse struct {
	*testing.T
	ctx      context.Context
	db       *persistence.Database
	clock    *clock
	imagery  *counted
	shelf    *rig.Shelf
	orders   *satellite.Profiles
	worker   *satellite.ProfileWorker
	refresh  *satellite.Refresher
	computer *satellite.Computer
	who      access.Principal
	field    farm.Field
	season   farm.Season
	order    int64
}

// The season is the archive's; it is the first of July.
var july = time.Date(2025, 7, 1, 12, 0, 0, 0, time.UTC)

// settle makes a company with an active profile of what the shelf holds.
func settle(t *testing.T, address string, days ...string) *farmhouse {
	t.Helper()
	h := &farmhouse{T: t, ctx: t.Context(), clock: &clock{july}, shelf: rig.NewShelf(t, days...)}
	var err error
	h.db, err = persistence.Open(h.ctx, address, persistence.Options{Clock: h.clock, Shared: h.clock, IDs: identity.Random{}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, h.db.Close()) })
	folder, err := catalog.Open(h.shelf.Dir)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, folder.Close()) })
	h.imagery = &counted{Imagery: folder, read: map[string]bool{}}
	h.computer = &satellite.Computer{Imagery: h.imagery}
	log := slog.New(slog.DiscardHandler)
	deps := app.Deps{Store: h.db, Gate: app.NewGate(everyone{}, nil, nil), Clock: h.clock, IDs: identity.Random{}}
	h.orders, h.worker, h.refresh = &satellite.Profiles{Deps: deps}, satellite.NewProfileWorker(deps, h.computer, log), satellite.NewRefresher(deps, h.computer, log)
	h.found()
	placed, err := h.orders.Place(h.ctx, h.who, satellite.ProfileRequest{FieldUUID: h.field.UUID, SeasonID: h.season.ID, Index: vegetation.NDVI})
	require.NoError(t, err)
	h.order = placed.ID
	require.NoError(t, h.worker.Run(h.ctx, h.claim(satellite.ProfileJob)))
	require.Len(t, h.events(), 1)
	clear(h.imagery.read)
	return h
}

// found makes the company with its user and credit, farm, field and season.
func (h *farmhouse) found() {
	h.Helper()
	company := ports.Company{UUID: identity.Random{}.UUID(), Name: "Company", CreatedAt: july}
	user := ports.User{Email: "owner@test.example", CreatedAt: july}
	require.NoError(h, h.db.Operate(h.ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
		if err := tx.Accounts.CreateCompany(ctx, &company, access.DefaultRoles()); err != nil {
			return err
		}
		user.CompanyID = company.ID
		return tx.Accounts.CreateUser(ctx, &user)
	}))
	h.who = access.Principal{UserID: user.ID, CompanyID: company.ID}
	boundary, err := geo.NewBoundary(nil, h.shelf.Field, geo.DefaultLimits())
	require.NoError(h, err)
	meta := record.Meta{CreatedAt: july, UpdatedAt: july, CreatedBy: &record.Ref{ID: user.ID}}
	holding := farm.Farm{Meta: meta, Name: "Farm"}
	archive := rig.Archive(h)
	h.season = farm.Season{Meta: meta, Name: "Season", StartDate: archive.From, EndDate: archive.To, HarvestYear: 2025, Kind: "annual"}
	h.write(func(tx ports.Repos) error {
		wallet, err := tx.Wallet.Lock(h.ctx, h.scope())
		if err == nil {
			wallet, err = wallet.Apply(credit.Credit, 1000_00)
		}
		if err != nil {
			return err
		}
		if err := tx.Wallet.Post(h.ctx, h.scope(), wallet, &credit.Transaction{CompanyID: h.who.CompanyID, CreatedAt: july, Kind: credit.Credit, Amount: 1000_00}); err != nil {
			return err
		}
		if err := tx.Farms.Insert(h.ctx, h.scope(), []*farm.Farm{&holding}); err != nil {
			return err
		}
		h.field = farm.Field{Meta: meta, UUID: identity.Random{}.UUID(), Name: "Field", Farm: record.Ref{ID: holding.ID}, Boundary: &boundary}
		if err := tx.Fields.Insert(h.ctx, h.scope(), []*farm.Field{&h.field}); err != nil {
			return err
		}
		if err := tx.Boundaries.Open(h.ctx, h.scope(), []farm.BoundaryVersion{h.version()}); err != nil {
			return err
		}
		return tx.Seasons.Insert(h.ctx, h.scope(), []*farm.Season{&h.season})
	})
}

// version is the field's boundary as its history keeps it.
func (h *farmhouse) version() farm.BoundaryVersion {
	return farm.BoundaryVersion{FieldID: h.field.ID, Boundary: h.field.Boundary.Geometry(), AreaM2: h.field.AreaM2(), ValidFrom: h.clock.now}
}

func (h *farmhouse) scope() access.Scope { return access.Own(h.who.CompanyID) }

func (h *farmhouse) write(do func(tx ports.Repos) error) {
	h.Helper()
	require.NoError(h, h.db.Write(h.ctx, func(_ context.Context, tx ports.Repos) error { return do(tx) }))
}

// claim returns the one job that is due, of a kind.
func (h *farmhouse) claim(kind string) ports.Job {
	h.Helper()
	jobs := h.due()
	require.Len(h, jobs, 1)
	require.Equal(h, kind, jobs[0].Kind)
	return jobs[0]
}

func (h *farmhouse) due() []ports.Job {
	h.Helper()
	jobs, err := h.db.Queue().Claim(h.ctx, h.clock.now, 15*time.Second, 10)
	require.NoError(h, err)
	return jobs
}

func (h *farmhouse) retrieve() satellite.Profile {
	h.Helper()
	p, err := h.orders.Retrieve(h.ctx, h.who, false, h.order)
	require.NoError(h, err)
	require.Equal(h, vegetation.Active, p.Order.Status)
	return p
}

// events returns the indexes of the events that have not been given yet.
func (h *farmhouse) events() (indexes []string) {
	h.Helper()
	rows, err := h.db.Relay().Pending(h.ctx, h.clock.now, time.Hour, 100)
	require.NoError(h, err)
	for _, row := range rows {
		require.Equal(h, event.TypeProfileCompleted, row.Type)
		var data event.ProfileCompleted
		require.NoError(h, json.Unmarshal(row.Data, &data))
		require.Equal(h, h.order, data.OrderID)
		indexes = append(indexes, data.IndexCode)
		require.NoError(h, h.db.Relay().Published(h.ctx, []int64{row.Seq}, h.clock.now))
	}
	return indexes
}

// refreshed retrieves a profile on another day, runs the refresh that this asks for, and
// gives the profile as it is then, with the scenes of which pixels were read.
func (h *farmhouse) refreshed() (satellite.Profile, []string) {
	h.Helper()
	h.clock.now = h.clock.now.Add(25 * time.Hour)
	clear(h.imagery.read)
	stale := h.retrieve()
	require.True(h, stale.Refreshing)
	require.Empty(h, h.imagery.read, "the answer waits for nothing")
	require.NoError(h, h.refresh.Run(h.ctx, h.claim(satellite.RefreshJob)))
	p := h.retrieve()
	require.False(h, p.Refreshing)
	require.Equal(h, h.clock.now, *p.Order.LastCheckedAt)
	require.Empty(h, h.due())
	return p, slices.Sorted(maps.Keys(h.imagery.read))
}

// onTruth holds a series against what the archive's maker wrote; from names for a day
// whose pixels are another's.
func (h *farmhouse) onTruth(s vegetation.Series, from map[string]string, days ...string) {
	h.Helper()
	values := map[string]float64{}
	for _, o := range s.Observations {
		values[o.Date.Format(time.DateOnly)] = o.Value
	}
	require.Len(h, days, len(s.Observations)+len(s.Rejected))
	for _, day := range days {
		row := h.shelf.Truth[day]
		if by, ok := from[day]; ok {
			row = h.shelf.Truth[by]
		}
		value, accepted := values[day]
		require.Equal(h, row.Accepted, accepted, day)
		if accepted {
			require.InDelta(h, row.MeanNDVI, value, 1e-9, day)
		}
	}
}

func TestARefreshWorksOnWhatChangedAndNothingElse(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		days := []string{"2025-05-05", "2025-05-10", "2025-05-15", "2025-05-20", "2025-05-25", "2025-05-30"}
		h := settle(t, database, days...)
		first := h.retrieve()
		require.False(t, first.Refreshing, "it was made just now")
		h.onTruth(first.Series, nil, days...)
		require.NotEmpty(t, first.Series.Rejected)

		same, read := h.refreshed()
		require.Empty(t, read, "nothing changed: no pixel is read")
		require.Empty(t, h.events(), "and nothing is told")
		require.Equal(t, first.Series, same.Series)
		require.Equal(t, first.Order.UpdatedAt, same.Order.UpdatedAt)

		// A scene comes late, one is processed again, one is gone.
		h.shelf.Replace("2025-05-15", "2025-05-20", "2025-07-02T00:00:00Z")
		now := []string{"2025-05-05", "2025-05-15", "2025-05-20", "2025-05-25", "2025-05-30", "2025-06-04", "2025-06-09"}
		h.shelf.Hold(now...)
		changed, read := h.refreshed()
		require.ElementsMatch(t, []string{h.shelf.Scene("2025-05-15"), h.shelf.Scene("2025-06-04"), h.shelf.Scene("2025-06-09")}, read)
		h.onTruth(changed.Series, map[string]string{"2025-05-15": "2025-05-20"}, now...)
		require.Equal(t, []string{"NDVI"}, h.events())
		require.Equal(t, *changed.Order.LastCheckedAt, changed.Order.UpdatedAt)

		// A refresh that changes how a date was made, but not what it says, is no news.
		h.shelf.Replace("2025-05-15", "2025-05-20", "2025-07-03T00:00:00Z")
		silent, read := h.refreshed()
		require.Equal(t, []string{h.shelf.Scene("2025-05-15")}, read)
		require.True(t, silent.Series.Same(changed.Series))
		require.Empty(t, h.events())
		_, read = h.refreshed()
		require.Empty(t, read)

		ledger, err := h.orders.Transactions(h.ctx, h.who, ports.Query{})
		require.NoError(t, err)
		require.EqualValues(t, 3, ledger.Count, "credit, hold and capture of the order; a refresh charges nothing")
	})
}

// Every index of which a series is stored is refreshed, each with its event, after one search.
func TestEveryStoredIndexIsRefreshed(t *testing.T) {
	t.Parallel()
	h := settle(t, rig.SQLite(t), "2025-05-05", "2025-05-20")
	ndmi, err := vegetation.ParseIndex("NDMI")
	require.NoError(t, err)
	further, err := h.computer.Compute(h.ctx, satellite.SeriesRequest{Boundary: h.shelf.Field, From: h.season.StartDate, To: h.season.EndDate, Index: ndmi})
	require.NoError(t, err)
	h.write(func(tx ports.Repos) error { return tx.Orders.PutSeries(h.ctx, h.scope(), h.order, further) })

	h.shelf.Hold("2025-05-05", "2025-05-20", "2025-05-30")
	got, read := h.refreshed()
	require.Equal(t, []string{h.shelf.Scene("2025-05-30")}, read)
	require.ElementsMatch(t, []string{"NDVI", "NDMI"}, h.events())
	require.Len(t, got.Series.Observations, 3)
	h.write(func(tx ports.Repos) error {
		further, err = tx.Orders.Series(h.ctx, h.scope(), h.order, "NDMI")
		return err
	})
	require.Len(t, further.Observations, 3)
}

// A source that is out costs nothing: the series stays, the refresh is tried again a few
// times, and then the next retrieve asks anew.
func TestASourceThatIsOutIsTriedAgainLater(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		h := settle(t, database, "2025-05-05", "2025-05-20")
		before := h.retrieve()
		h.clock.now = h.clock.now.Add(25 * time.Hour)
		h.imagery.out = true
		require.True(t, h.retrieve().Refreshing)
		tries := 0
		for jobs := h.due(); len(jobs) > 0; jobs = h.due() {
			tries++
			require.NoError(t, h.refresh.Run(h.ctx, jobs[0]))
			p := h.retrieve()
			require.Equal(t, before.Series, p.Series)
			require.Equal(t, before.Order, p.Order)
			require.True(t, p.Refreshing)
			if tries < vegetation.RefreshRetry.Tries {
				require.Empty(t, h.due(), "not at once")
			}
			h.clock.now = h.clock.now.Add(time.Hour)
			if tries == vegetation.RefreshRetry.Tries {
				break
			}
		}
		require.Equal(t, vegetation.RefreshRetry.Tries, tries)
		h.imagery.out = false
		job := h.claim(satellite.RefreshJob)
		require.Equal(t, 1, job.Attempt, "the retrieve after the last try asked anew")
		require.NoError(t, h.refresh.Run(h.ctx, job))
		p := h.retrieve()
		require.False(t, p.Refreshing)
		require.Equal(t, before.Series, p.Series)
		require.Empty(t, h.events())
	})
}

// However many ask, on however many replicas, there is one refresh; and a job that is done
// twice does nothing the second time.
func TestOneRefreshAtATime(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		h := settle(t, database, "2025-05-05", "2025-05-20")
		h.clock.now = h.clock.now.Add(25 * time.Hour)
		var group sync.WaitGroup
		for range 10 {
			group.Go(func() {
				p, err := h.orders.Retrieve(h.ctx, h.who, false, h.order)
				if err != nil || !p.Refreshing {
					t.Errorf("%v %v", p.Refreshing, err)
				}
			})
		}
		group.Wait()
		job := h.claim(satellite.RefreshJob)
		require.True(t, h.retrieve().Refreshing)
		require.Empty(t, h.due(), "while one runs, no other is asked for")

		// The worker is stopped in the middle, and another one takes the job.
		h.shelf.Hold("2025-05-05", "2025-05-20", "2025-05-30")
		stopped, stop := context.WithCancel(h.ctx)
		h.imagery.stall = stop
		require.ErrorIs(t, h.refresh.Run(stopped, job), context.Canceled)
		h.imagery.stall = nil
		require.Len(t, h.retrieve().Series.Observations, 2)
		h.clock.now = h.clock.now.Add(time.Minute)
		again := h.claim(satellite.RefreshJob)
		require.NoError(t, h.refresh.Run(h.ctx, again))
		require.Len(t, h.retrieve().Series.Observations, 3)
		require.Equal(t, []string{"NDVI"}, h.events())

		// The first one comes back from the dead.
		clear(h.imagery.read)
		err := h.refresh.Run(h.ctx, job)
		f, ok := fault.As(err)
		require.True(t, ok && f.Code == "lease_lost", "%v", err)
		require.Empty(t, h.imagery.read)
		require.Empty(t, h.events())
	})
}

// What a refresh works for may go while it waits, or while it works.
func TestARefreshOfWhatIsGoneEndsQuietly(t *testing.T) {
	t.Parallel()
	for name, remove := range map[string]func(h *farmhouse, tx ports.Repos) error{
		"field": func(h *farmhouse, tx ports.Repos) error {
			_, err := tx.Fields.SoftDelete(h.ctx, h.scope(), []int64{h.field.ID}, h.clock.now)
			return err
		},
		"season": func(h *farmhouse, tx ports.Repos) error {
			_, err := tx.Seasons.SoftDelete(h.ctx, h.scope(), []int64{h.season.ID}, h.clock.now)
			return err
		},
	} {
		for _, when := range []string{"waiting", "working"} {
			t.Run(name+" "+when, func(t *testing.T) {
				t.Parallel()
				h := settle(t, rig.SQLite(t), "2025-05-05", "2025-05-20")
				before := h.retrieve()
				h.clock.now = h.clock.now.Add(25 * time.Hour)
				require.True(t, h.retrieve().Refreshing)
				h.shelf.Hold("2025-05-05", "2025-05-20", "2025-05-30")
				deletes := func() { h.write(func(tx ports.Repos) error { return remove(h, tx) }) }
				if when == "working" {
					h.imagery.stall = deletes
				} else {
					deletes()
				}
				require.NoError(t, h.refresh.Run(h.ctx, h.claim(satellite.RefreshJob)))
				require.Empty(t, h.due())
				require.Empty(t, h.events())
				after := h.retrieve()
				require.False(t, after.Refreshing, "nor is it asked for again")
				require.Equal(t, before.Series, after.Series)
				require.Empty(t, h.due())
			})
		}
	}
}

// A worker that dies of a refresh each time does not do so for ever.
func TestARefreshThatKillsItsWorkerIsGivenUp(t *testing.T) {
	t.Parallel()
	h := settle(t, rig.SQLite(t), "2025-05-05")
	h.clock.now = h.clock.now.Add(25 * time.Hour)
	h.retrieve()
	var job ports.Job
	for range vegetation.RefreshRetry.Tries + 1 {
		job = h.claim(satellite.RefreshJob)
		h.clock.now = h.clock.now.Add(time.Minute) // its lease runs out
	}
	require.NoError(t, h.refresh.Run(h.ctx, job))
	require.Empty(t, h.imagery.read)
	require.Empty(t, h.due())
	require.True(t, h.retrieve().Refreshing, "the next retrieve asks anew")
	require.Equal(t, 1, h.claim(satellite.RefreshJob).Attempt)
}
