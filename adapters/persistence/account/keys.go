package account

import (
	"context"
	"iter"
	"time"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/sqlstore"
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
	Slugs         sqlstore.JSON[[]string]
	ExpiresAt     *sqlstore.Stamp
	RevokedAt     *sqlstore.Stamp
	CreatedAt     sqlstore.Stamp

	UserName string `bun:"user_name,scanonly"`
}

// keys implements ports.APIKeys and ports.KeyRing.
type keys struct{ s *sqlstore.Session }

// live selects the keys of a scope that were not revoked.
func (k keys) live(scope access.Scope) *bun.SelectQuery {
	q := sqlstore.Where(k.selected(), sqlstore.Own("t", scope)).Where("t.revoked_at IS NULL")
	if scope.Shared() {
		return sqlstore.Where(q, sqlstore.Nothing)
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
	if !sqlstore.Writable(scope) {
		return fault.Missing("company")
	}
	key.CompanyID, key.CreatedAt = scope.Company(), sqlstore.Micro(key.CreatedAt)
	if key.ExpiresAt != nil {
		ends := sqlstore.Micro(*key.ExpiresAt)
		key.ExpiresAt = &ends
	}
	row := apiKeyRow{
		CompanyID: key.CompanyID, UserID: key.User.ID, Name: key.Name, Prefix: key.Prefix, Hash: key.Hash,
		Slugs: sqlstore.JSONOf(key.Slugs), ExpiresAt: sqlstore.NullableStamp(key.ExpiresAt), CreatedAt: sqlstore.StampAt(key.CreatedAt),
	}
	var ids []int64
	if _, err := k.s.NewInsert().Model(&row).Returning("id").Exec(ctx, &ids); err != nil {
		return err
	}
	if len(ids) != 1 {
		return sqlstore.Internal("a key inserted gave %d ids", len(ids))
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
		if err := k.s.Unhurried(ctx); err != nil {
			return sqlstore.Failed[access.APIKey](err)
		}
	}
	return sqlstore.Stream(ctx, k.s, sqlstore.Paged(columnsOfKey(k.live(scope)).OrderExpr("t.id"), q), apiKeyOfRow)
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
		return access.APIKey{}, sqlstore.Missing(err, "API key")
	}
	return apiKeyOfRow(&row)
}

// Revoke implements ports.APIKeys.
func (k keys) Revoke(ctx context.Context, scope access.Scope, id int64, at time.Time) error {
	if !sqlstore.Writable(scope) {
		return fault.Missing("API key")
	}
	in := sqlstore.Own("t", scope)
	res, err := k.s.NewUpdate().Model((*apiKeyRow)(nil)).Set("revoked_at = ?", sqlstore.StampAt(at)).
		Where(in.SQL, in.Args...).Where("t.id = ?", id).Where("t.revoked_at IS NULL").Exec(ctx)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return sqlstore.MissingUnless(err, "API key")
	}
	return nil
}

func apiKeyOfRow(row *apiKeyRow) (access.APIKey, error) {
	return access.APIKey{
		ID: row.ID, CompanyID: row.CompanyID, User: access.Named{ID: row.UserID, Name: row.UserName}, Name: row.Name,
		Prefix: row.Prefix, Hash: row.Hash, Slugs: row.Slugs.V, ExpiresAt: row.ExpiresAt.Nullable(),
		RevokedAt: row.RevokedAt.Nullable(), CreatedAt: row.CreatedAt.Time,
	}, nil
}
