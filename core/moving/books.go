package moving

import (
	"fmt"

	"tilth/core/credit"
)

// Books adds up a ledger, to check that it agrees with the wallet that the file states.
type Books struct {
	sums map[credit.Account]credit.Amount
}

// Add adds a line of a transaction.
func (b *Books) Add(account credit.Account, amount credit.Amount) {
	if b.sums == nil {
		b.sums = map[credit.Account]credit.Amount{}
	}
	b.sums[account] += amount
}

// Balanced returns what is wrong with a ledger: its entries do not sum to zero, or not to the wallet.
func (b *Books) Balanced(wallet *Wallet) error {
	var total credit.Amount
	for _, sum := range b.sums {
		total += sum
	}
	if total != 0 {
		return fmt.Errorf("the entries of the ledger sum to %s credits, not to 0", total)
	}
	if wallet == nil {
		wallet = &Wallet{}
	}
	held, available := b.sums[credit.Held], b.sums[credit.Available]
	if held != wallet.Held || held+available != wallet.Balance {
		return fmt.Errorf("the ledger adds up to a balance of %s with %s held, and the wallet states %s with %s", held+available, held, wallet.Balance, wallet.Held)
	}
	return nil
}
