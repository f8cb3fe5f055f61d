package operator

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"tilth/adapters/http/query"
	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	"tilth/app/operating"
	"tilth/core/credit"
	"tilth/core/fault"
	"tilth/ports"
)

// CreditWrite is a credit to a wallet.
type CreditWrite struct {
	Amount float64 `json:"amount" minimum:"0.01" doc:"Credits that are added, with at most two decimals."`
	Note   string  `json:"note" required:"false" maxLength:"500" doc:"The reason; the company reads it in the ledger."`
}

// RefundWrite is a refund of a captured charge.
type RefundWrite struct {
	Transaction int64    `json:"transaction" minimum:"1" doc:"Id of the capture in the ledger."`
	Amount      *float64 `json:"amount" required:"false" minimum:"0.01" doc:"Credits, at most those captured; left out or null: all of them."`
	Note        string   `json:"note" required:"false" maxLength:"500" doc:"The reason; the company reads it in the ledger."`
}

// Price is the price of a service per hectare.
type Price struct {
	Service string     `json:"service" doc:"The service."`
	PerHa   *float64   `json:"per_ha" doc:"Credits per hectare; null: there is no price, and the service cannot be ordered."`
	SetAt   *time.Time `json:"set_at" doc:"When it was set; null: never, and a price is the one that comes with Tilth."`
}

// PriceWrite is the writable form of a price.
type PriceWrite struct {
	PerHa float64 `json:"per_ha" minimum:"0.01" doc:"Credits per hectare, with at most two decimals."`
}

// amountOf returns the credits in a member of a body.
func amountOf(member string, value float64) (credit.Amount, error) {
	amount, err := credit.ParseAmount(strconv.FormatFloat(value, 'f', -1, 64))
	if err != nil {
		return 0, fault.Field(member, "Credits above 0 with at most two decimals, such as 250 or 12.50.")
	}
	return amount, nil
}

func registerWallets(a *rest.API, o *operating.Operating) {
	r := route("company/{id}/wallet/", "wallet", "company")
	rest.Handle(a, r(http.MethodGet, "", "retrieve", "Show the wallet of a company"), on(o, (*operating.Operating).Wallet, form.WalletOf))
	list := r(http.MethodGet, "transactions/", "transaction_list", "List the ledger of a company, newest first")
	list.Query = append(query.CursorParams(), form.TransactionParams()...)
	rest.Handle(a, list, func(ctx context.Context, c *rest.Call, in struct {
		rest.Values
		form.ByID
	}) (rest.List[form.Transaction], error) {
		op, err := o.As(ctx, c.Principal())
		if err != nil {
			return rest.List[form.Transaction]{}, err
		}
		page := in.PageOrAll()
		return form.List(page, form.TransactionOf)(op.Transactions(ctx, in.ID, form.QueryOf(page, form.TransactionParams(), in.Values)))
	})
	statement := r(http.MethodGet, "statement/", "statement", "Statement of the wallet of a company, as CSV or a workbook")
	statement.Media, statement.Query, statement.Description = form.Media(form.Tables...), form.StatementParams(), form.StatementText
	rest.Handle(a, statement, func(ctx context.Context, c *rest.Call, in struct {
		form.ByID
		form.StatementSpan
	}) (rest.Raw, error) {
		op, err := o.As(ctx, c.Principal())
		if err != nil {
			return rest.Raw{}, err
		}
		format := in.Among(c, form.Tables...)
		write, err := op.Statement(ctx, in.ID, format, form.TimeOf(in.From), form.TimeOf(in.To))
		return form.Download("statement", format, write), err
	})
	registerMoney(a, o, r)
}

// registerMoney adds the routes that move credit.
func registerMoney(a *rest.API, o *operating.Operating, r func(method, below, action, summary string) rest.Route) {
	put := r(http.MethodPost, "credit/", "credit", "Put credits into the wallet of a company")
	put.Message, put.Unkeyed, put.Inside = "Credits added.", false, "id"
	put.Description = "Send an Idempotency-Key: a repeat then adds nothing."
	rest.Handle(a, put, func(ctx context.Context, c *rest.Call, in struct {
		form.ByID
		Body CreditWrite `body:"json"`
	}) (form.Wallet, error) {
		op, err := o.As(ctx, c.Principal())
		if err != nil {
			return form.Wallet{}, err
		}
		amount, err := amountOf("amount", in.Body.Amount)
		if err != nil {
			return form.Wallet{}, err
		}
		wallet, err := op.CreditWallet(ctx, in.ID, amount, in.Body.Note)
		return form.WalletOf(wallet), err
	})
	refund := r(http.MethodPost, "refund/", "refund", "Refund a captured charge, once")
	refund.Message, refund.Faults = "Charge refunded.", []int{http.StatusConflict}
	refund.Description = "It returns credits and nothing else: the field still counts as charged, its profiles stay, and further orders on it cost nothing. " +
		"A capture is refunded once, so that a repeat returns nothing more. The answer is the refund in the ledger."
	rest.Handle(a, refund, func(ctx context.Context, c *rest.Call, in struct {
		form.ByID
		Body RefundWrite `body:"json"`
	}) (out form.Transaction, err error) {
		op, err := o.As(ctx, c.Principal())
		if err != nil {
			return out, err
		}
		wanted := operating.RefundWanted{CompanyID: in.ID, Transaction: in.Body.Transaction, Note: in.Body.Note}
		if in.Body.Amount != nil {
			if wanted.Amount, err = amountOf("amount", *in.Body.Amount); err != nil {
				return out, err
			}
		}
		_, made, err := op.Refund(ctx, wanted)
		return form.TransactionOf(made), err
	})
}

func showPrice(p ports.Price) Price {
	return Price{p.Service, form.If(p.PerHa != 0, p.PerHa.Float()), form.If(!p.SetAt.IsZero(), p.SetAt)}
}

func registerPrices(a *rest.API, o *operating.Operating) {
	r := route("price/", "price", "service")
	rest.Handle(a, r(http.MethodGet, "", "list", "List the prices of the services"), func(ctx context.Context, c *rest.Call, _ struct{}) ([]Price, error) {
		op, err := o.As(ctx, c.Principal())
		if err != nil {
			return nil, err
		}
		all, err := op.Prices(ctx)
		return form.Each(all, showPrice), err
	})
	set := r(http.MethodPut, "{service}/", "update", "Set the price of a service per hectare")
	set.Message = "Price set."
	set.Description = "Orders that were already placed keep theirs. Services: " + form.CodeList(credit.Services) + "."
	rest.Handle(a, set, func(ctx context.Context, c *rest.Call, in struct {
		Service string     `path:"service"`
		Body    PriceWrite `body:"json"`
	}) (out Price, err error) {
		op, err := o.As(ctx, c.Principal())
		if err != nil {
			return out, err
		}
		amount, err := amountOf("per_ha", in.Body.PerHa)
		if err != nil {
			return out, err
		}
		if err := op.SetPrice(ctx, in.Service, amount); err != nil {
			return out, err
		}
		price, err := op.Price(ctx, in.Service)
		return showPrice(price), err
	})
}
