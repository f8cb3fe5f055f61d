package sqlstore

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/grams"
	"tilth/adapters/persistence/prepared"
	"tilth/core/access"
	"tilth/ports"
)

// Lists are searched for a part of a name by an index of the runs of three letters in names: pg_trgm on PostgreSQL, FTS5 on
// SQLite, which has an index of numbers, too (package names). The index finds records that may match, up to maxHits, and the list
// is then narrowed to them in addition to its own condition: the result is the same with and without the index.

// SearchedTable is a table of named records of companies.
type SearchedTable struct {
	N      int    // tells the tables apart in SQLite's index; below 8
	Column string // the folded name
}

// Searched are the tables whose names have an index, by the migration "search".
var Searched = map[string]SearchedTable{
	"farms": {0, "name_folded"}, "fields": {1, "name_folded"}, "seasons": {2, "name_folded"},
	"fertilizations": {3, "product_name_folded"}, "aois": {4, "name_folded"},
}

// NumbersOf returns the name of the list that holds the marks and changes of a table's index of numbers.
func NumbersOf(table string) string { return table + ".numbers" }

// Part is a name within a searched text: that of the row whose id is Ref.
type Part struct {
	Table  string // empty: the table of the list
	Ref    string // "t.field_id"
	Column string // empty: that of the table's index
	Common bool   // the table belongs to no company
}

// OwnName is the name of the rows of the list.
var OwnName = []Part{{Ref: "t.id"}}

const (
	maxHits     = 1000 // with more hits than this the list is read as if there were no index
	maxOthers   = 5000 // names, of all companies, that are looked at one by one
	maxPrefixes = 8
)

// hits are the ids of the rows of a list that may match a search; known is false where the index does not help.
type hits struct {
	ids   []int64
	known bool
}

// hitsOf looks up in the index the rows of R to which a list can be narrowed, by the first of its filters that the index helps
// with; live states that deleted rows are marked.
func hitsOf[R any](ctx context.Context, s *Session, live bool, filters map[string]Filter, scope access.Scope, query ports.Query) (hits, error) {
	for _, f := range query.Filters {
		k := filters[f.Name]
		text, isText := f.Value.(string)
		if len(k.Parts) == 0 || !isText || !f.Partial && k.Exact != "" || !Storable(text) || !Writable(scope) {
			continue
		}
		look := lookup{s.pool.Table(reflect.TypeFor[R]()).Name, live, f.Name, Fold(text), scope.Company()}
		out, before := s.looked[look]
		if !before {
			var err error
			if out, err = look.hits(ctx, s, k); err != nil {
				return out, err
			}
			if !s.Writes { // a list is counted and read in one transaction
				s.looked = map[lookup]hits{look: out}
			}
		}
		if out.known {
			return out, nil
		}
	}
	return hits{}, nil
}

// narrow restricts a query to hits. SQLite does not know how long lists are, and would rather walk all rows of a company.
func (h hits) narrow(s *Session, q *bun.SelectQuery) *bun.SelectQuery {
	if !h.known {
		return q
	}
	if !s.Postgres {
		q = q.ModelTableExpr("?TableName AS t NOT INDEXED")
	}
	return Where(q, Among("t.id", h.ids))
}

// lookup is a search of a company's rows of a table for a folded text.
type lookup struct {
	own     string
	live    bool // its deleted rows are marked
	filter  string
	text    string
	company int64
}

func (l lookup) hits(ctx context.Context, s *Session, k Filter) (out hits, err error) {
	behind, ok := l.behindSpaces(k)
	if !ok || utf8.RuneCountInString(l.text) < grams.Letters {
		return out, nil
	}
	if ok, err := s.searchable(ctx); err != nil || !ok {
		return out, err
	}
	for i, part := range k.Parts {
		var prefixes []string
		if i > 0 {
			prefixes = behind
		}
		ids, err := l.names(ctx, s, part, prefixes)
		if err == nil && len(ids) > 0 && len(ids) <= maxHits && part.Ref != "t.id" {
			ids, err = Values[int64](ctx, l.rows(s, part, ids))
		}
		if out.ids = append(out.ids, ids...); err != nil || len(out.ids) > maxHits {
			return hits{}, err
		}
	}
	slices.Sort(out.ids)
	return hits{slices.Compact(out.ids), true}, nil
}

// behindSpaces returns what follows each space of a text that may span parts: the last of the parts that the text touches
// begins with one of these. ok is false where every part would, or where these are more than maxPrefixes.
func (l lookup) behindSpaces(k Filter) (out []string, ok bool) {
	if !k.Spans {
		return nil, true
	}
	for rest := l.text; ; {
		_, behind, more := strings.Cut(rest, " ")
		if !more {
			return out, len(out) <= maxPrefixes
		}
		if behind == "" {
			return nil, false
		}
		out, rest = append(out, behind), behind
	}
}

// names returns the ids of the rows of a part that may contain the text, or begin with one of the prefixes: up to maxHits + 1.
func (l lookup) names(ctx context.Context, s *Session, part Part, prefixes []string) ([]int64, error) {
	table := part.Table
	if table == "" {
		table = l.own
	}
	index, indexed := Searched[table]
	column := index.Column
	if part.Column != "" {
		column = part.Column
	}
	q := s.NewSelect().ColumnExpr("n.id").Limit(maxHits+1).Where("?", prepared.Varied{}) // which index serves depends on the text
	if s.Postgres || !indexed || len(prefixes) > 0 {
		q = q.TableExpr("? AS n", bun.Ident(table))
	} else {
		found, err := l.found(ctx, s, table, index)
		if err != nil {
			return nil, err
		}
		// The order is forced: SQLite would walk the names of a company, and look each of them up in the index.
		q = q.TableExpr("(?) AS hit", found).Join("CROSS JOIN ? AS n ON n.id = hit.id", bun.Ident(table))
	}
	if !part.Common {
		q = q.Where("n.company_id = ?", l.company)
	}
	return Values[int64](ctx, q.WhereGroup(" AND ", func(q *bun.SelectQuery) *bun.SelectQuery {
		if rare := grams.RareWord(l.text); s.Postgres && rare != l.text { // the index is searched for the word, each name for the text
			q = q.Where("n."+column+` LIKE ? ESCAPE '\' AND (n.`+column+` || '') LIKE ? ESCAPE '\'`, contains(rare), contains(l.text))
		} else {
			q = q.Where("n."+column+` LIKE ? ESCAPE '\'`, contains(l.text))
		}
		for _, one := range prefixes {
			q = q.WhereOr("n."+column+` LIKE ? ESCAPE '\'`, likeText(one)+"%")
		}
		return q
	}))
}

// rows selects the ids of the rows of the list that refer to given rows of a part: up to maxHits + 1. SQLite is told to begin
// with the latter: it does not know how many rows a company has.
func (l lookup) rows(s *Session, part Part, ids []int64) *bun.SelectQuery {
	q := s.NewSelect().ColumnExpr("t.id").Limit(maxHits+1).Where("t.company_id = ?", l.company)
	if l.live { // which lets partial indexes serve
		q = q.Where("t.deleted_at IS NULL")
	}
	if s.Postgres {
		return Where(q.TableExpr("? AS t", bun.Ident(l.own)), Among(part.Ref, ids))
	}
	values := make([]string, len(ids))
	for i, id := range ids {
		values[i] = fmt.Sprintf("(%d)", id)
	}
	return q.TableExpr("(VALUES "+strings.Join(values, ", ")+") AS n").Join("CROSS JOIN ? AS t ON "+part.Ref+" = n.column1", bun.Ident(l.own)).
		Where("?", prepared.Varied{})
}

// found selects, on SQLite, the ids of the rows of a table that may contain the text: those that an index has, those whose name
// has changed since, and those that are newer than the index. A number is looked up in the index of numbers, whose lists are short.
// Where the names that match in all companies are many, the index is searched for those of the company: for a few, looking each
// up among all names of a large company would take longer.
func (l lookup) found(ctx context.Context, s *Session, table string, index SearchedTable) (*bun.SelectQuery, error) {
	if number := grams.OfNumber(l.text); number != "" {
		entries, known, err := s.numbered(ctx, table, number)
		if err != nil {
			return nil, err
		}
		if known {
			return l.unfolded(s, table, NumbersOf(table), index.among(s, entries)), nil
		}
	}
	entries, err := s.entries(ctx, "search_terms", grams.Of(grams.RareWord(l.text)))
	if err != nil {
		return nil, err
	}
	if len(entries) > maxOthers {
		return l.unfolded(s, table, table, s.NewSelect().TableExpr("search_terms").ColumnExpr("rowid >> 3 AS id").Where("rowid & 7 = ?", prepared.Arg(index.N)).
			Where("search_terms MATCH ?", grams.OfCompany(l.company, index.N)+" AND "+grams.Of(l.text))), nil
	}
	return l.unfolded(s, table, table, index.among(s, entries)), nil
}

// unfolded selects the ids of a table's rows that the index of a list does not know yet, together with those found in it, if any.
func (l lookup) unfolded(s *Session, table, list string, found *bun.SelectQuery) *bun.SelectQuery {
	out := s.NewSelect().TableExpr("search_changes AS c").ColumnExpr("c.id").Where("c.list = ?", list).
		UnionAll(s.NewSelect().TableExpr("? AS f", bun.Ident(table)).ColumnExpr("f.id").Where("f.company_id = ?", l.company).
			Where("f.id > (SELECT m.upto FROM search_marks AS m WHERE m.list = ?)", list))
	if found != nil {
		out = out.UnionAll(found)
	}
	return out
}

// entries returns the entries of an index that meet a condition: up to maxOthers + 1.
func (s *Session) entries(ctx context.Context, index, condition string) ([]int64, error) {
	return Values[int64](ctx, s.NewSelect().TableExpr(index).ColumnExpr("rowid").Where(index+" MATCH ?", condition).Limit(maxOthers+1))
}

// numbered returns the entries of the index of numbers that meet a condition. known is false where these are more than maxOthers,
// and where the index covers less of the table than the other index, as in the first minute after the upgrade that made it.
func (s *Session) numbered(ctx context.Context, table, condition string) (entries []int64, known bool, err error) {
	behind, err := Values[int64](ctx, s.NewSelect().TableExpr("search_marks AS n").Join("JOIN search_marks AS m ON m.list = ?", table).
		ColumnExpr("m.upto - n.upto").Where("n.list = ?", NumbersOf(table)))
	if err != nil || len(behind) != 1 || behind[0] > 0 {
		return nil, false, err
	}
	entries, err = s.entries(ctx, "search_numbers", condition)
	return entries, len(entries) <= maxOthers, err
}

// among selects the ids of this table's rows from entries of all tables; nil where there are none.
func (index SearchedTable) among(s *Session, entries []int64) *bun.SelectQuery {
	var values []string
	for _, one := range entries {
		if one&7 == int64(index.N) {
			values = append(values, fmt.Sprintf("(%d)", one>>3))
		}
	}
	if len(values) == 0 {
		return nil
	}
	return s.NewSelect().TableExpr("(VALUES " + strings.Join(values, ", ") + ") AS v").ColumnExpr("v.column1")
}

// searchable reports whether there is an index. Where PostgreSQL has none, names are searched one by one.
func (s *Session) searchable(ctx context.Context) (known bool, err error) {
	if !s.Postgres {
		return true, nil
	}
	err = s.NewRaw("SELECT to_regclass('ix_fields_search') IS NOT NULL").Scan(ctx, &known)
	return known, err
}
