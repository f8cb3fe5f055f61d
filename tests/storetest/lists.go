package storetest

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/core/record"
	"tilth/ports"
)

func testFilters(t *testing.T, b Backend) {
	w := newWorld(t, b)
	scope := w.ours.scope
	second := farm.Farm{Meta: w.meta(w.ours), Name: "ÁVILA 100%", Country: "spain", External: farm.External{ExternalID: "F2"}}
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

// testPages holds for any cut into pages: together they are the whole list, in order of id.
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

// testFigures holds the figures of a farm against its live fields.
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
	ids := []int64{w.ours.field.ID}
	w.write(func(tx ports.Repos) error { return tx.Fields.Insert(w.ctx, w.ours.scope, list) })
	for _, f := range list {
		ids = append(ids, f.ID)
	}
	w.read(func(tx ports.Repos) error {
		got, err := tx.Fields.Overlapping(w.ctx, w.ours.scope, ids)
		require.NoError(t, err)
		pairs := 0
		for _, f := range list {
			var want []int64
			for _, o := range list {
				if o.ID != f.ID && o.Boundary.Bounds().Intersects(f.Boundary.Bounds()) {
					want = append(want, o.ID)
				}
			}
			var have []int64
			for _, o := range got[f.ID] {
				have = append(have, o.ID)
			}
			require.Equal(t, want, have)
			pairs += len(want)
		}
		require.Positive(t, pairs)
		require.Empty(t, got[w.ours.field.ID], "a field without a boundary has no neighbours")
		return nil
	})
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
