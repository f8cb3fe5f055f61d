package persistence

import (
	"context"
	"database/sql"
	"errors"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"tilth/core/access"
	"tilth/core/fault"
	corerecord "tilth/core/record"
	"tilth/ports"
)

// insertChunk bounds how many rows one statement inserts.
const insertChunk = 200

// MetaRow is the columns that every table of a company's records has.
type MetaRow struct {
	ID            int64   `bun:"id,pk,autoincrement"`
	CompanyID     int64   `bun:"company_id"`
	CreatedAt     stamp   `bun:"created_at"`
	UpdatedAt     stamp   `bun:"updated_at"`
	DeletedAt     *stamp  `bun:"deleted_at"`
	CreatedBy     *int64  `bun:"created_by"`
	CreatedByName *string `bun:"created_by_name,scanonly"`
	CompanyName   string  `bun:"company_name,scanonly"`
}

func (r *MetaRow) base() *MetaRow { return r }

func metaRowOf(m corerecord.Meta) MetaRow {
	row := MetaRow{ID: m.ID, CompanyID: m.CompanyID, CreatedAt: stampAt(m.CreatedAt), UpdatedAt: stampAt(m.UpdatedAt)}
	if m.CreatedBy != nil {
		row.CreatedBy = &m.CreatedBy.ID
	}
	return row
}

func (r *MetaRow) meta() corerecord.Meta {
	m := corerecord.Meta{ID: r.ID, CompanyID: r.CompanyID, Company: r.CompanyName, CreatedAt: r.CreatedAt.Time, UpdatedAt: r.UpdatedAt.Time}
	if r.CreatedBy != nil {
		m.CreatedBy = &corerecord.Ref{ID: *r.CreatedBy, Name: valueOf(r.CreatedByName)}
	}
	return m
}

// recordRow is a pointer to a row with the common columns.
type recordRow[R any] interface {
	*R
	base() *MetaRow
}

// record is a pointer to a core record with the common part.
type record[T any] interface {
	*T
	Base() *corerecord.Meta
}

// table describes one resource of a company: its words, its columns beyond those of
// its row, its filters, and how a row becomes a record.
type table[T, R any] struct {
	word    string   // "farm", for messages
	columns []string // expressions of the row's scan-only columns
	joins   []string
	filters map[string]filter
	orders  map[string]orderKey // what a list may be ordered by, beside the common ones
	shared  func(*session, access.Scope) condition
	row     func(*T) R
	record  func(*R) (T, error)
	kept    []string  // columns that never change, beside the common ones
	within  condition // of own rows that another record hides; empty: none does
}

// records is the repository of one resource, in one transaction.
type records[T, R any, PT record[T], PR recordRow[R]] struct {
	s *session
	t *table[T, R]
}

// recordsOf returns the repository of a table in a transaction.
func recordsOf[T, R any, PT record[T], PR recordRow[R]](s *session, t *table[T, R]) records[T, R, PT, PR] {
	return records[T, R, PT, PR]{s, t}
}

// in gives the condition of the live rows of an alias of the table in a scope.
func (r records[T, R, PT, PR]) in(scope access.Scope) []condition {
	in := append(r.s.inScope(scope, r.t.shared), when("t.deleted_at IS NULL"))
	if !scope.Shared() && r.t.within.sql != "" {
		in = append(in, r.t.within)
	}
	return in
}

// query selects whole records of a scope, with the names of what they refer to.
func (r records[T, R, PT, PR]) query(scope access.Scope) *bun.SelectQuery {
	return where(r.selected(), r.in(scope)...)
}

// selected selects whole records, with the names of what they refer to, of no scope yet.
func (r records[T, R, PT, PR]) selected() *bun.SelectQuery {
	return r.tables().ColumnExpr("?TableColumns").ColumnExpr("creator.name AS created_by_name").ColumnExpr("company.name AS company_name").
		Apply(func(q *bun.SelectQuery) *bun.SelectQuery {
			for _, c := range r.t.columns {
				q = q.ColumnExpr(c)
			}
			return q
		})
}

// tables is the table and what it refers to. The joins are left joins, which cannot
// change what is counted.
func (r records[T, R, PT, PR]) tables() *bun.SelectQuery {
	q := r.s.NewSelect().Model((*R)(nil)).
		Join("LEFT JOIN users AS creator ON creator.id = t.created_by").
		Join("LEFT JOIN companies AS company ON company.id = t.company_id")
	for _, j := range r.t.joins {
		q = q.Join(j)
	}
	return q
}

// narrowed selects nothing yet from what a query asks for, in a scope. What the table
// refers to is joined only where the query looks at it: names are not needed to count
// records, nor to pass over them.
func (r records[T, R, PT, PR]) narrowed(scope access.Scope, query ports.Query) (*bun.SelectQuery, error) {
	q := r.s.NewSelect().Model((*R)(nil))
	if scope.Shared() || r.t.looksElsewhere(query) { // what is shared is found through the field
		q = r.tables()
	}
	return filtered(where(q, r.in(scope)...), r.t.filters, query.Filters)
}

// looksElsewhere reports whether a query filters or orders by a column of another table.
func (t *table[T, R]) looksElsewhere(query ports.Query) bool {
	elsewhere := func(expr string) bool { return expr != "" && !strings.HasPrefix(expr, "t.") }
	for _, f := range query.Filters {
		if k := t.filters[f.Name]; elsewhere(k.exact) || elsewhere(k.folded) || elsewhere(k.since) || elsewhere(k.other) {
			return true
		}
	}
	for _, o := range query.Order {
		if elsewhere(t.orders[o.Field].expr) {
			return true
		}
	}
	return false
}

// Count implements ports.Records.
func (r records[T, R, PT, PR]) Count(ctx context.Context, scope access.Scope, query ports.Query) (int64, error) {
	q, err := r.narrowed(scope, query)
	if err != nil {
		return 0, err
	}
	return q.Count(ctx)
}

// Each implements ports.Records.
func (r records[T, R, PT, PR]) Each(ctx context.Context, scope access.Scope, query ports.Query) iter.Seq2[T, error] {
	q, err := r.page(scope, query)
	if err != nil {
		return failed[T](err)
	}
	if query.Limit == 0 {
		if err := r.s.unhurried(ctx); err != nil {
			return failed[T](err)
		}
	}
	return stream(ctx, r.s, q, r.t.record)
}

// page selects the page of a query. Of a page deep in a list only the ids are passed
// over; what the records refer to is looked up for those on the page alone.
func (r records[T, R, PT, PR]) page(scope access.Scope, query ports.Query) (*bun.SelectQuery, error) {
	q, err := filtered(r.query(scope), r.t.filters, query.Filters)
	if err != nil {
		return nil, err
	}
	if q, err = r.s.ordered(q, r.t.orders, query.Order); err != nil || query.Offset == 0 || query.Limit == 0 {
		return paged(q, query), err
	}
	ids, err := r.narrowed(scope, query)
	if err != nil {
		return nil, err
	}
	if ids, err = r.s.ordered(ids.ColumnExpr("t.id"), r.t.orders, query.Order); err != nil {
		return nil, err
	}
	return q.Where("t.id IN (?)", paged(ids, query)), nil
}

// Get implements ports.Records.
func (r records[T, R, PT, PR]) Get(ctx context.Context, scope access.Scope, id int64) (T, error) {
	return r.one(ctx, r.query(scope).Where("t.id = ?", id))
}

// GetForUpdate implements ports.Records.
func (r records[T, R, PT, PR]) GetForUpdate(ctx context.Context, scope access.Scope, id int64) (T, error) {
	if !writable(scope) {
		var none T
		return none, fault.Missing(r.t.word)
	}
	return r.one(ctx, r.s.forUpdate(r.query(scope).Where("t.id = ?", id)))
}

func (r records[T, R, PT, PR]) one(ctx context.Context, q *bun.SelectQuery) (T, error) {
	var row R
	if err := q.Scan(ctx, &row); err != nil {
		var none T
		return none, missing(err, r.t.word)
	}
	return r.t.record(&row)
}

// GetMany implements ports.Records.
func (r records[T, R, PT, PR]) GetMany(ctx context.Context, scope access.Scope, ids []int64) (map[int64]T, error) {
	out := make(map[int64]T, len(ids))
	if len(ids) == 0 {
		return out, nil
	}
	q := r.s.forShare(r.query(scope).Where("t.id IN (?)", bun.List(ids)))
	for value, err := range stream(ctx, r.s, q, r.t.record) {
		if err != nil {
			return nil, err
		}
		out[PT(&value).Base().ID] = value
	}
	return out, nil
}

// Insert implements ports.Records. The records are given the company of the scope, and
// their times as the database keeps them.
func (r records[T, R, PT, PR]) Insert(ctx context.Context, scope access.Scope, values []*T) error {
	if !writable(scope) {
		return fault.Missing("company")
	}
	for chunk := range slices.Chunk(values, insertChunk) {
		rows := make([]R, len(chunk))
		for i, value := range chunk {
			base := PT(value).Base()
			base.CompanyID, base.CreatedAt, base.UpdatedAt = scope.Company(), micro(base.CreatedAt), micro(base.UpdatedAt)
			rows[i] = r.t.row(value)
			PR(&rows[i]).base().ID = 0
		}
		var ids []int64
		if _, err := r.s.NewInsert().Model(&rows).Returning("id").Exec(ctx, &ids); err != nil {
			return err
		}
		if len(ids) != len(chunk) {
			return internal("%d rows inserted gave %d ids", len(chunk), len(ids))
		}
		// Both databases count ids up in the order of VALUES, but promise no order of RETURNING.
		slices.Sort(ids)
		for i, value := range chunk {
			PT(value).Base().ID = ids[i]
		}
		r.s.wrote(r.t.word, ids...)
	}
	return nil
}

// Update implements ports.Records.
func (r records[T, R, PT, PR]) Update(ctx context.Context, scope access.Scope, value *T) error {
	if !writable(scope) {
		return fault.Missing(r.t.word)
	}
	base := PT(value).Base()
	base.UpdatedAt = micro(base.UpdatedAt)
	row := r.t.row(value)
	in := own("t", scope)
	res, err := r.s.NewUpdate().Model(&row).
		ExcludeColumn(append([]string{"id", "company_id", "created_at", "created_by", "deleted_at"}, r.t.kept...)...).
		Where("t.id = ?", base.ID).Where(in.sql, in.args...).Where("t.deleted_at IS NULL").Exec(ctx)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return missingUnless(err, r.t.word)
	}
	r.s.wrote(r.t.word, base.ID)
	return nil
}

// SoftDelete implements ports.Records.
func (r records[T, R, PT, PR]) SoftDelete(ctx context.Context, scope access.Scope, ids []int64, at time.Time) (int64, error) {
	if len(ids) == 0 {
		return 0, nil
	}
	return r.softDelete(ctx, scope, when("t.id IN (?)", bun.List(ids)), at)
}

// softDelete marks the live rows of a condition deleted. The update of a record says
// so in updated_at, which is what callers who keep in step ask for.
func (r records[T, R, PT, PR]) softDelete(ctx context.Context, scope access.Scope, which condition, at time.Time) (int64, error) {
	if !writable(scope) {
		return 0, nil
	}
	in := own("t", scope)
	var ids []int64
	_, err := r.s.NewUpdate().Model((*R)(nil)).Set("deleted_at = ?", stampAt(at)).Set("updated_at = ?", stampAt(at)).
		Where(in.sql, in.args...).Where("t.deleted_at IS NULL").Where(which.sql, which.args...).Returning("id").Exec(ctx, &ids)
	if err != nil {
		return 0, err
	}
	slices.Sort(ids)
	r.s.cascaded(r.t.word, ids)
	return int64(len(ids)), nil
}

// missing makes NotFound of no row.
func missing(err error, word string) error {
	if errors.Is(err, sql.ErrNoRows) {
		return fault.Missing(word)
	}
	return err
}

// missingUnless gives err, or NotFound where there is none.
func missingUnless(err error, word string) error {
	if err != nil {
		return err
	}
	return fault.Missing(word)
}

// valueOf gives what a pointer points at, or the zero value.
func valueOf[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}
