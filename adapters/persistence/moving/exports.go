package moving

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/core/moving"
	"tilth/core/record"
)

type exportRow struct {
	bun.BaseModel `bun:"table:company_exports,alias:t"`
	ID            int64 `bun:"id,pk,autoincrement"`
	CompanyID     int64
	CreatedBy     int64
	Operator      bool
	CreatedAt     sqlstore.Stamp
	UpdatedAt     sqlstore.Stamp
	Status        moving.Status
	Reason        string
	Object        string
	Bytes         int64
	Records       int64
	SHA256        string `bun:"sha256"`

	CreatedByName string `bun:"created_by_name,scanonly"`
}

func rowOfExport(r *moving.Request) exportRow {
	return exportRow{
		ID: r.ID, CompanyID: r.CompanyID, CreatedBy: r.CreatedBy.ID, Operator: r.Operator, CreatedAt: sqlstore.StampAt(r.CreatedAt),
		UpdatedAt: sqlstore.StampAt(r.UpdatedAt), Status: r.Status, Reason: r.Reason, Object: r.Object, Bytes: r.Bytes, Records: r.Rows, SHA256: r.SHA256,
	}
}

func exportOfRow(row *exportRow) (moving.Request, error) {
	return moving.Request{
		ID: row.ID, CompanyID: row.CompanyID, CreatedBy: record.Ref{ID: row.CreatedBy, Name: row.CreatedByName}, Operator: row.Operator,
		CreatedAt: row.CreatedAt.Time, UpdatedAt: row.UpdatedAt.Time, Status: row.Status, Reason: row.Reason, Object: row.Object,
		Bytes: row.Bytes, Rows: row.Records, SHA256: row.SHA256,
	}, nil
}

var exportView = &sqlstore.View[moving.Request, exportRow]{
	Word: "export", Record: exportOfRow, From: sqlstore.OwnRows[exportRow], Whole: sqlstore.Created,
}

// exports implements ports.CompanyExports and ports.CompanyExportKeeper.
type exports struct {
	sqlstore.Reader[moving.Request, exportRow]
}

func exportRecords(s *sqlstore.Session) exports {
	return exports{sqlstore.Reader[moving.Request, exportRow]{Session: s, View: exportView}}
}

// exportLock is the subject of the lock under which a company begins an export ("leav" in ASCII).
const exportLock = 0x6c656176

func (e exports) Insert(ctx context.Context, scope access.Scope, export *moving.Request) error {
	if err := e.Session.Alone(ctx, scope, exportLock); err != nil {
		return err
	}
	under, err := e.Session.NewSelect().Model((*exportRow)(nil)).Where("?", sqlstore.Own("t", scope)).
		Where("t.status IN (?, ?)", moving.Queued, moving.Running).Exists(ctx)
	if err != nil {
		return err
	}
	if under {
		return fault.New(fault.Conflict, "export_running", "An export of the company is under way. Fix: wait until it is done.")
	}
	export.CompanyID = scope.Company()
	row := rowOfExport(export)
	return sqlstore.Insert(ctx, e.Session, &row, &export.ID)
}

func (e exports) Update(ctx context.Context, scope access.Scope, export moving.Request) error {
	row := rowOfExport(&export)
	return sqlstore.Change(ctx, e.Session.NewUpdate().Model(&row).ExcludeColumn("id", "company_id", "created_by", "operator", "created_at").
		Where("t.id = ?", export.ID).Where("?", sqlstore.OwnOnly(scope)), fault.Missing(exportView.Word))
}

func (e exports) Old(ctx context.Context, before time.Time, limit int) ([]moving.Request, error) {
	q := e.Session.NewSelect().Model((*exportRow)(nil)).Where("t.updated_at < ?", sqlstore.StampAt(before)).
		Where("t.status NOT IN (?, ?)", moving.Queued, moving.Running).OrderExpr("t.updated_at").Limit(int64(limit))
	return sqlstore.All(ctx, q, func(row *exportRow) moving.Request {
		out, _ := exportOfRow(row) // it never fails
		return out
	})
}

func (e exports) Forget(ctx context.Context, ids []int64) error {
	return sqlstore.Run(ctx, sqlstore.Where(e.Session.NewDelete().Model((*exportRow)(nil)), sqlstore.Among("t.id", ids)))
}
