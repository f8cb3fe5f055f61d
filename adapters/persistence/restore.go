package persistence

import (
	"context"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"tilth/core/access"
	"tilth/core/fault"
)

// GetDeleted implements ports.Restorable.
func (r records[T, R, PT, PR]) GetDeleted(ctx context.Context, scope access.Scope, id int64, since time.Time) (T, time.Time, error) {
	var none T
	if !writable(scope) {
		return none, time.Time{}, fault.Missing(r.t.word)
	}
	q := where(r.selected(), own("t", scope)).Where("t.id = ?", id).Where("t.deleted_at >= ?", stamp{since})
	var row R
	if err := r.s.forUpdate(q).Scan(ctx, &row); err != nil {
		return none, time.Time{}, missing(err, r.t.word)
	}
	value, err := r.t.record(&row)
	return value, PR(&row).base().DeletedAt.Time, err
}

// Undelete implements ports.Restorable.
func (r records[T, R, PT, PR]) Undelete(ctx context.Context, scope access.Scope, id int64, deletedAt, now time.Time) error {
	ids, err := r.undelete(ctx, scope, condition{"t.id = ?", []any{id}}, deletedAt, now)
	if err == nil && len(ids) == 0 {
		return fault.Missing(r.t.word)
	}
	return err
}

// undelete makes the rows of a condition live again that were deleted at a time: one
// deletion writes one time into everything it takes along. It gives their ids.
func (r records[T, R, PT, PR]) undelete(ctx context.Context, scope access.Scope, which condition, deletedAt, now time.Time) ([]int64, error) {
	if !writable(scope) {
		return nil, nil
	}
	in := own("t", scope)
	var ids []int64
	_, err := r.s.NewUpdate().Model((*R)(nil)).Set("deleted_at = NULL").Set("updated_at = ?", stamp{now}).
		Where(in.sql, in.args...).Where("t.deleted_at = ?", stamp{deletedAt}).Where(which.sql, which.args...).
		Returning("id").Exec(ctx, &ids)
	if err != nil {
		return nil, err
	}
	slices.Sort(ids)
	r.t.wrote(r.s, ids...)
	r.s.cascade = append(r.s.cascade, cascaded{r.t.word, ids})
	return ids, nil
}

// UndeleteOfFarm implements ports.Fields.
func (r fields) UndeleteOfFarm(ctx context.Context, scope access.Scope, farmID int64, deletedAt, now time.Time) ([]int64, error) {
	return r.undelete(ctx, scope, condition{"t.farm_id = ?", []any{farmID}}, deletedAt, now)
}

// UndeleteOfFields implements ports.Cultivations.
func (r cultivations) UndeleteOfFields(ctx context.Context, scope access.Scope, fieldIDs []int64, deletedAt, now time.Time) error {
	if len(fieldIDs) == 0 {
		return nil
	}
	_, err := r.undelete(ctx, scope, condition{"t.field_id IN (?)", []any{bun.List(fieldIDs)}}, deletedAt, now)
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
