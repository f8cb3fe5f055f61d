// Package transfer copies the tables of a SQLite database into an empty one of PostgreSQL, and compares every row with its
// source. It knows no table: it reads from the target which there are.
package transfer

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/jackc/pgx/v5"

	"tilth/core/chain"
	"tilth/core/fault"
)

// Transferred is a table that was copied to another database.
type Transferred struct {
	Table string
	Rows  int64
}

// Source is a snapshot of a SQLite database.
type Source struct {
	*sql.Tx
	Columns map[string][]string                // by table; all that is copied
	Own     []string                           // tables that each database keeps about itself, which are not copied
	Stamp   func(value any) (time.Time, error) // reads a column of times
	Day     func(value any) (time.Time, error) // reads a column of days
}

// Run copies a snapshot into a transaction. Faults: Conflict (copy_target_not_empty).
func Run(ctx context.Context, from Source, to pgx.Tx) ([]Transferred, error) {
	return transfer{from, to}.run(ctx, from.Columns)
}

// transfer copies tables from a snapshot into a transaction.
type transfer struct {
	from Source
	to   pgx.Tx
}

// run copies what the source holds.
func (t transfer) run(ctx context.Context, held map[string][]string) (out []Transferred, err error) {
	tables, err := t.tables(ctx)
	if err != nil {
		return nil, err
	}
	if len(tables) != len(held) {
		return nil, errors.New("the two databases do not have the same tables")
	}
	for _, table := range tables {
		if !sameWords(table.columns, held[table.name]) {
			return nil, fmt.Errorf("the two databases do not have the same columns in %s", table.name)
		}
		var rows int64
		if err := t.to.QueryRow(ctx, fmt.Sprintf("SELECT count(*) FROM %q", table.name)).Scan(&rows); err != nil {
			return nil, err
		}
		if rows > 0 {
			return nil, fault.Newf(fault.Conflict, "copy_target_not_empty", "The table %s of the target holds %d rows. Fix: give an empty database.", table.name, rows)
		}
	}
	for _, table := range tables {
		n, err := t.fill(ctx, table)
		if err == nil {
			err = t.compare(ctx, table)
		}
		if err == nil {
			err = t.number(ctx, table)
		}
		if err != nil {
			return nil, fmt.Errorf("copy %s: %w", table.name, err)
		}
		out = append(out, Transferred{table.name, n})
	}
	return out, nil
}

// source reads a table of the snapshot in the order of its key, as values for the target.
func (t transfer) source(ctx context.Context, table copied) (*copiedRows, error) {
	rows, err := t.from.QueryContext(ctx, table.query(nil, nil)) //nolint:rowserrcheck // [copiedRows.Err]
	if err != nil {
		return nil, err
	}
	return &copiedRows{rows, table.kinds, t.from}, nil
}

// fill copies a table without its triggers: what they write is copied as well.
func (t transfer) fill(ctx context.Context, table copied) (n int64, err error) {
	triggers := func(do string) error {
		_, err := t.to.Exec(ctx, fmt.Sprintf("ALTER TABLE %q %s TRIGGER USER", table.name, do))
		return err
	}
	if err = triggers("DISABLE"); err != nil {
		return 0, err
	}
	if n, err = t.rows(ctx, table); err != nil {
		return 0, err
	}
	return n, triggers("ENABLE")
}

func (t transfer) rows(ctx context.Context, table copied) (int64, error) {
	rows, err := t.source(ctx, table)
	if err != nil {
		return 0, err
	}
	defer func() { _ = rows.rows.Close() }()
	return t.to.CopyFrom(ctx, pgx.Identifier{table.name}, table.columns, rows)
}

// compare reads both tables in the order of their keys. Text is sorted by its bytes in both.
func (t transfer) compare(ctx context.Context, table copied) error {
	rows, err := t.source(ctx, table)
	if err != nil {
		return err
	}
	defer func() { _ = rows.rows.Close() }()
	// As JSON null would look like no value, JSON is compared as text.
	there, err := t.to.Query(ctx, table.query(map[string]string{"jsonb": "::text"}, map[string]string{"text": ` COLLATE "C"`}))
	if err != nil {
		return err
	}
	defer there.Close()
	for n := 1; ; n++ {
		here, more := rows.Next(), there.Next()
		if !here || !more {
			if err := errors.Join(rows.Err(), there.Err()); err != nil {
				return err
			}
			if here != more {
				return fmt.Errorf("the copy does not have as many rows as its source")
			}
			return nil
		}
		want, err := rows.Values()
		if err != nil {
			return err
		}
		have, err := there.Values()
		if err != nil {
			return err
		}
		for i := range want {
			if !sameValue(table.kinds[i], want[i], have[i]) {
				return fmt.Errorf("row %d differs in %s", n, table.columns[i])
			}
		}
	}
}

// number continues the ids of a table after the largest that was ever used.
func (t transfer) number(ctx context.Context, table copied) error {
	if table.serial == "" {
		return nil
	}
	var last int64
	err := t.from.QueryRowContext(ctx, "SELECT seq FROM sqlite_sequence WHERE name = ?", table.name).Scan(&last)
	if errors.Is(err, sql.ErrNoRows) || err == nil && last == 0 {
		return nil // there never was a row
	}
	if err == nil {
		_, err = t.to.Exec(ctx, "SELECT setval(pg_get_serial_sequence($1, $2), $3)", table.name, table.serial, last)
	}
	return err
}

// copiedRows are rows of SQLite as values of PostgreSQL. It implements pgx.CopyFromSource.
type copiedRows struct {
	rows  *sql.Rows
	kinds []string
	from  Source
}

func (r *copiedRows) Next() bool { return r.rows.Next() }
func (r *copiedRows) Err() error { return r.rows.Err() }

func (r *copiedRows) Values() ([]any, error) {
	out, into := make([]any, len(r.kinds)), make([]any, len(r.kinds))
	for i := range out {
		into[i] = &out[i]
	}
	if err := r.rows.Scan(into...); err != nil {
		return nil, err
	}
	for i, kind := range r.kinds {
		if out[i] == nil {
			continue
		}
		var err error
		switch kind {
		case "boolean":
			if n, ok := out[i].(int64); ok {
				out[i] = n != 0
			}
		case "timestamp with time zone":
			out[i], err = r.from.Stamp(out[i])
		case "date":
			out[i], err = r.from.Day(out[i])
		case "jsonb":
			if raw, ok := out[i].([]byte); ok {
				out[i] = string(raw)
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// sameValue compares a value as it was sent with what the target holds.
func sameValue(kind string, want, have any) bool {
	if want == nil || have == nil {
		return want == nil && have == nil
	}
	switch kind {
	case "timestamp with time zone", "date":
		at, ok := have.(time.Time)
		return ok && reflect.DeepEqual(want, at.UTC())
	case "jsonb": // whose members have another order, whose spaces go, and where 1e2 is 100
		a, here := canonical(want)
		b, there := canonical(have)
		return here && there && a == b
	case "integer":
		n, ok := have.(int32)
		return ok && want == int64(n)
	case "bytea", "text", "bigint", "boolean", "double precision":
		return reflect.DeepEqual(want, have)
	}
	return false // a kind that is new here must be taught first
}

// canonical returns a text of JSON in the form that chains hash.
func canonical(text any) (form string, ok bool) {
	raw, ok := text.(string)
	if !ok {
		return "", false
	}
	form, err := chain.Canonical([]byte(raw))
	return form, err == nil
}
