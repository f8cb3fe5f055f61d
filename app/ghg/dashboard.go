package ghg

import (
	"context"
	"fmt"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/dashboard"
	"tilth/core/fault"
	"tilth/core/ghg/report"
	"tilth/ports"
)

// Dashboard is the use case.
type Dashboard struct {
	app.Deps
	Table *assessment.Table
}

// MaxVerified bounds the number of verified assessments of a dashboard.
const MaxVerified = 1000

// DashboardFigures is a dashboard with the assessments that were verified last.
type DashboardFigures struct {
	dashboard.Dashboard
	Verified []dashboard.Verified // newest verdict first
}

// Dashboard returns the dashboard of the caller's company, of all years or of one, with up to a number of
// verified assessments. Faults: Invalid (company_required for a caller outside any company; verified_limit).
func (o *Dashboard) Dashboard(ctx context.Context, who access.Principal, year *int, verified int64) (DashboardFigures, error) {
	scope := who.Scope(false)
	return app.Read(ctx, o.Deps, who, access.Assessments.View, func(ctx context.Context, tx ports.Repos) (out DashboardFigures, err error) {
		if who.CompanyID == 0 {
			return out, fault.New(fault.Invalid, "company_required", "The dashboard is for one company; name it in the header X-Company.")
		}
		if verified < 0 || verified > MaxVerified {
			return out, fault.Field("verified_limit", fmt.Sprintf("A whole number from 0 to %d.", MaxVerified))
		}
		sums, err := tx.Rollups.Sums(ctx, scope)
		if err != nil {
			return out, err
		}
		out.Dashboard = dashboard.Compose(o.Table, sums, year)
		out.Verified, err = tx.Rollups.Verified(ctx, scope, year, int(verified))
		return out, err
	})
}

// SettleRollups keeps the sums of the dashboard equal to the contributions of the live assessments.
// It is the last step of every transaction before its commit: a sum that many writers change is
// then locked no longer than the commit takes. Nothing is locked after it, and sums are locked in a
// fixed order, so no two transactions wait for each other.
func SettleRollups(ctx context.Context, tx ports.Repos) error {
	written, err := tx.Rollups.Written(ctx)
	if err != nil || len(written) == 0 {
		return err
	}
	changes := make([]ports.ContributionChange, len(written))
	for i, w := range written {
		changes[i] = ports.ContributionChange{CompanyID: w.CompanyID, AssessmentID: w.ID}
		var before, after []dashboard.Contribution
		if w.Before != nil {
			before = append(before, w.Before.Contribution)
		}
		if w.DeletedAt == nil {
			now, err := contributionOf(ctx, tx, w)
			if err != nil {
				return err
			}
			changes[i].After, after = &now, append(after, now.Contribution)
		}
		changes[i].Sums = dashboard.Changes(before, after)
	}
	return tx.Rollups.Put(ctx, changes)
}

// contributionOf returns what a live assessment contributes. The figures of a version are read from
// its report only once, because a version never changes.
func contributionOf(ctx context.Context, tx ports.Repos, w ports.WrittenAssessment) (ports.Contribution, error) {
	var figures dashboard.Figures
	if w.Before != nil {
		figures = w.Before.Figures
	}
	if figures.Version != w.SubmittedVersion {
		newest, err := tx.Assessments.NewestVersions(ctx, access.Own(w.CompanyID), []int64{w.ID})
		if err != nil {
			return ports.Contribution{}, err
		}
		var report report.Report
		if version, ok := newest[w.ID]; ok && len(version.Report) > 0 {
			if report, err = reportOf(version); err != nil {
				return ports.Contribution{}, err
			}
		}
		figures = dashboard.FiguresOf(w.SubmittedVersion, report)
	}
	facts := dashboard.FactsOf(&w.Assessment, w.Sections, figures, w.Check)
	return ports.Contribution{Contribution: facts.Contribution(), Figures: figures, VerifiedAt: facts.VerifiedAt()}, nil
}
