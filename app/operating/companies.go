package operating

import (
	"context"

	"tilth/ports"
)

// Company returns a company. Faults: NotFound.
func (o *Operating) Company(ctx context.Context, id int64) (ports.Company, error) {
	var out ports.Company
	err := o.deps.Store.Consult(ctx, func(ctx context.Context, tx ports.OperatorRepos) (err error) {
		out, err = tx.Accounts.Company(ctx, id)
		return err
	})
	return out, err
}
