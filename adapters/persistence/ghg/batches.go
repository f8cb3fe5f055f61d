package ghg

import (
	"context"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/batch"
	"tilth/core/fault"
	corerecord "tilth/core/record"
)

type batchRow struct {
	bun.BaseModel `bun:"table:assessment_batches,alias:t"`
	ID            int64 `bun:"id,pk,autoincrement"`
	CompanyID     int64
	CreatedBy     int64
	CreatedByName string `bun:"created_by_name,scanonly"`
	CreatedAt     sqlstore.Stamp
	UpdatedAt     sqlstore.Stamp
	Kind          batch.Kind
	Options       sqlstore.JSON[assessment.BatchOptions]
	Object        string
	Status        batch.Status
	Reason        string
	Checking      bool
	Total         int64
	Done          int64
	After         int64 `bun:"last_id"`
	Tally         sqlstore.JSON[map[batch.Outcome]int64]
}

type batchNoteRow struct {
	bun.BaseModel `bun:"table:assessment_batch_notes,alias:t"`
	BatchID       int64
	Place         int64
	Judged        sqlstore.JSON[assessment.Judged]
}

// batches implements ports.Batches.
type batches struct{ s *sqlstore.Session }

func (b batches) Insert(ctx context.Context, scope access.Scope, batch *assessment.Batch) error {
	if !sqlstore.Writable(scope) {
		return fault.Missing("company")
	}
	batch.CompanyID, batch.CreatedAt, batch.UpdatedAt = scope.Company(), sqlstore.Micro(batch.CreatedAt), sqlstore.Micro(batch.UpdatedAt)
	row := rowOfBatch(*batch)
	return sqlstore.Insert(ctx, b.s, &row, &batch.ID)
}

func rowOfBatch(r assessment.Batch) batchRow {
	return batchRow{
		ID: r.ID, CompanyID: r.CompanyID, CreatedBy: r.CreatedBy.ID, CreatedAt: sqlstore.StampAt(r.CreatedAt), UpdatedAt: sqlstore.StampAt(r.UpdatedAt),
		Kind: r.Kind, Options: sqlstore.JSONOf(r.Options), Object: r.Object, Status: r.Status, Reason: r.Reason,
		Checking: r.Checking, Total: r.Total, Done: r.Done, After: r.After, Tally: sqlstore.JSONOf(r.Tally),
	}
}

var batchView = &sqlstore.View[assessment.Batch, batchRow]{Word: "job", Record: batchOfRow}

func batchOfRow(row *batchRow) (assessment.Batch, error) {
	return assessment.Batch{
		ID: row.ID, CompanyID: row.CompanyID, CreatedBy: corerecord.Ref{ID: row.CreatedBy, Name: row.CreatedByName},
		CreatedAt: row.CreatedAt.Time, UpdatedAt: row.UpdatedAt.Time, Kind: row.Kind, Options: row.Options.V, Object: row.Object,
		Status: row.Status, Reason: row.Reason, Checking: row.Checking, Total: row.Total, Done: row.Done, After: row.After, Tally: row.Tally.V,
	}, nil
}

func (b batches) query(scope access.Scope, kind batch.Kind, id int64) *bun.SelectQuery {
	return sqlstore.Created(b.s, sqlstore.OwnRows[batchRow](b.s, scope)).Where("t.id = ?", id).Where("t.kind = ?", kind)
}

func (b batches) Get(ctx context.Context, scope access.Scope, kind batch.Kind, id int64) (assessment.Batch, error) {
	return batchView.One(ctx, b.query(scope, kind, id))
}

func (b batches) GetForUpdate(ctx context.Context, scope access.Scope, kind batch.Kind, id int64) (assessment.Batch, error) {
	return batchView.One(ctx, b.s.ForUpdate(b.query(scope, kind, id)))
}

func (b batches) Update(ctx context.Context, scope access.Scope, batch assessment.Batch) error {
	row := rowOfBatch(batch)
	return sqlstore.Change(ctx, b.s.NewUpdate().
		Model(&row).Column("updated_at", "status", "reason", "checking", "done", "last_id", "tally").
		Where("t.id = ?", batch.ID).Where("?", sqlstore.Own("t", scope)), fault.Missing("job"))
}

func (b batches) AddNotes(ctx context.Context, scope access.Scope, batch assessment.Batch, notes []assessment.Judged) error {
	if len(notes) == 0 {
		return nil
	}
	if _, err := b.Get(ctx, scope, batch.Kind, batch.ID); err != nil {
		return err
	}
	return sqlstore.InsertAll(ctx, b.s, notes, func(_ int, note assessment.Judged) batchNoteRow {
		return batchNoteRow{BatchID: batch.ID, Place: note.Index, Judged: sqlstore.JSONOf(note)}
	}, sqlstore.Skipping("batch_id, place"))
}

func (b batches) DropNotes(ctx context.Context, scope access.Scope, batch assessment.Batch) error {
	if _, err := b.Get(ctx, scope, batch.Kind, batch.ID); err != nil {
		return err
	}
	return sqlstore.Run(ctx, b.s.NewDelete().Model((*batchNoteRow)(nil)).Where("t.batch_id = ?", batch.ID))
}

func (b batches) Notes(ctx context.Context, scope access.Scope, batch assessment.Batch, limit int64) ([]assessment.Judged, error) {
	if _, err := b.Get(ctx, scope, batch.Kind, batch.ID); err != nil {
		return nil, err
	}
	return sqlstore.All(ctx, b.s.NewSelect().Model((*batchNoteRow)(nil)).
		Where("t.batch_id = ?", batch.ID).OrderExpr("t.place").Limit(limit), func(row *batchNoteRow) assessment.Judged {
		return row.Judged.V
	})
}
