package ghg

import (
	"context"

	"tilth/core/access"
	"tilth/core/dashboard"
	"tilth/core/ghg"
	"tilth/ports"
)

// SettleRollups keeps the sums of the dashboard equal to the contributions of the live
// assessments. It is the last step of every transaction before its commit: a sum that many
// writers change is locked for no longer than the commit takes, and since nothing is locked
// after it, and sums are locked in one order, no two transactions wait for each other.
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

// contributionOf returns what a live assessment contributes. The figures of a version are
// read from its report once, for a version never changes.
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
		var report ghg.Report
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
