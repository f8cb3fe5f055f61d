package sqlstore

import (
	"github.com/uptrace/bun"

	"tilth/ports"
)

// OrderKey is something that a list may be ordered by.
type OrderKey struct {
	Expr     string
	Text     bool // compared byte by byte, whatever the locale of the database
	Nullable bool // nulls come first, as in SQLite; PostgreSQL is told so
}

// ByName orders records by name, whatever its case.
var ByName = OrderKey{Expr: "t.name_folded", Text: true}

// CommonOrders are what every list may be ordered by.
var CommonOrders = map[string]OrderKey{
	"id": {Expr: "t.id"}, "created_at": {Expr: "t.created_at"}, "updated_at": {Expr: "t.updated_at"},
}

// Ordered adds the order of a query. Ties are broken by id, in the direction of the
// last term, so that an index that ends with the id gives the whole order either way.
func (s *Session) Ordered(q *bun.SelectQuery, known map[string]OrderKey, terms []ports.Order) (*bun.SelectQuery, error) {
	descending := false
	for _, term := range terms {
		key, ok := CommonOrders[term.Field]
		if !ok {
			if key, ok = known[term.Field]; !ok {
				return nil, Internal("no order is called %q", term.Field)
			}
		}
		expr := key.Expr
		if key.Text && s.Postgres {
			expr += ` COLLATE "C"`
		}
		descending = term.Descending
		expr += direction(descending)
		if key.Nullable && s.Postgres {
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
