package common

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/attachment"
	"tilth/core/record"
)

// FileRow holds the columns of files that are attached to records of any kind.
type FileRow struct {
	ID         int64 `bun:"id,pk,autoincrement"`
	CompanyID  int64
	Object     string
	Name       string
	MediaType  string
	Size       int64
	SHA256     string `bun:"sha256"`
	Note       string
	UploadedAt sqlstore.Stamp
	UploadedBy int64
	AttachedAt *sqlstore.Stamp
	RemovedAt  *sqlstore.Stamp
	sqlstore.KeyColumns

	UploadedByName *string `bun:"uploaded_by_name,scanonly"`
}

// FileRowOf returns the row of a file that is begun. What is known about its bytes is added later.
func FileRowOf(scope access.Scope, file *attachment.File) FileRow {
	file.At = sqlstore.Micro(file.At)
	return FileRow{CompanyID: scope.Company(), Object: file.Object, Name: file.Name, Note: file.Note, UploadedAt: sqlstore.StampAt(file.At), UploadedBy: file.By.ID}
}

// File returns the file of a row.
func (r *FileRow) File() attachment.File {
	return attachment.File{
		ID: r.ID, Name: r.Name, Media: r.MediaType, Size: r.Size, SHA256: r.SHA256, Note: r.Note,
		At: r.UploadedAt.Time, By: record.Ref{ID: r.UploadedBy, Name: sqlstore.ValueOf(r.UploadedByName)}, Object: r.Object, External: r.External(),
	}
}

// The conditions of the states of a file.
const (
	FileBegun    = "t.attached_at IS NULL AND t.removed_at IS NULL"
	FileAttached = "t.attached_at IS NOT NULL AND t.removed_at IS NULL"
)

// WithUploader adds the name of the user who uploaded a file.
func WithUploader(q *bun.SelectQuery) *bun.SelectQuery {
	return q.ColumnExpr("?TableColumns").ColumnExpr("author.name AS uploaded_by_name").Join("LEFT JOIN users AS author ON author.id = t.uploaded_by")
}

// AttachFile completes a file that was begun.
func AttachFile(q *bun.UpdateQuery, file attachment.File, at time.Time) *bun.UpdateQuery {
	return q.Set("name = ?, media_type = ?, size = ?, sha256 = ?, note = ?", file.Name, file.Media, file.Size, file.SHA256, file.Note).
		Set("external_id = ?, source = ?", file.ExternalID, file.Source).Set("attached_at = ?", sqlstore.StampAt(at))
}

type keptRow struct {
	bun.BaseModel `bun:"table:files,alias:t"`
	FileRow
}

// FileKeeper implements ports.AttachmentKeeper for a table of files.
type FileKeeper struct {
	S     *sqlstore.Session
	Table string
	Held  string // the condition of files that something holds
}

func (k FileKeeper) files() *bun.SelectQuery {
	return k.S.NewSelect().Model((*keptRow)(nil)).ModelTableExpr("? AS t", bun.Ident(k.Table))
}

// GiveUp implements ports.AttachmentKeeper.
func (k FileKeeper) GiveUp(ctx context.Context, before, now time.Time, limit int) (int64, error) {
	late := k.files().Column("t.id").Where(FileBegun).Where("t.uploaded_at < ?", sqlstore.StampAt(before)).OrderExpr("t.uploaded_at").Limit(int64(limit))
	return sqlstore.Affected(ctx, k.S.NewUpdate().Model((*keptRow)(nil)).ModelTableExpr("? AS t", bun.Ident(k.Table)).
		Set("removed_at = ?", sqlstore.StampAt(now)).Where("t.id IN (?)", late).Where(FileBegun))
}

// Loose implements ports.AttachmentKeeper.
func (k FileKeeper) Loose(ctx context.Context, before time.Time, limit int) ([]attachment.File, error) {
	q := k.files().Where("t.removed_at < ?", sqlstore.StampAt(before)).Where("NOT (" + k.Held + ")").OrderExpr("t.removed_at").Limit(int64(limit))
	return sqlstore.All(ctx, q, func(row *keptRow) attachment.File { return row.File() })
}

// Forget implements ports.AttachmentKeeper.
func (k FileKeeper) Forget(ctx context.Context, ids []int64) error {
	return sqlstore.Run(ctx, sqlstore.Where(k.S.NewDelete().Model((*keptRow)(nil)).ModelTableExpr("? AS t", bun.Ident(k.Table)), sqlstore.Among("t.id", ids)).
		Where("t.removed_at IS NOT NULL").Where("NOT ("+k.Held+")"))
}
