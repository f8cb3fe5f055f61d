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
	return app.ReadList(ctx, o.deps, app.Ask{Who: who, Need: access.Wallets.View},
		func(ctx context.Context, tx ports.Repos, scope access.Scope) (int64, error) {
			return tx.Wallet.CountTransactions(ctx, scope, q)
		},
		func(ctx context.Context, tx ports.Repos, scope access.Scope) iter.Seq2[credit.Transaction, error] {
			return tx.Wallet.Transactions(ctx, scope, q)
		})
}
