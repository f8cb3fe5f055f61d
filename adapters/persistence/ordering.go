package persistence

import (
	"github.com/uptrace/bun"

	"tilth/ports"
)

// orderKey is something that a list may be ordered by.
type orderKey struct {
	expr     string
	text     bool // compared byte by byte, whatever the locale of the database
	nullable bool // nulls come first, as in SQLite; PostgreSQL is told so
}

var byName = orderKey{expr: "t.name_folded", text: true}

// commonOrders are what every list may be ordered by.
var commonOrders = map[string]orderKey{
	"id": {expr: "t.id"}, "created_at": {expr: "t.created_at"}, "updated_at": {expr: "t.updated_at"},
}

// ordered adds the order of a query. Ties are broken by id, in the direction of the
// last term, so that an index that ends with the id gives the whole order either way.
func (s *session) ordered(q *bun.SelectQuery, known map[string]orderKey, terms []ports.Order) (*bun.SelectQuery, error) {
	descending := false
	for _, term := range terms {
		key, ok := commonOrders[term.Field]
		if !ok {
			if key, ok = known[term.Field]; !ok {
				return nil, internal("no order is called %q", term.Field)
			}
		}
		expr := key.expr
		if key.text && s.postgres {
			expr += ` COLLATE "C"`
		}
		descending = term.Descending
		expr += direction(descending)
		if key.nullable && s.postgres {
			expr += nullsFirst[descending]
		}
		q = q.OrderExpr(expr)
		if term.Field == "id" {
			return q, nil // nothing ties
		}
	}
	return q.OrderExpr("t.id" + direction(descending)), nil
}

// nullsFirst puts nulls before everything else; last where the order is turned round.
var nullsFirst = map[bool]string{false: " NULLS FIRST", true: " NULLS LAST"}

func direction(descending bool) string {
	if descending {
		return " DESC"
	}
	return ""
}
