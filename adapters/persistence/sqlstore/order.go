package sqlstore

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"tilth/adapters/persistence/prepared"
	"tilth/core/fault"
	"tilth/ports"
)

// Orders of lists that have only one.
var (
	OldestFirst = []ports.Order{{Field: "id"}}
	NewestFirst = []ports.Order{{Field: "id", Descending: true}}
)

// ordering is the order of a list, whose last key is the id.
type ordering []orderTerm

type orderTerm struct {
	OrderKey
	descending bool
}

// orderingOf returns the order of a query. Ties are broken by id, in the direction of the last
// term, so that an index that ends with the id gives the whole order either way.
func orderingOf(known map[string]OrderKey, terms []ports.Order) (out ordering, err error) {
	descending := false
	for _, term := range terms {
		key, ok := CommonOrders[term.Field]
		if !ok {
			if key, ok = known[term.Field]; !ok {
				return nil, Internal("no order is called %q", term.Field)
			}
		}
		descending = term.Descending
		out = append(out, orderTerm{key, descending})
		if term.Field == "id" {
			return out, nil // nothing ties
		}
	}
	return append(out, orderTerm{CommonOrders["id"], descending}), nil
}

// expr returns what a term compares.
func (t orderTerm) expr(s *Session) string {
	if t.Text && s.Postgres {
		return t.Expr + ` COLLATE "C"`
	}
	return t.Expr
}

// nullsFirst puts nulls before everything else; last where the order is descending.
var nullsFirst = map[bool]string{false: " NULLS FIRST", true: " NULLS LAST"}

// Ordered adds the order of a query.
func (s *Session) Ordered(q *bun.SelectQuery, known map[string]OrderKey, terms []ports.Order) (*bun.SelectQuery, error) {
	order, err := orderingOf(known, terms)
	if err != nil {
		return nil, err
	}
	return order.apply(s, q), nil
}

func (o ordering) apply(s *Session, q *bun.SelectQuery) *bun.SelectQuery {
	for _, t := range o {
		expr := t.expr(s)
		if t.descending {
			expr += " DESC"
		}
		if t.Nullable && s.Postgres {
			expr += nullsFirst[t.descending]
		}
		q = q.OrderExpr(expr)
	}
	return q
}

// behind selects what comes after the values of the keys. Keys that all go one way are compared as a row, from which PostgreSQL
// continues in an index, however many records tie.
func (o ordering) behind(s *Session, q *bun.SelectQuery, keys []any) *bun.SelectQuery {
	if o.goesOneWay() {
		exprs, marks, args := make([]string, len(o)), make([]string, len(o)), make([]any, len(o))
		for i, t := range o {
			exprs[i], marks[i], args[i] = t.expr(s), "?", keys[i]
			if id, ok := keys[i].(int64); ok {
				args[i] = prepared.Arg(id)
			}
		}
		comparison := map[bool]string{false: ") > (", true: ") < ("}[o[0].descending]
		return q.Where("("+strings.Join(exprs, ", ")+comparison+strings.Join(marks, ", ")+")", args...)
	}
	if first := o[0]; !first.Nullable { // bounds the range by itself, so that an index can be searched
		q = q.Where(first.expr(s)+map[bool]string{false: " >= ?", true: " <= ?"}[first.descending], keys[0])
	}
	return q.WhereGroup(" AND ", func(q *bun.SelectQuery) *bun.SelectQuery {
		for i, t := range o {
			q = q.WhereGroup(" OR ", func(q *bun.SelectQuery) *bun.SelectQuery {
				for j, tied := range o[:i] {
					q = Where(q, tied.equals(s, keys[j]))
				}
				return Where(q, t.follows(s, keys[i]))
			})
		}
		return q
	})
}

// goesOneWay reports whether no key is null, and all are ordered up or all down.
func (o ordering) goesOneWay() bool {
	return !slices.ContainsFunc(o, func(t orderTerm) bool { return t.Nullable || t.descending != o[0].descending })
}

// passesOverTies reports whether a place in this order would be searched by its first key alone, so that all records that tie with it
// are skipped one by one: SQLite does not search an index by a row of values that ends with the id, which is the key of its table.
func (o ordering) passesOverTies(s *Session) bool {
	return !s.Postgres && len(o) == 2 && o.goesOneWay()
}

// behindTies returns two conditions: of the records that tie with the first of two keys and follow the second, and of those after all ties.
func (o ordering) behindTies(s *Session, keys []any) [2][]Condition {
	return [2][]Condition{{o[0].equals(s, keys[0]), o[1].follows(s, keys[1])}, {o[0].follows(s, keys[0])}}
}

func (t orderTerm) equals(s *Session, value any) Condition {
	if value == nil {
		return When(t.Expr + " IS NULL")
	}
	return When(t.expr(s)+" = ?", value)
}

// follows returns the condition of what comes after a value: nulls come before everything else,
// and after it where the order is descending.
func (t orderTerm) follows(s *Session, value any) Condition {
	switch {
	case value == nil && t.descending:
		return Nothing
	case value == nil:
		return When(t.Expr + " IS NOT NULL")
	case t.descending && t.Nullable:
		return When("("+t.expr(s)+" < ? OR "+t.Expr+" IS NULL)", value)
	case t.descending:
		return When(t.expr(s)+" < ?", value)
	default:
		return When(t.expr(s)+" > ?", value)
	}
}

// begin reads the keys of a cursor, as the rows of R hold them. Faults: Invalid of cursor.
func begin[R any](s *Session, o ordering, at *ports.Place) error {
	if at == nil || at.Given == nil {
		return nil
	}
	wrong := fault.Field("cursor", "It must be the cursor of the next link of a page of this list.")
	if len(at.Given) != len(o) {
		return wrong
	}
	table, keys := s.pool.Table(reflect.TypeFor[R]()), make([]any, len(o))
	for i, t := range o {
		field := table.FieldMap[strings.TrimPrefix(t.Expr, "t.")]
		if field == nil || string(at.Given[i]) == "null" && !t.Nullable {
			return wrong
		}
		if string(at.Given[i]) == "null" {
			continue
		}
		value := reflect.New(field.IndirectType)
		if err := json.Unmarshal(at.Given[i], value.Interface()); err != nil {
			return wrong
		}
		if keys[i] = value.Elem().Interface(); value.Elem().Kind() == reflect.String && !Storable(value.Elem().String()) {
			return wrong
		}
	}
	at.Keys, at.Given = keys, nil
	return nil
}

// page adds the order and the page of a query, from its place on.
func (o ordering) page(s *Session, q *bun.SelectQuery, query ports.Query) *bun.SelectQuery {
	q = o.apply(s, q)
	if query.At != nil && query.At.Keys != nil {
		q, query.Offset = o.behind(s, q, query.At.Keys), 0
	}
	return Paged(q, query)
}

// marked wraps a reader of rows so that it moves the place of a query with every row.
func marked[R, T any](s *Session, o ordering, at *ports.Place, record func(*R) (T, error)) func(*R) (T, error) {
	if at == nil {
		return record
	}
	table := s.pool.Table(reflect.TypeFor[R]())
	fields := make([]*schema.Field, len(o))
	for i, t := range o {
		fields[i] = table.FieldMap[strings.TrimPrefix(t.Expr, "t.")]
	}
	return func(row *R) (T, error) {
		keys := make([]any, len(fields))
		for i, f := range fields {
			if f == nil {
				var none T
				return none, Internal("a list cannot continue after %s, which its rows do not hold", o[i].Expr)
			}
			value := f.Value(reflect.ValueOf(row).Elem())
			if value.Kind() != reflect.Pointer {
				keys[i] = value.Interface()
			} else if !value.IsNil() {
				keys[i] = value.Elem().Interface()
			}
		}
		at.Keys = keys
		return record(row)
	}
}
