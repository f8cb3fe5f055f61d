package farm

import (
	"context"
	"iter"
	"time"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/prepared"
	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/core/geo"
	corerecord "tilth/core/record"
	"tilth/ports"
)

type boundaryRow struct {
	bun.BaseModel `bun:"table:field_boundaries,alias:t"`
	ID            int64 `bun:"id,pk,autoincrement"`
	CompanyID     int64
	FieldID       int64
	Boundary      sqlstore.JSON[geo.MultiPolygon]
	AreaM2        int64 `bun:"area_m2"`
	ValidFrom     sqlstore.Stamp
	ValidTo       *sqlstore.Stamp
	ChangedBy     *int64

	ChangedByName *string `bun:"changed_by_name,scanonly"`
}

// boundaries implements ports.Boundaries.
type boundaries struct{ s *sqlstore.Session }

// query selects the versions in a scope: they are shared with their field.
func (b boundaries) query(scope access.Scope) *bun.SelectQuery {
	in := b.s.InScope(scope, sqlstore.WithField("f.id = t.field_id", "field.view"))
	return sqlstore.Where(b.s.NewSelect().Model((*boundaryRow)(nil)), in...)
}

func (b boundaries) Close(ctx context.Context, scope access.Scope, fieldIDs []int64, at time.Time) error {
	if len(fieldIDs) == 0 || !sqlstore.Writable(scope) {
		return nil
	}
	return sqlstore.Run(ctx, b.s.NewUpdate().Model((*boundaryRow)(nil)).Set("valid_to = ?", sqlstore.StampAt(at)).
		Where("?", sqlstore.Own("t", scope)).Where("t.field_id IN (?)", prepared.List(fieldIDs)).Where("t.valid_to IS NULL"))
}

// Outlines are long: the database copies them.
func (b boundaries) Open(ctx context.Context, scope access.Scope, fieldIDs []int64, by int64) error {
	if !sqlstore.Writable(scope) {
		return fault.Missing("field")
	}
	if len(fieldIDs) == 0 {
		return nil
	}
	return sqlstore.Run(ctx, b.s.NewRaw(`INSERT INTO field_boundaries (company_id, field_id, boundary, area_m2, valid_from, changed_by)
		SELECT t.company_id, t.id, t.boundary, t.area_m2, t.updated_at, NULLIF(CAST(? AS BIGINT), 0) FROM fields AS t
		WHERE ? AND t.id IN (?) AND t.deleted_at IS NULL AND t.boundary IS NOT NULL ORDER BY t.id`,
		prepared.Arg(by), sqlstore.Own("t", scope), prepared.List(fieldIDs)))
}

func (b boundaries) InForce(ctx context.Context, scope access.Scope, fieldID int64) (farm.BoundaryVersion, error) {
	return boundaryView.One(ctx, b.query(scope).Where("t.field_id = ?", fieldID).Where("t.valid_to IS NULL"))
}

// history selects the versions of a field and of the fields that it was made from.
func (b boundaries) history(scope access.Scope, fieldID int64) *bun.SelectQuery {
	return b.query(scope).Where("t.field_id IN ("+lines+")", fieldID)
}

func (b boundaries) Count(ctx context.Context, scope access.Scope, fieldID int64) (int64, error) {
	return b.history(scope, fieldID).Count(ctx)
}

func (b boundaries) Each(ctx context.Context, scope access.Scope, fieldID int64, page ports.Query) iter.Seq2[farm.BoundaryVersion, error] {
	q := b.history(scope, fieldID).Join("LEFT JOIN users AS changer ON changer.id = t.changed_by").
		ColumnExpr("?TableColumns").ColumnExpr("changer.name AS changed_by_name")
	return boundaryView.Each(ctx, b.s, q, page)
}

var boundaryView = &sqlstore.View[farm.BoundaryVersion, boundaryRow]{Word: "boundary", Order: sqlstore.NewestFirst, Record: boundaryOfRow}

func boundaryOfRow(row *boundaryRow) (farm.BoundaryVersion, error) {
	v := farm.BoundaryVersion{
		ID: row.ID, FieldID: row.FieldID, Boundary: row.Boundary.V, AreaM2: row.AreaM2,
		ValidFrom: row.ValidFrom.Time, ValidTo: row.ValidTo.Nullable(),
	}
	if row.ChangedBy != nil {
		v.ChangedBy = &corerecord.Ref{ID: *row.ChangedBy, Name: sqlstore.ValueOf(row.ChangedByName)}
	}
	return v, nil
}
