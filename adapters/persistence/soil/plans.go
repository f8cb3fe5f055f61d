package soil

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/fault"
	corerecord "tilth/core/record"
	"tilth/core/stratification"
	"tilth/core/stratification/plan"
	"tilth/core/stratification/zoning"
)

// planRow is a sample plan. Figures (the plan without its points) are read forever: the core records in
// them may get new members, but none may be renamed.
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
	ExternalID    string
	Source        string

	MapUUID    string                          `bun:"map_uuid,scanonly"`
	MapAbout   sqlstore.JSON[zoning.About]     `bun:"map_about,scanonly"`
	MapFigures sqlstore.JSON[zoning.Candidate] `bun:"map_figures,scanonly"`
	MapCreated sqlstore.Stamp                  `bun:"map_created,scanonly"`
	MapSavedAt *sqlstore.Stamp                 `bun:"map_saved_at,scanonly"`
	MapSavedBy *int64                          `bun:"map_saved_by,scanonly"`
	MapName    string                          `bun:"map_name,scanonly"`
	MapTag     string                          `bun:"map_tag,scanonly"`
	MapKey     string                          `bun:"map_key,scanonly"`
	MapSource  string                          `bun:"map_source,scanonly"`
	AOIID      int64                           `bun:"aoi_id,scanonly"`
	AOIUUID    string                          `bun:"aoi_uuid,scanonly"`
	AOIName    string                          `bun:"aoi_name,scanonly"`
}

var planTable = &draftTable[plan.SamplePlan, planRow]{
	view: sqlstore.View[plan.SamplePlan, planRow]{
		Word: "plan", Record: planOfRow, Filters: map[string]sqlstore.Filter{
			"id":    {Exact: "t.id"},
			"order": {Exact: "t.order_id"}, "aoi": {Exact: "o.aoi_id"}, "farm": ofFarm("o.aoi_id"), "stratification_map": {Exact: "t.map_id"},
			"map_tag": {Exact: "m.map_tag"}, "plan_tag": {Exact: "t.plan_tag"}, "external_id": sqlstore.ByKey,
		},
	},
	uuid: "plan_uuid", tag: "plan_tag", large: []string{"points"}, joins: []string{"JOIN stratification_maps AS m ON m.id = t.map_id"},
	columns: ", m.map_uuid AS map_uuid, m.about AS map_about, m.figures AS map_figures, m.created_at AS map_created," +
		" m.saved_at AS map_saved_at, m.saved_by AS map_saved_by, m.name AS map_name, m.map_tag AS map_tag, m.external_id AS map_key, m.source AS map_source",
	sharing: access.SamplePlans.View.Slug(),
	saving:  func(p *plan.SamplePlan) (int64, int64, *zoning.Saving) { return p.ID, p.OrderID, p.Saved },
}

// samplePlans implements ports.SamplePlans.
type samplePlans struct {
	drafts[plan.SamplePlan, planRow]
}

func planRecords(s *sqlstore.Session) samplePlans {
	return samplePlans{draftsOf(s, planTable)}
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
	return p.put(ctx, &row, &record.ID)
}

func planOfRow(row *planRow) (plan.SamplePlan, error) {
	record := plan.SamplePlan{
		ID: row.ID, CompanyID: row.CompanyID, OrderID: row.OrderID, Plan: row.Figures.V,
		CreatedAt: row.CreatedAt.Time, AOI: stratification.AOIRef{ID: row.AOIID, UUID: row.AOIUUID, Name: row.AOIName},
	}
	var err error
	if record.Map, err = mapOfRow(&mapRow{
		ID: row.MapID, CompanyID: row.CompanyID, OrderID: row.OrderID, MapUUID: row.MapUUID, About: row.MapAbout, Figures: row.MapFigures,
		CreatedAt: row.MapCreated, SavedAt: row.MapSavedAt, SavedBy: row.MapSavedBy, Name: row.MapName, MapTag: row.MapTag, ExternalID: row.MapKey, Source: row.MapSource,
		AOIID: row.AOIID, AOIUUID: row.AOIUUID, AOIName: row.AOIName,
	}); err != nil {
		return record, err
	}
	if row.SavedAt != nil {
		record.Saved = &zoning.Saving{Name: row.Name, Tag: row.PlanTag, At: row.SavedAt.Time, By: sqlstore.ValueOf(row.SavedBy), External: corerecord.External{ExternalID: row.ExternalID, Source: row.Source}}
	}
	if row.Points != nil {
		if err := sqlstore.Inflate(row.Points, &record.Plan.Points); err != nil {
			return record, fmt.Errorf("points of plan %s: %w", row.PlanUUID, err)
		}
	}
	return record, nil
}
