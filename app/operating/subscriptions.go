package operating

import (
	"context"
	"time"

	"tilth/app/soil"
	"tilth/core/access"
	"tilth/core/audit"
	"tilth/core/fault"
	"tilth/core/stratification"
	"tilth/ports"
)

// subscriptionAudited is a subscription as the trail stores it.
type subscriptionAudited struct {
	Service access.Service
	Until   *time.Time
}

func checkService(service access.Service) error {
	if service != access.Stratification {
		return fault.Field("service", string(service)+" is no service that companies subscribe to; it is "+string(access.Stratification)+".")
	}
	return nil
}

// Subscribe grants a company a subscription, until a last day (civil date, UTC) or without end,
// in place of the one it had. Faults: Invalid, NotFound (company).
func (o *Operating) Subscribe(ctx context.Context, companyID int64, service access.Service, until *time.Time) (ports.Subscription, error) {
	out := ports.Subscription{CompanyID: companyID, Service: service, Until: until, GrantedAt: o.deps.Clock.Now()}
	if err := checkService(service); err != nil {
		return out, err
	}
	if until != nil && until.AddDate(0, 0, 1).Before(out.GrantedAt) {
		return out, fault.Field("until", "The last day lies in the past; use `tilth subscription revoke` to end one.")
	}
	err := o.deps.Store.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
		if _, err := tx.Accounts.Company(ctx, companyID); err != nil {
			return err
		}
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
		return tx.Audit.Add(ctx, entry(companyID, out.GrantedAt).Of(action, "subscription", companyID, audit.Diff(was, &subscriptionAudited{service, until})))
	})
	return out, err
}

// Unsubscribe ends a company's subscription at once. Faults: Invalid, NotFound.
func (o *Operating) Unsubscribe(ctx context.Context, companyID int64, service access.Service) error {
	if err := checkService(service); err != nil {
		return err
	}
	return o.deps.Store.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
		before, err := tx.Subscriptions.Get(ctx, companyID, service)
		if err != nil {
			return err
		}
		if err := tx.Subscriptions.Drop(ctx, companyID, service); err != nil {
			return err
		}
		return tx.Audit.Add(ctx, entry(companyID, o.deps.Clock.Now()).Of(audit.Delete, "subscription", companyID, audit.Diff(&subscriptionAudited{before.Service, before.Until}, nil)))
	})
}

// RetryStratification takes a failed stratification order up again; see [strata.Retry].
func (o *Operating) RetryStratification(ctx context.Context, orderID int64) (stratification.OrderState, error) {
	return soil.RetryOrder(ctx, o.deps.Store, o.deps.Clock, orderID)
}
