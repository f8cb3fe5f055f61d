package soil

import (
	"context"
	"fmt"
	"iter"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/core/stratification"
	"tilth/core/stratification/plan"
	"tilth/core/stratification/zoning"
	"tilth/ports"
)

// planRow is a sample plan. Its figures are the plan without its points, and are read for
// ever: members may be added to the records of core/stratification that they hold, never
// renamed.
type planRow struct {
	bun.BaseModel `bun:"table:stratification_plans,alias:t"`
	ID            int64 `bun:"id,pk,autoincrement"`
	CompanyID     int64
	OrderID       int64
	MapID         int64
	PlanUUID      string `bun:"plan_uuid"`
	Figures       sqlstore.JSON[plan.Plan]
	Points        []byte // deflated JSON: []stratification.Point
	CreatedAt     sqlstore.Stamp
	SavedAt       *sqlstore.Stamp
	SavedBy       *int64
	Name          string
	PlanTag       string

	MapUUID    string                          `bun:"map_uuid,scanonly"`
	MapAbout   sqlstore.JSON[zoning.About]     `bun:"map_about,scanonly"`
	MapFigures sqlstore.JSON[zoning.Candidate] `bun:"map_figures,scanonly"`
	MapCreated sqlstore.Stamp                  `bun:"map_created,scanonly"`
	MapSavedAt *sqlstore.Stamp                 `bun:"map_saved_at,scanonly"`
	MapSavedBy *int64                          `bun:"map_saved_by,scanonly"`
	MapName    string                          `bun:"map_name,scanonly"`
	MapTag     string                          `bun:"map_tag,scanonly"`
	AOIID      int64                           `bun:"aoi_id,scanonly"`
	AOIUUID    string                          `bun:"aoi_uuid,scanonly"`
	AOIName    string                          `bun:"aoi_name,scanonly"`
}

var planFilters = map[string]sqlstore.Filter{
	"order": {Exact: "t.order_id"}, "aoi": {Exact: "o.aoi_id"}, "stratification_map": {Exact: "t.map_id"},
	"map_tag": {Exact: "m.map_tag"}, "plan_tag": {Exact: "t.plan_tag"},
}

// samplePlans implements ports.SamplePlans.
type samplePlans struct{ s *sqlstore.Session }

func (p samplePlans) selected(scope access.Scope) *bun.SelectQuery {
	q := p.s.NewSelect().Model((*planRow)(nil)).Join("JOIN stratification_maps AS m ON m.id = t.map_id").
		Join("JOIN stratification_orders AS o ON o.id = t.order_id").Join("JOIN aois AS aoi ON aoi.id = o.aoi_id")
	return sqlstore.Where(q, visible(scope)...)
}

// filled adds the columns of a plan; its points where wanted.
func (p samplePlans) filled(q *bun.SelectQuery, points bool) *bun.SelectQuery {
	if points {
		q = q.ColumnExpr("?TableColumns")
	} else {
		q = q.ExcludeColumn("points")
	}
	return q.ColumnExpr("m.map_uuid AS map_uuid, m.about AS map_about, m.figures AS map_figures, m.created_at AS map_created, " +
		"m.saved_at AS map_saved_at, m.saved_by AS map_saved_by, m.name AS map_name, m.map_tag AS map_tag").ColumnExpr("o.aoi_id AS aoi_id").ColumnExpr("aoi.uuid AS aoi_uuid").ColumnExpr("aoi.name AS aoi_name")
}

func (p samplePlans) Put(ctx context.Context, scope access.Scope, record *plan.SamplePlan) error {
	if !sqlstore.Writable(scope) {
		return fault.Missing("plan")
	}
	record.CompanyID, record.CreatedAt = scope.Company(), sqlstore.Micro(record.CreatedAt)
	figures := record.Plan
	figures.Points = nil
	row := planRow{
		CompanyID: record.CompanyID, OrderID: record.OrderID, MapID: record.Map.ID, PlanUUID: record.Plan.PlanUUID,
		Figures: sqlstore.JSONOf(figures), CreatedAt: sqlstore.StampAt(record.CreatedAt),
	}
	var err error
	if row.Points, err = sqlstore.Deflate(record.Plan.Points); err != nil {
		return err
	}
	_, err = p.s.NewInsert().Model(&row).On("CONFLICT (company_id, plan_uuid) DO UPDATE").Set("created_at = EXCLUDED.created_at").
		Returning("id").Exec(ctx, &record.ID)
	return err
}

func (p samplePlans) ByUUID(ctx context.Context, scope access.Scope, uuid string, whole bool) (plan.SamplePlan, error) {
	return planView.One(ctx, p.filled(p.selected(scope), whole).Where("t.plan_uuid = ?", uuid))
}

func (p samplePlans) ByUUIDForUpdate(ctx context.Context, scope access.Scope, uuid string) (plan.SamplePlan, error) {
	return planView.One(ctx, p.s.ForUpdate(p.filled(p.selected(scope), false)).Where("t.plan_uuid = ?", uuid))
}

func (p samplePlans) Save(ctx context.Context, scope access.Scope, record plan.SamplePlan) error {
	if !sqlstore.Writable(scope) || record.Saved == nil {
		return fault.Missing("plan")
	}
	taken, err := sqlstore.Where(p.s.NewSelect().Model((*planRow)(nil)), sqlstore.Own("t", scope)).Where("t.order_id = ?", record.OrderID).
		Where("t.plan_tag = ?", record.Saved.Tag).Where("t.saved_at IS NOT NULL").Where("t.id <> ?", record.ID).Exists(ctx)
	if err != nil {
		return err
	}
	if taken {
		return tagTaken("plan_tag", record.Saved.Tag)
	}
	return sqlstore.Change(ctx, p.s.NewUpdate().Model((*planRow)(nil)).Set("saved_at = ?", sqlstore.StampAt(record.Saved.At)).
		Set("saved_by = ?", sqlstore.NullableID(record.Saved.By)).
		Set("name = ?", record.Saved.Name).Set("plan_tag = ?", record.Saved.Tag).Where("t.id = ?", record.ID).
		Where("?", sqlstore.Own("t", scope)), fault.Missing("plan"))
}

func (p samplePlans) CountSaved(ctx context.Context, scope access.Scope, query ports.Query) (int64, error) {
	return planView.Count(ctx, p.selected(scope).Where("t.saved_at IS NOT NULL"), query)
}

func (p samplePlans) EachSaved(ctx context.Context, scope access.Scope, query ports.Query, points bool) iter.Seq2[plan.SamplePlan, error] {
	return planView.Each(ctx, p.s, p.filled(p.selected(scope), points).Where("t.saved_at IS NOT NULL"), query)
}

func (p samplePlans) GetSaved(ctx context.Context, scope access.Scope, id int64, points bool) (plan.SamplePlan, error) {
	return planView.One(ctx, p.filled(p.selected(scope), points).Where("t.saved_at IS NOT NULL").Where("t.id = ?", id))
}

var planView = &sqlstore.View[plan.SamplePlan, planRow]{Word: "plan", Filters: planFilters, Order: "t.id", Record: planOfRow}

func planOfRow(row *planRow) (plan.SamplePlan, error) {
	record := plan.SamplePlan{
		ID: row.ID, CompanyID: row.CompanyID, OrderID: row.OrderID, Plan: row.Figures.V,
		CreatedAt: row.CreatedAt.Time, AOI: stratification.AOIRef{ID: row.AOIID, UUID: row.AOIUUID, Name: row.AOIName},
	}
	var err error
	if record.Map, err = mapOfRow(&mapRow{
		ID: row.MapID, CompanyID: row.CompanyID, OrderID: row.OrderID, MapUUID: row.MapUUID, About: row.MapAbout, Figures: row.MapFigures,
		CreatedAt: row.MapCreated, SavedAt: row.MapSavedAt, SavedBy: row.MapSavedBy, Name: row.MapName, MapTag: row.MapTag,
		AOIID: row.AOIID, AOIUUID: row.AOIUUID, AOIName: row.AOIName,
	}); err != nil {
		return record, err
	}
	if row.SavedAt != nil {
		record.Saved = &zoning.Saving{Name: row.Name, Tag: row.PlanTag, At: row.SavedAt.Time, By: sqlstore.ValueOf(row.SavedBy)}
	}
	if row.Points != nil {
		if err := sqlstore.Inflate(row.Points, &record.Plan.Points); err != nil {
			return record, fmt.Errorf("points of plan %s: %w", row.PlanUUID, err)
		}
	}
	return record, nil
}
