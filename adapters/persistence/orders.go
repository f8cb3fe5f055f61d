package persistence

import (
	"context"
	"iter"

	"github.com/uptrace/bun"

	"tilth/core/access"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/vegetation"
	"tilth/ports"
)

type orderRow struct {
	bun.BaseModel `bun:"table:profile_orders,alias:t"`
	ID            int64  `bun:"id,pk,autoincrement"`
	UUID          string `bun:"uuid"`
	CompanyID     int64
	FieldID       int64
	SeasonID      int64
	IndexCode     string
	Status        vegetation.Status
	Reason        string
	Attempts      int
	NextTryAt     *stamp
	StartDate     day
	EndDate       day
	Boundary      document[geo.MultiPolygon]
	AreaM2        int64 `bun:"area_m2"`
	CreatedBy     *int64
	CreatedAt     stamp
	UpdatedAt     stamp
	LastCheckedAt *stamp
	Synthetic     bool
	NoSCL         bool `bun:"no_scl"`
	SmallField    bool

	FieldUUID string `bun:"field_uuid,scanonly"`
}

// orderFilters are the filters of the list of orders.
var orderFilters = map[string]filter{
	"company": {exact: "t.company_id"}, "created_by": {exact: "t.created_by"},
	"field": {exact: "t.field_id"}, "season": {exact: "t.season_id"}, "farm": {exact: "field.farm_id"},
	"status":        {exact: "t.status"},
	"index_code":    {exact: "t.index_code", folded: "lower(t.index_code)"}, // codes are ASCII
	"updated_since": {since: "t.updated_at"},
	"search":        {folded: "field.name_folded"}, // an order has no name of its own
}

// orderOrders are what the list of orders may be ordered by, beside the common ones.
var orderOrders = map[string]orderKey{"start_date": {expr: "t.start_date"}}

// open is the states of an order that is still to be computed for the first time.
var open = []vegetation.Status{vegetation.Processing, vegetation.Pending}

// orders implements ports.ProfileOrders.
type orders struct{ s *session }

// in gives the condition of the orders in a scope. An order is shared with its field,
// by a grant that says so, and like it no longer once the field is deleted.
func (o orders) in(scope access.Scope) []condition {
	return o.s.inScope(scope, func(s *session, scope access.Scope) condition {
		return s.ofSharedField("f.id = t.field_id", "vi-profile.view", scope)
	})
}

func (o orders) joined(scope access.Scope) *bun.SelectQuery {
	return where(o.s.NewSelect().Model((*orderRow)(nil)).Join("LEFT JOIN fields AS field ON field.id = t.field_id"), o.in(scope)...)
}

func (o orders) query(scope access.Scope) *bun.SelectQuery {
	return o.joined(scope).ColumnExpr("?TableColumns").ColumnExpr("field.uuid AS field_uuid")
}

// Count implements ports.ProfileOrders.
func (o orders) Count(ctx context.Context, scope access.Scope, query ports.Query) (int64, error) {
	q, err := filtered(o.joined(scope), orderFilters, query.Filters)
	if err != nil {
		return 0, err
	}
	return q.Count(ctx)
}

// Each implements ports.ProfileOrders.
func (o orders) Each(ctx context.Context, scope access.Scope, query ports.Query) iter.Seq2[vegetation.OrderState, error] {
	q, err := filtered(o.query(scope), orderFilters, query.Filters)
	if err != nil {
		return failed[vegetation.OrderState](err)
	}
	if query.Limit == 0 {
		if err := o.s.unhurried(ctx); err != nil {
			return failed[vegetation.OrderState](err)
		}
	}
	if q, err = o.s.ordered(q, orderOrders, query.Order); err != nil {
		return failed[vegetation.OrderState](err)
	}
	return stream(ctx, o.s, paged(q, query), orderOfRow)
}

// Get implements ports.ProfileOrders.
func (o orders) Get(ctx context.Context, scope access.Scope, id int64) (vegetation.OrderState, error) {
	return o.one(ctx, o.query(scope).Where("t.id = ?", id))
}

// GetForUpdate implements ports.ProfileOrders.
func (o orders) GetForUpdate(ctx context.Context, scope access.Scope, id int64) (vegetation.OrderState, error) {
	return o.locked(ctx, scope, when("t.id = ?", id))
}

// Find implements ports.ProfileOrders.
func (o orders) Find(ctx context.Context, scope access.Scope, fieldID, seasonID int64) (vegetation.OrderState, error) {
	return o.one(ctx, o.query(scope).Where("t.field_id = ?", fieldID).Where("t.season_id = ?", seasonID))
}

// FindForUpdate implements ports.ProfileOrders.
func (o orders) FindForUpdate(ctx context.Context, scope access.Scope, fieldID, seasonID int64) (vegetation.OrderState, error) {
	return o.locked(ctx, scope, when("t.field_id = ? AND t.season_id = ?", fieldID, seasonID))
}

func (o orders) locked(ctx context.Context, scope access.Scope, which condition) (vegetation.OrderState, error) {
	if !writable(scope) {
		return vegetation.OrderState{}, fault.Missing("order")
	}
	return o.one(ctx, o.s.forUpdate(where(o.query(scope), which)))
}

func (o orders) one(ctx context.Context, q *bun.SelectQuery) (vegetation.OrderState, error) {
	var row orderRow
	if err := q.Scan(ctx, &row); err != nil {
		return vegetation.OrderState{}, missing(err, "order")
	}
	return orderOfRow(&row)
}

// OpenOfFields implements ports.ProfileOrders.
func (o orders) OpenOfFields(ctx context.Context, scope access.Scope, fieldIDs []int64) ([]int64, error) {
	if len(fieldIDs) == 0 {
		return nil, nil
	}
	return o.openIDs(ctx, scope, when("t.field_id IN (?)", bun.List(fieldIDs)))
}

// OpenOfSeason implements ports.ProfileOrders.
func (o orders) OpenOfSeason(ctx context.Context, scope access.Scope, seasonID int64) ([]int64, error) {
	return o.openIDs(ctx, scope, when("t.season_id = ?", seasonID))
}

func (o orders) openIDs(ctx context.Context, scope access.Scope, which condition) ([]int64, error) {
	var ids []int64
	q := o.s.NewSelect().Model((*orderRow)(nil)).Column("t.id").Where("t.status IN (?)", bun.List(open)).OrderExpr("t.id")
	err := where(q, append(o.in(scope), which)...).Scan(ctx, &ids)
	return ids, err
}

// ActiveOfSeason implements ports.ProfileOrders.
func (o orders) ActiveOfSeason(ctx context.Context, scope access.Scope, seasonID int64) (bool, error) {
	return where(o.s.NewSelect().Model((*orderRow)(nil)), o.in(scope)...).
		Where("t.season_id = ?", seasonID).Where("t.status = ?", vegetation.Active).Exists(ctx)
}

// Insert implements ports.ProfileOrders.
func (o orders) Insert(ctx context.Context, scope access.Scope, order *vegetation.OrderState) error {
	if !writable(scope) {
		return fault.Missing("field")
	}
	order.CompanyID, order.CreatedAt, order.UpdatedAt = scope.Company(), micro(order.CreatedAt), micro(order.UpdatedAt)
	row := rowOfOrder(order)
	row.ID = 0
	id, err := insertNew(ctx, o.s, &row, "company_id, field_id, season_id")
	if err != nil {
		return err
	}
	if id == 0 {
		return fault.New(fault.Conflict, "order_exists", "This field already has an order for this season.")
	}
	order.ID = id
	return nil
}

// Update implements ports.ProfileOrders. Faults: NotFound.
func (o orders) Update(ctx context.Context, scope access.Scope, order vegetation.OrderState) error {
	if !writable(scope) {
		return fault.Missing("order")
	}
	row, in := rowOfOrder(&order), own("t", scope)
	res, err := o.s.NewUpdate().Model(&row).ExcludeColumn("id", "uuid", "company_id", "field_id", "season_id", "created_at").
		Where("t.id = ?", order.ID).Where(in.sql, in.args...).Exec(ctx)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return missingUnless(err, "order")
	}
	return nil
}

func rowOfOrder(s *vegetation.OrderState) orderRow {
	return orderRow{
		ID: s.ID, UUID: s.UUID, CompanyID: s.CompanyID, FieldID: s.FieldID, SeasonID: s.SeasonID, IndexCode: s.Index,
		Status: s.Status, Reason: s.Reason, Attempts: s.Attempts, NextTryAt: stampOf(s.NextTryAt),
		StartDate: dayAt(s.StartDate), EndDate: dayAt(s.EndDate), Boundary: documentWith(s.Boundary), AreaM2: s.AreaM2,
		CreatedBy: reference(s.CreatedBy), CreatedAt: stampAt(s.CreatedAt), UpdatedAt: stampAt(s.UpdatedAt), LastCheckedAt: stampOf(s.LastCheckedAt),
		Synthetic: s.Synthetic, NoSCL: s.NoSCL, SmallField: s.SmallField,
	}
}

func orderOfRow(row *orderRow) (vegetation.OrderState, error) {
	return vegetation.OrderState{
		ID: row.ID, UUID: row.UUID, CompanyID: row.CompanyID, FieldID: row.FieldID, FieldUUID: row.FieldUUID, SeasonID: row.SeasonID,
		Index: row.IndexCode, Status: row.Status, Reason: row.Reason, Attempts: row.Attempts, NextTryAt: row.NextTryAt.timeOf(),
		StartDate: row.StartDate.Time, EndDate: row.EndDate.Time, Boundary: row.Boundary.V, AreaM2: row.AreaM2,
		CreatedBy: valueOf(row.CreatedBy), CreatedAt: row.CreatedAt.Time, UpdatedAt: row.UpdatedAt.Time, LastCheckedAt: row.LastCheckedAt.timeOf(),
		Synthetic: row.Synthetic, NoSCL: row.NoSCL, SmallField: row.SmallField,
	}, nil
}
