package common

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/prepared"
	"tilth/adapters/persistence/sqlstore"
)

// remains implements ports.Remains.
type remains struct{ s *sqlstore.Session }

// old selects the key of the oldest rows of a table. Rows that another transaction holds are
// left to the next call.
func (r remains) old(table, key, column string, before time.Time, limit int) *bun.SelectQuery {
	return r.s.SkipLocked(r.s.NewSelect().TableExpr("? AS t", bun.Ident(table)).ColumnExpr("t.?", bun.Ident(key)).
		Where("t.? < ?", bun.Ident(column), sqlstore.StampAt(before)).OrderExpr("t.?", bun.Ident(column)).Limit(int64(limit)))
}

// drop deletes the rows of a table whose key a query selects.
func (r remains) drop(ctx context.Context, table, key string, old *bun.SelectQuery) (int64, error) {
	return sqlstore.Affected(ctx, r.s.NewDelete().With("old", old).TableExpr("? AS t", bun.Ident(table)).
		Where("t.? IN (SELECT ? FROM old)", bun.Ident(key), bun.Ident(key)))
}

func (r remains) Sessions(ctx context.Context, before time.Time, limit int) (int64, error) {
	return r.drop(ctx, "refresh_tokens", "hash", r.old("refresh_tokens", "hash", "expires_at", before, limit))
}

const isOver = "t.status IN ('completed', 'failed')"

func (r remains) Imports(ctx context.Context, before time.Time, limit int) (int64, error) {
	return r.drop(ctx, "field_imports", "id", r.old("field_imports", "id", "updated_at", before, limit).Where(isOver))
}

func (r remains) Batches(ctx context.Context, before time.Time, limit int) (int64, error) {
	return r.drop(ctx, "assessment_batches", "id", r.old("assessment_batches", "id", "updated_at", before, limit).Where(isOver))
}

func (r remains) Messages(ctx context.Context, before time.Time, limit int) (int64, error) {
	return r.drop(ctx, "pact_messages", "id", r.old("pact_messages", "id", "created_at", before, limit).Where("t.state <> 'pending'"))
}

// Invitations removes their links and letters first.
func (r remains) Invitations(ctx context.Context, before time.Time, limit int) (int64, error) {
	var ids []int64
	if err := r.old("invitations", "id", "expires_at", before, limit).Scan(ctx, &ids); err != nil || len(ids) == 0 {
		return 0, err
	}
	in := prepared.List(ids)
	if err := sqlstore.Run(ctx, r.s.NewDelete().TableExpr("tickets AS t").Where("t.invitation_id IN (?)", in)); err != nil {
		return 0, err
	}
	if err := sqlstore.Run(ctx, r.s.NewDelete().TableExpr("letters AS t").
		Where("(t.company_id, t.invitation_id) IN (SELECT i.company_id, i.id FROM invitations AS i WHERE i.id IN (?))", in)); err != nil {
		return 0, err
	}
	return sqlstore.Affected(ctx, r.s.NewDelete().TableExpr("invitations AS t").Where("t.id IN (?)", in))
}
