package ghg

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/common"
	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/assessment/evidence"
	"tilth/core/fault"
)

const fileWord = "file"

type fileRow struct {
	bun.BaseModel `bun:"table:assessment_evidence,alias:t"`
	common.FileRow
	AssessmentID int64
	Section      string
	ItemID       int64
	Field        string
}

type heldFileRow struct {
	bun.BaseModel `bun:"table:assessment_version_evidence,alias:h"`
	CompanyID     int64
	AssessmentID  int64
	Number        int
	EvidenceID    int64
}

func (r *fileRow) file() evidence.File {
	return evidence.File{File: r.File(), About: evidence.About{Section: r.Section, ItemID: r.ItemID, Field: r.Field}}
}

// fileHeld is the condition of files that a version holds.
const fileHeld = "EXISTS (SELECT 1 FROM assessment_version_evidence AS h WHERE h.evidence_id = t.id)"

// files implements ports.Evidence.
type files struct {
	sqlstore.Keys[fileRow]
	s *sqlstore.Session
}

func fileRecords(s *sqlstore.Session) files {
	return files{sqlstore.KeysOf[fileRow](s, common.FileAttached), s}
}

// of selects files of an assessment that the scope shows.
func (f files) of(scope access.Scope, assessmentID int64) *bun.SelectQuery {
	return common.WithUploader(f.s.NewSelect().Model((*fileRow)(nil))).Where("t.assessment_id IN (?)", assessmentRecords(f.s).these(scope, assessmentID))
}

func (f files) Begin(ctx context.Context, scope access.Scope, assessmentID int64, file *evidence.File) error {
	if !sqlstore.Writable(scope) {
		return fault.Missing(assessmentTable.Word)
	}
	if err := sqlstore.Known(ctx, ownAssessment(f.s, scope, assessmentID), assessmentTable.Word); err != nil {
		return err
	}
	row := fileRow{FileRow: common.FileRowOf(scope, &file.File), AssessmentID: assessmentID, Section: file.Section, ItemID: file.ItemID, Field: file.Field}
	return sqlstore.Insert(ctx, f.s, &row, &file.ID)
}

// change updates a file of an own assessment if the file is in a state.
func (f files) change(scope access.Scope, assessmentID, id int64, state string) *bun.UpdateQuery {
	return sqlstore.Where(f.s.NewUpdate().Model((*fileRow)(nil)), sqlstore.OwnOnly(scope)).
		Where("t.assessment_id = ?", assessmentID).Where("t.id = ?", id).Where(state)
}

func (f files) Attach(ctx context.Context, scope access.Scope, assessmentID int64, file evidence.File, at time.Time) error {
	q := f.change(scope, assessmentID, file.ID, common.FileBegun).Set("section = ?, item_id = ?, field = ?", file.Section, file.ItemID, file.Field)
	return sqlstore.Change(ctx, common.AttachFile(q, file.File, at), fault.Missing(fileWord))
}

func (f files) Of(ctx context.Context, scope access.Scope, assessmentID int64) ([]evidence.File, error) {
	return sqlstore.All(ctx, f.of(scope, assessmentID).Where(common.FileAttached).OrderExpr("t.id"), (*fileRow).file)
}

func (f files) Held(ctx context.Context, scope access.Scope, assessmentID int64, number int) ([]evidence.File, error) {
	held := f.s.NewSelect().Model((*heldFileRow)(nil)).Column("h.evidence_id").Where("h.assessment_id = ?", assessmentID).Where("h.number = ?", number)
	return sqlstore.All(ctx, f.of(scope, assessmentID).Where("t.id IN (?)", held).OrderExpr("t.id"), (*fileRow).file)
}

func (f files) Get(ctx context.Context, scope access.Scope, assessmentID, id int64) (evidence.File, error) {
	q := f.of(scope, assessmentID).Where("t.id = ?", id).Where("(" + common.FileAttached + " OR " + fileHeld + ")")
	return sqlstore.One(ctx, q, fileWord, (*fileRow).file)
}

func (f files) Remove(ctx context.Context, scope access.Scope, assessmentID, id int64, at time.Time) error {
	return sqlstore.Change(ctx, f.change(scope, assessmentID, id, common.FileAttached).Set("removed_at = ?", sqlstore.StampAt(at)), fault.Missing(fileWord))
}

func (f files) Hold(ctx context.Context, scope access.Scope, assessmentID int64, number int) error {
	attached, err := f.Of(ctx, scope, assessmentID)
	if err != nil {
		return err
	}
	return sqlstore.InsertAll(ctx, f.s, attached, func(_ int, file evidence.File) heldFileRow {
		return heldFileRow{CompanyID: scope.Company(), AssessmentID: assessmentID, Number: number, EvidenceID: file.ID}
	})
}
