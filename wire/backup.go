package wire

import (
	"context"
	"errors"
	"log/slog"

	"tilth/adapters/cli"
)

// Backup implements cli.Keeper.
func (Program) Backup(ctx context.Context, cfg cli.Config, log *slog.Logger, file string) error {
	db, err := openDatabase(ctx, cfg, log)
	if err != nil {
		return err
	}
	return errors.Join(db.Backup(ctx, file), db.Close())
}

// Restore implements cli.Keeper.
func (Program) Restore(ctx context.Context, cfg cli.Config, log *slog.Logger, file string) error {
	db, err := openDatabase(ctx, cfg, log)
	if err != nil {
		return err
	}
	return errors.Join(db.Restore(ctx, file), db.Close())
}
