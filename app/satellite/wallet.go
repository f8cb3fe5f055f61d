package satellite

import (
	"context"
	"iter"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/credit"
	"tilth/ports"
)

// Wallet returns the caller's wallet. Faults: Unauthenticated, Forbidden.
func (o *Profiles) Wallet(ctx context.Context, who access.Principal) (credit.Wallet, error) {
	return app.Read(ctx, o.deps, who, access.Wallets.View, func(ctx context.Context, tx ports.Repos) (credit.Wallet, error) {
		return tx.Wallet.Get(ctx, who.Scope(false))
	})
}

// Transactions returns the ledger, newest first. Faults: Unauthenticated, Forbidden.
func (o *Profiles) Transactions(ctx context.Context, who access.Principal, q ports.Query) (app.List[credit.Transaction], error) {
	if err := o.deps.Gate.Require(ctx, who, access.Wallets.View); err != nil {
		return app.List[credit.Transaction]{}, err
	}
	scope := who.Scope(false)
	return app.ReadList(ctx, o.deps.Store,
		func(ctx context.Context, tx ports.Repos) (int64, error) {
			return tx.Wallet.CountTransactions(ctx, scope, q)
		},
		func(ctx context.Context, tx ports.Repos) iter.Seq2[credit.Transaction, error] {
			return tx.Wallet.Transactions(ctx, scope, q)
		})
}
