package orders

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

// counted is an imagery source that counts the scenes whose pixels are read, and that
// can be unavailable.
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

// farmhouse is a company with a field whose season is watched.
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
	h := &farmhouse{T: t, ctx: t.Context(), clock: at(july), shelf: rig.NewShelf(t, days...)}
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
	require.Len(t, h.eventsOf(event.TypeProfileCompleted), 1)
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
		if err := tx.Boundaries.Open(h.ctx, h.scope(), []int64{h.field.ID}, 0); err != nil {
			return err
		}
		return tx.Seasons.Insert(h.ctx, h.scope(), []*farm.Season{&h.season})
	})
}

func (h *farmhouse) scope() access.Scope { return access.Own(h.who.CompanyID) }

func (h *farmhouse) write(do func(tx ports.Repos) error) {
	h.Helper()
	require.NoError(h, h.db.Write(h.ctx, func(_ context.Context, tx ports.Repos) error { return do(tx) }))
}

// claim returns the one job of a kind that is due.
func (h *farmhouse) claim(kind string) ports.Job {
	h.Helper()
	jobs := h.due()
	require.Len(h, jobs, 1)
	require.Equal(h, kind, jobs[0].Kind)
	return jobs[0]
}

func (h *farmhouse) due() []ports.Job {
	h.Helper()
	jobs, err := h.db.Queue().Claim(h.ctx, h.clock.Now(), 15*time.Second, 10)
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

// events returns the indexes of the updates that have not been returned yet.
func (h *farmhouse) events() []string {
	h.Helper()
	return h.eventsOf(event.TypeProfileUpdated)
}

// eventsOf returns the indexes of the events that have not been returned yet, all of which must be of one type.
func (h *farmhouse) eventsOf(kind string) (indexes []string) {
	h.Helper()
	rows, err := h.db.Relay().Pending(h.ctx, h.clock.Now(), time.Hour, 100)
	require.NoError(h, err)
	for _, row := range rows {
		require.Equal(h, kind, row.Type)
		var data event.ProfileCompleted
		require.NoError(h, json.Unmarshal(row.Data, &data))
		require.Equal(h, h.order, data.OrderID)
		indexes = append(indexes, data.IndexCode)
		require.NoError(h, h.db.Relay().Published(h.ctx, []int64{row.Seq}, h.clock.Now()))
	}
	return indexes
}

// refreshed retrieves a profile on another day, runs the refresh that this triggers, and
// returns the resulting profile with the scenes whose pixels were read.
func (h *farmhouse) refreshed() (satellite.Profile, []string) {
	h.Helper()
	h.clock.move(25 * time.Hour)
	clear(h.imagery.read)
	stale := h.retrieve()
	require.True(h, stale.Refreshing)
	require.Empty(h, h.imagery.read, "the answer waits for nothing")
	require.NoError(h, h.refresh.Run(h.ctx, h.claim(satellite.RefreshJob)))
	p := h.retrieve()
	require.False(h, p.Refreshing)
	require.Equal(h, h.clock.Now(), *p.Order.LastCheckedAt)
	require.Empty(h, h.due())
	return p, slices.Sorted(maps.Keys(h.imagery.read))
}
