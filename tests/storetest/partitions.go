package storetest

import (
	"database/sql"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	auditapp "tilth/app/audit"
	eventsapp "tilth/app/events"
	"tilth/core/chain"
	"tilth/core/event"
	"tilth/ports"
)

// divided are the tables that PostgreSQL keeps in partitions, with their keys.
var divided = map[string]string{"outbox": "seq", "audit_entries": "id"}

// contentOf returns the rows of a table as text, in the order of their keys.
func (w *world) contentOf(table, columns, key string) (out []string) {
	w.t.Helper()
	eachRow(w.t, raw(w.t, w.address), "SELECT CAST(("+columns+") AS TEXT) FROM "+table+" ORDER BY "+key, func(rows *sql.Rows) {
		var row string
		require.NoError(w.t, rows.Scan(&row))
		out = append(out, row)
	})
	return out
}

// lies counts the rows of a table by their partition.
func (w *world) lies(table string) map[string]int {
	w.t.Helper()
	out := map[string]int{}
	eachRow(w.t, raw(w.t, w.address), "SELECT CAST(tableoid::regclass AS TEXT), count(*) FROM "+table+" GROUP BY 1", func(rows *sql.Rows) {
		var part string
		var n int
		require.NoError(w.t, rows.Scan(&part, &n))
		out[part] = n
	})
	return out
}

func (w *world) partition() int64 {
	w.t.Helper()
	n, err := w.Partition(w.ctx, w.clock.Now())
	require.NoError(w.t, err)
	return n
}

// refuses asserts that the trail and each of its partitions refuse changes.
func (w *world) refuses() {
	w.t.Helper()
	db := raw(w.t, w.address)
	statements := []string{"UPDATE audit_entries SET resource = 'x'", "DELETE FROM audit_entries", "TRUNCATE audit_entries"}
	for part := range w.lies("audit_entries") {
		statements = append(statements, "UPDATE "+part+" SET resource = 'x'", "DELETE FROM "+part, "TRUNCATE "+part)
	}
	for _, statement := range statements {
		_, err := db.ExecContext(w.ctx, statement)
		require.ErrorContains(w.t, err, "append-only", statement)
	}
}

// testPartitions checks what is special about partitioned tables, which SQLite does not have.
func testPartitions(t *testing.T, b Backend) {
	w := newWorld(t, b)
	states, err := w.Database.Partitions(w.ctx, w.clock.Now())
	require.NoError(t, err)
	if strings.HasPrefix(w.address, "sqlite:") {
		require.Empty(t, states)
		require.Zero(t, w.partition())
		return
	}
	ours := w.ours.scope.Company()
	w.account(w.ours.scope, 7)
	w.publish(w.happened(ours, "a"), w.happened(ours, "b"))
	w.assign(10)
	w.migratedWithItsRows()

	// The clock goes to the last second of a month that has no partition yet.
	future := time.Now().UTC().AddDate(0, 4, 0)
	next := time.Date(future.Year(), future.Month(), 1, 0, 0, 0, 0, time.UTC)
	w.clock.move(next.Add(-time.Second).Sub(w.clock.Now()))
	w.overAMonthsEnd(next)
	w.expired(next)
}

// migratedWithItsRows reverts and reapplies the migration: every row stays, and ids and sequences continue.
func (w *world) migratedWithItsRows() {
	w.t.Helper()
	read := func() map[string][]string {
		return map[string][]string{
			"outbox":        w.contentOf("outbox", "seq, id, type, company_id, subject, at, data, attempts, held_until, published_at, position, logged_at", "seq"),
			"audit_entries": w.contentOf("audit_entries", "id, company_id, at, user_id, operator, api_key_id, action, resource, record_id, changes", "id"),
		}
	}
	last := func(table, key string) (n int64) {
		require.NoError(w.t, raw(w.t, w.address).QueryRow("SELECT nextval(pg_get_serial_sequence('"+table+"', '"+key+"'))").Scan(&n))
		return n
	}
	before, waiting := read(), w.rows("chain_waiting")
	w.revertTo("_partitions")
	require.Equal(w.t, before, read(), "whole again")
	was := map[string]int64{}
	for table, key := range divided {
		was[table] = last(table, key)
	}
	w.upgrade()
	require.Equal(w.t, before, read())
	require.Equal(w.t, waiting, w.rows("chain_waiting"), "nothing is chained twice")
	for table, key := range divided {
		require.Equal(w.t, map[string]int{table + "_before": len(before[table])}, w.lies(table))
		require.Equal(w.t, was[table]+1, last(table, key))
	}
	w.sequence()
	w.whole(chain.Audit, w.entries())
	w.refuses()
}

// entries counts the entries of the first company.
func (w *world) entries() (n int64) {
	w.t.Helper()
	require.NoError(w.t, raw(w.t, w.address).QueryRow("SELECT count(*) FROM audit_entries WHERE company_id = $1", w.ours.scope.Company()).Scan(&n))
	return n
}

// overAMonthsEnd adds rows before and after the end of a month, with and without partitions made in advance.
func (w *world) overAMonthsEnd(next time.Time) {
	t, ours := w.t, w.ours.scope.Company()
	month, day := next.AddDate(0, 0, -1).Format("_200601"), next.AddDate(0, 0, -1).Format("_20060102")
	before := w.entries()

	// Nobody has made any: the rows are in the rest, and move to their partitions later.
	w.account(w.ours.scope, 3)
	w.publish(w.happened(ours, "c"))
	w.assign(10)
	require.Equal(t, 3, w.lies("audit_entries")["audit_entries_rest"])
	require.Equal(t, 1, w.lies("outbox")["outbox_rest"])
	w.refuses()
	strange := w.happened(ours, "far")
	strange.At = next.AddDate(40, 0, 0) // a server whose clock is wrong
	w.publish(strange)
	w.assign(10)
	require.EqualValues(t, 6, w.partition(), "the present ones and two of the future of each")
	require.Zero(t, w.partition())
	require.Equal(t, 3, w.lies("audit_entries")["audit_entries"+month])
	require.Equal(t, map[string]int{"outbox_before": 2, "outbox" + day: 1, "outbox_rest": 1}, w.lies("outbox"))
	w.refuses()
	states, err := w.Database.Partitions(w.ctx, w.clock.Now())
	require.NoError(t, err)
	for _, s := range states {
		require.False(t, s.Behind, s.Table)
		require.Equal(t, map[string]int64{"outbox": 1}[s.Table], s.Rest)
	}

	w.sequence()
	w.clock.move(4 * time.Hour)
	w.account(w.ours.scope, 4)
	w.publish(w.happened(ours, "d"))
	w.assign(10)
	require.Equal(t, 4, w.lies("audit_entries")["audit_entries"+next.Format("_200601")])
	require.Equal(t, 1, w.lies("outbox")["outbox"+next.Format("_20060102")])
	w.sequence()
	w.whole(chain.Audit, before+7)
	ids, _ := w.after(w.ours.scope, 0, nil, 10)
	require.Equal(t, []string{"a", "b", "c", "far", "d"}, ids)
}

// expired removes what has expired: partitions that contain nothing else, at once.
func (w *world) expired(next time.Time) {
	t, ours := w.t, w.ours.scope.Company()
	hooks := &eventsapp.Sequencer{Store: w.Database, Clock: w.clock}
	prune := func() int64 {
		t.Helper()
		n, err := hooks.Prune(w.ctx, 24*time.Hour, 24*time.Hour)
		require.NoError(t, err)
		return n
	}
	day := "outbox" + next.AddDate(0, 0, -1).Format("_20060102")
	parts := func(table string) (out []string) {
		eachRow(t, raw(t, w.address), "SELECT CAST(inhrelid::regclass AS TEXT) FROM pg_inherits WHERE inhparent = '"+table+"'::regclass", func(rows *sql.Rows) {
			var one string
			require.NoError(t, rows.Scan(&one))
			out = append(out, one)
		})
		return out
	}

	w.clock.move(26 * time.Hour) // the last day of the month has ended
	require.Zero(t, prune(), "what was not published, and what webhooks have not got, keeps its partition")
	require.Contains(t, parts("outbox"), day)
	rows, err := w.Relay().Pending(w.ctx, w.clock.Now(), lease, 10)
	require.NoError(t, err)
	for _, row := range rows {
		require.NoError(t, w.Relay().Published(w.ctx, []int64{row.Seq}, w.clock.Now()))
	}
	require.Zero(t, prune())
	w.operate(func(tx ports.OperatorRepos) error {
		_, err := tx.Webhooks.Take(w.ctx, []int64{ours})
		return err
	})
	require.EqualValues(t, 4, prune(), "the first partition, that of a day, and the stray one")
	require.NotContains(t, parts("outbox"), day)
	require.Contains(t, parts("outbox"), "outbox_before", "an empty one takes what comes from long ago")
	ids, bounds := w.after(w.ours.scope, 4, nil, 10)
	require.Equal(t, []string{"d"}, ids)
	require.Equal(t, event.Bounds{Last: 5, Pruned: 4}, bounds)

	s := &auditapp.Sequencer{Store: w.Database, Clock: w.clock, IDs: w.ids}
	purge := func() int64 {
		t.Helper()
		n, err := s.Purge(w.ctx, slog.New(slog.DiscardHandler), 31*24*time.Hour)
		require.NoError(t, err)
		return n
	}
	month := "audit_entries" + next.AddDate(0, 0, -1).Format("_200601")
	w.clock.move(29 * 24 * time.Hour)
	all := w.entries()
	require.Positive(t, purge(), "what lies before the month")
	require.Contains(t, parts("audit_entries"), month, "its end is not that old")
	w.clock.move(3 * 24 * time.Hour)
	w.account(w.ours.scope, 1)
	require.Positive(t, w.sequence())
	require.EqualValues(t, 3, purge(), fmt.Sprintf("of %d", all))
	require.NotContains(t, parts("audit_entries"), month)
	w.whole(chain.Audit, 5)
	require.EqualValues(t, 5, w.entries())
	w.refuses()
	w.read(func(tx ports.Repos) error {
		n, err := tx.Audit.Count(w.ctx, w.ours.scope, ports.AuditQuery{})
		require.EqualValues(t, 5, n)
		return err
	})
}
