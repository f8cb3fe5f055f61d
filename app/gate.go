package app

import (
	"context"

	"tilth/core/access"
	"tilth/core/fault"
	"tilth/ports"
)

// Deps is what most use cases need.
type Deps struct {
	Store ports.Store
	Gate  *Gate
	Clock ports.Clock
	IDs   ports.IDs
}

// Gate checks permissions.
type Gate struct {
	permissions ports.Permissions
	store       ports.Store // of subscriptions; nil: nobody has one
	clock       ports.Clock
}

// NewGate returns a gate that asks a store for the subscriptions of companies.
func NewGate(permissions ports.Permissions, store ports.Store, clock ports.Clock) *Gate {
	return &Gate{permissions, store, clock}
}

// permit proves that a gate admitted a caller. Only [Gate.Admit] issues one, for the context of one request.
type permit struct {
	user, company, key int64
	granted            access.Permission
}

type permitOf struct{ gate *Gate }

// Admit refuses a caller who lacks a permission, as Require does. It returns a context in
// which Require does not check again what this permission covers.
func (g *Gate) Admit(ctx context.Context, who access.Principal, need access.Permission) (context.Context, error) {
	if err := g.check(ctx, who, need); err != nil {
		return ctx, err
	}
	return context.WithValue(ctx, permitOf{g}, permit{who.UserID, who.CompanyID, who.KeyID, need}), nil
}

// Require refuses (Unauthenticated, Forbidden) a caller who lacks one of the permissions. An
// operator inside a company may do everything there; outside any company it may read, but finds
// nothing, and may not write. A key narrower than its user is refused whatever it leaves out. What
// needs a subscription is refused, whatever the role, to a caller acting in a company without one.
func (g *Gate) Require(ctx context.Context, who access.Principal, needs ...access.Permission) error {
	p, ok := ctx.Value(permitOf{g}).(permit)
	admitted := ok && p == permit{who.UserID, who.CompanyID, who.KeyID, p.granted}
	for _, need := range needs {
		if admitted && p.granted.Covers(need) {
			continue
		}
		if admitted {
			need = need.PartOf(p.granted)
		}
		if err := g.check(ctx, who, need); err != nil {
			return err
		}
	}
	return nil
}

func (g *Gate) check(ctx context.Context, who access.Principal, need access.Permission) error {
	if need.Operators() && who.UserID != 0 {
		if !who.Operator || who.KeyID != 0 {
			return need.Denied()
		}
		return nil
	}
	if ok, err := g.Holds(ctx, who, need.Slug()); err != nil {
		return err
	} else if !ok {
		return need.Denied()
	}
	if need.Service() == "" || who.Operator && who.CompanyID == 0 {
		return nil // outside any company there is nothing to find
	}
	if g.store == nil {
		return need.Unsubscribed()
	}
	active, err := In(ports.Loosely(ctx), g.store.Consult, func(ctx context.Context, tx ports.OperatorRepos) (bool, error) {
		return tx.Subscriptions.Active(ctx, who.CompanyID, need.Service(), g.clock.Now())
	})
	if err == nil && !active {
		return need.Unsubscribed()
	}
	return err
}

// Holds reports whether a caller holds a slug, subscriptions apart. Faults: Unauthenticated.
func (g *Gate) Holds(ctx context.Context, who access.Principal, slug access.Slug) (bool, error) {
	switch {
	case who.UserID == 0:
		return false, fault.New(fault.Unauthenticated, "not_authenticated", "Authentication credentials were not provided.")
	case !who.Within(slug):
		return false, nil
	case who.Operator:
		return who.CompanyID != 0 || slug.Reads(), nil
	}
	return g.permissions.Allowed(ctx, who, slug)
}
