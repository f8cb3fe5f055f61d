package wire

import (
	"context"
	"log/slog"

	"tilth/adapters/cli"
	"tilth/adapters/identity"
	"tilth/adapters/persistence"
	"tilth/adapters/persistence/sqlstore"
)

// Migrator opens the database as it is.
func (Program) Migrator(ctx context.Context, cfg cli.Config, log *slog.Logger) (cli.Migrator, func() error, error) {
	db, err := openDatabase(ctx, cfg, log)
	if err != nil {
		return nil, nil, err
	}
	return migrator{db, cfg}, db.Close, nil
}

type migrator struct {
	db  *persistence.Database
	cfg cli.Config
}

func (m migrator) Up(ctx context.Context) ([]string, error) { return m.db.Migrator().Up(ctx) }

func (m migrator) Down(ctx context.Context, agree func(string, []cli.MigrationLoss) error) (string, error) {
	return m.db.Migrator().Down(ctx, func(name string, lost []sqlstore.Loss) error {
		out := make([]cli.MigrationLoss, len(lost))
		for i, one := range lost {
			out[i] = cli.MigrationLoss(one)
		}
		return agree(name, out)
	})
}

func (m migrator) Copy(ctx context.Context, migration string) (string, error) {
	file, err := m.db.File()
	if err != nil {
		return "", nil //nolint:nilerr // PostgreSQL has tools of its own
	}
	file += ".before-" + migration + "-" + identity.Clock{}.Now().UTC().Format("20060102T150405Z") + ".tar"
	files, err := newArchive(m.cfg, m.db)
	if err != nil {
		return "", err
	}
	return file, files.Write(ctx, file)
}

func (m migrator) Status(ctx context.Context) ([]cli.MigrationStatus, error) {
	all, err := m.db.Migrator().Status(ctx)
	out := make([]cli.MigrationStatus, len(all))
	for i, one := range all {
		out[i] = cli.MigrationStatus{Name: one.Name, Applied: one.AppliedAt != nil}
	}
	return out, err
}
