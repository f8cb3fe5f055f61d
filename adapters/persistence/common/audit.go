package common

import (
	"context"
	"iter"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/audit"
	"tilth/core/chain"
	"tilth/ports"
)

type auditRow struct {
	bun.BaseModel `bun:"table:audit_entries,alias:t"`
	ID            int64 `bun:"id,pk,autoincrement"`
	CompanyID     int64
	At            sqlstore.Stamp
	UserID        *int64
	Operator      bool
	APIKeyID      *int64 `bun:"api_key_id"`
	Action        audit.Action
	Resource      string
	RecordID      int64
	Changes       sqlstore.JSON[[]audit.Change]

	UserName *string `bun:"user_name,scanonly"`
}

// trail implements ports.AuditTrail.
type trail struct{ s *sqlstore.Session }

func (a trail) Add(ctx context.Context, entries ...audit.Entry) error {
	rows := make([]auditRow, len(entries))
	for i, e := range entries {
		if e.CompanyID <= 0 || e.RecordID <= 0 {
			return sqlstore.Internal("an audit entry of %s %s names no record of a company", e.Action, e.Resource)
		}
		rows[i] = auditRow{
			CompanyID: e.CompanyID, At: sqlstore.StampAt(e.At), Operator: e.Operator, APIKeyID: sqlstore.NullableID(e.KeyID),
			Action: e.Action, Resource: e.Resource, RecordID: e.RecordID, Changes: sqlstore.ListOf(e.Changes),
		}
		if e.User != nil {
			rows[i].UserID = sqlstore.NullableID(e.User.ID)
		}
	}
	return sqlstore.InsertRows(ctx, a.s, rows)
}

// The session has recorded what was deleted or restored.
func (a trail) AddCascade(ctx context.Context, by ...audit.Entry) error {
	type place struct {
		resource string
		id       int64
	}
	changes := make(map[place][]audit.Change, len(by))
	for _, entry := range by {
		changes[place{entry.Resource, entry.RecordID}] = entry.Changes
	}
	var entries []audit.Entry
	for _, d := range a.s.TakeCascades() {
		for _, id := range d.IDs {
			entries = append(entries, by[0].Of(by[0].Action, d.Resource, id, changes[place{d.Resource, id}]))
		}
	}
	return a.Add(ctx, entries...)
}

// Query selects what a query asks for, without its page.
func (a trail) Query(scope access.Scope, q ports.AuditQuery) *bun.SelectQuery {
	out := sqlstore.Where(a.s.NewSelect().Model((*auditRow)(nil)), sqlstore.Own("t", scope))
	if scope.Shared() || !sqlstore.Storable(q.Resource) {
		return sqlstore.Where(out, sqlstore.Nothing) // what others did is not shared
	}
	out = sqlstore.Narrow(sqlstore.Narrow(out, "t.resource", q.Resource), "t.record_id", q.RecordID)
	out = sqlstore.Narrow(sqlstore.Narrow(out, "t.user_id", q.UserID), "t.action", q.Action)
	if q.Since != nil {
		out = out.Where("t.at >= ?", sqlstore.StampAt(*q.Since))
	}
	if q.Until != nil {
		out = out.Where("t.at <= ?", sqlstore.StampAt(*q.Until))
	}
	return out
}

func (a trail) Count(ctx context.Context, scope access.Scope, q ports.AuditQuery) (int64, error) {
	q.Limit, q.Offset, q.At, q.From = 0, 0, nil, ports.From{}
	if q == (ports.AuditQuery{}) && sqlstore.Writable(scope) {
		return a.s.Chained(ctx, chain.Audit, scope)
	}
	return a.Query(scope, q).Count(ctx)
}

func (a trail) Each(ctx context.Context, scope access.Scope, q ports.AuditQuery) iter.Seq2[audit.Entry, error] {
	return entryView.Each(ctx, a.s, a.Query(scope, q).ColumnExpr("?TableColumns").ColumnExpr("author.name AS user_name").
		Join("LEFT JOIN users AS author ON author.id = t.user_id"), ports.Query{Limit: q.Limit, Offset: q.Offset, At: q.At})
}

var entryView = &sqlstore.View[audit.Entry, auditRow]{Word: "audit entry", Order: sqlstore.NewestFirst, Record: entryOfRow}

func entryOfRow(row *auditRow) (audit.Entry, error) {
	e := audit.Entry{
		ID: row.ID, CompanyID: row.CompanyID, At: row.At.Time, Operator: row.Operator, KeyID: sqlstore.ValueOf(row.APIKeyID),
		Action: row.Action, Resource: row.Resource, RecordID: row.RecordID,
		Changes: append([]audit.Change(nil), row.Changes.V...),
	}
	if row.UserID != nil {
		e.User = &access.Named{ID: *row.UserID, Name: sqlstore.ValueOf(row.UserName)}
	}
	return e, nil
}

type operatorEntryRow struct {
	bun.BaseModel `bun:"table:operator_entries,alias:t"`
	ID            int64 `bun:"id,pk,autoincrement"`
	At            sqlstore.Stamp
	UserID        *int64 // null: the command line
	Action        audit.Action
	Resource      string
	Record        string
	Changes       sqlstore.JSON[[]audit.Change]

	UserName *string `bun:"user_name,scanonly"`
}

// operatorTrail implements ports.OperatorTrail.
type operatorTrail struct{ s *sqlstore.Session }

func (t operatorTrail) Add(ctx context.Context, e ports.OperatorEntry) error {
	row := operatorEntryRow{At: sqlstore.StampAt(e.At), Action: e.Action, Resource: e.Resource, Record: e.Record, Changes: sqlstore.ListOf(e.Changes)}
	if e.User != nil {
		row.UserID = &e.User.ID
	}
	_, err := t.s.NewInsert().Model(&row).Returning("NULL").Exec(ctx)
	return err
}

func (t operatorTrail) query() *bun.SelectQuery {
	return t.s.NewSelect().Model((*operatorEntryRow)(nil))
}

func (t operatorTrail) Count(ctx context.Context, q ports.Query) (int64, error) {
	return operatorEntryView.Count(ctx, t.query(), q)
}

func (t operatorTrail) Each(ctx context.Context, q ports.Query) iter.Seq2[ports.OperatorEntry, error] {
	return operatorEntryView.Each(ctx, t.s, t.query().ColumnExpr("?TableColumns").ColumnExpr("author.name AS user_name").
		Join("LEFT JOIN users AS author ON author.id = t.user_id"), q)
}

var operatorEntryView = &sqlstore.View[ports.OperatorEntry, operatorEntryRow]{
	Word: "entry", Order: sqlstore.NewestFirst, Record: operatorEntryOfRow,
}

func operatorEntryOfRow(row *operatorEntryRow) (ports.OperatorEntry, error) {
	e := ports.OperatorEntry{
		ID: row.ID, At: row.At.Time, Action: row.Action, Resource: row.Resource, Record: row.Record,
		Changes: append([]audit.Change(nil), row.Changes.V...),
	}
	if row.UserID != nil {
		e.User = &access.Named{ID: *row.UserID, Name: sqlstore.ValueOf(row.UserName)}
	}
	return e, nil
}
