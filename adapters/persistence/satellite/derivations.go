package satellite

import (
	"context"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/vegetation"
)

type derivationRow struct {
	bun.BaseModel `bun:"table:profile_derivations,alias:t"`
	OrderID       int64                `bun:"order_id,pk"`
	IndexCode     vegetation.IndexCode `bun:"index_code,pk"`
	Status        vegetation.Status
	Reason        string
	Attempts      int
	CheckedAt     *sqlstore.Stamp
	UpdatedAt     sqlstore.Stamp
}

// It belongs to the order, and is seen with it.
func (o orders) Derivation(ctx context.Context, scope access.Scope, orderID int64, index vegetation.IndexCode) (vegetation.Derivation, bool, error) {
	visible := sqlstore.Where(o.s.NewSelect().TableExpr("profile_orders AS t").Column("t.id"), o.in(scope)...).Where("t.id = ?", orderID)
	q := o.s.NewSelect().Model((*derivationRow)(nil)).Where("t.order_id IN (?)", visible).Where("t.index_code = ?", index)
	return sqlstore.Find(ctx, q, func(row *derivationRow) vegetation.Derivation {
		return vegetation.Derivation{
			OrderID: row.OrderID, Index: row.IndexCode, Status: row.Status, Reason: row.Reason, Attempts: row.Attempts,
			CheckedAt: row.CheckedAt.Nullable(), UpdatedAt: row.UpdatedAt.Time,
		}
	})
}

// It locks the order.
func (o orders) PutDerivation(ctx context.Context, scope access.Scope, d vegetation.Derivation) error {
	if _, err := o.GetForUpdate(ctx, scope, d.OrderID); err != nil {
		return err
	}
	row := derivationRow{
		OrderID: d.OrderID, IndexCode: d.Index, Status: d.Status, Reason: d.Reason, Attempts: d.Attempts,
		CheckedAt: sqlstore.NullableStamp(d.CheckedAt), UpdatedAt: sqlstore.StampAt(d.UpdatedAt),
	}
	return sqlstore.Run(ctx, o.s.NewInsert().Model(&row).
		Apply(sqlstore.Replacing("order_id, index_code", "status", "reason", "attempts", "checked_at", "updated_at")))
}
