package farm

import (
	"context"
	"maps"
	"slices"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/prepared"
	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/farm"
	"tilth/core/fault"
	corerecord "tilth/core/record"
)

type overlapRow struct {
	bun.BaseModel `bun:"table:field_overlaps,alias:t"`
	CompanyID     int64
	FieldID       int64 `bun:"field_id,pk"`
	Place         int   // among the others of the field
	OtherID       int64 `bun:"other_id,pk"`

	OtherName string `bun:"other_name,scanonly"`
}

// overlapCheckRow is a field that is to be checked, or else overlaps more fields than are named.
type overlapCheckRow struct {
	bun.BaseModel `bun:"table:field_overlap_checks,alias:t"`
	CompanyID     int64
	FieldID       int64 `bun:"field_id,pk"`
	Pending       bool
}

// overlaps implements ports.FieldOverlaps.
type overlaps struct{ s *sqlstore.Session }

// overlapsLock is the subject of the lock on a company's overlaps ("over" in ASCII).
const overlapsLock = 0x6f766572

func (o overlaps) Alone(ctx context.Context, scope access.Scope) error {
	return o.s.Alone(ctx, scope, overlapsLock)
}

func (o overlaps) Of(ctx context.Context, scope access.Scope, ids []int64) (map[int64]farm.Overlaps, error) {
	out := map[int64]farm.Overlaps{}
	if len(ids) == 0 || !sqlstore.Writable(scope) {
		return out, nil
	}
	var checks []overlapCheckRow
	if err := o.s.NewSelect().Model(&checks).Where("?", sqlstore.OwnAmong("t", scope)).Where("t.field_id IN (?)", prepared.List(ids)).Scan(ctx); err != nil {
		return nil, err
	}
	for _, c := range checks {
		out[c.FieldID] = farm.Overlaps{Pending: c.Pending, More: !c.Pending}
	}
	var rows []overlapRow
	if err := o.s.NewSelect().Model(&rows).ColumnExpr("?TableColumns").ColumnExpr("f.name AS other_name").
		Join("JOIN fields AS f").JoinOn("f.id = t.other_id AND f.company_id = t.company_id AND f.deleted_at IS NULL").
		Where("?", sqlstore.OwnAmong("t", scope)).Where("t.field_id IN (?)", prepared.List(ids)).
		OrderExpr("t.field_id, t.place, t.other_id").Scan(ctx); err != nil {
		return nil, err
	}
	for _, row := range rows {
		known := out[row.FieldID]
		known.Fields = append(known.Fields, corerecord.Ref{ID: row.OtherID, Name: row.OtherName})
		out[row.FieldID] = known
	}
	return out, nil
}

func (o overlaps) Put(ctx context.Context, scope access.Scope, known map[int64]farm.Overlaps) error {
	if !sqlstore.Writable(scope) {
		return fault.Missing("company")
	}
	var rows []overlapRow
	var checks []overlapCheckRow
	var done []int64
	for _, id := range slices.Sorted(maps.Keys(known)) {
		k := known[id]
		for i, other := range k.Fields {
			rows = append(rows, overlapRow{CompanyID: scope.Company(), FieldID: id, Place: i, OtherID: other.ID})
		}
		if k.Pending || k.More {
			checks = append(checks, overlapCheckRow{CompanyID: scope.Company(), FieldID: id, Pending: k.Pending})
		} else {
			done = append(done, id)
		}
	}
	if err := sqlstore.InsertRows(ctx, o.s, rows, sqlstore.Skipping("field_id, other_id")); err != nil {
		return err
	}
	if err := sqlstore.InsertRows(ctx, o.s, checks, sqlstore.Replacing("field_id", "pending")); err != nil || len(done) == 0 {
		return err
	}
	return sqlstore.Run(ctx, o.s.NewDelete().Model((*overlapCheckRow)(nil)).Where("?", sqlstore.OwnAmong("t", scope)).Where("t.field_id IN (?)", prepared.List(done)))
}

func (o overlaps) Forget(ctx context.Context, scope access.Scope, ids []int64) (again bool, err error) {
	if len(ids) == 0 || !sqlstore.Writable(scope) {
		return false, nil
	}
	gone := prepared.List(ids)
	left, err := sqlstore.Affected(ctx, o.s.NewUpdate().Model((*overlapCheckRow)(nil)).Set("pending = ?", true).
		Where("?", sqlstore.Own("t", scope)).Where("NOT t.pending").
		Where("t.field_id IN (SELECT o.field_id FROM field_overlaps AS o WHERE o.company_id = t.company_id AND o.other_id IN (?))", gone).
		Where("NOT EXISTS (SELECT 1 FROM field_overlaps AS o WHERE o.field_id = t.field_id AND o.other_id NOT IN (?))", gone))
	if err != nil {
		return false, err
	}
	if err := sqlstore.Run(ctx, o.s.NewDelete().Model((*overlapRow)(nil)).Where("?", sqlstore.OwnAmong("t", scope)).
		Where("t.field_id IN (?)", gone)); err != nil {
		return false, err
	}
	if err := sqlstore.Run(ctx, o.s.NewDelete().Model((*overlapRow)(nil)).Where("?", sqlstore.Own("t", scope)).
		Where("t.other_id IN (?)", gone)); err != nil {
		return false, err
	}
	return left > 0, sqlstore.Run(ctx, o.s.NewDelete().Model((*overlapCheckRow)(nil)).Where("?", sqlstore.OwnAmong("t", scope)).
		Where("t.field_id IN (?)", gone))
}

func (o overlaps) NextPending(ctx context.Context, scope access.Scope) (id int64, ok bool, err error) {
	ids, err := sqlstore.Values[int64](ctx, o.s.NewSelect().Model((*overlapCheckRow)(nil)).Column("t.field_id").
		Join("JOIN fields AS f").JoinOn("f.id = t.field_id AND f.deleted_at IS NULL AND f.boundary IS NOT NULL").
		Where("?", sqlstore.Own("t", scope)).Where("t.pending").OrderExpr("t.field_id").Limit(1))
	if err != nil || len(ids) == 0 {
		return 0, false, err
	}
	return ids[0], true, nil
}
