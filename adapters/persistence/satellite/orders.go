package satellite

import (
	"cmp"
	"context"
	"iter"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/prepared"
	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/vegetation"
	"tilth/ports"
)

type orderRow struct {
	bun.BaseModel `bun:"table:profile_orders,alias:t"`
	orderColumns
}

// orderColumns are the columns that orders of all products have.
type orderColumns struct {
	ID        int64  `bun:"id,pk,autoincrement"`
	UUID      string `bun:"uuid"`
	CompanyID int64
	sqlstore.KeyColumns
	// FieldCompanyID is the company of the field: another one's where the field is shared with the order's company.
	FieldCompanyID int64
	FieldID        int64 `bun:"field_id,nullzero"`
	SeasonID       int64 `bun:"season_id,nullzero"`
	IndexCode      string
	Mask           string
	Dataset        string
	Status         vegetation.Status
	Reason         string
	Attempts       int
	NextTryAt      *sqlstore.Stamp
	StartDate      sqlstore.Day
	EndDate        sqlstore.Day
	Boundary       sqlstore.JSON[geo.MultiPolygon]
	AreaM2         int64 `bun:"area_m2"`
	CreatedBy      *int64
	CreatedAt      sqlstore.Stamp
	UpdatedAt      sqlstore.Stamp
	LastCheckedAt  *sqlstore.Stamp
	Synthetic      bool
	NoSCL          bool `bun:"no_scl"`
	SmallField     bool
	Unread         int
	BoundaryID     int64
	Points         int
	FirstDate      *sqlstore.Day
	LastDate       *sqlstore.Day

	FieldUUID  string `bun:"field_uuid,scanonly"`
	OutlineNow *int64 `bun:"outline_now,scanonly"`
}

// orderFilters are the filters of the list of orders.
var orderFilters = map[string]sqlstore.Filter{
	"company": {Exact: "t.company_id"}, "created_by": {Exact: "t.created_by"},
	"field": {Exact: "t.field_id"}, "season": {Exact: "t.season_id"}, "farm": {Exact: "field.farm_id"},
	"status":        {Exact: "t.status"},
	"index_code":    {Exact: "t.index_code", Folded: "lower(t.index_code)"}, // codes are ASCII
	"id":            {Exact: "t.id"},
	"updated_since": {Since: "t.updated_at"}, "external_id": sqlstore.ByKey,
	"search": {Folded: "field.name_folded", Parts: []sqlstore.Part{{Table: "fields", Ref: "t.field_id"}}}, // an order has no name of its own
	// True where the outline in force, of which a field has one at a time, is not that of the series.
	"boundary_outdated": {Exact: "(COALESCE(outline.id, t.boundary_id) <> t.boundary_id)"},
	sqlstore.InBoxes:    {Where: outlined()}, sqlstore.InSpan: {When: &sqlstore.Spell{From: "t.last_date", To: "t.last_date", Days: true}},
}

// outlined returns where orders may lie: where the field does, or anywhere if the series is of another outline than the one in force.
func outlined() *sqlstore.Area {
	out := sqlstore.BoxOf("field")
	out.In = "(%s OR COALESCE(outline.id, 0) <> t.boundary_id)"
	return out
}

// orderOrders are what the list of orders may be ordered by, besides the common ones.
var orderOrders = map[string]sqlstore.OrderKey{"start_date": {Expr: "t.start_date"}}

// open are the states of an order that is still to be computed for the first time.
var open = []vegetation.Status{vegetation.Processing, vegetation.Pending}

// orders implements ports.ProfileOrders.
type orders struct {
	sqlstore.Reader[vegetation.OrderState, orderRow]
	sqlstore.Keys[orderRow]
}

func orderRecords(s *sqlstore.Session) orders {
	return orders{sqlstore.Reader[vegetation.OrderState, orderRow]{Session: s, View: orderView}, sqlstore.KeysOf[orderRow](s, "TRUE")}
}

// in returns the condition of the profile orders in a scope.
func in(s *sqlstore.Session, scope access.Scope) []sqlstore.Condition {
	return ordersIn(s, scope, access.ProfileOrders)
}

// ordersIn returns the conditions of the orders of a product in a scope. An order is shared with its live field by a grant that
// includes it. An order for a field of another company is an own order of the company that placed it, and is listed among shared
// orders as well; it is visible while a grant of the field includes a permission on the product.
func ordersIn(s *sqlstore.Session, scope access.Scope, of access.Resource) []sqlstore.Condition {
	view := of.View.Slug()
	if scope.Company() <= 0 || scope.Lapsed() {
		return s.InScope(scope, sqlstore.WithField("f.id = t.field_id", view))
	}
	own, granted := sqlstore.Own("t", scope), s.Granted("f", sqlstore.GrantOfField, access.Slug(of.Name+".%"), scope)
	lent := sqlstore.When("EXISTS (SELECT 1 FROM fields AS f WHERE f.company_id = t.field_company_id AND f.id = t.field_id AND f.deleted_at IS NULL AND "+
		granted.SQL+")", granted.Args...)
	if !scope.Shared() {
		return []sqlstore.Condition{own, sqlstore.Either(sqlstore.When("t.field_company_id = t.company_id"), lent)}
	}
	theirs := sqlstore.Both(sqlstore.Grantors("t", scope), s.OfSharedField("f.id = t.field_id", view, scope))
	return []sqlstore.Condition{sqlstore.Either(theirs, sqlstore.Both(sqlstore.Both(own, sqlstore.When("t.field_company_id <> t.company_id")), lent))}
}

// lent reports whether a company has orders for fields of others, which neither the sums that lists are counted by nor the
// index of names cover.
func (o orders) lent(ctx context.Context, scope access.Scope) (bool, error) {
	if scope.Shared() {
		return false, nil
	}
	return sqlstore.Where(o.Session.NewSelect().Model((*orderRow)(nil)), sqlstore.Own("t", scope)).Where("t.field_company_id <> t.company_id").Exists(ctx)
}

// Count implements ports.List.
func (o orders) Count(ctx context.Context, scope access.Scope, query ports.Query) (int64, error) {
	lent, err := o.lent(ctx, scope)
	switch {
	case err != nil:
		return 0, err
	case lent:
		return o.View.Count(ctx, o.View.From(o.Session, scope), query)
	}
	return o.Reader.Count(ctx, scope, query)
}

// Each implements ports.List.
func (o orders) Each(ctx context.Context, scope access.Scope, query ports.Query) iter.Seq2[vegetation.OrderState, error] {
	lent, err := o.lent(ctx, scope)
	switch {
	case err != nil:
		return sqlstore.Failed[vegetation.OrderState](err)
	case lent:
		return o.View.Each(ctx, o.Session, o.Query(scope), query)
	}
	return o.Reader.Each(ctx, scope, query)
}

var orderView = &sqlstore.View[vegetation.OrderState, orderRow]{
	Word: "order", Filters: orderFilters, Orders: orderOrders, Record: orderOfRow,
	From: func(s *sqlstore.Session, scope access.Scope) *bun.SelectQuery {
		return sqlstore.Where(s.NewSelect().Model((*orderRow)(nil)).
			Join("LEFT JOIN fields AS field ON field.id = t.field_id").
			Join("LEFT JOIN field_boundaries AS outline ON outline.field_id = t.field_id AND outline.valid_to IS NULL"), in(s, scope)...)
	},
	Whole: func(_ *sqlstore.Session, q *bun.SelectQuery) *bun.SelectQuery {
		return q.ColumnExpr("?TableColumns").ColumnExpr("field.uuid AS field_uuid").ColumnExpr("outline.id AS outline_now")
	},
}

func (o orders) Find(ctx context.Context, scope access.Scope, fieldID, seasonID int64) (vegetation.OrderState, error) {
	return orderView.One(ctx, o.Query(scope).Where("t.field_id = ?", fieldID).Where("t.season_id = ?", seasonID))
}

func (o orders) FindForUpdate(ctx context.Context, scope access.Scope, fieldID, seasonID int64) (vegetation.OrderState, error) {
	return o.Locked(ctx, scope, sqlstore.When("t.field_id = ? AND t.season_id = ?", fieldID, seasonID))
}

func (o orders) OpenOfFields(ctx context.Context, scope access.Scope, fieldIDs []int64) ([]int64, error) {
	if len(fieldIDs) == 0 {
		return nil, nil
	}
	return o.openIDs(ctx, scope, sqlstore.When("t.field_id IN (?)", prepared.List(fieldIDs)))
}

func (o orders) OpenOfSeason(ctx context.Context, scope access.Scope, seasonID int64) ([]int64, error) {
	return o.openIDs(ctx, scope, sqlstore.When("t.season_id = ?", seasonID))
}

func (o orders) openIDs(ctx context.Context, scope access.Scope, which sqlstore.Condition) ([]int64, error) {
	q := o.Session.NewSelect().Model((*orderRow)(nil)).Column("t.id").Where("t.status IN (?)", prepared.List(open)).OrderExpr("t.id")
	return sqlstore.Values[int64](ctx, sqlstore.Where(q, append(in(o.Session, scope), which)...))
}

func (o orders) ActiveOfSeason(ctx context.Context, scope access.Scope, seasonID int64) (bool, error) {
	return sqlstore.Where(o.Session.NewSelect().Model((*orderRow)(nil)), in(o.Session, scope)...).
		Where("t.season_id = ?", seasonID).Where("t.status = ?", vegetation.Active).Exists(ctx)
}

func (o orders) Insert(ctx context.Context, scope access.Scope, order *vegetation.OrderState) error {
	if !sqlstore.Writable(scope) {
		return fault.Missing("field")
	}
	order.CompanyID, order.CreatedAt, order.UpdatedAt = scope.Company(), sqlstore.Micro(order.CreatedAt), sqlstore.Micro(order.UpdatedAt)
	order.FieldCompanyID = cmp.Or(order.FieldCompanyID, order.CompanyID)
	row := rowOfOrder(order)
	row.ID = 0
	return sqlstore.InsertNew(ctx, o.Session, &row, &order.ID, "company_id, field_id, season_id",
		fault.New(fault.Conflict, "order_exists", "This field already has an order for this season."))
}

func (o orders) Update(ctx context.Context, scope access.Scope, order vegetation.OrderState) error {
	row := rowOfOrder(&order)
	return sqlstore.Change(ctx, o.Session.NewUpdate().Model(&row).
		ExcludeColumn("id", "uuid", "company_id", "field_company_id", "field_id", "season_id", "created_at").
		Where("t.id = ?", order.ID).Where("?", sqlstore.OwnOnly(scope)), fault.Missing("order"))
}

func rowOfOrder(s *vegetation.OrderState) orderRow { return orderRow{orderColumns: columnsOfOrder(s)} }

func columnsOfOrder(s *vegetation.OrderState) orderColumns {
	return orderColumns{
		ID: s.ID, UUID: s.UUID, CompanyID: s.CompanyID, KeyColumns: sqlstore.KeyColumns(s.External), FieldCompanyID: s.FieldCompanyID, FieldID: s.FieldID, SeasonID: s.SeasonID, IndexCode: s.Index, Mask: s.Mask.String(), Dataset: s.Dataset.String(),
		Status: s.Status, Reason: s.Reason, Attempts: s.Attempts, NextTryAt: sqlstore.NullableStamp(s.NextTryAt),
		StartDate: sqlstore.DayAt(s.StartDate), EndDate: sqlstore.DayAt(s.EndDate), Boundary: sqlstore.JSONOf(s.Boundary), AreaM2: s.AreaM2,
		CreatedBy: sqlstore.NullableID(s.CreatedBy), CreatedAt: sqlstore.StampAt(s.CreatedAt), UpdatedAt: sqlstore.StampAt(s.UpdatedAt), LastCheckedAt: sqlstore.NullableStamp(s.LastCheckedAt),
		Synthetic: s.Synthetic, NoSCL: s.NoSCL, SmallField: s.SmallField, Unread: s.Unread,
		BoundaryID: s.BoundaryID, Points: s.Points, FirstDate: sqlstore.NullableDay(s.FirstDate), LastDate: sqlstore.NullableDay(s.LastDate),
	}
}

func orderOfRow(row *orderRow) (vegetation.OrderState, error) { return row.order() }

func (row *orderColumns) order() (vegetation.OrderState, error) {
	reading, err := readingOf(row.IndexCode, row.Mask, row.Dataset)
	return vegetation.OrderState{
		ID: row.ID, UUID: row.UUID, CompanyID: row.CompanyID, External: row.External(), FieldCompanyID: row.FieldCompanyID, FieldID: row.FieldID, FieldUUID: row.FieldUUID, SeasonID: row.SeasonID,
		Index: row.IndexCode, Mask: reading.Mask, Dataset: reading.Dataset, Status: row.Status, Reason: row.Reason, Attempts: row.Attempts, NextTryAt: row.NextTryAt.Nullable(),
		StartDate: row.StartDate.Time, EndDate: row.EndDate.Time, Boundary: row.Boundary.V, AreaM2: row.AreaM2,
		CreatedBy: sqlstore.ValueOf(row.CreatedBy), CreatedAt: row.CreatedAt.Time, UpdatedAt: row.UpdatedAt.Time, LastCheckedAt: row.LastCheckedAt.Nullable(),
		Synthetic: row.Synthetic, NoSCL: row.NoSCL, SmallField: row.SmallField, Unread: row.Unread,
		BoundaryID: row.BoundaryID, TodaysBoundaryID: sqlstore.ValueOf(row.OutlineNow),
		Points: row.Points, FirstDate: row.FirstDate.Nullable(), LastDate: row.LastDate.Nullable(),
	}, err
}
