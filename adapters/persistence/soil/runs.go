package soil

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/core/stratification/zoning"
)

type runRow struct {
	bun.BaseModel `bun:"table:stratification_runs,alias:t"`
	ID            int64 `bun:"id,pk,autoincrement"`
	CompanyID     int64
	OrderID       int64
	Key           string
	Layers        sqlstore.JSON[[]string]
	Params        sqlstore.JSON[zoning.Params]
	Status        zoning.RunStatus
	Done          int
	Total         int
	Reason        string
	Maps          sqlstore.JSON[[]string]
	CreatedBy     int64
	Operator      bool
	APIKeyID      *int64 `bun:"api_key_id"`
	CreatedAt     sqlstore.Stamp
	UpdatedAt     sqlstore.Stamp
}

// runs implements ports.StratificationRuns.
type runs struct {
	sqlstore.Reader[zoning.Run, runRow]
}

func runRecords(s *sqlstore.Session) runs {
	return runs{sqlstore.Reader[zoning.Run, runRow]{Session: s, View: runView}}
}

func (r runs) Find(ctx context.Context, scope access.Scope, orderID int64, key string) (zoning.Run, error) {
	return runView.One(ctx, r.Query(scope).Where("t.order_id = ?", orderID).Where("t.key = ?", key))
}

var runView = &sqlstore.View[zoning.Run, runRow]{
	Word: "job", Record: runOfRow,
	From: func(s *sqlstore.Session, scope access.Scope) *bun.SelectQuery {
		return sqlstore.Where(ofOrder(s.NewSelect().Model((*runRow)(nil))), visible(scope)...)
	},
	Whole: sqlstore.Columns,
}

func runOfRow(row *runRow) (zoning.Run, error) {
	return zoning.Run{
		ID: row.ID, CompanyID: row.CompanyID, OrderID: row.OrderID, Key: row.Key, Layers: row.Layers.V, Params: row.Params.V,
		Status: row.Status, Done: row.Done, Total: row.Total, Reason: row.Reason, Maps: row.Maps.V,
		CreatedBy: row.CreatedBy, Operator: row.Operator, KeyID: sqlstore.ValueOf(row.APIKeyID), CreatedAt: row.CreatedAt.Time, UpdatedAt: row.UpdatedAt.Time,
	}, nil
}

func rowOfRun(run zoning.Run) runRow {
	return runRow{
		ID: run.ID, CompanyID: run.CompanyID, OrderID: run.OrderID, Key: run.Key, Layers: sqlstore.JSONOf(run.Layers),
		Params: sqlstore.JSONOf(run.Params), Status: run.Status, Done: run.Done, Total: run.Total, Reason: run.Reason,
		Maps: sqlstore.ListOf(run.Maps), CreatedBy: run.CreatedBy, Operator: run.Operator, APIKeyID: sqlstore.NullableID(run.KeyID),
		CreatedAt: sqlstore.StampAt(run.CreatedAt), UpdatedAt: sqlstore.StampAt(run.UpdatedAt),
	}
}

func (r runs) Insert(ctx context.Context, scope access.Scope, run *zoning.Run) error {
	if !sqlstore.Writable(scope) {
		return fault.Missing("order")
	}
	run.CompanyID, run.CreatedAt, run.UpdatedAt = scope.Company(), sqlstore.Micro(run.CreatedAt), sqlstore.Micro(run.UpdatedAt)
	row := rowOfRun(*run)
	row.ID = 0
	return sqlstore.InsertNew(ctx, r.Session, &row, &run.ID, "order_id, key",
		fault.New(fault.Conflict, "run_exists", "These maps are already being made."))
}

func (r runs) Update(ctx context.Context, scope access.Scope, run zoning.Run) error {
	row := rowOfRun(run)
	return sqlstore.Change(ctx, r.Session.NewUpdate().Model(&row).Column("status", "done", "total", "reason", "maps", "created_by", "operator", "api_key_id", "updated_at").
		Where("t.id = ?", run.ID).Where("?", sqlstore.OwnOnly(scope)), fault.Missing("job"))
}

// mapKeeper implements ports.MapKeeper.
type mapKeeper struct{ s *sqlstore.Session }

// Prune deletes plans first, since they refer to maps. It skips rows that are in use at the moment: a plan
// or map that is being saved, a map that a plan is being made of.
func (k mapKeeper) Prune(ctx context.Context, before time.Time, limit int) (int64, error) {
	old := func(model any, since string) *bun.SelectQuery {
		return k.s.SkipLocked(k.s.NewSelect().Model(model).Column("t.id").Where("? < ?", bun.Ident(since), sqlstore.StampAt(before)).
			OrderExpr("?, t.id", bun.Ident(since)).Limit(int64(limit)))
	}
	total := int64(0)
	for _, gone := range []*bun.DeleteQuery{
		k.s.NewDelete().Model((*planRow)(nil)).Where("id IN (?)", old((*planRow)(nil), "t.created_at").Where("t.saved_at IS NULL")),
		k.s.NewDelete().Model((*mapRow)(nil)).Where("id IN (?)", old((*mapRow)(nil), "t.created_at").Where("t.saved_at IS NULL").
			Where("NOT EXISTS (SELECT 1 FROM stratification_plans AS p WHERE p.map_id = t.id)")),
		k.s.NewDelete().Model((*runRow)(nil)).Where("id IN (?)", old((*runRow)(nil), "t.updated_at")),
	} {
		n, err := sqlstore.Affected(ctx, gone)
		if err != nil {
			return total, err
		}
		total += n
	}
	return total, nil
}
