package ports

import (
	"context"
	"iter"
	"time"

	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/assessment/signing"
	"tilth/core/dashboard"
	"tilth/core/verification"
)

// Assessments are the assessments of a company. A section is written under the lock of its assessment.
type Assessments interface {
	Records[assessment.Assessment]
	// Alone blocks other writers of many assessments of the company until the transaction ends.
	Alone(ctx context.Context, scope access.Scope) error
	// IDsAfter returns, in order, up to limit ids above one that the filters of a query select.
	IDsAfter(ctx context.Context, scope access.Scope, q Query, after int64, limit int) ([]int64, error)
	// Whole returns those of the ids in the scope with their sections, in order of id. In a Write they are locked.
	Whole(ctx context.Context, scope access.Scope, ids []int64) ([]EnteredAssessment, error)
	// OfYear returns the ids of the company's own live assessments for a year, by farm or field, each in order.
	OfYear(ctx context.Context, scope access.Scope, of assessment.ResourceType, year int, resourceIDs []int64) (map[int64][]int64, error)
	// Enter stores the sections of new assessments and fills in the ids of their rows.
	Enter(ctx context.Context, scope access.Scope, entered []EnteredAssessment) error
	// Resources returns the live farms or fields of the scope by a key, each in order of id. In
	// a Write they cannot be deleted before it ends.
	Resources(ctx context.Context, scope access.Scope, of assessment.ResourceType, by ResourceKey, keys []string) (map[string][]Resource, error)
	// NewestVersions returns the newest submitted version of each assessment that has one, without its snapshot.
	NewestVersions(ctx context.Context, scope access.Scope, ids []int64) (map[int64]AssessmentVersion, error)
	// Sheet returns everything entered in the sections of an assessment; empty outside the scope.
	Sheet(ctx context.Context, scope access.Scope, id int64) (assessment.Sheet, error)
	// ReplaceSection replaces the rows of a section. Rows with an id keep it; the others are assigned one.
	ReplaceSection(ctx context.Context, scope access.Scope, id int64, section string, rows []assessment.Row) error
	// AddRow stores a row after the others of its section and fills in its id.
	AddRow(ctx context.Context, scope access.Scope, id int64, section string, row *assessment.Row) error
	// SetRow stores the values of a row. Faults: NotFound.
	SetRow(ctx context.Context, scope access.Scope, id int64, section string, row assessment.Row) error
	// RemoveRow removes a row. Faults: NotFound.
	RemoveRow(ctx context.Context, scope access.Scope, id int64, section string, rowID int64) error

	// SetState stores how complete an assessment and each of its sections is; updated_at stays.
	SetState(ctx context.Context, scope access.Scope, id int64, state assessment.State, at time.Time) error
	// SetCalculation stores the outcome of the engine's run for a submission; updated_at stays.
	SetCalculation(ctx context.Context, scope access.Scope, id int64, status assessment.CalculationStatus, reason string) error
	// State returns the stored state; ok is false where none was computed yet.
	State(ctx context.Context, scope access.Scope, id int64) (state assessment.State, ok bool, err error)
}

// AssessmentVersion is what was submitted, frozen. Snapshot, Entered, Evidence, Subject and Report are JSON, kept to
// the byte. Entered and what follows from it are empty in versions stored before it was kept.
type AssessmentVersion struct {
	ID               int64
	AssessmentID     int64
	Number           int    // 1 for the first
	Digest           string // of the snapshot
	Snapshot         []byte // what the engine was given
	Entered          []byte // an assessment.AsEntered; nil in what Each yields
	EnteredDigest    string // of Entered
	Evidence         []byte // an evidence.List; nil where nothing was attached, and in what Each yields
	EvidenceDigest   string // of Evidence; empty where nothing was attached
	Completeness     assessment.State
	Subject          []byte // an assessment.Subject; nil in versions stored before there was one
	Engine           string
	EngineVersion    string
	FactorSet        string
	FactorSetVersion string
	FactorSetDigest  string
	GWPSet           string
	Report           []byte // nil in what Each yields
	SubmittedAt      time.Time
	SubmittedBy      *access.Named // nil where the user is gone
	Signatures       []Signature   // the earliest first
}

// Signature is a second person's signature of a version.
type Signature struct {
	By        access.Named // without a name where the user is gone
	At        time.Time
	Statement string
	Digest    string // see [AssessmentVersion.SignedDigest]
	Parts     int    // how many of [signing.Parts] the digest covers
}

// ReportDigest returns the SHA-256 of the report, in hexadecimal.
func (v AssessmentVersion) ReportDigest() string { return signing.Digest(string(v.Report)) }

// SignedDigest returns the digest that a signature of the version covers: that of all [signing.Parts].
func (v AssessmentVersion) SignedDigest() string {
	return signing.Digest(v.Digest, v.EnteredDigest, v.Engine, v.EngineVersion, v.FactorSet, v.FactorSetVersion, v.FactorSetDigest, v.GWPSet, v.ReportDigest(), v.EvidenceDigest)
}

// AssessmentVersions are the submitted versions of the assessments of a company. They are
// append-only; a scope shows those of the assessments it shows, including deleted own ones.
type AssessmentVersions interface {
	// Insert stores a version and fills in its id, under the lock of the assessment. Faults: NotFound.
	Insert(ctx context.Context, scope access.Scope, version *AssessmentVersion) error
	// Sign adds a signature to a version, under the lock of the assessment. Faults: NotFound.
	Sign(ctx context.Context, scope access.Scope, assessmentID int64, number int, signature Signature) error
	// Get returns a version by its number. Faults: NotFound.
	Get(ctx context.Context, scope access.Scope, assessmentID int64, number int) (AssessmentVersion, error)
	// Count counts the versions of an assessment.
	Count(ctx context.Context, scope access.Scope, assessmentID int64) (int64, error)
	// Each streams a page of the versions, newest first, without their snapshots, reports, and what was entered.
	Each(ctx context.Context, scope access.Scope, assessmentID int64, q Query) iter.Seq2[AssessmentVersion, error]
}

// EngineReferences is what an external engine calls a version in its own records. No answer ever shows it.
type EngineReferences struct {
	AssessmentID int64
	Number       int // of the version
	Engine       string
	Reference    EngineReference
}

// EngineReferenceWriter stores references of an external engine. Only the operator's bundle reads them.
type EngineReferenceWriter interface {
	// Put stores the references of a version, once.
	Put(ctx context.Context, scope access.Scope, refs EngineReferences) error
}

// AssessmentUpkeep is what background work and operators do with assessments of all companies.
type AssessmentUpkeep interface {
	// Stale returns up to limit live assessments with outdated or missing completeness, the longest waiting first.
	Stale(ctx context.Context, limit int) ([]AssessmentRef, error)
	// EngineReferences returns the references of a version. Faults: NotFound.
	EngineReferences(ctx context.Context, scope access.Scope, assessmentID int64, number int) (EngineReferences, error)
}

// AssessmentRef is an assessment of some company.
type AssessmentRef struct{ CompanyID, ID int64 }

// JobCompleteness is the kind of the jobs that compute how complete an assessment is.
const JobCompleteness = "assessment_completeness"

// JobVerification is the kind of the jobs that verify crops; their subject is an assessment.
const JobVerification = "crop_verification"

// Verifications are the crop verifications of assessments, each visible with its assessment and written under the assessment's lock.
type Verifications interface {
	// Get returns the verification of an own assessment; ok is false where none was begun.
	Get(ctx context.Context, scope access.Scope, assessmentID int64) (record verification.Record, ok bool, err error)
	// Put stores it. Faults: NotFound for an assessment of another company.
	Put(ctx context.Context, scope access.Scope, record verification.Record) error
}

// WrittenAssessment is an assessment that a transaction wrote or deleted, with what it contributes to the dashboard.
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
