package common

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"tilth/adapters/persistence/prepared"
	"tilth/adapters/persistence/sqlstore"
	"tilth/core/audit"
	"tilth/core/chain"
	"tilth/core/fault"
)

// EraseValues implements ports.ValueEraser for the audit trail.
func (c chains) EraseValues(
	ctx context.Context, id chain.ID, ids []int64, choose func(row chain.Row) func(f chain.Field) bool, at time.Time,
) (erased int64, err error) {
	var links []linkRow
	if err := c.s.NewSelect().Model(&links).Where("t.chain = ?", id.Name).Where("t.row_id IN (?)", prepared.List(ids)).OrderExpr("t.row_id").Scan(ctx); err != nil {
		return 0, err
	}
	if len(links) != len(ids) {
		return 0, fault.New(fault.Unavailable, "not_chained", "Entries of the audit trail are not chained yet. Fix: run the command again.")
	}
	rows, err := c.rows(ctx, id.Name, ids)
	if err != nil {
		return 0, err
	}
	for _, link := range links {
		row, salts, n := chain.Erase(rows[link.RowID], link.Salts, choose(rows[link.RowID]))
		if n == 0 {
			continue
		}
		erased += int64(n)
		if err := c.storeErased(ctx, link, row, salts, at); err != nil {
			return erased, err
		}
	}
	return erased, nil
}

// storeErased stores an entry whose values were erased; the trigger of the trail allows that once
// the erasure is recorded.
func (c chains) storeErased(ctx context.Context, link linkRow, row chain.Row, salts chain.Salts, at time.Time) error {
	var stored string
	if err := c.s.NewSelect().Model((*auditRow)(nil)).ColumnExpr(text("changes")).Where("t.id = ?", link.RowID).Scan(ctx, &stored); err != nil {
		return err
	}
	var changes []audit.Change
	if err := chain.Decode([]byte(stored), &changes); err != nil {
		return err
	}
	for _, f := range row.Fields {
		if f.Value == nil || *f.Value != chain.Erased || !f.Guarded {
			continue
		}
		parts := strings.Split(f.Name, ".") // changes.N.SIDE
		i, err := strconv.Atoi(parts[1])
		if err != nil {
			return sqlstore.Internal("the field %s of an entry is erased", f.Name)
		}
		if parts[2] == "before" {
			changes[i].Before = erasedValue()
		} else {
			changes[i].After = erasedValue()
		}
	}
	erasure := map[string]any{"chain": link.Chain, "row_id": link.RowID, "at": sqlstore.StampAt(at)}
	if err := sqlstore.Run(ctx, c.s.NewInsert().Model(&erasure).TableExpr("chain_erasures").On("CONFLICT (chain, row_id) DO NOTHING")); err != nil {
		return err
	}
	if err := sqlstore.Run(ctx, c.s.NewUpdate().Model((*auditRow)(nil)).Set("changes = ?", sqlstore.JSONOf(changes)).
		Where("t.id = ?", link.RowID)); err != nil {
		return err
	}
	return sqlstore.Run(ctx, c.s.NewUpdate().Model((*linkRow)(nil)).Set("salts = ?", salts).
		Where("t.chain = ?", link.Chain).Where("t.row_id = ?", link.RowID))
}

// erasedValue is [chain.Erased] as a value of a change.
func erasedValue() (out any) {
	_ = json.Unmarshal([]byte(chain.Erased), &out)
	return out
}
