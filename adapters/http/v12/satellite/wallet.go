package satellite

import (
	"context"
	"net/http"
	"time"

	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	"tilth/app/satellite"
	"tilth/core/access"
	"tilth/core/credit"
	"tilth/ports"
)

// Wallet is a company's credit.
type Wallet struct {
	Balance   float64 `json:"balance" doc:"What is held included."`
	Held      float64 `json:"held" doc:"Set aside for open orders."`
	Available float64 `json:"available" doc:"What may be spent: the balance less what is held."`
	Unit      string  `json:"unit" enum:"credit" doc:"Unit of the three figures, which have two decimals."`
}

// Transaction is a line of the ledger.
type Transaction struct {
	ID        int64     `json:"id" doc:"Id of the transaction."`
	CreatedAt time.Time `json:"created_at" doc:"When it was booked."`
	Kind      string    `json:"kind" enum:"credit,hold,capture,release,refund" doc:"credit: the operator adds. hold: set aside for an open order. capture: a held amount is spent. release: a held amount is available again. refund: a spent amount is returned."`
	Amount    float64   `json:"amount" doc:"Credits with two decimals, always above 0; kind says which way they go."`
	Product   *string   `json:"product" doc:"What was ordered; null of credit."`
	Field     *int64    `json:"field" doc:"Id of the field that is charged; null where it is about none, as for an area of interest."`
	Order     *int64    `json:"order" doc:"Id of the order; null of credit."`
	RefundOf  *int64    `json:"refund_of" doc:"Of a refund: the capture that it returns."`
	Note      string    `json:"note" doc:"What the operator wrote of a credit or a refund; else empty."`
}

func registerWallet(a *rest.API, orders *satellite.Profiles, files *satellite.ProfileFiles) {
	statement := rest.Route{
		Method: http.MethodGet, Path: "wallet/statement/", OperationID: "wallet_statement", Summary: "Statement of the wallet, as CSV", Tag: walletTag,
		Permission: access.Wallets.View.For("statement"), Media: form.Media(ports.CSV),
		Description: "The balance that the span opens with, every transaction in it, oldest first, with the balance, the held and the available " +
			"credits after it, and the balance it closes with. Amounts are credits with two decimals, times are UTC.",
		Query: []rest.Param{
			{Name: "from", Type: rest.DateType, Description: "First day, UTC. Default: the wallet's first."},
			{Name: "to", Type: rest.DateType, Description: "Last day, UTC, inclusive. Default: until now."},
		},
	}
	rest.Handle(a, statement, func(ctx context.Context, c *rest.Call, in struct {
		From *rest.Date `query:"from"`
		To   *rest.Date `query:"to"`
	}) (rest.Raw, error) {
		write, err := files.Statement(ctx, c.Principal(), form.TimeOf(in.From), form.TimeOf(in.To))
		return form.Download("statement", ports.CSV, write), err
	})
	rest.Handle(a, rest.Route{
		Method: http.MethodGet, Path: "wallet/", OperationID: "wallet_retrieve", Summary: "Show the wallet", Tag: walletTag,
		Permission: access.Wallets.View.For("retrieve"),
	}, func(ctx context.Context, c *rest.Call, _ struct{}) (Wallet, error) {
		w, err := orders.Wallet(ctx, c.Principal())
		return Wallet{w.Balance.Float(), w.Held.Float(), w.Available().Float(), "credit"}, err
	})
	filters := []rest.Param{
		{Name: "kind", Type: rest.String, Enum: form.Strings(credit.Kinds), Description: "What the transaction did."},
		{Name: "product", Type: rest.String, Enum: append(form.Strings(credit.Products), string(credit.Stratification)), Description: "What was ordered."},
		{Name: "field", Type: rest.Integer, Description: "Id of the field."},
		{Name: "order", Type: rest.Integer, Description: "Id of the order."},
		{Name: "created_after", Type: rest.Timestamp, Description: "At or after this time."},
		{Name: "created_before", Type: rest.Timestamp, Description: "Before this time."},
	}
	form.HandleList(a, rest.Route{
		Method: http.MethodGet, Path: "wallet/transactions/", OperationID: "wallet_transaction_list", Summary: "List the ledger, newest first",
		Tag: walletTag, Permission: access.Wallets.View.For("list"),
	}, filters, orders.Transactions, showTransaction)
}

func showTransaction(t credit.Transaction) Transaction {
	return Transaction{
		t.ID, t.CreatedAt, string(t.Kind), t.Amount.Float(), form.OrNull(string(t.Product)), form.OrNull(t.FieldID), form.OrNull(t.OrderID), form.OrNull(t.RefundOf), t.Note,
	}
}
