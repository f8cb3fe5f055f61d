package orders

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/exchange"
	"tilth/adapters/identity"
	"tilth/adapters/permission"
	"tilth/adapters/persistence"
	"tilth/app"
	farmapp "tilth/app/farm"
	"tilth/app/operating"
	"tilth/app/satellite"
	"tilth/app/soil"
	"tilth/core/access"
	"tilth/core/credit"
	"tilth/core/farm"
	"tilth/core/geo"
	"tilth/core/record"
	"tilth/core/stratification"
	"tilth/core/stratification/frame"
	"tilth/core/stratification/layer"
	"tilth/ports"
	"tilth/tests/rig"
)

// preparer prepares what a test prescribes.
type preparer struct {
	answer func(stratification.OrderState) (layer.Prepared, error)
}

func (p *preparer) Prepare(_ context.Context, o stratification.OrderState) (layer.Prepared, error) {
	return p.answer(o)
}

// flat returns one layer that rises from the first cell to the last.
func flat(o stratification.OrderState) (layer.Prepared, error) {
	f, err := frame.New(nil, stratification.Geometries(o.Land), frame.Options{EdgeMask: 1})
	if err != nil {
		return layer.Prepared{}, err
	}
	values := make([]float64, len(f.Cells))
	for i := range values {
		values[i] = float64(i) / 3
	}
	from := layer.Provenance{Kind: layer.FromSentinel2, Years: []int{2024, 2025}, Dates: 20, Scenes: []string{"a", "b"}}
	return layer.NewPrepared(&f, []layer.PreparedLayer{
		layer.Prepare(layer.Layer{Name: layer.NDVIMean, Values: values, Source: "test"}, from),
		layer.Drop(layer.NDVISD, "test", "for the test", from),
	}, []string{"A note."}), nil
}

type soilWorld struct {
	t        testing.TB
	db       *persistence.Database
	clock    *clock
	preparer *preparer
	orders   *soil.Orders
	aois     *soil.AOIs
	worker   *soil.OrderWorker
	op       *operating.Operating
	names    int
}

func newSoilWorld(t testing.TB, database string) *soilWorld {
	t.Helper()
	c := at(begin)
	db, err := persistence.Open(t.Context(), database, persistence.Options{Clock: c, Shared: c, IDs: identity.Random{}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	w := &soilWorld{t: t, db: db, clock: c, preparer: &preparer{flat}}
	door := app.NewGate(permission.New(db), db, c)
	deps := app.Deps{Store: db, Gate: door, Clock: c, IDs: identity.Random{}}
	w.orders, w.worker = &soil.Orders{Deps: deps}, &soil.OrderWorker{Deps: deps, Layers: w.preparer, Log: slog.New(slog.DiscardHandler)}
	w.aois = soil.NewAOIs(app.Deps{Store: db, Gate: door, Clock: c, IDs: identity.Random{}})
	w.op = &operating.Operating{
		Store: db, Passwords: identity.NewPasswords(1), Tokens: identity.NewTokens(db), Clock: c, IDs: identity.Random{},
		Curves: &satellite.CurveLibrary{BuiltIn: exchange.Curves{}},
	}
	require.NoError(t, w.op.SetPrice(t.Context(), credit.ServiceSTR, 10_00))
	return w
}

// soilEstate is a subscribed company with an owner, fields of 9 ha, and an area of interest made of them.
type soilEstate struct {
	who    access.Principal
	scope  access.Scope
	fields []farm.Field
	aoi    stratification.AOI
}

func (w *soilWorld) estate(credits credit.Amount) soilEstate {
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
	_, err = w.op.Subscribe(ctx, company.ID, access.Stratification, nil)
	require.NoError(w.t, err)
	e := soilEstate{who: access.Principal{UserID: user.ID, Name: user.Name, Email: user.Email, CompanyID: company.ID}, scope: access.Own(company.ID)}
	meta := record.Meta{CreatedAt: w.clock.Now(), UpdatedAt: w.clock.Now()}
	require.NoError(w.t, w.db.Write(ctx, func(ctx context.Context, tx ports.Repos) error {
		e.fields = nil
		holding := farm.Farm{Meta: meta, Name: "Farm"}
		if err := tx.Farms.Insert(ctx, e.scope, []*farm.Farm{&holding}); err != nil {
			return err
		}
		for i := range 2 {
			b, err := geo.NewBoundary(nil, rig.Square(300, i), geo.DefaultLimits())
			require.NoError(w.t, err)
			f := farm.Field{Meta: meta, UUID: identity.Random{}.UUID(), Name: fmt.Sprint("Field ", i), Farm: record.Ref{ID: holding.ID}, Boundary: &b}
			if err := tx.Fields.Insert(ctx, e.scope, []*farm.Field{&f}); err != nil {
				return err
			}
			e.fields = append(e.fields, f)
		}
		return nil
	}))
	e.aoi = w.aoi(e, e.fields...)
	return e
}

// aoi makes an area of interest from fields.
func (w *soilWorld) aoi(e soilEstate, fields ...farm.Field) stratification.AOI {
	w.t.Helper()
	draft := farmapp.Draft[stratification.AOI]{Record: stratification.AOI{Name: "Area"}}
	for _, f := range fields {
		draft.Record.Fields = append(draft.Record.Fields, stratification.AOIField{UUID: f.UUID})
	}
	made, err := w.aois.Create(w.t.Context(), e.who, []farmapp.Draft[stratification.AOI]{draft}, false)
	require.NoError(w.t, err)
	return made[0]
}

func (w *soilWorld) place(e soilEstate) (stratification.OrderState, error) {
	return w.orders.Place(w.t.Context(), e.who, soil.OrderRequest{AOIID: e.aoi.ID})
}

func (w *soilWorld) order(e soilEstate, id int64) stratification.OrderState {
	w.t.Helper()
	o, err := w.orders.Retrieve(w.t.Context(), e.who, id)
	require.NoError(w.t, err)
	return o
}

// claim returns the next job that is due; ok is false where there is none.
func (w *soilWorld) claim() (job ports.Job, ok bool) {
	w.t.Helper()
	jobs, err := w.db.QueueOf(soil.OrderJob).Claim(w.t.Context(), w.clock.Now(), time.Minute, 1)
	require.NoError(w.t, err)
	if len(jobs) == 0 {
		return job, false
	}
	return jobs[0], true
}

// work does the jobs that are due, and returns how many there were.
func (w *soilWorld) work() (done int) {
	w.t.Helper()
	for job, ok := w.claim(); ok; job, ok = w.claim() {
		require.NoError(w.t, w.worker.Run(w.t.Context(), job))
		done++
	}
	return done
}

// books returns wallet and kinds of the ledger's lines, oldest first.
func (w *soilWorld) books(e soilEstate) (wallet credit.Wallet, lines []credit.Kind) {
	w.t.Helper()
	require.NoError(w.t, w.db.Read(w.t.Context(), func(ctx context.Context, tx ports.Repos) (err error) {
		if wallet, err = tx.Wallet.Get(ctx, e.scope); err != nil {
			return err
		}
		balance, held, err := tx.Wallet.Sum(ctx, e.scope)
		require.NoError(w.t, err)
		require.Equal(w.t, []credit.Amount{balance, held}, []credit.Amount{wallet.Balance, wallet.Held}, "the wallet is the sum of its entries")
		for line, err := range tx.Wallet.Transactions(ctx, e.scope, ports.Query{}) {
			require.NoError(w.t, err)
			if line.Kind != credit.Credit {
				require.Equal(w.t, credit.Stratification, line.Product)
				lines = append([]credit.Kind{line.Kind}, lines...)
			}
		}
		return nil
	}))
	return wallet, lines
}

// events returns the types of the events of a company, oldest first.
func (w *soilWorld) events(e soilEstate) (types []string) {
	w.t.Helper()
	pending, err := w.db.Relay().Pending(w.t.Context(), w.clock.Now(), time.Microsecond, 100)
	require.NoError(w.t, err)
	for _, row := range pending {
		if row.CompanyID == e.who.CompanyID {
			types = append(types, row.Type)
		}
	}
	return types
}
