package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/migrate"

	"tilth/adapters/persistence/migrations"
)

// Loss is data that is lost when a migration is reverted: rows of a table, or values of a
// column whose table stays.
type Loss struct {
	Table  string
	Column string // empty: rows of the table
	Count  int64
}

// Down reverts the migration that was applied last and returns its name; empty where none is
// applied. It reverts nothing while a server runs, and first calls agree with everything that
// would be lost: if agree returns an error, Down returns it and changes nothing.
// Faults: Conflict (server_running), Precondition (schema_newer), Unavailable.
func (m *Migrator) Down(ctx context.Context, agree func(name string, lost []Loss) error) (name string, err error) {
	leave, err := m.db.Alone(ctx)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, leave()) }()
	err = m.change(ctx, func(inner *migrate.Migrator) error {
		all, err := inner.MigrationsWithStatus(ctx)
		if err != nil {
			return translate(err)
		}
		applied := all.Applied() // the newest first
		if len(applied) == 0 {
			return nil
		}
		last := &applied[0]
		name = last.String()
		var refusal error
		done, lost, err := m.rehearse(ctx, inner.DB(), last, func() error {
			refusal = agree(name, nil)
			return refusal
		})
		switch {
		case refusal != nil:
			return refusal
		case err != nil || done:
			return translate(err)
		}
		if err := agree(name, lost); err != nil {
			return err
		}
		return translate(last.Down(ctx, inner, last))
	})
	if err != nil {
		name = ""
	}
	return name, err
}

// errRehearsed ends the transaction of a rehearsal.
var errRehearsed = errors.New("rehearsed")

// rehearse reverts a migration in a transaction, and compares the contents. If the tables keep all that they hold, it asks
// agree, and the migration is done with. Otherwise it rolls the transaction back and returns the losses: who is asked about
// those may want to copy the database first.
func (m *Migrator) rehearse(ctx context.Context, pool *bun.DB, one *migrate.Migration, agree func() error) (done bool, lost []Loss, err error) {
	down, err := migrations.Statements(one.String()+".down.sql", m.db.engine.postgres)
	if err != nil {
		return false, nil, err
	}
	err = pool.RunInTx(ctx, &sql.TxOptions{}, func(ctx context.Context, tx bun.Tx) error {
		before, err := m.contents(ctx, tx.Tx)
		if err != nil {
			return err
		}
		if _, err := tx.Tx.ExecContext(ctx, "SAVEPOINT rehearsal;\n"+down); err != nil {
			return err
		}
		after, err := m.contents(ctx, tx.Tx)
		if err != nil {
			return err
		}
		if keepAll(before, after) {
			if err := agree(); err != nil {
				return err
			}
			done = true
			return unnote(ctx, tx, one)
		}
		if _, err := tx.Tx.ExecContext(ctx, "ROLLBACK TO SAVEPOINT rehearsal"); err != nil {
			return err
		}
		if lost, err = lossesBetween(ctx, tx.Tx, before, after); err != nil {
			return err
		}
		return errRehearsed
	})
	if errors.Is(err, errRehearsed) {
		err = nil
	}
	return done, lost, err
}

// keepAll reports whether no table has fewer rows than before, and none that has rows has lost a column.
func keepAll(before, after map[string]content) bool {
	for table, was := range before {
		is := after[table]
		gone := func(column string) bool { return !slices.Contains(is.columns, column) }
		if is.rows < was.rows || was.rows > 0 && slices.ContainsFunc(was.columns, gone) {
			return false
		}
	}
	return true
}

// content is what a table holds.
type content struct {
	rows    int64
	columns []string
}

// lossesBetween lists the numbers of rows that are gone, and of values in columns that are gone.
func lossesBetween(ctx context.Context, tx *sql.Tx, before, after map[string]content) (out []Loss, err error) {
	for _, table := range slices.Sorted(maps.Keys(before)) {
		was := before[table]
		is, stays := after[table]
		if lost := was.rows - is.rows; lost > 0 {
			out = append(out, Loss{Table: table, Count: lost})
		}
		for _, column := range was.columns {
			if !stays || slices.Contains(is.columns, column) {
				continue
			}
			// Default values are no loss.
			query := fmt.Sprintf("SELECT count(*) FROM %q WHERE CAST(%q AS TEXT) NOT IN ('', '0', 'false', '{}', '[]')", table, column)
			var n int64
			if err := tx.QueryRowContext(ctx, query).Scan(&n); err != nil {
				return nil, err
			}
			if n > 0 {
				out = append(out, Loss{table, column, n})
			}
		}
	}
	return out, nil
}

// contents returns the content of every table except the migrator's own and the index of names, which is made from other tables.
func (m *Migrator) contents(ctx context.Context, tx *sql.Tx) (map[string]content, error) {
	query := `SELECT m.name, c.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c
WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite\_%' ESCAPE '\' AND m.name NOT LIKE 'search\_%' ESCAPE '\'`
	if m.db.engine.postgres {
		// The views of information_schema check privileges column by column: a hundred tables take 70 ms.
		query = `SELECT c.relname, a.attname FROM pg_catalog.pg_class c JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND a.attnum > 0 AND NOT a.attisdropped`
	}
	out := map[string]content{}
	if err := eachPair(ctx, tx, query, func(table, column string) {
		one := out[table]
		one.columns = append(one.columns, column)
		out[table] = one
	}); err != nil {
		return nil, err
	}
	delete(out, migrationTable)
	delete(out, compatibilityTable)
	// One statement: a hundred would cost more than the counting in most databases. SQLite allows 500 parts.
	var counts []string
	for table := range out {
		counts = append(counts, fmt.Sprintf("SELECT '%s', count(*) FROM %q", table, table))
	}
	if len(counts) == 0 {
		return out, nil
	}
	err := eachPair(ctx, tx, strings.Join(counts, "\nUNION ALL "), func(table string, rows int64) {
		one := out[table]
		one.rows = rows
		out[table] = one
	})
	return out, err
}

func eachPair[B any](ctx context.Context, tx *sql.Tx, query string, visit func(a string, b B)) error {
	rows, err := tx.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var a string
		var b B
		if err := rows.Scan(&a, &b); err != nil {
			return err
		}
		visit(a, b)
	}
	return rows.Err()
}
