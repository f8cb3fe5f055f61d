package storetest

import (
	"context"
	"fmt"
	"iter"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/persistence"
	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/farm"
	"tilth/core/geo"
	"tilth/core/record"
	"tilth/core/vegetation"
	"tilth/ports"
)

// world is a database with two companies that know nothing of each other.
type world struct {
	*persistence.Database
	t       testing.TB
	ctx     context.Context
	address string
	clock   *clock
	ids     *ids
	ours    estate
	theirs  estate
	crop    farm.Crop
}

// estate is a company with one record of each kind.
type estate struct {
	name        string
	scope       access.Scope
	user        record.Ref
	farm        farm.Farm
	field       farm.Field
	season      farm.Season
	cultivation farm.Cultivation

	fertilization farm.Fertilization
	assessment    assessment.Assessment
}

func newWorld(t testing.TB, b Backend) *world {
	t.Helper()
	w := &world{t: t, ctx: context.Background(), address: b.Migrated(t), clock: newClock(), ids: &ids{}}
	t.Cleanup(func() { requireSums(t, w.address) })
	w.Database = open(t, w.address, w.clock, w.ids)
	w.operate(func(tx ports.OperatorRepos) error {
		return tx.Catalog.UpsertCrops(w.ctx, []farm.Crop{
			{Slug: "wheat", Name: "Wheat", ICCCode: "1.10", Lifecycle: "annual", Names: map[string]string{"fr": "blé"}, IsActive: true},
		}, w.clock.Now())
	})
	w.read(func(tx ports.Repos) error {
		w.crop = w.all1(tx.Crops.Each(w.ctx, ports.Query{}))
		return nil
	})
	w.ours, w.theirs = w.settle("Ours"), w.settle("Theirs")
	return w
}

// all1 returns the one crop of a sequence.
func (w *world) all1(rows iter.Seq2[farm.Crop, error]) farm.Crop {
	list := collect(w.t, rows)
	require.Len(w.t, list, 1)
	return list[0]
}

func (w *world) write(do func(tx ports.Repos) error) {
	w.t.Helper()
	require.NoError(w.t, w.Write(w.ctx, func(_ context.Context, tx ports.Repos) error { return do(tx) }))
}

func (w *world) read(do func(tx ports.Repos) error) {
	w.t.Helper()
	require.NoError(w.t, w.Read(w.ctx, func(_ context.Context, tx ports.Repos) error { return do(tx) }))
}

func (w *world) operate(do func(tx ports.OperatorRepos) error) {
	w.t.Helper()
	require.NoError(w.t, w.Operate(w.ctx, func(_ context.Context, tx ports.OperatorRepos) error { return do(tx) }))
}

// settle makes a company with a user and one record of each kind.
func (w *world) settle(name string) estate {
	w.t.Helper()
	company := ports.Company{UUID: w.ids.UUID(), Name: name, CreatedAt: w.clock.Now()}
	user := ports.User{Email: name + "@Example.org", Name: name + " user", CreatedAt: w.clock.Now()}
	w.operate(func(tx ports.OperatorRepos) error {
		if err := tx.Accounts.CreateCompany(w.ctx, &company, access.DefaultRoles()); err != nil {
			return err
		}
		user.CompanyID = company.ID
		return tx.Accounts.CreateUser(w.ctx, &user)
	})
	e := estate{name: company.Name, scope: access.Own(company.ID), user: record.Ref{ID: user.ID, Name: user.Name}}
	e.farm = farm.Farm{Meta: w.meta(e), Name: name + " farm"}
	w.write(func(tx ports.Repos) error { return tx.Farms.Insert(w.ctx, e.scope, []*farm.Farm{&e.farm}) })
	e.field, e.season = w.newField(e, name+" field"), w.newSeason(e, name+" season")
	w.write(func(tx ports.Repos) error {
		if err := tx.Fields.Insert(w.ctx, e.scope, []*farm.Field{&e.field}); err != nil {
			return err
		}
		return tx.Seasons.Insert(w.ctx, e.scope, []*farm.Season{&e.season})
	})
	e.cultivation = w.newCultivation(e)
	w.write(func(tx ports.Repos) error {
		return tx.Cultivations.Insert(w.ctx, e.scope, []*farm.Cultivation{&e.cultivation})
	})
	e.fertilization = w.newFertilization(e)
	w.write(func(tx ports.Repos) error {
		return tx.Fertilizations.Insert(w.ctx, e.scope, []*farm.Fertilization{&e.fertilization})
	})
	e.assessment = w.newAssessment(e)
	w.write(func(tx ports.Repos) error {
		return tx.Assessments.Insert(w.ctx, e.scope, []*assessment.Assessment{&e.assessment})
	})
	return e
}

func (w *world) meta(e estate) record.Meta {
	creator := e.user
	return record.Meta{Company: e.name, CreatedAt: w.clock.Now(), UpdatedAt: w.clock.Now(), CreatedBy: &creator}
}

func (w *world) newField(e estate, name string) farm.Field {
	return farm.Field{Meta: w.meta(e), UUID: w.ids.UUID(), Name: name, Farm: record.Ref{ID: e.farm.ID, Name: e.farm.Name}}
}

func (w *world) newSeason(e estate, name string) farm.Season {
	return farm.Season{Meta: w.meta(e), Name: name, StartDate: date(2026, 3, 1), EndDate: date(2026, 10, 31), HarvestYear: 2026, Kind: "summer"}
}

func (w *world) newCultivation(e estate) farm.Cultivation {
	return farm.Cultivation{
		Meta: w.meta(e), Season: record.Ref{ID: e.season.ID, Name: e.season.Name},
		Crop: record.Ref{ID: w.crop.ID, Name: w.crop.Name}, Field: record.Ref{ID: e.field.ID, Name: e.field.Name},
	}
}

func (w *world) newOrder(e estate) vegetation.OrderState {
	return vegetation.OrderState{
		UUID: w.ids.UUID(), FieldID: e.field.ID, FieldUUID: e.field.UUID, SeasonID: e.season.ID, Index: "NDVI", Status: vegetation.Processing,
		StartDate: e.season.StartDate, EndDate: e.season.EndDate, Boundary: square(10, 45, 0.01).Geometry(), AreaM2: 12345,
		CreatedBy: e.user.ID, CreatedAt: w.clock.Now(), UpdatedAt: w.clock.Now(),
	}
}

// square is a boundary with its south-western corner at x, y.
func square(x, y, size float64) *geo.Boundary {
	b, err := geo.NewBoundary(nil, geo.MultiPolygon{{{{X: x, Y: y}, {X: x + size, Y: y}, {X: x + size, Y: y + size}, {X: x, Y: y + size}, {X: x, Y: y}}}}, geo.DefaultLimits())
	if err != nil {
		panic(err)
	}
	return &b
}

// collect gathers a sequence.
func collect[T any](t testing.TB, rows iter.Seq2[T, error]) []T {
	t.Helper()
	var out []T
	for value, err := range rows {
		require.NoError(t, err)
		out = append(out, value)
	}
	return out
}

// grant is a row of share_grants; the suite does not use the use cases that make grants.
type grant struct {
	from, to    estate
	target      string
	farm, field int64
	slugs       string
	status      string
	endsOn      *time.Time
}

// views is every view slug that the suite's records need.
const views = `["farm.view","field.view","season.view","cultivation.view"]`

func (w *world) share(g grant) int64 {
	w.t.Helper()
	ends := "NULL"
	if g.endsOn != nil {
		ends = "'" + g.endsOn.Format(time.DateOnly) + "'"
	}
	var id int64
	err := raw(w.t, w.address).QueryRow(fmt.Sprintf(`INSERT INTO share_grants
		(company_id, grantee_company_id, target, farm_id, field_id, slugs, status, ends_on, created_at, updated_at)
		VALUES (%d, %d, '%s', %s, %s, '%s', '%s', %s, '2026-01-01T00:00:00.000000Z', '2026-01-01T00:00:00.000000Z') RETURNING id`,
		g.from.scope.Company(), g.to.scope.Company(), g.target, orNull(g.farm), orNull(g.field), g.slugs, g.status, ends)).Scan(&id)
	require.NoError(w.t, err)
	return id
}

func orNull(id int64) string {
	if id == 0 {
		return "NULL"
	}
	return strconv.FormatInt(id, 10)
}
