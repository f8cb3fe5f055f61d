package farm

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/prepared"
	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/farm"
	corerecord "tilth/core/record"
	"tilth/ports"
)

type cultivationRow struct {
	bun.BaseModel `bun:"table:cultivations,alias:t"`
	sqlstore.MetaRow
	SeasonID int64
	CropID   int64
	FieldID  int64

	SeasonName string `bun:"season_name,scanonly"`
	CropName   string `bun:"crop_name,scanonly"`
	FieldName  string `bun:"field_name,scanonly"`
}

var cultivationTable = &sqlstore.Table[farm.Cultivation, cultivationRow]{
	Word:    "cultivation",
	Columns: []string{"season.name AS season_name", "crop.name AS crop_name", "field.name AS field_name"},
	Joins: []string{
		"LEFT JOIN seasons AS season ON season.id = t.season_id",
		"LEFT JOIN crops AS crop ON crop.id = t.crop_id",
		"LEFT JOIN fields AS field ON field.id = t.field_id",
	},
	Filters: sqlstore.CommonFilters(map[string]sqlstore.Filter{
		"season": {Exact: "t.season_id"}, "crop": {Exact: "t.crop_id"}, "field": {Exact: "t.field_id"}, "farm": {Exact: "field.farm_id"},
		sqlstore.InBoxes: {Where: sqlstore.BoxOf("field")}, sqlstore.InSpan: {When: &sqlstore.Spell{From: "season.start_date", To: "season.end_date", Days: true}},
		"search": { // a cultivation has no name of its own
			Folded: "field.name_folded || ' ' || season.name_folded || ' ' || crop.search_folded", Spans: true,
			Parts: []sqlstore.Part{
				{Table: "fields", Ref: "t.field_id"}, {Table: "seasons", Ref: "t.season_id"},
				{Table: "crops", Ref: "t.crop_id", Column: "search_folded", Common: true},
			},
		},
	}),
	Shared: sqlstore.WithField("f.id = t.field_id", "cultivation.view"),
	Row:    rowOfCultivation,
	Record: cultivationOfRow,
}

// cultivations implements ports.Cultivations.
type cultivations struct {
	sqlstore.Records[farm.Cultivation, cultivationRow, *farm.Cultivation, *cultivationRow]
}

func cultivationRecords(s *sqlstore.Session) cultivations {
	return cultivations{sqlstore.NewRecords(s, cultivationTable)}
}

func (r cultivations) CountOfField(ctx context.Context, scope access.Scope, fieldID int64) (int64, error) {
	return r.Count(ctx, scope, ports.Query{Filters: []ports.Filter{{Name: "field", Value: fieldID}}})
}

func (r cultivations) OfFields(ctx context.Context, scope access.Scope, fieldIDs []int64) ([]farm.Cultivation, error) {
	if len(fieldIDs) == 0 {
		return nil, nil
	}
	q := r.Query(scope).Where("?", sqlstore.Among("t.field_id", fieldIDs)).Order("t.id")
	return sqlstore.Collect(sqlstore.Stream(ctx, r.Session, q, cultivationOfRow))
}

func (r cultivations) SoftDeleteOfFields(ctx context.Context, scope access.Scope, fieldIDs []int64, at time.Time) (int64, error) {
	return r.DeleteWhere(ctx, scope, sqlstore.Among("t.field_id", fieldIDs), at)
}

func rowOfCultivation(r *farm.Cultivation) cultivationRow {
	return cultivationRow{MetaRow: sqlstore.MetaRowOf(r.Meta), SeasonID: r.Season.ID, CropID: r.Crop.ID, FieldID: r.Field.ID}
}

func cultivationOfRow(row *cultivationRow) (farm.Cultivation, error) {
	return farm.Cultivation{
		Meta:   row.Meta(),
		Season: corerecord.Ref{ID: row.SeasonID, Name: row.SeasonName},
		Crop:   corerecord.Ref{ID: row.CropID, Name: row.CropName},
		Field:  corerecord.Ref{ID: row.FieldID, Name: row.FieldName},
	}, nil
}

func (r cultivations) UndeleteOfFields(ctx context.Context, scope access.Scope, fieldIDs []int64, deletedAt, now time.Time) error {
	_, err := r.UndeleteWhere(ctx, scope, sqlstore.Among("t.field_id", fieldIDs), deletedAt, now)
	return err
}

func (r cultivations) SeasonsOfFields(ctx context.Context, scope access.Scope, fieldIDs []int64) ([]int64, error) {
	if len(fieldIDs) == 0 {
		return nil, nil
	}
	q := r.Session.NewSelect().Model((*cultivationRow)(nil)).Distinct().Column("t.season_id").
		Where("t.field_id IN (?)", prepared.List(fieldIDs)).OrderExpr("t.season_id")
	return sqlstore.Values[int64](ctx, sqlstore.Where(q, r.In(scope)...))
}
