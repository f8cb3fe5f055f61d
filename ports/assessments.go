package ports

import (
	"context"
	"iter"
	"time"

	"tilth/core/access"
	"tilth/core/assessment"
)

// Assessments are the assessments of a company, with what is entered in their sections.
// A section is written under the lock of its assessment (GetForUpdate).
type Assessments interface {
	Records[assessment.Assessment]
	ManyAssessments
	// Sheet returns everything entered in the sections of an assessment; an empty one for an
	// assessment that is not in the scope.
	Sheet(ctx context.Context, scope access.Scope, id int64) (assessment.Sheet, error)
	// ReplaceSection stores the rows of a section in the place of those it has. Rows with an
	// id keep it; the others are given theirs.
	ReplaceSection(ctx context.Context, scope access.Scope, id int64, section string, rows []assessment.Row) error
	// AddRow stores a row behind the others of its section and fills in its id.
	AddRow(ctx context.Context, scope access.Scope, id int64, section string, row *assessment.Row) error
	// SetRow stores the values of a row. Faults: NotFound.
	SetRow(ctx context.Context, scope access.Scope, id int64, section string, row assessment.Row) error
	// RemoveRow removes a row. Faults: NotFound.
	RemoveRow(ctx context.Context, scope access.Scope, id int64, section string, rowID int64) error

	// SetState stores how complete an assessment is: the figures of the record and the state
	// of each section, together. It is no change of the record: updated_at stays.
	SetState(ctx context.Context, scope access.Scope, id int64, state assessment.State, at time.Time) error
	// SetCalculation stores how the run of the engine went that a submission started. It is
	// no change of what was entered: updated_at stays.
	SetCalculation(ctx context.Context, scope access.Scope, id int64, status assessment.CalculationStatus, reason string) error
	// State returns the stored state; ok is false where none was computed yet.
	State(ctx context.Context, scope access.Scope, id int64) (state assessment.State, ok bool, err error)
}

// AssessmentVersion is what was submitted, frozen. Snapshot, Subject and Report are JSON,
// kept to the byte.
type AssessmentVersion struct {
	ID               int64
	AssessmentID     int64
	Number           int    // 1 for the first
	Digest           string // of the snapshot
	Snapshot         []byte // what the engine was given
	Subject          []byte // an assessment.Subject; nil in versions stored before there was one
	Engine           string
	EngineVersion    string
	FactorSet        string
	FactorSetVersion string
	FactorSetDigest  string
	GWPSet           string
	Report           []byte // nil in what Each gives
	SubmittedAt      time.Time
	SubmittedBy      *access.Named // nil where the user is gone
}

// AssessmentVersions are the submitted versions of the assessments of a company. They are
// append-only; a scope shows those of the assessments it shows, also of deleted own ones.
type AssessmentVersions interface {
	// Insert stores a version and fills in its id. The caller holds the lock of the
	// assessment. Faults: NotFound for an assessment of another company.
	Insert(ctx context.Context, scope access.Scope, version *AssessmentVersion) error
	// Get returns a version by its number. Faults: NotFound.
	Get(ctx context.Context, scope access.Scope, assessmentID int64, number int) (AssessmentVersion, error)
	// Count counts the versions of an assessment.
	Count(ctx context.Context, scope access.Scope, assessmentID int64) (int64, error)
	// Each streams a page of the versions of an assessment, newest first, without their
	// snapshots and reports.
	Each(ctx context.Context, scope access.Scope, assessmentID int64, q Query) iter.Seq2[AssessmentVersion, error]
}

// EngineReferences is what an external engine calls a version in its own books. No answer
// ever shows it.
type EngineReferences struct {
	AssessmentID int64
	Number       int // of the version
	Engine       string
	Reference    EngineReference
}

// EngineReferenceWriter keeps the references of an external engine. There is nothing here
// to read them by: that is the operator's bundle.
type EngineReferenceWriter interface {
	// Put stores the references of a version, once.
	Put(ctx context.Context, scope access.Scope, refs EngineReferences) error
}

// AssessmentUpkeep is what background work and operators do with assessments of all companies.
type AssessmentUpkeep interface {
	// Stale returns up to limit live assessments that were written since their completeness was
	// computed, or never had it computed, longest waiting first.
	Stale(ctx context.Context, limit int) ([]AssessmentRef, error)
	// EngineReferences returns the references of a version. Faults: NotFound.
	EngineReferences(ctx context.Context, scope access.Scope, assessmentID int64, number int) (EngineReferences, error)
}

// AssessmentRef is an assessment of some company.
type AssessmentRef struct{ CompanyID, ID int64 }
