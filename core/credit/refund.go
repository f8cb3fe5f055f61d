package credit

import (
	"strconv"
	"time"

	"tilth/core/fault"
)

// RefundOf returns the refund of a capture: all of it where amount is 0, otherwise amount, which is at most all of it.
// The caller ensures that a capture is refunded only once. The field remains charged: the company keeps the profile.
// Faults: Invalid (transaction, amount).
func RefundOf(captured Transaction, amount Amount, note string, now time.Time) (Transaction, error) {
	if captured.Kind != Capture {
		return Transaction{}, fault.Field("transaction",
			"Only a capture can be refunded; transaction "+strconv.FormatInt(captured.ID, 10)+" is a "+string(captured.Kind)+".")
	}
	if amount == 0 {
		amount = captured.Amount
	}
	if amount < 0 || amount > captured.Amount {
		return Transaction{}, fault.Field("amount", "No more than the captured amount can be refunded: "+captured.Amount.String()+".")
	}
	return Transaction{
		CompanyID: captured.CompanyID, CreatedAt: now, Kind: Refund, Amount: amount, Product: captured.Product,
		FieldID: captured.FieldID, OrderID: captured.OrderID, RefundOf: captured.ID, Note: note,
	}, nil
}

// StatementLine is a transaction with what the wallet holds after it.
type StatementLine struct {
	Transaction
	Balance, Held Amount
}

// After returns the wallet after a transaction of the ledger, which is stored already: it refuses nothing.
func (w Wallet) After(t Transaction) Wallet {
	for _, e := range Entries(t.Kind, t.Amount) {
		switch e.Account {
		case Available:
			w.Balance += e.Amount
		case Held:
			w.Balance += e.Amount
			w.Held += e.Amount
		}
	}
	return w
}
