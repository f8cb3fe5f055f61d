package wire

import (
	"context"
	"errors"
	"log/slog"

	"tilth/adapters/cli"
	"tilth/adapters/identity"
	"tilth/core/fault"
	"tilth/ports"
)

// ResetSecrets implements cli.Program. No server may run meanwhile: one that does holds the key.
func (Program) ResetSecrets(
	ctx context.Context, cfg cli.Config, log *slog.Logger, agree func(ports.LostSecrets) error,
) (lost ports.LostSecrets, err error) {
	db, err := openDatabase(ctx, cfg, log)
	if err != nil {
		return lost, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if n, err := db.Migrator().Pending(ctx); err != nil || n > 0 {
		if err == nil {
			err = fault.Newf(fault.Precondition, "migrations_pending", "%d migrations are pending; run `tilth migrate up`.", n)
		}
		return lost, err
	}
	leave, err := db.Alone(ctx)
	if err != nil {
		return lost, err
	}
	defer func() { err = errors.Join(err, leave()) }()
	op := newOperating(db, identity.PasswordMemory(cfg.PasswordMemory), nil)
	if lost, err = op.LostSecrets(ctx); err != nil {
		return lost, err
	}
	if err := agree(lost); err != nil {
		return lost, err
	}
	if lost, err = op.ResetSecrets(ctx); err != nil {
		return lost, err
	}
	return lost, db.CheckSecrets(ctx)
}
