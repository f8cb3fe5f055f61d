package ghg

import (
	"context"

	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/fault"
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
	var out Details
	if err := a.MayView(ctx, who); err != nil {
		return out, err
	}
	var missing fault.Fields
	err := a.deps.Store.Read(ctx, func(ctx context.Context, tx ports.Repos) (err error) {
		if out.Whole, err = readWhole(ctx, tx, who.Scope(shared), id); err != nil {
			return err
		}
		if group != "" {
			view, err := a.deps.Table.View(group)
			if err != nil {
				return err
			}
			out.Group = &view
		}
		if !enforce {
			return nil
		}
		// The farm or field is looked at as its own company's: what is shared may be the assessment alone.
		facts, err := a.facts(ctx, tx, access.Own(out.CompanyID), &out.Assessment)
		if err != nil {
			return err
		}
		missing, err = a.deps.Table.Enforce(group, &out.Assessment, out.Sheet, facts)
		return err
	})
	if err != nil {
		return out, err
	}
	return out, missing.Err()
}
