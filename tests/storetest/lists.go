package storetest

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/access"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/core/record"
	"tilth/ports"
)

func testFilters(t *testing.T, b Backend) {
	w := newWorld(t, b)
	scope := w.ours.scope
	second := farm.Farm{Meta: w.meta(w.ours), Name: "ÁVILA 100%", Country: "spain", External: record.External{ExternalID: "F2"}}
	w.write(func(tx ports.Repos) error { return tx.Farms.Insert(w.ctx, scope, []*farm.Farm{&second}) })
	w.clock.move(time.Hour)
	field := w.newField(w.ours, "North_field")
	field.Farm = record.Ref{ID: second.ID}
	winter := w.newSeason(w.ours, "Winter")
	winter.HarvestYear, winter.Kind, winter.IsClosed = 2027, "winter", true
	w.write(func(tx ports.Repos) error {
		require.NoError(t, tx.Fields.Insert(w.ctx, scope, []*farm.Field{&field}))
		return tx.Seasons.Insert(w.ctx, scope, []*farm.Season{&winter})
	})
	other := w.newCultivation(w.ours)
	other.Field, other.Season = record.Ref{ID: field.ID}, record.Ref{ID: winter.ID}
	w.write(func(tx ports.Repos) error { return tx.Cultivations.Insert(w.ctx, scope, []*farm.Cultivation{&other}) })

	is := func(name string, value any) ports.Filter { return ports.Filter{Name: name, Value: value} }
	part := func(name string, value any) ports.Filter {
		return ports.Filter{Name: name, Value: value, Partial: true}
	}
	later := begin.Add(30 * time.Minute).Format(time.RFC3339Nano)
	filtersOf(t, w, farmResource, map[string]filterCase{
		"country":           {[]ports.Filter{is("country", "spain")}, []int64{second.ID}},
		"no country":        {[]ports.Filter{is("country", "france")}, nil},
		"external id":       {[]ports.Filter{is("external_id", "F2")}, []int64{second.ID}},
		"no external id":    {[]ports.Filter{is("external_id", "")}, []int64{w.ours.farm.ID}},
		"name":              {[]ports.Filter{is("name", "Ours farm")}, []int64{w.ours.farm.ID}},
		"name, exact case":  {[]ports.Filter{is("name", "ours farm")}, nil},
		"part of name":      {[]ports.Filter{part("name", "ávil")}, []int64{second.ID}},
		"search":            {[]ports.Filter{is("search", "URS F")}, []int64{w.ours.farm.ID}},
		"percent is text":   {[]ports.Filter{part("name", "0%")}, []int64{second.ID}},
		"percent alone":     {[]ports.Filter{part("name", "s%f")}, nil},
		"no text":           {[]ports.Filter{part("name", "a\x00")}, nil},
		"quotes":            {[]ports.Filter{is("country", "x' OR '1'='1")}, nil},
		"company":           {[]ports.Filter{is("company", scope.Company())}, []int64{w.ours.farm.ID, second.ID}},
		"another company":   {[]ports.Filter{is("company", w.theirs.scope.Company())}, nil},
		"created by":        {[]ports.Filter{is("created_by", w.ours.user.ID)}, []int64{w.ours.farm.ID, second.ID}},
		"created by others": {[]ports.Filter{is("created_by", w.theirs.user.ID)}, nil},
		"two":               {[]ports.Filter{is("country", "spain"), is("name", "Ours farm")}, nil},
	})
	filtersOf(t, w, fieldResource, map[string]filterCase{
		"farm":               {[]ports.Filter{is("farm", second.ID)}, []int64{field.ID}},
		"farm of others":     {[]ports.Filter{is("farm", w.theirs.farm.ID)}, nil},
		"uuid":               {[]ports.Filter{is("uuid", field.UUID)}, []int64{field.ID}},
		"underscore is text": {[]ports.Filter{part("name", "s_f")}, nil},
		"updated since":      {[]ports.Filter{is("updated_since", later)}, []int64{field.ID}},
	})
	filtersOf(t, w, seasonResource, map[string]filterCase{
		"year":   {[]ports.Filter{is("harvest_year", int64(2027))}, []int64{winter.ID}},
		"kind":   {[]ports.Filter{is("kind", "summer")}, []int64{w.ours.season.ID}},
		"closed": {[]ports.Filter{is("is_closed", true)}, []int64{winter.ID}},
		"open":   {[]ports.Filter{is("is_closed", false)}, []int64{w.ours.season.ID}},
	})
	filtersOf(t, w, cultivationResource, map[string]filterCase{
		"field":  {[]ports.Filter{is("field", field.ID)}, []int64{other.ID}},
		"season": {[]ports.Filter{is("season", w.ours.season.ID)}, []int64{w.ours.cultivation.ID}},
		"crop":   {[]ports.Filter{is("crop", w.crop.ID)}, []int64{w.ours.cultivation.ID, other.ID}},
		"farm":   {[]ports.Filter{is("farm", second.ID)}, []int64{other.ID}},
		"both":   {[]ports.Filter{is("field", field.ID), is("season", w.ours.season.ID)}, nil},
	})
	w.read(func(tx ports.Repos) error {
		_, err := tx.Farms.Count(w.ctx, scope, ports.Query{Filters: []ports.Filter{is("colour", "red")}})
		require.True(t, fault.Is(err, fault.Internal), "a filter that the resource does not have: %v", err)
		_, err = tx.Farms.Count(w.ctx, scope, ports.Query{Filters: []ports.Filter{is("updated_since", "yesterday")}})
		require.True(t, fault.Is(err, fault.Invalid), "%v", err)
		return nil
	})
}

type filterCase struct {
	filters []ports.Filter
	want    []int64
}

func filtersOf[T any](t *testing.T, w *world, res resource[T], cases map[string]filterCase) {
	t.Helper()
	for name, c := range cases {
		w.read(func(tx ports.Repos) error {
			q := ports.Query{Filters: c.filters}
			var got []int64
			for _, r := range collect(t, res.repo(tx).Each(w.ctx, w.ours.scope, q)) {
				got = append(got, res.base(&r).ID)
			}
			require.Equal(t, c.want, got, name)
			n, err := res.repo(tx).Count(w.ctx, w.ours.scope, q)
			require.NoError(t, err)
			require.EqualValues(t, len(c.want), n, name)
			return nil
		})
	}
}

// testPages checks, for any division into pages, that together they are the whole list, in order of id.
func testPages(t *testing.T, b Backend) {
	w := newWorld(t, b)
	farms := make([]*farm.Farm, 37)
	for i := range farms {
		f := farmResource.make(w, w.ours, i)
		farms[i] = &f
	}
	w.write(func(tx ports.Repos) error { return tx.Farms.Insert(w.ctx, w.ours.scope, farms) })
	rapid.Check(t, func(rt *rapid.T) {
		size := rapid.Int64Range(1, 50).Draw(rt, "size")
		w.read(func(tx ports.Repos) error {
			all := collect(t, tx.Farms.Each(w.ctx, w.ours.scope, ports.Query{}))
			require.Len(rt, all, len(farms)+1)
			var pages []farm.Farm
			for offset := int64(0); ; offset += size {
				page := collect(t, tx.Farms.Each(w.ctx, w.ours.scope, ports.Query{Limit: size, Offset: offset}))
				require.LessOrEqual(rt, int64(len(page)), size)
				if len(page) == 0 {
					break
				}
				pages = append(pages, page...)
			}
			require.Equal(rt, all, pages)
			require.Equal(rt, all[size%30:], collect(t, tx.Farms.Each(w.ctx, w.ours.scope, ports.Query{Offset: size % 30})))
			return nil
		})
	})
	w.read(func(tx ports.Repos) error {
		seen := 0
		for range tx.Farms.Each(w.ctx, w.ours.scope, ports.Query{}) {
			if seen++; seen == 3 {
				break // the cursor is closed: the transaction goes on
			}
		}
		n, err := tx.Farms.Count(w.ctx, w.ours.scope, ports.Query{Limit: 1, Offset: 5})
		require.NoError(t, err)
		require.EqualValues(t, len(farms)+1, n, "a count knows no page")
		return nil
	})
}

// testFigures compares the figures of a farm with its live fields.
func testFigures(t *testing.T, b Backend) {
	w := newWorld(t, b)
	bounded, gone := w.newField(w.ours, "bounded"), w.newField(w.ours, "gone")
	bounded.Boundary, gone.Boundary = square(10, 45, 0.01), square(11, 45, 0.02)
	w.write(func(tx ports.Repos) error {
		require.NoError(t, tx.Fields.Insert(w.ctx, w.ours.scope, []*farm.Field{&bounded, &gone}))
		_, err := tx.Fields.SoftDelete(w.ctx, w.ours.scope, []int64{gone.ID}, w.clock.Now())
		return err
	})
	w.read(func(tx ports.Repos) error {
		got, err := tx.Farms.Get(w.ctx, w.ours.scope, w.ours.farm.ID)
		require.NoError(t, err)
		require.EqualValues(t, 2, got.FieldCount)
		require.InDelta(t, float64(bounded.AreaM2())/10_000, got.TotalAreaHa, 1e-9)
		ids, err := tx.Fields.IDsOfFarm(w.ctx, w.ours.scope, w.ours.farm.ID)
		require.NoError(t, err)
		require.Equal(t, []int64{w.ours.field.ID, bounded.ID}, ids)
		ids, err = tx.Fields.IDsOfFarm(w.ctx, w.theirs.scope, w.ours.farm.ID)
		require.NoError(t, err)
		require.Empty(t, ids)
		return nil
	})
}

// testNeighbours compares boxes with the plain rule over random squares.
func testNeighbours(t *testing.T, b Backend) {
	w := newWorld(t, b)
	stranger := w.newField(w.theirs, "stranger")
	stranger.Boundary = square(0, 0, 0.05)
	w.write(func(tx ports.Repos) error { return tx.Fields.Insert(w.ctx, w.theirs.scope, []*farm.Field{&stranger}) })
	list := make([]*farm.Field, 60)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range list {
		f := w.newField(w.ours, "f")
		f.Boundary = square(float64(random.IntN(20))/100, float64(random.IntN(20))/100, float64(1+random.IntN(5))/100)
		list[i] = &f
	}
	w.write(func(tx ports.Repos) error { return tx.Fields.Insert(w.ctx, w.ours.scope, list) })
	w.read(func(tx ports.Repos) error {
		pairs := 0
		for _, f := range list {
			var want []farm.Place
			for _, o := range list {
				if o.Boundary.Bounds().Intersects(f.Boundary.Bounds()) {
					want = append(want, farm.Place{ID: o.ID, Box: o.Boundary.Bounds(), Version: o.UpdatedAt})
				}
			}
			var have []farm.Place
			for after, more := int64(0), true; more; {
				page, err := tx.Fields.Near(w.ctx, w.ours.scope, f.Boundary.Bounds(), after, 3)
				require.NoError(t, err)
				if more = len(page) == 3; more {
					after = page[2].ID
				}
				have = append(have, page...)
			}
			require.Equal(t, want, have)
			pairs += len(want)
		}
		require.Greater(t, pairs, len(list))
		spots, err := tx.Fields.Spots(w.ctx, w.ours.scope, []int64{w.ours.farm.ID, w.theirs.farm.ID})
		require.NoError(t, err)
		own := 0
		for _, s := range spots[w.ours.farm.ID] {
			own += s.Fields
		}
		require.GreaterOrEqual(t, own, len(list))
		require.Contains(t, spots[w.ours.farm.ID], farm.Spot{Fields: len(list)}, "all of them near 0, 0")
		require.NotContains(t, spots, w.theirs.farm.ID)
		return nil
	})
}

func testOverlaps(t *testing.T, b Backend) {
	w := newWorld(t, b)
	fields := make([]*farm.Field, 5)
	for i := range fields {
		f := w.newField(w.ours, fmt.Sprint("f", i))
		f.Boundary = square(0, 0, 0.05)
		fields[i] = &f
	}
	ours := w.ours.scope
	w.write(func(tx ports.Repos) error { return tx.Fields.Insert(w.ctx, ours, fields) })
	ref := func(i int) record.Ref { return record.Ref{ID: fields[i].ID, Name: fields[i].Name} }
	ids := []int64{ref(0).ID, ref(1).ID, ref(2).ID, ref(3).ID, ref(4).ID}
	of := func(scope access.Scope) (known map[int64]farm.Overlaps, next int64) {
		w.read(func(tx ports.Repos) (err error) {
			known, err = tx.Overlaps.Of(w.ctx, scope, ids)
			require.NoError(t, err)
			next, _, err = tx.Overlaps.NextPending(w.ctx, scope)
			return err
		})
		return known, next
	}
	put := func(known map[int64]farm.Overlaps) {
		w.write(func(tx ports.Repos) error {
			require.NoError(t, tx.Overlaps.Alone(w.ctx, ours))
			return tx.Overlaps.Put(w.ctx, ours, known)
		})
	}
	forget := func(scope access.Scope, ids ...int64) (again bool) {
		w.write(func(tx ports.Repos) (err error) {
			again, err = tx.Overlaps.Forget(w.ctx, scope, ids)
			return err
		})
		return again
	}
	known, next := of(ours)
	require.Empty(t, known)
	require.Zero(t, next)

	first := map[int64]farm.Overlaps{
		ids[0]: {Fields: []record.Ref{ref(2), ref(1)}, More: true},
		ids[1]: {Fields: []record.Ref{ref(0)}},
		ids[3]: {Pending: true}, ids[4]: {Pending: true, Fields: []record.Ref{ref(0)}},
	}
	put(first)
	put(map[int64]farm.Overlaps{ids[0]: first[ids[0]]}) // again
	known, next = of(ours)
	require.Equal(t, first, known, "in the order found")
	require.Equal(t, ids[3], next)
	known, next = of(w.theirs.scope)
	require.Empty(t, known)
	require.Zero(t, next)
	require.False(t, forget(w.theirs.scope, ids...))

	put(map[int64]farm.Overlaps{ids[3]: {}})
	_, next = of(ours)
	require.Equal(t, ids[4], next)
	require.False(t, forget(ours, ids[1]), "the first still names one")
	require.False(t, forget(ours, ids[4]))
	known, next = of(ours)
	require.Equal(t, map[int64]farm.Overlaps{ids[0]: {Fields: []record.Ref{ref(2)}, More: true}}, known)
	require.Zero(t, next)
	require.True(t, forget(ours, ids[2]), "it overlaps more than were named, and names none now")
	known, next = of(ours)
	require.Equal(t, map[int64]farm.Overlaps{ids[0]: {Pending: true}}, known)
	require.Equal(t, ids[0], next)
	w.write(func(tx ports.Repos) error {
		_, err := tx.Fields.SoftDelete(w.ctx, ours, ids[:1], w.clock.Now())
		return err
	})
	_, next = of(ours)
	require.Zero(t, next, "what is deleted is not checked")
}

func testCrops(t *testing.T, b Backend) {
	w := newWorld(t, b)
	oats := farm.Crop{
		Slug: "oats", Name: "Oats", ScientificName: "Avena sativa", ICCGroup: "1", ICCCode: "1.10", CPCCode: "0117", HCAT3Code: "33",
		Lifecycle: "annual", Family: "Poaceae", IsCover: true, GHGCropType: "grains", CurveClasses: []string{"Soy_Corn"},
		Names: map[string]string{"es": "Avena común", "fr": "AVOINE"}, IsActive: false,
	}
	wheat := w.crop
	wheat.Name = "Common wheat"
	w.clock.move(time.Hour)
	w.operate(func(tx ports.OperatorRepos) error {
		require.NoError(t, tx.Catalog.UpsertCrops(w.ctx, []farm.Crop{oats, wheat}, w.clock.Now()))
		n, err := tx.Catalog.CountCrops(w.ctx)
		require.EqualValues(t, 2, n)
		return err
	})
	w.read(func(tx ports.Repos) error {
		got, err := tx.Crops.Get(w.ctx, w.crop.ID)
		require.NoError(t, err)
		require.Equal(t, "Common wheat", got.Name)
		require.Equal(t, w.crop.CreatedAt, got.CreatedAt, "a crop keeps its id and its birth")
		require.Equal(t, kept(w.clock.Now()), got.UpdatedAt)
		for search, want := range map[string][]string{
			"avoine": {"oats"}, "COMÚN": {"oats"}, "blé": {"wheat"}, "sativa": {"oats"}, "a": {"wheat", "oats"}, "rye": nil,
		} {
			q := ports.Query{Filters: []ports.Filter{{Name: "search", Value: search}}}
			var slugs []string
			for _, c := range collect(t, tx.Crops.Each(w.ctx, q)) {
				slugs = append(slugs, c.Slug)
			}
			require.Equal(t, want, slugs, search)
			n, err := tx.Crops.Count(w.ctx, q)
			require.NoError(t, err)
			require.EqualValues(t, len(want), n)
		}
		inactive := collect(t, tx.Crops.Each(w.ctx, ports.Query{Filters: []ports.Filter{{Name: "is_active", Value: false}}}))
		require.Len(t, inactive, 1)
		stored := inactive[0]
		many, err := tx.Crops.GetMany(w.ctx, []int64{stored.ID, 1 << 40})
		require.NoError(t, err)
		require.Equal(t, map[int64]farm.Crop{stored.ID: stored}, many)
		oats.ID, oats.CreatedAt, oats.UpdatedAt = stored.ID, kept(w.clock.Now()), kept(w.clock.Now())
		require.Equal(t, oats, stored)
		_, err = tx.Crops.Get(w.ctx, 1<<40)
		require.True(t, fault.Is(err, fault.NotFound))
		return nil
	})
}
