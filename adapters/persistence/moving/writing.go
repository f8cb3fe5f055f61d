package moving

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"tilth/adapters/persistence/sqlstore"
	"tilth/core/audit"
	"tilth/core/chain"
	"tilth/core/moving"
	"tilth/ports"
)

// One statement inserts rows up to these bounds. SQLite's driver searches all arguments for each of them, so that the cost
// grows faster than their number.
const (
	maxArguments = 1000
	maxStatement = 4 << 20 // bytes of the lines
)

// Insert implements ports.Carrier.
func (c carrier) Insert(ctx context.Context, name string, arrival ports.Arrival, lines iter.Seq2[[]byte, error]) (rows int64, err error) {
	t, known := named(name)
	if !known || t.proof {
		return 0, sqlstore.Internal("the table %s is not stored", name)
	}
	columns, _, err := columnsOf(ctx, c.s, t)
	if err != nil {
		return 0, err
	}
	if name == "jobs" {
		c.s.Leaves(sqlstore.JobsWait)
	}
	w := writer{carrier: c, table: t, arrival: arrival, columns: columns}
	for text, err := range lines {
		if err != nil {
			return rows, err
		}
		line, err := moving.ReadLine(text)
		if err == nil {
			err = w.add(line, len(text))
		}
		if err != nil {
			return rows, moving.RowError{Cause: err}
		}
		rows++
		if len(w.args) > maxArguments || w.size > maxStatement {
			if err := w.flush(ctx); err != nil {
				return rows, err
			}
		}
	}
	return rows, w.flush(ctx)
}

// writer gathers rows of a table for one statement.
type writer struct {
	carrier
	table   table
	arrival ports.Arrival
	columns []column // those that the file has, once a line was read
	heading []string // the members of every line
	rows    []string // of VALUES
	args    []any
	size    int
}

func (w *writer) flush(ctx context.Context) error {
	if len(w.rows) == 0 {
		return nil
	}
	names := make([]string, len(w.columns))
	for i, col := range w.columns {
		names[i] = fmt.Sprintf("%q", col.name)
	}
	query := fmt.Sprintf("INSERT INTO %q (%s) VALUES %s", w.table.name, strings.Join(names, ", "), strings.Join(w.rows, ", "))
	_, err := w.s.Native().ExecContext(ctx, query, w.args...)
	if why := sqlstore.Rejected(err); why != "" {
		return moving.RowError{Cause: fmt.Errorf("it or one of the %d rows before it cannot be stored: %s (%w)", len(w.rows)-1, why, err)}
	}
	w.rows, w.args, w.size = w.rows[:0], w.args[:0], 0
	return err
}

// begin decides by the first line which columns the file has. A column that it lacks, as a file of an older release
// may, gets the value that its migration gave to existing rows.
func (w *writer) begin(line moving.Line) error {
	w.heading = slices.Sorted(maps.Keys(line))
	for _, name := range w.heading {
		_, hidden := w.table.secret[name]
		if !slices.ContainsFunc(w.columns, func(c column) bool { return c.name == name }) && (w.table.name != "cultivations" || name != cropSlug) || hidden {
			return fmt.Errorf("%q is not a column of %s here. Fix: upgrade this installation to the release that wrote the file, or to a later one", name, w.table.name)
		}
	}
	w.columns = slices.DeleteFunc(w.columns, func(c column) bool {
		_, hidden := w.table.secret[c.name]
		return !hidden && !slices.Contains(w.heading, c.name)
	})
	return nil
}

func (w *writer) add(line moving.Line, size int) error {
	if w.heading == nil {
		if err := w.begin(line); err != nil {
			return err
		}
	}
	if len(line) != len(w.heading) {
		return fmt.Errorf("it has %d members, but the first line has %d", len(line), len(w.heading))
	}
	for _, name := range w.heading {
		if _, has := line[name]; !has {
			return fmt.Errorf("it lacks %q, which the first line has", name)
		}
	}
	values := make([]string, len(w.columns))
	for i, col := range w.columns {
		expr, err := w.value(col, line)
		if err != nil {
			return fmt.Errorf("%s: %w", col.name, err)
		}
		values[i] = expr
	}
	w.rows, w.size = append(w.rows, "("+strings.Join(values, ", ")+")"), w.size+size
	return nil
}

// arg adds an argument and returns its placeholder. In SQLite $1 would be a name, and names are looked up one by one.
func (w *writer) arg(value any) string {
	w.args = append(w.args, value)
	if !w.s.Postgres {
		return "?"
	}
	return "$" + strconv.Itoa(len(w.args))
}

// value returns the expression of a value.
func (w *writer) value(col column, line moving.Line) (string, error) {
	if expr, hidden := w.table.secret[col.name]; hidden {
		id, _ := w.arrival.IDs.Move(w.table.name, line.Number("id"))
		return strings.ReplaceAll(expr, "?id", strconv.FormatInt(id, 10)), nil
	}
	raw := line[col.name]
	if value, special, err := w.special(col, line); special || err != nil {
		return w.arg(value), err
	}
	if string(raw) == "null" && (col.kind != document || !col.required) {
		return w.arg(nil), nil
	}
	if of, _, foreign := w.table.refer(col.name); of != "" {
		return w.reference(raw, of, foreign, line)
	}
	if by, is := w.table.by[col.name]; is {
		return w.chosen(raw, by, line)
	}
	value, err := w.plain(col, raw)
	return w.arg(value), err
}

// special returns the values that differ from what the file says.
func (w *writer) special(col column, line moving.Line) (value any, special bool, err error) {
	switch w.table.name + "." + col.name {
	case "companies.name":
		return w.arrival.Name, true, nil
	case "users.email":
		if w.stranger(line) {
			id, _ := w.arrival.IDs.Move("users", line.Number("id"))
			return fmt.Sprintf("moved-%d@moved.invalid", id), true, nil
		}
		email := sqlstore.ValueOf(line.Text("email"))
		if renamed, is := w.arrival.Emails[email]; is {
			email = renamed
		}
		return email, true, nil
	case "users.password_hash":
		return "", w.stranger(line), nil
	case "users.disabled":
		return true, w.stranger(line), nil
	case "api_keys.revoked_at":
		return w.arrival.ExportedAt.UTC().Format(stampLayout), line.Text("revoked_at") == nil, nil
	case "audit_entries.changes":
		var changes []audit.Change
		if err := chain.Decode(line["changes"], &changes); err != nil {
			return nil, true, err
		}
		w.arrival.IDs.MoveChanges(changes)
		text, err := json.Marshal(append([]audit.Change{}, changes...))
		return string(text), true, err
	case "map_orders.key":
		return w.placed(sqlstore.ValueOf(line.Text("key"))), true, nil
	case "jobs.key":
		old, moved := line.Text("key"), line.Number("subject")
		subject, _ := w.arrival.IDs.Move(working[sqlstore.ValueOf(line.Text("kind"))], moved)
		rest, found := strings.CutPrefix(sqlstore.ValueOf(old), strconv.FormatInt(moved, 10))
		if !found || rest != "" && rest[0] != ':' {
			return nil, true, fmt.Errorf("%q does not begin with the id of the job's record", sqlstore.ValueOf(old))
		}
		return strconv.FormatInt(subject, 10) + rest, true, nil
	}
	if of := strings.Fields(w.table.object); len(of) > 0 && col.name == "object" && sqlstore.ValueOf(line.Text("object")) != "" {
		return w.arrival.Object(w.table.name, line.Key(of)), true, nil
	}
	if col.name == "company_id" && string(line["company_id"]) == "null" && w.table.name != "users" {
		return nil, true, fmt.Errorf("it is null, and a row belongs to the company")
	}
	return nil, false, nil
}

// places matches the ids in the key of an order of a map, see [vegetation.OrderState.Key].
var places = regexp.MustCompile(`\b(field|season) ([0-9]{1,18})\b`)

func (w *writer) placed(key string) string {
	return places.ReplaceAllStringFunc(key, func(found string) string {
		word, number, _ := strings.Cut(found, " ")
		id, _ := strconv.ParseInt(number, 10, 64) // so few digits always fit
		moved, _ := w.arrival.IDs.Move(word+"s", id)
		return word + " " + strconv.FormatInt(moved, 10)
	})
}

// stranger reports whether a user is not of the company: an operator who acted in it. After the arrival they are known by name alone.
func (w *writer) stranger(line moving.Line) bool { return line.Text("company_id") == nil }

func (w *writer) reference(raw json.RawMessage, of string, foreign bool, line moving.Line) (string, error) {
	id, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil {
		return "", fmt.Errorf("%s is not an id", shortened(raw))
	}
	if of == "crops" {
		id, known := w.arrival.Crops[sqlstore.ValueOf(line.Text(cropSlug))]
		if !known {
			return "", fmt.Errorf("the crop %q is not in the catalog here. Fix: import the catalog that has it with `tilth crop import`", sqlstore.ValueOf(line.Text(cropSlug)))
		}
		return w.arg(id), nil
	}
	if id == 0 {
		return w.arg(id), nil
	}
	moved, known := w.arrival.IDs.Move(of, id)
	switch {
	case foreign && !known:
		return w.arg(nil), nil
	case foreign:
		return fmt.Sprintf("(SELECT f.id FROM %q AS f WHERE f.id = %d AND f.company_id = %d)", of, moved, w.company()), nil
	case !known:
		return "", fmt.Errorf("the file has no id %d of %s", id, of)
	}
	return w.arg(moved), nil
}

// company is the new id of the company.
func (w *writer) company() int64 {
	id, _ := w.arrival.IDs.Move("companies", w.arrival.IDs.Spans["companies"].First)
	return id
}

func (w *writer) chosen(raw json.RawMessage, by chosen, line moving.Line) (string, error) {
	id, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil {
		return "", fmt.Errorf("%s is not an id", shortened(raw))
	}
	of, known := by.tables[sqlstore.ValueOf(line.Text(by.column))]
	if !known {
		if by.keep {
			return w.arg(id), nil
		}
		return "", fmt.Errorf("nothing states what %d is the id of: %s is %q", id, by.column, sqlstore.ValueOf(line.Text(by.column)))
	}
	moved, known := w.arrival.IDs.Move(of, id)
	if !known {
		return "", fmt.Errorf("the file has no id %d of %s", id, of)
	}
	return w.arg(moved), nil
}

const stampLayout = "2006-01-02T15:04:05.000000Z"

// plain returns a value that is not an id.
func (w *writer) plain(col column, raw json.RawMessage) (any, error) {
	switch col.kind {
	case whole, small:
		n, err := strconv.ParseInt(string(raw), 10, 64)
		if err != nil || col.kind == small && (n > math.MaxInt32 || n < math.MinInt32) {
			return nil, fmt.Errorf("%s is not a whole number that fits", shortened(raw))
		}
		return n, nil
	case float:
		n, err := strconv.ParseFloat(string(raw), 64)
		if err != nil {
			return nil, fmt.Errorf("%s is not a number", shortened(raw))
		}
		return n, nil
	case flag:
		if word := string(raw); word == "true" || word == "false" {
			return word == "true", nil
		}
		return nil, fmt.Errorf("%s is neither true nor false", shortened(raw))
	case document:
		return w.document(col, raw)
	case opened:
		return sqlstore.DeflateBytes(raw)
	case singles:
		return pack(raw)
	}
	var value string
	if err := json.Unmarshal(raw, &value); err != nil {
		return nil, fmt.Errorf("%s is not a string", shortened(raw))
	}
	switch col.kind {
	case octets:
		out, err := base64.StdEncoding.DecodeString(value)
		if err != nil {
			return nil, fmt.Errorf("it is not base64")
		}
		return out, nil
	case stamp, day:
		layout := map[kind]string{stamp: stampLayout, day: time.DateOnly}[col.kind]
		if _, err := time.Parse(layout, value); err != nil || len(value) != len(layout) {
			return nil, fmt.Errorf("%s is not of the form %s", shortened(raw), layout)
		}
	}
	if !sqlstore.Storable(value) {
		return nil, fmt.Errorf("the text cannot be stored: it is not UTF-8, or has a character U+0000")
	}
	return value, nil
}

func (w *writer) document(col column, raw json.RawMessage) (any, error) {
	to, cites := w.table.json[col.name], w.table.cites[col.name]
	if len(to) == 0 && cites == "" {
		return string(raw), nil
	}
	value, err := moving.Decoded(raw)
	if err != nil {
		return nil, err
	}
	w.arrival.IDs.MoveJSON(value, to)
	if cites != "" {
		value = w.arrival.IDs.MoveCites(value, cites)
	}
	text, err := json.Marshal(value)
	return string(text), err
}

// shortened returns a value as error messages quote it.
func shortened(raw json.RawMessage) string {
	if len(raw) > 40 {
		return string(raw[:40]) + "…"
	}
	return string(raw)
}
