package moving

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"tilth/adapters/persistence/sqlstore"
	"tilth/core/fault"
	"tilth/core/moving"
	"tilth/ports"
)

// carrier implements ports.Carrier.
type carrier struct{ s *sqlstore.Session }

// Tables implements ports.Carrier.
func (carrier) Tables() []ports.CarriedTable {
	out := make([]ports.CarriedTable, len(tables))
	for i, t := range tables {
		out[i] = ports.CarriedTable{Name: t.name, Proof: t.proof, Files: strings.Fields(t.object)}
	}
	return out
}

// Survey implements ports.Carrier.
func (c carrier) Survey(ctx context.Context, company int64) (out ports.CompanySurvey, err error) {
	if err := c.s.Unhurried(ctx); err != nil {
		return out, err
	}
	if err := c.idle(ctx, company); err != nil {
		return out, err
	}
	if out.IDs, err = c.spans(ctx, company); err != nil {
		return out, err
	}
	for _, one := range stays {
		t := table{name: one.table, where: one.where}
		var n int64
		if err := scalar(ctx, c.s.Native(), of(fmt.Sprintf("SELECT count(*) FROM %q AS t WHERE %s", one.table, t.rows()), company), &n); err != nil {
			return out, fmt.Errorf("%s: %w", one.table, err)
		}
		if n > 0 {
			out.LeftOut = append(out.LeftOut, moving.LeftOut{What: one.what, Rows: n, Why: one.why})
		}
	}
	var balance, held, wallets int64
	if err := scalar(ctx, c.s.Native(), of("SELECT count(*), COALESCE(sum(balance), 0), COALESCE(sum(held), 0) FROM wallets AS t WHERE t.company_id = ?0", company), &wallets, &balance, &held); err != nil {
		return out, err
	}
	if wallets > 0 {
		out.Wallet = walletOf(balance, held)
	}
	return out, scalar(ctx, c.s.Native(), "SELECT max(name) FROM schema_migrations", &out.Schema)
}

// idle refuses a company that has credit held for orders that cannot move.
func (c carrier) idle(ctx context.Context, company int64) error {
	var open int64
	const lent = "SELECT count(*) FROM %s AS t WHERE t.company_id = ?0 AND t.field_company_id <> ?0 AND t.status IN ('pending', 'processing')"
	query := of("SELECT ("+fmt.Sprintf(lent, "profile_orders")+") + ("+fmt.Sprintf(lent, "map_orders")+")", company)
	if err := scalar(ctx, c.s.Native(), query, &open); err != nil || open == 0 {
		return err
	}
	return fault.Newf(fault.Conflict, "orders_open",
		"%d profiles or maps of fields of other companies are being computed; they cannot move, and credit is held for them. Fix: wait until they are done, or cancel them with `tilth job cancel`.", open)
}

// spans returns, by table, the range of the ids that rows of the company have or refer to.
func (c carrier) spans(ctx context.Context, company int64) (map[string]moving.Span, error) {
	out := map[string]moving.Span{}
	add := func(table, query string) error {
		var first, last *int64
		if err := scalar(ctx, c.s.Native(), of(query, company), &first, &last); err != nil {
			return fmt.Errorf("%s: %w", table, err)
		}
		if first != nil && last != nil {
			out[table] = out[table].With(moving.Span{First: *first, Last: *last})
		}
		return nil
	}
	for _, t := range tables {
		columns, _, err := columnsOf(ctx, c.s, t)
		if err != nil {
			return nil, err
		}
		for _, col := range columns {
			of, loose, _ := t.refer(col.name)
			if of == "" || of == "crops" || !loose && (col.name != "id" || of != t.name) {
				continue
			}
			if err := add(of, fmt.Sprintf("SELECT min(t.%[1]q), max(t.%[1]q) FROM %[2]q AS t WHERE %[3]s AND t.%[1]q > 0", col.name, t.name, t.rows())); err != nil {
				return nil, err
			}
		}
		for _, name := range sortedChosen(t.by) {
			by := t.by[name]
			for _, word := range slices.Sorted(maps.Keys(by.tables)) {
				query := fmt.Sprintf("SELECT min(t.%[1]q), max(t.%[1]q) FROM %[2]q AS t WHERE %[3]s AND t.%[1]q > 0 AND t.%[4]q = '%[5]s'", name, t.name, t.rows(), by.column, word)
				if err := add(by.tables[word], query); err != nil {
					return nil, err
				}
			}
		}
	}
	return out, nil
}

func sortedChosen(m map[string]chosen) []string {
	names := map[string]string{}
	for name := range m {
		names[name] = ""
	}
	return slices.Sorted(maps.Keys(names))
}

// Rows implements ports.Carrier.
func (c carrier) Rows(ctx context.Context, company int64, name string, passwords bool) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		t, known := named(name)
		if !known {
			yield(nil, sqlstore.Internal("the table %s does not move", name))
			return
		}
		if err := c.each(ctx, company, t, passwords, func(line []byte) bool { return yield(line, nil) }); err != nil {
			yield(nil, fmt.Errorf("%s: %w", name, err))
		}
	}
}

func (c carrier) each(ctx context.Context, company int64, t table, passwords bool, yield func([]byte) bool) error {
	columns, key, err := columnsOf(ctx, c.s, t)
	if err != nil {
		return err
	}
	columns = slices.DeleteFunc(columns, func(col column) bool { _, hidden := t.secret[col.name]; return hidden })
	exprs := make([]string, len(columns))
	for i, col := range columns {
		exprs[i] = col.selected(c.s.Postgres)
		if t.name == "users" && col.name == "password_hash" { // an operator's stays behind
			exprs[i] = "CASE WHEN t.company_id IS NULL THEN '' ELSE t.password_hash END"
			if !passwords {
				exprs[i] = "''"
			}
		}
	}
	if t.name == "cultivations" {
		columns, exprs = append(columns, column{name: cropSlug, kind: text}), append(exprs, "(SELECT c.slug FROM crops AS c WHERE c.id = t.crop_id)")
	}
	order := t.order
	if order == "" {
		for i, name := range key {
			key[i] = fmt.Sprintf("t.%q", name)
		}
		order = strings.Join(key, ", ")
	}
	rows, err := c.s.Native().QueryContext(ctx, of(fmt.Sprintf("SELECT %s FROM %q AS t WHERE %s ORDER BY %s", strings.Join(exprs, ", "), t.name, t.rows(), order), company))
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	values, into := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	var line bytes.Buffer
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		line.Reset()
		if err := write(&line, columns, values); err != nil {
			return err
		}
		if !yield(line.Bytes()) {
			return nil
		}
	}
	return rows.Err()
}

// cropSlug is the member of a cultivation that names its crop: another installation does not know the crop's id.
const cropSlug = "crop_slug"

// write writes a row as an object, its members in the order of the columns.
func write(out *bytes.Buffer, columns []column, values []any) error {
	for i, col := range columns {
		if i == 0 {
			out.WriteByte('{')
		} else {
			out.WriteByte(',')
		}
		out.WriteString(strconv.Quote(col.name)) // names of columns are plain
		out.WriteByte(':')
		if err := writeValue(out, col, values[i]); err != nil {
			return fmt.Errorf("the column %s: %w", col.name, err)
		}
	}
	out.WriteByte('}')
	return nil
}

func writeValue(out *bytes.Buffer, col column, value any) error {
	if value == nil {
		out.WriteString("null")
		return nil
	}
	switch col.kind {
	case whole, small:
		if n, ok := value.(int64); ok {
			out.WriteString(strconv.FormatInt(n, 10))
			return nil
		}
	case float:
		if n, ok := value.(int64); ok { // SQLite may return one
			value = float64(n)
		}
		if n, ok := value.(float64); ok && !math.IsNaN(n) && !math.IsInf(n, 0) {
			return writeJSON(out, n)
		}
	case flag:
		if n, ok := value.(int64); ok {
			value = n != 0
		}
		if b, ok := value.(bool); ok {
			out.WriteString(strconv.FormatBool(b))
			return nil
		}
	case document:
		if text, ok := textOf(value); ok {
			return json.Compact(out, []byte(text))
		}
	case opened:
		if raw, ok := value.([]byte); ok {
			return open(out, raw)
		}
	case singles:
		if raw, ok := value.([]byte); ok {
			return list(out, raw)
		}
	case octets:
		if raw, ok := value.([]byte); ok {
			return writeJSON(out, raw)
		}
	default:
		if text, ok := textOf(value); ok {
			return writeJSON(out, text)
		}
	}
	return fmt.Errorf("it holds a %T", value)
}

func textOf(value any) (string, bool) {
	switch v := value.(type) {
	case string:
		return v, true
	case []byte:
		return string(v), true
	}
	return "", false
}

func writeJSON(out *bytes.Buffer, value any) error {
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return err
	}
	out.Truncate(out.Len() - 1) // the line feed
	return nil
}
