package storetest

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	auditapp "tilth/app/audit"
	"tilth/app/operating"
	"tilth/core/chain"
	"tilth/ports"
)

// rows counts the rows of a table.
func (w *world) rows(table string) (n int) {
	w.t.Helper()
	require.NoError(w.t, raw(w.t, w.address).QueryRow("SELECT count(*) FROM "+table).Scan(&n))
	return n
}

// testRetention makes more records of every kind than one transaction removes, half of them old.
func testRetention(t *testing.T, b Backend) {
	w := newWorld(t, b)
	const n = 700
	now, old := w.clock.Now(), w.clock.Now().Add(-100*24*time.Hour)
	for i := range 2 * n {
		at := old
		if i%2 == 1 {
			at = now
		}
		w.operate(func(tx ports.OperatorRepos) error {
			if err := tx.Accounts.AddRefresh(w.ctx, ports.RefreshToken{Hash: fmt.Sprint(i), Family: "f", UserID: w.ours.user.ID, ExpiresAt: at}); err != nil {
				return err
			}
			if i >= 20 {
				return nil
			}
			in := ports.Invitation{Email: "x@x.example", Name: "X", CreatedAt: at, ExpiresAt: at}
			if err := tx.Invitations.Insert(w.ctx, w.ours.scope, &in, fmt.Sprint("link", i)); err != nil {
				return err
			}
			return tx.Letters.Put(w.ctx, &ports.Letter{Kind: ports.LetterInvitation, Email: fmt.Sprint(i), CompanyID: in.CompanyID, InvitationID: in.ID, CreatedAt: at})
		})
	}
	db, company := raw(t, w.address), w.ours.scope.Company()
	for i, status := range []string{"completed", "failed", "running", "queued"} {
		for at, stamp := range []time.Time{old, now} {
			text := stamp.UTC().Format("2006-01-02T15:04:05.000000Z")
			for _, statement := range []string{
				fmt.Sprintf(`INSERT INTO field_imports (id, company_id, created_by, created_at, updated_at, farm_id, name_property, external_id_property, preview,
atomic, object, media, status, reason, checking, total, done, created, updated, skipped, failed)
VALUES (%d, %d, %d, '%s', '%s', %d, '', '', false, false, '', '', '%s', '', false, 0, 0, 0, 0, 0, 0)`,
					100+2*i+at, company, w.ours.user.ID, text, text, w.ours.farm.ID, status),
				fmt.Sprintf("INSERT INTO field_import_failures (import_id, feature, name, external_id, errors) VALUES (%d, 1, '', '', '[]')", 100+2*i+at),
				fmt.Sprintf(`INSERT INTO assessment_batches (id, company_id, created_by, created_at, updated_at, kind, options, object, status, reason, checking, total, done, last_id, tally)
VALUES (%d, %d, %d, '%s', '%s', 'import', '{}', '', '%s', '', false, 0, 0, 0, '{}')`, 100+2*i+at, company, w.ours.user.ID, text, text, status),
			} {
				_, err := db.Exec(statement)
				require.NoError(t, err)
			}
		}
	}
	op := operating.Operating{Store: w.Database, Clock: w.clock, IDs: w.ids}
	days := 24 * time.Hour
	total, err := op.PurgeOld(w.ctx, operating.Retention{Sessions: 30 * days, Invitations: 90 * days, Imports: 90 * days, Jobs: 90 * days})
	require.NoError(t, err)
	require.EqualValues(t, n+10+2+2, total)
	for table, want := range map[string]int{
		"refresh_tokens": n, "invitations": 10, "tickets": 10, "letters": 10, "field_imports": 6, "field_import_failures": 6, "assessment_batches": 6,
	} {
		require.Equal(t, want, w.rows(table), table)
	}
	total, err = op.PurgeOld(w.ctx, operating.Retention{Sessions: 30 * days, Invitations: 90 * days, Imports: 90 * days, Jobs: 90 * days})
	require.NoError(t, err)
	require.Zero(t, total)
}

// testAuditRetention removes old entries below a signed checkpoint, and nothing else.
func testAuditRetention(t *testing.T, b Backend) {
	w := newWorld(t, b)
	s := &auditapp.Sequencer{Store: w.Database, Clock: w.clock, IDs: w.ids}
	purge := func(kept time.Duration) int64 {
		t.Helper()
		n, err := s.Purge(w.ctx, slog.New(slog.DiscardHandler), kept)
		require.NoError(t, err)
		return n
	}
	const month = 30 * 24 * time.Hour
	w.account(w.ours.scope, 600)
	require.Zero(t, purge(month), "nothing is chained yet")
	w.sequence()
	w.clock.move(2*month + 48*time.Hour)
	w.account(w.ours.scope, 5)
	require.Zero(t, purge(0), "0 keeps for good")
	w.sequence()
	before := w.verified(chain.Audit)
	all, ledger := w.rows("audit_entries"), w.rows("ledger_transactions")
	require.EqualValues(t, all-5, purge(month), "of the five new ones nothing is removed")
	require.Equal(t, 5, w.rows("audit_entries"))
	require.Equal(t, ledger, w.rows("ledger_transactions"), "the ledger is kept for good")
	after := w.verified(chain.Audit)
	require.Nil(t, after.Broken, "%v", after.Broken)
	require.EqualValues(t, 5, after.Rows)
	require.Equal(t, before.Head.Hash, after.Head.Hash)
	require.Equal(t, before.Head.Position-5, after.Head.Purged)
	require.Zero(t, purge(month))

	// The database refuses to delete what is above the checkpoint, and a chain continues after it.
	_, err := raw(t, w.address).Exec("DELETE FROM audit_entries")
	require.ErrorContains(t, err, "append-only")
	w.account(w.ours.scope, 2)
	w.sequence()
	w.whole(chain.Audit, 7)

	// The next purge completes one that was killed between two transactions.
	w.clock.move(2*month + 48*time.Hour)
	head := w.verified(chain.Audit).Head
	w.operate(func(tx ports.OperatorRepos) error {
		mark, err := tx.Chains.Before(w.ctx, head.ID, w.clock.Now().Add(-month))
		require.NoError(t, err)
		require.Equal(t, head, mark, "the head itself is a checkpoint")
		return nil
	})
	w.operate(func(tx ports.OperatorRepos) error {
		keys, err := (&auditapp.Verifier{Store: w.Database}).Keys(w.ctx)
		require.NoError(t, err)
		next := head
		next.Purged = head.Position
		if err := tx.Chains.Mark(w.ctx, head, keys[0].Sign(next)); err != nil {
			return err
		}
		_, err = tx.Chains.RemovePurged(w.ctx, head.ID, 3)
		return err
	})
	w.whole(chain.Audit, 0)
	require.EqualValues(t, 4, purge(month))
	w.whole(chain.Audit, 0)
	require.Zero(t, w.rows("audit_entries"))

	// A broken chain is left for examination.
	w.account(w.ours.scope, 2)
	w.sequence()
	w.clock.move(2*month + 48*time.Hour)
	conn := meddler(t, w)
	_, err = conn.ExecContext(context.Background(), "UPDATE audit_entries SET resource = 'x'")
	require.NoError(t, err)
	require.Zero(t, purge(month))
	require.Equal(t, 2, w.rows("audit_entries"))
}
