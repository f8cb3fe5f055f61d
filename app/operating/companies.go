package operating

import (
	"context"

	"tilth/app"
	"tilth/ports"
)

// Company returns a company. Faults: NotFound.
func (o *Operating) Company(ctx context.Context, id int64) (ports.Company, error) {
	return app.In(ctx, o.deps.Store.Consult, func(ctx context.Context, tx ports.OperatorRepos) (ports.Company, error) {
		return tx.Accounts.Company(ctx, id)
	})
}
