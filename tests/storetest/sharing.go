package storetest

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/access"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/core/vegetation"
	"tilth/ports"
)

// sight is what a company sees of what others share, by id.
type sight struct{ Farms, Fields, Seasons, Cultivations, Orders []int64 }

// lookAcross lists everything shared with a company.
func (w *world) lookAcross(e estate) (s sight) {
	scope := access.SharedWith(e.scope.Company())
	w.read(func(tx ports.Repos) error {
		s.Farms = idsOf(w.t, w, tx, scope, farmResource)
		s.Fields = idsOf(w.t, w, tx, scope, fieldResource)
		s.Seasons = idsOf(w.t, w, tx, scope, seasonResource)
		s.Cultivations = idsOf(w.t, w, tx, scope, cultivationResource)
		for _, o := range collect(w.t, tx.Orders.Each(w.ctx, scope, ports.Query{})) {
			s.Orders = append(s.Orders, o.ID)
		}
		return nil
	})
	return s
}

func idsOf[T any](t testing.TB, w *world, tx ports.Repos, scope access.Scope, res resource[T]) []int64 {
	t.Helper()
	var out []int64
	for _, r := range collect(t, res.repo(tx).Each(w.ctx, scope, ports.Query{})) {
		id := res.base(&r).ID
		out = append(out, id)
		got, err := res.repo(tx).Get(w.ctx, scope, id)
		require.NoError(t, err, "what is listed can be read")
		require.Equal(t, r, got)
	}
	n, err := res.repo(tx).Count(w.ctx, scope, ports.Query{})
	require.NoError(t, err)
	require.EqualValues(t, len(out), n)
	return out
}

func testSharing(t *testing.T, b Backend) {
	w := newWorld(t, b)
	from := w.ours
	// A second farm with a field, a season of its own and an order, to tell the targets apart.
	other := from
	other.farm = farm.Farm{Meta: w.meta(from), Name: "second"}
	w.write(func(tx ports.Repos) error { return tx.Farms.Insert(w.ctx, from.scope, []*farm.Farm{&other.farm}) })
	other.field, other.season = w.newField(other, "second field"), w.newSeason(other, "second season")
	unused := w.newSeason(from, "unused")
	w.write(func(tx ports.Repos) error {
		require.NoError(t, tx.Fields.Insert(w.ctx, from.scope, []*farm.Field{&other.field}))
		return tx.Seasons.Insert(w.ctx, from.scope, []*farm.Season{&other.season, &unused})
	})
	other.cultivation = w.newCultivation(other)
	order := w.newOrder(from)
	w.write(func(tx ports.Repos) error {
		require.NoError(t, tx.Orders.Insert(w.ctx, from.scope, &order))
		return tx.Cultivations.Insert(w.ctx, from.scope, []*farm.Cultivation{&other.cultivation})
	})

	both := func(a, b int64) []int64 { return []int64{a, b} }
	everything := sight{
		Farms: both(from.farm.ID, other.farm.ID), Fields: both(from.field.ID, other.field.ID),
		Seasons: both(from.season.ID, other.season.ID), Cultivations: both(from.cultivation.ID, other.cultivation.ID),
	}
	first := sight{
		Farms: []int64{from.farm.ID}, Fields: []int64{from.field.ID},
		Seasons: []int64{from.season.ID}, Cultivations: []int64{from.cultivation.ID},
	}
	withoutFarm := first
	withoutFarm.Farms = nil
	today, yesterday := w.clock.Now(), w.clock.Now().AddDate(0, 0, -1)
	for name, c := range map[string]struct {
		grant grant
		want  sight
	}{
		"all":         {grant{target: "all", slugs: views, status: "accepted"}, everything},
		"farm":        {grant{target: "farm", farm: from.farm.ID, slugs: views, status: "accepted"}, first},
		"field":       {grant{target: "field", field: from.field.ID, slugs: views, status: "accepted"}, withoutFarm},
		"fields only": {grant{target: "all", slugs: `["field.view"]`, status: "accepted"}, sight{Fields: everything.Fields}},
		"profiles":    {grant{target: "farm", farm: from.farm.ID, slugs: `["vi-profile.view"]`, status: "accepted"}, sight{Orders: []int64{order.ID}}},
		"no slugs":    {grant{target: "all", slugs: `[]`, status: "accepted"}, sight{}},
		"pending":     {grant{target: "all", slugs: views, status: "pending"}, sight{}},
		"declined":    {grant{target: "all", slugs: views, status: "declined"}, sight{}},
		"revoked":     {grant{target: "all", slugs: views, status: "revoked"}, sight{}},
		"expired":     {grant{target: "all", slugs: views, status: "expired"}, sight{}},
		"last day":    {grant{target: "farm", farm: from.farm.ID, slugs: views, status: "accepted", endsOn: &today}, first},
		"over":        {grant{target: "all", slugs: views, status: "accepted", endsOn: &yesterday}, sight{}},
	} {
		c.grant.from, c.grant.to = from, w.theirs
		id := w.share(c.grant)
		require.Equal(t, c.want, w.lookAcross(w.theirs), name)
		require.Equal(t, sight{}, w.lookAcross(from), "%s: the grantor is given nothing", name)
		w.sql("DELETE FROM share_grants WHERE id = %d", id)
	}

	w.share(grant{from: from, to: w.theirs, target: "farm", farm: from.farm.ID, slugs: views, status: "accepted"})
	w.share(grant{from: from, to: w.theirs, target: "field", field: from.field.ID, slugs: views, status: "accepted", endsOn: &today})
	require.Equal(t, first, w.lookAcross(w.theirs), "two grants show a record once")
	shared := access.SharedWith(w.theirs.scope.Company())
	refusesWrites(t, w, shared, fieldResource, from.field)
	refusesWrites(t, w, shared, cultivationResource, from.cultivation)
	err := w.Write(w.ctx, func(ctx context.Context, tx ports.Repos) error { _, err := tx.Wallet.Lock(ctx, shared); return err })
	require.True(t, fault.Is(err, fault.NotFound))
	err = w.Write(w.ctx, func(ctx context.Context, tx ports.Repos) error {
		return tx.Orders.PutSeries(ctx, shared, order.ID, vegetation.Series{Index: "NDVI"})
	})
	require.True(t, fault.Is(err, fault.NotFound))

	w.write(func(tx ports.Repos) error {
		_, err := tx.Fields.SoftDelete(w.ctx, from.scope, []int64{from.field.ID}, w.clock.Now())
		return err
	})
	require.Equal(t, sight{Farms: first.Farms}, w.lookAcross(w.theirs), "what is deleted is shared no more, nor what hangs on it")
}

// refusesWrites asserts that a record that is visible in a scope cannot be written there.
func refusesWrites[T any](t *testing.T, w *world, scope access.Scope, res resource[T], record T) {
	t.Helper()
	id := res.base(&record).ID
	w.read(func(tx ports.Repos) error {
		_, err := res.repo(tx).Get(w.ctx, scope, id)
		return err
	})
	w.write(func(tx ports.Repos) error {
		_, err := res.repo(tx).GetForUpdate(w.ctx, scope, id)
		require.True(t, fault.Is(err, fault.NotFound))
		require.True(t, fault.Is(res.repo(tx).Update(w.ctx, scope, &record), fault.NotFound))
		n, err := res.repo(tx).SoftDelete(w.ctx, scope, []int64{id}, w.clock.Now())
		require.Zero(t, n)
		return err
	})
}

// sql runs a statement bypassing the adapter.
func (w *world) sql(format string, args ...any) {
	w.t.Helper()
	_, err := raw(w.t, w.address).Exec(fmt.Sprintf(format, args...))
	require.NoError(w.t, err)
}
