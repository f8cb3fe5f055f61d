package operating

import (
	"context"

	"tilth/app/account"
	"tilth/core/access"
	"tilth/core/audit"
	"tilth/core/fault"
	"tilth/ports"
)

// CreateAPIKey makes a key that acts as a user, and gives its text, which is not kept.
// Faults: Invalid, NotFound.
func (o *Operating) CreateAPIKey(ctx context.Context, email string, in account.KeyRequest) (key access.APIKey, text string, err error) {
	now := o.deps.Clock.Now()
	err = o.deps.Store.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
		user, err := tx.Accounts.UserByEmail(ctx, email)
		if err != nil {
			return err
		}
		if user.CompanyID == 0 {
			return fault.Field("user", "An operator has no API keys: a key acts as a user of a company.")
		}
		if user.Disabled {
			return fault.Field("user", "This user is disabled.")
		}
		key, text, err = account.MintKey(o.deps.IDs, access.Named{ID: user.ID, Name: user.Name}, user.CompanyID, in, now)
		if err != nil {
			return err
		}
		if err := tx.Keys.Insert(ctx, access.Own(user.CompanyID), &key); err != nil {
			return err
		}
		entry := audit.Entry{CompanyID: user.CompanyID, At: now}
		return tx.Audit.Add(ctx, entry.Of(audit.Create, access.APIKeys.Name, key.ID, audit.Diff(nil, &key)))
	})
	return key, text, err
}
