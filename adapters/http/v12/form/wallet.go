package form

import (
	"time"

	"tilth/adapters/http/member"
	"tilth/adapters/http/rest"
	"tilth/core/credit"
)

// Wallet is a company's credit.
type Wallet struct {
	Balance   float64 `json:"balance" doc:"Includes what is held."`
	Held      float64 `json:"held" doc:"Set aside for open orders."`
	Available float64 `json:"available" doc:"What can be spent: the balance less what is held."`
	Unit      string  `json:"unit" enum:"credit" doc:"Unit of the three figures, which have two decimals."`
}

// Transaction is a line of the ledger.
type Transaction struct {
	ID        int64     `json:"id" doc:"Id of the transaction."`
	CreatedAt time.Time `json:"created_at" doc:"When it was booked."`
	Kind      string    `json:"kind" enum:"credit,hold,capture,release,refund" doc:"credit: the operator adds. hold: set aside for an open order. capture: a held amount is spent. release: a held amount is available again. refund: a spent amount is returned."`
	Amount    float64   `json:"amount" doc:"Credits with two decimals, always above 0; kind says which way they go."`
	Product   *string   `json:"product" doc:"What was ordered; null for credit."`
	Field     *int64    `json:"field" doc:"Id of the field that is charged; null where there is none, as for an area of interest."`
	Order     *int64    `json:"order" doc:"Id of the order; null for credit."`
	RefundOf  *int64    `json:"refund_of" doc:"For a refund: the capture that it returns."`
	Note      string    `json:"note" doc:"What the operator noted about a credit or a refund; otherwise empty."`
}

// WalletOf returns a wallet for an answer.
func WalletOf(w credit.Wallet) Wallet {
	return Wallet{w.Balance.Float(), w.Held.Float(), w.Available().Float(), "credit"}
}

// TransactionOf returns a line of the ledger for an answer.
func TransactionOf(t credit.Transaction) Transaction {
	return Transaction{
		t.ID, t.CreatedAt, string(t.Kind), t.Amount.Float(), OrNull(string(t.Product)), OrNull(t.FieldID), OrNull(t.OrderID), OrNull(t.RefundOf), t.Note,
	}
}

// TransactionParams are the filters of a ledger.
func TransactionParams() []rest.Param {
	return []rest.Param{
		{Name: "kind", Type: rest.String, Enum: Strings(credit.Kinds), Description: "What the transaction did."},
		{Name: "product", Type: rest.String, Enum: append(Strings(credit.Products), string(credit.Stratification)), Description: "What was ordered."},
		{Name: "field", Type: rest.Integer, Description: "Id of the field."},
		{Name: "order", Type: rest.Integer, Description: "Id of the order."},
		{Name: "created_after", Type: rest.Timestamp, Description: "At or after this time."},
		{Name: "created_before", Type: rest.Timestamp, Description: "Before this time."},
	}
}

// StatementText describes a statement.
const StatementText = "The opening balance of the period, every transaction in it, oldest first, with the balance, the held and the available " +
	"credits after it, and the closing balance. Amounts are credits with two decimals, times are UTC."

// StatementSpan is the input of a route that answers with a statement.
type StatementSpan struct {
	Formatted
	From *member.Date `query:"from"`
	To   *member.Date `query:"to"`
}

// StatementParams are the parameters of [StatementSpan].
func StatementParams() []rest.Param {
	return []rest.Param{
		{Name: "from", Type: rest.DateType, Description: "First day, UTC. Default: the wallet's first."},
		{Name: "to", Type: rest.DateType, Description: "Last day, UTC, inclusive. Default: until now."},
		FormatParam(Tables...),
	}
}
