package common

import (
	"context"
	"iter"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/sqlstore"
	"tilth/core/audit"
	"tilth/ports"
)

type operatorEntryRow struct {
	bun.BaseModel `bun:"table:operator_entries,alias:t"`
	ID            int64 `bun:"id,pk,autoincrement"`
	At            sqlstore.Stamp
	Action        audit.Action
	Resource      string
	Record        string
	Changes       sqlstore.JSON[[]audit.Change]
}

// operatorTrail implements ports.OperatorTrail.
type operatorTrail struct{ s *sqlstore.Session }

func (t operatorTrail) Add(ctx context.Context, e ports.OperatorEntry) error {
	_, err := t.s.NewInsert().Model(&operatorEntryRow{
		At: sqlstore.StampAt(e.At), Action: e.Action, Resource: e.Resource, Record: e.Record, Changes: sqlstore.ListOf(e.Changes),
	}).Returning("NULL").Exec(ctx)
	return err
}

func (t operatorTrail) Each(ctx context.Context, limit int64) iter.Seq2[ports.OperatorEntry, error] {
	q := t.s.NewSelect().Model((*operatorEntryRow)(nil)).OrderExpr("t.id DESC")
	return sqlstore.Stream(ctx, t.s, sqlstore.Paged(q, ports.Query{Limit: limit}), func(row *operatorEntryRow) (ports.OperatorEntry, error) {
		return ports.OperatorEntry{
			ID: row.ID, At: row.At.Time, Action: row.Action, Resource: row.Resource, Record: row.Record,
			Changes: append([]audit.Change(nil), row.Changes.V...),
		}, nil
	})
}
