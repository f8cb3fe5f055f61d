package persistence

import (
	"context"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"tilth/core/access"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/core/geo"
	corerecord "tilth/core/record"
)

type fieldRow struct {
	bun.BaseModel `bun:"table:fields,alias:t"`
	MetaRow
	UUID               string `bun:"uuid"`
	Name               string
	NameFolded         string
	FarmID             int64
	Boundary           *document[geo.MultiPolygon]
	BoundaryWarnings   *document[[]geo.Warning]
	AreaHa             *float64
	AreaM2             int64    `bun:"area_m2"`
	PerimeterM         *float64 `bun:"perimeter_m"`
	CentroidX          *float64 `bun:"centroid_x"`
	CentroidY          *float64 `bun:"centroid_y"`
	MinX               *float64 `bun:"min_x"`
	MinY               *float64 `bun:"min_y"`
	MaxX               *float64 `bun:"max_x"`
	MaxY               *float64 `bun:"max_y"`
	DeclaredAreaHa     *float64
	BoundaryCategory   string
	BoundaryMethod     string
	BoundaryObservedOn *day
	SoilType           string
	Irrigated          *bool
	Tenure             string
	ActiveFrom         *day
	ActiveTo           *day
	Notes              string
	ExternalID         string
	Source             string

	FarmName string `bun:"farm_name,scanonly"`
}

var fieldTable = &table[farm.Field, fieldRow]{
	word:    "field",
	columns: []string{"farm.name AS farm_name"},
	joins:   []string{"LEFT JOIN farms AS farm ON farm.id = t.farm_id"},
	filters: namedFilters(map[string]filter{"farm": {exact: "t.farm_id"}, "uuid": {exact: "t.uuid"}}),
	orders:  map[string]orderKey{"name": byName, "area_ha": {expr: "t.area_m2"}},
	shared:  sharedField,
	row:     rowOfField,
	record:  fieldOfRow,
	kept:    []string{"uuid"},
}

type fieldRepo = records[farm.Field, fieldRow, *farm.Field, *fieldRow]

func fieldRecords(s *session) fieldRepo { return recordsOf(s, fieldTable) }

// fields implements ports.Fields.
type fields struct{ fieldRepo }

// GetByUUID implements ports.Fields.
func (r fields) GetByUUID(ctx context.Context, scope access.Scope, uuid string) (farm.Field, error) {
	if !storable(uuid) {
		return farm.Field{}, fault.Missing("field")
	}
	return r.one(ctx, r.query(scope).Where("t.uuid = ?", uuid))
}

// GetManyByUUID implements ports.Fields.
func (r fields) GetManyByUUID(ctx context.Context, scope access.Scope, uuids []string) (map[string]farm.Field, error) {
	out := make(map[string]farm.Field, len(uuids))
	known := slices.DeleteFunc(slices.Clone(uuids), func(uuid string) bool { return !storable(uuid) })
	if len(known) == 0 {
		return out, nil
	}
	q := r.s.forShare(r.query(scope).Where("t.uuid IN (?)", bun.List(known)).OrderExpr("t.id"))
	for field, err := range stream(ctx, r.s, q, r.t.record) {
		if err != nil {
			return nil, err
		}
		out[field.UUID] = field
	}
	return out, nil
}

// IDsOfFarm implements ports.Fields.
func (r fields) IDsOfFarm(ctx context.Context, scope access.Scope, farmID int64) ([]int64, error) {
	q := r.s.NewSelect().Model((*fieldRow)(nil)).Column("t.id").Where("t.farm_id = ?", farmID).OrderExpr("t.id")
	var ids []int64
	err := where(q, r.in(scope)...).Scan(ctx, &ids)
	return ids, err
}

// Overlapping implements ports.Fields. Boxes are compared in the database: a neighbour
// begins at most as far to the west as the company's widest field is wide, so the index
// on the western edge bounds the search. What others share has no neighbours.
func (r fields) Overlapping(ctx context.Context, scope access.Scope, ids []int64) (map[int64][]farm.Field, error) {
	out := map[int64][]farm.Field{}
	if len(ids) == 0 || !writable(scope) {
		return out, nil
	}
	var width *float64
	if err := where(r.s.NewSelect().Model((*fieldRow)(nil)).ColumnExpr("MAX(t.max_x - t.min_x)"), r.in(scope)...).Scan(ctx, &width); err != nil || width == nil {
		return out, err
	}
	var pairs []struct{ Of, Near int64 }
	q := r.s.NewSelect().Model((*fieldRow)(nil)).ColumnExpr("t.id AS of, o.id AS near").
		Join("JOIN fields AS o").JoinOn("o.company_id = t.company_id AND o.deleted_at IS NULL AND o.id <> t.id").
		JoinOn("o.min_x >= t.min_x - ? AND o.min_x <= t.max_x", *width).
		JoinOn("o.max_x >= t.min_x AND o.min_y <= t.max_y AND o.max_y >= t.min_y").
		Where("t.id IN (?)", bun.List(ids)).OrderExpr("t.id, o.id")
	if err := where(q, r.in(scope)...).Scan(ctx, &pairs); err != nil {
		return nil, err
	}
	near := make([]int64, len(pairs))
	for i, p := range pairs {
		near[i] = p.Near
	}
	slices.Sort(near)
	found, err := r.GetMany(ctx, scope, slices.Compact(near))
	if err != nil {
		return nil, err
	}
	for _, p := range pairs {
		out[p.Of] = append(out[p.Of], found[p.Near])
	}
	return out, nil
}

func rowOfField(r *farm.Field) fieldRow {
	row := fieldRow{
		MetaRow: metaRowOf(r.Meta),
		UUID:    r.UUID, Name: r.Name, NameFolded: fold(r.Name), FarmID: r.Farm.ID, AreaM2: r.AreaM2(),
		DeclaredAreaHa: r.DeclaredAreaHa, BoundaryCategory: r.BoundaryCategory, BoundaryMethod: r.BoundaryMethod,
		BoundaryObservedOn: dayOf(r.BoundaryObservedOn), SoilType: r.SoilType, Irrigated: r.Irrigated, Tenure: r.Tenure,
		ActiveFrom: dayOf(r.ActiveFrom), ActiveTo: dayOf(r.ActiveTo), Notes: r.Notes,
		ExternalID: r.ExternalID, Source: r.Source,
	}
	if b := r.Boundary; b != nil {
		m, box := b.Measures(), b.Bounds()
		row.Boundary = new(documentWith(b.Geometry()))
		row.BoundaryWarnings = new(documentWith(m.Warnings))
		row.AreaHa, row.PerimeterM, row.CentroidX, row.CentroidY = &m.AreaHa, &m.PerimeterM, &m.Centroid.X, &m.Centroid.Y
		row.MinX, row.MinY, row.MaxX, row.MaxY = &box.MinX, &box.MinY, &box.MaxX, &box.MaxY
	}
	return row
}

func fieldOfRow(row *fieldRow) (farm.Field, error) {
	r := farm.Field{
		Meta: row.meta(),
		UUID: row.UUID, Name: row.Name, Farm: corerecord.Ref{ID: row.FarmID, Name: row.FarmName},
		DeclaredAreaHa: row.DeclaredAreaHa, BoundaryCategory: row.BoundaryCategory, BoundaryMethod: row.BoundaryMethod,
		BoundaryObservedOn: row.BoundaryObservedOn.timeOf(), SoilType: row.SoilType, Irrigated: row.Irrigated, Tenure: row.Tenure,
		ActiveFrom: row.ActiveFrom.timeOf(), ActiveTo: row.ActiveTo.timeOf(), Notes: row.Notes,
		External: farm.External{ExternalID: row.ExternalID, Source: row.Source},
	}
	if row.Boundary != nil {
		b := geo.RestoreBoundary(row.Boundary.V, geo.Measures{
			AreaHa: valueOf(row.AreaHa), PerimeterM: valueOf(row.PerimeterM),
			Centroid: geo.Position{X: valueOf(row.CentroidX), Y: valueOf(row.CentroidY)},
			Warnings: valueOf(row.BoundaryWarnings).V,
		})
		r.Boundary = &b
	}
	return r, nil
}

// sharedField is the fields of grants on the field, its farm or everything.
func sharedField(s *session, scope access.Scope) condition {
	return s.ofSharedField("f.id = t.id", "field.view", scope)
}

// UndeleteOfFarm implements ports.Fields.
func (r fields) UndeleteOfFarm(ctx context.Context, scope access.Scope, farmID int64, deletedAt, now time.Time) ([]int64, error) {
	return r.undelete(ctx, scope, when("t.farm_id = ?", farmID), deletedAt, now)
}
