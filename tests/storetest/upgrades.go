package storetest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/persistence/sqlstore"
	"tilth/core/chain"
	"tilth/core/geo"
	"tilth/core/vegetation"
	"tilth/ports"
)

// testUpgrades compares what earlier releases left with what this one makes of it. It goes down and up only twice for
// all of it, because each migration that is reverted rehearses it over all tables.
func testUpgrades(t *testing.T, b Backend) {
	c := newCaller(t, b)
	w := c.world
	outlined := w.outlinesUpgraded()
	w.account(w.ours.scope, 3)
	w.operates(3)
	w.sequence()
	ledger, operated := w.verified(chain.Ledger).Rows, w.verified(chain.Operator).Rows
	require.EqualValues(t, 3, ledger)

	// The chain of the operator alone is removed and restored without any change to the others.
	w.revertTo("_operator_chain")
	w.upgrade()
	w.whole(chain.Ledger, ledger)
	require.Equal(t, operated, w.verified(chain.Operator).Waiting)
	w.sequence()
	w.whole(chain.Operator, operated)

	w.revertTo("_answers_with_effects")
	c.repliesOfBefore()
	w.upgrade()
	outlined()
	c.repliesUpgraded()

	// Rows from before the chains existed are chained after the upgrade.
	require.Equal(t, ledger, w.verified(chain.Ledger).Waiting)
	require.Equal(t, operated, w.verified(chain.Operator).Waiting)
	w.sequence()
	w.whole(chain.Ledger, ledger)
	w.whole(chain.Operator, operated)
}

// revertTo reverts the newest migrations, down to and including the one whose name has that ending.
func (w *world) revertTo(ending string) {
	w.t.Helper()
	for name := ""; !strings.HasSuffix(name, ending); {
		var err error
		name, err = w.Migrator().Down(w.ctx, func(string, []sqlstore.Loss) error { return nil })
		require.NoError(w.t, err)
		require.NotEmpty(w.t, name, "there is no migration %s", ending)
	}
}

func (w *world) upgrade() {
	w.t.Helper()
	_, err := w.Migrator().Up(w.ctx)
	require.NoError(w.t, err)
}

// outlinesUpgraded stores an order with its series, and returns the assertion that an order stored before series had
// outlines is found with its series and its outline.
func (w *world) outlinesUpgraded() func() {
	t, scope := w.t, w.ours.scope
	order := w.newOrder(w.ours)
	w.write(func(tx ports.Repos) error { return tx.Orders.Insert(w.ctx, scope, &order) })
	series := vegetation.Series{Index: "NDVI", Observations: []vegetation.Observation{
		{Date: date(2026, 3, 1), Value: 0.5, Coverage: 1, NValid: 9, NPolygon: 9, Items: []string{"a"}, Origin: vegetation.Origin{Fingerprint: "f"}},
		{Date: date(2026, 3, 9), Value: 0.6, Coverage: 1, NValid: 9, NPolygon: 9, Items: []string{"b"}},
	}, Rejected: []vegetation.Rejection{{Date: date(2026, 3, 5), Reason: vegetation.ReasonError, Items: []string{"c"}, Note: "gone"}}}
	field, outline := w.ours.field, geo.RestoreBoundary(order.Boundary, geo.Measures{})
	field.Boundary = &outline
	w.write(func(tx ports.Repos) error {
		require.NoError(t, tx.Fields.Update(w.ctx, scope, &field))
		if err := tx.Boundaries.Open(w.ctx, scope, []int64{order.FieldID}, 0); err != nil {
			return err
		}
		return tx.Orders.PutSeries(w.ctx, scope, order.ID, series)
	})
	return func() {
		t.Helper()
		w.read(func(tx ports.Repos) error {
			got, err := tx.Orders.Get(w.ctx, scope, order.ID)
			require.NoError(t, err)
			require.NotZero(t, got.BoundaryID)
			require.False(t, got.BoundaryOutdated())
			require.Equal(t, []any{1, 2, date(2026, 3, 1), date(2026, 3, 9)}, []any{got.Unread, got.Points, *got.FirstDate, *got.LastDate})
			stored, err := tx.Orders.Series(w.ctx, scope, order.ID, vegetation.Reading{Index: "NDVI"})
			require.Equal(t, series, stored)
			return err
		})
	}
}

// repliesOfBefore writes requests under keys as an earlier release did.
func (c *caller) repliesOfBefore() {
	db, now := raw(c.t, c.address), kept(c.clock.Now()).Format("2006-01-02T15:04:05.000000Z")
	for key, times := range map[string]string{
		"answered": fmt.Sprintf("'%s', '%[1]s', 200", now), "executed": fmt.Sprintf("'%s', NULL, 0", now), "begun": "NULL, NULL, 0",
	} {
		_, err := db.ExecContext(c.ctx, fmt.Sprintf(`INSERT INTO replays
(company_id, key, digest, token, claimed_at, lease_until, executed_at, answered_at, status, header)
VALUES (%d, '%s', 'd', 't', '%s', '%[3]s', %s, '{}')`, c.who.CompanyID, key, now, times))
		require.NoError(c.t, err)
	}
}

// repliesUpgraded asserts that answers of an earlier release are replayed, that what it carried out without an answer
// is not carried out again, and that what it only began is.
func (c *caller) repliesUpgraded() {
	for key, status := range map[string]int{"answered": 200, "executed": 409} {
		a, replayed, err := c.requests.Do(c.ctx, c.who, key, "d", c.never)
		require.NoError(c.t, err)
		require.True(c.t, replayed)
		require.Equal(c.t, status, a.Status)
		require.Equal(c.t, status == 409, json.Valid(a.Body))
	}
	c.carriedOut("begun", 1)
}
