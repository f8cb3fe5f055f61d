package sqlstore

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/prepared"
	"tilth/core/access"
	"tilth/ports"
)

// Lists are searched for a part of a name by an index of the three letters in a row that names have: pg_trgm on PostgreSQL,
// FTS5 on SQLite, kept by [DB.FoldSearch]. The index finds records that may match, up to maxHits, and the list is then
// narrowed to them beside its own condition: what is found is the same with the index and without.

// searchedTable is a table of named records of companies.
type searchedTable struct {
	N      int    // tells the tables apart in SQLite's index; below 8
	Column string // the folded name
}

// searched are the tables whose names have an index, by the migration "search".
var searched = map[string]searchedTable{
	"farms": {0, "name_folded"}, "fields": {1, "name_folded"}, "seasons": {2, "name_folded"},
	"fertilizations": {3, "product_name_folded"}, "aois": {4, "name_folded"},
}

// Part is a name that a text which is searched has: that of a row whose id is Ref.
type Part struct {
	Table  string // empty: the table of the list
	Ref    string // "t.field_id"
	Column string // empty: as the index of the table knows it
	Common bool   // the table is no company's
}

// OwnName is the name of the rows of the list.
var OwnName = []Part{{Ref: "t.id"}}

const (
	maxHits     = 1000 // of more hits than this the list is read as if there were no index
	gram        = 3    // letters that the index knows together
	maxGrams    = 32   // of a text that are looked up
	maxOthers   = 5000 // names, of all companies, that are looked at one by one
	rareDigits  = 5    // of a word that few names have; a year has four
	maxPrefixes = 8
)

// hits are the ids of the rows of a list that may match what it is searched for; known is false where the index does not help.
type hits struct {
	ids   []int64
	known bool
}

// hitsOf looks in the index for the rows of R that a list is narrowed to by the first of its filters that it helps with;
// live tells that rows are marked where they are deleted.
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

// narrow restricts a query to hits. SQLite knows nothing of how long lists are, and would rather walk all of a company's.
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
	live    bool // its rows are marked where they are deleted
	filter  string
	text    string
	company int64
}

func (l lookup) hits(ctx context.Context, s *Session, k Filter) (out hits, err error) {
	behind, ok := l.behindSpaces(k)
	if !ok || utf8.RuneCountInString(l.text) < gram {
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

// behindSpaces returns what stands behind each space of a text that may span parts: the last of the parts that it touches
// begins with one of these. It is false where that would be any part.
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

// names returns the ids of the rows of a part that may hold the text, or begin with one of the prefixes: up to one more than
// maxHits.
func (l lookup) names(ctx context.Context, s *Session, part Part, prefixes []string) ([]int64, error) {
	table := part.Table
	if table == "" {
		table = l.own
	}
	index, indexed := searched[table]
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
		// In this order: SQLite would walk the names of a company, and ask of each whether the index has it.
		q = q.TableExpr("(?) AS hit", found).Join("CROSS JOIN ? AS n ON n.id = hit.id", bun.Ident(table))
	}
	if !part.Common {
		q = q.Where("n.company_id = ?", l.company)
	}
	return Values[int64](ctx, q.WhereGroup(" AND ", func(q *bun.SelectQuery) *bun.SelectQuery {
		if rare := rareWord(l.text); s.Postgres && rare != l.text { // the index is asked for the word, each name for the text
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

// rows selects the ids of the rows of the list that refer to those of a part: up to one more than maxHits. SQLite is told to
// begin with these: it knows nothing of how many rows a company has.
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

// found selects, on SQLite, the ids of the rows of a table that may hold the text: those that the index has, those whose name
// has changed since, and those that are newer than the index. The index is asked for the names of the company where those of all are
// many: looking each of a few up among all names that a large company has takes longer.
func (l lookup) found(ctx context.Context, s *Session, table string, index searchedTable) (*bun.SelectQuery, error) {
	out := s.NewSelect().TableExpr("search_changes AS c").ColumnExpr("c.id").Where("c.list = ?", table).
		UnionAll(s.NewSelect().TableExpr("? AS f", bun.Ident(table)).ColumnExpr("f.id").Where("f.company_id = ?", l.company).
			Where("f.id > (SELECT m.upto FROM search_marks AS m WHERE m.list = ?)", table))
	terms := func() *bun.SelectQuery { return s.NewSelect().TableExpr("search_terms") }
	entries, err := Values[int64](ctx, terms().ColumnExpr("rowid").Where("search_terms MATCH ?", grams(rareWord(l.text))).Limit(maxOthers+1))
	if err != nil {
		return nil, err
	}
	if len(entries) > maxOthers {
		return out.UnionAll(terms().ColumnExpr("rowid >> 3 AS id").Where("rowid & 7 = ?", prepared.Arg(index.N)).
			Where("search_terms MATCH ?", quoted(scopeWord(l.company, index.N))+" AND "+grams(l.text))), nil
	}
	var values []string
	for _, one := range entries {
		if one&7 == int64(index.N) {
			values = append(values, fmt.Sprintf("(%d)", one>>3))
		}
	}
	if len(values) > 0 {
		out = out.UnionAll(s.NewSelect().TableExpr("(VALUES " + strings.Join(values, ", ") + ") AS v").ColumnExpr("v.column1"))
	}
	return out, nil
}

// rareWord returns the part of a text to ask the index for: a word with a number that few names have, or else the text. The lists
// of a word such as "field" are as long as all names, and to intersect others with them takes longer than to read the names that are found.
func rareWord(text string) string {
	for word := range strings.FieldsSeq(text) {
		digits := 0
		for _, one := range word {
			if '0' <= one && one <= '9' {
				digits++
			}
		}
		if digits >= rareDigits {
			return word
		}
	}
	return text
}

// grams is the condition of SQLite's index that a name has each three letters of a text.
func grams(text string) string {
	var grams []string
	letters := []rune(text)
	step := max(1, (len(letters)-gram+maxGrams)/maxGrams)
	for i := 0; i+gram <= len(letters); i += step {
		if one := quoted(string(letters[i : i+gram])); !slices.Contains(grams, one) {
			grams = append(grams, one)
		}
	}
	return strings.Join(grams, " AND ")
}

func quoted(word string) string { return `"` + strings.ReplaceAll(word, `"`, `""`) + `"` }

// scopeBase is the first of the letters, of those that mean nothing, that a company and a table are written with.
const scopeBase = 0xF0000

// scopeWord is the three letters in SQLite's index that all names of a company in a table have.
func scopeWord(company int64, table int) string {
	const bits = 12
	n := company<<3 | int64(table)
	letter := func(shift int) rune { return rune(scopeBase + n>>shift&(1<<bits-1)) }
	return string([]rune{letter(2 * bits), letter(bits), letter(0)})
}

// searchable reports whether there is an index. Where PostgreSQL has none, names are searched one by one.
func (s *Session) searchable(ctx context.Context) (known bool, err error) {
	if !s.Postgres {
		return true, nil
	}
	err = s.NewRaw("SELECT to_regclass('ix_fields_search') IS NOT NULL").Scan(ctx, &known)
	return known, err
}

// foldedNames bounds how many names one transaction puts into SQLite's index.
const foldedNames = 10_000

// FoldSearch puts new and changed names into the index of SQLite, and returns how many those were. Until then a search
// reads them one by one.
func (d *DB) FoldSearch(ctx context.Context) (total int64, err error) {
	if d.engine.postgres {
		return 0, nil
	}
	for table, index := range searched {
		for {
			var n int64
			err := d.View(ctx, func(ctx context.Context, s *Session) error {
				return s.NewRaw("SELECT (SELECT count(*) FROM (SELECT id FROM ?0 WHERE id > (SELECT upto FROM search_marks WHERE list = ?1) LIMIT ?2))"+
					" + (SELECT count(*) FROM (SELECT id FROM search_changes WHERE list = ?1 LIMIT ?2))",
					bun.Ident(table), table, prepared.Arg(foldedNames)).Scan(ctx, &n)
			})
			if err == nil && n > 0 {
				err = d.Update(ctx, func(ctx context.Context, s *Session) error { return foldNames(ctx, s, table, index) })
			}
			if total += n; err != nil {
				return total, err
			}
			if n < foldedNames {
				break
			}
		}
	}
	return total, nil
}

// foldNames puts the next names of a table into the index: those behind the mark, and those that have changed or gone.
func foldNames(ctx context.Context, s *Session, table string, index searchedTable) error {
	const which = "SELECT id FROM search_changes WHERE list = '%[1]s' ORDER BY id LIMIT %[4]d"
	const fill = "INSERT INTO search_terms (rowid, scope, name) SELECT id << 3 | %[2]d," +
		" char(%[5]d + (company_id << 3 >> 24 & 4095), %[5]d + (company_id << 3 >> 12 & 4095), %[5]d + ((company_id << 3 | %[2]d) & 4095)), %[3]s FROM %[1]s"
	const mark = "SELECT upto FROM search_marks WHERE list = '%[1]s'"
	for _, statement := range []string{
		"DELETE FROM search_terms WHERE rowid IN (SELECT id << 3 | %[2]d FROM (" + which + "))",
		fill + " WHERE id IN (" + which + ") AND id <= (" + mark + ")",
		"DELETE FROM search_changes WHERE list = '%[1]s' AND id IN (" + which + ")",
		fill + " WHERE id > (" + mark + ") ORDER BY id LIMIT %[4]d",
		"UPDATE search_marks SET upto = COALESCE((SELECT MAX(id) FROM (SELECT id FROM %[1]s WHERE id > (" + mark + ") ORDER BY id LIMIT %[4]d)), upto) WHERE list = '%[1]s'",
	} {
		if _, err := s.ExecContext(ctx, fmt.Sprintf(statement, table, index.N, index.Column, foldedNames, scopeBase)); err != nil {
			return err
		}
	}
	return nil
}
