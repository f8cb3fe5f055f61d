package ghg

import (
	"context"
	"fmt"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/dashboard"
	"tilth/core/fault"
	"tilth/ports"
)

// Dashboard is the use case.
type Dashboard struct {
	deps  app.Deps
	table *assessment.Table
}

// NewDashboard makes the use case.
func NewDashboard(deps app.Deps, table *assessment.Table) *Dashboard { return &Dashboard{deps, table} }

// MaxVerified bounds the verified assessments of a dashboard.
const MaxVerified = 1000

// DashboardFigures are a dashboard with the assessments that were verified last.
type DashboardFigures struct {
	dashboard.Dashboard
	Verified []dashboard.Verified // newest verdict first
}

// Dashboard returns the dashboard of the caller's company, of all years or of one, with up
// to a number of verified assessments.
// Faults: Unauthenticated, Forbidden, Invalid (company_required for a caller outside any
// company; verified_limit).
func (o *Dashboard) Dashboard(ctx context.Context, who access.Principal, year *int, verified int64) (DashboardFigures, error) {
	var out DashboardFigures
	if err := o.deps.Gate.Require(ctx, who, access.Assessments.View); err != nil {
		return out, err
	}
	if who.CompanyID == 0 {
		return out, fault.New(fault.Invalid, "company_required", "The dashboard is that of a company; name one by the header X-Company.")
	}
	if verified < 0 || verified > MaxVerified {
		return out, fault.Field("verified_limit", fmt.Sprintf("A whole number from 0 to %d.", MaxVerified))
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
