package sqlstore

import (
	"context"
	"iter"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/prepared"
	"tilth/core/fault"
	corerecord "tilth/core/record"
	"tilth/ports"
)

// CommonFilters are the filters of every resource of a company, and those given.
func CommonFilters(more map[string]Filter) map[string]Filter {
	out := map[string]Filter{
		"id":            {Exact: "t.id"},
		"company":       {Exact: "t.company_id"},
		"created_by":    {Exact: "t.created_by"},
		"updated_since": {Since: "t.updated_at"},
	}
	for name, f := range more {
		out[name] = f
	}
	return out
}

// ByKey is the filter of the key in another system.
var ByKey = Filter{Exact: "t.external_id", other: "t.external_id <> ''"}

// WithKeys is the condition of the rows with any of some external ids.
func WithKeys(keys []string) Condition {
	c, _ := ByKey.among(keys)
	return c
}

// KeyedFilters are the filters of a resource with an external id, and those given.
func KeyedFilters(more map[string]Filter) map[string]Filter {
	out := CommonFilters(more)
	out["external_id"] = ByKey
	return out
}

// NamedFilters are the filters of a resource with a name and an external id, and those given.
func NamedFilters(more map[string]Filter) map[string]Filter {
	out := KeyedFilters(more)
	out["name"] = Filter{Exact: "t.name", Folded: "t.name_folded", Parts: OwnName}
	out["search"] = Filter{Folded: "t.name_folded", Parts: OwnName}
	return out
}

// Filter is a documented filter of a list: the expression that a value is compared with.
type Filter struct {
	Exact  string // compared for equality
	Folded string // text folded by fold, searched for a part; empty: no partial match
	Since  string // a time, compared for at or after; the value is RFC 3339 text
	Until  string // a time, compared for before; the value is RFC 3339 text
	Has    string // a condition on the value, which concerns other rows
	Where  *Area  // where rows lie; the value is []geo.Box
	When   *Spell // when rows are; the value is a ports.Span
	Parts  []Part // the names that Folded is made of, which an index finds; none: there is no index of them
	Spans  bool   // the names form one text, separated by spaces
	other  string // condition that goes with it, which lets a partial index serve it
}

// Filtered adds the filters of a query. An unknown name is a mistake of the caller's code: Internal.
func Filtered(q *bun.SelectQuery, known map[string]Filter, filters []ports.Filter) (*bun.SelectQuery, error) {
	for _, f := range filters {
		k, ok := known[f.Name]
		if !ok {
			return nil, Internal("no filter is called %q", f.Name)
		}
		text, isText := f.Value.(string)
		listed, ok := k.among(f.Value)
		if !ok {
			listed, ok = k.placed(f.Value)
		}
		if ok {
			q = Where(q, listed)
			continue
		}
		switch {
		case !Storable(text):
			q = Where(q, Nothing)
		case k.Has != "":
			q = q.Where(k.Has, f.Value)
		case k.Since != "", k.Until != "":
			at, err := time.Parse(time.RFC3339Nano, text)
			if err != nil {
				return nil, fault.Field(f.Name, "It must be a timestamp such as 2026-03-01T12:00:00Z.")
			}
			if k.Since != "" {
				q = q.Where(k.Since+" >= ?", StampAt(at))
			} else {
				q = q.Where(k.Until+" < ?", StampAt(at))
			}
		case k.Folded != "" && isText && (f.Partial || k.Exact == ""):
			q = q.Where(k.Folded+` LIKE ? ESCAPE '\'`, contains(text))
		case f.Partial || k.Exact == "":
			return nil, Internal("filter %q has no partial match for a %T", f.Name, f.Value)
		default:
			q = q.Where(k.Exact+" = ?", f.Value)
			if k.other != "" && text != "" {
				q = q.Where(k.other)
			}
		}
	}
	return q, nil
}

// among returns the condition of having one of several values; ok is false for a single one.
func (f Filter) among(value any) (c Condition, ok bool) {
	switch values := value.(type) {
	case []int64:
		return Among(f.Exact, values), true
	case []string:
		if values = slices.DeleteFunc(slices.Clone(values), func(text string) bool { return text == "" || !Storable(text) }); len(values) == 0 {
			return Nothing, true
		}
		c = When(f.Exact+" IN (?)", prepared.List(values))
		if f.other != "" {
			c.SQL += " AND " + f.other
		}
		return c, true
	}
	return Condition{}, false
}

// Narrow restricts a query to the rows whose column has a value; a zero value does not restrict it.
func Narrow[V comparable](q *bun.SelectQuery, column string, value V) *bun.SelectQuery {
	if value == *new(V) {
		return q
	}
	return q.Where("? = ?", bun.Ident(column), value)
}

// Storable reports whether text can be stored in a column. Text that cannot equals nothing stored; PostgreSQL would refuse it.
func Storable(text string) bool { return utf8.ValidString(text) && !strings.ContainsRune(text, 0) }

// Fold returns text in the form in which it is searched, whatever its case. The form is stored, because the databases
// fold differently: SQLite folds ASCII only, PostgreSQL by its locale.
func Fold(text string) string { return corerecord.Fold(text) }

// contains returns the LIKE pattern of a part, which is taken literally.
func contains(part string) string { return "%" + likeText(Fold(part)) + "%" }

// likeText returns the LIKE pattern of a text.
func likeText(text string) string {
	return strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(text)
}

// Paged adds the page of a query.
func Paged(q *bun.SelectQuery, page ports.Query) *bun.SelectQuery {
	if page.Limit > 0 {
		q = q.Limit(page.Limit)
	} else if page.Offset > 0 {
		q = q.Limit(math.MaxInt64) // SQLite has no OFFSET without LIMIT
	}
	if page.Offset > 0 {
		q = q.Offset(page.Offset)
	}
	return q
}

// Stream runs a query and yields its rows as records. Until the loop ends the cursor holds the connection:
// inside the loop no other method of the transaction may be called.
func Stream[R, T any](ctx context.Context, s *Session, q *bun.SelectQuery, record func(*R) (T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		rows, err := q.Rows(ctx)
		if err != nil {
			yield(none, err)
			return
		}
		defer rows.Close()
		for rows.Next() {
			row := new(R)
			if err := s.pool.ScanRow(ctx, rows, row); err != nil {
				yield(none, err)
				return
			}
			value, err := record(row)
			if !yield(value, err) || err != nil {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(none, err)
		}
	}
}

// Unhurried lifts the statement timeout for a list without a bound, read at the client's pace.
func (s *Session) Unhurried(ctx context.Context) error {
	if !s.Postgres {
		return nil
	}
	return Run(ctx, s.NewRaw("SET LOCAL statement_timeout = 0"))
}

// Failed returns a sequence of one error.
func Failed[T any](err error) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		yield(none, err)
	}
}

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
