package account

import (
	"context"

	"tilth/core/access"
	"tilth/core/fault"
	"tilth/ports"
)

// Me is what a caller may know of itself.
type Me struct {
	Principal access.Principal
	Company   *ports.Company // nil: an operator outside any company
	Roles     []string
	Slugs     []access.Slug // what the caller may do now
}

// Me returns the caller to itself; no permission is needed for that. Faults: Unauthenticated.
func (p *People) Me(ctx context.Context, who access.Principal) (Me, error) {
	out := Me{Principal: who}
	err := p.deps.Store.Consult(ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
		if who.CompanyID == 0 {
			return nil
		}
		company, err := tx.Accounts.Company(ctx, who.CompanyID)
		if err != nil {
			return err
		}
		out.Company = &company
		member, err := tx.Members.Get(ctx, who.Scope(false), who.UserID)
		if fault.Is(err, fault.NotFound) {
			return nil // an operator inside a company
		}
		out.Roles = member.Roles
		return err
	})
	if err != nil {
		return out, err
	}
	for _, slug := range access.KnownSlugs() {
		holds, err := p.deps.Gate.Holds(ctx, who, slug)
		if err != nil {
			return out, err
		}
		if holds {
			out.Slugs = append(out.Slugs, slug)
		}
	}
	return out, nil
}
