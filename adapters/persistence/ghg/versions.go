package ghg

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/ports"
)

type versionRow struct {
	bun.BaseModel    `bun:"table:assessment_versions,alias:t"`
	ID               int64 `bun:"id,pk,autoincrement"`
	CompanyID        int64
	AssessmentID     int64
	Number           int
	Digest           string
	Snapshot         string
	Entered          string
	EnteredDigest    string
	Evidence         string
	EvidenceDigest   string
	Completeness     string // JSON; empty in older versions
	Subject          string
	Engine           string
	EngineVersion    string
	FactorSet        string
	FactorSetVersion string
	FactorSetDigest  string
	GWPSet           string `bun:"gwp_set"`
	Report           string
	SubmittedAt      sqlstore.Stamp
	SubmittedBy      *int64

	SubmittedByName *string `bun:"submitted_by_name,scanonly"`
}

// versions implements ports.AssessmentVersions.
type versions struct{ s *sqlstore.Session }

// query selects the versions of an assessment: of a deleted one only where it is the company's own.
func (v versions) query(scope access.Scope, assessmentID int64) *bun.SelectQuery {
	q := v.s.NewSelect().Model((*versionRow)(nil)).
		Join("LEFT JOIN users AS author ON author.id = t.submitted_by").Where("t.assessment_id = ?", assessmentID)
	if !scope.Shared() {
		return sqlstore.Where(q, sqlstore.Own("t", scope))
	}
	return q.Where("t.assessment_id IN (?)", assessmentRecords(v.s).these(scope, assessmentID))
}

func (v versions) Insert(ctx context.Context, scope access.Scope, version *ports.AssessmentVersion) error {
	if !sqlstore.Writable(scope) {
		return fault.Missing(assessmentTable.Word)
	}
	if err := sqlstore.Known(ctx, ownAssessment(v.s, scope, version.AssessmentID), assessmentTable.Word); err != nil {
		return err
	}
	completeness, err := json.Marshal(version.Completeness)
	if err != nil {
		return err
	}
	version.SubmittedAt = sqlstore.Micro(version.SubmittedAt)
	row := versionRow{
		CompanyID: scope.Company(), AssessmentID: version.AssessmentID, Number: version.Number, Digest: version.Digest,
		Snapshot: string(version.Snapshot), Entered: string(version.Entered), EnteredDigest: version.EnteredDigest,
		Evidence: string(version.Evidence), EvidenceDigest: version.EvidenceDigest,
		Completeness: string(completeness), Subject: string(version.Subject), Engine: version.Engine, EngineVersion: version.EngineVersion,
		FactorSet: version.FactorSet, FactorSetVersion: version.FactorSetVersion, FactorSetDigest: version.FactorSetDigest,
		GWPSet: version.GWPSet, Report: string(version.Report), SubmittedAt: sqlstore.StampAt(version.SubmittedAt),
	}
	if version.SubmittedBy != nil {
		row.SubmittedBy = sqlstore.NullableID(version.SubmittedBy.ID)
	}
	v.s.Wrote(assessmentTable.Word, version.AssessmentID)
	return sqlstore.Insert(ctx, v.s, &row, &version.ID)
}

func (v versions) Get(ctx context.Context, scope access.Scope, assessmentID int64, number int) (ports.AssessmentVersion, error) {
	out, err := versionView.One(ctx, v.query(scope, assessmentID).ColumnExpr("?TableColumns").ColumnExpr("author.name AS submitted_by_name").
		Where("t.number = ?", number))
	if err != nil {
		return out, err
	}
	signatures, err := v.signatures(ctx, assessmentID, number)
	out.Signatures = signatures[number]
	return out, err
}

func (v versions) Count(ctx context.Context, scope access.Scope, assessmentID int64) (int64, error) {
	return v.query(scope, assessmentID).Count(ctx)
}

func (v versions) Each(ctx context.Context, scope access.Scope, assessmentID int64, q ports.Query) iter.Seq2[ports.AssessmentVersion, error] {
	rows := v.query(scope, assessmentID).ExcludeColumn("snapshot", "report", "entered", "evidence", "completeness").ColumnExpr("author.name AS submitted_by_name")
	return func(yield func(ports.AssessmentVersion, error) bool) {
		signatures, err := v.signatures(ctx, assessmentID, 0)
		if err != nil {
			yield(ports.AssessmentVersion{}, err)
			return
		}
		for version, err := range versionView.Each(ctx, v.s, rows, q) {
			version.Signatures = signatures[version.Number]
			if !yield(version, err) {
				return
			}
		}
	}
}

var versionView = &sqlstore.View[ports.AssessmentVersion, versionRow]{
	Word: "version", Record: versionOfRow, Orders: map[string]sqlstore.OrderKey{"number": {Expr: "t.number"}},
	Order: []ports.Order{{Field: "number", Descending: true}},
}

func versionOfRow(row *versionRow) (ports.AssessmentVersion, error) {
	out := ports.AssessmentVersion{
		ID: row.ID, AssessmentID: row.AssessmentID, Number: row.Number, Digest: row.Digest, EnteredDigest: row.EnteredDigest,
		EvidenceDigest: row.EvidenceDigest, Engine: row.Engine, EngineVersion: row.EngineVersion, FactorSet: row.FactorSet, FactorSetVersion: row.FactorSetVersion,
		FactorSetDigest: row.FactorSetDigest, GWPSet: row.GWPSet, SubmittedAt: row.SubmittedAt.Time,
	}
	if row.Snapshot != "" {
		out.Snapshot, out.Report = []byte(row.Snapshot), []byte(row.Report)
	}
	if row.Entered != "" {
		out.Entered = []byte(row.Entered)
	}
	if row.Evidence != "" {
		out.Evidence = []byte(row.Evidence)
	}
	if row.Completeness != "" {
		if err := json.Unmarshal([]byte(row.Completeness), &out.Completeness); err != nil {
			return out, fmt.Errorf("the completeness of version %d of assessment %d: %w", row.Number, row.AssessmentID, err)
		}
	}
	if row.Subject != "" {
		out.Subject = []byte(row.Subject)
	}
	if row.SubmittedBy != nil {
		out.SubmittedBy = &access.Named{ID: *row.SubmittedBy, Name: sqlstore.ValueOf(row.SubmittedByName)}
	}
	return out, nil
}

type engineReferenceRow struct {
	bun.BaseModel `bun:"table:assessment_engine_references,alias:t"`
	CompanyID     int64
	AssessmentID  int64
	Number        int
	Engine        string
	Account       string `bun:"account_reference"`
	Assessment    string `bun:"assessment_reference"`
	Run           string `bun:"run_reference"`
}

// engineReferences implements ports.EngineReferenceWriter.
type engineReferences struct{ s *sqlstore.Session }

func (e engineReferences) Put(ctx context.Context, scope access.Scope, refs ports.EngineReferences) error {
	if !sqlstore.Writable(scope) {
		return fault.Missing("version")
	}
	known := sqlstore.Where(e.s.NewSelect().Model((*versionRow)(nil)), sqlstore.Own("t", scope)).
		Where("t.assessment_id = ?", refs.AssessmentID).Where("t.number = ?", refs.Number)
	if err := sqlstore.Known(ctx, known, "version"); err != nil {
		return err
	}
	row := engineReferenceRow{
		CompanyID: scope.Company(), AssessmentID: refs.AssessmentID, Number: refs.Number, Engine: refs.Engine,
		Account: refs.Reference.Account, Assessment: refs.Reference.Assessment, Run: refs.Reference.Run,
	}
	return sqlstore.Run(ctx, e.s.NewInsert().Model(&row).On("CONFLICT (assessment_id, number) DO NOTHING").Returning("NULL"))
}

// upkeep implements ports.AssessmentUpkeep.
type upkeep struct{ s *sqlstore.Session }

// Stale uses the condition of the index made for it.
func (u upkeep) Stale(ctx context.Context, limit int) ([]ports.AssessmentRef, error) {
	var out []ports.AssessmentRef
	err := u.s.NewSelect().Model((*assessmentRow)(nil)).Column("t.company_id", "t.id").
		Where("t.deleted_at IS NULL").Where("t.completeness_computed_at IS NULL OR t.completeness_computed_at < t.updated_at").
		OrderExpr("t.updated_at, t.id").Limit(int64(limit)).Scan(ctx, &out)
	return out, err
}

func (u upkeep) EngineReferences(ctx context.Context, scope access.Scope, assessmentID int64, number int) (ports.EngineReferences, error) {
	var row engineReferenceRow
	err := sqlstore.Where(u.s.NewSelect().Model(&row).Where("t.assessment_id = ?", assessmentID).Where("t.number = ?", number), sqlstore.Own("t", scope)).Scan(ctx)
	return ports.EngineReferences{
		AssessmentID: row.AssessmentID, Number: row.Number, Engine: row.Engine,
		Reference: ports.EngineReference{Account: row.Account, Assessment: row.Assessment, Run: row.Run},
	}, sqlstore.Missing(err, "version")
}
