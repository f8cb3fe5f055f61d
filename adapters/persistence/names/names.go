// Package names maintains SQLite's indexes of names, which searches use (sqlstore): one of letters and one of numbers. A row in them
// costs a writer more than the record does, so names are added later, many at once. PostgreSQL maintains its own.
package names

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/grams"
	"tilth/adapters/persistence/prepared"
	"tilth/adapters/persistence/sqlstore"
)

// foldedNames bounds how many names one transaction puts into an index of SQLite, and foldedRows how many one statement does.
const (
	foldedNames = 10_000
	foldedRows  = 500
)

// folding is an index of the names of a table.
type folding struct {
	table  string
	of     sqlstore.SearchedTable
	list   string // the name of its mark and of its changes
	index  string
	insert func(ctx context.Context, s *sqlstore.Session, f folding, which string) error // puts rows into the index
}

// Fold puts new and changed names into the indexes, and returns how many those were. Until then a search reads them one by one.
func Fold(ctx context.Context, db *sqlstore.DB) (total int64, err error) {
	if db.Postgres() {
		return 0, nil
	}
	for table, of := range sqlstore.Searched {
		for _, f := range []folding{
			{table, of, table, "search_terms", insertTerms},
			{table, of, sqlstore.NumbersOf(table), "search_numbers", insertNumbers},
		} {
			n, err := f.fold(ctx, db)
			if total += n; err != nil {
				return total, err
			}
		}
	}
	return total, nil
}

// fold brings one index up to date.
func (f folding) fold(ctx context.Context, db *sqlstore.DB) (total int64, err error) {
	for n := int64(foldedNames); n >= foldedNames; {
		err := db.View(ctx, func(ctx context.Context, s *sqlstore.Session) error {
			return s.NewRaw("SELECT (SELECT count(*) FROM (SELECT id FROM ?0 WHERE id > (SELECT upto FROM search_marks WHERE list = ?1) LIMIT ?2))"+
				" + (SELECT count(*) FROM (SELECT id FROM search_changes WHERE list = ?1 LIMIT ?2))",
				bun.Ident(f.table), f.list, prepared.Arg(foldedNames)).Scan(ctx, &n)
		})
		if err == nil && n > 0 {
			err = db.Update(ctx, func(ctx context.Context, s *sqlstore.Session) error { return f.next(ctx, s) })
		}
		if total += n; err != nil {
			return total, err
		}
	}
	return total, nil
}

// next puts the next names of the table into the index: those after the mark, and those that have changed or gone.
func (f folding) next(ctx context.Context, s *sqlstore.Session) error {
	changed := fmt.Sprintf("SELECT id FROM search_changes WHERE list = '%s' ORDER BY id LIMIT %d", f.list, foldedNames)
	mark := fmt.Sprintf("SELECT upto FROM search_marks WHERE list = '%s'", f.list)
	behind := fmt.Sprintf("id > (%s) ORDER BY id LIMIT %d", mark, foldedNames)
	exec := func(statement string, args ...any) func() error {
		return func() error { _, err := s.ExecContext(ctx, fmt.Sprintf(statement, args...)); return err }
	}
	for _, do := range []func() error{
		exec("DELETE FROM %s WHERE rowid IN (SELECT id << 3 | %d FROM (%s))", f.index, f.of.N, changed),
		func() error { return f.insert(ctx, s, f, fmt.Sprintf("id IN (%s) AND id <= (%s)", changed, mark)) },
		exec("DELETE FROM search_changes WHERE list = '%s' AND id IN (%s)", f.list, changed),
		func() error { return f.insert(ctx, s, f, behind) },
		exec("UPDATE search_marks SET upto = COALESCE((SELECT MAX(id) FROM (SELECT id FROM %s WHERE %s)), upto) WHERE list = '%s'", f.table, behind, f.list),
	} {
		if err := do(); err != nil {
			return err
		}
	}
	return nil
}

// insertTerms puts the letters of names into their index, with the company and the table that they belong to.
func insertTerms(ctx context.Context, s *sqlstore.Session, f folding, which string) error {
	_, err := s.ExecContext(ctx, fmt.Sprintf("INSERT INTO search_terms (rowid, scope, name) SELECT id << 3 | %[2]d,"+
		" char(%[5]d + (company_id << 3 >> 24 & 4095), %[5]d + (company_id << 3 >> 12 & 4095), %[5]d + ((company_id << 3 | %[2]d) & 4095)), %[3]s FROM %[1]s WHERE %[4]s",
		f.table, f.of.N, f.of.Column, which, grams.CompanyBase))
	return err
}

// insertNumbers puts the numbers of names into their index, for the names that have one.
func insertNumbers(ctx context.Context, s *sqlstore.Session, f folding, which string) error {
	rows, err := s.QueryContext(ctx, fmt.Sprintf("SELECT id << 3 | %d, name FROM (SELECT id, %s AS name FROM %s WHERE %s) WHERE name GLOB '*%s*'",
		f.of.N, f.of.Column, f.table, which, strings.Repeat("[0-9]", grams.Digits)))
	if err != nil {
		return err
	}
	var values []string
	for rows.Next() {
		var entry int64
		var name string
		if err = rows.Scan(&entry, &name); err != nil {
			break
		}
		values = append(values, fmt.Sprintf("(%d, '%s')", entry, grams.Numbers(name))) // letters that mean nothing, and spaces
	}
	if err := errors.Join(err, rows.Err(), rows.Close()); err != nil {
		return err
	}
	for some := range slices.Chunk(values, foldedRows) {
		if _, err := s.ExecContext(ctx, "INSERT INTO search_numbers (rowid, name) VALUES "+strings.Join(some, ", ")); err != nil {
			return err
		}
	}
	return nil
}
