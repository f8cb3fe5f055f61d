package ghg

import (
	"context"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/ports"
)

// Details is an assessment as its detail view is asked for.
type Details struct {
	Whole
	Group *assessment.Group // nil: all of them
}

// Details returns an assessment for its detail view. Where required fields are enforced,
// those of the group that are missing or invalid are refused.
// Faults: Unauthenticated, Forbidden, NotFound, Invalid (group; what is missing).
func (a *Assessments) Details(ctx context.Context, who access.Principal, shared bool, id int64, group string, enforce bool) (Details, error) {
	return app.Read(ctx, a.deps.Deps, who, access.Assessments.View, func(ctx context.Context, tx ports.Repos) (out Details, err error) {
		if out.Whole, err = readWhole(ctx, tx, who.Scope(shared), id); err != nil {
			return out, err
		}
		if group != "" {
			view, err := a.deps.Table.View(group)
			if err != nil {
				return out, err
			}
			out.Group = &view
		}
		if !enforce {
			return out, nil
		}
		// The farm or field is looked at as its own company's: what is shared may be the assessment alone.
		facts, err := a.facts(ctx, tx, access.Own(out.CompanyID), &out.Assessment)
		if err != nil {
			return out, err
		}
		missing, err := a.deps.Table.Enforce(group, &out.Assessment, out.Sheet, facts)
		if err != nil {
			return out, err
		}
		return out, missing.Err()
	})
}
