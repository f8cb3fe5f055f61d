package satellite

import (
	"context"
	"net/http"

	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	"tilth/app/satellite"
	"tilth/core/access"
)

func registerStatement(a *rest.API, files *satellite.ProfileFiles) {
	statement := rest.Route{
		Method: http.MethodGet, Path: "wallet/statement/", OperationID: "wallet_statement", Summary: "Statement of the wallet, as CSV", Tag: walletTag,
		Permission: access.Wallets.View.For("statement"), Media: []string{"text/csv"},
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
		return rest.Raw{ContentType: form.MediaCSV, Filename: "statement.csv", Write: write}, err
	})
}
