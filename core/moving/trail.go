package moving

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"tilth/core/chain"
)

// Line is a row of a table as it is in the file.
type Line map[string]json.RawMessage

// RowError is what is wrong with a row, in words for people.
type RowError struct{ Cause error }

// Error returns the words.
func (e RowError) Error() string { return e.Cause.Error() }

// Unwrap returns the cause.
func (e RowError) Unwrap() error { return e.Cause }

// ReadLine reads a line of a table.
func ReadLine(text []byte) (Line, error) {
	var line Line
	if err := json.Unmarshal(text, &line); err != nil {
		return nil, fmt.Errorf("it is not a JSON object: %w", err)
	}
	if line == nil {
		return nil, fmt.Errorf("it is not a JSON object")
	}
	return line, nil
}

// Text returns a value as text: a string without its quotes, a number or a word of JSON as it stands; nil for null.
func (l Line) Text(name string) *string {
	raw := l[name]
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	var text string
	if json.Unmarshal(raw, &text) != nil {
		text = string(raw)
	}
	return &text
}

// Number returns a whole number; 0 for null and for anything else.
func (l Line) Number(name string) int64 {
	n, _ := strconv.ParseInt(string(l[name]), 10, 64)
	return n
}

// Key returns the key of a row as in the names of files: its numbers, joined by hyphens.
func (l Line) Key(columns []string) string {
	parts := make([]string, len(columns))
	for i, name := range columns {
		parts[i] = strconv.FormatInt(l.Number(name), 10)
	}
	return strings.Join(parts, "-")
}

// Entry returns a line of the audit trail as its chain sees it.
func (l Line) Entry() chain.Row {
	row := l.row("id", "company_id", "at", "user_id", "operator", "api_key_id", "action", "resource", "record_id")
	fields, _ := chain.Changes(string(l["changes"]))
	row.Fields = append(row.Fields, fields...)
	return row
}

// Transaction returns a line of the ledger, with the lines of its entries, as its chain sees it.
func (l Line) Transaction(entries []Line) chain.Row {
	row := l.row("id", "company_id", "created_at", "kind", "amount", "product", "field_id", "order_id", "refund_of")
	row.Fields = append(row.Fields, chain.Field{Name: "note", Value: l.Text("note"), Guarded: true})
	for _, e := range entries {
		at := "entries." + string(e["line"]) + "."
		row.Fields = append(row.Fields, chain.Field{Name: at + "account", Value: e.Text("account")}, chain.Field{Name: at + "amount", Value: e.Text("amount")})
	}
	return row
}

func (l Line) row(names ...string) chain.Row {
	row := chain.Row{ID: l.Number("id")}
	for _, name := range names {
		row.Fields = append(row.Fields, chain.Field{Name: name, Value: l.Text(name)})
	}
	return row
}

// Link returns a line of the links of chains.
func (l Line) Link() (chain.Name, chain.Link) {
	text := func(name string) string {
		if t := l.Text(name); t != nil {
			return *t
		}
		return ""
	}
	return chain.Name(text("chain")), chain.Link{
		Position: l.Number("position"), RowID: l.Number("row_id"), Salts: chain.Salts(text("salts")), Digest: text("digest"), Hash: text("hash"),
	}
}
