package soil

import (
	"context"
	"iter"
	"time"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/prepared"
	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/credit"
	"tilth/core/fault"
	"tilth/core/stratification"
	"tilth/core/stratification/carbon"
	"tilth/core/stratification/frame"
	"tilth/ports"
)

type stratRow struct {
	bun.BaseModel `bun:"table:stratification_orders,alias:t"`
	ID            int64  `bun:"id,pk,autoincrement"`
	DataUUID      string `bun:"data_uuid"`
	CompanyID     int64
	sqlstore.KeyColumns
	AOIID        int64 `bun:"aoi_id"`
	Status       stratification.OrderStatus
	Reason       string
	Attempts     int
	Retries      int
	RequestDate  sqlstore.Day
	RequestBy    *int64
	CreatedAt    sqlstore.Stamp
	UpdatedAt    sqlstore.Stamp
	ProcessingAt *sqlstore.Stamp
	CompletedAt  *sqlstore.Stamp
	Land         sqlstore.JSON[[]stratification.Land]
	AreaM2       int64 `bun:"area_m2"`
	Charge       credit.Amount
	MapType      string
	Carbon       *sqlstore.JSON[carbon.Map]
	Grid         sqlstore.JSON[frame.Settings]
	Digest       string
	Notes        sqlstore.JSON[[]string]
	Synthetic    bool

	AOIUUID string  `bun:"aoi_uuid,scanonly"`
	AOIName string  `bun:"aoi_name,scanonly"`
	Email   *string `bun:"email,scanonly"`

	SavedMaps  int64 `bun:"saved_maps,scanonly"`
	SavedPlans int64 `bun:"saved_plans,scanonly"`
}

// strats implements ports.StratificationOrders.
type strats struct {
	sqlstore.Reader[stratification.OrderState, stratRow]
	sqlstore.Keys[stratRow]
}

func stratRecords(s *sqlstore.Session) strats {
	view := *stratView
	view.Record = func(row *stratRow) (stratification.OrderState, error) { return stratOfRow(s, row), nil }
	return strats{sqlstore.Reader[stratification.OrderState, stratRow]{Session: s, View: &view}, sqlstore.KeysOf[stratRow](s, "TRUE")}
}

var stratView = &sqlstore.View[stratification.OrderState, stratRow]{
	Word: "order", Filters: map[string]sqlstore.Filter{"id": {Exact: "t.id"}, "aoi": {Exact: "t.aoi_id"}, "farm": ofFarm("t.aoi_id"), "external_id": sqlstore.ByKey}, Order: sqlstore.OldestFirst,
	From: func(s *sqlstore.Session, scope access.Scope) *bun.SelectQuery {
		return sqlstore.Where(withAOI(s), visible(scope)...)
	},
	Whole: func(_ *sqlstore.Session, q *bun.SelectQuery) *bun.SelectQuery {
		return named(q.ColumnExpr("?TableColumns"))
	},
}

func withAOI(s *sqlstore.Session) *bun.SelectQuery {
	return s.NewSelect().Model((*stratRow)(nil)).Join("JOIN aois AS aoi ON aoi.id = t.aoi_id")
}

// landOfOrder selects the fields that an order was placed for: its results are shared if all of them still exist and are shared, as
// the area of interest may have lost some since.
func landOfOrder(id string) string {
	return "stratification_order_fields AS l WHERE l.order_id = " + id
}

// sharedOfOrder selects the results of orders that are shared under a view; order and aoi are the expressions of the two ids.
func sharedOfOrder(s *sqlstore.Session, view access.Slug, scope access.Scope, order, aoi string) sqlstore.Condition {
	return sqlstore.Both(s.OfSharedLand(landOfOrder(order), true, view, scope), s.OfSharedLand(fieldsOfAOI(aoi), false, view, scope))
}

type orderFieldRow struct {
	bun.BaseModel `bun:"table:stratification_order_fields"`
	OrderID       int64
	FieldID       int64
}

// visible selects the orders in a scope whose area of interest is live. Orders are not shared.
func visible(scope access.Scope) []sqlstore.Condition {
	return []sqlstore.Condition{sqlstore.OwnOnly(scope), sqlstore.When("aoi.deleted_at IS NULL")}
}

// ofOrder joins rows that belong to an order with the order and its area of interest.
func ofOrder(q *bun.SelectQuery) *bun.SelectQuery {
	return q.Join("JOIN stratification_orders AS o ON o.id = t.order_id").Join("JOIN aois AS aoi ON aoi.id = o.aoi_id")
}

// named adds the names and counts that are shown for orders.
func named(q *bun.SelectQuery) *bun.SelectQuery {
	return q.Join("LEFT JOIN users AS requester ON requester.id = t.request_by").
		ColumnExpr("(SELECT count(*) FROM stratification_maps AS m WHERE m.order_id = t.id AND m.saved_at IS NOT NULL) AS saved_maps").
		ColumnExpr("(SELECT count(*) FROM stratification_plans AS p WHERE p.order_id = t.id AND p.saved_at IS NOT NULL) AS saved_plans").
		ColumnExpr("aoi.uuid AS aoi_uuid").ColumnExpr("aoi.name AS aoi_name").ColumnExpr("requester.email AS email")
}

// Landless selects the orders that a scope shows, without their land.
func (o strats) Landless(scope access.Scope) *bun.SelectQuery {
	return named(o.View.From(o.Session, scope).ExcludeColumn("land"))
}

func (o strats) Each(ctx context.Context, scope access.Scope, query ports.Query) iter.Seq2[stratification.OrderState, error] {
	return o.View.Each(ctx, o.Session, o.Landless(scope), query)
}

func (o strats) GetForUpdate(ctx context.Context, scope access.Scope, id int64) (stratification.OrderState, error) {
	return o.View.One(ctx, o.Session.ForUpdate(sqlstore.Where(o.View.Whole(o.Session, withAOI(o.Session)), sqlstore.OwnOnly(scope)).Where("t.id = ?", id)))
}

func (o strats) Latest(ctx context.Context, scope access.Scope, aoiID int64, mapType string) (stratification.OrderState, error) {
	q := o.Landless(scope).Where("t.aoi_id = ?", aoiID).Where("t.status <> ?", stratification.OrderFailed)
	if mapType != "" {
		q = q.Where("t.map_type = ?", mapType)
	}
	return o.View.One(ctx, q.OrderExpr("t.request_date DESC, t.id DESC").Limit(1))
}

func (o strats) OpenOf(ctx context.Context, scope access.Scope, aoiID int64) ([]int64, error) {
	q := o.Session.NewSelect().Model((*stratRow)(nil)).Column("t.id").Where("t.aoi_id = ?", aoiID).
		Where("t.status IN (?)", prepared.List([]stratification.OrderStatus{stratification.OrderPending, stratification.OrderProcessing})).OrderExpr("t.id")
	return sqlstore.Values[int64](ctx, sqlstore.Where(q, sqlstore.OwnOnly(scope)))
}

func (o strats) Insert(ctx context.Context, scope access.Scope, order *stratification.OrderState) error {
	if !sqlstore.Writable(scope) {
		return fault.Missing("aoi")
	}
	order.CompanyID, order.CreatedAt, order.UpdatedAt = scope.Company(), sqlstore.Micro(order.CreatedAt), sqlstore.Micro(order.UpdatedAt)
	row := rowOfStrat(o.Session, order)
	row.ID = 0
	if err := sqlstore.InsertNew(ctx, o.Session, &row, &order.ID, "company_id, aoi_id) WHERE (status IN ('pending', 'processing')", openOrderExists()); err != nil {
		return err
	}
	return sqlstore.InsertAll(ctx, o.Session, order.Land, func(_ int, l stratification.Land) orderFieldRow {
		return orderFieldRow{OrderID: order.ID, FieldID: l.FieldID}
	})
}

// openOrderExists is the refusal of a second unfinished order of an area of interest.
func openOrderExists() error {
	return fault.New(fault.Conflict, "order_exists", "This area of interest has an order that is not finished.")
}

func (o strats) Update(ctx context.Context, scope access.Scope, order stratification.OrderState) error {
	if !sqlstore.Writable(scope) {
		return fault.Missing("order")
	}
	if order.Status == stratification.OrderPending || order.Status == stratification.OrderProcessing {
		open, err := o.OpenOf(ctx, scope, order.AOI.ID)
		if err != nil {
			return err
		}
		for _, id := range open {
			if id != order.ID {
				return openOrderExists()
			}
		}
	}
	row := rowOfStrat(o.Session, &order)
	return sqlstore.Change(ctx, o.Session.NewUpdate().Model(&row).
		ExcludeColumn("id", "data_uuid", "company_id", "aoi_id", "request_date", "request_by", "created_at", "land", "area_m2", "charge", "map_type").
		Where("t.id = ?", order.ID).Where("?", sqlstore.Own("t", scope)), fault.Missing("order"))
}

func carbonColumn(m *carbon.Map) *sqlstore.JSON[carbon.Map] {
	if m == nil {
		return nil
	}
	column := sqlstore.JSONOf(*m)
	return &column
}

func rowOfStrat(in *sqlstore.Session, s *stratification.OrderState) stratRow {
	return stratRow{
		ID: s.ID, DataUUID: s.DataUUID, CompanyID: s.CompanyID, KeyColumns: sqlstore.KeyColumns(s.External), AOIID: s.AOI.ID, Status: s.Status, Reason: s.Reason,
		Attempts: s.Attempts, Retries: s.Retries, RequestDate: sqlstore.DayAt(s.RequestDate), RequestBy: sqlstore.NullableID(s.RequestBy.ID),
		CreatedAt: sqlstore.StampAt(s.CreatedAt), UpdatedAt: sqlstore.StampAt(s.UpdatedAt), ProcessingAt: in.NullableShared(s.ProcessingAt), CompletedAt: in.NullableShared(s.CompletedAt),
		Land: sqlstore.ListOf(s.Land), AreaM2: s.AreaM2, Charge: s.Charge, MapType: s.MapType, Carbon: carbonColumn(s.Carbon), Grid: sqlstore.JSONOf(s.Grid),
		Digest: s.Digest, Notes: sqlstore.ListOf(s.Notes), Synthetic: s.Synthetic,
	}
}

func stratOfRow(s *sqlstore.Session, row *stratRow) stratification.OrderState {
	out := stratification.OrderState{
		ID: row.ID, DataUUID: row.DataUUID, CompanyID: row.CompanyID, External: row.External(), Status: row.Status, Reason: row.Reason,
		AOI:      stratification.AOIRef{ID: row.AOIID, UUID: row.AOIUUID, Name: row.AOIName},
		Attempts: row.Attempts, Retries: row.Retries, RequestDate: row.RequestDate.Time,
		RequestBy: stratification.Requester{ID: sqlstore.ValueOf(row.RequestBy), Email: sqlstore.ValueOf(row.Email)},
		CreatedAt: row.CreatedAt.Time, UpdatedAt: row.UpdatedAt.Time, ProcessingAt: s.NullableUnshared(row.ProcessingAt), CompletedAt: s.NullableUnshared(row.CompletedAt),
		AreaM2: row.AreaM2, Charge: row.Charge, Grid: row.Grid.V, Digest: row.Digest,
		Notes: row.Notes.V, Synthetic: row.Synthetic, SavedMaps: row.SavedMaps, SavedPlans: row.SavedPlans,
		Land: row.Land.V, MapType: row.MapType,
	}
	if row.Carbon != nil {
		out.Carbon = &row.Carbon.V
	}
	return out
}

// orderKeeper implements ports.OrderKeeper.
type orderKeeper struct{ s *sqlstore.Session }

func (o orderKeeper) CompanyOf(ctx context.Context, orderID int64) (int64, error) {
	var id int64
	err := o.s.NewSelect().Model((*stratRow)(nil)).Column("t.company_id").Where("t.id = ?", orderID).Scan(ctx, &id)
	return id, sqlstore.Missing(err, "order")
}

func (o orderKeeper) Overdue(ctx context.Context, since time.Time, limit int) ([]ports.OverdueOrder, error) {
	q := o.s.NewSelect().Model((*stratRow)(nil)).Column("t.id", "t.company_id").Where("t.status = 'processing'").
		Where("t.processing_at < ?", o.s.Shared(since)).OrderExpr("t.processing_at, t.id").Limit(int64(limit))
	return sqlstore.All(ctx, q, func(row *stratRow) ports.OverdueOrder {
		return ports.OverdueOrder{ID: row.ID, CompanyID: row.CompanyID}
	})
}
