package account

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/sqlstore"
	"tilth/ports"
)

type refreshRow struct {
	bun.BaseModel `bun:"table:refresh_tokens,alias:t"`
	Hash          string `bun:"hash,pk"`
	Family        string
	UserID        int64
	ExpiresAt     sqlstore.Stamp
	UsedAt        *sqlstore.Stamp
	RevokedAt     *sqlstore.Stamp
}

type keyRow struct {
	bun.BaseModel `bun:"table:signing_keys,alias:t"`
	ID            string `bun:"id,pk"`
	Seed          []byte
	CreatedAt     sqlstore.Stamp
	RetiredAt     *sqlstore.Stamp
}

func (a accounts) AddRefresh(ctx context.Context, token ports.RefreshToken) error {
	_, err := a.s.NewInsert().Model(&refreshRow{
		Hash: token.Hash, Family: token.Family, UserID: token.UserID,
		ExpiresAt: sqlstore.StampAt(token.ExpiresAt), UsedAt: sqlstore.NullableStamp(token.UsedAt), RevokedAt: sqlstore.NullableStamp(token.RevokedAt),
	}).Exec(ctx)
	return err
}

func (a accounts) Refresh(ctx context.Context, hash string) (ports.RefreshToken, error) {
	q := a.s.ForUpdate(a.s.NewSelect().Model((*refreshRow)(nil)).Where("t.hash = ?", hash))
	return sqlstore.One(ctx, q, "refresh token", func(row *refreshRow) ports.RefreshToken {
		return ports.RefreshToken{
			Hash: row.Hash, Family: row.Family, UserID: row.UserID,
			ExpiresAt: row.ExpiresAt.Time, UsedAt: row.UsedAt.Nullable(), RevokedAt: row.RevokedAt.Nullable(),
		}
	})
}

func (a accounts) UseRefresh(ctx context.Context, hash string, at time.Time) error {
	return sqlstore.Run(ctx, a.s.NewUpdate().Model((*refreshRow)(nil)).Set("used_at = ?", sqlstore.StampAt(at)).Where("hash = ?", hash))
}

// A token that was revoked keeps its time.
func (a accounts) RevokeFamily(ctx context.Context, family string, at time.Time) error {
	return sqlstore.Run(ctx, a.s.NewUpdate().Model((*refreshRow)(nil)).Set("revoked_at = ?", sqlstore.StampAt(at)).
		Where("family = ?", family).Where("revoked_at IS NULL"))
}

func (a accounts) SigningKeys(ctx context.Context) ([]ports.SigningKey, error) {
	q := a.s.NewSelect().Model((*keyRow)(nil)).OrderExpr("t.created_at DESC, t.id")
	return sqlstore.Collect(sqlstore.Stream(ctx, a.s, q, func(row *keyRow) (ports.SigningKey, error) {
		seed, err := a.s.Secrets.Open(placeOfSeed(row.ID), row.Seed)
		return ports.SigningKey{ID: row.ID, Seed: seed, CreatedAt: row.CreatedAt.Time, RetiredAt: row.RetiredAt.Nullable()}, err
	}))
}

func (a accounts) AddSigningKey(ctx context.Context, key ports.SigningKey) error {
	_, err := a.s.NewUpdate().Model((*keyRow)(nil)).Set("retired_at = ?", sqlstore.StampAt(key.CreatedAt)).Where("retired_at IS NULL").Exec(ctx)
	if err != nil {
		return err
	}
	_, err = a.s.NewInsert().Model(&keyRow{
		ID: key.ID, Seed: a.s.Secrets.Seal(placeOfSeed(key.ID), key.Seed), CreatedAt: sqlstore.StampAt(key.CreatedAt), RetiredAt: sqlstore.NullableStamp(key.RetiredAt),
	}).Exec(ctx)
	return err
}

func placeOfSeed(id string) string { return sqlstore.PlaceOf("signing_keys", id, "seed") }
