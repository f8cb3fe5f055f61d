package storetest

import (
	"database/sql"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	eventsapp "tilth/app/events"
	"tilth/core/fault"
	"tilth/ports"
)

// referred are the tables that entries of the trail refer to. A partition that is made locks them.
var referred = []string{"companies", "users", "api_keys"}

// testLocksOfPartitions changes partitions while a request uses the tables that they refer to, in any order that a request may. The
// request is never in a deadlock with that, and the partitions are made in the end.
func testLocksOfPartitions(t *testing.T, b Backend) {
	w := newWorld(t, b)
	if strings.HasPrefix(w.address, "sqlite:") {
		t.Skip("SQLite has no partitions")
	}
	var may bool // set deadlock_timeout
	require.NoError(t, raw(t, w.address).QueryRow("SELECT rolsuper FROM pg_roles WHERE rolname = current_user").Scan(&may))
	if !may {
		t.Skip("NOT TESTED: locks of partitions. Fix: let the role of TILTH_TEST_POSTGRES be a superuser.")
	}
	_, next := monthOf(time.Now().UTC().AddDate(0, 4, 0))
	w.clock.move(next.Sub(w.clock.Now()))
	w.partition()
	for _, first := range referred {
		for _, second := range append([]string{"audit_entries", "outbox"}, referred...) {
			if first == second {
				continue
			}
			_, next = monthOf(next)
			w.clock.move(next.Sub(w.clock.Now()))
			made := w.whileWriting(writing(first), writing(second), func() (int64, error) { return w.Partition(w.ctx, w.clock.Now()) })
			require.EqualValues(t, 4, made+w.partition(), "a month and three days")
		}
	}

	w.dropsBeside(writing("companies"))
	w.dropsBeside("SELECT * FROM event_feeds FOR UPDATE") // as whoever takes events for webhooks does, who then reads them
}

// dropsBeside drops the first partition of events, which is made again, beside a transaction that has run a statement and then
// writes an event.
func (w *world) dropsBeside(first string) {
	t := w.t
	t.Helper()
	old := w.happened(w.ours.scope.Company(), first)
	old.At = begin
	w.publish(old)
	w.assign(10)
	rows, err := w.Relay().Pending(w.ctx, w.clock.Now(), lease, 10)
	require.NoError(t, err)
	require.Len(t, rows, 1)
	require.NoError(t, w.Relay().Published(w.ctx, []int64{rows[0].Seq}, w.clock.Now()))
	w.operate(func(tx ports.OperatorRepos) error {
		_, err := tx.Webhooks.Take(w.ctx, []int64{w.ours.scope.Company()})
		return err
	})
	require.Equal(t, map[string]int{"outbox_before": 1}, w.lies("outbox"))
	w.clock.move(48 * time.Hour)
	hooks := &eventsapp.Sequencer{Store: w.Database, Clock: w.clock}
	prune := func() (int64, error) { return hooks.Prune(w.ctx, 24*time.Hour, 24*time.Hour) }
	gone := w.whileWriting(first, writing("outbox"), prune)
	more, err := prune()
	require.NoError(t, err)
	require.EqualValues(t, 1, gone+more)
	require.Empty(t, w.lies("outbox"))
}

// writing is a statement that locks a table as whoever writes a row of it does.
func writing(table string) string { return "LOCK TABLE " + table + " IN ROW EXCLUSIVE MODE" }

func monthOf(at time.Time) (from, next time.Time) {
	from = time.Date(at.Year(), at.Month(), 1, 0, 0, 0, 0, time.UTC)
	return from, from.AddDate(0, 1, 0)
}

// whileWriting runs a change of partitions beside a transaction that has run one statement, and then runs another one. The
// transaction is the one that PostgreSQL would end in a deadlock: it looks for one at once. The change may be told that the
// database is busy.
func (w *world) whileWriting(first, second string, change func() (int64, error)) int64 {
	w.t.Helper()
	ctx := w.ctx
	tx, err := raw(w.t, w.address).BeginTx(ctx, nil)
	require.NoError(w.t, err)
	defer func() { _ = tx.Rollback() }()
	run := func(statement string) {
		w.t.Helper()
		_, err := tx.ExecContext(ctx, statement)
		require.NoError(w.t, err, "%s, then %s", first, second)
	}
	run("SET LOCAL deadlock_timeout = '1ms'")
	run(first)
	type result struct {
		n   int64
		err error
	}
	done := make(chan result, 1)
	go func() {
		n, err := change()
		done <- result{n, err}
	}()
	w.waits(tx)
	run(second)
	require.NoError(w.t, tx.Commit())
	got := <-done
	if got.err != nil {
		require.Equal(w.t, fault.Unavailable, fault.KindOf(got.err), "%v", got.err)
	}
	return got.n
}

// waits returns when another connection to the database waits for a lock, or after a while if none does.
func (w *world) waits(tx *sql.Tx) {
	w.t.Helper()
	waiting := false
	for range 20 {
		require.NoError(w.t, tx.QueryRowContext(w.ctx, "SELECT EXISTS (SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')").Scan(&waiting))
		if waiting {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}
