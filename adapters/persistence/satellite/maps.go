package satellite

import (
	"cmp"
	"context"
	"time"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/prepared"
	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/credit"
	"tilth/core/fault"
	"tilth/core/indexmap"
	"tilth/core/list"
	"tilth/core/vegetation"
	"tilth/ports"
)

type mapOrderRow struct {
	bun.BaseModel `bun:"table:map_orders,alias:t"`
	orderColumns
	Product credit.Product
	Key     string
	Day     *sqlstore.Day
	Outline string
	Output  string
	Classes int
}

// mapDateRow is a date of a map; without a file when it was rejected.
type mapDateRow struct {
	bun.BaseModel `bun:"table:map_dates,alias:t"`
	OrderID       int64 `bun:"order_id,pk"`
	dateColumns
	Object string
	Bytes  int64
}

// mapResources are the permissions on the products.
var mapResources = map[credit.Product]access.Resource{
	credit.VegetationIndexMap: access.VIMaps, credit.ZoningMap: access.ZoningMaps, credit.ElevationMap: access.ElevationMaps, credit.SoilMap: access.SoilMaps,
}

// fieldMaps implements ports.FieldMaps.
type fieldMaps struct{ s *sqlstore.Session }

// mapOrders implements ports.MapOrders.
type mapOrders struct {
	sqlstore.Reader[vegetation.OrderState, mapOrderRow]
	sqlstore.Keys[mapOrderRow]
	product credit.Product
}

func (m fieldMaps) Of(product credit.Product) ports.MapOrders { return mapOrdersOf(m.s, product) }

func mapOrdersOf(s *sqlstore.Session, product credit.Product) mapOrders {
	view := *mapView
	view.From = func(s *sqlstore.Session, scope access.Scope) *bun.SelectQuery {
		return sqlstore.Where(s.NewSelect().Model((*mapOrderRow)(nil)).
			Join("LEFT JOIN fields AS field ON field.id = t.field_id").
			Join("LEFT JOIN field_boundaries AS outline ON outline.field_id = t.field_id AND outline.valid_to IS NULL").
			Where("t.product = ?", product), ordersIn(s, scope, mapResources[product])...)
	}
	live := "t.product = '" + string(product) + "'" // a word of the core
	return mapOrders{sqlstore.Reader[vegetation.OrderState, mapOrderRow]{Session: s, View: &view}, sqlstore.KeysOf[mapOrderRow](s, live), product}
}

var mapView = &sqlstore.View[vegetation.OrderState, mapOrderRow]{
	Word: "order", Filters: mapFilters, Orders: orderOrders,
	Whole: func(_ *sqlstore.Session, q *bun.SelectQuery) *bun.SelectQuery {
		return q.ColumnExpr("?TableColumns").ColumnExpr("field.uuid AS field_uuid").ColumnExpr("outline.id AS outline_now")
	},
	Record: func(row *mapOrderRow) (vegetation.OrderState, error) {
		s, err := row.order()
		s.Product, s.Map = row.Product, vegetation.MapTerms{Day: row.Day.Nullable(), Outline: row.Outline, Output: row.Output, Classes: row.Classes}
		return s, err
	},
}

// mapFilters are the filters of the list of orders.
var mapFilters = map[string]sqlstore.Filter{
	"company": orderFilters["company"], "created_by": orderFilters["created_by"], "field": orderFilters["field"], "season": orderFilters["season"],
	"farm": orderFilters["farm"], "status": orderFilters["status"], "index_code": orderFilters["index_code"], "id": orderFilters["id"],
	"updated_since": orderFilters["updated_since"], "search": orderFilters["search"], "boundary_outdated": orderFilters["boundary_outdated"],
	"external_id": sqlstore.ByKey,
}

func mapRowOf(s *vegetation.OrderState) mapOrderRow {
	return mapOrderRow{
		orderColumns: columnsOfOrder(s), Product: s.Product, Key: s.Key(), Day: sqlstore.NullableDay(s.Map.Day),
		Outline: s.Map.Outline, Output: s.Map.Output, Classes: s.Map.Classes,
	}
}

func (m mapOrders) Find(ctx context.Context, scope access.Scope, key string) (vegetation.OrderState, error) {
	return m.View.One(ctx, m.Query(scope).Where("t.key = ?", key))
}

func (m mapOrders) FindForUpdate(ctx context.Context, scope access.Scope, key string) (vegetation.OrderState, error) {
	return m.Locked(ctx, scope, sqlstore.When("t.key = ?", key))
}

func (m mapOrders) Insert(ctx context.Context, scope access.Scope, order *vegetation.OrderState) error {
	if !sqlstore.Writable(scope) || order.Product != m.product {
		return fault.Missing("field")
	}
	order.CompanyID, order.CreatedAt, order.UpdatedAt = scope.Company(), sqlstore.Micro(order.CreatedAt), sqlstore.Micro(order.UpdatedAt)
	order.FieldCompanyID = cmp.Or(order.FieldCompanyID, order.CompanyID)
	row := mapRowOf(order)
	row.ID = 0
	return sqlstore.InsertNew(ctx, m.Session, &row, &order.ID, "company_id, product, key",
		fault.New(fault.Conflict, "order_exists", "There is already an order for this map."))
}

func (m mapOrders) Update(ctx context.Context, scope access.Scope, order vegetation.OrderState) error {
	row := mapRowOf(&order)
	return sqlstore.Change(ctx, m.Session.NewUpdate().Model(&row).
		ExcludeColumn("id", "uuid", "company_id", "field_company_id", "field_id", "season_id", "created_at", "product", "key", "day", "outline").
		Where("t.id = ?", order.ID).Where("t.product = ?", m.product).Where("?", sqlstore.OwnOnly(scope)), fault.Missing("order"))
}

// own refuses an order that is not the scope's to write. Faults: NotFound.
func (m mapOrders) own(ctx context.Context, scope access.Scope, orderID int64) error {
	there, err := m.Session.NewSelect().Model((*mapOrderRow)(nil)).Where("t.id = ?", orderID).Where("t.product = ?", m.product).
		Where("?", sqlstore.OwnOnly(scope)).Exists(ctx)
	if err == nil && !there {
		err = fault.Missing("order")
	}
	return err
}

func (m mapOrders) PutDates(ctx context.Context, scope access.Scope, orderID int64, series vegetation.Series, files []indexmap.File) error {
	if err := m.own(ctx, scope, orderID); err != nil {
		return err
	}
	if _, err := m.Session.NewDelete().Model((*mapDateRow)(nil)).Where("order_id = ?", orderID).Exec(ctx); err != nil {
		return err
	}
	kept := map[string]indexmap.File{}
	for _, f := range files {
		kept[f.Day.Format(time.DateOnly)] = f
	}
	return sqlstore.InsertRows(ctx, m.Session, list.Map(rowsOfSeries(series), func(d dateColumns) mapDateRow {
		row := mapDateRow{OrderID: orderID, dateColumns: d}
		if d.Reason == "" {
			file := kept[d.Date.Format(time.DateOnly)]
			row.Object, row.Bytes = file.Object, file.Bytes
		}
		return row
	}))
}

func (m mapOrders) Dates(ctx context.Context, scope access.Scope, orderID int64) (vegetation.Series, []indexmap.File, error) {
	order, err := m.Get(ctx, scope, orderID)
	out := emptySeries(order.Reading())
	if err != nil {
		return out, nil, err
	}
	var rows []mapDateRow
	err = m.Session.NewSelect().Model(&rows).Where("t.order_id = ?", orderID).OrderExpr("t.line").Scan(ctx)
	out.Synthetic, out.NoSCL, out.SmallField = order.Synthetic, order.NoSCL, order.SmallField
	out.Observations, out.Rejected = datesOfRows(list.Map(rows, func(r mapDateRow) dateColumns { return r.dateColumns }))
	var files []indexmap.File
	for _, row := range rows {
		if row.Object != "" {
			files = append(files, indexmap.File{Day: row.Date.Time, Object: row.Object, Bytes: row.Bytes})
		}
	}
	return out, files, err
}

func (m mapOrders) File(ctx context.Context, scope access.Scope, orderID int64, day *time.Time) (vegetation.OrderState, indexmap.File, error) {
	order, err := m.Get(ctx, scope, orderID)
	if err != nil {
		return order, indexmap.File{}, err
	}
	q := m.Session.NewSelect().Model((*mapDateRow)(nil)).Column("date", "object", "bytes").Where("t.order_id = ?", orderID).Where("t.object <> ''").OrderExpr("t.date DESC").Limit(1)
	if day != nil {
		q = q.Where("t.date = ?", sqlstore.DayAt(*day))
	}
	file, err := sqlstore.One(ctx, q, "date", func(row *mapDateRow) indexmap.File {
		return indexmap.File{Day: row.Date.Time, Object: row.Object, Bytes: row.Bytes}
	})
	return order, file, err
}

func (m fieldMaps) OpenOfFields(ctx context.Context, scope access.Scope, fieldIDs []int64) ([]vegetation.OrderRef, error) {
	if len(fieldIDs) == 0 {
		return nil, nil
	}
	return m.open(ctx, scope, sqlstore.When("t.field_id IN (?)", prepared.List(fieldIDs)))
}

func (m fieldMaps) OpenOfOutline(ctx context.Context, scope access.Scope, outline string) ([]vegetation.OrderRef, error) {
	return m.open(ctx, scope, sqlstore.When("t.field_id IS NULL AND t.outline = ?", outline))
}

func (m fieldMaps) OpenOfSeason(ctx context.Context, scope access.Scope, seasonID int64) ([]vegetation.OrderRef, error) {
	return m.open(ctx, scope, sqlstore.When("t.season_id = ?", seasonID))
}

// open returns open orders of the company, including those that are hidden because their field is no longer shared: what happens
// to a field or a season happens to all of them.
func (m fieldMaps) open(ctx context.Context, scope access.Scope, which sqlstore.Condition) ([]vegetation.OrderRef, error) {
	q := m.s.NewSelect().Model((*mapOrderRow)(nil)).Column("t.id", "t.product").Where("t.status IN (?)", prepared.List(open)).OrderExpr("t.id")
	return sqlstore.All(ctx, sqlstore.Where(q, sqlstore.Own("t", scope), which), func(row *mapOrderRow) vegetation.OrderRef {
		return vegetation.OrderRef{Product: row.Product, ID: row.ID}
	})
}

func (m fieldMaps) ActiveOfSeason(ctx context.Context, scope access.Scope, seasonID int64) (bool, error) {
	return m.s.NewSelect().Model((*mapOrderRow)(nil)).Where("?", sqlstore.Own("t", scope)).
		Where("t.season_id = ?", seasonID).Where("t.status = ?", vegetation.Active).Exists(ctx)
}
