package farm

import (
	"context"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/prepared"
	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/farm"
	"tilth/core/fault"
)

type lineageRow struct {
	bun.BaseModel `bun:"table:field_lineage,alias:t"`
	FromID        int64 `bun:"from_id,pk"`
	ToID          int64 `bun:"to_id,pk"`
	CompanyID     int64
	Merged        bool
}

func (r fields) PutLineage(ctx context.Context, scope access.Scope, made []farm.Descent) error {
	if !sqlstore.Writable(scope) {
		return fault.Missing("field")
	}
	return sqlstore.InsertAll(ctx, r.Session, made, func(_ int, d farm.Descent) lineageRow {
		return lineageRow{FromID: d.From, ToID: d.To, CompanyID: scope.Company(), Merged: d.Merged}
	})
}

// Lineage returns nothing in a shared scope: a field that others share does not tell what it was made from.
func (r fields) Lineage(ctx context.Context, scope access.Scope, ids []int64) (map[int64]farm.Lineage, error) {
	out := map[int64]farm.Lineage{}
	if len(ids) == 0 || !sqlstore.Writable(scope) {
		return out, nil
	}
	var rows []lineageRow
	q := r.Session.NewSelect().Model(&rows).Where("?", sqlstore.OwnAmong("t", scope)).
		Where("(t.from_id IN (?0) OR t.to_id IN (?0))", prepared.List(ids)).OrderExpr("t.from_id, t.to_id")
	if err := q.Scan(ctx); err != nil {
		return nil, err
	}
	asked := make(map[int64]bool, len(ids))
	for _, id := range ids {
		asked[id] = true
	}
	for _, row := range rows {
		if asked[row.FromID] {
			one := out[row.FromID]
			one.ReplacedBy = append(one.ReplacedBy, row.ToID)
			out[row.FromID] = one
		}
		if asked[row.ToID] {
			one := out[row.ToID]
			if row.Merged {
				one.MergedFrom = append(one.MergedFrom, row.FromID)
			} else {
				one.SplitFrom = row.FromID
			}
			out[row.ToID] = one
		}
	}
	return out, nil
}

// lines selects a field and those that it was made from, as far back as is known.
const lines = `WITH RECURSIVE line (id) AS (SELECT CAST(? AS BIGINT) UNION SELECT l.from_id FROM field_lineage AS l JOIN line ON l.to_id = line.id)
SELECT id FROM line`
