package ports

import (
	"context"
	"time"

	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/dashboard"
	"tilth/core/verification"
)

// WrittenAssessment is an assessment that a transaction wrote or deleted, with the parts of
// what it contributes to the dashboard.
type WrittenAssessment struct {
	assessment.Assessment
	Sections []assessment.SectionState
	Check    *verification.Record // without its evidence; nil: none was begun
	Before   *Contribution        // nil: it contributes nothing so far
}

// Contribution is what a live assessment adds to the sums of its company.
type Contribution struct {
	dashboard.Contribution
	Figures    dashboard.Figures // of the submitted version
	VerifiedAt *time.Time        // nil: its crop is not verified
}

// ContributionChange is a contribution that a transaction changes.
type ContributionChange struct {
	CompanyID, AssessmentID int64
	After                   *Contribution      // nil: the assessment is deleted
	Sums                    []dashboard.Change // what the change adds to the sums of the company
}

// Rollups are the sums behind the dashboard. The use case that owns the step before a commit
// keeps them equal to the contributions of the live assessments.
type Rollups interface {
	// Sums returns the sums of the live assessments of a company by year.
	Sums(ctx context.Context, scope access.Scope) (map[int]dashboard.Cells, error)
	// Verified returns the assessments whose crop is verified, newest verdict first.
	Verified(ctx context.Context, scope access.Scope, year *int, limit int) ([]dashboard.Verified, error)
	// Written locks and returns the assessments that this transaction wrote, alone or by their
	// completeness, their versions or their verification, in order of id. It needs no scope:
	// the writes had theirs.
	Written(ctx context.Context) ([]WrittenAssessment, error)
	// Put stores contributions and adds what they change to the sums. Many writers change one
	// sum: Put locks sums in one order, and a transaction locks nothing after it.
	Put(ctx context.Context, changes []ContributionChange) error
}
