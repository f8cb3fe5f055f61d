package moving

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"tilth/adapters/persistence/sqlstore"
)

// kind is what a column holds.
type kind int

const (
	text kind = iota
	whole
	small // of 32 bits
	float
	flag
	document // JSON
	octets
	opened  // deflated JSON, JSON in the file
	singles // deflated numbers of 32 bits, a list of numbers in the file, null for none
	stamp   // text in SQLite
	day     // text in SQLite
)

// column is a column of a table as the database describes it.
type column struct {
	name     string
	kind     kind
	required bool // never null, so that null in a column of JSON is the value null
}

var kinds = map[string]kind{
	"integer": small, "bigint": whole, "double precision": float, "boolean": flag, "text": text, "jsonb": document, "bytea": octets, "blob": octets,
	"timestamp with time zone": stamp, "date": day, "character varying": text,
}

// The columns of times and of days, which are text in SQLite, by name: TestKindsOfColumns compares them with PostgreSQL.
var (
	stamps = strings.Fields(`accepted_at analysed_at at attached_at checked_at collected_at completed_at completeness_computed_at
created_at decided_at deleted_at deprecated_at expires_at failed_at granted_at last_checked_at lease_until next_try_at processing_at
published_at removed_at revoked_at run_at saved_at signed_at started_at submitted_at updated_at uploaded_at valid_from valid_to
valid_until verified_at`)
	days = strings.Fields(`active_from active_to applied_on boundary_observed_on date day end_date first_date last_date request_date
sampled_on start_date until`)
)

// columnsOf reads the columns of a table, in their order, and its primary key.
func columnsOf(ctx context.Context, s *sqlstore.Session, t table) (columns []column, key []string, err error) {
	query := "SELECT name, lower(type), pk, \"notnull\" FROM pragma_table_info($1)"
	if s.Postgres {
		query = `SELECT a.attname, format_type(a.atttypid, NULL), COALESCE(array_position(i.indkey::int2[], a.attnum), -1) + 1, attnotnull::int
FROM pg_attribute a LEFT JOIN pg_index i ON i.indrelid = a.attrelid AND i.indisprimary
WHERE a.attrelid = to_regclass($1) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`
	}
	rows, err := s.Native().QueryContext(ctx, query, t.name)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = rows.Close() }()
	places := map[string]int{}
	for rows.Next() {
		var name, of string
		var place, required int
		if err := rows.Scan(&name, &of, &place, &required); err != nil {
			return nil, nil, err
		}
		known, ok := kinds[of]
		if !ok {
			return nil, nil, sqlstore.Internal("the column %s.%s is of the type %q", t.name, name, of)
		}
		known = t.kindOf(name, known, place > 0)
		columns = append(columns, column{name, known, required != 0})
		if place > 0 {
			key, places[name] = append(key, name), place
		}
	}
	slices.SortFunc(key, func(a, b string) int { return places[a] - places[b] })
	if len(columns) == 0 {
		return nil, nil, sqlstore.Internal("there is no table %s", t.name)
	}
	return columns, key, rows.Err()
}

// kindOf refines the kind of a column where the database has one type for several kinds.
func (t table) kindOf(name string, known kind, key bool) kind {
	_, isJSON := t.json[name]
	switch {
	case isJSON:
		return document
	case slices.Contains(strings.Fields(t.opened), name):
		return opened
	case t.values == name:
		return singles
	case known == text && slices.Contains(stamps, name):
		return stamp
	case known == text && slices.Contains(days, name):
		return day
	case known == small && key && name == "id": // SQLite's word for a key
		return whole
	}
	return known
}

// selected returns the expression of a column in the spelling of the file.
func (c column) selected(postgres bool) string {
	at := fmt.Sprintf("t.%q", c.name)
	if !postgres {
		return at
	}
	switch c.kind {
	case stamp:
		return "to_char(" + at + ` AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
	case day, document:
		return at + "::text"
	}
	return at
}

// of replaces ?0 in a condition by the company, which is a number.
func of(condition string, company int64) string {
	return strings.ReplaceAll(condition, "?0", fmt.Sprint(company))
}

// scalar reads one row of numbers.
func scalar(ctx context.Context, tx *sql.Tx, query string, into ...any) error {
	return tx.QueryRowContext(ctx, query).Scan(into...)
}
