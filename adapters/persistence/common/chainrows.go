package common

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/prepared"
	"tilth/adapters/persistence/sqlstore"
	"tilth/core/audit"
	"tilth/core/chain"
)

// chainTables are the tables whose rows are chained.
var chainTables = map[chain.Name]string{
	chain.Audit: "audit_entries", chain.Ledger: "ledger_transactions", chain.Operator: "operator_entries",
}

// rows returns rows as a chain sees them, by id. Every value is read as the text that the
// database holds, so that no other text passes for it.
func (c chains) rows(ctx context.Context, name chain.Name, ids []int64) (map[int64]chain.Row, error) {
	switch {
	case len(ids) == 0:
		return nil, nil
	case name == chain.Audit:
		return c.entries(ctx, ids)
	case name == chain.Operator:
		return c.operatorEntries(ctx, ids)
	}
	return c.transactions(ctx, ids)
}

// stamp is the expression of a time as text, in the one form that both databases share.
func (c chains) stamp(column string) string {
	if c.s.Postgres {
		return "to_char(" + column + ` AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
	}
	return column
}

// flag is the expression of a boolean as text.
func (c chains) flag(column string) string {
	if c.s.Postgres {
		return "CASE WHEN " + column + " THEN 'true' ELSE 'false' END"
	}
	return "CASE " + column + " WHEN 1 THEN 'true' WHEN 0 THEN 'false' ELSE CAST(" + column + " AS TEXT) END"
}

func text(column string) string { return "CAST(t." + column + " AS TEXT)" }

// column is a column of a chained row: its name in the chain and its expression.
type column struct {
	name, expr string
	guarded    bool
}

// read reads columns of rows by id.
func (c chains) read(ctx context.Context, table string, columns []column, ids []int64) (map[int64]chain.Row, error) {
	q := c.s.NewSelect().TableExpr("? AS t", bun.Ident(table)).ColumnExpr("t.id").Where("t.id IN (?)", prepared.List(ids))
	for _, one := range columns {
		q = q.ColumnExpr(one.expr)
	}
	rows, err := q.Rows(ctx)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := make(map[int64]chain.Row, len(ids))
	var id int64
	values := make([]sql.NullString, len(columns)) // of each row in turn
	into := []any{&id}
	for i := range values {
		into = append(into, &values[i])
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		row := chain.Row{ID: id, Fields: make([]chain.Field, len(columns))}
		for i, one := range columns {
			row.Fields[i] = chain.Field{Name: one.name, Guarded: one.guarded}
			if values[i].Valid {
				row.Fields[i].Value = new(values[i].String)
			}
		}
		out[id] = row
	}
	return out, rows.Err()
}

func (c chains) transactions(ctx context.Context, ids []int64) (map[int64]chain.Row, error) {
	out, err := c.read(ctx, "ledger_transactions", []column{
		{name: "id", expr: text("id")}, {name: "company_id", expr: text("company_id")}, {name: "created_at", expr: c.stamp("t.created_at")},
		{name: "kind", expr: text("kind")}, {name: "amount", expr: text("amount")}, {name: "product", expr: text("product")},
		{name: "field_id", expr: text("field_id")}, {name: "order_id", expr: text("order_id")}, {name: "refund_of", expr: text("refund_of")},
		{name: "note", expr: text("note"), guarded: true},
	}, ids)
	if err != nil {
		return nil, err
	}
	var entries []entryLine
	err = c.s.NewSelect().TableExpr("ledger_entries AS t").ColumnExpr("t.transaction_id, t.account").
		ColumnExpr(text("line")+" AS line").ColumnExpr(text("amount")+" AS amount").
		Where("t.transaction_id IN (?)", prepared.List(ids)).OrderExpr("t.transaction_id, t.line").Scan(ctx, &entries)
	for i, e := range entries {
		row := out[e.TransactionID]
		at := fmt.Sprintf("entries.%s.", e.Line)
		row.Fields = append(row.Fields, chain.Field{Name: at + "account", Value: &entries[i].Account}, chain.Field{Name: at + "amount", Value: &entries[i].Amount})
		out[e.TransactionID] = row
	}
	return out, err
}

type entryLine struct {
	TransactionID         int64
	Line, Account, Amount string
}

func (c chains) entries(ctx context.Context, ids []int64) (map[int64]chain.Row, error) {
	out, err := c.read(ctx, "audit_entries", []column{
		{name: "id", expr: text("id")}, {name: "company_id", expr: text("company_id")}, {name: "at", expr: c.stamp("t.at")},
		{name: "user_id", expr: text("user_id")}, {name: "operator", expr: c.flag("t.operator")}, {name: "api_key_id", expr: text("api_key_id")},
		{name: "action", expr: text("action")}, {name: "resource", expr: text("resource")}, {name: "record_id", expr: text("record_id")},
		{name: "changes", expr: text("changes")},
	}, ids)
	c.unfold(out)
	return out, err
}

func (c chains) operatorEntries(ctx context.Context, ids []int64) (map[int64]chain.Row, error) {
	out, err := c.read(ctx, "operator_entries", []column{
		{name: "id", expr: text("id")}, {name: "at", expr: c.stamp("t.at")}, {name: "user_id", expr: text("user_id")}, {name: "action", expr: text("action")},
		{name: "resource", expr: text("resource")}, {name: "record", expr: text("record")}, {name: "changes", expr: text("changes")},
	}, ids)
	c.unfold(out)
	// Entries of the command line have no field for the user, as before the trail had the column.
	for id, row := range out {
		row.Fields = slices.DeleteFunc(row.Fields, func(f chain.Field) bool { return f.Name == "user_id" && f.Value == nil })
		out[id] = row
	}
	return out, err
}

// unfold replaces the last field of entries by the fields of the changes that it holds.
func (c chains) unfold(rows map[int64]chain.Row) {
	for id, row := range rows {
		last := len(row.Fields) - 1
		row.Fields = append(row.Fields[:last:last], c.changes(sqlstore.ValueOf(row.Fields[last].Value))...)
		rows[id] = row
	}
}

// changes returns the fields of the changes of an entry.
func (c chains) changes(stored string) []chain.Field {
	out, ok := chain.Changes(stored)
	if ok && !c.s.Postgres && !chain.Plain(stored) && !written(stored) { // PostgreSQL has one text for one value
		return append(out, chain.Field{Name: "changes", Value: &stored})
	}
	return out
}

// written reports whether the text of changes is as the trail writes it.
func written(stored string) bool {
	var list []audit.Change
	if err := chain.Decode([]byte(stored), &list); err != nil {
		return false
	}
	again, err := json.Marshal(list)
	return err == nil && string(again) == stored
}
