package satellite

import (
	"context"
	"net/http"

	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	"tilth/app/satellite"
	"tilth/core/access"
)

func registerWallet(a *rest.API, orders *satellite.Profiles, files *satellite.ProfileFiles) {
	statement := rest.Route{
		Method: http.MethodGet, Path: "wallet/statement/", OperationID: "wallet_statement", Summary: "Statement of the wallet, as CSV or a workbook", Tag: walletTag,
		Permission: access.Wallets.View.For("statement"), Media: form.Media(form.Tables...),
		Description: form.StatementText,
		Query:       form.StatementParams(),
	}
	rest.Handle(a, statement, func(ctx context.Context, c *rest.Call, in form.StatementSpan) (rest.Raw, error) {
		format := in.Among(c, form.Tables...)
		write, err := files.Statement(ctx, c.Principal(), format, form.TimeOf(in.From), form.TimeOf(in.To))
		return form.Download("statement", format, write), err
	})
	rest.Handle(a, rest.Route{
		Method: http.MethodGet, Path: "wallet/", OperationID: "wallet_retrieve", Summary: "Show the wallet", Tag: walletTag,
		Permission: access.Wallets.View.For("retrieve"),
	}, func(ctx context.Context, c *rest.Call, _ struct{}) (form.Wallet, error) {
		w, err := orders.Wallet(ctx, c.Principal())
		return form.WalletOf(w), err
	})
	form.HandleList(a, rest.Route{
		Method: http.MethodGet, Path: "wallet/transactions/", OperationID: "wallet_transaction_list", Summary: "List the ledger, newest first",
		Tag: walletTag, Permission: access.Wallets.View.For("list"),
	}, form.TransactionParams(), orders.Transactions, form.TransactionOf)
}
