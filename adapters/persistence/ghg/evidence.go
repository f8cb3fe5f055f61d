package ghg

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/assessment/evidence"
	"tilth/core/fault"
	"tilth/core/record"
)

const fileWord = "file"

type fileRow struct {
	bun.BaseModel `bun:"table:assessment_evidence,alias:t"`
	ID            int64 `bun:"id,pk,autoincrement"`
	CompanyID     int64
	AssessmentID  int64
	Object        string
	Name          string
	MediaType     string
	Size          int64
	SHA256        string `bun:"sha256"`
	Section       string
	ItemID        int64
	Field         string
	Note          string
	UploadedAt    sqlstore.Stamp
	UploadedBy    int64
	AttachedAt    *sqlstore.Stamp
	RemovedAt     *sqlstore.Stamp

	UploadedByName *string `bun:"uploaded_by_name,scanonly"`
}

type heldFileRow struct {
	bun.BaseModel `bun:"table:assessment_version_evidence,alias:h"`
	CompanyID     int64
	AssessmentID  int64
	Number        int
	EvidenceID    int64
}

func (r *fileRow) file() evidence.File {
	return evidence.File{
		ID: r.ID, Name: r.Name, Media: r.MediaType, Size: r.Size, SHA256: r.SHA256, About: evidence.About{Section: r.Section, ItemID: r.ItemID, Field: r.Field},
		Note: r.Note, At: r.UploadedAt.Time, By: record.Ref{ID: r.UploadedBy, Name: sqlstore.ValueOf(r.UploadedByName)}, Object: r.Object,
	}
}

// The conditions of the states of a file.
const (
	fileBegun    = "t.attached_at IS NULL AND t.removed_at IS NULL"
	fileAttached = "t.attached_at IS NOT NULL AND t.removed_at IS NULL"
	fileHeld     = "EXISTS (SELECT 1 FROM assessment_version_evidence AS h WHERE h.evidence_id = t.id)"
)

// files implements ports.Evidence.
type files struct{ s *sqlstore.Session }

// of selects files of an assessment that the scope shows.
func (f files) of(scope access.Scope, assessmentID int64) *bun.SelectQuery {
	return f.s.NewSelect().Model((*fileRow)(nil)).ColumnExpr("?TableColumns").ColumnExpr("author.name AS uploaded_by_name").
		Join("LEFT JOIN users AS author ON author.id = t.uploaded_by").Where("t.assessment_id IN (?)", assessmentRecords(f.s).these(scope, assessmentID))
}

func (f files) Begin(ctx context.Context, scope access.Scope, assessmentID int64, file *evidence.File) error {
	if !sqlstore.Writable(scope) {
		return fault.Missing(assessmentTable.Word)
	}
	if err := sqlstore.Known(ctx, ownAssessment(f.s, scope, assessmentID), assessmentTable.Word); err != nil {
		return err
	}
	file.At = sqlstore.Micro(file.At)
	row := fileRow{
		CompanyID: scope.Company(), AssessmentID: assessmentID, Object: file.Object, Name: file.Name,
		Section: file.Section, ItemID: file.ItemID, Field: file.Field, Note: file.Note, UploadedAt: sqlstore.StampAt(file.At), UploadedBy: file.By.ID,
	}
	return sqlstore.Insert(ctx, f.s, &row, &file.ID)
}

// change updates a file of an own assessment that is in a state.
func (f files) change(scope access.Scope, assessmentID, id int64, state string) *bun.UpdateQuery {
	return sqlstore.Where(f.s.NewUpdate().Model((*fileRow)(nil)), sqlstore.OwnOnly(scope)).
		Where("t.assessment_id = ?", assessmentID).Where("t.id = ?", id).Where(state)
}

func (f files) Attach(ctx context.Context, scope access.Scope, assessmentID int64, file evidence.File, at time.Time) error {
	q := f.change(scope, assessmentID, file.ID, fileBegun).
		Set("name = ?, media_type = ?, size = ?, sha256 = ?", file.Name, file.Media, file.Size, file.SHA256).
		Set("section = ?, item_id = ?, field = ?, note = ?", file.Section, file.ItemID, file.Field, file.Note).
		Set("attached_at = ?", sqlstore.StampAt(at))
	return sqlstore.Change(ctx, q, fault.Missing(fileWord))
}

func (f files) Of(ctx context.Context, scope access.Scope, assessmentID int64) ([]evidence.File, error) {
	return sqlstore.All(ctx, f.of(scope, assessmentID).Where(fileAttached).OrderExpr("t.id"), (*fileRow).file)
}

func (f files) Held(ctx context.Context, scope access.Scope, assessmentID int64, number int) ([]evidence.File, error) {
	held := f.s.NewSelect().Model((*heldFileRow)(nil)).Column("h.evidence_id").Where("h.assessment_id = ?", assessmentID).Where("h.number = ?", number)
	return sqlstore.All(ctx, f.of(scope, assessmentID).Where("t.id IN (?)", held).OrderExpr("t.id"), (*fileRow).file)
}

func (f files) Get(ctx context.Context, scope access.Scope, assessmentID, id int64) (evidence.File, error) {
	q := f.of(scope, assessmentID).Where("t.id = ?", id).Where("(" + fileAttached + " OR " + fileHeld + ")")
	return sqlstore.One(ctx, q, fileWord, (*fileRow).file)
}

func (f files) Remove(ctx context.Context, scope access.Scope, assessmentID, id int64, at time.Time) error {
	return sqlstore.Change(ctx, f.change(scope, assessmentID, id, fileAttached).Set("removed_at = ?", sqlstore.StampAt(at)), fault.Missing(fileWord))
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

// fileKeeper implements ports.EvidenceKeeper.
type fileKeeper struct{ s *sqlstore.Session }

func (k fileKeeper) GiveUp(ctx context.Context, before, now time.Time, limit int) (int64, error) {
	late := k.s.NewSelect().Model((*fileRow)(nil)).Column("t.id").Where(fileBegun).Where("t.uploaded_at < ?", sqlstore.StampAt(before)).
		OrderExpr("t.uploaded_at").Limit(int64(limit))
	return sqlstore.Affected(ctx, k.s.NewUpdate().Model((*fileRow)(nil)).Set("removed_at = ?", sqlstore.StampAt(now)).
		Where("t.id IN (?)", late).Where(fileBegun))
}

func (k fileKeeper) Loose(ctx context.Context, before time.Time, limit int) ([]evidence.File, error) {
	return sqlstore.All(ctx, k.s.NewSelect().Model((*fileRow)(nil)).Where("t.removed_at < ?", sqlstore.StampAt(before)).Where("NOT "+fileHeld).
		OrderExpr("t.removed_at").Limit(int64(limit)), (*fileRow).file)
}

func (k fileKeeper) Forget(ctx context.Context, ids []int64) error {
	return sqlstore.Run(ctx, sqlstore.Where(k.s.NewDelete().Model((*fileRow)(nil)), sqlstore.Among("t.id", ids)).
		Where("t.removed_at IS NOT NULL").Where("NOT "+fileHeld))
}
