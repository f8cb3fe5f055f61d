package soil

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/common"
	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/attachment"
	"tilth/core/fault"
)

const photoWord = "photo"

type photoRow struct {
	bun.BaseModel `bun:"table:sample_photos,alias:t"`
	common.FileRow
	SampleID int64
}

// samplePhotos implements ports.SamplePhotos.
type samplePhotos struct {
	sqlstore.Keys[photoRow]
	s *sqlstore.Session
}

func photoRecords(s *sqlstore.Session) samplePhotos {
	return samplePhotos{sqlstore.KeysOf[photoRow](s, common.FileAttached), s}
}

// samples selects samples that the scope shows.
func (p samplePhotos) samples(scope access.Scope, ids ...int64) *bun.SelectQuery {
	return sqlstore.Where(sampleRecords(p.s).Tables().Column("t.id"), append(sampleRecords(p.s).In(scope), sqlstore.Among("t.id", ids))...)
}

// of selects photos of samples that the scope shows.
func (p samplePhotos) of(scope access.Scope, sampleIDs ...int64) *bun.SelectQuery {
	return common.WithUploader(p.s.NewSelect().Model((*photoRow)(nil))).Where("t.sample_id IN (?)", p.samples(scope, sampleIDs...)).Where(common.FileAttached)
}

func (p samplePhotos) Begin(ctx context.Context, scope access.Scope, sampleID int64, photo *attachment.File) error {
	if !sqlstore.Writable(scope) {
		return fault.Missing(sampleTable.Word)
	}
	if err := sqlstore.Known(ctx, p.samples(scope, sampleID), sampleTable.Word); err != nil {
		return err
	}
	row := photoRow{FileRow: common.FileRowOf(scope, photo), SampleID: sampleID}
	return sqlstore.Insert(ctx, p.s, &row, &photo.ID)
}

// change updates a photo of an own sample if the photo is in a state.
func (p samplePhotos) change(scope access.Scope, sampleID, id int64, state string) *bun.UpdateQuery {
	return sqlstore.Where(p.s.NewUpdate().Model((*photoRow)(nil)), sqlstore.OwnOnly(scope)).
		Where("t.sample_id = ?", sampleID).Where("t.id = ?", id).Where(state)
}

func (p samplePhotos) Attach(ctx context.Context, scope access.Scope, sampleID int64, photo attachment.File, at time.Time) error {
	return sqlstore.Change(ctx, common.AttachFile(p.change(scope, sampleID, photo.ID, common.FileBegun), photo, at), fault.Missing(photoWord))
}

func (p samplePhotos) Of(ctx context.Context, scope access.Scope, sampleIDs ...int64) (map[int64][]attachment.File, error) {
	out := map[int64][]attachment.File{}
	rows, err := sqlstore.All(ctx, p.of(scope, sampleIDs...).OrderExpr("t.id"), func(row *photoRow) photoRow { return *row })
	for _, row := range rows {
		out[row.SampleID] = append(out[row.SampleID], row.File())
	}
	return out, err
}

func (p samplePhotos) Get(ctx context.Context, scope access.Scope, sampleID, id int64) (attachment.File, error) {
	return sqlstore.One(ctx, p.of(scope, sampleID).Where("t.id = ?", id), photoWord, func(row *photoRow) attachment.File { return row.File() })
}

func (p samplePhotos) Remove(ctx context.Context, scope access.Scope, sampleID, id int64, at time.Time) error {
	return sqlstore.Change(ctx, p.change(scope, sampleID, id, common.FileAttached).Set("removed_at = ?", sqlstore.StampAt(at)), fault.Missing(photoWord))
}
