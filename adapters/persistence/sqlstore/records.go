package sqlstore

import (
	"context"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"tilth/core/access"
	"tilth/core/fault"
	corerecord "tilth/core/record"
	"tilth/ports"
)

// MetaRow holds the columns that every table of a company's records has.
type MetaRow struct {
	ID            int64   `bun:"id,pk,autoincrement"`
	CompanyID     int64   `bun:"company_id"`
	CreatedAt     Stamp   `bun:"created_at"`
	UpdatedAt     Stamp   `bun:"updated_at"`
	DeletedAt     *Stamp  `bun:"deleted_at"`
	CreatedBy     *int64  `bun:"created_by"`
	CreatedByName *string `bun:"created_by_name,scanonly"`
	CompanyName   string  `bun:"company_name,scanonly"`
}

func (r *MetaRow) base() *MetaRow { return r }

// MetaRowOf returns the columns of the part that all records share.
func MetaRowOf(m corerecord.Meta) MetaRow {
	row := MetaRow{ID: m.ID, CompanyID: m.CompanyID, CreatedAt: StampAt(m.CreatedAt), UpdatedAt: StampAt(m.UpdatedAt)}
	if m.CreatedBy != nil {
		row.CreatedBy = &m.CreatedBy.ID
	}
	return row
}

// Meta returns what the columns hold.
func (r *MetaRow) Meta() corerecord.Meta {
	m := corerecord.Meta{ID: r.ID, CompanyID: r.CompanyID, Company: r.CompanyName, CreatedAt: r.CreatedAt.Time, UpdatedAt: r.UpdatedAt.Time}
	if r.CreatedBy != nil {
		m.CreatedBy = &corerecord.Ref{ID: *r.CreatedBy, Name: ValueOf(r.CreatedByName)}
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

// Table describes one resource of a company and how its rows become records.
type Table[T, R any] struct {
	Word    string   // "farm", for messages
	Columns []string // expressions of the row's scan-only columns
	Joins   []string
	Filters map[string]Filter
	Orders  map[string]OrderKey // what a list may be ordered by, besides the common ones
	Shared  func(*Session, access.Scope) Condition
	Row     func(*T) R
	Record  func(*R) (T, error)
	Kept    []string  // columns that never change, besides the common ones
	Within  Condition // of own rows that no other record hides; empty: none is hidden
	Sealed  bool      // holds secrets that are sealed for the id of their row: the row is stored again once its id is known
}

// Records is the repository of one resource, in one transaction.
type Records[T, R any, PT record[T], PR recordRow[R]] struct {
	Session *Session
	Table   *Table[T, R]
}

// NewRecords returns the repository of a table in a transaction.
func NewRecords[T, R any, PT record[T], PR recordRow[R]](s *Session, t *Table[T, R]) Records[T, R, PT, PR] {
	return Records[T, R, PT, PR]{s, t}
}

// In returns the conditions of the live rows of table t in a scope.
func (r Records[T, R, PT, PR]) In(scope access.Scope) []Condition {
	in := append(r.Session.InScope(scope, r.Table.Shared), When("t.deleted_at IS NULL"))
	if !scope.Shared() && r.Table.Within.SQL != "" {
		in = append(in, r.Table.Within)
	}
	return in
}

// asked returns the condition of what a query lists: live rows of a scope, or own rows that were deleted.
func (r Records[T, R, PT, PR]) asked(scope access.Scope, query ports.Query) []Condition {
	if query.Deleted.IsZero() {
		return r.In(scope)
	}
	return []Condition{Own("t", scope), When("t.deleted_at >= ?", StampAt(query.Deleted))}
}

// Query selects whole records of a scope, with the names of what they refer to.
func (r Records[T, R, PT, PR]) Query(scope access.Scope) *bun.SelectQuery {
	return Where(r.Selected(), r.In(scope)...)
}

// InAmong is [Records.In] for rows that are named by their ids, see [OwnAmong]. It keeps indexes of live rows from being used, too.
func (r Records[T, R, PT, PR]) InAmong(scope access.Scope, ids []int64) []Condition {
	in := append(r.In(scope), Among("t.id", ids))
	if Writable(scope) {
		in[0], in[1] = OwnAmong("t", scope), When("COALESCE(t.deleted_at, t.deleted_at) IS NULL")
	}
	return in
}

// Selected selects records without some of their columns, with the names of what they refer to, and in no scope yet.
func (r Records[T, R, PT, PR]) Selected(without ...string) *bun.SelectQuery {
	q := r.Tables()
	if len(without) == 0 {
		q = q.ColumnExpr("?TableColumns")
	} else {
		q = q.ExcludeColumn(without...)
	}
	q = q.ColumnExpr("creator.name AS created_by_name, company.name AS company_name")
	for _, c := range r.Table.Columns {
		q = q.ColumnExpr(c)
	}
	return q
}

// Tables selects from the table and those that it refers to, by left joins, which do not change a count.
func (r Records[T, R, PT, PR]) Tables() *bun.SelectQuery {
	q := r.Session.NewSelect().Model((*R)(nil)).
		Join("LEFT JOIN users AS creator ON creator.id = t.created_by").
		Join("LEFT JOIN companies AS company ON company.id = t.company_id")
	for _, j := range r.Table.Joins {
		q = q.Join(j)
	}
	return q
}

// Get implements ports.Records.
func (r Records[T, R, PT, PR]) Get(ctx context.Context, scope access.Scope, id int64) (T, error) {
	return r.One(ctx, r.Query(scope).Where("t.id = ?", id))
}

// GetForUpdate implements ports.Records.
func (r Records[T, R, PT, PR]) GetForUpdate(ctx context.Context, scope access.Scope, id int64) (T, error) {
	if !Writable(scope) {
		var none T
		return none, fault.Missing(r.Table.Word)
	}
	return r.One(ctx, r.Session.ForUpdate(r.Query(scope).Where("t.id = ?", id)))
}

// One returns the record that a query selects. Faults: NotFound.
func (r Records[T, R, PT, PR]) One(ctx context.Context, q *bun.SelectQuery) (T, error) {
	return (&View[T, R]{Word: r.Table.Word, Record: r.Table.Record}).One(ctx, q)
}

// GetMany implements ports.Records.
func (r Records[T, R, PT, PR]) GetMany(ctx context.Context, scope access.Scope, ids []int64) (map[int64]T, error) {
	if len(ids) == 0 {
		return map[int64]T{}, nil
	}
	q := r.Session.ForShare(Where(r.Selected(), r.InAmong(scope, ids)...))
	return Index(Stream(ctx, r.Session, q, r.Table.Record), func(value *T) int64 { return PT(value).Base().ID })
}

// GetManyForUpdate implements ports.Records. All callers that lock several rows do so in the order of ids.
func (r Records[T, R, PT, PR]) GetManyForUpdate(ctx context.Context, scope access.Scope, ids []int64) (map[int64]T, error) {
	if len(ids) == 0 || !Writable(scope) {
		return map[int64]T{}, nil
	}
	q := r.Session.ForUpdate(Where(r.Selected(), r.InAmong(scope, ids)...).Order("t.id"))
	return Index(Stream(ctx, r.Session, q, r.Table.Record), func(value *T) int64 { return PT(value).Base().ID })
}

// Known implements ports.Records.
func (r Records[T, R, PT, PR]) Known(ctx context.Context, scope access.Scope, ids []int64) (map[int64]bool, error) {
	out := make(map[int64]bool, len(ids))
	if len(ids) == 0 {
		return out, nil
	}
	q := r.Session.NewSelect().Model((*R)(nil))
	if scope.Shared() {
		q = r.Tables()
	}
	known, err := Values[int64](ctx, r.Session.ForShare(Where(q.ColumnExpr("t.id"), r.InAmong(scope, ids)...)))
	for _, id := range known {
		out[id] = true
	}
	return out, err
}

// keysLock names the lock under which external ids are taken.
const keysLock = 0x6b657973

// HoldKeys implements ports.Records.
func (r Records[T, R, PT, PR]) HoldKeys(ctx context.Context, scope access.Scope) error {
	return r.keys().HoldKeys(ctx, scope)
}

// ByExternalID implements ports.Records.
func (r Records[T, R, PT, PR]) ByExternalID(ctx context.Context, scope access.Scope, keys []string) (map[string][]int64, error) {
	return r.keys().ByExternalID(ctx, scope, keys)
}

func (r Records[T, R, PT, PR]) keys() Keys[R] { return KeysOf[R](r.Session, "t.deleted_at IS NULL") }

// Keys implements ports.Keyed for the rows of a table, of which some are live.
type Keys[R any] struct {
	s    *Session
	live string
}

// KeysOf returns the external ids of the rows of a condition.
func KeysOf[R any](s *Session, live string) Keys[R] { return Keys[R]{s, live} }

// HoldKeys implements ports.Keyed.
func (k Keys[R]) HoldKeys(ctx context.Context, scope access.Scope) error {
	return k.s.Alone(ctx, scope, keysLock)
}

// ByExternalID implements ports.Keyed.
func (k Keys[R]) ByExternalID(ctx context.Context, scope access.Scope, keys []string) (map[string][]int64, error) {
	q := Where(k.s.NewSelect().Model((*R)(nil)).Column("t.id", "t.external_id"), Own("t", scope), When(k.live), WithKeys(keys))
	var found []struct {
		ID         int64
		ExternalID string
	}
	if err := q.Order("t.id").Scan(ctx, &found); err != nil {
		return nil, err
	}
	out := make(map[string][]int64, len(found))
	for _, one := range found {
		out[one.ExternalID] = append(out[one.ExternalID], one.ID)
	}
	return out, nil
}

// KeyColumns are the columns of records that may come from another system.
type KeyColumns struct{ ExternalID, Source string }

// External returns what the columns hold.
func (k KeyColumns) External() corerecord.External { return corerecord.External(k) }

// Insert implements ports.Records. The records get the company of the scope, and times as they are stored.
func (r Records[T, R, PT, PR]) Insert(ctx context.Context, scope access.Scope, values []*T) error {
	if !Writable(scope) {
		return fault.Missing("company")
	}
	for chunk := range Chunks(values) {
		rows := make([]R, len(chunk))
		for i, value := range chunk {
			base := PT(value).Base()
			base.CompanyID, base.CreatedAt, base.UpdatedAt = scope.Company(), Micro(base.CreatedAt), Micro(base.UpdatedAt)
			rows[i] = r.Table.Row(value)
			PR(&rows[i]).base().ID = 0
		}
		ids, err := InsertIDs(ctx, r.Session, rows)
		if err != nil {
			return err
		}
		for i, value := range chunk {
			PT(value).Base().ID = ids[i]
		}
		r.Session.Wrote(r.Table.Word, ids...)
		if err := r.seal(ctx, scope, chunk); err != nil {
			return err
		}
	}
	return nil
}

// seal stores rows with secrets again, once their ids are known.
func (r Records[T, R, PT, PR]) seal(ctx context.Context, scope access.Scope, values []*T) error {
	for _, value := range values {
		if !r.Table.Sealed {
			return nil
		}
		if err := r.Update(ctx, scope, value); err != nil {
			return err
		}
	}
	return nil
}

// Update implements ports.Records.
func (r Records[T, R, PT, PR]) Update(ctx context.Context, scope access.Scope, value *T) error {
	if !Writable(scope) {
		return fault.Missing(r.Table.Word)
	}
	base := PT(value).Base()
	base.UpdatedAt = Micro(base.UpdatedAt)
	row := r.Table.Row(value)
	if err := Change(ctx, r.Session.NewUpdate().Model(&row).
		ExcludeColumn(append([]string{"id", "company_id", "created_at", "created_by", "deleted_at"}, r.Table.Kept...)...).
		Where("t.id = ?", base.ID).Where("?", Own("t", scope)).Where("t.deleted_at IS NULL"), fault.Missing(r.Table.Word)); err != nil {
		return err
	}
	r.Session.Wrote(r.Table.Word, base.ID)
	return nil
}

// SoftDelete implements ports.Records.
func (r Records[T, R, PT, PR]) SoftDelete(ctx context.Context, scope access.Scope, ids []int64, at time.Time) (int64, error) {
	return r.DeleteWhere(ctx, scope, Among("t.id", ids), at)
}

// DeleteWhere marks the live rows that meet a condition as deleted. It sets updated_at too, by which callers that synchronise ask.
func (r Records[T, R, PT, PR]) DeleteWhere(ctx context.Context, scope access.Scope, which Condition, at time.Time) (int64, error) {
	if !Writable(scope) || which.SQL == Nothing.SQL {
		return 0, nil
	}
	var ids []int64
	_, err := r.Session.NewUpdate().Model((*R)(nil)).Set("deleted_at = ?", StampAt(at)).Set("updated_at = ?", StampAt(at)).
		Where("?", Own("t", scope)).Where("t.deleted_at IS NULL").Where("?", which).Returning("id").Exec(ctx, &ids)
	if err != nil {
		return 0, err
	}
	slices.Sort(ids)
	r.Session.cascaded(r.Table.Word, ids)
	return int64(len(ids)), nil
}

// GetDeleted implements ports.Records.
func (r Records[T, R, PT, PR]) GetDeleted(ctx context.Context, scope access.Scope, id int64, since time.Time) (T, time.Time, error) {
	var none T
	if !Writable(scope) {
		return none, time.Time{}, fault.Missing(r.Table.Word)
	}
	q := Where(r.Selected(), Own("t", scope)).Where("t.id = ?", id).Where("t.deleted_at >= ?", StampAt(since))
	var row R
	if err := r.Session.ForUpdate(q).Scan(ctx, &row); err != nil {
		return none, time.Time{}, Missing(err, r.Table.Word)
	}
	value, err := r.Table.Record(&row)
	return value, PR(&row).base().DeletedAt.Time, err
}

// Undelete implements ports.Records.
func (r Records[T, R, PT, PR]) Undelete(ctx context.Context, scope access.Scope, id int64, deletedAt, now time.Time) error {
	ids, err := r.UndeleteWhere(ctx, scope, When("t.id = ?", id), deletedAt, now)
	if err == nil && len(ids) == 0 {
		return fault.Missing(r.Table.Word)
	}
	return err
}

// UndeleteWhere restores the rows that meet a condition and were deleted at a time, which is the same for all rows
// of one deletion, and returns their ids.
func (r Records[T, R, PT, PR]) UndeleteWhere(ctx context.Context, scope access.Scope, which Condition, deletedAt, now time.Time) ([]int64, error) {
	if !Writable(scope) || which.SQL == Nothing.SQL {
		return nil, nil
	}
	var ids []int64
	_, err := r.Session.NewUpdate().Model((*R)(nil)).Set("deleted_at = NULL").Set("updated_at = ?", StampAt(now)).
		Where("?", Own("t", scope)).Where("t.deleted_at = ?", StampAt(deletedAt)).Where("?", which).
		Returning("id").Exec(ctx, &ids)
	if err != nil {
		return nil, err
	}
	slices.Sort(ids)
	r.Session.cascaded(r.Table.Word, ids)
	return ids, nil
}
