package satellite

import (
	"context"
	"time"

	"tilth/core/access"
	"tilth/core/credit"
	"tilth/ports"
)

// Purse is a company's wallet under its lock, in a transaction. The lock order of everything
// that touches money is: wallet, then order; an order is read for update after its purse.
type Purse struct {
	Tx     ports.Repos
	Scope  access.Scope
	Now    time.Time
	wallet credit.Wallet
}

// LockPurse locks the wallet of a company until the transaction ends.
func LockPurse(ctx context.Context, tx ports.Repos, scope access.Scope, now time.Time) (Purse, error) {
	wallet, err := tx.Wallet.Lock(ctx, scope)
	return Purse{tx, scope, now, wallet}, err
}

// Post writes one ledger transaction, in the wallet's new state; an amount of nothing leaves no
// line. Faults: PaymentRequired (insufficient_credit) for a hold of more than is available.
func (p Purse) Post(ctx context.Context, t credit.Transaction) error {
	if t.Amount == 0 {
		return nil
	}
	next, err := p.wallet.Apply(t.Kind, t.Amount)
	if err != nil {
		return err
	}
	t.CompanyID, t.CreatedAt = p.Scope.Company(), p.Now
	return p.Tx.Wallet.Post(ctx, p.Scope, next, &t)
}
