package orders

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/exchange"
	"tilth/adapters/identity"
	"tilth/adapters/imagery/mapfile"
	"tilth/adapters/messaging"
	"tilth/adapters/permission"
	"tilth/adapters/persistence"
	"tilth/app"
	"tilth/app/operating"
	"tilth/app/satellite"
	"tilth/core/access"
	"tilth/core/credit"
	"tilth/core/farm"
	"tilth/core/geo"
	"tilth/core/indexmap"
	"tilth/core/record"
	"tilth/core/vegetation"
	"tilth/ports"
	"tilth/tests/rig"
)

// computer returns what a test prescribes, and counts the requests for each index.
type computer struct {
	mu     sync.Mutex
	asked  map[vegetation.IndexCode]int
	answer func(index vegetation.IndexCode) (vegetation.Series, error)
}

func (c *computer) Compute(_ context.Context, req satellite.SeriesRequest) (vegetation.Series, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked[req.Index.Code]++
	s, err := c.answer(req.Index.Code)
	s.Mask, s.Dataset = req.Mask, req.Dataset
	return s, err
}

// Layers returns a map of the same dates, of one pixel each.
func (c *computer) Layers(ctx context.Context, req satellite.LayerRequest, keep func(context.Context, indexmap.Layer) error) (vegetation.Series, error) {
	s, err := c.Compute(ctx, req.SeriesRequest)
	for _, o := range s.Observations {
		if err == nil && keep != nil {
			err = keep(ctx, indexmap.Layer{
				Day: o.Date, Index: s.Index, Grid: vegetation.Grid{EPSG: 32630, OriginX: 4e5, OriginY: 4.6e6, PixelX: 10, PixelY: 10},
				Cols: 1, Rows: 1, Values: []float64{o.Value}, Inside: []bool{true}, Scenes: o.Items,
			})
		}
	}
	return s, err
}

func (c *computer) count(index vegetation.IndexCode) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.asked[index]
}

// dates is a series with n accepted dates.
func dates(index vegetation.IndexCode, n int) vegetation.Series {
	s := vegetation.Series{Index: index}
	for i := range n {
		s.Observations = append(s.Observations, vegetation.Observation{
			Date: date(2025, 4, 1+i), Value: 0.5, Coverage: 1, NValid: 10, NPolygon: 10, Items: []string{fmt.Sprint("scene", i)},
		})
	}
	return s
}

type world struct {
	t        testing.TB
	db       *persistence.Database
	clock    *clock
	computer *computer
	orders   *satellite.Profiles
	worker   *satellite.ProfileWorker
	maps     *satellite.Maps
	files    ports.Objects
	mapper   *satellite.MapWorker
	op       *operating.Operating
	names    int
}

func newWorld(t testing.TB, database string) *world {
	t.Helper()
	c := at(begin)
	db, err := persistence.Open(t.Context(), database, persistence.Options{Clock: c, Shared: c, IDs: identity.Random{}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	w := &world{t: t, db: db, clock: c, computer: &computer{asked: map[vegetation.IndexCode]int{}}}
	w.computer.answer = func(index vegetation.IndexCode) (vegetation.Series, error) { return dates(index, 3), nil }
	deps := app.Deps{Store: db, Gate: app.NewGate(permission.New(db), nil, nil), Clock: c, IDs: identity.Random{}}
	w.orders, w.worker = &satellite.Profiles{Deps: deps}, satellite.NewProfileWorker(deps, w.computer, slog.New(slog.DiscardHandler))
	files := &drawer{files: map[string][]byte{}}
	w.files = files
	w.maps = &satellite.Maps{Deps: deps, Objects: files}
	w.mapper = satellite.NewMapWorker(deps, satellite.MapSources{Dates: w.computer}, files, mapfile.Files{}, slog.New(slog.DiscardHandler))
	w.op = &operating.Operating{
		Store: db, Passwords: identity.NewPasswords(1), Tokens: identity.NewTokens(db), Clock: c, IDs: identity.Random{},
		Curves: &satellite.CurveLibrary{BuiltIn: exchange.Curves{}},
	}
	return w
}

// estate is a company with an owner, fields of about one hectare, and seasons.
type estate struct {
	who     access.Principal
	scope   access.Scope
	fields  []farm.Field
	seasons []farm.Season
}

func (w *world) estate(credits credit.Amount, fields int, seasons ...farm.Season) estate {
	w.t.Helper()
	ctx := w.t.Context()
	w.names++
	company, err := w.op.CreateCompany(ctx, fmt.Sprint("Company ", w.names))
	require.NoError(w.t, err)
	user, err := w.op.CreateUser(ctx, operating.NewUser{CompanyID: company.ID, Email: fmt.Sprintf("u%d@example.org", w.names), Role: access.RoleOwner})
	require.NoError(w.t, err)
	if credits > 0 {
		_, err = w.op.CreditWallet(ctx, company.ID, credits, "")
		require.NoError(w.t, err)
	}
	e := estate{who: access.Principal{UserID: user.ID, Name: user.Name, CompanyID: company.ID}, scope: access.Own(company.ID), seasons: seasons}
	meta := record.Meta{CreatedAt: w.clock.Now(), UpdatedAt: w.clock.Now()}
	w.write(func(tx ports.Repos) error {
		holding := farm.Farm{Meta: meta, Name: "Farm"}
		if err := tx.Farms.Insert(ctx, e.scope, []*farm.Farm{&holding}); err != nil {
			return err
		}
		e.fields = nil
		for i := range fields {
			b, err := geo.NewBoundary(nil, rig.Square(100, i), geo.DefaultLimits())
			require.NoError(w.t, err)
			f := farm.Field{Meta: meta, UUID: identity.Random{}.UUID(), Name: fmt.Sprint("Field ", i), Farm: record.Ref{ID: holding.ID}, Boundary: &b}
			if err := tx.Fields.Insert(ctx, e.scope, []*farm.Field{&f}); err != nil {
				return err
			}
			e.fields = append(e.fields, f)
		}
		for i := range e.seasons {
			e.seasons[i].Meta = meta
			if err := tx.Seasons.Insert(ctx, e.scope, []*farm.Season{&e.seasons[i]}); err != nil {
				return err
			}
		}
		return nil
	})
	return e
}

// past and coming are a season that has ended and one that has not begun.
func past(name string) farm.Season {
	return farm.Season{Name: name, StartDate: date(2025, 3, 1), EndDate: date(2025, 10, 31), HarvestYear: 2025, Kind: "summer"}
}

// running is a season with two months left.
func (w *world) running() farm.Season {
	now := w.clock.Now().Truncate(24 * time.Hour)
	return farm.Season{Name: "running", StartDate: now.AddDate(0, -1, 0), EndDate: now.AddDate(0, 2, 0), HarvestYear: now.Year(), Kind: "summer"}
}

func coming() farm.Season {
	return farm.Season{Name: "coming", StartDate: date(2099, 3, 1), EndDate: date(2099, 10, 31), HarvestYear: 2099, Kind: "summer"}
}

func (w *world) write(do func(tx ports.Repos) error) {
	w.t.Helper()
	require.NoError(w.t, w.db.Write(w.t.Context(), func(_ context.Context, tx ports.Repos) error { return do(tx) }))
}

func (w *world) read(do func(tx ports.Repos) error) {
	w.t.Helper()
	require.NoError(w.t, w.db.Read(w.t.Context(), func(_ context.Context, tx ports.Repos) error { return do(tx) }))
}

// place orders a profile.
func (w *world) place(e estate, field, season int) (vegetation.OrderState, error) {
	return w.orders.Place(w.t.Context(), e.who, satellite.ProfileRequest{
		FieldUUID: e.fields[field].UUID, SeasonID: e.seasons[season].ID, Index: vegetation.NDVI,
	})
}

func (w *world) handlers() map[string]messaging.Handler {
	return map[string]messaging.Handler{satellite.ProfileJob: w.worker.Run, satellite.IndexJob: w.worker.RunIndex, satellite.VIMapJob: w.mapper.Run, satellite.VIMapJob + satellite.MapRefreshing: w.mapper.Run}
}

// work does the jobs that are due, and returns how many there were.
func (w *world) work() (done int) {
	w.t.Helper()
	for {
		jobs, err := w.db.Queue().Claim(w.t.Context(), w.clock.Now(), time.Minute, 1)
		require.NoError(w.t, err)
		if len(jobs) == 0 {
			return done
		}
		require.NoError(w.t, w.handlers()[jobs[0].Kind](w.t.Context(), jobs[0]))
		done++
	}
}

// pool works in the background until the test ends.
func (w *world) pool() {
	ctx, cancel := context.WithCancel(context.Background())
	pool := messaging.Pool{
		Queue: w.db.Queue(), Handlers: w.handlers(), Clock: w.clock, Log: slog.New(slog.DiscardHandler), Workers: 2, Poll: 10 * time.Millisecond,
	}
	done := make(chan error, 1)
	go func() { done <- pool.Run(ctx) }()
	w.t.Cleanup(func() {
		cancel()
		require.NoError(w.t, <-done)
	})
}

// active places an order of a past season and computes it.
func (w *world) active(e estate) vegetation.OrderState {
	w.t.Helper()
	order, err := w.place(e, 0, 0)
	require.NoError(w.t, err)
	w.work()
	found, err := w.orders.Retrieve(w.t.Context(), e.who, false, order.ID)
	require.NoError(w.t, err)
	require.Equal(w.t, vegetation.Active, found.Order.Status)
	return found.Order
}
