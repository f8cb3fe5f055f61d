package account

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/ports"
)

type alertRow struct {
	bun.BaseModel `bun:"table:alert_notices,alias:t"`
	ID            int64 `bun:"id,pk,autoincrement"`
	CompanyID     int64
	Notice        sqlstore.JSON[ports.AlertNotice]
	RaisedAt      sqlstore.Stamp
}

// alerts implements ports.AlertBox and ports.AlertNotices.
type alerts struct{ s *sqlstore.Session }

func (a alerts) Put(ctx context.Context, scope access.Scope, all ...ports.AlertNotice) error {
	if !sqlstore.Writable(scope) {
		return fault.Missing("company")
	}
	return sqlstore.InsertAll(ctx, a.s, all, func(_ int, one ports.AlertNotice) alertRow {
		return alertRow{CompanyID: scope.Company(), Notice: sqlstore.JSON[ports.AlertNotice]{V: one}, RaisedAt: sqlstore.StampAt(one.At)}
	})
}

func (a alerts) Companies(ctx context.Context, before time.Time) (ids []int64, err error) {
	err = a.s.NewSelect().Model((*alertRow)(nil)).ColumnExpr("DISTINCT t.company_id").
		Where("t.raised_at < ?", sqlstore.StampAt(before)).OrderExpr("t.company_id").Scan(ctx, &ids)
	return ids, err
}

func (a alerts) Take(ctx context.Context, company int64, before time.Time) ([]ports.AlertNotice, error) {
	var rows []alertRow
	err := a.s.NewDelete().Model(&rows).Where("company_id = ?", company).Where("raised_at < ?", sqlstore.StampAt(before)).Returning("*").Scan(ctx)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(rows, func(a, b alertRow) int { return cmp.Compare(a.ID, b.ID) }) // a deletion has no order
	out := make([]ports.AlertNotice, len(rows))
	for i, row := range rows {
		out[i] = row.Notice.V
	}
	return out, nil
}
