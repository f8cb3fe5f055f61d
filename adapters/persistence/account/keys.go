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
	return sqlstore.Where(k.selected(), sqlstore.OwnOnly(scope)).Where("t.revoked_at IS NULL")
}

func (k keys) selected() *bun.SelectQuery {
	return k.s.NewSelect().Model((*apiKeyRow)(nil)).Join("LEFT JOIN users AS holder ON holder.id = t.user_id")
}

func columnsOfKey(q *bun.SelectQuery) *bun.SelectQuery {
	return q.ColumnExpr("?TableColumns").ColumnExpr("holder.name AS user_name")
}

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
	_, err := k.s.NewInsert().Model(&row).Returning("id").Exec(ctx, &key.ID)
	return err
}

func (k keys) Count(ctx context.Context, scope access.Scope) (int64, error) {
	return k.live(scope).Count(ctx)
}

func (k keys) Each(ctx context.Context, scope access.Scope, q ports.Query) iter.Seq2[access.APIKey, error] {
	return keyView.Each(ctx, k.s, columnsOfKey(k.live(scope)), q)
}

func (k keys) Get(ctx context.Context, scope access.Scope, id int64) (access.APIKey, error) {
	return keyView.One(ctx, columnsOfKey(k.live(scope).Where("t.id = ?", id)))
}

func (k keys) ByHash(ctx context.Context, hash string) (access.APIKey, error) {
	return keyView.One(ctx, columnsOfKey(k.selected().Where("t.hash = ?", hash)))
}

func (k keys) Revoke(ctx context.Context, scope access.Scope, id int64, at time.Time) error {
	return sqlstore.Change(ctx, k.s.NewUpdate().Model((*apiKeyRow)(nil)).Set("revoked_at = ?", sqlstore.StampAt(at)).
		Where("?", sqlstore.OwnOnly(scope)).Where("t.id = ?", id).Where("t.revoked_at IS NULL"), fault.Missing("API key"))
}

var keyView = &sqlstore.View[access.APIKey, apiKeyRow]{Word: "API key", Order: "t.id", Record: apiKeyOfRow}

func apiKeyOfRow(row *apiKeyRow) (access.APIKey, error) {
	return access.APIKey{
		ID: row.ID, CompanyID: row.CompanyID, User: access.Named{ID: row.UserID, Name: row.UserName}, Name: row.Name,
		Prefix: row.Prefix, Hash: row.Hash, Slugs: row.Slugs.V, ExpiresAt: row.ExpiresAt.Nullable(),
		RevokedAt: row.RevokedAt.Nullable(), CreatedAt: row.CreatedAt.Time,
	}, nil
}
