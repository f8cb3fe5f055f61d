// Package operator has the routes of the operators of an installation: companies, users, prices, subscriptions,
// wallets, jobs, and the trail of what operators changed. The use cases are those of the command line.
package operator

import (
	"context"
	"net/http"

	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	"tilth/app"
	"tilth/app/operating"
	"tilth/core/access"
	"tilth/ports"
)

const tag = "Operators"

// Deps are the use cases that these routes offer.
type Deps struct {
	Operating *operating.Operating
}

// Register adds the routes of operators.
func Register(a *rest.API, d Deps) {
	a.ShowBodies(examples)
	a.DescribeTag(tag, "What the operators of an installation do for all of its companies, as on the command line (`tilth company`, `user`, `price`, "+
		"`subscription`, `wallet`, `job`, `trail`). An operator belongs to no company, is made on the command line (`tilth user create --operator`), and "+
		"signs in like everybody else. Nobody else is admitted, and no API key is. A change is recorded in the audit trail of the company that it "+
		"concerns, or in the operators' own, under the name of the operator.\n\nTo work inside a company, send its id as `X-Company` to the other operations.")
	a.DescribeCodes(map[string]string{
		"operator_required": "only an operator may do this, with an access token of their own (403)",
		"operator_account":  "the accounts of operators can be changed only on the command line (409)",
		"company_exists":    "a company of this name exists (409)",
		"job_not_failed":    "only a failed job can be retried (409)",
		"job_of_upkeep":     "a job of the installation's own upkeep cannot be cancelled (409)",
		"already_refunded":  "the capture was refunded already (409)",
	})
	registerCompanies(a, d.Operating)
	registerSubscriptions(a, d.Operating)
	registerWallets(a, d.Operating)
	registerUsers(a, d.Operating)
	registerPrices(a, d.Operating)
	registerJobs(a, d.Operating)
	registerTrail(a, d.Operating)
}

// route returns a function that makes the routes of a subject, which only operators may use.
func route(base, operation, noun string) func(method, below, action, summary string) rest.Route {
	routes := rest.Routes{Base: "operator/" + base, Operation: "operator_" + operation, Tag: tag, Noun: noun, Keys: rest.KeyNowhere}
	return func(method, below, action, summary string) rest.Route {
		r := routes.Route(method, below, access.Operate.For(action), summary)
		r.Unkeyed = method == http.MethodPost
		return r
	}
}

// all returns a list as an operator reads it.
func all[T any](o *operating.Operating, find func(op *operating.Operating, ctx context.Context, q ports.Query) (app.List[T], error)) func(context.Context, access.Principal, ports.Query) (app.List[T], error) {
	return func(ctx context.Context, who access.Principal, q ports.Query) (app.List[T], error) {
		op, err := o.As(ctx, who)
		if err != nil {
			return app.List[T]{}, err
		}
		return find(op, ctx, q)
	}
}

// on returns the handler of a route that performs one action on one record as an operator, and answers with the result.
func on[T, R any](o *operating.Operating, use func(op *operating.Operating, ctx context.Context, id int64) (T, error), show func(T) R) func(context.Context, *rest.Call, form.ByID) (R, error) {
	return form.OnRecord(func(ctx context.Context, who access.Principal, id int64) (out T, err error) {
		op, err := o.As(ctx, who)
		if err != nil {
			return out, err
		}
		return use(op, ctx, id)
	}, show)
}
