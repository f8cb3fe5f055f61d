package account

import (
	"context"
	"iter"
	"time"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/credit"
)

func (w wallet) Transaction(ctx context.Context, scope access.Scope, id int64) (credit.Transaction, error) {
	var row transactionRow
	if err := w.transactions(scope).Where("t.id = ?", id).Scan(ctx, &row); err != nil {
		return credit.Transaction{}, sqlstore.Missing(err, "transaction")
	}
	return transactionOfRow(&row)
}

func (w wallet) Refunded(ctx context.Context, scope access.Scope, id int64) (bool, error) {
	return w.transactions(scope).Where("t.refund_of = ?", id).Exists(ctx)
}

func (w wallet) At(ctx context.Context, scope access.Scope, before time.Time) (credit.Wallet, error) {
	balance, held, err := w.sum(ctx, w.transactions(scope).Where("t.created_at < ?", sqlstore.StampAt(before)))
	return credit.Wallet{CompanyID: scope.Company(), Balance: balance, Held: held}, err
}

// Of transactions of one moment the earlier has the smaller id.
func (w wallet) Between(ctx context.Context, scope access.Scope, from, to time.Time) iter.Seq2[credit.Transaction, error] {
	if err := w.s.Unhurried(ctx); err != nil {
		return sqlstore.Failed[credit.Transaction](err)
	}
	return sqlstore.Stream(ctx, w.s, w.between(scope, from, to), transactionOfRow)
}

func (w wallet) between(scope access.Scope, from, to time.Time) *bun.SelectQuery {
	return w.transactions(scope).Where("t.created_at >= ?", sqlstore.StampAt(from)).Where("t.created_at < ?", sqlstore.StampAt(to)).
		OrderExpr("t.created_at, t.id")
}
