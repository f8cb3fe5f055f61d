package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"tilth/adapters/persistence/transfer"
	"tilth/core/fault"
)

// Transfer copies a SQLite database into an empty PostgreSQL database, in one transaction, and
// compares every row with its source before it commits. Ids continue where they were. It makes
// the schema of the target first, and runs while no server uses either database.
// Faults: Precondition (copy_direction, schema_newer, migrations_pending), Conflict (server_running,
// copy_target_not_empty), Unavailable.
func (d *DB) Transfer(ctx context.Context, to *DB) (out []transfer.Transferred, err error) {
	if d.engine.postgres || !to.engine.postgres {
		return nil, fault.New(fault.Precondition, "copy_direction",
			"Only a SQLite database is copied, and only to PostgreSQL. Fix: use `tilth backup` or pg_dump for other copies.")
	}
	if n, err := d.Migrator().Pending(ctx); err != nil || n > 0 {
		return nil, errors.Join(err, fault.Newf(fault.Precondition, "migrations_pending", "%d migrations are pending. Fix: run `tilth migrate up` first.", n))
	}
	if _, err := to.Migrator().Up(ctx); err != nil {
		return nil, err
	}
	for _, one := range []*DB{d, to} {
		leave, busy := one.Alone(ctx)
		if busy != nil {
			return nil, busy
		}
		defer func() { err = errors.Join(err, leave()) }()
	}
	from, err := d.reader.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, translate(err)
	}
	defer func() { _ = from.Rollback() }()
	pool, err := to.engine.openUnhurried()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	conn, err := pool.DB.Conn(ctx)
	if err != nil {
		return nil, translate(err)
	}
	defer func() { _ = conn.Close() }()
	err = conn.Raw(func(driver any) error {
		return pgx.BeginFunc(ctx, driver.(*stdlib.Conn).Conn(), func(tx pgx.Tx) (err error) {
			held, err := d.Migrator().contents(ctx, from.Tx)
			if err == nil {
				out, err = transfer.Run(ctx, sourceOf(from.Tx, held), tx)
			}
			return err
		})
	})
	return out, translate(err)
}

func sourceOf(tx *sql.Tx, held map[string]content) transfer.Source {
	columns := make(map[string][]string, len(held))
	for table, of := range held {
		columns[table] = of.columns
	}
	return transfer.Source{
		Tx: tx, Columns: columns, Own: []string{migrationTable, compatibilityTable},
		Stamp: func(value any) (time.Time, error) { return scanTime(value, stampLayout) },
		Day:   func(value any) (time.Time, error) { return scanTime(value, dayLayout) },
	}
}
