package satellite

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/core/monitoring"
	"tilth/core/vegetation"
	"tilth/ports"
)

type monitorRow struct {
	bun.BaseModel `bun:"table:profile_monitors,alias:t"`
	OrderID       int64 `bun:"order_id,pk"`
	CompanyID     int64
	Rules         sqlstore.JSON[[]monitoring.Rule]
	Alerts        sqlstore.JSON[[]monitoring.Raised]
	CreatedAt     sqlstore.Stamp
	UpdatedAt     sqlstore.Stamp
}

// monitors implements ports.Monitors and ports.MonitorKeeper.
type monitors struct{ s *sqlstore.Session }

func (m monitors) Get(ctx context.Context, scope access.Scope, orderID int64) (monitoring.Monitor, error) {
	if !sqlstore.Writable(scope) {
		return monitoring.Monitor{}, fault.Missing("monitor")
	}
	var row monitorRow
	err := sqlstore.Where(m.s.NewSelect().Model(&row).Where("t.order_id = ?", orderID), sqlstore.Own("t", scope)).Scan(ctx)
	return monitoring.Monitor{
		OrderID: row.OrderID, Rules: row.Rules.V, Alerts: row.Alerts.V, CreatedAt: row.CreatedAt.Time, UpdatedAt: row.UpdatedAt.Time,
	}, sqlstore.Missing(err, "monitor")
}

func (m monitors) Put(ctx context.Context, scope access.Scope, one monitoring.Monitor) error {
	if !sqlstore.Writable(scope) {
		return fault.Missing("order")
	}
	row := monitorRow{
		OrderID: one.OrderID, CompanyID: scope.Company(), Rules: sqlstore.ListOf(one.Rules), Alerts: sqlstore.ListOf(one.Alerts),
		CreatedAt: sqlstore.StampAt(one.CreatedAt), UpdatedAt: sqlstore.StampAt(one.UpdatedAt),
	}
	own := m.s.NewSelect().TableExpr("profile_orders AS o").ColumnExpr("1").Where("o.id = ?", one.OrderID).Where("?", sqlstore.Own("o", scope))
	there, err := own.Exists(ctx)
	if err != nil {
		return err
	}
	if !there {
		return fault.Missing("order")
	}
	return sqlstore.Run(ctx, m.s.NewInsert().Model(&row).On("CONFLICT (order_id) DO UPDATE").
		Set("rules = excluded.rules").Set("alerts = excluded.alerts").Set("updated_at = excluded.updated_at").Returning("NULL"))
}

func (m monitors) Remove(ctx context.Context, scope access.Scope, orderID int64) error {
	if !sqlstore.Writable(scope) {
		return fault.Missing("monitor")
	}
	n, err := sqlstore.Affected(ctx, m.s.NewDelete().Model((*monitorRow)(nil)).Where("?", sqlstore.Own("t", scope)).Where("t.order_id = ?", orderID))
	if err == nil && n == 0 {
		err = fault.Missing("monitor")
	}
	return err
}

func (m monitors) Due(ctx context.Context, checkedBefore, endedBefore time.Time, limit int) ([]ports.Watched, error) {
	var out []ports.Watched
	err := m.s.NewSelect().Model((*monitorRow)(nil)).ColumnExpr("t.order_id, t.company_id").
		Join("JOIN profile_orders AS o ON o.id = t.order_id").
		Where("o.status = ?", vegetation.Active).Where("o.last_checked_at < ?", sqlstore.StampAt(checkedBefore)).
		Where("o.end_date >= ?", sqlstore.DayAt(endedBefore)).
		OrderExpr("o.last_checked_at, t.order_id").Limit(int64(limit)).Scan(ctx, &out)
	return out, err
}
