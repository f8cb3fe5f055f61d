package satellite

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/prepared"
	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/core/monitoring"
	"tilth/core/vegetation"
	"tilth/ports"
)

type monitorRow struct {
	bun.BaseModel `bun:"table:profile_monitors,alias:t"`
	ID            int64 `bun:"id,pk"` // of the order
	CompanyID     int64
	Rules         sqlstore.JSON[[]monitoring.Rule]
	Alerts        sqlstore.JSON[[]monitoring.Raised]
	CreatedAt     sqlstore.Stamp
	UpdatedAt     sqlstore.Stamp

	FieldID  int64 `bun:"field_id,scanonly"`
	SeasonID int64 `bun:"season_id,scanonly"`
}

// monitors implements ports.Monitors and ports.MonitorKeeper.
type monitors struct {
	sqlstore.Reader[monitoring.Monitor, monitorRow]
	s *sqlstore.Session
}

func monitorRecords(s *sqlstore.Session) monitors {
	return monitors{sqlstore.Reader[monitoring.Monitor, monitorRow]{Session: s, View: monitorView}, s}
}

var monitorView = &sqlstore.View[monitoring.Monitor, monitorRow]{
	Word: "monitor", Order: []ports.Order{{Field: "id"}},
	Filters: map[string]sqlstore.Filter{
		"id": {Exact: "t.id"}, "field": {Exact: "o.field_id"}, "season": {Exact: "o.season_id"}, "farm": {Exact: "field.farm_id"},
		"alerted": {Exact: "(CAST(t.alerts AS TEXT) <> '[]')"},
	},

	From: func(s *sqlstore.Session, scope access.Scope) *bun.SelectQuery {
		seen := sqlstore.Where(s.NewSelect().TableExpr("profile_orders AS t").ColumnExpr("1"), in(s, scope)...).Where("t.id = o.id")
		return sqlstore.OwnRows[monitorRow](s, scope).Join("JOIN profile_orders AS o ON o.id = t.id").
			Join("LEFT JOIN fields AS field ON field.id = o.field_id").Where("EXISTS (?)", seen)
	},
	Whole: func(_ *sqlstore.Session, q *bun.SelectQuery) *bun.SelectQuery {
		return q.ColumnExpr("?TableColumns").ColumnExpr("o.field_id, o.season_id")
	},
	Record: func(row *monitorRow) (monitoring.Monitor, error) {
		return monitoring.Monitor{
			OrderID: row.ID, FieldID: row.FieldID, SeasonID: row.SeasonID, Rules: row.Rules.V, Alerts: row.Alerts.V,
			CreatedAt: row.CreatedAt.Time, UpdatedAt: row.UpdatedAt.Time,
		}, nil
	},
}

func (m monitors) Get(ctx context.Context, scope access.Scope, orderID int64) (monitoring.Monitor, error) {
	found, err := m.Of(ctx, scope, []int64{orderID})
	one, there := found[orderID]
	if err == nil && !there {
		err = fault.Missing("monitor")
	}
	return one, err
}

func (m monitors) Of(ctx context.Context, scope access.Scope, orderIDs []int64) (map[int64]monitoring.Monitor, error) {
	out := make(map[int64]monitoring.Monitor, len(orderIDs))
	if len(orderIDs) == 0 || !sqlstore.Writable(scope) {
		return out, nil
	}
	for one, err := range m.Each(ctx, scope, ports.Query{Filters: []ports.Filter{{Name: "id", Value: orderIDs}}}) {
		if err != nil {
			return nil, err
		}
		out[one.OrderID] = one
	}
	return out, nil
}

func (m monitors) Put(ctx context.Context, scope access.Scope, all ...monitoring.Monitor) error {
	if len(all) == 0 {
		return nil
	}
	if !sqlstore.Writable(scope) {
		return fault.Missing("order")
	}
	rows, ids := make([]monitorRow, len(all)), make([]int64, len(all))
	for i, one := range all {
		ids[i] = one.OrderID
		rows[i] = monitorRow{
			ID: one.OrderID, CompanyID: scope.Company(), Rules: sqlstore.ListOf(one.Rules), Alerts: sqlstore.ListOf(one.Alerts),
			CreatedAt: sqlstore.StampAt(one.CreatedAt), UpdatedAt: sqlstore.StampAt(one.UpdatedAt),
		}
	}
	own := m.s.NewSelect().TableExpr("profile_orders AS o").Where("o.id IN (?)", prepared.List(ids)).Where("?", sqlstore.Own("o", scope))
	switch n, err := own.Count(ctx); {
	case err != nil:
		return err
	case n < int64(len(all)):
		return fault.Missing("order")
	}
	return sqlstore.Run(ctx, m.s.NewInsert().Model(&rows).On("CONFLICT (id) DO UPDATE").
		Set("rules = excluded.rules").Set("alerts = excluded.alerts").Set("updated_at = excluded.updated_at").Returning("NULL"))
}

func (m monitors) Remove(ctx context.Context, scope access.Scope, orderID int64) error {
	if !sqlstore.Writable(scope) {
		return fault.Missing("monitor")
	}
	n, err := sqlstore.Affected(ctx, m.s.NewDelete().Model((*monitorRow)(nil)).Where("?", sqlstore.Own("t", scope)).Where("t.id = ?", orderID))
	if err == nil && n == 0 {
		err = fault.Missing("monitor")
	}
	return err
}

// Due leaves out the profiles that a refresh would leave alone.
func (m monitors) Due(ctx context.Context, checkedBefore, endedBefore time.Time, after int64, limit int) ([]ports.Watched, error) {
	var out []ports.Watched
	err := m.s.NewSelect().Model((*monitorRow)(nil)).ColumnExpr("t.id AS order_id, t.company_id").
		Join("JOIN profile_orders AS o ON o.id = t.id").
		Join("JOIN fields AS f ON f.id = o.field_id AND f.deleted_at IS NULL").
		Join("JOIN seasons AS season ON season.id = o.season_id AND season.deleted_at IS NULL").
		Where("(o.field_company_id = o.company_id OR EXISTS (SELECT 1 FROM share_grants AS g WHERE g.grantee_company_id = o.company_id"+
			" AND g.company_id = f.company_id AND g.status = 'accepted' AND (g.ends_on IS NULL OR g.ends_on >= ?) AND g.slugs LIKE ? AND "+
			sqlstore.GrantOfField+"))", sqlstore.DayAt(m.s.Today), `%"`+string(access.ProfileOrders.Create.Slug())+`"%`).
		Where("t.id > ?", after).Where("o.status = ?", vegetation.Active).Where("o.last_checked_at < ?", sqlstore.StampAt(checkedBefore)).
		Where("o.end_date >= ?", sqlstore.DayAt(endedBefore)).
		OrderExpr("t.id").Limit(int64(limit)).Scan(ctx, &out)
	return out, err
}
