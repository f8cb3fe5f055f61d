package v12

import (
	"context"
	"net/http"
	"time"

	"tilth/adapters/http/rest"
	"tilth/app/satellite"
	"tilth/core/access"
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
	RefundOf  *int64    `json:"refund_of" doc:"Of a refund: the capture that it gives back."`
	Note      string    `json:"note"`
}

func registerWallet(a *rest.API, orders *satellite.Profiles) {
	rest.Handle(a, rest.Route{
		Method: http.MethodGet, Path: "wallet/", OperationID: "wallet_retrieve", Summary: "Show the wallet", Tag: "Wallet",
		Permission: access.Wallets.View.For("retrieve"),
	}, nil, func(ctx context.Context, c *rest.Call) (Wallet, error) {
		w, err := orders.Wallet(ctx, c.Principal())
		return Wallet{w.Balance.Float(), w.Held.Float(), w.Available().Float(), "credit"}, err
	})
	filters := []rest.Param{
		{Name: "kind", Type: rest.String, Enum: kinds(), Description: "What the transaction did."},
		{Name: "product", Type: rest.String, Enum: products(), Description: "What was ordered."},
		{Name: "field", Type: rest.Integer, Description: "Id of the field."},
		{Name: "order", Type: rest.Integer, Description: "Id of the order."},
		{Name: "created_after", Type: rest.Timestamp, Description: "At or after this time."},
		{Name: "created_before", Type: rest.Timestamp, Description: "Before this time."},
	}
	rest.Handle(a, rest.Route{
		Method: http.MethodGet, Path: "wallet/transactions/", OperationID: "wallet_transaction_list", Summary: "List the ledger, newest first",
		Tag: "Wallet", Permission: access.Wallets.View.For("list"), Query: append(rest.PageParams(), filters...),
	}, nil, func(ctx context.Context, c *rest.Call) (rest.List[Transaction], error) {
		q, err := c.Query()
		if err != nil {
			return rest.List[Transaction]{}, err
		}
		found, err := orders.Transactions(ctx, c.Principal(), queryOf(q.PageOrAll(), filters, q))
		if err != nil {
			return rest.List[Transaction]{}, err
		}
		return rest.NewList(q.PageOrAll(), rest.Map(listed(found), showTransaction))
	})
}

func registerStatement(a *rest.API, files *satellite.ProfileFiles) {
	statement := rest.Route{
		Method: http.MethodGet, Path: "wallet/statement/", OperationID: "wallet_statement", Summary: "Statement of the wallet, as CSV", Tag: "Wallet",
		Permission: access.Wallets.View.For("statement"), Media: []string{"text/csv"},
		Description: "The balance that the span opens with, every transaction in it, oldest first, with the balance, the held and the available " +
			"credits after it, and the balance it closes with. Amounts are credits with two decimals, times are UTC.",
		Query: []rest.Param{
			{Name: "from", Type: rest.DateType, Description: "First day, UTC. Default: the wallet's first."},
			{Name: "to", Type: rest.DateType, Description: "Last day, UTC, inclusive. Default: until now."},
		},
	}
	rest.Handle(a, statement, nil, func(ctx context.Context, c *rest.Call) (rest.Raw, error) {
		q, err := c.Query()
		if err != nil {
			return rest.Raw{}, err
		}
		write, err := files.Statement(ctx, c.Principal(), dayGiven(q, "from"), dayGiven(q, "to"))
		return rest.Raw{ContentType: mediaCSV, Filename: "statement.csv", Write: write}, err
	})
}

// dayGiven gives a date parameter; nil where it was not given.
func dayGiven(q rest.Values, name string) *time.Time {
	d, ok := q.Date(name)
	if !ok {
		return nil
	}
	return timeOf(&d)
}

func kinds() (out []string) {
	for _, k := range credit.Kinds {
		out = append(out, string(k))
	}
	return out
}

func products() (out []string) {
	for _, p := range credit.Products {
		out = append(out, string(p))
	}
	return append(out, string(credit.Stratification))
}

func showTransaction(t credit.Transaction) Transaction {
	return Transaction{
		t.ID, t.CreatedAt, string(t.Kind), t.Amount.Float(), word(string(t.Product)), id(t.FieldID), id(t.OrderID), id(t.RefundOf), t.Note,
	}
}

// id gives an optional id: null for none.
func id(n int64) *int64 {
	if n == 0 {
		return nil
	}
	return &n
}
