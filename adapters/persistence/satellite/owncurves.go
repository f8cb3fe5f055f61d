package satellite

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/cropcheck"
	"tilth/core/fault"
	"tilth/core/record"
)

type ownCurvesRow struct {
	bun.BaseModel `bun:"table:own_curves,alias:t"`
	ID            int64 `bun:"id,pk,autoincrement"`
	CompanyID     int64
	Curves        sqlstore.JSON[storedCurves]
	Figures       sqlstore.JSON[cropcheck.Figures]
	LeftOut       sqlstore.JSON[map[string]int]
	CreatedAt     sqlstore.Stamp
	CreatedBy     *int64
	DeletedAt     *sqlstore.Stamp

	CreatorName string `bun:"creator_name,scanonly"`
}

// ownCurves implements ports.OwnCurves.
type ownCurves struct{ s *sqlstore.Session }

func (c ownCurves) Insert(ctx context.Context, scope access.Scope, own *cropcheck.Own) error {
	if !sqlstore.Writable(scope) {
		return fault.Missing("company")
	}
	row := ownCurvesRow{
		CompanyID: scope.Company(), Curves: sqlstore.JSONOf(storedOf(own.Set)), Figures: sqlstore.JSONOf(own.Figures),
		LeftOut: sqlstore.JSONOf(own.LeftOut), CreatedAt: sqlstore.StampAt(own.CreatedAt),
	}
	if own.CreatedBy != nil {
		row.CreatedBy = &own.CreatedBy.ID
	}
	return sqlstore.Insert(ctx, c.s, &row, &own.ID)
}

func (c ownCurves) Newest(ctx context.Context, scope access.Scope, limit int) ([]cropcheck.Own, error) {
	if !sqlstore.Writable(scope) {
		return nil, nil
	}
	q := c.s.NewSelect().Model((*ownCurvesRow)(nil)).ColumnExpr("?TableColumns").ColumnExpr("u.name AS creator_name").
		Join("LEFT JOIN users AS u ON u.id = t.created_by").
		Where("?", sqlstore.Own("t", scope)).Where("t.deleted_at IS NULL").OrderExpr("t.id DESC").Limit(int64(limit))
	return sqlstore.All(ctx, q, func(row *ownCurvesRow) cropcheck.Own {
		out := cropcheck.Own{ID: row.ID, Set: row.Curves.V.set(), Figures: row.Figures.V, LeftOut: row.LeftOut.V, CreatedAt: row.CreatedAt.Time}
		if row.CreatedBy != nil {
			out.CreatedBy = &record.Ref{ID: *row.CreatedBy, Name: row.CreatorName}
		}
		return out
	})
}

func (c ownCurves) Remove(ctx context.Context, scope access.Scope, id int64, at time.Time) error {
	if !sqlstore.Writable(scope) {
		return fault.Missing("curves")
	}
	n, err := sqlstore.Affected(ctx, c.s.NewUpdate().Model((*ownCurvesRow)(nil)).Set("deleted_at = ?", sqlstore.StampAt(at)).
		Where("?", sqlstore.Own("t", scope)).Where("t.id = ?", id).Where("t.deleted_at IS NULL"))
	if err == nil && n == 0 {
		err = fault.Missing("curves")
	}
	return err
}
