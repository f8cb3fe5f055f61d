package persistence

import (
	"context"
	"iter"
	"time"

	"github.com/uptrace/bun"

	"tilth/core/access"
	"tilth/core/fault"
	"tilth/ports"
)

type apiKeyRow struct {
	bun.BaseModel `bun:"table:api_keys,alias:t"`
	ID            int64 `bun:"id,pk,autoincrement"`
	CompanyID     int64
	UserID        int64
	Name          string
	Prefix        string
	Hash          string
	Slugs         document[[]string]
	ExpiresAt     *stamp
	RevokedAt     *stamp
	CreatedAt     stamp

	UserName string `bun:"user_name,scanonly"`
}

// keys implements ports.APIKeys and ports.KeyRing.
type keys struct{ s *session }

// live selects the keys of a scope that were not revoked.
func (k keys) live(scope access.Scope) *bun.SelectQuery {
	q := where(k.selected(), own("t", scope)).Where("t.revoked_at IS NULL")
	if scope.Shared() {
		return where(q, nothing)
	}
	return q
}

func (k keys) selected() *bun.SelectQuery {
	return k.s.NewSelect().Model((*apiKeyRow)(nil)).Join("LEFT JOIN users AS holder ON holder.id = t.user_id")
}

func columnsOfKey(q *bun.SelectQuery) *bun.SelectQuery {
	return q.ColumnExpr("?TableColumns").ColumnExpr("holder.name AS user_name")
}

// Insert implements ports.KeyWriter.
func (k keys) Insert(ctx context.Context, scope access.Scope, key *access.APIKey) error {
	if !writable(scope) {
		return fault.Missing("company")
	}
	key.CompanyID, key.CreatedAt = scope.Company(), micro(key.CreatedAt)
	if key.ExpiresAt != nil {
		ends := micro(*key.ExpiresAt)
		key.ExpiresAt = &ends
	}
	row := apiKeyRow{
		CompanyID: key.CompanyID, UserID: key.User.ID, Name: key.Name, Prefix: key.Prefix, Hash: key.Hash,
		Slugs: documentWith(key.Slugs), ExpiresAt: stampOf(key.ExpiresAt), CreatedAt: stampAt(key.CreatedAt),
	}
	var ids []int64
	if _, err := k.s.NewInsert().Model(&row).Returning("id").Exec(ctx, &ids); err != nil {
		return err
	}
	if len(ids) != 1 {
		return internal("a key inserted gave %d ids", len(ids))
	}
	key.ID = ids[0]
	return nil
}

// Count implements ports.APIKeys.
func (k keys) Count(ctx context.Context, scope access.Scope) (int64, error) {
	return k.live(scope).Count(ctx)
}

// Each implements ports.APIKeys.
func (k keys) Each(ctx context.Context, scope access.Scope, q ports.Query) iter.Seq2[access.APIKey, error] {
	if q.Limit == 0 {
		if err := k.s.unhurried(ctx); err != nil {
			return failed[access.APIKey](err)
		}
	}
	return stream(ctx, k.s, paged(columnsOfKey(k.live(scope)).OrderExpr("t.id"), q), apiKeyOfRow)
}

// Get implements ports.APIKeys.
func (k keys) Get(ctx context.Context, scope access.Scope, id int64) (access.APIKey, error) {
	return k.one(ctx, k.live(scope).Where("t.id = ?", id))
}

// ByHash implements ports.KeyRing.
func (k keys) ByHash(ctx context.Context, hash string) (access.APIKey, error) {
	return k.one(ctx, k.selected().Where("t.hash = ?", hash))
}

func (k keys) one(ctx context.Context, q *bun.SelectQuery) (access.APIKey, error) {
	var row apiKeyRow
	if err := columnsOfKey(q).Scan(ctx, &row); err != nil {
		return access.APIKey{}, missing(err, "API key")
	}
	return apiKeyOfRow(&row)
}

// Revoke implements ports.APIKeys.
func (k keys) Revoke(ctx context.Context, scope access.Scope, id int64, at time.Time) error {
	if !writable(scope) {
		return fault.Missing("API key")
	}
	in := own("t", scope)
	res, err := k.s.NewUpdate().Model((*apiKeyRow)(nil)).Set("revoked_at = ?", stampAt(at)).
		Where(in.sql, in.args...).Where("t.id = ?", id).Where("t.revoked_at IS NULL").Exec(ctx)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return missingUnless(err, "API key")
	}
	return nil
}

func apiKeyOfRow(row *apiKeyRow) (access.APIKey, error) {
	return access.APIKey{
		ID: row.ID, CompanyID: row.CompanyID, User: access.Named{ID: row.UserID, Name: row.UserName}, Name: row.Name,
		Prefix: row.Prefix, Hash: row.Hash, Slugs: row.Slugs.V, ExpiresAt: row.ExpiresAt.timeOf(),
		RevokedAt: row.RevokedAt.timeOf(), CreatedAt: row.CreatedAt.Time,
	}, nil
}
