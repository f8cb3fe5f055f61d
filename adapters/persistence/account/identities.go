package account

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/sqlstore"
	"tilth/core/fault"
	"tilth/ports"
)

type externalRow struct {
	bun.BaseModel `bun:"table:user_identities,alias:t"`
	Issuer        string
	Subject       string
	UserID        int64
	BoundAt       sqlstore.Stamp
}

func (a accounts) UserByExternalID(ctx context.Context, id ports.ExternalID) (ports.User, error) {
	if !sqlstore.Storable(id.Subject) {
		return ports.User{}, fault.Missing("user")
	}
	return sqlstore.One(ctx, a.s.NewSelect().Model((*userRow)(nil)).Join("JOIN user_identities AS i ON i.user_id = t.id").
		Where("i.issuer = ?", id.Issuer).Where("i.subject = ?", id.Subject), "user", userOfRow)
}

func (a accounts) BindExternalID(ctx context.Context, id ports.ExternalID, userID int64, at time.Time) error {
	if !sqlstore.Storable(id.Subject) {
		return fault.New(fault.Invalid, "subject", "The subject holds characters that cannot be stored.")
	}
	row := externalRow{Issuer: id.Issuer, Subject: id.Subject, UserID: userID, BoundAt: sqlstore.StampAt(at)}
	return sqlstore.Change(ctx, a.s.NewInsert().Model(&row).On("CONFLICT DO NOTHING"), fault.New(fault.Conflict, "bound_otherwise", "The user or the subject is already bound."))
}

func (a accounts) UnbindExternalIDs(ctx context.Context, userID int64) (int64, error) {
	res, err := a.s.NewDelete().Model((*externalRow)(nil)).Where("user_id = ?", userID).Exec(ctx)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}
