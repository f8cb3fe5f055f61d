package storetest

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	auditapp "tilth/app/audit"
	"tilth/core/access"
	"tilth/core/audit"
	"tilth/core/chain"
	"tilth/core/credit"
	"tilth/ports"
)

// sequence chains everything that waits and returns how many rows there were.
func (w *world) sequence() int64 {
	w.t.Helper()
	n, err := (&auditapp.Sequencer{Store: w.Database, Clock: w.clock, IDs: w.ids}).Run(w.ctx)
	require.NoError(w.t, err)
	return n
}

// verified verifies a chain of the first company.
func (w *world) verified(name chain.Name) auditapp.Verified {
	w.t.Helper()
	out := collect(w.t, (&auditapp.Verifier{Store: w.Database}).Verify(w.ctx, name, w.ours.scope.Company()))
	require.Len(w.t, out, 1)
	return out[0]
}

func (w *world) whole(name chain.Name, rows int64) {
	w.t.Helper()
	got := w.verified(name)
	require.Nil(w.t, got.Broken, "%v", got.Broken)
	require.Equal(w.t, rows, got.Rows)
}

// account adds n entries to the trail and n transactions to the ledger of a company.
func (w *world) account(scope access.Scope, n int) {
	w.t.Helper()
	now := w.clock.Now()
	w.write(func(tx ports.Repos) error {
		wallet, err := tx.Wallet.Lock(w.ctx, scope)
		if err != nil {
			return err
		}
		for i := range n {
			if wallet, err = wallet.Apply(credit.Credit, 100); err != nil {
				return err
			}
			if err := tx.Wallet.Post(w.ctx, scope, wallet, &credit.Transaction{CreatedAt: now, Kind: credit.Credit, Amount: 100, Note: fmt.Sprintf("<gift> %d é", i)}); err != nil {
				return err
			}
			entry := audit.Entry{CompanyID: scope.Company(), At: now, User: &access.Named{ID: w.ours.user.ID}, Action: audit.Update, Resource: "farm", RecordID: int64(i + 1)}
			entry.Changes = []audit.Change{
				{Member: "name", Before: nil, After: fmt.Sprintf("<name> %d é", i)}, {Member: "area", Before: 1e-7, After: 2.5e21},
				{Member: "list", Before: []any{true, "x"}, After: map[string]any{"b": int64(1), "a": nil}},
			}
			if err := tx.Audit.Add(w.ctx, entry); err != nil {
				return err
			}
		}
		return nil
	})
}

// operates adds n entries to the trail of the operator.
func (w *world) operates(n int) {
	w.t.Helper()
	w.operate(func(tx ports.OperatorRepos) error {
		for i := range n {
			entry := ports.OperatorEntry{At: w.clock.Now(), Action: audit.Update, Resource: "price", Record: fmt.Sprintf("NDVI %d é", i)}
			entry.Changes = []audit.Change{{Member: "per_ha", Before: "1.50", After: "2.50"}}
			if err := tx.Trail.Add(w.ctx, entry); err != nil {
				return err
			}
		}
		return nil
	})
}

// meddler is a connection that bypasses every guard of the database.
func meddler(t testing.TB, w *world) *sql.Conn {
	t.Helper()
	conn, err := raw(t, w.address).Conn(w.ctx)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	if strings.HasPrefix(w.address, "sqlite:") {
		const triggers = "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name IN ('audit_entries', 'operator_entries', 'ledger_transactions', 'ledger_entries')"
		names := []string{}
		eachRow(t, conn, triggers, func(rows *sql.Rows) {
			var name string
			require.NoError(t, rows.Scan(&name))
			names = append(names, name)
		})
		require.NotEmpty(t, names)
		for _, name := range names {
			_, err := conn.ExecContext(w.ctx, "DROP TRIGGER "+name)
			require.NoError(t, err)
		}
		_, err = conn.ExecContext(w.ctx, "PRAGMA foreign_keys = 0; PRAGMA ignore_check_constraints = 1")
		require.NoError(t, err)
		return conn
	}
	_, err = conn.ExecContext(w.ctx, "SET session_replication_role = replica")
	require.NoError(t, err)
	return conn
}

func testChains(t *testing.T, b Backend) {
	w := newWorld(t, b)
	w.sequence()
	begun := w.verified(chain.Audit).Rows
	w.account(w.ours.scope, 3)
	w.account(w.theirs.scope, 2)
	require.EqualValues(t, 3, w.verified(chain.Ledger).Waiting, "rows wait from their commit on")
	w.whole(chain.Ledger, 0)
	require.EqualValues(t, 10, w.sequence())
	require.Zero(t, w.sequence(), "no row is chained twice")
	w.whole(chain.Audit, begun+3)
	w.whole(chain.Ledger, 3)

	// The trail of the operator belongs to no company.
	operated := w.verified(chain.Operator).Rows
	w.operates(3)
	require.EqualValues(t, 3, w.verified(chain.Operator).Waiting)
	require.EqualValues(t, 3, w.sequence())
	w.whole(chain.Operator, operated+3)
	w.whole(chain.Audit, begun+3)

	// A transaction that commits late is chained late; others go on meanwhile.
	conn := raw(t, w.address)
	if !strings.HasPrefix(w.address, "sqlite:") {
		tx, err := conn.BeginTx(w.ctx, nil)
		require.NoError(t, err)
		_, err = tx.Exec(fmt.Sprintf("INSERT INTO audit_entries (company_id, at, operator, action, resource, record_id, changes) VALUES (%d, now(), false, 'create', 'farm', 1, '[]')", w.ours.scope.Company()))
		require.NoError(t, err)
		w.account(w.ours.scope, 1)
		require.EqualValues(t, 2, w.sequence(), "nothing waits for the transaction")
		require.NoError(t, tx.Commit())
		require.EqualValues(t, 1, w.sequence())
		w.whole(chain.Audit, begun+5)
	}

	// Any number of sequencers chain a row only once.
	w.account(w.ours.scope, 40)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			_, err := (&auditapp.Sequencer{Store: w.Database, Clock: w.clock, IDs: w.ids}).Run(context.Background())
			require.NoError(t, err)
		})
	}
	all.Wait()
	got := w.verified(chain.Ledger)
	require.Nil(t, got.Broken)
	require.Zero(t, got.Waiting)
	require.Equal(t, got.Head.Position, got.Rows)

	// An export contains everything that is needed to recompute the chain.
	text, hash := "", chain.ID{Name: chain.Ledger, CompanyID: w.ours.scope.Company()}
	for _, e := range collect(t, (&auditapp.Verifier{Store: w.Database}).Export(w.ctx, hash)) {
		if e.Link != nil {
			text = e.Text
			require.Equal(t, "note", e.Values[0].Name)
		}
	}
	require.Contains(t, text, `"created_at":"2026-03-01T12:30:15.123456Z","kind":"credit","amount":"100"`)
	require.Contains(t, text, `"entries.1.account":"house:funding","entries.1.amount":"-100"`)
	require.NotContains(t, text, "gift", "a personal value is there as its digest alone")
}

// testAppendOnly asserts that the database itself refuses every way to rewrite what is append-only.
func testAppendOnly(t *testing.T, b Backend) {
	w := newWorld(t, b)
	w.account(w.ours.scope, 2)
	w.sequence()
	db := raw(t, w.address)
	w.operates(1)
	for _, table := range []string{"audit_entries", "operator_entries", "ledger_transactions", "ledger_entries"} {
		column := map[string]string{"audit_entries": "action", "operator_entries": "record", "ledger_transactions": "note", "ledger_entries": "account"}[table]
		statements := []string{"UPDATE " + table + " SET " + column + " = " + column, "DELETE FROM " + table}
		if strings.HasPrefix(w.address, "sqlite:") {
			statements = append(statements, "INSERT OR REPLACE INTO "+table+" SELECT * FROM "+table, "UPDATE OR REPLACE "+table+" SET rowid = rowid + 1")
		} else {
			statements = append(statements, "TRUNCATE "+table+" CASCADE")
		}
		for _, statement := range statements {
			_, err := db.Exec(statement)
			require.ErrorContains(t, err, "append-only", statement)
		}
	}
	w.whole(chain.Ledger, 2)
}

// variants returns other values for a column, as SQL: NULL, one for each byte changed, and one with a space added.
func variants(value sql.NullString) []string {
	quote := func(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
	if !value.Valid {
		return []string{"'1'"}
	}
	out := []string{"NULL"}
	for i := range value.String {
		changed := []byte(value.String)
		changed[i] ^= 1
		out = append(out, quote(string(changed)))
	}
	return append(out, quote(value.String+" "))
}

// testTampering changes every value of a chained row, byte by byte, and of the rows that chain it.
func testTampering(t *testing.T, b Backend) {
	w := newWorld(t, b)
	w.account(w.ours.scope, 2)
	w.operates(2)
	w.sequence()
	w.account(w.ours.scope, 1)
	w.operates(1)
	w.sequence()
	conn := meddler(t, w)
	company := fmt.Sprint(w.ours.scope.Company())
	last := func(table string) string { return "id = (SELECT max(id) - 1 FROM kept_" + table + ")" }
	tried := 0
	for _, c := range []struct {
		chain        chain.Name
		table, where string
		columns      []string
	}{
		{chain.Audit, "audit_entries", last("audit_entries"),
			[]string{"id", "company_id", "at", "user_id", "operator", "api_key_id", "action", "resource", "record_id", "changes"}},
		{chain.Operator, "operator_entries", last("operator_entries"), []string{"id", "at", "user_id", "action", "resource", "record", "changes"}},
		{chain.Ledger, "ledger_transactions", last("ledger_transactions"),
			[]string{"id", "company_id", "created_at", "kind", "amount", "product", "field_id", "order_id", "note", "refund_of"}},
		{chain.Ledger, "ledger_entries", "line = 1 AND transaction_id = 2", []string{"transaction_id", "line", "account", "amount"}},
		{chain.Audit, "chain_links", "chain = 'audit' AND company_id = " + company + " AND position = 2", []string{"position", "row_id", "salts", "digest", "hash"}},
		{chain.Audit, "chain_heads", "chain = 'audit' AND company_id = " + company, []string{"position", "hash", "purged", "at", "key_id", "signature"}},
		{chain.Audit, "chain_checkpoints", "chain = 'audit' AND company_id = " + company, []string{"position", "hash", "purged", "at", "key_id", "signature"}},
	} {
		do := func(statement string) error {
			_, err := conn.ExecContext(w.ctx, statement)
			return err
		}
		require.NoError(t, do("CREATE TABLE kept_"+c.table+" AS SELECT * FROM "+c.table))
		same := func() (n int) {
			query := "SELECT count(*) FROM (SELECT * FROM " + c.table + " EXCEPT SELECT * FROM kept_" + c.table + ") AS x"
			require.NoError(t, conn.QueryRowContext(w.ctx, query).Scan(&n))
			return n
		}
		for _, column := range c.columns {
			var before sql.NullString
			require.NoError(t, conn.QueryRowContext(w.ctx, "SELECT CAST("+column+" AS TEXT) FROM "+c.table+" WHERE "+c.where).Scan(&before))
			for _, after := range variants(before) {
				if do("UPDATE "+c.table+" SET "+column+" = "+after+" WHERE "+c.where) != nil || same() == 0 {
					continue // not a value of the column, or another spelling of the same value
				}
				require.NotNil(t, w.verified(c.chain).Broken, "%s.%s = %s", c.table, column, after)
				tried++
				require.NoError(t, do("DELETE FROM "+c.table))
				require.NoError(t, do("INSERT INTO "+c.table+" SELECT * FROM kept_"+c.table))
			}
		}
		require.Nil(t, w.verified(c.chain).Broken)
		for _, gone := range []string{c.where, "1 = 1"} {
			require.NoError(t, do("DELETE FROM "+c.table+" WHERE "+gone))
			if broken := w.verified(c.chain).Broken; c.table != "chain_checkpoints" { // checkpoints below which nothing was purged are not needed
				require.NotNil(t, broken, c.table)
			}
			require.NoError(t, do("DELETE FROM "+c.table))
			require.NoError(t, do("INSERT INTO "+c.table+" SELECT * FROM kept_"+c.table))
		}
	}
	require.Greater(t, tried, 300)

	// A row that was added without being chained.
	_, err := conn.ExecContext(w.ctx, "INSERT INTO audit_entries (company_id, at, operator, action, resource, record_id, changes) VALUES ("+
		company+", '2026-03-01T12:30:15.000000Z', '0', 'create', 'farm', 1, '[]')")
	require.NoError(t, err)
	require.Equal(t, chain.Added, w.verified(chain.Audit).Broken.Kind)
}
