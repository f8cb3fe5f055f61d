package operating

import (
	"context"
	"maps"
	"slices"
	"time"

	"tilth/app"
	"tilth/app/account"
	"tilth/app/soil"
	"tilth/core/access"
	"tilth/core/audit"
	"tilth/core/fault"
	"tilth/core/stratification"
	"tilth/ports"
)

// inCompany changes something that belongs to a company. Faults: NotFound (company).
func (o *Operating) inCompany(ctx context.Context, id int64,
	do func(ctx context.Context, tx ports.OperatorRepos, scope access.Scope, now time.Time) error,
) error {
	return o.Store.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
		if _, err := tx.Accounts.Company(ctx, id); err != nil {
			return err
		}
		return do(ctx, tx, access.Own(id), o.Clock.Now())
	})
}

// ofCompany reads something that belongs to a company. Faults: NotFound (company).
func ofCompany[T any](ctx context.Context, o *Operating, id int64, read func(ctx context.Context, tx ports.OperatorRepos) (T, error)) (T, error) {
	return app.In(ctx, o.Store.Consult, func(ctx context.Context, tx ports.OperatorRepos) (out T, err error) {
		if _, err := tx.Accounts.Company(ctx, id); err != nil {
			return out, err
		}
		return read(ctx, tx)
	})
}

// Company returns a company. Faults: NotFound.
func (o *Operating) Company(ctx context.Context, id int64) (ports.Company, error) {
	return app.In(ctx, o.Store.Consult, func(ctx context.Context, tx ports.OperatorRepos) (ports.Company, error) {
		return tx.Accounts.Company(ctx, id)
	})
}

// Companies returns the companies.
func (o *Operating) Companies(ctx context.Context, q ports.Query) (app.List[ports.CompanySeen], error) {
	return app.ListAll(ctx, o.Store, q, func(tx ports.OperatorRepos) ports.Whole[ports.CompanySeen] { return tx.Companies }, withSubscriptions)
}

// CompanySeen returns a company with its wallet and its subscriptions. Faults: NotFound.
func (o *Operating) CompanySeen(ctx context.Context, id int64) (ports.CompanySeen, error) {
	return app.In(ctx, o.Store.Consult, func(ctx context.Context, tx ports.OperatorRepos) (ports.CompanySeen, error) {
		return companySeen(ctx, tx, id)
	})
}

func companySeen(ctx context.Context, tx ports.OperatorRepos, id int64) (ports.CompanySeen, error) {
	out, err := one(tx.Companies.Each(ctx, ofID(id)), "company")
	if err != nil {
		return out, err
	}
	return out, withSubscriptions(ctx, tx, []*ports.CompanySeen{&out})
}

func withSubscriptions(ctx context.Context, tx ports.OperatorRepos, companies []*ports.CompanySeen) error {
	byID := map[int64]*ports.CompanySeen{}
	for _, c := range companies {
		byID[c.ID] = c
	}
	all, err := tx.Subscriptions.Of(ctx, slices.Sorted(maps.Keys(byID))...)
	for _, s := range all {
		byID[s.CompanyID].Subscriptions = append(byID[s.CompanyID].Subscriptions, s)
	}
	return err
}

// RenameCompany changes the name of a company. Faults: Invalid, NotFound, Conflict (company_exists).
func (o *Operating) RenameCompany(ctx context.Context, id int64, name string) (ports.CompanySeen, error) {
	name, err := companyName(name)
	if err != nil {
		return ports.CompanySeen{}, err
	}
	return app.In(ctx, o.Store.Operate, func(ctx context.Context, tx ports.OperatorRepos) (out ports.CompanySeen, err error) {
		before, err := tx.Accounts.Company(ctx, id)
		if err != nil {
			return out, err
		}
		if before.Name != name {
			if err := tx.Companies.Rename(ctx, id, name); err != nil {
				return out, err
			}
			was, is := companyAudited{before.UUID, before.Name}, companyAudited{before.UUID, name}
			if err := tx.Audit.Add(ctx, o.entry(id, o.Clock.Now()).Of(audit.Update, "company", id, audit.Diff(&was, &is))); err != nil {
				return out, err
			}
		}
		return companySeen(ctx, tx, id)
	})
}

// Subscriptions returns the subscriptions of a company, ended or not. Faults: NotFound.
func (o *Operating) Subscriptions(ctx context.Context, companyID int64) ([]ports.Subscription, error) {
	return ofCompany(ctx, o, companyID, func(ctx context.Context, tx ports.OperatorRepos) ([]ports.Subscription, error) {
		return tx.Subscriptions.Of(ctx, companyID)
	})
}

// ChooseEngine sets the engine and factor set with which the results of a company are computed from now on;
// an empty value means the default. Submitted versions stay as they are. Faults: NotFound, Invalid.
func (o *Operating) ChooseEngine(ctx context.Context, companyID int64, choice ports.EngineChoice) error {
	if err := o.Engines.Check(choice); err != nil {
		return err
	}
	return o.inCompany(ctx, companyID, func(ctx context.Context, tx ports.OperatorRepos, scope access.Scope, now time.Time) error {
		before, err := tx.EngineChoices.Get(ctx, scope)
		if err != nil {
			return err
		}
		if err := tx.EngineChoices.Set(ctx, scope, choice, now); err != nil {
			return err
		}
		was, is := engineAudited(before), engineAudited(choice)
		return tx.Audit.Add(ctx, o.entry(companyID, now).Of(audit.Update, "engine", companyID, audit.Diff(&was, &is)))
	})
}

// EngineChoice returns the choice of a company. Faults: NotFound.
func (o *Operating) EngineChoice(ctx context.Context, companyID int64) (out ports.EngineChoice, err error) {
	return ofCompany(ctx, o, companyID, func(ctx context.Context, tx ports.OperatorRepos) (ports.EngineChoice, error) {
		return tx.EngineChoices.Get(ctx, access.Own(companyID))
	})
}

// CreateAPIKey makes a key that acts as a user, and returns its text, which is not kept. Faults: Invalid, NotFound.
func (o *Operating) CreateAPIKey(ctx context.Context, email string, in account.KeyRequest) (key access.APIKey, text string, err error) {
	now := o.Clock.Now()
	err = o.Store.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
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
		key, text, err = account.MintKey(o.IDs, access.Named{ID: user.ID, Name: user.Name}, user.CompanyID, in, now)
		if err != nil {
			return err
		}
		if err := tx.Keys.Insert(ctx, access.Own(user.CompanyID), &key); err != nil {
			return err
		}
		return tx.Audit.Add(ctx, o.entry(user.CompanyID, now).Of(audit.Create, access.APIKeys.Name, key.ID, audit.Diff(nil, &key)))
	})
	return key, text, err
}

// subscriptionAudited is the form in which the trail stores a subscription.
type subscriptionAudited struct {
	Service access.Service
	Until   *time.Time
}

func checkService(service access.Service) error {
	if service != access.Stratification {
		return fault.Field("service",
			string(service)+" is not a service that companies subscribe to; the only one is "+string(access.Stratification)+".")
	}
	return nil
}

// Subscribe grants a company a subscription, until a last day (civil date, UTC) or without end,
// in place of the one it had. Faults: Invalid, NotFound (company).
func (o *Operating) Subscribe(ctx context.Context, companyID int64, service access.Service, until *time.Time) (ports.Subscription, error) {
	out := ports.Subscription{CompanyID: companyID, Service: service, Until: until, GrantedAt: o.Clock.Now()}
	if err := checkService(service); err != nil {
		return out, err
	}
	if until != nil && until.AddDate(0, 0, 1).Before(out.GrantedAt) {
		return out, fault.Field("until", "The last day lies in the past; end the subscription instead, `tilth subscription revoke` on the command line.")
	}
	err := o.inCompany(ctx, companyID, func(ctx context.Context, tx ports.OperatorRepos, _ access.Scope, _ time.Time) error {
		before, err := tx.Subscriptions.Get(ctx, companyID, service)
		if err != nil && !fault.Is(err, fault.NotFound) {
			return err
		}
		action, was := audit.Create, (*subscriptionAudited)(nil)
		if err == nil {
			action, was = audit.Update, &subscriptionAudited{before.Service, before.Until}
		}
		if err := tx.Subscriptions.Put(ctx, out); err != nil {
			return err
		}
		return tx.Audit.Add(ctx, o.entry(companyID, out.GrantedAt).Of(action, "subscription", companyID, audit.Diff(was, &subscriptionAudited{service, until})))
	})
	return out, err
}

// Unsubscribe ends a company's subscription at once. Faults: Invalid, NotFound.
func (o *Operating) Unsubscribe(ctx context.Context, companyID int64, service access.Service) error {
	if err := checkService(service); err != nil {
		return err
	}
	return o.Store.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
		before, err := tx.Subscriptions.Get(ctx, companyID, service)
		if err != nil {
			return err
		}
		if err := tx.Subscriptions.Drop(ctx, companyID, service); err != nil {
			return err
		}
		return tx.Audit.Add(ctx, o.entry(companyID, o.Clock.Now()).Of(audit.Delete, "subscription", companyID, audit.Diff(&subscriptionAudited{before.Service, before.Until}, nil)))
	})
}

// RetryStratification resumes a failed stratification order; see [soil.RetryOrder].
func (o *Operating) RetryStratification(ctx context.Context, orderID int64) (stratification.OrderState, error) {
	return soil.RetryOrder(ctx, o.Store, o.Clock, orderID)
}
