package account

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/fault"
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
	sqlstore.KeyColumns

	UserName string `bun:"user_name,scanonly"`
}

// keys implements ports.APIKeys and ports.KeyRing.
type keys struct {
	sqlstore.Reader[access.APIKey, apiKeyRow]
	sqlstore.Keys[apiKeyRow]
}

func keyRecords(s *sqlstore.Session) keys {
	return keys{sqlstore.Reader[access.APIKey, apiKeyRow]{Session: s, View: keyView}, sqlstore.KeysOf[apiKeyRow](s, keyLive)}
}

const keyLive = "t.revoked_at IS NULL"

var keyView = &sqlstore.View[access.APIKey, apiKeyRow]{
	Word: "API key", Order: sqlstore.OldestFirst, Record: apiKeyOfRow, Filters: map[string]sqlstore.Filter{"id": {Exact: "t.id"}, "external_id": sqlstore.ByKey},
	From: func(s *sqlstore.Session, scope access.Scope) *bun.SelectQuery {
		return sqlstore.OwnRows[apiKeyRow](s, scope).Where(keyLive)
	},
	Whole: func(_ *sqlstore.Session, q *bun.SelectQuery) *bun.SelectQuery {
		return q.ColumnExpr("?TableColumns").ColumnExpr("holder.name AS user_name").Join("LEFT JOIN users AS holder ON holder.id = t.user_id")
	},
}

func (k keys) Insert(ctx context.Context, scope access.Scope, key *access.APIKey) error {
	if !sqlstore.Writable(scope) {
		return fault.Missing("company")
	}
	key.CompanyID, key.CreatedAt = scope.Company(), sqlstore.Micro(key.CreatedAt)
	if key.ExpiresAt != nil {
		key.ExpiresAt = new(sqlstore.Micro(*key.ExpiresAt))
	}
	row := apiKeyRow{
		CompanyID: key.CompanyID, UserID: key.User.ID, Name: key.Name, Prefix: key.Prefix, Hash: key.Hash,
		Slugs: sqlstore.JSONOf(key.Slugs), ExpiresAt: sqlstore.NullableStamp(key.ExpiresAt), CreatedAt: sqlstore.StampAt(key.CreatedAt),
		KeyColumns: sqlstore.KeyColumns(key.External),
	}
	return sqlstore.Insert(ctx, k.Session, &row, &key.ID)
}

func (k keys) ByHash(ctx context.Context, hash string) (access.APIKey, error) {
	return keyView.One(ctx, keyView.Whole(k.Session, k.Session.NewSelect().Model((*apiKeyRow)(nil))).Where("t.hash = ?", hash))
}

func (k keys) Revoke(ctx context.Context, scope access.Scope, id int64, at time.Time) error {
	return sqlstore.Change(ctx, k.Session.NewUpdate().Model((*apiKeyRow)(nil)).Set("revoked_at = ?", sqlstore.StampAt(at)).
		Where("?", sqlstore.OwnOnly(scope)).Where("t.id = ?", id).Where("t.revoked_at IS NULL"), fault.Missing("API key"))
}

func apiKeyOfRow(row *apiKeyRow) (access.APIKey, error) {
	return access.APIKey{
		ID: row.ID, CompanyID: row.CompanyID, User: access.Named{ID: row.UserID, Name: row.UserName}, Name: row.Name,
		Prefix: row.Prefix, Hash: row.Hash, Slugs: row.Slugs.V, ExpiresAt: row.ExpiresAt.Nullable(),
		RevokedAt: row.RevokedAt.Nullable(), CreatedAt: row.CreatedAt.Time, External: row.External(),
	}, nil
}
