package v12

import (
	"context"
	"net/http"
	"time"

	"tilth/adapters/http/rest"
	"tilth/app/profiles"
	"tilth/core/credit"
)

// Wallet is a company's credit.
type Wallet struct {
	Balance   float64 `json:"balance" doc:"What is held included."`
	Held      float64 `json:"held" doc:"Set aside for open orders."`
	Available float64 `json:"available"`
	Unit      string  `json:"unit" enum:"credit"`
}

// Transaction is a line of the ledger.
type Transaction struct {
	ID        int64     `json:"id"`
	CreatedAt time.Time `json:"created_at"`
	Kind      string    `json:"kind" enum:"credit,hold,capture,release,refund"`
	Amount    float64   `json:"amount"`
	Product   *string   `json:"product"`
	Field     *int64    `json:"field"`
	Order     *int64    `json:"order"`
	Note      string    `json:"note"`
}

func registerWallet(a *rest.API, orders *profiles.Orders) {
	rest.Handle(a, rest.Route{
		Method: http.MethodGet, Path: "wallet/", OperationID: "wallet_retrieve", Summary: "Show the wallet", Tag: "Wallet",
		Permission: orders.WalletPermission("retrieve"),
	}, nil, func(ctx context.Context, c *rest.Call) (Wallet, error) {
		w, err := orders.Wallet(ctx, c.Principal())
		return Wallet{w.Balance.Float(), w.Held.Float(), w.Available().Float(), "credit"}, err
	})
	rest.Handle(a, rest.Route{
		Method: http.MethodGet, Path: "wallet/transactions/", OperationID: "wallet_transaction_list", Summary: "List the ledger, newest first",
		Tag: "Wallet", Permission: orders.WalletPermission("list"), Query: rest.PageParams(),
	}, nil, func(ctx context.Context, c *rest.Call) (rest.List[Transaction], error) {
		q, err := c.Query()
		if err != nil {
			return rest.List[Transaction]{}, err
		}
		found, err := orders.Transactions(ctx, c.Principal(), pageOf(q.PageOrAll(), nil))
		if err != nil {
			return rest.List[Transaction]{}, err
		}
		return rest.NewList(q.PageOrAll(), rest.Map(listed(found), showTransaction))
	})
}

func showTransaction(t credit.Transaction) Transaction {
	return Transaction{
		t.ID, t.CreatedAt, string(t.Kind), t.Amount.Float(), word(string(t.Product)), id(t.FieldID), id(t.OrderID), t.Note,
	}
}

// id gives an optional id: null for none.
func id(n int64) *int64 {
	if n == 0 {
		return nil
	}
	return &n
}
