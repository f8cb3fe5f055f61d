package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"strings"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/migrate"

	"tilth/adapters/persistence/migrations"
)

// migrationTable is where applied migrations are noted.
const migrationTable = "schema_migrations"

// Migrator changes the schema. Any number of them may run at once, on any number of
// replicas: they wait for each other on a lock that ends with the process that holds
// it. A migration and its note are one transaction. A migrator refuses a schema of a newer
// release, unless each newer migration is marked as one that only adds.
type Migrator struct{ db *DB }

// MigrationStatus is a migration and when it was applied.
type MigrationStatus struct {
	Name      string     // "20260101000000_base"
	Group     int64      // migrations applied together; 0: not applied
	AppliedAt *time.Time // nil: not applied
}

// Migrator returns the database's migrator.
func (d *DB) Migrator() *Migrator { return &Migrator{d} }

// Up applies all pending migrations and returns their names.
// Faults: Unavailable, Precondition (schema_newer).
func (m *Migrator) Up(ctx context.Context) (names []string, err error) {
	// Where nothing is pending, as at nearly every start, there is nothing to lock.
	if pending, err := m.Pending(ctx); err != nil || pending == 0 {
		return nil, err
	}
	err = m.change(ctx, func(inner *migrate.Migrator) error {
		group, err := inner.Migrate(ctx)
		if err != nil {
			return translate(err)
		}
		for _, one := range group.Migrations {
			names = append(names, one.String())
		}
		return nil
	})
	return names, err
}

// Status returns all migrations in their order. It writes nothing. Faults: Unavailable.
func (m *Migrator) Status(ctx context.Context) ([]MigrationStatus, error) {
	all, err := m.status(ctx)
	if err != nil {
		return nil, translate(err)
	}
	out := make([]MigrationStatus, len(all))
	for i, one := range all {
		out[i] = MigrationStatus{Name: one.String(), Group: one.GroupID}
		if one.IsApplied() {
			at := one.MigratedAt.UTC()
			out[i].AppliedAt = &at
		}
	}
	return out, nil
}

// Pending counts the migrations not applied. It writes nothing.
// Faults: Unavailable, Precondition (schema_newer).
func (m *Migrator) Pending(ctx context.Context) (int, error) {
	all, err := m.status(ctx)
	if err == nil && len(all.Applied()) > 0 {
		var known *migrate.Migrations
		if known, err = m.migrations(); err == nil {
			err = compatible(ctx, m.db.reader, known)
		}
	}
	return len(all.Unapplied()), translate(err)
}

func (m *Migrator) status(ctx context.Context) (migrate.MigrationSlice, error) {
	known, err := m.migrations()
	if err != nil {
		return nil, err
	}
	catalog, name := "sqlite_schema", "name" // the system table that lists tables, and its column
	if m.db.engine.postgres {
		catalog, name = "pg_catalog.pg_tables", "tablename"
	}
	exists, err := m.db.reader.NewSelect().Table(catalog).Where("? = ?", bun.Ident(name), migrationTable).Exists(ctx)
	if err != nil {
		return nil, away(err)
	}
	if !exists {
		return known.Sorted(), nil
	}
	return migrate.NewMigrator(m.db.reader, known, migrate.WithTableName(migrationTable)).MigrationsWithStatus(ctx)
}

// change changes the schema under the lock.
func (m *Migrator) change(ctx context.Context, do func(*migrate.Migrator) error) (err error) {
	unlock, err := m.db.engine.lock(ctx)
	if err != nil {
		return translate(err)
	}
	defer func() { err = errors.Join(err, unlock()) }()
	pool, err := m.db.engine.openUnhurried()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	if err := prepareNotes(ctx, pool); err != nil {
		return translate(err)
	}
	known, err := m.migrations()
	if err != nil {
		return err
	}
	if err := compatible(ctx, pool, known); err != nil {
		return err
	}
	return do(migrate.NewMigrator(pool, known, migrate.WithTableName(migrationTable),
		migrate.WithMarkAppliedOnSuccess(true), migrate.WithUpsert(true)))
}

// prepareNotes makes the tables of applied migrations and of those that only add. bun's
// own Init would also make a table for its lock, which is a row that a killed migrator
// leaves behind.
func prepareNotes(ctx context.Context, pool *bun.DB) error {
	if _, err := pool.NewCreateTable().Model((*migrate.Migration)(nil)).ModelTableExpr(migrationTable).IfNotExists().Exec(ctx); err != nil {
		return err
	}
	if err := Run(ctx, pool.NewCreateIndex().Unique().Index("uq_schema_migrations_name").Table(migrationTable).Column("name").IfNotExists()); err != nil {
		return err
	}
	return Run(ctx, pool.NewCreateTable().Model((*additive)(nil)).IfNotExists())
}

// migrations lists the embedded migrations. Each is read when it runs: most starts run none.
func (m *Migrator) migrations() (*migrate.Migrations, error) {
	ups, err := fs.Glob(migrations.Files, "*.up.sql")
	if err != nil {
		return nil, err
	}
	out := migrate.NewMigrations()
	for _, file := range ups {
		whole := strings.TrimSuffix(file, ".up.sql")
		name, comment, _ := strings.Cut(whole, "_")
		out.Add(migrate.Migration{
			Name: name, Comment: comment,
			Up: func(ctx context.Context, inner *migrate.Migrator, one *migrate.Migration) error {
				up, err := migrations.Statements(file, m.db.engine.postgres)
				if err != nil {
					return err
				}
				return inOne(ctx, inner.DB(), up, func(tx bun.Tx) error { return note(ctx, tx, one, strings.HasPrefix(up, expandOnly)) })
			},
			Down: func(ctx context.Context, inner *migrate.Migrator, one *migrate.Migration) error {
				down, err := migrations.Statements(whole+".down.sql", m.db.engine.postgres)
				if err != nil {
					return err
				}
				return inOne(ctx, inner.DB(), down, func(tx bun.Tx) error { return unnote(ctx, tx, one) })
			},
		})
	}
	return out, nil
}

// inOne runs a migration's statements and the change of its note in one transaction.
func inOne(ctx context.Context, pool *bun.DB, statements string, mark func(tx bun.Tx) error) error {
	return pool.RunInTx(ctx, &sql.TxOptions{}, func(ctx context.Context, tx bun.Tx) error {
		if _, err := tx.Tx.ExecContext(ctx, statements); err != nil {
			return err
		}
		return mark(tx)
	})
}

// note marks a migration applied. bun marks it once more after the transaction, which
// changes nothing; were that the only mark, a kill between the two would leave a
// schema that no migrator can continue from.
func note(ctx context.Context, tx bun.Tx, one *migrate.Migration, adds bool) error {
	if err := Run(ctx, tx.NewInsert().Model(&migrate.Migration{Name: one.Name, GroupID: one.GroupID}).ModelTableExpr(migrationTable)); err != nil || !adds {
		return err
	}
	return Run(ctx, tx.NewInsert().Model(&additive{Name: one.Name}))
}

func unnote(ctx context.Context, tx bun.Tx, one *migrate.Migration) error {
	if err := Run(ctx, tx.NewDelete().Model((*migrate.Migration)(nil)).ModelTableExpr(migrationTable).Where("name = ?", one.Name)); err != nil {
		return err
	}
	return Run(ctx, tx.NewDelete().Model((*additive)(nil)).Where("name = ?", one.Name))
}
