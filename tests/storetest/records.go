package storetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/core/access"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/record"
	"tilth/ports"
)

// resource is what the tests of all resources need to know about one.
type resource[T any] struct {
	repo   func(ports.Repos) ports.Records[T]
	make   func(*world, estate, int) T // the n-th record, different from the others
	change func(*T)
	base   func(*T) *record.Meta
}

var (
	farmResource = resource[farm.Farm]{
		repo: func(tx ports.Repos) ports.Records[farm.Farm] { return tx.Farms },
		make: func(w *world, e estate, n int) farm.Farm {
			return farm.Farm{Meta: w.meta(e), Name: "farm " + string(rune('a'+n))}
		},
		change: func(r *farm.Farm) { r.Name, r.City = "renamed", "Ávila" },
		base:   (*farm.Farm).Base,
	}
	fieldResource = resource[farm.Field]{
		repo:   func(tx ports.Repos) ports.Records[farm.Field] { return tx.Fields },
		make:   func(w *world, e estate, n int) farm.Field { return w.newField(e, "field "+string(rune('a'+n))) },
		change: func(r *farm.Field) { r.Name, r.Boundary = "renamed", square(10, 45, 0.01) },
		base:   (*farm.Field).Base,
	}
	seasonResource = resource[farm.Season]{
		repo:   func(tx ports.Repos) ports.Records[farm.Season] { return tx.Seasons },
		make:   func(w *world, e estate, n int) farm.Season { return w.newSeason(e, "season "+string(rune('a'+n))) },
		change: func(r *farm.Season) { r.Name, r.StartDate, r.IsClosed = "renamed", date(2026, 2, 28), true },
		base:   (*farm.Season).Base,
	}
	cultivationResource = resource[farm.Cultivation]{
		repo:   func(tx ports.Repos) ports.Records[farm.Cultivation] { return tx.Cultivations },
		make:   func(w *world, e estate, _ int) farm.Cultivation { return w.newCultivation(e) },
		change: func(*farm.Cultivation) {},
		base:   (*farm.Cultivation).Base,
	}
)

func testRecords(t *testing.T, b Backend) {
	t.Run("farm", func(t *testing.T) { t.Parallel(); lifeOfRecords(t, b, farmResource) })
	t.Run("field", func(t *testing.T) { t.Parallel(); lifeOfRecords(t, b, fieldResource) })
	t.Run("season", func(t *testing.T) { t.Parallel(); lifeOfRecords(t, b, seasonResource) })
	t.Run("cultivation", func(t *testing.T) { t.Parallel(); lifeOfRecords(t, b, cultivationResource) })
	t.Run("fertilization", func(t *testing.T) { t.Parallel(); lifeOfRecords(t, b, fertilizationResource) })
	t.Run("assessment", func(t *testing.T) { t.Parallel(); lifeOfRecords(t, b, assessmentResource) })
}

// lifeOfRecords inserts, reads, changes and deletes.
func lifeOfRecords[T any](t *testing.T, b Backend, res resource[T]) {
	w := newWorld(t, b)
	scope := w.ours.scope
	records := make([]*T, 450) // more than one statement can insert
	for i := range records {
		r := res.make(w, w.ours, i)
		records[i] = &r
	}
	w.write(func(tx ports.Repos) error { return res.repo(tx).Insert(w.ctx, scope, records) })
	numbers := make([]int64, len(records))
	for i, r := range records {
		meta := res.base(r)
		numbers[i] = meta.ID
		require.Positive(t, meta.ID)
		require.Equal(t, scope.Company(), meta.CompanyID)
		require.Equal(t, kept(w.clock.Now()), meta.CreatedAt, "the caller sees the time as it is kept")
		if i > 0 {
			require.Greater(t, meta.ID, numbers[i-1], "ids are given in order")
		}
	}
	w.read(func(tx ports.Repos) error {
		got, err := res.repo(tx).Get(w.ctx, scope, numbers[7])
		require.NoError(t, err)
		require.Equal(t, *records[7], got, "what was stored comes back, names of references included")
		many, err := res.repo(tx).GetMany(w.ctx, scope, append([]int64{1 << 40}, numbers...))
		require.NoError(t, err)
		require.Len(t, many, len(numbers))
		require.Equal(t, *records[7], many[numbers[7]])
		return nil
	})

	w.clock.move(time.Hour)
	w.write(func(tx ports.Repos) error {
		r, err := res.repo(tx).GetForUpdate(w.ctx, scope, numbers[3])
		require.NoError(t, err)
		res.change(&r)
		res.base(&r).UpdatedAt = w.clock.Now()
		require.NoError(t, res.repo(tx).Update(w.ctx, scope, &r))
		again, err := res.repo(tx).Get(w.ctx, scope, numbers[3])
		require.NoError(t, err)
		require.Equal(t, r, again)
		require.Equal(t, kept(w.clock.Now()), res.base(&again).UpdatedAt)
		require.Equal(t, res.base(records[3]).CreatedAt, res.base(&again).CreatedAt)
		return nil
	})

	w.write(func(tx ports.Repos) error {
		n, err := res.repo(tx).SoftDelete(w.ctx, scope, []int64{numbers[0], numbers[1], numbers[1], 1 << 40}, w.clock.Now())
		require.NoError(t, err)
		require.EqualValues(t, 2, n)
		n, err = res.repo(tx).SoftDelete(w.ctx, scope, []int64{numbers[0]}, w.clock.Now())
		require.NoError(t, err)
		require.Zero(t, n, "what is deleted is not deleted again")
		return nil
	})
	unseen(t, w, res, scope, *records[0], numbers[:2])
	w.read(func(tx ports.Repos) error {
		list := collect(t, res.repo(tx).Each(w.ctx, scope, ports.Query{}))
		count, err := res.repo(tx).Count(w.ctx, scope, ports.Query{})
		require.NoError(t, err)
		require.EqualValues(t, len(list), count)
		require.Len(t, list, len(numbers)-2+1, "what is left, and the record of the world")
		return nil
	})
}

// unseen asserts that no method sees records in a scope.
func unseen[T any](t *testing.T, w *world, res resource[T], scope access.Scope, record T, hidden []int64) {
	t.Helper()
	w.read(func(tx ports.Repos) error {
		for _, id := range hidden {
			_, err := res.repo(tx).Get(w.ctx, scope, id)
			require.True(t, fault.Is(err, fault.NotFound), "Get: %v", err)
		}
		many, err := res.repo(tx).GetMany(w.ctx, scope, hidden)
		require.NoError(t, err)
		require.Empty(t, many)
		for r, err := range res.repo(tx).Each(w.ctx, scope, ports.Query{}) {
			require.NoError(t, err)
			require.NotContains(t, hidden, res.base(&r).ID)
		}
		return nil
	})
	w.write(func(tx ports.Repos) error {
		for _, id := range hidden {
			_, err := res.repo(tx).GetForUpdate(w.ctx, scope, id)
			require.True(t, fault.Is(err, fault.NotFound), "GetForUpdate: %v", err)
			res.base(&record).ID = id
			err = res.repo(tx).Update(w.ctx, scope, &record)
			require.True(t, fault.Is(err, fault.NotFound), "Update: %v", err)
		}
		n, err := res.repo(tx).SoftDelete(w.ctx, scope, hidden, w.clock.Now())
		require.NoError(t, err)
		require.Zero(t, n)
		return nil
	})
}

func testIsolation(t *testing.T, b Backend) {
	w := newWorld(t, b)
	isolated(t, w, farmResource, w.ours.farm)
	isolated(t, w, fieldResource, w.ours.field)
	isolated(t, w, seasonResource, w.ours.season)
	isolated(t, w, cultivationResource, w.ours.cultivation)
	isolated(t, w, fertilizationResource, w.ours.fertilization)
	isolated(t, w, assessmentResource, w.ours.assessment)
}

// isolated asserts that only we see a record of ours.
func isolated[T any](t *testing.T, w *world, res resource[T], record T) {
	t.Helper()
	id := res.base(&record).ID
	theirs := w.theirs.scope.Company()
	for _, scope := range []access.Scope{
		w.theirs.scope, access.SharedWith(theirs), access.SharedWith(w.ours.scope.Company()), access.Own(0), access.SharedWith(0), {}, access.Own(-1),
	} {
		unseen(t, w, res, scope, record, []int64{id})
		if scope == w.theirs.scope {
			continue
		}
		w.read(func(tx ports.Repos) error {
			n, err := res.repo(tx).Count(w.ctx, scope, ports.Query{})
			require.NoError(t, err)
			require.Zero(t, n)
			return nil
		})
		err := w.Write(w.ctx, func(ctx context.Context, tx ports.Repos) error {
			fresh := res.make(w, w.ours, 0)
			return res.repo(tx).Insert(ctx, scope, []*T{&fresh})
		})
		require.True(t, fault.Is(err, fault.NotFound), "Insert: %v", err)
	}
	w.read(func(tx ports.Repos) error {
		_, err := res.repo(tx).Get(w.ctx, w.ours.scope, id)
		require.NoError(t, err, "the owner still has it")
		return nil
	})
}

func testRoundTrip(t *testing.T, b Backend) {
	w := newWorld(t, b)
	declared, irrigated := 12.5, false
	observed, from, to := date(2025, 12, 31), date(1999, 1, 1), date(2100, 2, 28)
	ring := func(x, y, s float64) geo.Ring {
		return geo.Ring{{X: x, Y: y}, {X: x + s, Y: y}, {X: x + s, Y: y + s}, {X: x, Y: y + s}, {X: x, Y: y}}
	}
	holed, err := geo.NewBoundary(nil, geo.MultiPolygon{
		{ring(-4.123456789012345, 41, 0.01), ring(-4.12, 41.002, 0.003)}, {ring(-4.05, 41, 0.0001)},
	}, geo.DefaultLimits())
	require.NoError(t, err)
	sliver := square(3, 80, 0.0001)
	require.NotEmpty(t, sliver.Warnings(), "the test needs a boundary with warnings")

	full := w.newField(w.ours, `Ñandú "O'Hara" 50% _x_ \ 田 ?`)
	full.Boundary, full.DeclaredAreaHa, full.BoundaryCategory, full.BoundaryMethod = &holed, &declared, "operational", "surveyed"
	full.BoundaryObservedOn, full.SoilType, full.Irrigated, full.Tenure = &observed, "clay\nloam", &irrigated, "owned"
	full.ActiveFrom, full.ActiveTo, full.Notes, full.External = &from, &to, "ünïcode", record.External{ExternalID: "x-1", Source: "import"}
	thin := w.newField(w.ours, "thin")
	thin.Boundary = sliver
	holding := farm.Farm{
		Meta: w.meta(w.ours), Name: "Granja", Description: "d", Country: "spain", Region: "r", City: "c", Address: "a", PostalCode: "47001",
		Location: &geo.Position{X: -4.728, Y: 41.652}, Timezone: "Europe/Madrid", UnitSystem: "metric", OwnerName: "o", Phone: "+34 1", Email: "e@x.org",
		BusinessID: "b", External: record.External{ExternalID: "f", Source: "s"},
	}
	season := farm.Season{
		Meta: record.Meta{Company: w.ours.name, CreatedAt: time.Date(1970, 1, 1, 1, 0, 0, 1000, time.FixedZone("", 3600)), UpdatedAt: w.clock.Now()}, Name: "winter",
		StartDate: date(2024, 10, 1), EndDate: date(2025, 7, 31), HarvestYear: 2025, Kind: "winter", IsClosed: true,
		External: record.External{ExternalID: "1", Source: "2"},
	}
	w.write(func(tx ports.Repos) error {
		return errors.Join(tx.Fields.Insert(w.ctx, w.ours.scope, []*farm.Field{&full, &thin}),
			tx.Farms.Insert(w.ctx, w.ours.scope, []*farm.Farm{&holding}), tx.Seasons.Insert(w.ctx, w.ours.scope, []*farm.Season{&season}))
	})
	w.read(func(tx ports.Repos) error {
		for _, want := range []farm.Field{full, thin} {
			got, err := tx.Fields.GetByUUID(w.ctx, w.ours.scope, want.UUID)
			require.NoError(t, err)
			require.Equal(t, want, got)
			require.Equal(t, want.AreaM2(), got.AreaM2())
		}
		_, err := tx.Fields.GetByUUID(w.ctx, w.theirs.scope, full.UUID)
		require.True(t, fault.Is(err, fault.NotFound))
		_, err = tx.Fields.GetByUUID(w.ctx, w.ours.scope, "\x00")
		require.True(t, fault.Is(err, fault.NotFound))
		gotFarm, err := tx.Farms.Get(w.ctx, w.ours.scope, holding.ID)
		require.NoError(t, err)
		require.Equal(t, holding, gotFarm)
		gotSeason, err := tx.Seasons.Get(w.ctx, w.ours.scope, season.ID)
		require.NoError(t, err)
		require.Equal(t, season, gotSeason)
		require.Nil(t, gotSeason.CreatedBy)
		return nil
	})
}
