package ports

import (
	"context"

	"tilth/core/access"
	"tilth/core/dashboard"
	"tilth/core/verification"
)

// JobVerification is the kind of the jobs that verify crops; their subject is an
// assessment. The store enqueues one in every transaction that submits an assessment.
const JobVerification = "crop_verification"

// Verifications are the crop verifications of assessments. They are read and written under
// the assessment: who may see it may see its verification, and it is written under its lock.
type Verifications interface {
	// Get returns the verification of an own assessment; ok is false where none was begun.
	Get(ctx context.Context, scope access.Scope, assessmentID int64) (record verification.Record, ok bool, err error)
	// Put stores it. Faults: NotFound for an assessment of another company.
	Put(ctx context.Context, scope access.Scope, record verification.Record) error
}

// Rollups are the sums behind the dashboard. Nothing writes them: the store keeps them in
// step in the transaction of every write of an assessment, its completeness, its versions
// or its verification.
type Rollups interface {
	// Sums returns the sums of the live assessments of a company by year.
	Sums(ctx context.Context, scope access.Scope) (map[int]dashboard.Cells, error)
	// Verified returns the assessments whose crop is verified, newest verdict first.
	Verified(ctx context.Context, scope access.Scope, year *int, limit int) ([]dashboard.Verified, error)
}
