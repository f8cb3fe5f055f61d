package persistence

import (
	"context"
	"slices"
	"time"

	"tilth/core/access"
	"tilth/core/fault"
)

// GetDeleted implements ports.Restorable.
func (r records[T, R, PT, PR]) GetDeleted(ctx context.Context, scope access.Scope, id int64, since time.Time) (T, time.Time, error) {
	var none T
	if !writable(scope) {
		return none, time.Time{}, fault.Missing(r.t.word)
	}
	q := where(r.selected(), own("t", scope)).Where("t.id = ?", id).Where("t.deleted_at >= ?", stampAt(since))
	var row R
	if err := r.s.forUpdate(q).Scan(ctx, &row); err != nil {
		return none, time.Time{}, missing(err, r.t.word)
	}
	value, err := r.t.record(&row)
	return value, PR(&row).base().DeletedAt.Time, err
}

// Undelete implements ports.Restorable.
func (r records[T, R, PT, PR]) Undelete(ctx context.Context, scope access.Scope, id int64, deletedAt, now time.Time) error {
	ids, err := r.undelete(ctx, scope, when("t.id = ?", id), deletedAt, now)
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
	_, err := r.s.NewUpdate().Model((*R)(nil)).Set("deleted_at = NULL").Set("updated_at = ?", stampAt(now)).
		Where(in.sql, in.args...).Where("t.deleted_at = ?", stampAt(deletedAt)).Where(which.sql, which.args...).
		Returning("id").Exec(ctx, &ids)
	if err != nil {
		return nil, err
	}
	slices.Sort(ids)
	r.s.cascaded(r.t.word, ids)
	return ids, nil
}
