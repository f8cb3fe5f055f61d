package orders

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/exchange"
	"tilth/adapters/identity"
	"tilth/adapters/persistence"
	"tilth/app"
	ghgapp "tilth/app/ghg"
	cropcheckapp "tilth/app/ghg/cropcheck"
	"tilth/app/satellite"
	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/event"
	"tilth/core/farm"
	"tilth/core/geo"
	"tilth/core/record"
	"tilth/core/verification"
	"tilth/ports"
)

// later is after the season, and after its imagery has settled.
var later = time.Date(2024, 12, 1, 12, 0, 0, 0, time.UTC)

// claimant is a company with a farm whose fields are assessed.
type claimant struct {
	*testing.T
	ctx    context.Context
	db     *persistence.Database
	clock  *clock
	sky    *sky
	use    *cropcheckapp.Verification
	worker *cropcheckapp.Worker
	who    access.Principal
	meta   record.Meta
	farm   farm.Farm
	season farm.Season
	crops  map[string]farm.Crop
}

// settleClaimant makes a company under a sky over which a class of the built-in curves grows.
func settleClaimant(t *testing.T, database, class string, epsg int) *claimant {
	t.Helper()
	h := &claimant{T: t, ctx: t.Context(), clock: at(later), crops: map[string]farm.Crop{}}
	builtIn, err := exchange.Curves{}.BuiltIn()
	require.NoError(t, err)
	h.sky = &sky{year: builtIn.Year, epsg: epsg}
	for _, c := range builtIn.Curves {
		if c.Class == class {
			h.sky.curve = c
		}
	}
	require.NotEmpty(t, h.sky.curve.Steps)
	h.db, err = persistence.Open(h.ctx, database, persistence.Options{Clock: h.clock, Shared: h.clock, IDs: identity.Random{}, BeforeCommit: ghgapp.SettleRollups})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, h.db.Close()) })
	h.use = &cropcheckapp.Verification{Deps: app.Deps{Store: h.db, Gate: app.NewGate(everyone{}, nil, nil), Clock: h.clock}}
	h.worker = &cropcheckapp.Worker{
		Store: h.db, Clock: h.clock, IDs: identity.Random{}, Curves: &satellite.CurveLibrary{BuiltIn: exchange.Curves{}},
		Computer: &satellite.Computer{Imagery: h.sky}, Log: slog.New(slog.DiscardHandler),
	}
	company := ports.Company{UUID: identity.Random{}.UUID(), Name: "Company", CreatedAt: later}
	user := ports.User{Email: "owner@test.example", CreatedAt: later}
	require.NoError(t, h.db.Operate(h.ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
		if err := tx.Accounts.CreateCompany(ctx, &company, access.DefaultRoles()); err != nil {
			return err
		}
		user.CompanyID = company.ID
		if err := tx.Accounts.CreateUser(ctx, &user); err != nil {
			return err
		}
		return tx.Catalog.UpsertCrops(ctx, []farm.Crop{
			{Slug: "t-maize", Name: "Test maize", Lifecycle: "annual", GHGCropType: "maize", CurveClasses: []string{"Soy_Corn"}, IsActive: true},
			{Slug: "t-grass", Name: "Test grass", Lifecycle: "perennial", GHGCropType: "perennial_grasses", CurveClasses: []string{"Pasture"}, IsActive: true},
			{Slug: "t-wheat", Name: "Test wheat", Lifecycle: "annual", GHGCropType: "winter_wheat", IsActive: true},
		}, later)
	}))
	h.who = access.Principal{UserID: user.ID, CompanyID: company.ID}
	h.meta = record.Meta{CreatedAt: later, UpdatedAt: later, CreatedBy: &record.Ref{ID: user.ID}}
	h.farm = farm.Farm{Meta: h.meta, Name: "Farm"}
	h.season = farm.Season{
		Meta: h.meta, Name: "Season", StartDate: date(2023, 9, 14), EndDate: date(2024, 9, 13), HarvestYear: 2024, Kind: "annual",
	}
	h.write(func(tx ports.Repos) error {
		for c, err := range tx.Crops.Each(h.ctx, ports.Query{}) {
			require.NoError(t, err)
			if strings.HasPrefix(c.Slug, "t-") {
				h.crops[c.Slug[2:]] = c
			}
		}
		require.NoError(t, tx.Farms.Insert(h.ctx, h.scope(), []*farm.Farm{&h.farm}))
		return tx.Seasons.Insert(h.ctx, h.scope(), []*farm.Season{&h.season})
	})
	return h
}

func (h *claimant) scope() access.Scope { return access.Own(h.who.CompanyID) }

func (h *claimant) write(do func(tx ports.Repos) error) {
	h.Helper()
	require.NoError(h, h.db.Write(h.ctx, func(_ context.Context, tx ports.Repos) error { return do(tx) }))
}

// field makes a field with cultivations of the season.
func (h *claimant) field(at geo.Position, crops ...string) farm.Field {
	h.Helper()
	boundary, err := geo.NewBoundary(nil, square(at), geo.DefaultLimits())
	require.NoError(h, err)
	f := farm.Field{Meta: h.meta, UUID: identity.Random{}.UUID(), Name: "Field", Farm: record.Ref{ID: h.farm.ID}, Boundary: &boundary}
	h.write(func(tx ports.Repos) error {
		require.NoError(h, tx.Fields.Insert(h.ctx, h.scope(), []*farm.Field{&f}))
		for _, crop := range crops {
			c := farm.Cultivation{Meta: h.meta, Season: record.Ref{ID: h.season.ID}, Crop: record.Ref{ID: h.crops[crop].ID}, Field: record.Ref{ID: f.ID}}
			require.NoError(h, tx.Cultivations.Insert(h.ctx, h.scope(), []*farm.Cultivation{&c}))
		}
		return nil
	})
	return f
}

// submit stores a submitted assessment of a crop type.
func (h *claimant) submit(of assessment.ResourceType, id int64, cropType string) int64 {
	h.Helper()
	year := 2024
	a := assessment.Assessment{
		Meta: h.meta, ResourceType: of, ResourceID: id, Year: &year, Declarations: assessment.Declarations{}, Status: assessment.Submitted, SubmittedVersion: 1,
	}
	h.write(func(tx ports.Repos) error {
		require.NoError(h, tx.Assessments.Insert(h.ctx, h.scope(), []*assessment.Assessment{&a}))
		require.NoError(h, tx.Assessments.ReplaceSection(h.ctx, h.scope(), a.ID, "crop", []assessment.Row{{Values: assessment.Values{"crop_type": cropType}}}))
		return cropcheckapp.Ask(h.ctx, tx, a, a.UpdatedAt)
	})
	return a.ID
}

func (h *claimant) claim() []ports.Job {
	h.Helper()
	jobs, err := h.db.Queue().Claim(h.ctx, h.clock.Now(), 15*time.Second, 10)
	require.NoError(h, err)
	for _, j := range jobs {
		require.Equal(h, ports.JobVerification, j.Kind)
	}
	return jobs
}

// work does what is due, and returns the number of jobs.
func (h *claimant) work() int {
	h.Helper()
	jobs := h.claim()
	for _, j := range jobs {
		require.NoError(h, h.worker.Run(h.ctx, j))
	}
	return len(jobs)
}

func (h *claimant) look(id int64) verification.Record {
	h.Helper()
	r, ok, err := h.use.Verification(h.ctx, h.who, false, id)
	require.NoError(h, err)
	require.True(h, ok)
	return r
}

// events returns the events that have not been returned yet.
func (h *claimant) events() (out []event.VerificationCompleted) {
	h.Helper()
	rows, err := h.db.Relay().Pending(h.ctx, h.clock.Now(), time.Hour, 100)
	require.NoError(h, err)
	for _, row := range rows {
		var data event.VerificationCompleted
		require.Equal(h, event.TypeVerificationCompleted, row.Type)
		require.NoError(h, json.Unmarshal(row.Data, &data))
		require.NoError(h, h.db.Relay().Published(h.ctx, []int64{row.Seq}, h.clock.Now()))
		out = append(out, data)
	}
	return out
}
