package persistence

import (
	"context"
	"iter"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/uptrace/bun"

	"tilth/core/fault"
	"tilth/ports"
)

// filter is a documented filter of a list: the expression that a value is compared with.
type filter struct {
	exact  string // compared for equality
	folded string // text folded by fold, searched for a part; empty: no partial match
	since  string // a time, compared for at or after; the value is RFC 3339 text
	until  string // a time, compared for before; the value is RFC 3339 text
	other  string // condition that goes with it, which lets a partial index serve it
}

// filtered adds the filters of a query. A name the resource does not have is a mistake
// of the caller's code: an Internal fault.
func filtered(q *bun.SelectQuery, known map[string]filter, filters []ports.Filter) (*bun.SelectQuery, error) {
	for _, f := range filters {
		k, ok := known[f.Name]
		if !ok {
			return nil, internal("no filter is called %q", f.Name)
		}
		text, isText := f.Value.(string)
		switch {
		case !storable(text):
			q = where(q, nothing)
		case k.since != "", k.until != "":
			at, err := time.Parse(time.RFC3339Nano, text)
			if err != nil {
				return nil, fault.Field(f.Name, "A timestamp as 2026-03-01T12:00:00Z.")
			}
			if k.since != "" {
				q = q.Where(k.since+" >= ?", stampAt(at))
			} else {
				q = q.Where(k.until+" < ?", stampAt(at))
			}
		case k.folded != "" && isText && (f.Partial || k.exact == ""):
			q = q.Where(k.folded+` LIKE ? ESCAPE '\'`, contains(text))
		case f.Partial || k.exact == "":
			return nil, internal("filter %q has no partial match for a %T", f.Name, f.Value)
		default:
			q = q.Where(k.exact+" = ?", f.Value)
			if k.other != "" && text != "" {
				q = q.Where(k.other)
			}
		}
	}
	return q, nil
}

// storable reports whether text can stand in a column at all. What cannot is equal to
// nothing that is stored; PostgreSQL would refuse the question.
func storable(text string) bool { return utf8.ValidString(text) && !strings.ContainsRune(text, 0) }

// fold gives text as it is searched, whatever its case. It is done here and stored,
// because the databases fold differently: SQLite knows ASCII only, PostgreSQL what
// its locale knows.
func fold(text string) string { return strings.ToLower(strings.ToUpper(text)) }

// contains gives the LIKE pattern of a part, which is taken literally.
func contains(part string) string {
	return "%" + strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(fold(part)) + "%"
}

// paged adds the page of a query.
func paged(q *bun.SelectQuery, page ports.Query) *bun.SelectQuery {
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

// stream runs a query and gives its rows one by one, mapped, while the cursor is open.
// The connection belongs to the cursor until the loop ends: inside it, the
// transaction's other methods must not be called.
func stream[R, T any](ctx context.Context, s *session, q *bun.SelectQuery, record func(*R) (T, error)) iter.Seq2[T, error] {
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

// unhurried lifts the statement timeout for a list without a bound, whose pace is that
// of the client who reads it.
func (s *session) unhurried(ctx context.Context) error {
	if !s.postgres {
		return nil
	}
	_, err := s.NewRaw("SET LOCAL statement_timeout = 0").Exec(ctx)
	return err
}

// failed is a sequence of one error.
func failed[T any](err error) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		yield(none, err)
	}
}
