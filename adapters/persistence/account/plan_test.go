package account

import (
	"testing"
	"time"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/credit"
	"tilth/ports"
	"tilth/tests/plantest"
)

func TestPlansOfAccounts(t *testing.T) {
	plantest.AssertLists(t, func(s *sqlstore.Session) map[string]plantest.List {
		return map[string]plantest.List{
			"users":       {Query: memberRecords(s).Query, Filters: memberView.Filters, Private: true},
			"invitations": {Query: invitationRecords(s).Query, Filters: invitationView.Filters, Private: true},
			"transactions": {
				Query: wallet{s}.transactions, Filters: transactionFilters, Private: true,
				Indexes: map[string]string{
					"kind": "ix_ledger_transactions_kind", "product": "ix_ledger_transactions_product",
					"order": "ix_ledger_transactions_order", "field": "ix_ledger_transactions_field",
				},
			},
		}
	})
}

func TestPlanOfAStatement(t *testing.T) {
	plantest.AssertQueries(t, func(s *sqlstore.Session) map[string]*bun.SelectQuery {
		return map[string]*bun.SelectQuery{
			"ix_ledger_transactions_created_at": wallet{s}.between(access.Own(7), ports.LedgerSpan{From: time.Unix(0, 0), To: time.Unix(1, 0), Last: 9, After: &credit.Transaction{}, Limit: 10}),
		}
	})
}
