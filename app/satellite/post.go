package satellite

import (
	"context"

	"tilth/core/access"
	"tilth/core/credit"
	"tilth/ports"
)

// The lock order of everything that touches money is: wallet, then order. Who posts has
// locked the wallet, and gives it as it was then.

// PostToWallet writes one transaction, in the wallet's new state; an amount of nothing leaves no line.
// Faults: PaymentRequired (insufficient_credit) for a hold of more than is available.
func PostToWallet(ctx context.Context, tx ports.Repos, scope access.Scope, wallet credit.Wallet, t credit.Transaction) error {
	if t.Amount == 0 {
		return nil
	}
	next, err := wallet.Apply(t.Kind, t.Amount)
	if err != nil {
		return err
	}
	t.CompanyID = scope.Company()
	return tx.Wallet.Post(ctx, scope, next, &t)
}
