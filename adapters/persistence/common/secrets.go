package common

import (
	"context"
	"strings"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/envelope"
	"tilth/adapters/persistence/sqlstore"
	"tilth/core/fault"
	"tilth/ports"
)

// sealedTable is a table with columns that are sealed for PlaceOf(table, key, column).
type sealedTable struct {
	name    string
	key     []string // columns of the primary key; joined by / in a place
	columns []string
	text    bool // the columns are text, not bytes
}

var sealedTables = []sealedTable{
	{name: "signing_keys", key: []string{"id"}, columns: []string{"seed"}},
	{name: "chain_keys", key: []string{"id"}, columns: []string{"seed"}},
	{name: "webhooks", key: []string{"id"}, columns: []string{"secret", "previous_secret"}, text: true},
	{name: "pact_clients", key: []string{"id"}, columns: []string{"recipient_secret"}, text: true},
	{name: "plan_links", key: []string{"id"}, columns: []string{"secret"}, text: true},
	{name: certificateTable, key: []string{"name"}, columns: []string{"content"}},
	{name: "replays", key: []string{"company_id", "key"}, columns: []string{"body"}},
}

// secrets implements ports.SecretKeeper.
type secrets struct{ s *sqlstore.Session }

func (k secrets) Reseal(ctx context.Context, after ports.SecretPlace, limit int) (changed int64, next *ports.SecretPlace, err error) {
	if k.s.Secrets.Current() == "" {
		return 0, nil, fault.New(fault.Precondition, "secret_key_missing",
			"There is no key to seal secrets with. Fix: set TILTH_SECRET_KEY or TILTH_SECRET_KEY_FILE; `tilth secret create` prints a new key.")
	}
	table := sealedTables[after.Table]
	rows, err := k.read(ctx, table, after.Key, limit)
	if err != nil {
		return 0, nil, err
	}
	for _, row := range rows {
		n, err := k.reseal(ctx, table, row)
		if err != nil {
			return 0, nil, err
		}
		changed += n
	}
	switch {
	case len(rows) == limit:
		return changed, &ports.SecretPlace{Table: after.Table, Key: rows[limit-1].key}, nil
	case after.Table+1 < len(sealedTables):
		return changed, &ports.SecretPlace{Table: after.Table + 1}, nil
	}
	return changed, nil, nil
}

// sealedRow is the key and the sealed columns of a row.
type sealedRow struct {
	key    []string
	values [][]byte
}

func (r sealedRow) place(t sealedTable, column int) string {
	return sqlstore.PlaceOf(t.name, strings.Join(r.key, "/"), t.columns[column])
}

// read reads the rows after a key, in the order of their keys; a transaction that writes locks them.
func (k secrets) read(ctx context.Context, t sealedTable, after []string, limit int) ([]sealedRow, error) {
	q := k.s.NewSelect().TableExpr("? AS t", bun.Ident(t.name)).Limit(int64(limit))
	for _, column := range t.key {
		q = q.ColumnExpr("CAST(t.? AS TEXT)", bun.Ident(column)).OrderExpr("t.?", bun.Ident(column))
	}
	for _, column := range t.columns {
		q = q.ColumnExpr("t.?", bun.Ident(column))
	}
	if len(after) > 0 {
		q = q.Where("(t."+strings.Join(t.key, ", t.")+") > (?)", bun.List(after))
	}
	if k.s.Writes {
		q = k.s.ForUpdate(q)
	}
	rows, err := q.Rows(ctx)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []sealedRow
	for rows.Next() {
		row := sealedRow{key: make([]string, len(t.key)), values: make([][]byte, len(t.columns))}
		var into []any
		for i := range row.key {
			into = append(into, &row.key[i])
		}
		for i := range row.values {
			into = append(into, &row.values[i])
		}
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		out = append(out, row)
	}
	return out, rows.Err()
}

// reseal stores the secrets of a row under the current key and returns how many it changed.
func (k secrets) reseal(ctx context.Context, t sealedTable, row sealedRow) (changed int64, err error) {
	q := k.s.NewUpdate().TableExpr("? AS t", bun.Ident(t.name))
	for i, stored := range row.values {
		if len(stored) == 0 || envelope.KeyOf(stored) == k.s.Secrets.Current() {
			continue
		}
		value, err := k.s.Secrets.Open(row.place(t, i), stored)
		if err != nil {
			return 0, err
		}
		sealed := k.s.Secrets.Seal(row.place(t, i), value)
		if t.text {
			q = q.Set("? = ?", bun.Ident(t.columns[i]), string(sealed))
		} else {
			q = q.Set("? = ?", bun.Ident(t.columns[i]), sealed)
		}
		changed++
	}
	if changed == 0 {
		return 0, nil
	}
	for i, column := range t.key {
		q = q.Where("t.? = ?", bun.Ident(column), row.key[i])
	}
	return changed, sqlstore.Run(ctx, q)
}

func (k secrets) Waiting(ctx context.Context, limit int) (n int64, err error) {
	for _, t := range sealedTables {
		var after []string
		for {
			rows, err := k.read(ctx, t, after, limit)
			if err != nil {
				return n, err
			}
			for _, row := range rows {
				for _, stored := range row.values {
					if len(stored) > 0 && envelope.KeyOf(stored) != k.s.Secrets.Current() {
						n++
					}
				}
			}
			if n >= int64(limit) || len(rows) < limit {
				break
			}
			after = rows[len(rows)-1].key
		}
	}
	return n, nil
}

func (k secrets) Retire(ctx context.Context) (current string, err error) {
	current = k.s.Secrets.Current()
	return current, sqlstore.Run(ctx, k.s.NewDelete().Model((*sqlstore.SecretKeyRow)(nil)).Where("t.id <> ?", current))
}
