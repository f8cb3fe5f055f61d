package account

import (
	"context"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/prepared"
	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/credit"
	"tilth/core/fault"
)

type paidLandRow struct {
	bun.BaseModel `bun:"table:field_paid_land,alias:t"`
	CompanyID     int64 `bun:"company_id,pk"`
	FieldID       int64 `bun:"field_id,pk"`
	AreaM2        int64 `bun:"area_m2"`
}

func (w wallet) PaidLand(ctx context.Context, scope access.Scope, fieldID int64) (int64, error) {
	m2, _, err := sqlstore.Find(ctx, sqlstore.OwnRows[paidLandRow](w.s, scope).Where("t.field_id = ?", fieldID), func(row *paidLandRow) int64 { return row.AreaM2 })
	return m2, err
}

// ofOwnFields narrows rows of any company to fields of the company that acts.
func ofOwnFields(q *bun.SelectQuery, scope access.Scope, fieldIDs []int64) *bun.SelectQuery {
	return q.Where("t.field_id IN (SELECT f.id FROM fields AS f WHERE f.company_id = ? AND f.id IN (?))", scope.Company(), prepared.List(fieldIDs))
}

// LandOf goes by the owner of a field: the companies that it is shared with pay for it as well.
func (w wallet) LandOf(ctx context.Context, scope access.Scope, areas map[int64]int64) ([]credit.Land, error) {
	ids := make([]int64, 0, len(areas))
	for id := range areas {
		ids = append(ids, id)
	}
	if len(ids) == 0 || !sqlstore.Writable(scope) {
		return nil, nil
	}
	charged, err := sqlstore.All(ctx, w.s.ForUpdate(ofOwnFields(w.s.NewSelect().Model((*chargeRow)(nil)), scope, ids).
		Where("t.captured").OrderExpr("t.company_id, t.field_id")), func(row *chargeRow) credit.Land {
		return credit.Land{CompanyID: row.CompanyID, FieldID: row.FieldID, AreaM2: areas[row.FieldID], Charged: true, OrderID: row.OrderID, Product: row.Product}
	})
	if err != nil {
		return nil, err
	}
	known := make(map[[2]int64]bool, len(charged))
	for _, one := range charged {
		known[[2]int64{one.CompanyID, one.FieldID}] = true
	}
	paid, err := sqlstore.All(ctx, ofOwnFields(w.s.NewSelect().Model((*paidLandRow)(nil)), scope, ids).OrderExpr("t.company_id, t.field_id"),
		func(row *paidLandRow) credit.Land {
			return credit.Land{CompanyID: row.CompanyID, FieldID: row.FieldID, AreaM2: areas[row.FieldID], PaidM2: row.AreaM2}
		})
	for _, one := range paid {
		if !known[[2]int64{one.CompanyID, one.FieldID}] {
			charged = append(charged, one)
		}
	}
	return charged, err
}

// Nothing was charged for the fields yet: they are new.
func (w wallet) PutLand(ctx context.Context, scope access.Scope, land []credit.Land) error {
	if !sqlstore.Writable(scope) {
		return fault.Missing("field")
	}
	var charged []chargeRow
	var paid []paidLandRow
	for _, one := range land {
		switch {
		case one.Charged:
			charged = append(charged, chargeRow{
				FieldID: one.FieldID, chargeColumns: chargeColumns{CompanyID: one.CompanyID, OrderID: one.OrderID, Product: one.Product, Captured: true},
			})
		case one.PaidM2 > 0:
			paid = append(paid, paidLandRow{CompanyID: one.CompanyID, FieldID: one.FieldID, AreaM2: one.PaidM2})
		}
	}
	if err := sqlstore.InsertRows(ctx, w.s, charged); err != nil {
		return err
	}
	return sqlstore.InsertRows(ctx, w.s, paid)
}
