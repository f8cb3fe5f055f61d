package ports

import (
	"context"

	"tilth/core/access"
	"tilth/core/verification"
)

// JobVerification is the kind of the jobs that verify crops; their subject is an assessment.
const JobVerification = "crop_verification"

// Verifications are the crop verifications of assessments. They are read and written under
// the assessment: who may see it may see its verification, and it is written under its lock.
type Verifications interface {
	// Get returns the verification of an own assessment; ok is false where none was begun.
	Get(ctx context.Context, scope access.Scope, assessmentID int64) (record verification.Record, ok bool, err error)
	// Put stores it. Faults: NotFound for an assessment of another company.
	Put(ctx context.Context, scope access.Scope, record verification.Record) error
}
