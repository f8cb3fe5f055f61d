package storetest

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/access"
	"tilth/core/agronomy"
	"tilth/core/assessment"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/core/record"
	"tilth/ports"
)

var fertilizationResource = resource[farm.Fertilization]{
	repo: func(tx ports.Repos) ports.Records[farm.Fertilization] { return tx.Fertilizations },
	make: func(w *world, e estate, _ int) farm.Fertilization { return w.newFertilization(e) },
	change: func(r *farm.Fertilization) {
		on, n, share := date(2026, 4, 1), 28.5, 50.0
		r.AppliedOn, r.ProductName, r.Product = &on, "Ñ 28", "uan"
		r.Amount = &agronomy.Amount{Value: 0.1, Unit: agronomy.GalPerAcre}
		r.DensityKgPerL, r.TreatedAreaHa, r.DryMatterPct, r.IncorporationHours = &n, &n, &n, &n
		r.Nutrients = farm.Nutrients{N: &n, P2O5: &share, K2O: &n, S: &n, CaO: &n, MgO: &n}
		r.Forms = farm.NitrogenForms{Nitrate: &share, Ammonium: &n, Urea: &n, Organic: &share}
		r.NutrientBasis, r.Inhibitor, r.ApplicationMethod, r.Notes = farm.BasisElemental, "both", "injected", "n"
	},
	base: (*farm.Fertilization).Base,
}

func (w *world) newFertilization(e estate) farm.Fertilization {
	return farm.Fertilization{
		Meta: w.meta(e), NutrientBasis: farm.BasisOxide,
		Cultivation: record.Ref{ID: e.cultivation.ID, Name: w.crop.Name + ", " + e.field.Name + ", " + e.season.Name},
	}
}

// testOrdering checks, for any order and any division into pages, that the database
// returns what sorting returns: names by their bytes and ties by id.
func testOrdering(t *testing.T, b Backend) {
	w := newWorld(t, b)
	names := []string{"b", "a", "Ä", "a", "z_", "B", "ß", "a b", "", "é", "e", "Z"}
	fields := make([]*farm.Field, 24)
	for i := range fields {
		w.clock.move(time.Second * time.Duration(i%3))
		f := w.newField(w.ours, "x"+names[i%len(names)])
		if i%4 > 0 {
			f.Boundary = square(float64(i), 45, 0.001*float64(i%4))
		}
		fields[i] = &f
		w.write(func(tx ports.Repos) error { return tx.Fields.Insert(w.ctx, w.ours.scope, []*farm.Field{&f}) })
	}
	compare := map[string]func(a, b farm.Field) int{
		"id":         func(a, b farm.Field) int { return cmp.Compare(a.ID, b.ID) },
		"name":       func(a, b farm.Field) int { return strings.Compare(folded(a.Name), folded(b.Name)) },
		"area_ha":    func(a, b farm.Field) int { return cmp.Compare(a.AreaM2(), b.AreaM2()) },
		"created_at": func(a, b farm.Field) int { return a.CreatedAt.Compare(b.CreatedAt) },
		"updated_at": func(a, b farm.Field) int { return a.UpdatedAt.Compare(b.UpdatedAt) },
	}
	rapid.Check(t, func(rt *rapid.T) {
		var order []ports.Order
		for range rapid.IntRange(1, 3).Draw(rt, "terms") {
			order = append(order, ports.Order{
				Field:      rapid.SampledFrom([]string{"id", "name", "area_ha", "created_at", "updated_at"}).Draw(rt, "field"),
				Descending: rapid.Bool().Draw(rt, "descending"),
			})
		}
		size := rapid.Int64Range(1, 30).Draw(rt, "size")
		w.read(func(tx ports.Repos) error {
			want := collect(t, tx.Fields.Each(w.ctx, w.ours.scope, ports.Query{}))
			slices.SortStableFunc(want, func(a, b farm.Field) int {
				for _, term := range append(slices.Clone(order), ports.Order{Field: "id", Descending: order[len(order)-1].Descending}) {
					c := compare[term.Field](a, b)
					if term.Descending {
						c = -c
					}
					if c != 0 {
						return c
					}
				}
				return 0
			})
			var got []farm.Field
			for offset := int64(0); offset < int64(len(want)); offset += size {
				got = append(got, collect(t, tx.Fields.Each(w.ctx, w.ours.scope, ports.Query{Order: order, Limit: size, Offset: offset}))...)
			}
			require.Equal(rt, want, got)
			return nil
		})
		whole, chunked := bothWays(t, w, ports.Query{Order: order}, size, func(tx ports.Repos) ports.List[farm.Field, ports.Query] { return tx.Fields })
		require.Equal(rt, whole, chunked)
	})
	w.read(func(tx ports.Repos) error {
		for _, err := range tx.Fields.Each(w.ctx, w.ours.scope, ports.Query{Order: []ports.Order{{Field: "colour"}}}) {
			require.True(t, fault.Is(err, fault.Internal), "an order that the resource does not have: %v", err)
		}
		return nil
	})
}

// bothWays reads a list in one go, and in chunks, each in a transaction of its own.
func bothWays[T any](t *testing.T, w *world, q ports.Query, size int64, in func(tx ports.Repos) ports.List[T, ports.Query]) (whole, chunked []T) {
	t.Helper()
	w.read(func(tx ports.Repos) error {
		whole = collect(t, in(tx).Each(w.ctx, w.ours.scope, q))
		return nil
	})
	place := &ports.Place{}
	for {
		var chunk []T
		w.read(func(tx ports.Repos) error {
			chunk = collect(t, in(tx).Each(w.ctx, w.ours.scope, q.Chunk(size, 0, place)))
			return nil
		})
		if chunked = append(chunked, chunk...); int64(len(chunk)) < size {
			return whole, chunked
		}
	}
}

// Chunks follow one another whatever the order of a list, even where the order has no value.
func testChunks(t *testing.T, b Backend) {
	w := newWorld(t, b)
	farms, years := make([]*farm.Farm, 25), []*int{nil, new(2024), nil, new(2023), new(2024)}
	for i := range farms {
		f := farmResource.make(w, w.ours, i%7) // equal names
		farms[i] = &f
	}
	seasons, applications, days := make([]*farm.Season, 12), make([]*farm.Fertilization, 12), []time.Time{date(2025, 1, 1), date(2025, 3, 31), date(2024, 2, 29)}
	for i := range seasons {
		season, application := seasonResource.make(w, w.ours, i), w.newFertilization(w.ours)
		season.StartDate, season.EndDate = days[i%3], days[i%3].AddDate(0, 6+i%2, 0)
		if i%4 > 0 {
			application.AppliedOn = &days[i%3]
		}
		seasons[i], applications[i] = &season, &application
	}
	w.write(func(tx ports.Repos) error {
		require.NoError(t, tx.Farms.Insert(w.ctx, w.ours.scope, farms))
		require.NoError(t, tx.Seasons.Insert(w.ctx, w.ours.scope, seasons))
		require.NoError(t, tx.Fertilizations.Insert(w.ctx, w.ours.scope, applications))
		for i := range 20 {
			a := w.newAssessment(w.ours)
			a.Year = years[i%len(years)]
			require.NoError(t, tx.Assessments.Insert(w.ctx, w.ours.scope, []*assessment.Assessment{&a}))
		}
		return nil
	})
	for _, descending := range []bool{false, true} {
		for _, size := range []int64{1, 3, 7, 100} {
			for _, fields := range [][]string{{"id"}, {"name"}, {"updated_at", "name"}} {
				q := ports.Query{Order: []ports.Order{}}
				for _, field := range fields {
					q.Order = append(q.Order, ports.Order{Field: field, Descending: descending})
				}
				whole, chunked := bothWays(t, w, q, size, func(tx ports.Repos) ports.List[farm.Farm, ports.Query] { return tx.Farms })
				require.Len(t, whole, len(farms)+1)
				require.Equal(t, whole, chunked, "%v by %d", q.Order, size)
			}
			for _, field := range []string{"start_date", "end_date", "created_at"} {
				q := ports.Query{Order: []ports.Order{{Field: field, Descending: descending}}}
				whole, chunked := bothWays(t, w, q, size, func(tx ports.Repos) ports.List[farm.Season, ports.Query] { return tx.Seasons })
				require.Equal(t, whole, chunked, "%v by %d", q.Order, size)
			}
			q := ports.Query{Order: []ports.Order{{Field: "applied_on", Descending: descending}}}
			whole, chunked := bothWays(t, w, q, size, func(tx ports.Repos) ports.List[farm.Fertilization, ports.Query] { return tx.Fertilizations })
			require.GreaterOrEqual(t, len(whole), len(applications))
			require.Equal(t, whole, chunked, "%v by %d", q.Order, size)
			for _, fields := range [][]string{{"assessment_year"}, {"assessment_year", "created_at"}} {
				q := ports.Query{}
				for i, field := range fields {
					q.Order = append(q.Order, ports.Order{Field: field, Descending: descending != (i > 0)})
				}
				whole, chunked := bothWays(t, w, q, size, func(tx ports.Repos) ports.List[assessment.Assessment, ports.Query] { return tx.Assessments })
				require.GreaterOrEqual(t, len(whole), 20)
				require.Equal(t, whole, chunked, "%v by %d", q.Order, size)
			}
		}
	}
}

func folded(s string) string { return strings.ToLower(strings.ToUpper(s)) }

func testRestoring(t *testing.T, b Backend) {
	w := newWorld(t, b)
	scope, id := w.ours.scope, w.ours.field.ID
	early := w.newCultivation(w.ours)
	w.write(func(tx ports.Repos) error {
		require.NoError(t, tx.Cultivations.Insert(w.ctx, scope, []*farm.Cultivation{&early}))
		_, err := tx.Cultivations.SoftDelete(w.ctx, scope, []int64{early.ID}, w.clock.Now())
		return err
	})
	w.clock.move(time.Hour)
	deleted := w.clock.Now()
	w.write(func(tx ports.Repos) error {
		_, err := tx.Fertilizations.SoftDeleteOfFields(w.ctx, scope, []int64{id}, deleted)
		require.NoError(t, err)
		_, err = tx.Cultivations.SoftDeleteOfFields(w.ctx, scope, []int64{id}, deleted)
		require.NoError(t, err)
		_, err = tx.Fields.SoftDelete(w.ctx, scope, []int64{id}, deleted)
		return err
	})
	w.clock.move(time.Hour)
	w.write(func(tx ports.Repos) error {
		_, _, err := tx.Fields.GetDeleted(w.ctx, scope, id, deleted.Add(time.Second))
		require.True(t, fault.Is(err, fault.NotFound), "deleted too long ago: %v", err)
		for _, other := range []access.Scope{w.theirs.scope, access.SharedWith(scope.Company()), access.Own(0)} {
			_, _, err = tx.Fields.GetDeleted(w.ctx, other, id, time.Time{}.AddDate(1969, 0, 0))
			require.True(t, fault.Is(err, fault.NotFound), "%v", err)
			require.Error(t, tx.Fields.Undelete(w.ctx, other, id, deleted, w.clock.Now()))
		}
		_, _, err = tx.Farms.GetDeleted(w.ctx, scope, w.ours.farm.ID, deleted)
		require.True(t, fault.Is(err, fault.NotFound), "a live record is not deleted: %v", err)

		got, at, err := tx.Fields.GetDeleted(w.ctx, scope, id, deleted)
		require.NoError(t, err)
		require.Equal(t, kept(deleted), at)
		require.Equal(t, w.ours.field.Name, got.Name)
		require.Error(t, tx.Fields.Undelete(w.ctx, scope, id, at.Add(time.Microsecond), w.clock.Now()), "of another deletion")
		require.NoError(t, tx.Fields.Undelete(w.ctx, scope, id, at, w.clock.Now()))
		require.NoError(t, tx.Cultivations.UndeleteOfFields(w.ctx, scope, []int64{id}, at, w.clock.Now()))
		back, err := tx.Fertilizations.UndeleteOfFields(w.ctx, scope, []int64{id}, at, w.clock.Now())
		require.Len(t, back, 1)
		return err
	})
	w.read(func(tx ports.Repos) error {
		got, err := tx.Fields.Get(w.ctx, scope, id)
		require.NoError(t, err)
		require.Equal(t, kept(w.clock.Now()), got.UpdatedAt, "who keeps in step learns of it")
		live := collect(t, tx.Cultivations.Each(w.ctx, scope, ports.Query{}))
		require.Len(t, live, 1, "what was deleted before stays deleted")
		require.Equal(t, w.ours.cultivation.ID, live[0].ID)
		require.Len(t, collect(t, tx.Fertilizations.Each(w.ctx, scope, ports.Query{})), 1)
		seasons, err := tx.Cultivations.SeasonsOfFields(w.ctx, scope, []int64{id})
		require.NoError(t, err)
		require.Equal(t, []int64{w.ours.season.ID}, seasons)
		return nil
	})
}

// testFertilizationSharing checks that what is spread on a shared field is shared with
// it, by a grant that includes fertilizations.
func testFertilizationSharing(t *testing.T, b Backend) {
	w := newWorld(t, b)
	theirs := access.SharedWith(w.theirs.scope.Company())
	seen := func() (n int64) {
		w.read(func(tx ports.Repos) (err error) {
			n, err = tx.Fertilizations.Count(w.ctx, theirs, ports.Query{})
			require.Len(t, collect(t, tx.Fertilizations.Each(w.ctx, theirs, ports.Query{})), int(n))
			return err
		})
		return n
	}
	w.share(grant{from: w.ours, to: w.theirs, target: "all", slugs: views, status: "accepted"})
	require.Zero(t, seen(), "the grant does not say fertilization.view")
	w.share(grant{from: w.ours, to: w.theirs, target: "field", field: w.ours.field.ID, slugs: `["fertilization.view"]`, status: "pending"})
	require.Zero(t, seen())
	w.share(grant{from: w.ours, to: w.theirs, target: "field", field: w.ours.field.ID, slugs: `["fertilization.view"]`, status: "accepted"})
	require.EqualValues(t, 1, seen())
	w.write(func(tx ports.Repos) error {
		_, err := tx.Fertilizations.SoftDelete(w.ctx, theirs, []int64{w.ours.fertilization.ID}, w.clock.Now())
		return err
	})
	require.EqualValues(t, 1, seen(), "what is shared is only read")
	w.write(func(tx ports.Repos) error {
		_, err := tx.Fields.SoftDelete(w.ctx, w.ours.scope, []int64{w.ours.field.ID}, w.clock.Now())
		return err
	})
	require.Zero(t, seen(), "the field is gone")
}

func testBoundaries(t *testing.T, b Backend) {
	w := newWorld(t, b)
	scope, id := w.ours.scope, w.ours.field.ID
	field := w.ours.field
	put := func(tx ports.Repos, side float64, at time.Time) farm.BoundaryVersion {
		field.Boundary, field.UpdatedAt = square(10, 45, side), at
		require.NoError(t, tx.Fields.Update(w.ctx, scope, &field))
		return farm.BoundaryVersion{FieldID: id, Boundary: field.Boundary.Geometry(), AreaM2: field.AreaM2(), ValidFrom: kept(at)}
	}
	var first, second farm.BoundaryVersion
	w.write(func(tx ports.Repos) error {
		first = put(tx, 0.01, w.clock.Now())
		first.ChangedBy = &w.ours.user
		require.NoError(t, tx.Boundaries.Open(w.ctx, w.theirs.scope, []int64{id}, 0), "others begin nothing")
		require.NoError(t, tx.Boundaries.Open(w.ctx, scope, []int64{id}, w.ours.user.ID))
		second = put(tx, 0.02, first.ValidFrom.Add(time.Hour))
		require.NoError(t, tx.Boundaries.Close(w.ctx, w.theirs.scope, []int64{id}, second.ValidFrom), "others end nothing")
		require.NoError(t, tx.Boundaries.Close(w.ctx, scope, []int64{id}, second.ValidFrom))
		return tx.Boundaries.Open(w.ctx, scope, []int64{id}, 0)
	})
	err := w.Write(w.ctx, func(ctx context.Context, tx ports.Repos) error {
		return tx.Boundaries.Open(ctx, scope, []int64{id}, 0)
	})
	require.True(t, fault.Is(err, fault.Conflict), "two in force: %v", err)
	first.ValidTo = &second.ValidFrom
	w.read(func(tx ports.Repos) error {
		got := collect(t, tx.Boundaries.Each(w.ctx, scope, id, ports.Query{}))
		for i := range got {
			require.Positive(t, got[i].ID)
			got[i].ID = 0
		}
		require.Equal(t, []farm.BoundaryVersion{second, first}, got)
		require.Len(t, collect(t, tx.Boundaries.Each(w.ctx, scope, id, ports.Query{Limit: 1, Offset: 1})), 1)
		for _, other := range []access.Scope{w.theirs.scope, access.SharedWith(w.theirs.scope.Company())} {
			n, err := tx.Boundaries.Count(w.ctx, other, id)
			require.NoError(t, err)
			require.Zero(t, n)
		}
		return nil
	})
	w.share(grant{from: w.ours, to: w.theirs, target: "field", field: id, slugs: views, status: "accepted"})
	w.read(func(tx ports.Repos) error {
		n, err := tx.Boundaries.Count(w.ctx, access.SharedWith(w.theirs.scope.Company()), id)
		require.EqualValues(t, 2, n)
		return err
	})
}
