package plans_test

import (
	"testing"
	"time"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/credit"
	"tilth/ports"
)

// walletQueries are the queries of the wallet.
type walletQueries interface {
	Posted(scope access.Scope) *bun.SelectQuery
	Statement(scope access.Scope, span ports.LedgerSpan) *bun.SelectQuery
}

func TestPlansOfAccounts(t *testing.T) {
	assertLists(t, func(r ports.Repos) map[string]list {
		return map[string]list{
			"users":       {of: r.Members, private: true},
			"invitations": {of: r.Invitations, private: true},
			"transactions": {
				of: r.Wallet, query: r.Wallet.(walletQueries).Posted, private: true,
				indexes: map[string]string{
					"kind": "ix_ledger_transactions_kind", "product": "ix_ledger_transactions_product",
					"order": "ix_ledger_transactions_order", "field": "ix_ledger_transactions_field",
				},
			},
		}
	})
}

func TestPlanOfAStatement(t *testing.T) {
	assertQueries(t, func(_ *sqlstore.Session, r ports.Repos) map[string]*bun.SelectQuery {
		return map[string]*bun.SelectQuery{
			"ix_ledger_transactions_created_at": r.Wallet.(walletQueries).Statement(access.Own(7), ports.LedgerSpan{From: time.Unix(0, 0), To: time.Unix(1, 0), Last: 9, After: &credit.Transaction{}, Limit: 10}),
		}
	})
}
