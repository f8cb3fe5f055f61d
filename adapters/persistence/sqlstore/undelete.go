package sqlstore

import (
	"context"
	"slices"
	"time"

	"tilth/core/access"
	"tilth/core/fault"
)

// GetDeleted implements ports.Restorable.
func (r Records[T, R, PT, PR]) GetDeleted(ctx context.Context, scope access.Scope, id int64, since time.Time) (T, time.Time, error) {
	var none T
	if !Writable(scope) {
		return none, time.Time{}, fault.Missing(r.Table.Word)
	}
	q := Where(r.Selected(), Own("t", scope)).Where("t.id = ?", id).Where("t.deleted_at >= ?", StampAt(since))
	var row R
	if err := r.Session.ForUpdate(q).Scan(ctx, &row); err != nil {
		return none, time.Time{}, Missing(err, r.Table.Word)
	}
	value, err := r.Table.Record(&row)
	return value, PR(&row).base().DeletedAt.Time, err
}

// Undelete implements ports.Restorable.
func (r Records[T, R, PT, PR]) Undelete(ctx context.Context, scope access.Scope, id int64, deletedAt, now time.Time) error {
	ids, err := r.UndeleteWhere(ctx, scope, When("t.id = ?", id), deletedAt, now)
	if err == nil && len(ids) == 0 {
		return fault.Missing(r.Table.Word)
	}
	return err
}

// UndeleteWhere makes the rows of a condition live again that were deleted at a time: one
// deletion writes one time into everything it takes along. It returns their ids.
func (r Records[T, R, PT, PR]) UndeleteWhere(ctx context.Context, scope access.Scope, which Condition, deletedAt, now time.Time) ([]int64, error) {
	if !Writable(scope) {
		return nil, nil
	}
	var ids []int64
	_, err := r.Session.NewUpdate().Model((*R)(nil)).Set("deleted_at = NULL").Set("updated_at = ?", StampAt(now)).
		Where("?", Own("t", scope)).Where("t.deleted_at = ?", StampAt(deletedAt)).Where("?", which).
		Returning("id").Exec(ctx, &ids)
	if err != nil {
		return nil, err
	}
	slices.Sort(ids)
	r.Session.cascaded(r.Table.Word, ids)
	return ids, nil
}
