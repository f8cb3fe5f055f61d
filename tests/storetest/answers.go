package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/core/access"
	"tilth/core/audit"
	"tilth/core/credit"
	"tilth/core/cropcheck"
	"tilth/core/fault"
	"tilth/core/vegetation"
	"tilth/ports"
)

func testDerivations(t *testing.T, b Backend) {
	w := newWorld(t, b)
	scope, order := w.ours.scope, w.newOrder(w.ours)
	w.write(func(tx ports.Repos) error { return tx.Orders.Insert(w.ctx, scope, &order) })
	get := func(s access.Scope, reading vegetation.Reading) (out vegetation.Derivation, ok bool) {
		w.read(func(tx ports.Repos) (err error) {
			out, ok, err = tx.Orders.Derivation(w.ctx, s, order.ID, reading)
			return err
		})
		return out, ok
	}
	_, ok := get(scope, vegetation.Reading{Index: vegetation.EVI})
	require.False(t, ok)
	d := vegetation.NewDerivation(order, vegetation.Reading{Index: vegetation.EVI}, kept(w.clock.Now()))
	checked := kept(begin.Add(time.Hour))
	for range 2 { // stored, and stored again
		w.write(func(tx ports.Repos) error { return tx.Orders.PutDerivation(w.ctx, scope, d) })
		got, ok := get(scope, vegetation.Reading{Index: vegetation.EVI})
		require.True(t, ok)
		require.Equal(t, d, got)
		d.Status, d.Reason, d.Attempts, d.CheckedAt, d.UpdatedAt = vegetation.Failed, "gone", 3, &checked, checked
	}
	_, ok = get(scope, vegetation.Reading{Index: vegetation.NBR})
	require.False(t, ok, "another index")
	for _, other := range []vegetation.Reading{{Index: vegetation.EVI, Mask: vegetation.MaskStrict}, {Index: vegetation.EVI, Dataset: vegetation.HLSS30}} {
		_, ok = get(scope, other)
		require.False(t, ok, "%s", other)
		further := d
		further.Reading = other
		w.write(func(tx ports.Repos) error { return tx.Orders.PutDerivation(w.ctx, scope, further) })
		got, ok := get(scope, other)
		require.True(t, ok)
		require.Equal(t, further, got)
	}
	w.read(func(tx ports.Repos) error {
		n, err := tx.Orders.CountDerivations(w.ctx, scope, order.ID)
		require.EqualValues(t, 3, n)
		_, missing := tx.Orders.CountDerivations(w.ctx, w.theirs.scope, order.ID)
		require.True(t, fault.Is(missing, fault.NotFound))
		return err
	})
	_, ok = get(w.theirs.scope, vegetation.Reading{Index: vegetation.EVI})
	require.False(t, ok, "another company's")
	for _, s := range []access.Scope{w.theirs.scope, access.SharedWith(scope.Company())} {
		err := w.Write(w.ctx, func(ctx context.Context, tx ports.Repos) error { return tx.Orders.PutDerivation(ctx, s, d) })
		require.True(t, fault.Is(err, fault.NotFound), "%v", err)
	}
	w.share(grant{from: w.ours, to: w.theirs, target: "all", slugs: `["vi-profile.view"]`, status: "accepted"})
	_, ok = get(access.SharedWith(w.theirs.scope.Company()), vegetation.Reading{Index: vegetation.EVI})
	require.True(t, ok, "seen with its order")

	w.read(func(tx ports.Repos) error {
		got, err := tx.Orders.Find(w.ctx, scope, order.FieldID, order.SeasonID)
		require.Equal(t, order, got)
		_, missing := tx.Orders.Find(w.ctx, w.theirs.scope, order.FieldID, order.SeasonID)
		require.True(t, fault.Is(missing, fault.NotFound))
		return err
	})
}

func testStatements(t *testing.T, b Backend) {
	w := newWorld(t, b)
	scope, field := w.ours.scope, w.ours.field.ID
	var all []credit.Transaction
	add := func(tx credit.Transaction) credit.Transaction {
		tx.CreatedAt = w.clock.Now()
		stored, err := post(w.ctx, w, scope, tx)
		require.NoError(t, err)
		all = append(all, stored)
		w.clock.move(time.Hour)
		return stored
	}
	add(credit.Transaction{Kind: credit.Credit, Amount: 100_00})
	add(credit.Transaction{Kind: credit.Hold, Amount: 30_00, Product: credit.VegetationIndexProfile, FieldID: field, OrderID: 7})
	capture := add(credit.Transaction{Kind: credit.Capture, Amount: 30_00, Product: credit.VegetationIndexProfile, FieldID: field, OrderID: 7})
	add(credit.Transaction{Kind: credit.Hold, Amount: 5_00, Product: credit.SoilMap, FieldID: field, OrderID: 8})
	refund := add(credit.Transaction{Kind: credit.Refund, Amount: 30_00, Product: credit.VegetationIndexProfile, FieldID: field, OrderID: 7, RefundOf: capture.ID})
	_, err := post(w.ctx, w, scope, credit.Transaction{Kind: credit.Refund, Amount: 1, RefundOf: capture.ID, CreatedAt: w.clock.Now()})
	require.Error(t, err, "the database lets a capture be refunded once")

	w.read(func(tx ports.Repos) error {
		last, err := tx.Wallet.LastID(w.ctx, scope)
		require.NoError(t, err)
		require.Equal(t, refund.ID, last)
		between := func(scope access.Scope, from, to time.Time) (out []credit.Transaction) {
			span := ports.LedgerSpan{From: from, To: to, Last: last, Limit: 2}
			for {
				piece, err := tx.Wallet.Between(w.ctx, scope, span)
				require.NoError(t, err)
				if out = append(out, piece...); len(piece) < 2 {
					return out
				}
				span.After = &piece[1]
			}
		}
		// From any moment on, the wallet at that moment and what follows add up to the current wallet.
		for i := range all {
			at := all[i].CreatedAt
			wallet, err := tx.Wallet.At(w.ctx, scope, at)
			require.NoError(t, err)
			rest := between(scope, at, w.clock.Now())
			require.Equal(t, all[i:], rest, "oldest first")
			for _, one := range rest {
				wallet = wallet.After(one)
			}
			require.Equal(t, credit.Wallet{CompanyID: scope.Company(), Balance: 100_00, Held: 5_00}, wallet)
		}
		require.Equal(t, all[1:3], between(scope, all[1].CreatedAt, all[3].CreatedAt), "the end is not part of it")
		last = all[1].ID
		require.Equal(t, all[:2], between(scope, time.Time{}, w.clock.Now()), "nor what came after the last")
		for _, s := range []access.Scope{w.theirs.scope, access.SharedWith(scope.Company())} {
			require.Empty(t, between(s, time.Time{}, w.clock.Now()))
			newest, err := tx.Wallet.LastID(w.ctx, s)
			require.NoError(t, err)
			require.Zero(t, newest)
			wallet, err := tx.Wallet.At(w.ctx, s, w.clock.Now())
			require.NoError(t, err)
			require.Zero(t, wallet.Balance)
			_, err = tx.Wallet.Transaction(w.ctx, s, capture.ID)
			require.True(t, fault.Is(err, fault.NotFound))
			done, err := tx.Wallet.Refunded(w.ctx, s, capture.ID)
			require.NoError(t, err)
			require.False(t, done)
		}
		got, err := tx.Wallet.Transaction(w.ctx, scope, refund.ID)
		require.NoError(t, err)
		require.Equal(t, refund, got)
		done, err := tx.Wallet.Refunded(w.ctx, scope, capture.ID)
		require.True(t, done)
		return err
	})
	w.read(func(tx ports.Repos) error {
		for _, c := range []struct {
			filter string
			value  any
			count  int
		}{
			{"kind", "hold", 2},
			{"product", "soil_map", 1},
			{"product", "zoning_map", 0},
			{"field", field, 4},
			{"order", int64(7), 3},
			{"created_after", all[2].CreatedAt.Format(time.RFC3339Nano), 3},
			{"created_before", all[2].CreatedAt.Format(time.RFC3339Nano), 2},
		} {
			q := ports.Query{Filters: []ports.Filter{{Name: c.filter, Value: c.value}}}
			require.Len(t, collect(t, tx.Wallet.Transactions(w.ctx, scope, q)), c.count, c.filter)
			n, err := tx.Wallet.CountTransactions(w.ctx, scope, q)
			require.NoError(t, err)
			require.EqualValues(t, c.count, n, c.filter)
		}
		return nil
	})
}

func testCurveSets(t *testing.T, b Backend) {
	w := newWorld(t, b)
	edition := func(region, version string, level float64) cropcheck.Edition {
		set, err := cropcheck.NewSet(cropcheck.GrowingYear{Month: time.September, Day: 14}, true, []cropcheck.Curve{
			{Class: "Soy", Steps: []cropcheck.Step{{Day: 0, NDVI: level, P25: 0.1, P75: 0.3, EVI: 0.15, N: 4}, {Day: 16, NDVI: 0.5, EVI: 0.4, N: 4}}},
		})
		require.NoError(t, err)
		set.Scope, set.Extent = "of a test", &cropcheck.Extent{West: -60, South: -20, East: -50.5, North: -10}
		w.clock.move(time.Second)
		return cropcheck.Edition{Region: region, Version: version, Set: set, ImportedAt: kept(w.clock.Now())}
	}
	newest := func() (out []cropcheck.Edition) {
		w.read(func(tx ports.Repos) (err error) {
			out, err = tx.Curves.Newest(w.ctx)
			return err
		})
		return out
	}
	require.Empty(t, newest())
	south, first, second := edition("south", "1", 0.2), edition("north", "1", 0.3), edition("north", "2", 0.4)
	second.Set.Extent = nil
	for _, e := range []cropcheck.Edition{south, first, second} {
		w.operate(func(tx ports.OperatorRepos) error { return tx.Curves.Add(w.ctx, e) })
	}
	require.Equal(t, []cropcheck.Edition{second, south}, newest(), "the newest of each region, exactly as it was")
	err := w.Operate(w.ctx, func(ctx context.Context, tx ports.OperatorRepos) error { return tx.Curves.Add(ctx, first) })
	known, ok := fault.As(err)
	require.True(t, ok, "%v", err)
	require.Equal(t, "curves_exist", known.Code)

	db := raw(t, w.address)
	for _, statement := range []string{
		"UPDATE curve_sets SET region = 'x'", "DELETE FROM curve_sets", "UPDATE operator_entries SET record = 'x'", "DELETE FROM operator_entries",
	} {
		if statement == "UPDATE operator_entries SET record = 'x'" {
			noteOperator(t, w)
		}
		_, err := db.Exec(statement)
		require.Error(t, err, statement)
	}
}

// noteOperator stores entries of the operator's trail and reads them back.
func noteOperator(t *testing.T, w *world) {
	t.Helper()
	entry := ports.OperatorEntry{
		At: kept(w.clock.Now()), Action: audit.Update, Resource: "price", Record: "STR",
		Changes: []audit.Change{{Member: "per_ha", Before: "1.00", After: "2.00"}},
	}
	w.operate(func(tx ports.OperatorRepos) error {
		for _, record := range []string{"SOC", "STR"} {
			entry.Record = record
			require.NoError(t, tx.Trail.Add(w.ctx, entry))
		}
		return nil
	})
	w.operate(func(tx ports.OperatorRepos) error {
		got := collect(t, tx.Trail.Each(w.ctx, ports.Query{Limit: 1}))
		require.Len(t, got, 1)
		entry.ID = got[0].ID
		require.Equal(t, entry, got[0], "newest first")
		require.Len(t, collect(t, tx.Trail.Each(w.ctx, ports.Query{})), 2)
		return nil
	})
}

// testOwnCurves stores companies' own curves: each company sees its own, the newest first, until they are removed.
func testOwnCurves(t *testing.T, b Backend) {
	w := newWorld(t, b)
	curves := func(level float64) cropcheck.Own {
		set, err := cropcheck.NewSet(cropcheck.GrowingYear{Month: time.March, Day: 1}, false, []cropcheck.Curve{{
			Class: "wheat", Steps: []cropcheck.Step{{NDVI: level, P25: 0.1, P75: 0.3, N: 9}, {Day: 16, NDVI: 0.5, N: 9}},
			CapNDVI: &cropcheck.Cap{Distance: 0.125, Shape: 0.25},
		}})
		require.NoError(t, err)
		set.Scope, set.Extent = "of a test", &cropcheck.Extent{West: 1, South: 2, East: 3, North: 4}
		w.clock.move(time.Second)
		return cropcheck.Own{
			Set: set, Figures: cropcheck.Figures{BlockDegrees: 0.5, Classes: []cropcheck.ClassFigures{{Class: "wheat", Samples: 9, Verified: 8}}},
			LeftOut: map[string]int{"several_crops": 2}, CreatedAt: kept(w.clock.Now()), CreatedBy: &w.ours.user,
		}
	}
	newest := func(of estate, limit int) (out []cropcheck.Own) {
		w.read(func(tx ports.Repos) (err error) {
			out, err = tx.OwnCurves.Newest(w.ctx, of.scope, limit)
			return err
		})
		return out
	}
	first, second := curves(0.2), curves(0.3)
	for _, own := range []*cropcheck.Own{&first, &second} {
		w.write(func(tx ports.Repos) error { return tx.OwnCurves.Insert(w.ctx, w.ours.scope, own) })
	}
	require.Equal(t, []cropcheck.Own{second, first}, newest(w.ours, 10), "exactly as they were")
	require.Equal(t, []cropcheck.Own{second}, newest(w.ours, 1))
	require.Empty(t, newest(w.theirs, 10))
	remove := func(of estate, id int64) error {
		return w.Write(w.ctx, func(ctx context.Context, tx ports.Repos) error {
			return tx.OwnCurves.Remove(ctx, of.scope, id, w.clock.Now())
		})
	}
	require.True(t, fault.Is(remove(w.theirs, second.ID), fault.NotFound))
	require.NoError(t, remove(w.ours, second.ID))
	require.True(t, fault.Is(remove(w.ours, second.ID), fault.NotFound))
	require.Equal(t, []cropcheck.Own{first}, newest(w.ours, 10))
}
