package farm

import (
	"context"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/prepared"
	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/core/geo"
	corerecord "tilth/core/record"
)

type fieldRow struct {
	bun.BaseModel `bun:"table:fields,alias:t"`
	sqlstore.MetaRow
	UUID               string `bun:"uuid"`
	Name               string
	NameFolded         string
	FarmID             int64
	Boundary           *sqlstore.JSON[geo.MultiPolygon]
	BoundaryWarnings   *sqlstore.JSON[[]geo.Warning]
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
	BoundaryObservedOn *sqlstore.Day
	SoilType           string
	Irrigated          *bool
	Tenure             string
	ActiveFrom         *sqlstore.Day
	ActiveTo           *sqlstore.Day
	Notes              string
	ExternalID         string
	Source             string

	FarmName string `bun:"farm_name,scanonly"`
	Reshaped bool   `bun:"reshaped,scanonly"`
}

var fieldTable = &sqlstore.Table[farm.Field, fieldRow]{
	Word: "field",
	Columns: []string{
		"farm.name AS farm_name",
		"(EXISTS (SELECT 1 FROM field_lineage AS l WHERE l.to_id = t.id) OR EXISTS (SELECT 1 FROM field_lineage AS l WHERE l.from_id = t.id)) AS reshaped",
	},
	Joins: []string{"LEFT JOIN farms AS farm ON farm.id = t.farm_id"},
	Filters: sqlstore.NamedFilters(map[string]sqlstore.Filter{
		"farm": {Exact: "t.farm_id"}, "uuid": {Exact: "t.uuid"},
		sqlstore.InBoxes: {Where: sqlstore.BoxOf("t")}, sqlstore.InSpan: {When: &sqlstore.Spell{From: "t.active_from", To: "t.active_to", Days: true}},
	}),
	Orders: map[string]sqlstore.OrderKey{"name": sqlstore.ByName, "area_ha": {Expr: "t.area_m2"}},
	Shared: sqlstore.SharedField,
	Row:    rowOfField,
	Record: fieldOfRow,
	Kept:   []string{"uuid"},
}

// fields implements ports.Fields.
type fields struct {
	sqlstore.Records[farm.Field, fieldRow, *farm.Field, *fieldRow]
}

func fieldRecords(s *sqlstore.Session) fields { return fields{sqlstore.NewRecords(s, fieldTable)} }

func (r fields) GetByUUID(ctx context.Context, scope access.Scope, uuid string) (farm.Field, error) {
	if !sqlstore.Storable(uuid) {
		return farm.Field{}, fault.Missing("field")
	}
	return r.One(ctx, r.Query(scope).Where("t.uuid = ?", uuid))
}

func (r fields) GetManyByUUID(ctx context.Context, scope access.Scope, uuids []string) (map[string]farm.Field, error) {
	known := slices.DeleteFunc(slices.Clone(uuids), func(uuid string) bool { return !sqlstore.Storable(uuid) })
	if len(known) == 0 {
		return map[string]farm.Field{}, nil
	}
	q := r.Session.ForShare(r.Query(scope).Where("t.uuid IN (?)", prepared.List(known)).OrderExpr("t.id"))
	return sqlstore.Index(sqlstore.Stream(ctx, r.Session, q, r.Table.Record), func(field *farm.Field) string { return field.UUID })
}

func (r fields) IDsOfFarm(ctx context.Context, scope access.Scope, farmID int64) ([]int64, error) {
	q := r.Session.NewSelect().Model((*fieldRow)(nil)).Column("t.id").Where("t.farm_id = ?", farmID).OrderExpr("t.id")
	return sqlstore.Values[int64](ctx, sqlstore.Where(q, r.In(scope)...))
}

// Near compares boxes in the database: a neighbour begins at most the width of the company's
// widest field further west, so the index on the western edge bounds the search. Fields that
// others share have no neighbours.
func (r fields) Near(ctx context.Context, scope access.Scope, box geo.Box, after int64, limit int) ([]farm.Place, error) {
	if !sqlstore.Writable(scope) {
		return nil, nil
	}
	widths, err := sqlstore.Values[float64](ctx, r.Widest(scope))
	if err != nil || len(widths) == 0 {
		return nil, err
	}
	return sqlstore.All(ctx, r.Places(scope, box, widths[0], after, limit), func(row *fieldRow) farm.Place {
		return farm.Place{
			ID: row.ID, Version: row.UpdatedAt.Time, Box: geo.Box{MinX: *row.MinX, MinY: *row.MinY, MaxX: *row.MaxX, MaxY: *row.MaxY},
		}
	})
}

func (r fields) Extent(ctx context.Context, scope access.Scope) (box geo.Box, ok bool, err error) {
	var west, south, east, north *float64
	q := r.Session.NewSelect().Model((*fieldRow)(nil)).
		ColumnExpr("MIN(t.min_x), MIN(t.min_y), MAX(t.max_x), MAX(t.max_y)").Where("t.min_x IS NOT NULL")
	err = sqlstore.Where(q, r.In(scope)...).Scan(ctx, &west, &south, &east, &north)
	if err != nil || west == nil {
		return box, false, err
	}
	return geo.Box{MinX: *west, MinY: *south, MaxX: *east, MaxY: *north}, true, nil
}

// Widest selects the width of the company's widest field.
func (r fields) Widest(scope access.Scope) *bun.SelectQuery {
	const width = "(t.max_x - t.min_x)"
	return sqlstore.Where(r.Session.NewSelect().Model((*fieldRow)(nil)).ColumnExpr(width), r.In(scope)...).
		Where("t.min_x IS NOT NULL").OrderExpr(width + " DESC").Limit(1)
}

// Places selects the places of fields whose boxes meet a box. An outline is long, and its row slow to read: the index
// holds all that is asked for. The plus sign keeps the databases from reading the rows in the order of their ids instead.
func (r fields) Places(scope access.Scope, box geo.Box, widest float64, after int64, limit int) *bun.SelectQuery {
	q := r.Session.NewSelect().Model((*fieldRow)(nil)).Column("t.id", "t.updated_at", "t.min_x", "t.min_y", "t.max_x", "t.max_y").
		Where("t.min_x >= ? AND t.min_x <= ?", box.MinX-widest, box.MaxX).
		Where("t.max_x >= ? AND t.min_y <= ? AND t.max_y >= ?", box.MinX, box.MaxY, box.MinY).
		Where("+t.id > ?", after).OrderExpr("+t.id").Limit(int64(limit))
	return sqlstore.Where(q, r.In(scope)...)
}

func (r fields) GetBare(ctx context.Context, scope access.Scope, ids []int64) (map[int64]farm.Field, error) {
	q := sqlstore.Where(r.Selected("boundary"), r.InAmong(scope, ids)...)
	return sqlstore.Index(sqlstore.Stream(ctx, r.Session, q, r.Table.Record), func(f *farm.Field) int64 { return f.ID })
}

func (r fields) Homes(ctx context.Context, scope access.Scope, farmIDs []int64) (map[int64]farm.Home, error) {
	if len(farmIDs) == 0 {
		return map[int64]farm.Home{}, nil
	}
	var rows []farmRow
	farms := farmRecords(r.Session)
	q := sqlstore.Where(farms.Tables().Column("t.id", "t.name").ColumnExpr("company.name AS company_name"), farms.InAmong(scope, farmIDs)...)
	err := r.Session.ForShare(q).Scan(ctx, &rows)
	out := make(map[int64]farm.Home, len(rows))
	for _, row := range rows {
		out[row.ID] = farm.Home{Name: row.Name, Company: row.CompanyName}
	}
	return out, err
}

// spotRow is a spot with the number of a farm's fields that lie there.
type spotRow struct {
	FarmID   int64
	Lon, Lat int
	Fields   int
}

func (r fields) Spots(ctx context.Context, scope access.Scope, farmIDs []int64) (map[int64][]farm.Spot, error) {
	out := map[int64][]farm.Spot{}
	if len(farmIDs) == 0 || !sqlstore.Writable(scope) {
		return out, nil
	}
	var rows []spotRow
	if err := r.SpotCounts(scope, farmIDs).Scan(ctx, &rows); err != nil {
		return nil, err
	}
	for _, row := range rows {
		out[row.FarmID] = append(out[row.FarmID], farm.Spot{Lon: row.Lon, Lat: row.Lat, Fields: row.Fields})
	}
	return out, nil
}

// SpotCounts selects the spots of farms with the number of their fields that lie there.
func (r fields) SpotCounts(scope access.Scope, farmIDs []int64) *bun.SelectQuery {
	const lon, lat = "CAST(ROUND(t.centroid_x) AS INTEGER)", "CAST(ROUND(t.centroid_y) AS INTEGER)"
	q := r.Session.NewSelect().Model((*fieldRow)(nil)).ColumnExpr("t.farm_id").ColumnExpr(lon+" AS lon").ColumnExpr(lat+" AS lat").
		ColumnExpr("COUNT(*) AS fields").Where("t.farm_id IN (?)", prepared.List(farmIDs)).Where("t.centroid_x IS NOT NULL").
		GroupExpr("t.farm_id, " + lon + ", " + lat).OrderExpr("t.farm_id, " + lon + ", " + lat)
	return sqlstore.Where(q, r.In(scope)...)
}

func rowOfField(r *farm.Field) fieldRow {
	row := fieldRow{
		MetaRow: sqlstore.MetaRowOf(r.Meta),
		UUID:    r.UUID, Name: r.Name, NameFolded: sqlstore.Fold(r.Name), FarmID: r.Farm.ID, AreaM2: r.AreaM2(),
		DeclaredAreaHa: r.DeclaredAreaHa, BoundaryCategory: r.BoundaryCategory, BoundaryMethod: r.BoundaryMethod,
		BoundaryObservedOn: sqlstore.NullableDay(r.BoundaryObservedOn), SoilType: r.SoilType, Irrigated: r.Irrigated, Tenure: r.Tenure,
		ActiveFrom: sqlstore.NullableDay(r.ActiveFrom), ActiveTo: sqlstore.NullableDay(r.ActiveTo), Notes: r.Notes,
		ExternalID: r.ExternalID, Source: r.Source,
	}
	if b := r.Boundary; b != nil {
		m, box := b.Measures(), b.Bounds()
		row.Boundary = new(sqlstore.JSONOf(b.Geometry()))
		row.BoundaryWarnings = new(sqlstore.JSONOf(m.Warnings))
		row.AreaHa, row.PerimeterM, row.CentroidX, row.CentroidY = &m.AreaHa, &m.PerimeterM, &m.Centroid.X, &m.Centroid.Y
		row.MinX, row.MinY, row.MaxX, row.MaxY = &box.MinX, &box.MinY, &box.MaxX, &box.MaxY
	}
	return row
}

func fieldOfRow(row *fieldRow) (farm.Field, error) {
	r := farm.Field{
		Meta: row.Meta(),
		UUID: row.UUID, Name: row.Name, Farm: corerecord.Ref{ID: row.FarmID, Name: row.FarmName},
		DeclaredAreaHa: row.DeclaredAreaHa, BoundaryCategory: row.BoundaryCategory, BoundaryMethod: row.BoundaryMethod,
		BoundaryObservedOn: row.BoundaryObservedOn.Nullable(), SoilType: row.SoilType, Irrigated: row.Irrigated, Tenure: row.Tenure,
		ActiveFrom: row.ActiveFrom.Nullable(), ActiveTo: row.ActiveTo.Nullable(), Notes: row.Notes,
		External: corerecord.External{ExternalID: row.ExternalID, Source: row.Source}, Reshaped: row.Reshaped,
	}
	if row.Boundary != nil {
		b := geo.RestoreBoundary(row.Boundary.V, geo.Measures{
			AreaHa: sqlstore.ValueOf(row.AreaHa), PerimeterM: sqlstore.ValueOf(row.PerimeterM),
			Centroid: geo.Position{X: sqlstore.ValueOf(row.CentroidX), Y: sqlstore.ValueOf(row.CentroidY)},
			Warnings: sqlstore.ValueOf(row.BoundaryWarnings).V,
		})
		r.Boundary = &b
	}
	return r, nil
}

func (r fields) UndeleteOfFarm(ctx context.Context, scope access.Scope, farmID int64, deletedAt, now time.Time) ([]int64, error) {
	return r.UndeleteWhere(ctx, scope, sqlstore.When("t.farm_id = ?", farmID), deletedAt, now)
}
