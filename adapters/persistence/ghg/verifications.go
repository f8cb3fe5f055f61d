package ghg

import (
	"context"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/core/verification"
)

type verificationRow struct {
	bun.BaseModel `bun:"table:assessment_verifications,alias:t"`
	verificationColumns
}

type verificationColumns struct {
	AssessmentID int64
	CompanyID    int64
	Version      int
	Run          int
	Status       verification.Status
	Reason       verification.Reason
	ReasonText   string
	Confidence   float64
	CropType     string
	Attempts     int
	NextTryAt    *sqlstore.Stamp
	StartedAt    sqlstore.Stamp
	DecidedAt    *sqlstore.Stamp
	UpdatedAt    sqlstore.Stamp
}

// evidenceRow is a verification with its evidence, which may be long.
type evidenceRow struct {
	bun.BaseModel `bun:"table:assessment_verifications,alias:t"`
	verificationColumns
	Evidence sqlstore.JSON[verification.Evidence]
}

// verifications implements ports.Verifications.
type verifications struct{ s *sqlstore.Session }

func (v verifications) Get(ctx context.Context, scope access.Scope, assessmentID int64) (verification.Record, bool, error) {
	if scope.Shared() {
		return verification.Record{}, false, nil
	}
	return evidenceView.Find(ctx, sqlstore.Where(v.s.NewSelect().Model((*evidenceRow)(nil)), sqlstore.Own("t", scope)).
		Where("t.assessment_id = ?", assessmentID))
}

var evidenceView = &sqlstore.View[verification.Record, evidenceRow]{Record: func(row *evidenceRow) (verification.Record, error) {
	record := verificationOfColumns(&row.verificationColumns)
	record.Evidence = row.Evidence.V
	return record, nil
}}

func (v verifications) Put(ctx context.Context, scope access.Scope, r verification.Record) error {
	if !sqlstore.Writable(scope) {
		return fault.Missing(assessmentTable.Word)
	}
	if err := sqlstore.Known(ctx, ownAssessment(v.s, scope, r.AssessmentID), assessmentTable.Word); err != nil {
		return err
	}
	v.s.Wrote(assessmentTable.Word, r.AssessmentID)
	row := evidenceRow{verificationColumns: verificationColumns{
		AssessmentID: r.AssessmentID, CompanyID: scope.Company(), Version: r.Version, Run: r.Run, Status: r.Status, Reason: r.Reason,
		ReasonText: r.Text, Confidence: r.Confidence, CropType: r.CropType, Attempts: r.Attempts, NextTryAt: sqlstore.NullableStamp(r.NextTryAt),
		StartedAt: sqlstore.StampAt(r.StartedAt), DecidedAt: sqlstore.NullableStamp(r.DecidedAt), UpdatedAt: sqlstore.StampAt(r.UpdatedAt),
	}, Evidence: sqlstore.JSONOf(r.Evidence)}
	if _, err := v.s.NewDelete().Model((*verificationRow)(nil)).Where("assessment_id = ?", r.AssessmentID).Exec(ctx); err != nil {
		return err
	}
	return sqlstore.Run(ctx, v.s.NewInsert().Model(&row).Returning("NULL"))
}

func verificationOfColumns(row *verificationColumns) verification.Record {
	return verification.Record{
		Outcome: verification.Outcome{
			Status: row.Status, Reason: row.Reason, Text: row.ReasonText, Confidence: row.Confidence, CropType: row.CropType, DecidedAt: row.DecidedAt.Nullable(),
		},
		AssessmentID: row.AssessmentID, Version: row.Version, Run: row.Run, Attempts: row.Attempts, NextTryAt: row.NextTryAt.Nullable(),
		StartedAt: row.StartedAt.Time, UpdatedAt: row.UpdatedAt.Time,
	}
}
