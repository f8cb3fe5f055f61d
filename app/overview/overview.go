// Package overview holds the use case of the dashboard: what all assessments of a company
// come to. It reads the sums that the store keeps, never the assessments.
package overview

import (
	"context"
	"fmt"

	"tilth/app/gate"
	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/dashboard"
	"tilth/core/fault"
	"tilth/ports"
)

// Overview is the use case.
type Overview struct {
	deps  gate.Deps
	table *assessment.Table
}

// New makes the use case.
func New(deps gate.Deps, table *assessment.Table) *Overview { return &Overview{deps, table} }

// MostVerified bounds the verified assessments of a dashboard.
const MostVerified = 1000

// Figures are a dashboard with the assessments that were verified last.
type Figures struct {
	dashboard.Dashboard
	Verified []dashboard.Verified // newest verdict first
}

// Dashboard gives the dashboard of the caller's company, of all years or of one, with up
// to a number of verified assessments.
// Faults: Unauthenticated, Forbidden, Invalid (company_required for a caller outside any
// company; verified_limit).
func (o *Overview) Dashboard(ctx context.Context, who access.Principal, year *int, verified int64) (Figures, error) {
	var out Figures
	if err := o.deps.Gate.Require(ctx, who, access.Assessments.View); err != nil {
		return out, err
	}
	if who.CompanyID == 0 {
		return out, fault.New(fault.Invalid, "company_required", "The dashboard is that of a company; name one by the header X-Company.")
	}
	if verified < 0 || verified > MostVerified {
		return out, fault.Field("verified_limit", fmt.Sprintf("A whole number from 0 to %d.", MostVerified))
	}
	scope := who.Scope(false)
	err := o.deps.Store.Read(ctx, func(ctx context.Context, tx ports.Repos) error {
		sums, err := tx.Rollups.Sums(ctx, scope)
		if err != nil {
			return err
		}
		out.Dashboard = dashboard.Compose(o.table, sums, year)
		out.Verified, err = tx.Rollups.Verified(ctx, scope, year, int(verified))
		return err
	})
	return out, err
}
