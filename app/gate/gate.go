// Package gate asks for permissions on behalf of the use cases. Every use case
// passes its caller through it before it looks at anything else.
package gate

import (
	"context"

	"tilth/core/access"
	"tilth/core/fault"
	"tilth/ports"
)

// Gate checks permissions.
type Gate struct {
	permissions ports.Permissions
	store       ports.Store // of subscriptions; nil: nobody has one
	clock       ports.Clock
}

// New makes a gate that knows of no subscriptions: what needs one is refused.
func New(permissions ports.Permissions) *Gate { return &Gate{permissions: permissions} }

// WithSubscriptions makes a gate that asks a store for the subscriptions of companies.
func WithSubscriptions(permissions ports.Permissions, store ports.Store, clock ports.Clock) *Gate {
	return &Gate{permissions, store, clock}
}

// Require refuses (Unauthenticated, Forbidden) a caller who lacks a permission. An
// operator inside a company may do everything there; outside any it may look, and finds
// nothing, and may not write. A key narrower than its user is refused what it leaves out.
// What needs a subscription is refused, whatever the role, to who acts in a company without.
func (g *Gate) Require(ctx context.Context, who access.Principal, need access.Permission) error {
	if err := g.permit(ctx, who, need); err != nil || need.Service == "" {
		return err
	}
	if who.Operator && who.CompanyID == 0 {
		return nil // outside any company there is nothing to find
	}
	if g.store == nil {
		return need.Unsubscribed()
	}
	active := false
	err := g.store.Consult(ctx, func(ctx context.Context, tx ports.OperatorRepos) (err error) {
		active, err = tx.Subscriptions.Active(ctx, who.CompanyID, need.Service, g.clock.Now())
		return err
	})
	if err == nil && !active {
		return need.Unsubscribed()
	}
	return err
}

// permit checks the caller and the slug.
func (g *Gate) permit(ctx context.Context, who access.Principal, need access.Permission) error {
	if who.UserID == 0 {
		return fault.New(fault.Unauthenticated, "not_authenticated", "Authentication credentials were not provided.")
	}
	if !who.Within(need.Slug) {
		return need.Denied()
	}
	if who.Operator {
		if who.CompanyID != 0 || need.Slug.Reads() {
			return nil
		}
		return need.Denied()
	}
	ok, err := g.permissions.Allowed(ctx, who, need.Slug)
	if err != nil {
		return err
	}
	if !ok {
		return need.Denied()
	}
	return nil
}
