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
type Gate struct{ permissions ports.Permissions }

// New makes a gate.
func New(permissions ports.Permissions) *Gate { return &Gate{permissions} }

// Require refuses (Unauthenticated, Forbidden) a caller who lacks a permission. An
// operator inside a company may do everything there; outside any it may look, and finds
// nothing, and may not write. A key narrower than its user is refused what it leaves out.
func (g *Gate) Require(ctx context.Context, who access.Principal, need access.Permission) error {
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
