package persistence

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"tilth/core/access"
	"tilth/core/farm"
	corerecord "tilth/core/record"
	"tilth/ports"
)

type cultivationRow struct {
	bun.BaseModel `bun:"table:cultivations,alias:t"`
	MetaRow
	SeasonID int64
	CropID   int64
	FieldID  int64

	SeasonName string `bun:"season_name,scanonly"`
	CropName   string `bun:"crop_name,scanonly"`
	FieldName  string `bun:"field_name,scanonly"`
}

var cultivationTable = &table[farm.Cultivation, cultivationRow]{
	word:    "cultivation",
	columns: []string{"season.name AS season_name", "crop.name AS crop_name", "field.name AS field_name"},
	joins: []string{
		"LEFT JOIN seasons AS season ON season.id = t.season_id",
		"LEFT JOIN crops AS crop ON crop.id = t.crop_id",
		"LEFT JOIN fields AS field ON field.id = t.field_id",
	},
	filters: commonFilters(map[string]filter{
		"season": {exact: "t.season_id"}, "crop": {exact: "t.crop_id"}, "field": {exact: "t.field_id"}, "farm": {exact: "field.farm_id"},
		"search": {folded: "field.name_folded || ' ' || season.name_folded || ' ' || crop.search_folded"}, // a cultivation has no name of its own
	}),
	shared: func(s *session, scope access.Scope) condition {
		return s.ofSharedField("f.id = t.field_id", "cultivation.view", scope)
	},
	row:    rowOfCultivation,
	record: cultivationOfRow,
}

type cultivationRepo = records[farm.Cultivation, cultivationRow, *farm.Cultivation, *cultivationRow]

func cultivationRecords(s *session) cultivationRepo { return recordsOf(s, cultivationTable) }

// cultivations implements ports.Cultivations.
type cultivations struct{ cultivationRepo }

// CountOfField implements ports.Cultivations.
func (r cultivations) CountOfField(ctx context.Context, scope access.Scope, fieldID int64) (int64, error) {
	return r.Count(ctx, scope, ports.Query{Filters: []ports.Filter{{Name: "field", Value: fieldID}}})
}

// SoftDeleteOfFields implements ports.Cultivations.
func (r cultivations) SoftDeleteOfFields(ctx context.Context, scope access.Scope, fieldIDs []int64, at time.Time) (int64, error) {
	if len(fieldIDs) == 0 {
		return 0, nil
	}
	return r.softDelete(ctx, scope, when("t.field_id IN (?)", bun.List(fieldIDs)), at)
}

func rowOfCultivation(r *farm.Cultivation) cultivationRow {
	return cultivationRow{MetaRow: metaRowOf(r.Meta), SeasonID: r.Season.ID, CropID: r.Crop.ID, FieldID: r.Field.ID}
}

func cultivationOfRow(row *cultivationRow) (farm.Cultivation, error) {
	return farm.Cultivation{
		Meta:   row.meta(),
		Season: corerecord.Ref{ID: row.SeasonID, Name: row.SeasonName},
		Crop:   corerecord.Ref{ID: row.CropID, Name: row.CropName},
		Field:  corerecord.Ref{ID: row.FieldID, Name: row.FieldName},
	}, nil
}

// UndeleteOfFields implements ports.Cultivations.
func (r cultivations) UndeleteOfFields(ctx context.Context, scope access.Scope, fieldIDs []int64, deletedAt, now time.Time) error {
	if len(fieldIDs) == 0 {
		return nil
	}
	_, err := r.undelete(ctx, scope, when("t.field_id IN (?)", bun.List(fieldIDs)), deletedAt, now)
	return err
}

// SeasonsOfFields implements ports.Cultivations.
func (r cultivations) SeasonsOfFields(ctx context.Context, scope access.Scope, fieldIDs []int64) ([]int64, error) {
	var ids []int64
	if len(fieldIDs) == 0 {
		return nil, nil
	}
	q := r.s.NewSelect().Model((*cultivationRow)(nil)).Distinct().Column("t.season_id").
		Where("t.field_id IN (?)", bun.List(fieldIDs)).OrderExpr("t.season_id")
	err := where(q, r.in(scope)...).Scan(ctx, &ids)
	return ids, err
}
