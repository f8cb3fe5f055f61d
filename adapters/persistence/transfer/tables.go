package transfer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// copied is the structure of a table in the target.
type copied struct {
	name    string
	columns []string
	kinds   []string // of the columns, as information_schema names them
	key     []string // the primary key
	serial  string   // the column that numbers itself, if any
}

// tables returns the tables of the target except the migrator's own, each after those that it refers to.
func (t transfer) tables(ctx context.Context) (out []copied, err error) {
	var all []copied
	rows, err := t.to.Query(ctx, `SELECT c.table_name, c.column_name, c.data_type, c.is_identity = 'YES'
FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
WHERE c.table_schema = current_schema() AND t.table_type = 'BASE TABLE'
AND NOT (SELECT p.relispartition FROM pg_class p WHERE p.oid = to_regclass(quote_ident(c.table_name))) ORDER BY c.table_name, c.ordinal_position`)
	if err != nil {
		return nil, err
	}
	var table, column, kind string
	var serial bool
	if _, err = pgx.ForEachRow(rows, []any{&table, &column, &kind, &serial}, func() error {
		if len(all) == 0 || all[len(all)-1].name != table {
			all = append(all, copied{name: table})
		}
		last := &all[len(all)-1]
		last.columns, last.kinds = append(last.columns, column), append(last.kinds, kind)
		if serial {
			last.serial = column
		}
		return nil
	}); err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(c copied) bool { return slices.Contains(t.from.Own, c.name) })
	keys, err := t.pairs(ctx, `SELECT i.indrelid::regclass::text, a.attname FROM pg_index i
JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
WHERE i.indisprimary AND i.indrelid IN (SELECT oid FROM pg_class WHERE relnamespace = current_schema()::regnamespace)
ORDER BY 1, array_position(i.indkey::int2[], a.attnum)`)
	if err != nil {
		return nil, err
	}
	for i := range all {
		if all[i].key = keys[all[i].name]; len(all[i].key) == 0 {
			return nil, fmt.Errorf("the table %s has no primary key", all[i].name)
		}
	}
	needs, err := t.pairs(ctx, `SELECT conrelid::regclass::text, confrelid::regclass::text FROM pg_constraint
WHERE contype = 'f' AND conrelid <> confrelid AND connamespace = current_schema()::regnamespace`)
	if err != nil {
		return nil, err
	}
	return inOrder(all, needs)
}

func (t transfer) pairs(ctx context.Context, query string) (map[string][]string, error) {
	rows, err := t.to.Query(ctx, query)
	if err != nil {
		return nil, err
	}
	out := map[string][]string{}
	var key, value string
	_, err = pgx.ForEachRow(rows, []any{&key, &value}, func() error {
		out[key] = append(out[key], value)
		return nil
	})
	return out, err
}

func sameWords(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// inOrder puts every table after those it needs.
func inOrder(all []copied, needs map[string][]string) (out []copied, err error) {
	placed := map[string]bool{}
	for len(out) < len(all) {
		before := len(out)
		for _, one := range all {
			if !placed[one.name] && !slices.ContainsFunc(needs[one.name], func(other string) bool { return !placed[other] }) {
				out, placed[one.name] = append(out, one), true
			}
		}
		if len(out) == before {
			return nil, errors.New("tables refer to each other in a circle")
		}
	}
	return out, nil
}

// query returns the query of a table in the order of its key; cast and sort hold what follows the columns of a kind.
func (c copied) query(cast, sort map[string]string) string {
	columns, key := make([]string, len(c.columns)), make([]string, len(c.key))
	for i, name := range c.columns {
		columns[i] = fmt.Sprintf("%q%s", name, cast[c.kinds[i]])
	}
	for i, name := range c.key {
		key[i] = fmt.Sprintf("%q%s", name, sort[c.kinds[slices.Index(c.columns, name)]])
	}
	return fmt.Sprintf("SELECT %s FROM %q ORDER BY %s", strings.Join(columns, ", "), c.name, strings.Join(key, ", "))
}
